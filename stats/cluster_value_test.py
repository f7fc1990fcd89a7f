"""Clustering-based test of hypotheses: may the value of a cluster be trusted on new data?

Clusters in the order of their training values f_1 <= ... <= f_k, with f_0 = 0 and f_(k+1) = 1. p_i is the
probability of class 1 in cluster i; x_i of n_i test points are of class 1.

    (1)  lower limit   L_i = lam_i f_i + (1 - lam_i) f_(i-1)      H0: p_i <= L_i    H1: p_i > L_i
    (2)  upper limit   U_i = lam_i f_i + (1 - lam_i) f_(i+1)      H0: p_i >= U_i    H1: p_i < U_i
    (3)  statistic     t = (x_i / n_i - limit) / sqrt(limit (1 - limit) / n_i)
    (4)  normal        P(N(0, 1) > t) for L_i,            P(N(0, 1) < t) for U_i
    (5)  exact         P(Bin(n_i, L_i) >= x_i),           P(Bin(n_i, U_i) <= x_i)

Rejecting both says that the value lies strictly between its limits, nearer to its own training value than to its
neighbours'. (1), (2) are the comparing distance of the dissertation (definition 4.10.2) in the form its tables use.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import binary, codes, inside, one_of, same_length

if TYPE_CHECKING:
    import pandas as pd

Method = Literal["normal", "exact"]
Adjust = Literal["holm", "bh"] | None

COLUMNS = (
    "cluster",
    "n_train",
    "f_train",
    "n_test",
    "f_test",
    "lower_limit",
    "upper_limit",
    "t_lower",
    "t_upper",
    "p_lower",
    "p_upper",
)
NORMAL_RULE = 9.0  # n p (1 - p) below which the normal approximation is not to be used


class DoubleDippingWarning(UserWarning):
    """The rows that made the clusters also test them: the p-values are too small."""


@dataclass(frozen=True, eq=False)
class ClusterValueTest:
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
        One row a cluster with the columns cluster, n_train, f_train, n_test, f_test, lower_limit, upper_limit,
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
        return np.asarray(self.pvalue <= inside(alpha, "alpha", 0.0, 1.0))

    def plot(self, ax=None, confidence: float = 0.95):
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
        from ._cluster_plot import draw

        return draw(self.table, self.adjust, ax, confidence)


def comparing_distance_limits(
    values: ArrayLike, lam: ArrayLike = 0.75, ties: Literal["sorted", "distinct"] = "sorted"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits (1) and (2) of cluster values.

    Parameters
    ----------
    values : (k,) array_like
        Training values in [0, 1], in any order.
    lam : float or (k,) array_like
        Weight of the own value, in [0, 1], in the order of ``values``.
    ties : {"sorted", "distinct"}
        Neighbour of a value that occurs several times: the next one in the sorted list (the definition; then an
        equal value, so that a limit is the value itself), or the next different one.

    Returns
    -------
    lower, upper : (k,) ndarray
        In the order of ``values``.

    Raises
    ------
    ValueError
        When a value or a weight is outside [0, 1], or the number of weights is not k.

    Notes
    -----
    Equal values are sorted by cluster number. O(k log k).

    Examples
    --------
    >>> from partitope.stats import comparing_distance_limits
    >>> lower, upper = comparing_distance_limits([0.4, 0.2], lam=0.5)
    >>> lower.round(3), upper.round(3)
    (array([0.3, 0.1]), array([0.7, 0.3]))
    """
    f = np.asarray(values, dtype=np.float64)
    one_of(ties, "ties", ("sorted", "distinct"))
    if f.ndim != 1 or not f.size or not ((f >= 0) & (f <= 1)).all():
        raise ValueError(f"values must be a vector of numbers in [0, 1], got shape {f.shape} with values {f}")
    weight = _per_cluster(lam, f.size, "lam")
    if not ((weight >= 0) & (weight <= 1)).all():
        raise ValueError(f"lam={lam!r} is not usable: pass weights in [0, 1], 1 for the value itself")
    padded = np.concatenate([[0.0], np.unique(f) if ties == "distinct" else np.sort(f), [1.0]])
    if ties == "distinct":
        place = np.searchsorted(padded[1:-1], f)
    else:
        place = np.empty(f.size, dtype=np.int64)
        place[np.argsort(f, kind="stable")] = np.arange(f.size)
    return weight * f + (1 - weight) * padded[place], weight * f + (1 - weight) * padded[place + 2]


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
    ties: Literal["sorted", "distinct"] = "sorted",
    n_clusters: int | None = None,
    train_index: ArrayLike | None = None,
    test_index: ArrayLike | None = None,
) -> ClusterValueTest:
    """Test the value of every cluster against a lower and an upper limit on new data.

    Parameters
    ----------
    train_labels, test_labels : (n,), (m,) array_like of int
        Clusters 0..k-1 of the training and the test points.
    y_train, y_test : (n,), (m,) array_like of {0, 1}
        Their classes.
    lam : float or (k,) array_like
        Comparing distance, in [0, 1]; the larger, the nearer the limits lie to the value. In cluster order.
    method : {"normal", "exact"}
        p-values (4) or (5). The exact ones never exceed their level, whatever n and the limit.
    adjust : {None, "holm", "bh"}
        Holm's (familywise error) or Benjamini and Hochberg's (false discovery rate) adjustment over all p-values.
    limits : (lower, upper), optional
        Own limits in [0, 1], scalars or (k,) in cluster order, instead of (1) and (2).
    ties : {"sorted", "distinct"}
        As in `comparing_distance_limits`.
    n_clusters : int, optional
        k; by default the largest cluster number + 1.
    train_index, test_index : (n,), (m,) array_like, optional
        Names of the rows. A row in both is double dipping, which is warned of and noted.

    Returns
    -------
    ClusterValueTest

    Raises
    ------
    ValueError
        When lengths differ, classes are not 0 and 1, cluster numbers leave 0..k-1, or an option is not usable.

    Warns
    -----
    DoubleDippingWarning
        When test rows are training rows, by their names or because both samples are identical.

    Notes
    -----
    Assumes that test points are drawn independently of the training points and of each other. Rules where (1)-(5)
    say nothing, each noted in the result: a cluster without test points gets nan and is left out of the adjustment;
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
    labels, test = codes(train_labels, "train_labels"), codes(test_labels, "test_labels")
    classes = binary(y_train, "y_train")
    test_classes = binary(y_test, "y_test") if test.size else np.zeros(0, dtype=np.int64)
    same_length(train_labels=labels, y_train=classes)
    same_length(test_labels=test, y_test=np.asarray(y_test))
    k = _cluster_count(n_clusters, labels, test)
    notes = _double_dipping(labels, classes, test, test_classes, train_index, test_index)
    n_train, n_test = np.bincount(labels, minlength=k), np.bincount(test, minlength=k)
    ones_train = np.bincount(labels, weights=classes, minlength=k)
    ones_test = np.bincount(test, weights=test_classes, minlength=k)
    with np.errstate(invalid="ignore"):
        values = ones_train / n_train
    return cluster_value_test_counts(
        values, n_test, ones_test, n_train, lam, method, adjust, limits=limits, ties=ties, notes=notes
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
    ties: Literal["sorted", "distinct"] = "sorted",
    notes: tuple[str, ...] = (),
) -> ClusterValueTest:
    """`cluster_value_test` from counts, or for cluster values of another kind such as posterior ones.

    Parameters
    ----------
    values : (k,) array_like
        Training values; nan for a cluster without one.
    n_test, ones_test : (k,) array_like of int
        Test points, and those of class 1.
    n_train : (k,) array_like of int, optional
        Training points, for the table only; -1 stands for unknown.
    lam, method, adjust, limits, ties
        As in `cluster_value_test`.
    notes : tuple of str
        Notes to put before those found here.

    Returns
    -------
    ClusterValueTest

    Raises
    ------
    ValueError
        When counts are not integers with 0 <= ones_test <= n_test, or an option is not usable.

    Examples
    --------
    >>> from partitope.stats import cluster_value_test_counts
    >>> cluster_value_test_counts([0.1, 0.5], [50, 50], [6, 24], method="exact").pvalue.round(3)
    array([[0.17 , 0.103],
           [0.156, 0.026]])
    """
    one_of(method, "method", ("normal", "exact"))
    one_of(adjust, "adjust", (None, "holm", "bh"))
    f = np.atleast_1d(np.asarray(values, dtype=np.float64))
    n, ones = _counts(n_test, "n_test", f.size), _counts(ones_test, "ones_test", f.size)
    if (ones > n).any():
        raise ValueError("ones_test exceeds n_test in some cluster: pass the number of test points of class 1")
    trained = np.full(f.size, -1) if n_train is None else _counts(n_train, "n_train", f.size)
    lower, upper = _limits(f, lam, limits, ties)
    order = np.lexsort((np.arange(f.size), f))  # nan, a cluster without a value, comes last
    f, n, ones, trained = f[order], n[order], ones[order], trained[order]
    both = np.column_stack([lower, upper])[order]
    statistic = _statistic(both, ones, n)
    raw = _pvalues(both, statistic, ones, n, method)
    pvalue = _adjusted(raw, adjust)
    found = (*notes, *_notes(order, f, n, both, method, limits, ties))
    return ClusterValueTest(
        statistic, pvalue, raw, n, _table(order, trained, f, n, ones, both, statistic, pvalue), method, adjust, found
    )


def _limits(f, lam, limits, ties):
    """Lower and upper limits (k,) in cluster order, nan for a cluster without a value unless given."""
    if limits is not None:
        lower, upper = (_per_cluster(v, f.size, f"limits[{s}]") for s, v in enumerate(limits))
        if not all(((v >= 0) & (v <= 1)).all() for v in (lower, upper)) or (lower > upper).any():
            raise ValueError(f"limits={limits!r} are not usable: pass 0 <= lower <= upper <= 1 for every cluster")
        return lower, upper
    known = ~np.isnan(f)
    if not known.any():
        raise ValueError("no cluster has a training value: pass training points, or values in [0, 1]")
    lower, upper = np.full(f.size, np.nan), np.full(f.size, np.nan)
    lower[known], upper[known] = comparing_distance_limits(f[known], _per_cluster(lam, f.size, "lam")[known], ties)
    return lower, upper


def _statistic(both, ones, n):
    """(3), (k, 2); 0 or infinite at a limit of 0 or 1, nan without test points."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (ones / n)[:, None]
        t = (share - both) / np.sqrt(both * (1 - both) / n[:, None])
    return np.where((share == both) & (n > 0)[:, None], 0.0, t)


