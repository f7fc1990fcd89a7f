"""Branch and bound on boxes of cluster sums: norm maximisation with a certified gap, also in many dimensions.

    maximise sum_i |s_i| over the partition polytope, s_i the sum of cluster i

A box holds the clusterings whose sums satisfy p_ic <= s_ic <= q_ic, in the principal axes c of the points. A root is
below its tangents, a square below its secant: for any t_i > 0

    (1)  |s_i|  <=  ( |s_i|^2 + t_i^2 ) / (2 t_i)
    (2)  |s_i|^2  <=  sum_c ( (p_ic + q_ic) s_ic - p_ic q_ic )  +  r_i

so that a linear program over the polytope bounds a box; its tangents follow its solution. The error of (2) is at most
(q_ic - p_ic)^2 / 4, that of |s_i| at most (q_ic - p_ic)^2 / (8 |s_i|): an axis in which no sum reaches far costs next
to nothing and is never cut. Axes in which all of this stays below a part of the gap need no columns: r_i is the sum of
their largest squares. A box is cut at the s_ic of the solution where (2) errs most. It is narrowed by

    (3)  sum_i s_i = sum of all points      (4)  s_i1 <= s_h1 for i < h of equal bounds, which are interchangeable

Safe bound. For ANY t > 0, slopes a_i, prices of the sizes and multipliers theta >= 0 of (4),

    (5)  sum_i |s_i|  <=  sum_i (t_i + (r_i - p_i.q_i) / t_i) / 2
                          +  sum_ic  max of ((p_ic + q_ic) / (2 t_i) - a_ic + theta_ic) s_ic  over p_ic <= s_ic <= q_ic
                          +  max of sum_i a_i . s_i  over the polytope

where theta_i1 is the multiplier of the row (4) that bounds s_i1 from below less that of the row that bounds it from
above; the last maximum is bounded by weak duality at the prices. The duals of the program only suggest all of these
numbers. A bound on the rounding of the sum is added, and one on that of the change of axes.

Elongated tables close (iris with four columns to 1e-4 in seconds); where all axes reach equally far, the number of
boxes is exponential in k d, and the bound by squares (`sum_of_norms`) is better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...models.objectives.interval import ROUNDOFF, power_of_two, reach
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.program import Program
from ..linear_program import small_simplex
from .norm_search import NormSearch, dual_value

ROUNDS = 3  # Solutions of a program; each adds tangents at the optimum of the last.


@dataclass(frozen=True, eq=False)
class _Axes:
    """Points in principal axes, in units of their root mean square, with what a sum of norms can differ by."""

    means: NDArray[np.float64]  # (b, e): Means of the axes that have columns.
    low: NDArray[np.float64]  # (k, e): The first box.
    high: NDArray[np.float64]  # (k, e)
    rest: NDArray[np.float64]  # (k,): r_i
    total: NDArray[np.float64]  # (e,)
    loose: NDArray[np.float64]  # (e,): Bounds on the rounding error of sums of all points.
    unit: float
    stretch: float
    lost: float

    def of_points(self, value: float) -> float:
        """A bound on the sum of norms of the points as they came."""
        return (self.stretch * value * self.unit + self.lost) * (1.0 + 8.0 * ROUNDOFF)

    @classmethod
    def of(cls, X: NDArray[np.float64], polytope: PartitionPolytope, value: float, gap: float) -> _Axes:
        """The axes of points (b, d), of which those that cannot matter have no columns."""
        w, k = polytope.point_weights, polytope.n_clusters
        heavy = w[:, None] * X
        power = power_of_two(heavy)
        unit = power * (float(np.sqrt(((heavy / power) ** 2).sum() / len(X))) or 1.0)
        turn = np.linalg.svd(heavy / unit, full_matrices=False)[2].T
        P = X / unit @ turn
        size, (b, d) = reach(heavy), X.shape
        # |s| <= |V| |V's| + |s - VV's|
        lost = float(np.linalg.norm(w[:, None] * (X - unit * P @ turn.T), axis=1).sum())
        lost += 8.0 * (d + 4) ** 1.5 * ROUNDOFF * size
        stretch = 1.0 + float(np.linalg.norm(turn.T @ turn - np.eye(turn.shape[1]))) + 4.0 * d * d * ROUNDOFF
        loose = 4.0 * (b + k + 8) * ROUNDOFF * (w @ np.abs(P))
        slack = 2.0 * polytope.slack
        low, high = np.empty((k, P.shape[1])), np.empty((k, P.shape[1]))
        for c, column in enumerate(P.T):
            for sign, end in ((1.0, high), (-1.0, low)):
                order = np.argsort(-sign * column)
                mass = np.append(0.0, np.cumsum(w[order]))
                sums = np.append(0.0, np.cumsum(w[order] * column[order]))
                for i in range(k):  # the largest sum of between l and u, points being split
                    ends = np.clip(mass, polytope.lower[i] - slack, min(polytope.upper[i] + slack, mass[-1]))
                    end[i, c] = sign * ((sign * np.interp(ends, mass, sums)).max() + loose[c])
        far = np.maximum(low**2, high**2) * (1.0 + 4.0 * ROUNDOFF)
        # most by which |s_i| grows over all axes without columns, at the norm of a usual cluster
        tails = np.append(far.sum(axis=0)[::-1].cumsum()[::-1], 0.0) * k * unit / (2.0 * value)
        e = max(int(np.argmax(tails <= 0.1 * gap * value / unit)) if gap > 0 else P.shape[1], 1)
        return cls(
            P[:, :e], low[:, :e], high[:, :e], far[:, e:].sum(axis=1), w @ P[:, :e], loose[:e], unit, stretch, lost
        )


class _BoxProgram:
    """The linear program of a box in a HiGHS of its own, and the bound (5) from its duals."""

    def __init__(
        self,
        axes: _Axes,
        polytope: PartitionPolytope,
        conflicts: NDArray[np.int64],
        twin: NDArray[np.int64],
        least: float,
    ):
        import highspy

        self.axes, self.polytope, self.conflicts, self.twin = axes, polytope, conflicts, twin
        w, ((b, e), k) = polytope.point_weights, (axes.means.shape, polytope.n_clusters)
        self.shape = b, k, e
        self.s, self.q, self.y = b * k, b * k + k * e, b * k + k * e + k
        heavy, mass = w[:, None] * axes.means, w.mean()
        each, pairs = sp.identity(k, format="csr"), np.flatnonzero(twin >= 0)
        plus_minus = np.column_stack([twin[pairs], pairs]).ravel() * e
        order = np.tile([1.0, -1.0], len(pairs)), (np.repeat(np.arange(len(pairs)), 2), plus_minus)
        blocks = [
            [sp.kron(sp.identity(b), np.ones((1, k))), None, None, None],
            [sp.kron(w / mass, each), None, None, None],
            [sp.vstack([sp.kron(-heavy.T, each[[i]]) for i in range(k)]), sp.identity(k * e), None, None],
            [None, sp.csr_array(order, shape=(len(pairs), k * e)), None, None],
            [None, sp.kron(each, -np.ones((1, e))), each, None],
            *[[None, None, -each, each]] * ROUNDS,
        ]
        matrix = sp.csc_array(sp.block_array([row for row in blocks if row[1] is None or row[1].shape[0]]))
        slack, others = 2.0 * polytope.slack, len(pairs) + k + ROUNDS * k
        low = [np.ones(b), (polytope.lower - slack) / mass, np.zeros(k * e), np.full(others, -np.inf)]
        up = [np.ones(b), (polytope.upper + slack) / mass, np.zeros(k * e), np.zeros(others)]
        self.mass, self.row = mass, np.cumsum([b, k, k * e, len(pairs), k])
        count = matrix.shape[1]
        cost = np.zeros(count)
        cost[self.y :] = 1.0
        lower, upper = np.zeros(count), np.ones(count)
        lower[self.s : self.q], upper[self.s :] = -np.inf, np.inf
        program = Program(cost, matrix, np.concatenate(low), np.concatenate(up), lower, upper, maximise=True)
        self.highs, self.optimal = small_simplex(program, threads=1), highspy.HighsModelStatus.kOptimal
        self.infeasible = highspy.HighsModelStatus.kInfeasible
        self.low, self.high = np.full((2, k, e), np.nan)
        self.tangents, self.least = np.ones((ROUNDS, k)), least

    def _load(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        """Write a box into the program: (2), and the largest |s_i|."""
        highs, e = self.highs, self.shape[2]
        moved = (low != self.low) | (high != self.high)
        for i in np.flatnonzero(moved.any(axis=1)):
            for c in np.flatnonzero(moved[i]):
                highs.changeColBounds(int(self.s + i * e + c), float(low[i, c]), float(high[i, c]))
                highs.changeCoeff(int(self.row[3] + i), int(self.s + i * e + c), -float(low[i, c] + high[i, c]))
            highs.changeRowBounds(int(self.row[3] + i), -np.inf, float(self.axes.rest[i] - low[i] @ high[i]))
            far = float(np.maximum(low[i] ** 2, high[i] ** 2).sum() + self.axes.rest[i])
            highs.changeColBounds(int(self.y + i), 0.0, np.sqrt(far))
        self.low, self.high = low, high

    def _touch(self, number: int, t: NDArray[np.float64]) -> None:
        """Tangents (k,) of the roots at t."""
        self.tangents[number], k = t, self.shape[1]
        for i, at in enumerate(t.tolist()):
            row = int(self.row[4] + number * k + i)
            self.highs.changeRowBounds(row, -np.inf, at * at)
            self.highs.changeCoeff(row, int(self.y + i), 2.0 * at)

    def bound(self, box: _Box, closed: float) -> tuple[float, _Place | None]:
        """The bound of a box, infinite where HiGHS fails, and where its program has its optimum."""
        (b, k, e), highs, value, t = self.shape, self.highs, np.inf, box.tangents
        self._load(box.low, box.high)
        for number in range(ROUNDS):
            self._touch(number, t)
        for number in range(ROUNDS):
            highs.run()
            if highs.getModelStatus() == self.infeasible:
                # multipliers that prove it make (5) negative where the objective is zero
                _, exists, ray = highs.getDualRay()
                proved = exists and min(self._dual_bound(sign * np.array(ray), box, 0.0) for sign in (1, -1)) < 0
                return (-np.inf if proved else value), None
            if highs.getModelStatus() != self.optimal:
                return value, None
            solution = highs.getSolution()
            x, dual = np.array(solution.col_value), np.array(solution.row_dual)
            value = min(value, self._dual_bound(dual, box, 1.0))
            t, y = np.maximum(np.sqrt(np.maximum(x[self.q : self.y], 0.0)), self.least), x[self.y :]
            if value <= closed or (y - t).sum() < 0.02 * (value - closed) or number + 1 == ROUNDS:
                break
            self._touch(number + 1, t)
        return value, _Place(x[self.s : self.q].reshape(k, e), t, x[: self.s].reshape(b, k))

    def _dual_bound(self, dual: NDArray[np.float64], box: _Box, objective: float) -> float:
        """(5) at row duals in HiGHS's signs; of an objective of zeros, with negative values where a box is empty."""
        (_, k, e), axes = self.shape, self.axes
        points, sizes, sums, orders, _ = self.row
        steep = np.maximum(dual[self.row[4] :].reshape(ROUNDS, k), 0.0)
        # of several tangents one in their middle is at least as good
        t = np.where(steep.sum(axis=0) > 0, (steep * self.tangents).sum(axis=0), self.tangents[0])
        t = np.maximum(t / np.where(steep.sum(axis=0) > 0, steep.sum(axis=0), 1.0), self.least)
        slopes, prices = dual[sizes:sums].reshape(k, e), dual[points:sizes] / self.mass
        share = objective / (2.0 * t)
        line = (box.low + box.high) * share[:, None] - slopes
        large = (np.abs(box.low) + np.abs(box.high)) * share[:, None] + np.abs(slopes)
        for i, theta in zip(np.flatnonzero(self.twin >= 0), np.maximum(dual[sums:orders], 0.0)):
            line[[i, self.twin[i]], 0] += theta, -theta
            large[[i, self.twin[i]], 0] += theta
        value = np.maximum(line * box.low, line * box.high).sum() + share @ (
            t * t + axes.rest - (box.low * box.high).sum(axis=1)
        )
        far = np.maximum(np.abs(box.low), np.abs(box.high))
        terms = (large * far).sum() + share @ (t * t + axes.rest + (far * far).sum(axis=1))
        value += (k * e + 20) * ROUNDOFF * terms
        return float(value) + dual_value(axes.means, slopes, prices, self.polytope, self.conflicts)


