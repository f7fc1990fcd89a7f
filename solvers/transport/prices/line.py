"""Prices of points on a line, by one scan of their order.

Points x_1 <= ... <= x_n and clusters of slopes g_1 <= ... <= g_k have the same order: with gamma_i(x) = g_i x + h_i
an optimal assignment gives the first S_1 points to the first cluster, those up to S_2 to the second, and so on. With
P(S) = x_1 + ... + x_S it is

    (1)  max   sum_{i < k} phi_i(S_i),    phi_i(S) = (h_i - h_{i+1}) S + (g_i - g_{i+1}) P(S)
    (2)  s.t.  l_i <= S_i - S_{i-1} <= u_i,    S_0 = 0,  S_k = n.

Every phi_i is concave, so is the best value F_i(S) of the first i clusters on S points, and its differences
F_i(S + 1) - F_i(S) fall with S. A choice between l_i and u_i moves them l_i places on and puts u_i - l_i zeros where
their sign changes: one pass over them for every cluster.

Prices follow from the end: mu_i - mu_{i+1} is between the values of gamma_i - gamma_{i+1} at the two points next to
the boundary, and the sign of mu_i says which bound of cluster i is tight.

Weights are cut into equal parts, and bounds that are not whole are rounded so that their sums err by less than a part.
The prices are then near the optimal ones; what is left to move is left to the flow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.deadline import clock
from ....models.polytope.polytope import scaled_bounds
from ..passes.rows import Data, OutOfTime

PARTS_PER_POINT = 8  # Equal parts per point into which weights are cut: fewer err more, more take longer.
WORK_OF_PARTS = 1 << 26  # Parts times clusters are no more than this, unless there are more points.


class Line(NamedTuple):
    """Scores gamma_i(x) = slopes_i x + offsets_i of points (n,) on a line."""

    points: NDArray[np.float64]
    slopes: NDArray[np.float64]
    offsets: NDArray[np.float64]


class _Ordered(NamedTuple):
    """Program (1), (2): points in their order, clusters in that of their slopes, and whole bounds."""

    x: NDArray[np.float64]  # (n,)
    steps: NDArray[np.float64]  # (k - 1,): Differences h_i - h_{i+1}.
    falls: NDArray[np.float64]  # (k - 1,): Differences g_i - g_{i+1}.
    lower: NDArray[np.int64]  # (k,): Lower bounds on the sizes.
    upper: NDArray[np.int64]  # (k,): Upper bounds on the sizes, at least `lower`.


def line_of(data: Data) -> Line | None:
    """The scores as functions on a line where points have one coordinate, else None."""
    rows, columns, offsets, origin = data
    if len(rows) == 0 or rows.shape[1] != 1 or len(columns) != 1:
        return None
    return Line(rows[:, 0] - origin[0], columns[0], offsets)


def line_prices(
    line: Line,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    deadline: float = np.inf,
) -> NDArray[np.float64]:
    """Prices (k,), optimal for whole bounds (k,) and points of weight one; O(n k) time, O(n) memory. `OutOfTime` where
    the deadline comes first."""
    x, order = np.sort(line.points), np.argsort(line.slopes, kind="stable")
    if weights is not None and weights.any():
        x, total = _parts(line.points, weights, order.size), float(weights.sum())
        lower, upper = scaled_bounds(lower, upper, x.size, total)
    least = _rounded(lower[order])
    most = np.maximum(_rounded(np.minimum(upper, x.size)[order]), least)
    program = _Ordered(x, -np.diff(line.offsets[order]), -np.diff(line.slopes[order]), least, most)
    prices = np.empty(order.size)
    prices[order] = _prices(program, _ends(program, deadline))
    return prices


def _parts(points: NDArray[np.float64], weights: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Points of equal weight, in their order; where all weights are whole, and small, every part weighs one."""
    n, order = points.size, np.argsort(points)
    m = max(min(PARTS_PER_POINT * n, WORK_OF_PARTS // k), n)
    upto = np.cumsum(weights[order])
    if upto[-1] < m and (weights == np.rint(weights)).all():
        m = int(upto[-1])
    return points[order][np.searchsorted(upto, (np.arange(m) + 0.5) * (upto[-1] / m))]


def _rounded(bounds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole bounds (k,) whose sums, from the first on, are the sums of these bounds rounded."""
    sums = np.rint(np.cumsum(bounds)).astype(np.int64)
    return sums - np.append(0, sums[:-1])


def _ends(program: _Ordered, deadline: float) -> NDArray[np.int64]:
    """S_0 ... S_k of (1) and (2)."""
    x, steps, falls, lower, upper = program
    n, k = x.size, lower.size
    least, best = 0, np.zeros(k + 1, dtype=np.int64)  # F_i is known from `least` points on, and largest at `best`
    gains = np.empty(0)
    for i in range(k - 1):
        if clock() > deadline:
            raise OutOfTime
        turn = best[i] - least
        gains = np.concatenate([gains[:turn], np.zeros(upper[i] - lower[i]), gains[turn:]])
        least += lower[i]
        gains = gains[: n - least]
        gains += steps[i] + falls[i] * x[least : least + gains.size]
        best[i + 1] = least + np.count_nonzero(gains > 0)
    ends = np.full(k + 1, n)
    for i in range(k, 0, -1):
        ends[i - 1] = np.clip(best[i - 1], ends[i] - upper[i - 1], ends[i] - lower[i - 1])
    return ends


def _prices(program: _Ordered, ends: NDArray[np.int64]) -> NDArray[np.float64]:
    """Prices in the order of the slopes: ranges from the first cluster on, then one of each from the last one back."""
    x, steps, falls, lower, upper = program
    sizes = np.diff(ends)
    least = np.where(sizes == lower, -np.inf, 0.0)  # a negative price needs a tight lower bound
    most = np.where(sizes == upper, np.inf, 0.0)
    beside = np.concatenate([[-np.inf], x, [np.inf]])
    with np.errstate(invalid="ignore"):  # 0 * inf, of equal slopes
        low = np.where(falls < 0, steps + falls * beside[ends[1:-1] + 1], steps)  # of mu_i - mu_{i+1}
        high = np.where(falls < 0, steps + falls * beside[ends[1:-1]], steps)
    for i in range(falls.size):
        least[i + 1] = max(least[i + 1], least[i] - high[i])
        most[i + 1] = min(most[i + 1], most[i] - low[i])
    middle = np.where(np.isinf(low), high, np.where(np.isinf(high), low, low / 2 + high / 2))
    prices = np.clip(np.zeros(sizes.size), least, most)
    for i in reversed(range(falls.size)):
        wanted, after = prices[i + 1] + middle[i], prices[i + 1]
        prices[i] = np.clip(wanted, max(least[i], after + low[i]), min(most[i], after + high[i]))
    return prices
