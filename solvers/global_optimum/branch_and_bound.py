"""Branch and bound over single assignments: the global optimum of small instances, both objectives.

Points enter one after the other. With f the objective of the points placed so far, written as a minimisation
(LSA: sum of squares; CSA: minus the sum of norms), and tail_j the unbounded optimum of points j..n-1 alone,

    f(all points) >= f(points 0..j-1, as placed) + tail_j

because centres chosen apart for two groups of points cost no more than common ones (LSA), and by the triangle
inequality (CSA). A point of weight w counts w times: sizes are sums of weights, whole numbers without any. The tails
are found by the same search, shortest first (Koontz, Narendra and Fukunaga 1975; Brusco 2006). A branch also ends when
the lower bounds cannot be filled any more; of empty clusters with the same bounds only the first is tried.

Rounding. LSA adds up pairs, sum_{a < b in C_i} w_a w_b |x_a - x_b|^2 / m_i, with differences of the points as they were
given: only terms >= 0 are added and none is ever subtracted, what is taken back is remembered instead. Every value
therefore has a small *relative* error whatever offset or far point there is. CSA adds up cluster sums, whose error is
small against the sum of all norms. The values of tails are lowered by such an error, so that they are bounds, and
`search_error` says what the optimum can be better by than the best value.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum, nextafter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.jit import njit
from ...models.objectives.interval import ROUNDOFF, TINY, objective_interval, pairwise_squares, power_of_two, reach
from .cascade import BoundMethod, Known
from .problem import GlobalProblem

SMALL = 100  # Largest number of points for which this is tried.
TRIALS = {"csa": 20_000_000, "lsa": 2_000_000}  # Steps of the search for more than 20 points.


@dataclass(frozen=True, eq=False)
class _Task:
    """What stays the same in a search: points and pairs in the order of entry, bounds, tails, margins."""

    points: NDArray[np.float64]  # (n, d): Points times their weights, empty for LSA.
    pairs: NDArray[np.float64]  # (n, n): Squared distances times both weights, empty for CSA.
    weights: NDArray[np.float64]  # (n,)
    rest: NDArray[np.float64]  # (n + 1,): Total weight of the points from each point on.
    tail: NDArray[np.float64]
    relative: float  # Error of a value and of a bound that cut a branch: relative |value| + absolute.
    absolute: float

    def lowered(self, value: float) -> float:
        """A lower bound on the true optimum of a search that ended with this value."""
        return value - self.relative * abs(value) - self.absolute


class Instance(NamedTuple):
    """Points and pairs of a `_Task`, and bounds of the clusters."""

    points: NDArray[np.float64]
    pairs: NDArray[np.float64]
    weights: NDArray[np.float64]
    rest: NDArray[np.float64]
    tail: NDArray[np.float64]
    lower: NDArray[np.float64]  # (k,)
    upper: NDArray[np.float64]
    kind: NDArray[np.int64]  # (k,): Clusters with the same bounds have the same number.


class Clusters(NamedTuple):
    """The clusters of the points placed so far."""

    counts: NDArray[np.int64]  # (k,)
    sizes: NDArray[np.float64]
    members: NDArray[np.int64]  # (k, n)
    inside: NDArray[np.float64]  # (k,): Sums over inside pairs.
    parts: NDArray[np.float64]  # (k,): Shares of the objective.
    sums: NDArray[np.float64]  # (k, d)


class Path(NamedTuple):
    """Where a depth-first search is, so that it stops for the clock and goes on."""

    place: NDArray[np.int64]  # (2,): The point that is tried, and whether an assignment was found.
    best: NDArray[np.float64]  # (1,)
    labels: NDArray[np.int64]  # (n,)
    kept: NDArray[np.int64]  # (n,): Labels of the best value.
    sizes: NDArray[np.float64]  # (n,): Those of its cluster before the point, as the three that follow.
    inside: NDArray[np.float64]
    parts: NDArray[np.float64]
    sums: NDArray[np.float64]  # (n, d)


@njit(cache=True, borrowing=True)
def _may_enter(j, i, of, now):
    """Whether point j may enter cluster i, so that all lower bounds can still be filled by those after it."""
    if now.sizes[i] + of.weights[j] > of.upper[i]:
        return False
    if now.counts[i] == 0:  # of empty clusters with the same bounds only the first is tried
        for h in range(i):
            if now.counts[h] == 0 and of.kind[h] == of.kind[i]:
                return False
    missing = 0.0
    for h in range(of.lower.shape[0]):
        missing += max(0.0, of.lower[h] - now.sizes[h] - (of.weights[j] if h == i else 0.0))
    return missing <= of.rest[j + 1]


@njit(cache=True, borrowing=True)
def _share_with(j, i, of, now):
    """The sum over inside pairs of cluster i together with point j (LSA), and its share of the objective."""
    if of.pairs.shape[0] == 0:
        norm = 0.0
        for c in range(of.points.shape[1]):
            norm += (now.sums[i, c] + of.points[j, c]) ** 2
        return now.inside[i], -np.sqrt(norm)
    gain = 0.0
    for m in range(now.counts[i]):
        gain += of.pairs[j, now.members[i, m]]
    total = now.inside[i] + gain
    size = now.sizes[i] + of.weights[j]
    return total, total / size if size > 0.0 else 0.0


@njit(cache=True)
def _advance(of, first, trials, path, now):
    """Continue a depth-first search for at most ``trials`` steps; what is left of them, -1 when it is not complete."""
    n, k, d = of.tail.shape[0] - 1, of.lower.shape[0], of.points.shape[1]
    j = path.place[0]
    while j >= first:
        trials -= 1
        if trials < 0:
            path.place[0] = j
            return -1
        i = path.labels[j]
        if i >= 0:  # take the point back from the cluster tried last
            now.counts[i] -= 1
            now.sizes[i], now.inside[i], now.parts[i] = path.sizes[j], path.inside[j], path.parts[j]
            for c in range(d):
                now.sums[i, c] = path.sums[j, c]
        i += 1
        moved = False
        while i < k:
            if _may_enter(j, i, of, now):
                total, part = _share_with(j, i, of, now)
                # the points placed, and the least that those after them cost by themselves
                value = of.tail[j + 1]
                for h in range(k):
                    value += part if h == i else now.parts[h]
                # sums before the point are kept and not recomputed by subtraction, which would round
                if value < path.best[0]:
                    moved = True
                    path.sizes[j], path.inside[j], path.parts[j] = now.sizes[i], now.inside[i], now.parts[i]
                    now.sizes[i], now.inside[i], now.parts[i] = now.sizes[i] + of.weights[j], total, part
                    for c in range(d):
                        path.sums[j, c] = now.sums[i, c]
                        now.sums[i, c] += of.points[j, c]
                    now.members[i, now.counts[i]] = j
                    now.counts[i] += 1
                    break
            i += 1
        if not moved:
            path.labels[j] = -1
            j -= 1
            continue
        path.labels[j] = i
        if j == n - 1:
            path.best[0], path.place[1] = now.parts.sum(), 1
            path.kept[:] = path.labels
            continue  # the same point tries its next cluster
        j += 1
        path.labels[j] = -1
    path.place[0] = j
    return trials


def _search(
    task: _Task, first: int, bounds: tuple[NDArray, NDArray, NDArray], best: float, budget: int, deadline: Deadline
) -> tuple[float, NDArray[np.int64] | None, int]:
    """Best value below ``best`` of points first..n-1 within the bounds."""
    n, k, d = len(task.tail) - 1, len(bounds[0]), task.points.shape[1]
    of = Instance(task.points, task.pairs, task.weights, task.rest, task.tail, *bounds)
    now = Clusters(
        np.zeros(k, np.int64), np.zeros(k), np.zeros((k, n), np.int64), np.zeros(k), np.zeros(k), np.zeros((k, d))
    )
    path = Path(
        np.array([first, 0]), np.array([best]), np.full(n, -1), np.full(n, -1), np.zeros(n), np.zeros(n), np.zeros(n),
        np.zeros((n, d)),
    )  # fmt: skip
    left = -1
    while left < 0 and budget > 0 and deadline.allows():
        trials = min(50_000, budget)  # between two readings of the clock
        left = _advance(of, first, trials, path, now)
        budget -= trials - max(left, 0)
    return float(path.best[0]), path.kept if path.place[1] else None, budget if left >= 0 else -1


def exhaustive_search(
    X: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    objective: str,
    incumbent: NDArray[np.int64],
    budget: int = 20_000_000,
    deadline: Deadline | None = None,
    weights: NDArray[np.float64] | None = None,
    slack: float = 0.0,
) -> tuple[NDArray[np.int64], bool]:
    """Globally optimal labels (n,) of points (n, d), starting from a feasible incumbent. Shapes: X (n, d), lower,
    upper (k,), incumbent (n,), weights (n,)."""
    n, k = len(X), len(lower)
    deadline = Deadline(None) if deadline is None else deadline
    order = np.argsort(-np.linalg.norm(X - X.mean(axis=0), axis=1), kind="stable")  # far points matter most
    unit = 1.0 if weights is None else power_of_two(weights)
    w = np.ones(n) if weights is None else weights / unit
    low, up = np.maximum(lower - slack, 0.0) / unit, np.minimum((upper + slack) / unit, 2.0 * w.sum())
    _, kind = np.unique(np.column_stack([low, up]), axis=0, return_inverse=True)
    kind = kind.ravel()  # NumPy 2.0 gives it a second dimension
    free = np.zeros(k), np.full(k, np.inf), np.zeros(k, np.int64)
    task = _task(X[order], w[order], k, objective)
    for first in range(n - 1, 0, -1):
        start = _highest(task, first)
        value, found, budget = _search(task, first, free, start, budget, deadline)
        if budget < 0:
            return incumbent, False
        task.tail[first] = task.tail[first + 1] if found is None else task.lowered(value)
    at = _value(task, incumbent[order], k)
    _, labels, budget = _search(task, 0, (low, up, kind.ravel()), at, budget, deadline)
    if labels is None:
        return incumbent, budget >= 0
    result = np.empty(n, dtype=np.int64)
    result[order] = labels
    return result, budget >= 0


def search_error(X: NDArray[np.float64], k: int, objective: str) -> float:
    """What the optimum can be better by than the labels of a finished search, relative to their value for LSA."""
    error = 4.0 * _error(len(X), X.shape[1], k)
    return error * reach(X) if objective == "csa" else error


def _error(n: int, d: int, k: int) -> float:
    return (3 * n + d + k + 11) * ROUNDOFF


def _task(points: NDArray[np.float64], weights: NDArray[np.float64], k: int, objective: str) -> _Task:
    n, d = points.shape
    rest = np.concatenate([np.cumsum(weights[::-1])[::-1], [0.0]])
    points = points / power_of_two(points)  # of the size of one: nothing overflows
    error, tail = 2.0 * _error(n, d, k), np.zeros(n + 1)
    if objective == "csa":
        return _Task(points, np.zeros((0, 0)), weights, rest, tail, 0.0, error * reach(points))
    pairs = pairwise_squares(points) * weights * weights[:, None]
    return _Task(np.zeros((n, 0)), pairs, weights, rest, tail, error, 0.0)


def _highest(task: _Task, first: int) -> float:
    """A value above the optimum of points first..n-1: that without the first point, and the most that it adds."""
    rest = task.tail[first + 1]
    rest += 4.0 * (task.relative * abs(rest) + task.absolute)
    if not len(task.pairs):
        return rest + 4.0 * task.absolute + 1e-300  # one more point never lowers the sum of norms
    # it can join any cluster: the squared distance to a mean is at most that to the farthest member
    farthest = float((task.pairs[first, first:] / np.where(task.weights[first:] > 0, task.weights[first:], 1.0)).max())
    return (rest + farthest) * (1.0 + 8.0 * task.relative) + 1e-300


def _value(task: _Task, labels: NDArray[np.int64], k: int) -> float:
    if not len(task.pairs):
        return -sum(float(np.linalg.norm(task.points[labels == i].sum(axis=0))) for i in range(k))
    groups = [labels == i for i in range(k) if task.weights[labels == i].sum() > 0]
    return sum(fsum(task.pairs[np.ix_(group, group)].ravel()) / (2 * task.weights[group].sum()) for group in groups)


def _applies(problem: GlobalProblem) -> bool:
    return len(problem.X) <= SMALL and problem.links is None


def _enumerate(known: Known, deadline: Deadline) -> bool:
    """The optimum itself, where the budget suffices."""
    problem = known.problem
    X, polytope, objective = problem.X, problem.polytope, problem.objective
    Y, slack = problem.centred if objective == "csa" else (X, 0.0)
    budget, weights = 20_000_000 if len(X) <= 20 else TRIALS[objective], polytope.weights
    labels, finished = exhaustive_search(
        Y, polytope.lower, polytope.upper, objective, known.labels, budget, deadline, weights, polytope.slack
    )
    known.offer(labels)
    if finished:
        lower, upper = objective_interval(X, labels, objective, weights)
        error = search_error(Y, polytope.n_clusters, objective)
        if objective == "csa":
            error += 2.0 * slack
            known.prove(nextafter(upper + error, np.inf) if error else upper, EXHAUSTIVE)
        else:  # less what underflows in the squares of points divided by their largest coordinate
            lost = polytope.total * X.size * TINY * power_of_two(X) ** 2
            known.prove(max(0.0, nextafter(lower * (1.0 - error) - lost, -np.inf)), EXHAUSTIVE)
    return finished


EXHAUSTIVE = BoundMethod("branch and bound", _applies, _enumerate)
