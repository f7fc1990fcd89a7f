"""Exact assignment with masks and further rows: prices from samples, then restricted programs priced out over all pairs.

1. Prices nu come from a sample, whose own come from a smaller one; the smallest starts from prices of zero.
2. One pass finds every point's best cluster at nu, and as candidates the clusters that are behind it by at most a reach.
   A point with one candidate is fixed; `master` solves the program of the others and returns new prices.
3. One pass at the new prices looks at all pairs of all points. A pair that is better than all candidates of its point
   is taken in, and step 2 is repeated with them; when there is none the prices prove the assignment optimal.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ... import __version__
from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, NotOptimalError
from ...base.status import Status
from ...models.assignment import AssignmentModel
from ...models.certificate import Split
from ..backend import Backend, Capabilities
from ..backends.explicit import SHARE_ONE, SHARE_ZERO
from ..solution import AssignmentSolution
from .master import Master
from .problem import OpenProblem

SAMPLE = 6  # a sample holds one in so many points
SMALLEST = 800  # points of the smallest sample
BROKEN = 1e-9  # a row broken by more than this part of what it can reach is broken
ROUNDS = 100
FIRST_PART = 0.1  # of all points that are free at prices of another step
WIDER = 3.0  # times as many are free when they are too few to keep the rows
FACTOR = 1.0
PENALTY = 1e3


class RestrictedBackend(Backend):
    """Restricted programs over candidate pairs, for polytopes with masks and further rows.

    Notes
    -----
    Exact: ends at a vertex whose prices were compared with every pair. One pass costs O(n k (d + r)); the restricted
    programs have a few rows for every point near a wall.
    """

    name: ClassVar[str] = "restricted"
    capabilities: ClassVar[Capabilities] = Capabilities(warm_start=True, time_limit=True, further=True)

    def solve(
        self,
        model: AssignmentModel,
        *,
        warm_start: Any = None,
        time_limit: float | None = None,
    ) -> AssignmentSolution:
        """Solve a model; see `Backend.solve`. The warm start may also hold prices by name.

        Raises
        ------
        InfeasibleBoundsError
            When no assignment satisfies all rows.
        """
        started, deadline = perf_counter(), Deadline(time_limit)
        problem, polytope = OpenProblem.of(model), model.polytope
        built = perf_counter()
        prices = None
        if isinstance(warm_start, dict):
            prices = problem.flat(warm_start, polytope.row_names)
        elif warm_start is not None:
            prices = np.zeros(problem.lower.size)
            prices[: polytope.n_clusters] = warm_start * problem.scales[: polytope.n_clusters]
            prices = problem.proper(prices)
        answer = optimum(problem, prices, deadline)
        labels, splits = _labels(answer.master, answer.shares)
        named, start = {}, 0
        true_prices = answer.prices / problem.scales
        for name, size in zip(polytope.row_names, [polytope.n_clusters, *(len(rows) for rows in polytope.further)]):
            named[name], start = true_prices[start : start + size], start + size
        first = named.pop(polytope.row_names[0])
        return AssignmentSolution.of(
            model, labels, splits, first, Status.OPTIMAL, self.name, (started, built), answer.iterations,
            ("optimal", f"partitope {__version__}"), named,
        )  # fmt: skip


class Answer:
    """The last restricted program, its shares and prices."""

    def __init__(
        self, master: Master, shares: NDArray[np.float64], prices: NDArray[np.float64], broken: NDArray
    ) -> None:
        self.master, self.shares, self.prices, self.broken = master, shares, prices, broken
        self.iterations = master.iterations


def optimum(problem: OpenProblem, prices: NDArray[np.float64] | None, deadline: Deadline) -> Answer:
    """An optimal assignment, or the one that breaks the rows least where there is none within them."""
    part = FIRST_PART
    if prices is None:
        prices, part = _first_prices(problem, deadline)
    largest = _range(problem)
    first = prices
    while True:
        labels, points, clusters = candidates(problem, first, part)
        master = Master(problem, labels, penalty=PENALTY * largest)
        master.add(points, clusters)
        shares, prices, broken = master.solve(first, deadline)
        if part >= 1.0 or not np.abs(broken).max(initial=0.0) > BROKEN * problem.shape[0]:
            break
        part = min(1.0, WIDER * part)  # candidates are too few to keep the rows: prices would be penalties
    for _ in range(ROUNDS):
        points, clusters = improving(problem, master, prices, largest)
        if not points.size or not master.add(points, clusters):
            return Answer(master, shares, prices, broken)
        shares, prices, broken = master.solve(prices, deadline)
    raise NotOptimalError(f"the restricted programs did not end in {ROUNDS} rounds: please report this instance")


def _first_prices(problem: OpenProblem, deadline: Deadline) -> tuple[NDArray[np.float64], float]:
    n, k = problem.shape
    q = problem.lower.size
    if n <= SMALLEST:
        return np.zeros(q), 1.0
    m = max(n // SAMPLE, SMALLEST // 2)
    chosen = np.sort(np.random.RandomState(0).choice(n, m, replace=False))
    answer = optimum(problem.part(chosen), None, deadline)
    prices = np.zeros(q)
    prices[: answer.prices.size] = answer.prices
    return prices, FACTOR * np.sqrt(k * problem.attributes.shape[1] / m)


def _range(problem: OpenProblem) -> float:
    """Largest range of a point's net scores at prices of zero, among a thousand points."""
    n = problem.shape[0]
    found = 0.0
    step = max(n // 1000, 1)
    for start, stop in problem.blocks()[:: max(len(problem.blocks()) // 4, 1)]:
        net = problem.block(np.zeros(problem.lower.size), start, stop)[::step]
        low = np.where(np.isfinite(net), net, np.inf).min(axis=1)
        found = max(found, float((net.max(axis=1) - low).max(initial=0.0)))
    return found or 1.0


def candidates(
    problem: OpenProblem, prices: NDArray[np.float64], part: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Best clusters (n,), and the pairs of the points nearest to a wall, about this part of all points."""
    n, k = problem.shape
    labels, lead = np.empty(n, np.int64), np.empty(n)
    for start, stop in problem.blocks():
        net = problem.block(prices, start, stop)
        labels[start:stop] = net.argmax(axis=1)
        two = np.partition(net, k - 2, axis=1)[:, k - 2 :] if k > 1 else np.column_stack([net - np.inf, net])
        lead[start:stop] = two[:, 1] - two[:, 0]
    reach = np.partition(lead, min(int(part * n), n - 1))[min(int(part * n), n - 1)]
    if not np.isfinite(reach):
        reach = float(lead[np.isfinite(lead)].max(initial=0.0))
    where = [np.empty((2, 0), np.int64)]
    near = np.flatnonzero(lead <= reach)
    step = max((1 << 20) // k, 1)
    for start, stop in problem.blocks():
        a, b = np.searchsorted(near, [start, stop])
        if a == b:
            continue
        net = problem.block(prices, start, stop)[near[a:b] - start]
        rows, clusters = np.nonzero(net >= net.max(axis=1, keepdims=True) - reach)
        where.append(np.stack([near[a:b][rows], clusters]))
    points, clusters = np.concatenate(where, axis=1)
    return labels, points, clusters


def improving(
    problem: OpenProblem, master: Master, prices: NDArray[np.float64], range_: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs that are better than all candidates of their point."""
    n, k = problem.shape
    where = [np.empty((2, 0), np.int64)]
    scale = np.abs(prices).max(initial=0.0) + range_
    for start, stop in problem.blocks():
        net = problem.block(prices, start, stop)
        a, b = np.searchsorted(master.points, [start, stop])
        best = net[np.arange(len(net)), master.labels[start:stop]]
        np.maximum.at(best, master.points[a:b] - start, net[master.points[a:b] - start, master.clusters[a:b]])
        rows, clusters = np.nonzero(net > (best + 1e-13 * scale)[:, None])
        where.append(np.stack([rows + start, clusters]))
    points, clusters = np.concatenate(where, axis=1)
    return points, clusters


def _labels(master: Master, shares: NDArray[np.float64]) -> tuple[NDArray[np.int64], tuple[Split, ...]]:
    labels = master.labels.copy()
    split = np.unique(master.points[(shares > SHARE_ZERO) & (shares < 1.0 - SHARE_ONE)])
    splits: list[Split] = []
    for point in split.tolist():
        a, b = np.searchsorted(master.points, [point, point + 1])
        part = np.where(shares[a:b] > SHARE_ZERO, shares[a:b], 0.0)
        part = part / part.sum()
        if part.max() >= 1.0 - SHARE_ONE:
            continue
        splits += [(point, int(i), float(s)) for i, s in zip(master.clusters[a:b], part) if s > 0]
    return labels, tuple(splits)
