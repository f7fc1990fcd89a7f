"""Clustering-based test of hypotheses: may the value of a cluster be trusted on new data?

Clusters in the order of their training values f_1 <= ... <= f_k, with f_0 = 0 and f_(k+1) = 1. p_i is the
probability of class 1 in cluster i; x_i of n_i test points are of class 1.

    (1)  lower limit   L_i = lam_i f_i + (1 - lam_i) f_(i-1)      H0: p_i <= L_i    H1: p_i > L_i
    (2)  upper limit   U_i = lam_i f_i + (1 - lam_i) f_(i+1)      H0: p_i >= U_i    H1: p_i < U_i
    (3)  statistic     t = (x_i / n_i - limit) / sqrt(limit (1 - limit) / n_i)
    (4)  normal        P(N(0, 1) > t) for L_i,            P(N(0, 1) < t) for U_i
    (5)  exact         P(Bin(n_i, L_i) >= x_i),           P(Bin(n_i, U_i) <= x_i)

If both are rejected, the value is strictly between its limits, nearer to its own training value than to its
neighbours'.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.arrays import Integers, Reals
from ...base.checks import as_floats, cluster_numbers, in_interval, one_of, same_length, whole_number, zero_one
from ...base.errors import InvalidInputError
from ...base.one_line import OneLine
from .limits import limits_of
from .steps import Adjust, Method, adjusted, double_dipping, notes_on, pvalues, statistics

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

COLUMNS = (
    "cluster", "n_train", "f_train", "n_test", "f_test", "lower_limit", "upper_limit", "t_lower", "t_upper", "p_lower",
    "p_upper",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class ClusterValueTest(OneLine):
    """Outcome of `cluster_value_test`, clusters in the order of their training values.

    Attributes
    ----------
    statistic : (k, 2) ndarray
        t of (3) against the lower and the upper limit.
    pvalue : (k, 2) ndarray
        Lower and upper p-values, adjusted where ``adjust`` says so; nan where nothing can be tested.
    raw_pvalue : (k, 2) ndarray
        The same before the adjustment.
    n : (k,) ndarray of int
        Test points of each cluster.
    table : pandas.DataFrame
        One row per cluster with the columns cluster, n_train, f_train, n_test, f_test, lower_limit, upper_limit,
        t_lower, t_upper, p_lower, p_upper; the last two are ``pvalue``.
    method, adjust : str, str or None
        How p-values were computed and adjusted.
    null, alternative : str
        The hypotheses.
    notes : tuple of str
        What was special: empty clusters, ties, limits of 0 or 1, weak approximation, double dipping.
    """

    statistic: NDArray[np.float64]
    pvalue: NDArray[np.float64]
    raw_pvalue: NDArray[np.float64] = field(repr=False)
    n: NDArray[np.int64]
    table: pd.DataFrame = field(repr=False)
    method: str
    adjust: str | None
    notes: tuple[str, ...] = ()
    null: str = "lower: p_i <= lower_limit_i; upper: p_i >= upper_limit_i"
    alternative: str = "lower: p_i > lower_limit_i; upper: p_i < upper_limit_i"

    def significant(self, alpha: float = 0.05) -> NDArray[np.bool_]:
        """Which of the (k, 2) hypotheses are rejected at level ``alpha``."""
        return np.asarray(self.pvalue <= in_interval(alpha, "alpha", 0.0, 1.0))

    def plot(self, ax: Axes | None = None, confidence: float = 0.95) -> Axes:
        """Draw training values, limits, and test values with Wilson intervals; stars for small p-values.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure otherwise.
        confidence : float
            Level of the intervals.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from .plots import draw

        return draw(self.table, self.adjust, ax, confidence)