@dataclass(frozen=True, eq=False)
class _Box:
    """Ends (k, e) of the sums, where the roots of clusters (k,) have their tangents first, and the cluster, axis and
    place at which it is to be cut."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    tangents: NDArray[np.float64]
    cut: tuple[int, int, float] = (0, 0, 0.0)


@dataclass(frozen=True, eq=False)
class _Place:
    """An optimum of a box's program: sums (k, e), places of tangents (k,), shares (b, k)."""

    sums: NDArray[np.float64]
    tangents: NDArray[np.float64]
    shares: NDArray[np.float64]


def box_search(search: NormSearch) -> float:
    """An upper bound on the largest sum_i |s_i|, to a relative gap; improves the labels."""
    X, polytope, far = search.X, search.polytope, search.far
    if far == 0.0:
        return 0.0
    usual = max(search.value, far / len(X))  # of a best sum of norms: the start may have none
    axes = _Axes.of(X, polytope, usual, search.gap)
    kinds = list(zip(polytope.lower.tolist(), polytope.upper.tolist()))
    twin = np.array([max((h for h in range(i) if kinds[h] == kinds[i]), default=-1) for i in range(len(kinds))])
    start = np.full(len(kinds), usual / axes.unit / len(kinds))
    program = _BoxProgram(axes, polytope, search.conflicts, twin, 1e-6 * start[0])

    def bounded(box: _Box) -> tuple[float, _Box | None]:
        if not _narrow(box.low, box.high, axes, twin):
            return -np.inf, None
        bound, place = program.bound(box, (search.enough - axes.lost) / (axes.stretch * axes.unit))
        if place is not None:
            search.offer(place.shares.argmax(axis=1))
            box = replace(box, tangents=place.tangents)
        box = replace(box, cut=_cut(box, place))
        i, c, at = box.cut
        return axes.of_points(bound), box if box.low[i, c] < at < box.high[i, c] else None  # no digits are left

    def halves(box: _Box) -> Iterator[_Box]:
        i, c, at = box.cut
        for ends in (0, 1):
            low, high = box.low.copy(), box.high.copy()
            (high, low)[ends][i, c] = at
            yield _Box(low, high, box.tangents)

    return search.run([_Box(axes.low.copy(), axes.high.copy(), start)], bounded, halves)


