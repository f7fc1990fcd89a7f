"""Planning of the cluster value test: how many test points a cluster needs, and what level and power come out.

With x ~ Bin(n, p) of n test points in class 1, the test against a limit L rejects H0: p <= L if and only if x >= c,
and that against U rejects H0: p >= U if and only if x <= d, where c = c(n, L) and d = d(n, U) are

    (1)  exact      c = min { x : P(Bin(n, L) >= x) <= alpha },      d = max { x : P(Bin(n, U) <= x) <= alpha }
    (2)  normal     c = least x with x >= n L + z sqrt(n L (1 - L)),  d = n - c(n, 1 - U),  z = z_(1 - alpha)
    (3)  power      P(Bin(n, p) >= c),   P(Bin(n, p) <= d),   both: P(c <= Bin(n, p) <= d)

At p = L or p = U, (3) is the level. As n grows power rises in the shape of a saw, so the number needed is the n from
which on it stays above its aim. At limits of 0 and 1 the exact version is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.arrays import Reals
from ...base.checks import as_floats, in_interval, one_of, whole_number
from ...base.errors import InvalidInputError
from ...base.one_line import OneLine
from .limits import limits_of, per_cluster
from .steps import Method

if TYPE_CHECKING:
    import pandas as pd

SIDES = ("lower", "upper", "both")


@dataclass(frozen=True, eq=False, repr=False)
class PowerAnalysis(OneLine):
    """Outcome of `power_analysis`, clusters in the order of their training values.

    Attributes
    ----------
    n : (k, 3) ndarray
        Test points needed to reject the lower, the upper and both hypotheses; inf where no number suffices.
    table : pandas.DataFrame
        One row per cluster with the columns cluster, value, p, lower_limit, upper_limit, n_lower, n_upper, n_both and,
        when ``n_test`` was given, n_test, power_lower, power_upper, power_both.
    power, alpha : float
        The power aimed at, and the level of each test.
    method : str
        "normal" or "exact".
    notes : tuple of str
        Clusters whose hypotheses cannot be rejected, or not within ``max_n`` points.
    """

    n: NDArray[np.float64]
    table: pd.DataFrame = field(repr=False)
    power: float
    alpha: float
    method: Method
    notes: tuple[str, ...] = ()


def power_analysis(
    values: ArrayLike,
    lam: ArrayLike = 0.75,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    method: Method = "exact",
    p: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    limits: tuple[ArrayLike, ArrayLike] | None = None,
    max_n: int = 1_000_000,
) -> PowerAnalysis:
    """How many test points a cluster needs for its value to be confirmed.

    Parameters
    ----------
    values : (k,) array_like
        Training values in [0, 1], in cluster order.
    lam : float or (k,) array_like
        Comparing distance, as in `cluster_value_test`.
    power : float
        Probability of a rejection that is aimed at, in (0, 1).
    alpha : float
        Level of each single test. For Holm's adjustment of 2k tests alpha / (2k) is enough for all of them.
    method : {"normal", "exact"}
        Version of the test.
    p : float or (k,) array_like, optional
        True probabilities of class 1; by default the training values.
    n_test : int or (k,) array_like of int, optional
        Test points at hand: their power is added to the table.
    limits
        As in `cluster_value_test`.
    max_n : int
        Largest number that is looked at.

    Returns
    -------
    PowerAnalysis

    Raises
    ------
    InvalidInputError
        When values, probabilities or an option are not usable.

    Notes
    -----
    Exact sums of binomial probabilities for both versions; the only approximation of the normal version is its
    critical value. O(n) tail probabilities for a number of n.

    Examples
    --------
    >>> from partitope.stats import power_analysis
    >>> power_analysis([0.1, 0.5, 0.9]).table[["cluster", "n_lower", "n_upper", "n_both"]]
       cluster  n_lower  n_upper  n_both
    0        0    839.0     94.0   839.0
    1        1    164.0    164.0   227.0
    2        2     94.0    839.0   839.0
    """
    one_of(method, "method", ("normal", "exact"))
    in_interval(power, "power", 0.0, 1.0)
    in_interval(alpha, "alpha", 0.0, 1.0)
    whole_number(max_n, "max_n")
    f = np.atleast_1d(as_floats(values, "values"))
    if f.ndim != 1 or not f.size or not ((f >= 0) & (f <= 1)).all():
        raise InvalidInputError(f"values must be a vector of numbers in [0, 1], got {f}")
    # the training value is confirmed unless the true one is given
    true = f.copy() if p is None else per_cluster(p, f.size, "p")
    if not ((true >= 0) & (true <= 1)).all():
        raise InvalidInputError(f"p={p!r} is not usable: pass probabilities in [0, 1]")
    # the table is in the order of the values, as that of the test
    order = np.lexsort((np.arange(f.size), f))
    lower, upper = (limit[order] for limit in limits_of(f, lam, limits))
    f, true = f[order], true[order]
    rows = list(zip(lower, upper, true))
    needed = np.array([[_needed(side, *row, power, alpha, method, max_n) for side in SIDES] for row in rows])
    columns = {"cluster": order, "value": f, "p": true, "lower_limit": lower, "upper_limit": upper}
    columns |= {f"n_{side}": column for side, column in zip(SIDES, needed.T)}
    # points at hand are a question of their own: what can they tell?
    if n_test is not None:
        sizes = per_cluster(n_test, f.size, "n_test")[order]
        if not ((sizes >= 0) & (sizes < np.inf) & (sizes == np.round(sizes))).all():
            raise InvalidInputError(f"n_test={n_test!r} is not usable: pass numbers of test points of at least 0")
        columns["n_test"] = sizes.astype(np.int64)
        for side in SIDES:
            columns[f"power_{side}"] = rejection_rate(side, sizes.astype(np.int64), lower, upper, true, alpha, method)
    import pandas as pd

    return PowerAnalysis(
        needed, pd.DataFrame(columns), float(power), float(alpha), method, _notes(order, needed, lower, upper, true)
    )


def critical_values(
    n: ArrayLike, limit: ArrayLike, alpha: float, method: Method, side: str = "lower"
) -> NDArray[np.int64]:
    """c of (1) or (2) for "lower", the least count that rejects; d for "upper", the largest. Arrays broadcast."""
    from scipy.special import ndtri
    from scipy.stats import binom

    sizes, limits = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(limit, dtype=np.float64))
    if side == "upper":
        return (sizes - critical_values(sizes, 1.0 - limits, alpha, method)).astype(np.int64)
    c = binom.isf(alpha, sizes, limits) + 1.0  # isf: least x with P(X > x) <= alpha
    if method == "normal":
        bar = sizes * limits - ndtri(alpha) * np.sqrt(sizes * limits * (1.0 - limits))
        c = np.where((limits <= 0) | (limits >= 1), c, np.ceil(bar - 1e-9 * np.maximum(bar, 1.0)))
    return np.clip(c, 0.0, sizes + 1.0).astype(np.int64)


def rejection_rate(
    side: str, n: ArrayLike, lower: ArrayLike, upper: ArrayLike, p: ArrayLike, alpha: float, method: Method
) -> NDArray[np.float64]:
    """(3) for a side of "lower", "upper" or "both"; arrays broadcast. Without test points nothing is rejected."""
    from scipy.stats import binom

    sizes = np.asarray(n, dtype=np.int64)
    c = np.zeros_like(sizes) if side == "upper" else critical_values(sizes, lower, alpha, method)
    d = sizes if side == "lower" else critical_values(sizes, upper, alpha, method, "upper")
    low = binom.cdf(c - 1, sizes, p) if side == "both" else 0.0
    rate = binom.sf(c - 1, sizes, p) if side == "lower" else np.maximum(binom.cdf(d, sizes, p) - low, 0.0)
    return np.where(sizes > 0, rate, 0.0)


def _needed(
    side: str, low: float, up: float, p: float, power: float, alpha: float, method: Method, max_n: int
) -> float:
    """Smallest n from which on (3) is at least ``power``; inf if ``max_n`` is not enough."""
    if (side != "upper" and p <= low) or (side != "lower" and p >= up):
        return float("inf")
    last, first, end = 0, 1, 64  # blocks of twice as many points as all before, until the last half has enough power
    while first <= max_n:
        n = np.arange(first, min(end, max_n) + 1)
        short = np.flatnonzero(rejection_rate(side, n, low, up, p, alpha, method) < power)
        last = int(n[short[-1]]) if short.size else last
        if 2 * last < end:
            break
        first, end = end + 1, 2 * end
    return float(last + 1) if last < max_n else float("inf")


def _notes(order: NDArray[np.intp], needed: Reals, lower: Reals, upper: Reals, p: Reals) -> tuple[str, ...]:
    notes = []
    for s, (side, hopeless) in enumerate((("lower", p <= lower), ("upper", p >= upper))):
        why = f"p is not beyond the {side} limit, no number of points suffices"
        late = f"the {side} limit needs more than max_n points"
        for which, text in ((hopeless, why), (np.isinf(needed[:, s]) & ~hopeless, late)):
            if which.any():
                notes.append(f"clusters {', '.join(map(str, order[which]))}: {text}")
    return tuple(notes)