def _pvalues(both, statistic, ones, n, method):
    """(4) or (5), (k, 2); (5) wherever a limit is 0 or 1."""
    from scipy.special import ndtr
    from scipy.stats import binom

    known = (n[:, None] > 0) & ~np.isnan(both)
    exact = np.column_stack([binom.sf(ones - 1, n, both[:, 0]), binom.cdf(ones, n, both[:, 1])])
    normal = np.column_stack([ndtr(-statistic[:, 0]), ndtr(statistic[:, 1])])
    degenerate = (both <= 0) | (both >= 1)
    chosen = np.where(degenerate, exact, normal) if method == "normal" else exact
    return np.where(known, chosen, np.nan)


def _adjusted(raw, adjust):
    """p-values adjusted over all that are not nan."""
    known = ~np.isnan(raw)
    if adjust is None or not known.any():
        return raw.copy()
    from statsmodels.stats.multitest import multipletests

    pvalue = raw.copy()
    pvalue[known] = multipletests(raw[known], method={"holm": "holm", "bh": "fdr_bh"}[adjust])[1]
    return pvalue


def _notes(order, f, n, both, method, limits, ties) -> list[str]:
    """What a reader must know about single clusters."""

    def named(mask) -> str:
        return ", ".join(str(c) for c in order[mask])

    notes = []
    without, empty = np.isnan(f), n == 0
    if without.any():
        notes.append(f"clusters {named(without)} have no training points and hence no value")
    if empty.any():
        notes.append(f"clusters {named(empty)} have no test points: not tested, and not counted in an adjustment")
    tied = np.concatenate([[False], f[1:] == f[:-1]]) | np.concatenate([f[1:] == f[:-1], [False]])
    if tied.any() and limits is None:
        rule = "neighbours are the next different values" if ties == "distinct" else "a limit between them is the value"
        notes.append(f"clusters {named(tied)} share values: {rule}")
    flat = ((both <= 0) | (both >= 1)).any(axis=1) & ~empty
    if flat.any():
        notes.append(f"clusters {named(flat)} have a limit of 0 or 1: its exact p-value is used")
    weak = (np.nan_to_num(n[:, None] * both * (1 - both), nan=np.inf) < NORMAL_RULE).any(axis=1) & ~empty & ~flat
    if weak.any() and method == "normal":
        notes.append(f"clusters {named(weak)} have n p (1 - p) < {NORMAL_RULE:g}: prefer method='exact'")
    return notes