def _narrow(low: NDArray[np.float64], high: NDArray[np.float64], axes: _Axes, twin: NDArray[np.int64]) -> bool:
    """Narrow a box by (3) and (4), in place; whether anything is left."""
    for i in np.flatnonzero(twin >= 0):
        low[i, 0] = max(low[i, 0], low[twin[i], 0])
    for i in np.flatnonzero(twin >= 0)[::-1]:
        high[twin[i], 0] = min(high[twin[i], 0], high[i, 0])
    others_low, others_high = low.sum(axis=0) - low, high.sum(axis=0) - high
    np.maximum(low, axes.total - others_high - axes.loose, out=low)
    np.minimum(high, axes.total - others_low + axes.loose, out=high)
    return bool((low <= high).all())


def _cut(box: _Box, place: _Place | None) -> tuple[int, int, float]:
    """Cluster, axis and place at which (2) errs most, in the middle of the interval; of the widest without a place."""
    width = box.high - box.low
    sums = 0.5 * (box.low + box.high) if place is None else place.sums
    error = (sums - box.low) * (box.high - sums) / box.tangents[:, None]
    i, c = np.unravel_index(int(error.argmax()), error.shape)
    within = box.low[i, c] + 0.2 * width[i, c], box.high[i, c] - 0.2 * width[i, c]
    return int(i), int(c), float(min(max(sums[i, c], within[0]), within[1]))
