"""The bounded-shape partition polytope BSPP(k, l, u), written as an assignment polytope.

Sets        points j = 0..n-1, clusters i = 0..k-1
Data        bounds l_i <= u_i, point weights w_j >= 0 (all one unless given)
Variables   xi_ij, the share of point j that is in cluster i

    (1)  sum_i xi_ij        = 1                 for every point j
    (2)  l_i <= sum_j w_j xi_ij <= u_i          for every cluster i
    (3)  0 <= xi_ij <= 1

Without weights the matrix of (1)-(2) is the incidence matrix of a bipartite network, hence totally
unimodular: every vertex is a clustering (see the dissertation cited in the README, section 4.1).
With weights a vertex may split at most k - 1 points. The upper bound in (3) is implied by (1); it is written
out because simplex codes are far faster with it.

A polytope may be narrowed further: more size dimensions than one, pairs of point and cluster that are not allowed
(xi_ij = 0), shares of groups, and custom rows; see `rows` for these. Then a vertex may split as many points as
there are bounds on clusters and side constraints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import (
    as_array,
    as_floats,
    checked_labels,
    cluster_numbers,
    single_number,
    whole_number,
)
from ...base.errors import InvalidInputError
from ...base.sizes import balanced_sizes, bound_sizes
from .broken_bounds import broken_bounds
from .counting import count_clusterings
from .enumeration import clusterings
from .even import checked_within, even_sums, shares_around
from .rows import Rows, stacked
from .stated_polytope import StatedPolytope

if TYPE_CHECKING:
    import scipy.sparse as sp


class PartitionPolytope(StatedPolytope):
    """All assignments of ``n_points`` points to k clusters whose sizes respect the bounds.

    Parameters
    ----------
    n_points : int
        Number of points n >= 1.
    lower, upper : (k,) or (k, m) array_like or scalar, optional
        Size bounds of each cluster; with ``weights`` they bound sums of weights, in each of m dimensions. ``None``
        means 0 and the total weight, ``"20%"`` that share of it, and so does 0.2 of points without weights; next to
        weights, whose unit may be small, 0.2 is a sum of weights. Scalars need ``n_clusters``.
    weights : (n_points,) or (n_points, m) array_like, optional
        Non-negative point weights. With m columns every one is a size dimension; the first is also the weight of the
        points in the objective, and is kept as ``weights``, ``lower`` and ``upper``, the others as ``further`` rows.
    n_clusters : int, optional
        Number of clusters k; required when both bounds are scalars or ``None``.
    names : sequence of m str, optional
        Names of the size dimensions; when not given, those of the columns of a DataFrame, or "size", "size_2", ...
    whole_points : bool
        What `whole` states.
    constraints : tuple of Constraint, optional
        What `allow`, `fix`, `share`, `add_rows`, `together`, `apart`, `optional`, `connected` and `subject_to` state.

    Raises
    ------
    InvalidInputError
        When an argument has the wrong shape, sign or type. Whether a clustering *exists* is a separate
        question, answered by `check` and `is_feasible`.

    Notes
    -----
    Exact. Construction is O(n + k); nothing of size n k is stored.

    Examples
    --------
    >>> from partitope.models import PartitionPolytope
    >>> polytope = PartitionPolytope(4, lower=1, upper=3, n_clusters=2)
    >>> polytope.count()
    14
    >>> territory = PartitionPolytope(4, [[1, 3], [1, 3]], [[3, 7], [3, 7]], [[1, 2], [1, 1], [1, 3], [1, 4]])
    >>> territory.fix([0], [1]).contains([1, 0, 1, 0])
    True
    """

    @classmethod
    def within(cls, n_points: int, n_clusters: int, least: float = 0.8, most: float = 1.2) -> PartitionPolytope:
        """All clusterings with sizes from ``least`` n / k to ``most`` n / k, rounded outwards to whole points.

        Without upper bounds where ``most`` is infinite. What is a whole number up to rounding counts as one: 1.1 times
        10 is 11, not 12.

        Raises
        ------
        InvalidInputError
            When an argument is another value.
        """
        whole_number(n_points, "n_points")
        whole_number(n_clusters, "n_clusters")
        shares = single_number(least, "least"), single_number(most, "most", finite=False)
        lower, upper = (round(share * n_points / n_clusters, 9) for share in shares)
        return cls(n_points, np.floor(lower), np.ceil(upper), n_clusters=n_clusters)

    @classmethod
    def even(
        cls,
        n_points: int,
        n_clusters: int,
        within: float | str = 0.05,
        *,
        share: ArrayLike | None = None,
        **columns: ArrayLike,
    ) -> PartitionPolytope:
        """All clusterings whose clusters are as large as each other, up to a part of their mean.

        Parameters
        ----------
        n_points, n_clusters : int
            Numbers n of points and k of clusters.
        within : float or text, default 0.05
            How far from the mean a cluster may be, as a part of it; ``"5%"`` is the same.
        share : (n,) array_like, optional
            The group of every point, or booleans: the share of every group in every cluster's points differs from its
            share of all points by at most ``within`` (0.05: five points of a hundred).
        **columns : (n,) array_like
            Quantities of at least 0, one per size dimension of that name: their sums in the clusters are within bounds,
            which are not rounded. The numbers of points, the dimension "size", are then free. Without columns these
            are within bounds, rounded outwards to whole points, see `within`.

        Returns
        -------
        PartitionPolytope
            No column weighs the points in an objective. `whole` says that no point is divided.

        Raises
        ------
        InvalidInputError
            When an argument is another value, or a column or the groups do not fit the points.

        Notes
        -----
        Exact. O(n m) for m columns. Whether there is such a clustering, `partitope.solvers.solve` decides; the most
        even one is found by `partitope.solvers.evenest`.

        Examples
        --------
        >>> from partitope.models import PartitionPolytope
        >>> PartitionPolytope.even(10, 3, within=0.1)
        <PartitionPolytope: 10 points, 3 clusters, size 3 to 4>
        >>> fair = PartitionPolytope.even(4, 2, revenue=[5, 1, 2, 4], share=[True, False, True, False])
        >>> fair.contains([0, 0, 1, 1]), fair.contains([0, 1, 0, 1])
        (True, False)
        """
        n, k, part = whole_number(n_points, "n_points"), whole_number(n_clusters, "n_clusters"), checked_within(within)
        if columns:
            polytope = cls(n, n_clusters=k, **even_sums(columns, n, k, part))
        else:
            polytope = cls.within(n, k, max(1.0 - part, 0.0), 1.0 + part)
        return polytope if share is None else polytope.share(*shares_around(share, n, part))

    @classmethod
    def asked_for(
        cls,
        n_points: int,
        n_clusters: int,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        balance: float | str | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> PartitionPolytope:
        """The clusterings within bounds as users write them: sizes, shares or a balance, see `partitope.base.sizes`.

        Raises
        ------
        InvalidInputError
            When a bound is not a size, or ``balance`` meets another bound.
        """
        whole_number(n_points, "n_points")
        weights = None if weights is None else as_floats(weights, "weights")
        total, whole = float(n_points if weights is None else weights.sum()), weights is None
        low = bound_sizes(lower, "lower", total, n_clusters, whole=whole)
        up = bound_sizes(upper, "upper", total, n_clusters, whole=whole)
        if balance is not None:
            if low is not None or up is not None:
                raise InvalidInputError(f"balance={balance!r} sets both bounds: leave it out, or lower= and upper=")
            low, up = balanced_sizes(balance, total, n_clusters, whole=whole)
        return cls(n_points, low, up, weights, n_clusters=n_clusters)

    def scaled_to(self, n_points: int) -> PartitionPolytope:
        """The polytope of m = ``n_points`` equal points under floor(l m / n) and ceil(u m / n), n the sum of weights.

        Feasible when this one is: the floors sum to at most m when the l sum to at most n, the ceilings to at least m
        when the u sum to at least n. CapabilityError when there are masks or side constraints.
        """
        whole_number(n_points, "n_points")
        self.require_plain("scaled_to")
        lower, upper = scaled_bounds(self.lower, self.upper, n_points, self.total)
        return PartitionPolytope(n_points, np.floor(lower), np.ceil(upper))

    def contains(self, labels: ArrayLike) -> bool:
        """Whether the clustering ``labels`` (n,) with values 0..k-1 satisfies the bounds exactly."""
        y = as_array(labels, "labels")
        if y.shape != (self.n_points,) or y.dtype.kind not in "iuf":
            return False
        if y.size and (y.min() < 0 or y.max() >= self.n_clusters):
            return False
        y = y if y.dtype.kind in "iu" else cluster_numbers(y, "labels")
        # bounds on sizes first: they are quick, and mostly all there is
        sizes, low, up = self._sizes(y), self.lower, self.upper
        if self.may_close:
            opened = self.opened(y)
            if opened is None:
                return False
            low, up = np.where(opened, low, 0.0), np.where(opened, up, 0.0)
        within = bool(np.all(sizes >= low - self.slack) and np.all(sizes <= up + self.slack))
        if not within or self.is_plain:
            return within
        # statements on points, before the rows, which cost a pass each
        ordered = sorted(self.constraints, key=lambda constraint: isinstance(constraint, Rows))
        return not any(constraint.violation(y, self) for constraint in ordered)

    def violations(self, labels: ArrayLike) -> tuple[str, ...]:
        """What the clustering ``labels`` (n,) breaks and by how much, one line each; empty if it is within the bounds.

        Raises
        ------
        InvalidInputError
            When the labels are not one of 0..k-1 a point.
        """
        y = checked_labels(labels, self.n_points, self.n_clusters)
        own = {constraint.name for constraint in self.statements}  # which say themselves what is broken
        found = [str(broken) for broken in broken_bounds(self, y) if broken.name not in own]
        others = (constraint for constraint in self.constraints if not isinstance(constraint, Rows))
        return (*found, *filter(None, (constraint.violation(y, self) for constraint in others)))

    def sizes(self, labels: ArrayLike) -> NDArray[np.float64]:
        """Cluster sizes (k,), or sums of weights, of the clustering ``labels`` (n,).

        Raises
        ------
        InvalidInputError
            When the labels are not one of 0..k-1 a point.
        """
        return self._sizes(checked_labels(labels, self.n_points, self.n_clusters))

    def _sizes(self, y: NDArray) -> NDArray[np.float64]:
        """`sizes` of labels (n,) that are known to be some."""
        return np.bincount(y, weights=self.weights, minlength=self.n_clusters).astype(np.float64)

    def rows(self) -> tuple[sp.csr_array, NDArray[np.float64], NDArray[np.float64]]:
        """Matrix and row bounds of (1) and (2), and of the side constraints.

        Returns
        -------
        A : (n + k + q, n k) scipy.sparse.csr_array
            Variable xi_ij is column ``j * k + i``; rows 0..n-1 are (1), rows n..n+k-1 are (2), q side constraints come
            after them. Pairs that are not allowed have xi_ij = 0 besides.
        row_lower, row_upper : (n + k + q,) ndarray
            ``row_lower <= A @ xi.ravel() <= row_upper``.
        """
        matrix, low, up = stacked(self.point_weights, self.lower, self.upper, self.further)
        return matrix.tocsr(), low, up

    def count(self, *, labelled: bool = True) -> int:
        """Exact number of clusterings in the polytope.

        Parameters
        ----------
        labelled : bool, default True
            False counts clusterings that differ only by the names of clusters with equal bounds once.

        Returns
        -------
        int
            A Python integer of any size; 0 when the bounds are infeasible.

        Raises
        ------
        InvalidInputError
            With weights: different points are then not exchangeable and no product formula exists.
        CapabilityError
            With masks or side constraints; see `enumerate`.

        Notes
        -----
        Exact, by a recurrence for the exponential generating function prod_i sum_{s=l_i}^{u_i} z^s/s! in O(k n)
        big-integer operations for common bounds (`partitope.models.polytope.counting`). The dissertation's Remark 4.1.3
        counts unlabelled clusterings.
        """
        if self.weights is not None:
            raise InvalidInputError("weights were given: count() needs points of equal weight; use enumerate()")
        self.require_plain("count()")
        n = self.n_points
        return count_clusterings(n, [(int(a), int(min(b, n))) for a, b in zip(self.lower, self.upper)], labelled)

    def enumerate(self) -> Iterator[NDArray[np.int64]]:
        """Yield every clustering in the polytope as a label array (n,), in lexicographic order.

        Notes
        -----
        Branches that cannot reach all lower bounds any more are cut, so the work is proportional to the
        output for points of equal weight. The arrays are fresh copies.
        """
        return (labels for labels in clusterings(self) if self.is_plain or self.contains(labels))


def scaled_bounds(
    lower: NDArray[np.float64], upper: NDArray[np.float64], part: float, total: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds (k,) and (k,) in proportion for a part of the total weight; of no more than the total, so never
    infinite."""
    return lower * part / total, np.minimum(upper, total) * part / total
