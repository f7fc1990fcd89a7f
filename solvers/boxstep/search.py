"""Prices from samples, then restricted programs, priced out over all pairs.

1. Prices nu come from a sample, whose own come from a smaller one; the smallest starts from prices of zero.
2. One pass finds every point's best cluster at nu, the preferred one, and the next best. The points that lose least by
   moving, for what prices charge them, may move; `master` solves the program of these moves for prices in a box around
   nu.
3. One pass at the new prices evaluates all pairs of all points. The best pair of a point that is better than its
   preferred one and its moves is taken in; where rows are broken the box grows; and the program is solved again. When
   no pair is better and no row is broken the prices prove the assignment optimal.

A box as large as what the points lose that may move keeps the prices where these moves say something (Marsten, Hogan
and Blankenship 1975, The boxstep method for large-scale optimization, Operations Research 23), and the numbers of the
program of one size. Points that are tied have one drawn among the tied clusters.

When a row stays broken in a box larger than all scores, `least_violation` says whether that has to be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.scores.shifted import TINY, UNIT
from .master import OPTIONS, Answer, Master, Moves, OutOfTime
from .problem import OpenProblem
from .sample import sample

SAMPLE = 6  # A sample has every sixth point, on average.
SMALLEST = 800  # Points of the smallest sample.
BROKEN = 1e-9  # A row is broken if it is violated by more than this fraction of its largest value.
STRAINED = 1e-12  # A violation above this fraction asks for a larger box while there is one.
NEGLIGIBLE = 1e-10  # Allowed cost of rounding rows at their prices, as a fraction of the range of the objective.
FIRST_PART = 0.1  # Fraction of all points that may move at the prices of another step.
LARGER = 4.0  # Factor by which the box grows for broken rows and for prices at its end.
AT_END = 0.999  # A price past this fraction of the radius is at the end of the box.
OUTSIDE = 1e3  # Prices beyond this many score ranges trigger a test of feasibility; its fifth power ends.
NONE = Moves(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
TIE = 1e-13  # Fraction of the largest price or score: smaller gains of pairs count as ties, smaller prices as zero.


class Search:
    """A search for optimal prices, which remembers the last ones that it had for all points."""

    def __init__(self, problem: OpenProblem, deadline: Deadline, rough: bool = False) -> None:
        self.problem, self.deadline, self.rough = problem, deadline, rough
        self.prices = np.zeros(problem.lower.size)
        self.iterations = 0
        self.best: tuple[Master, Answer] | None = None  # the last that breaks no row
        self.stuck = False  # no assignment keeps the rows
        self.error = np.zeros(problem.lower.size)  # how far the first prices may be from those at the end, times usual

    def run(self, start: NDArray[np.float64] | None = None) -> tuple[Master, Answer]:
        """An optimal assignment; one that breaks rows where it is `stuck`."""
        range_, part = _range(self.problem) or 1.0, FIRST_PART
        if start is None:
            part = self._sampled()
        else:
            self.prices = start
        master = self._first(part, range_)
        return master, self._grown(master, range_)

    def _grown(self, master: Master, range_: float) -> Answer:
        """The optimum over all pairs, from that over some."""
        outside, usual, held = OUTSIDE, self.problem.usual, None
        while True:
            answer = master.solve(self.prices, self.deadline)
            small = np.abs(answer.prices) * usual < TIE * range_
            answer = answer._replace(prices=np.where(small, 0.0, answer.prices))
            self.prices, self.iterations = answer.prices, master.iterations
            broken, strained = (np.abs(answer.broken) > part * self.problem.extent for part in (BROKEN, STRAINED))
            if not broken.any():
                self.best = master, answer
            found = improving(self.problem, master, answer.prices, range_, self.deadline)
            new = master.add(found, answer.prices)
            if new and not broken.any():
                continue
            if not broken.any() and self._loses(answer) <= NEGLIGIBLE * range_ * self.problem.attributes[:, 0].sum():
                held = held or answer
                if not strained.any():
                    return answer
            size = float((master.radius * usual).max(initial=0.0))
            if not new and size > outside * range_:
                stuck = not self.rough and self._has_to_break(master)
                if self.rough or stuck or size > OUTSIDE**5 * range_:
                    self.stuck, answer = stuck and held is None, held or answer
                    self.prices = answer.prices
                    return answer
                outside *= OUTSIDE
            at_end = np.abs(answer.prices - master.centre) >= AT_END * master.radius
            master.radius = np.where((answer.broken != 0) | at_end, LARGER * master.radius, master.radius)

    def _loses(self, answer: Answer) -> float:
        """What broken rows cost at their prices."""
        return float(np.abs(answer.prices * answer.broken).sum())

    def _first(self, part: float, range_: float) -> Master:
        """The first restricted program: moves of the points nearest to a boundary, about this part of all."""
        problem, prices = self.problem, self.prices
        preferred, moves, reach = candidates(problem, prices, part, range_)
        master = Master(problem, preferred, prices, np.maximum(reach, self.error) / problem.usual)
        master.add(moves, prices)
        return master

    def _has_to_break(self, master: Master) -> bool:
        """Whether it is proved that no assignment keeps the rows."""
        return excludes(self.problem, least_violation(self.problem, master, self.deadline)[1].prices)

    def _sampled(self) -> float:
        """Take prices from a sample; the part of all points that they leave near a boundary."""
        n, k = self.problem.shape
        if n <= SMALLEST:
            return 1.0
        m = max(n // SAMPLE, SMALLEST // 2)
        few = Search(sample(self.problem, m, np.random.RandomState(0)), self.deadline, rough=True)
        try:
            master, answer = few.run()
            lost = np.abs(answer.broken) > BROKEN * few.problem.extent  # their prices are ends of the box
            few.prices = np.where(lost, master.centre, few.prices)
            moved = (few.prices - master.centre) * self.problem.usual[: few.prices.size]
            ends = np.cumsum([size for _, size in self.problem.names])[:-1]
            alike = [np.abs(part - np.median(part)) for part in np.split(moved, ends) if part.size]
            error = np.concatenate([np.maximum(part, np.sqrt((part**2).mean())) for part in alike])
            self.error[:] = error.max()
            self.error[: error.size] = error
            self.error *= np.sqrt(m / n)
        finally:
            self.prices[: few.prices.size] = few.prices
        used = np.count_nonzero(self.problem.coefficients.any(axis=0))
        return min(1.0, float(np.sqrt(k * used / m)))


def least_violation(problem: OpenProblem, known: Master, deadline: Deadline) -> tuple[Master, Answer]:
    """The assignment that breaks the rows least in all, from the moves of another program."""
    none, prices = problem.without_scores(), np.zeros(problem.lower.size)
    master = Master.of(none, known.preferred)
    master.add(known.moves._replace(gains=np.zeros(known.moves.points.size)), prices)
    while True:
        answer = master.solve(prices, deadline)
        prices = answer.prices
        if not np.abs(answer.broken).any():
            return master, answer
        if not master.add(improving(none, master, prices, 1.0, deadline), prices):
            return master, answer


def excludes(problem: OpenProblem, prices: NDArray[np.float64]) -> bool:
    """Whether prices prove that no assignment keeps the rows, each wider by what HiGHS takes for nothing (Farkas): what
    the points pay at least is more than the bounds are worth at most, and the difference is beyond all rounding."""
    prices, none = problem.proper(prices), problem.without_scores()
    block = none.at(prices)
    paid = -sum(float(block(start, stop).max(axis=1).sum()) for start, stop in problem.blocks())
    priced = prices != 0.0
    bounds = np.where(prices > 0, problem.upper, problem.lower)[priced]
    rounding = 2.0 * (problem.shape[0] + prices.size) * UNIT * (problem.extent[priced] + np.abs(bounds))
    room = np.abs(prices[priced]) @ (OPTIONS["primal_feasibility_tolerance"] + rounding)
    return paid - float(prices[priced] @ bounds) > float(room)


def worst(problem: OpenProblem, answer: Answer) -> float:
    """By how much the rows are broken, the worst one, as a part of what it can reach."""
    return float((np.abs(answer.broken) / np.maximum(problem.extent, TINY)).max(initial=0.0))


def rounding(problem: OpenProblem, answer: Answer) -> float:
    """The part of what a row can reach that is rounding compared with the rows that an answer breaks."""
    return min(BROKEN, 1e-3 * worst(problem, answer))


def candidates(
    problem: OpenProblem, prices: NDArray[np.float64], part: float, range_: float
) -> tuple[NDArray[np.int64], Moves, float]:
    """Preferred clusters (n,), moves with their reduced profits, the largest loss for what prices charge a point."""
    n, block = problem.shape[0], problem.at(prices)
    tie = TIE * (np.abs(prices).max(initial=0.0) + range_)
    random, profits = np.random.RandomState(0), np.empty(n)
    preferred, others = np.empty(n, np.int64), np.empty(n, np.int64)
    every = [NONE]
    for start, stop in problem.blocks():
        net = block(start, stop)
        best, second = _two_best(net, tie, random)
        profit = net - net[np.arange(stop - start), best][:, None]
        preferred[start:stop], others[start:stop] = best, second
        profits[start:stop] = np.where(best == second, -np.inf, profit[np.arange(stop - start), second])
        if part >= 1.0:
            rows, clusters = np.nonzero(np.isfinite(profit))
            every.append(Moves(rows + start, clusters, profit[rows, clusters]))
    if part >= 1.0:
        return preferred, Moves(*map(np.concatenate, zip(*every))), range_
    count = min(max(int(part * n), 1), n)
    far = np.maximum(-profits, 0.0) / problem.reactions
    near = np.argpartition(far + tie * random.random_sample(n), count - 1)[:count]
    near = near[np.isfinite(far[near])]
    return preferred, Moves(near, others[near], profits[near]), float(far[near].max(initial=1e-6 * range_))


def _two_best(net: NDArray[np.float64], tie: float, random: np.random.RandomState) -> tuple[NDArray, NDArray]:
    """Best and next best clusters (m,) of points; drawn among several that are the best up to ``tie``."""
    at = np.arange(len(net))
    best = net.argmax(axis=1)
    top = net[at, best]
    net[at, best] = -np.inf
    second = net.argmax(axis=1)
    tied = np.flatnonzero(net[at, second] >= top - tie)
    net[at, best] = top
    if tied.size:
        drawn = random.random_sample((tied.size, net.shape[1])) * (net[tied] >= top[tied, None] - tie)
        best[tied], second[tied] = np.argsort(-drawn, axis=1)[:, :2].T
    return best, np.where(np.isfinite(net[at, second]), second, best)


def improving(
    problem: OpenProblem, master: Master, prices: NDArray[np.float64], range_: float, deadline: Deadline
) -> Moves:
    """The best cluster of every point for which it is better than the preferred one and all moves."""
    found, block = [NONE], problem.at(prices)
    tie = TIE * (np.abs(prices).max(initial=0.0) + range_)
    known = np.zeros(problem.shape[0])
    np.maximum.at(known, master.moves.points, master.reduced_profits(prices))
    for start, stop in problem.blocks():
        if not deadline.allows():
            raise OutOfTime
        net = block(start, stop)
        at, clusters = np.arange(stop - start), net.argmax(axis=1)
        profit = net[at, clusters] - net[at, master.preferred[start:stop]]
        better = np.flatnonzero(profit > known[start:stop] + tie)
        found.append(Moves(better + start, clusters[better], profit[better]))
    return Moves(*map(np.concatenate, zip(*found)))


def _range(problem: OpenProblem) -> float:
    """Largest range of a point's net scores at prices of zero, among a thousand points."""
    step, found, block = max(problem.shape[0] // 1000, 1), 0.0, problem.at(np.zeros(problem.lower.size))
    for start, stop in problem.blocks()[:: max(len(problem.blocks()) // 4, 1)]:
        net = block(start, stop)[::step]
        low = np.where(np.isfinite(net), net, np.inf).min(axis=1)
        found = max(found, float((net.max(axis=1) - low).max(initial=0.0)))
    return found
