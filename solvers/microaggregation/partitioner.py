"""Microaggregation: groups of at least m records that lose the least information, for tables that are to be released.

    minimise  IL = 100 SSE / SST     over partitions whose groups have at least m records

with SSE the sum of the squared distances to the means of the groups, SST that to the mean of all, on columns of mean 0
and standard deviation 1. The number of groups is free; a group of 2m records or more can be divided without loss, so
that sizes m to 2m - 1 suffice. A weight counts in SSE and SST like that many equal records. `search` and `bound` have
the search and the bound.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ...base.atomic_fit import AtomicFit
from ...base.checks import as_array, finite_rows, refuse_absent, sample_weights, validate_data, whole_number
from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...models.polytope.magnitudes import powers_of_two
from ..exchange.reseeding import group_means, within_squares
from .bound import lower_bound
from .search import search


@dataclass(eq=False, repr=False)
class Microaggregation(AtomicFit, ClusterMixin, BaseEstimator):
    """Groups of at least ``minimum`` records with a small information loss, and a proved lower bound on it.

    Parameters
    ----------
    minimum : int, default 3
        Least number m of records in a group.
    time_limit : float, optional
        Seconds for search and bound, of which both make use; results then depend on the machine.
    n_iter : int, optional
        Steps of the search, by default 200 000 without ``time_limit`` and as many as it allows with one. Without one
        equal seeds give equal groups.
    bound_iter : int, optional
        Steps of the bound, by default 1 + 300 / m^2 without ``time_limit`` (larger m: they take longer and gain less)
        and as many as it allows with one: 0 for the cheapest bound, from nearest neighbours and one vector of prices.
        From m = 5 on they are rounds of a semidefinite relaxation as well, in strata of up to 1000 records, or up to
        2500 with ``time_limit``.
    random_state : int, RandomState or None
        Seed of the search.
    standardise : bool, default True
        Whether columns are divided by their standard deviations; False takes their scales as they are.

    Attributes
    ----------
    labels_ : (n,) ndarray of int64
        Group of every record, m to 2m - 1 records each.
    weights_ : (n,) ndarray
        Weights of the fit.
    information_loss_ : float
        100 SSE / SST of the (standardised) columns, in per cent; 0 where no column varies.
    bound_ : float
        No partition into groups of at least m records loses less, in per cent, up to rounding.
    n_iter_ : int
        Steps of the search that were done.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    InvalidInputError
        From ``fit``: a parameter has an unknown value.
    InfeasibleBoundsError
        From ``fit``: there are fewer than m records, in all or in a stratum.

    Notes
    -----
    The groups are heuristic, the bound is proved (in floating point); with weights it is that of equal records of the
    smallest weight in their stratum, which is weak where weights differ much. A step of the search costs O(p^2) for the
    p records of at most six groups, the starts and a step of the bound O(n^2 d) and, of the bound, branch and bound for
    every record, or O(n^3) and O(n^2) memory for the relaxation. A column of one value counts nothing.

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation for statistical disclosure control.
    Aloise, Hansen, Rocha and Santi (2014), Column generation bounds for numerical microaggregation.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers.microaggregation import Microaggregation
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [13.0]])
    >>> model = Microaggregation(3, n_iter=1000, random_state=0).fit(X)
    >>> model.labels_, model.aggregate(X)[:, 0]
    (array([0, 0, 0, 1, 1, 1, 1]), array([ 1. ,  1. ,  1. , 11.5, 11.5, 11.5, 11.5]))
    """

    minimum: int = 3
    _: KW_ONLY
    time_limit: float | None = None
    n_iter: int | None = None
    bound_iter: int | None = None
    random_state: int | np.random.RandomState | None = None
    standardise: bool = True

    def fit(
        self, X: ArrayLike, y: object = None, *, strata: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Group the rows of X.

        Parameters
        ----------
        X : (n, d) array_like
            Numbers without gaps.
        y : ignored
        strata : (n,) array_like, optional
            The stratum of every record, such as its region: no group has records of two. Loss and bound are sums over
            the strata, each of which is searched by itself, with its part of the steps and of the time.
        sample_weight : (n,) array_like, optional
            Positive weights. A record of weight w counts like w equal ones in means, deviations and loss. ``minimum``
            counts records, not weights: a record is a person who must be hidden among others, whatever its weight.
            Repeat the rows of a table in which a row is many persons.

        Returns
        -------
        self
        """
        points = validate_data(self, X, dtype=np.float64)
        m, n = whole_number(self.minimum, "minimum", 1), len(points)
        n_iter = self._steps("n_iter", 200_000)
        bound_iter = self._steps("bound_iter", 1 + 300 // m**2)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        deadline = Deadline(self.time_limit)
        if n < m:
            raise InfeasibleBoundsError(
                f"minimum={m} exceeds the n_samples={n} records of X: ask for at most {n}, or pass more records"
            )
        weights = sample_weights(sample_weight, n)
        if not weights.min() > 0.0:
            raise InvalidInputError(f"sample_weight holds {weights.min():g}: leave out records without weight")
        weights = weights / weights.max()
        if weights.min() < 1e-12:
            raise InvalidInputError(
                f"sample_weight has weights whose ratio is {1.0 / max(weights.min(), 1e-300):.1e}, at most 1e12 was "
                f"expected: leave out records that hardly count"
            )
        self.weights_ = weights = weights * (n / weights.sum())
        middle = np.average(points, axis=0, weights=weights)
        Z = standardised(points, weights) if self.standardise else points - middle
        total = within_squares(Z, np.zeros(n, dtype=np.int64), weights)
        self.labels_, self.n_iter_, loss, low, left = np.zeros(n, dtype=np.int64), 0, 0.0, 0.0, n
        for rows in _strata(strata, n, m):
            own, part = deadline.share(len(rows) / left), np.ascontiguousarray(Z[rows])
            searching = own.share(0.6)  # so that the bound has the rest
            groups, steps = search(part, weights[rows], m, -(-n_iter * len(rows) // n), searching, rng)
            least, plain = within_squares(part, groups, weights[rows]), within_squares(part, groups)
            if least and m > 1:  # no weight is smaller than the smallest one
                low += min(lower_bound(part, plain, m, bound_iter, own) * weights[rows].min(), least)
            loss += least
            self.labels_[rows] = groups + (self.labels_.max() + 1 if left < n else 0)
            self.n_iter_, left = self.n_iter_ + steps, left - len(rows)
        self.information_loss_, self.bound_ = (100 * loss / total, 100 * low / total) if total else (0.0, 0.0)
        return self

    def _steps(self, name: str, default: int) -> int:
        """The number that a parameter says; without it the default, or no end where the time ends them."""
        if (given := getattr(self, name)) is not None:
            return whole_number(given, name, 0)
        return default if self.time_limit is None else np.iinfo(np.int64).max

    def aggregate(self, X: ArrayLike) -> NDArray[np.float64]:
        """Every row (n, d) replaced by the mean of its group, by the weights of the fit.

        Parameters
        ----------
        X : (n, d) array_like
            The rows of the fit, or other columns of the same records, in any units.

        Returns
        -------
        (n, d) ndarray

        Raises
        ------
        InvalidInputError
            When X has not one row for every record of the fit.
        """
        check_is_fitted(self, "labels_")
        rows = finite_rows(X)
        if len(rows) != len(self.labels_):
            raise InvalidInputError(
                f"X has {len(rows)} rows, expected {len(self.labels_)}, those of the fit in their order"
            )
        return group_means(rows, self.labels_, self.weights_)[self.labels_]


def _strata(strata: ArrayLike | None, n: int, least: int) -> list[NDArray[np.int64]]:
    """The records of every stratum, of which there are enough."""
    if strata is None:
        return [np.arange(n)]
    given = as_array(strata, "strata")
    if given.shape != (n,):
        raise InvalidInputError(f"strata has shape {given.shape}, expected ({n},): pass the stratum of every row of X")
    refuse_absent(given, "strata")
    names, which, counts = np.unique(given.astype(str), return_inverse=True, return_counts=True)
    if counts.min() < least:
        raise InfeasibleBoundsError(
            f"stratum {names[counts.argmin()]!r} has {counts.min()} records, fewer than minimum={least}: join it with "
            f"another one, or leave it out"
        )
    return [np.flatnonzero(which == stratum) for stratum in range(names.size)]


def standardised(X: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Columns (n, d) with mean 0 and standard deviation 1 by weights (n,); a column of one value becomes 0."""
    unit = powers_of_two(np.abs(X).max(axis=0))  # squares of large numbers would overflow
    moved = X / unit
    moved -= moved[0].copy()  # numbers far from zero lose no digits in differences, as they do in a mean
    moved -= np.average(moved, axis=0, weights=weights)
    spread = np.sqrt(np.average((moved - np.average(moved, axis=0, weights=weights)) ** 2, axis=0, weights=weights))
    varies = X.min(axis=0) < X.max(axis=0)
    return np.ascontiguousarray(np.where(varies, moved / np.where(varies, spread, 1.0), 0.0))