def cluster_value_test(
    train_labels: ArrayLike,
    y_train: ArrayLike,
    test_labels: ArrayLike,
    y_test: ArrayLike,
    lam: ArrayLike = 0.75,
    method: Method = "normal",
    adjust: Adjust = None,
    *,
    limits: tuple[ArrayLike, ArrayLike] | None = None,
    n_clusters: int | None = None,
    train_index: ArrayLike | None = None,
    test_index: ArrayLike | None = None,
) -> ClusterValueTest:
    """Test the value of every cluster against a lower and an upper limit on new data.

    Parameters
    ----------
    train_labels : (n,) array_like of int
        Clusters 0..k-1 of the training points.
    y_train : (n,) array_like of {0, 1}
        Their classes.
    test_labels : (m,) array_like of int
        Clusters of the test points.
    y_test : (m,) array_like of {0, 1}
        Their classes.
    lam : float or (k,) array_like
        Comparing distance, in [0, 1]; the larger, the nearer the limits are to the value. In cluster order.
    method : {"normal", "exact"}
        p-values (4) or (5). The exact ones never exceed their level, whatever n and the limit.
    adjust : {None, "holm", "bh"}
        Holm's (familywise error) or Benjamini and Hochberg's (false discovery rate) adjustment over all p-values.
    limits : (lower, upper), optional
        Own limits in [0, 1], scalars or (k,) in cluster order, instead of (1) and (2).
    n_clusters : int, optional
        k; by default the largest cluster number + 1.
    train_index, test_index : (n,), (m,) array_like, optional
        Names of the rows. A row in both is double dipping, which is warned of and noted.

    Returns
    -------
    ClusterValueTest

    Raises
    ------
    InvalidInputError
        When lengths differ, classes are not 0 and 1, cluster numbers leave 0..k-1, or an option is not usable.

    Warns
    -----
    DoubleDippingWarning
        When test rows are training rows, by their names or because both samples are identical.

    Notes
    -----
    Assumes that test points are drawn independently of the training points and of each other. Rules where (1)-(5)
    are undefined, each noted in the result: a cluster without test points gets nan and is left out of the adjustment;
    one without training points has no value and gets nan limits too, last in the table. At a limit of 0 or 1 the
    statistic has no variance: t is 0 if the test value equals the limit and infinite otherwise, and (5) is used.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure. Benjamini and Hochberg (1995), Controlling
    the false discovery rate.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.stats import cluster_value_test
    >>> train, test = np.repeat([0, 1], 100), np.repeat([0, 1], 400)
    >>> y_train, y_test = np.tile([0, 0, 0, 1], 50), np.tile([0, 0, 0, 1], 200)
    >>> y_train[100:] = np.tile([0, 1], 50)
    >>> y_test[400:] = np.tile([0, 1], 200)
    >>> result = cluster_value_test(train, y_train, test, y_test)
    >>> result.pvalue.round(4)
    array([[0.0007, 0.0035],
           [0.0059, 0.    ]])
    """
    labels, test = cluster_numbers(train_labels, "train_labels"), cluster_numbers(test_labels, "test_labels")
    classes = zero_one(y_train, "y_train")
    test_classes = zero_one(y_test, "y_test") if test.size else np.zeros(0, dtype=np.int64)
    same_length(train_labels=labels, y_train=classes)
    same_length(test_labels=test, y_test=np.asarray(y_test))
    k = _cluster_count(n_clusters, labels, test)
    notes = double_dipping(labels, classes, test, test_classes, train_index, test_index)
    n_train, n_test = np.bincount(labels, minlength=k), np.bincount(test, minlength=k)
    ones_train = np.bincount(labels, weights=classes, minlength=k)
    ones_test = np.bincount(test, weights=test_classes, minlength=k)
    with np.errstate(invalid="ignore"):
        values = ones_train / n_train
    return cluster_value_test_counts(
        values, n_test, ones_test, n_train, lam, method, adjust, limits=limits, notes=notes
    )


def cluster_value_test_counts(
    values: ArrayLike,
    n_test: ArrayLike,
    ones_test: ArrayLike,
    n_train: ArrayLike | None = None,
    lam: ArrayLike = 0.75,
    method: Method = "normal",
    adjust: Adjust = None,
    *,
    limits: tuple[ArrayLike, ArrayLike] | None = None,
    notes: Sequence[str] = (),
) -> ClusterValueTest:
    """`cluster_value_test` from counts (k,), or for other cluster values such as posterior ones; nan for none.
    ``n_train`` is for the table only, -1 if unknown; ``notes`` come before those of the test."""
    one_of(method, "method", ("normal", "exact"))
    one_of(adjust, "adjust", (None, "holm", "bh"))
    if not isinstance(notes, tuple | list) or not all(isinstance(note, str) for note in notes):
        raise InvalidInputError(f"notes={notes!r} is not usable: pass a list of texts")
    f = np.atleast_1d(as_floats(values, "values"))
    if f.ndim != 1:
        raise InvalidInputError(f"values has shape {f.shape}, expected (k,): pass one value per cluster")
    n, ones = _counts(n_test, "n_test", f.size), _counts(ones_test, "ones_test", f.size)
    if (ones > n).any():
        raise InvalidInputError("ones_test exceeds n_test in some cluster: pass the number of test points of class 1")
    trained = np.full(f.size, -1) if n_train is None else _counts(n_train, "n_train", f.size)
    lower, upper = limits_of(f, lam, limits)
    order = np.lexsort((np.arange(f.size), f))  # nan, a cluster without a value, comes last
    f, n, ones, trained = f[order], n[order], ones[order], trained[order]
    both = np.column_stack([lower, upper])[order]
    statistic = statistics(both, ones, n)
    raw = pvalues(both, statistic, ones, n, method)
    pvalue = adjusted(raw, adjust)
    found = (*notes, *notes_on(order, f, n, both, method, limits is not None))
    return ClusterValueTest(
        statistic, pvalue, raw, n, _table(order, trained, f, n, ones, both, statistic, pvalue), method, adjust, found
    )


def _table(
    order: NDArray[np.intp],
    trained: Integers,
    f: Reals,
    n: Integers,
    ones: Integers,
    both: Reals,
    statistic: Reals,
    pvalue: Reals,
) -> pd.DataFrame:
    """One row per cluster, in the given order."""
    import pandas as pd

    with np.errstate(invalid="ignore"):
        share = ones / n
    columns = (order, trained, f, n, share, *both.T, *statistic.T, *pvalue.T)
    return pd.DataFrame(dict(zip(COLUMNS, columns)))


def _cluster_count(n_clusters: int | None, labels: NDArray[np.int64], test: NDArray[np.int64]) -> int:
    largest = max(int(labels.max()), int(test.max()) if test.size else 0)
    if n_clusters is None:
        return largest + 1
    if whole_number(n_clusters, "n_clusters") <= largest:
        raise InvalidInputError(f"n_clusters={n_clusters} but cluster {largest} occurs: pass at least {largest + 1}")
    return int(n_clusters)


def _counts(values: ArrayLike, name: str, k: int) -> NDArray[np.int64]:
    array = np.atleast_1d(as_floats(values, name))
    if array.shape != (k,) or not ((array >= 0) & (array < np.inf) & (array == np.round(array))).all():
        raise InvalidInputError(f"{name} must hold {k} integers of at least 0, got {np.asarray(values)!r}")
    return array.astype(np.int64)