def _double_dipping(labels, classes, test, test_classes, train_index, test_index) -> tuple[str, ...]:
    """Warn of test points that are training points."""
    if (train_index is None) != (test_index is None):
        raise ValueError("train_index and test_index belong together: pass both or none")
    if train_index is not None and test_index is not None:
        first, second = np.asarray(train_index), np.asarray(test_index)
        same_length(train_labels=labels, train_index=first)
        same_length(test_labels=test, test_index=second)
        shared = int(np.isin(second, first).sum())
        text = f"{shared} of {second.size} test rows are training rows"
    else:
        same = np.array_equal(labels, test) and np.array_equal(classes, test_classes)
        shared, text = int(same), "training and test rows are identical"
    if not shared:
        return ()
    note = f"double dipping: {text}; p-values are too small, use new rows or selective_mean_test"
    warnings.warn(note, DoubleDippingWarning, stacklevel=3)
    return (note,)


def _table(order, trained, f, n, ones, both, statistic, pvalue):
    import pandas as pd

    with np.errstate(invalid="ignore"):
        share = ones / n
    columns = (order, trained, f, n, share, *both.T, *statistic.T, *pvalue.T)
    return pd.DataFrame(dict(zip(COLUMNS, columns)))


def _cluster_count(n_clusters: int | None, labels, test) -> int:
    largest = max(int(labels.max()), int(test.max()) if test.size else 0)
    if n_clusters is None:
        return largest + 1
    if n_clusters <= largest:
        raise ValueError(f"n_clusters={n_clusters} but cluster {largest} occurs: pass at least {largest + 1}")
    return int(n_clusters)


def _per_cluster(values: ArrayLike, k: int, name: str) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim > 1 or (array.ndim == 1 and array.size != k) or np.isnan(array).any():
        raise ValueError(f"{name} has shape {array.shape}, expected a number or one for each of {k} clusters")
    return np.broadcast_to(array, (k,)).copy()


def _counts(values: ArrayLike, name: str, k: int) -> NDArray[np.int64]:
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if array.shape != (k,) or not np.array_equal(array, np.round(array)) or (array < 0).any():
        raise ValueError(f"{name} must hold {k} integers of at least 0, got {np.asarray(values)!r}")
    return array.astype(np.int64)
