"""Prices from samples, then restricted programs, priced out over all pairs.

1. Prices nu come from a sample, whose own come from a smaller one; the smallest starts from prices of zero.
2. One pass finds every point's best cluster at nu, and as candidates the clusters behind it by at most a reach.
   A point with one candidate is fixed; `master` solves the program of the others and returns new prices.
3. One pass at the new prices looks at all pairs of all points. A pair that is better than all candidates of its point
   is taken in, and the program is solved again; when there is none the prices prove the assignment optimal.

The restricted programs may break rows at a penalty, so that every one of them has a solution. Where the last one breaks
a row, `least_violation` says whether that has to be; if not, the penalty was too small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from .master import Master, OutOfTime
from .problem import OpenProblem

SAMPLE = 6  # a sample holds one in so many points
SMALLEST = 800  # points of the smallest sample
BROKEN = 1e-9  # a row broken by more than this part of what it can reach is broken
FIRST_PART = 0.1  # of all points that are free at prices of another step
WIDER = 3.0  # times as many are free when they are too few to keep the rows
PENALTY = 1e3  # for a broken row, in ranges of a point's scores
DEARER = 1e3  # times the penalty when it was too small
MOST_PENALTY = 1e15
TIE = 1e-13  # of the largest price or score: pairs that are better by less are no better


class Answer(NamedTuple):
    """The last restricted program, its shares (p,), prices (q,), and by how much each row (q,) is broken."""

    master: Master
    shares: NDArray[np.float64]
    prices: NDArray[np.float64]
    broken: NDArray[np.float64]


class Search:
    """A search for optimal prices, which remembers the last ones that it had for all points.

    Parameters
    ----------
    problem : OpenProblem
        What is to be solved.
    deadline : Deadline
        When to stop, by `OutOfTime`.
    rough : bool
        Whether broken rows are left so, as is good enough for a sample.
    """

    def __init__(self, problem: OpenProblem, deadline: Deadline, rough: bool = False) -> None:
        self.problem, self.deadline, self.rough = problem, deadline, rough
        self.prices = np.zeros(problem.lower.size)
        self.iterations = 0

    def run(self, start: NDArray[np.float64] | None = None) -> Answer:
        """An optimal assignment; one that breaks rows where the penalty does not prevent it."""
        part = FIRST_PART
        if start is None:
            part = self._sampled()
        else:
            self.prices = start
        largest = _range(self.problem)
        answer = self._first(part, largest)
        while True:
            answer = self._priced_out(answer, largest)
            done = self.rough or not is_broken(self.problem, answer.broken)
            if done or answer.master.penalty >= MOST_PENALTY * largest:
                return answer
            answer.master.penalty *= DEARER
            if self._has_to_break(answer):
                return answer
            answer = Answer(answer.master, *answer.master.solve(self.prices, self.deadline))

    def _first(self, part: float, largest: float) -> Answer:
        """The first restricted program whose candidates are enough to keep the rows, or that of all pairs."""
        first = self.prices
        while True:
            labels, points, clusters = candidates(self.problem, first, part)
            master = Master(self.problem, labels, penalty=PENALTY * largest)
            master.add(points, clusters)
            answer = Answer(master, *master.solve(first, self.deadline))
            if part >= 1.0 or not is_broken(self.problem, answer.broken):
                return answer
            part = min(1.0, WIDER * part)  # candidates are too few to keep the rows: prices would be penalties

    def _priced_out(self, answer: Answer, largest: float) -> Answer:
        """The optimum over all pairs, from that over some."""
        while True:
            master, self.prices = answer.master, answer.prices
            self.iterations = master.iterations
            points, clusters = improving(self.problem, master, answer.prices, largest, self.deadline)
            if not points.size or not master.add(points, clusters):
                return answer
            answer = Answer(master, *master.solve(answer.prices, self.deadline))

    def _has_to_break(self, answer: Answer) -> bool:
        least = least_violation(self.problem, answer.master, self.deadline)
        return is_broken(self.problem, least.broken)

    def _sampled(self) -> float:
        """Take prices from a sample; the part of all points that they leave near a wall."""
        n, k = self.problem.shape
        if n <= SMALLEST:
            return 1.0
        m = max(n // SAMPLE, SMALLEST // 2)
        chosen = np.sort(np.random.RandomState(0).choice(n, m, replace=False))
        sample = Search(self.problem.part(chosen), self.deadline, rough=True)
        try:
            answer = sample.run()
            if is_broken(sample.problem, answer.broken):  # prices of broken rows are penalties
                dear = np.abs(sample.prices) >= 0.5 * answer.master.penalty
                sample.prices = np.where(dear, 0.0, sample.prices)
        finally:
            self.prices[: sample.prices.size] = sample.prices
        return min(1.0, float(np.sqrt(k * self.problem.attributes.shape[1] / m)))


def least_violation(problem: OpenProblem, known: Master, deadline: Deadline) -> Answer:
    """The assignment that breaks the rows least in all, from the pairs of another program.

    Its prices are those of a program without scores: where they are not zero the rows are in conflict.
    """
    master = Master(problem.without_scores(), known.labels.copy(), penalty=1.0)
    master.add(known.points, known.clusters)
    answer = Answer(master, *master.solve(np.zeros(problem.lower.size), deadline))
    while np.abs(answer.broken).any():
        points, clusters = improving(master.problem, master, answer.prices, 1e3, deadline)
        if not points.size or not master.add(points, clusters):
            break
        answer = Answer(master, *master.solve(answer.prices, deadline))
    return answer


def is_broken(problem: OpenProblem, broken: NDArray[np.float64]) -> bool:
    """Whether a row is broken by more than rounding."""
    return bool((np.abs(broken) > BROKEN * problem.extent).any())


def candidates(
    problem: OpenProblem, prices: NDArray[np.float64], part: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Best clusters (n,), and the pairs of the points nearest to a wall, about this part of all points.

    Heavy points, whose leads are large because every price counts for them so often, come with all their pairs.
    """
    (n, k), block = problem.shape, problem.at(prices)
    labels, lead = np.empty(n, np.int64), np.empty(n)
    for start, stop in problem.blocks():
        net = block(start, stop)
        labels[start:stop] = net.argmax(axis=1)
        two = np.partition(net, k - 2, axis=1)[:, k - 2 :] if k > 1 else np.column_stack([net - np.inf, net])
        lead[start:stop] = two[:, 1] - two[:, 0]
    reach = np.partition(lead, min(int(part * n), n - 1))[min(int(part * n), n - 1)]
    if not np.isfinite(reach):
        reach = float(lead[np.isfinite(lead)].max(initial=0.0))
    where = [np.empty((2, 0), np.int64)]
    near = np.flatnonzero((lead <= reach) | problem.heavy)
    for start, stop in problem.blocks():
        a, b = np.searchsorted(near, [start, stop])
        if a == b:
            continue
        net = block(start, stop)[near[a:b] - start]
        close = net >= net.max(axis=1, keepdims=True) - reach
        close |= np.isfinite(net) & problem.heavy[near[a:b], None]
        rows, clusters = np.nonzero(close)
        where.append(np.stack([near[a:b][rows], clusters]))
    points, clusters = np.concatenate(where, axis=1)
    return labels, points, clusters


def improving(
    problem: OpenProblem, master: Master, prices: NDArray[np.float64], largest: float, deadline: Deadline
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs that are better than all candidates of their point."""
    where, block = [np.empty((2, 0), np.int64)], problem.at(prices)
    scale = np.abs(prices).max(initial=0.0) + largest
    for start, stop in problem.blocks():
        if not deadline.allows():
            raise OutOfTime
        net = block(start, stop)
        a, b = np.searchsorted(master.points, [start, stop])
        best = net[np.arange(len(net)), master.labels[start:stop]]
        np.maximum.at(best, master.points[a:b] - start, net[master.points[a:b] - start, master.clusters[a:b]])
        rows, clusters = np.nonzero(net > (best + TIE * scale)[:, None])
        where.append(np.stack([rows + start, clusters]))
    points, clusters = np.concatenate(where, axis=1)
    return points, clusters


def _range(problem: OpenProblem) -> float:
    """Largest range of a point's net scores at prices of zero, among a thousand points."""
    step, found, block = max(problem.shape[0] // 1000, 1), 0.0, problem.at(np.zeros(problem.lower.size))
    for start, stop in problem.blocks()[:: max(len(problem.blocks()) // 4, 1)]:
        net = block(start, stop)[::step]
        low = np.where(np.isfinite(net), net, np.inf).min(axis=1)
        found = max(found, float((net.max(axis=1) - low).max(initial=0.0)))
    return found or 1.0
