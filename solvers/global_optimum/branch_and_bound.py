"""Branch and bound over single assignments: the global optimum of small instances, both objectives.

Points enter one after the other. With f the objective of the points placed so far, written as a minimisation
(LSA: sum of squares; CSA: minus the sum of norms), and tail_j the unbounded optimum of points j..n-1 alone,

    f(all points) >= f(points 0..j-1, as placed) + tail_j

because centres chosen apart for two groups of points cost no more than common ones (LSA), and by the triangle
inequality (CSA). The tails are found by the same search, shortest first (Koontz, Narendra and Fukunaga 1975;
Brusco 2006). A branch also ends when the lower bounds cannot be filled any more; of empty clusters with the
same bounds only the first is tried.

Rounding. LSA adds up pairs, sum_{a < b in C_i} |x_a - x_b|^2 / m_i, with differences of the points as they were
given: only terms >= 0 are added and none is ever subtracted, what is taken back is remembered instead. Every value
therefore has a small *relative* error whatever offset or far point there is. CSA adds up cluster sums, whose error is
small against the sum of all norms. A branch is cut when its bound is not below the best value by more than a few such
errors, and `search_error` says what the optimum can be better by because of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.jit import njit
from ...models.objectives.interval import ROUNDOFF, pairwise_squares, power_of_two, reach

CHUNK = 50_000  # trials between two looks at the clock


@dataclass(frozen=True, eq=False)
class _Task:
    """What stays the same in a search: points and pairs in the order of entry, bounds, tails, margins."""

    points: NDArray[np.float64]  # (n, d), empty for LSA
    pairs: NDArray[np.float64]  # (n, n) squared distances, empty for CSA
    tail: NDArray[np.float64]
    relative: float  # a branch is cut when its bound exceeds best - relative |best| - absolute
    absolute: float

    def lowered(self, value: float) -> float:
        """A lower bound on the true optimum of a search that ended with this value: the cut and two errors less."""
        return value - 2.0 * (self.relative * abs(value) + self.absolute)


@njit(cache=True, borrowing=True)
def _may_enter(i, left, lower, upper, kind, counts):
    """Whether the next of ``left`` points may enter cluster i, so that all lower bounds can still be filled."""
    if counts[i] >= upper[i]:
        return False
    if counts[i] == 0:  # of empty clusters with the same bounds only the first is tried
        for h in range(i):
            if counts[h] == 0 and kind[h] == kind[i]:
                return False
    missing = 1 if counts[i] >= lower[i] else 0
    for h in range(lower.shape[0]):
        missing += max(0, lower[h] - counts[h])
    return missing <= left


@njit(cache=True, borrowing=True)
def _share_with(j, i, points, pairs, counts, members, inside, sums):
    """The sum over inside pairs of cluster i together with point j (LSA), and its share of the objective."""
    if pairs.shape[0] == 0:
        norm = 0.0
        for c in range(points.shape[1]):
            norm += (sums[i, c] + points[j, c]) ** 2
        return inside[i], -np.sqrt(norm)
    gain = 0.0
    for m in range(counts[i]):
        gain += pairs[j, members[i, m]]
    total = inside[i] + gain
    return total, total / (counts[i] + 1)


@njit(cache=True)
def _advance(points, pairs, first, lower, upper, kind, tail, relative, absolute, trials, place, best, labels, kept,
             counts, members, inside, parts, sums, old_inside, old_parts, old_sums):  # fmt: skip
    """Continue a depth-first search for at most ``trials`` steps; what is left of them, -1 when it is not complete.

    ``place`` holds the point in turn and whether something was found, ``best`` the best value. For every cluster:
    its size, members, sum over inside pairs (LSA) or sum of points (CSA) and share of the objective; ``old_`` keeps
    what they were before each point entered.
    """
    n, k = tail.shape[0] - 1, lower.shape[0]
    d = points.shape[1]
    j = place[0]
    threshold = best[0] - relative * abs(best[0]) - absolute
    while j >= first:
        trials -= 1
        if trials < 0:
            place[0] = j
            return -1
        i = labels[j]
        if i >= 0:  # take the point back from the cluster tried last
            counts[i] -= 1
            inside[i], parts[i] = old_inside[j], old_parts[j]
            for c in range(d):
                sums[i, c] = old_sums[j, c]
        i += 1
        moved = False
        while i < k:
            if _may_enter(i, n - j, lower, upper, kind, counts):
                total, part = _share_with(j, i, points, pairs, counts, members, inside, sums)
                value = tail[j + 1]
                for h in range(k):
                    value += part if h == i else parts[h]
                if value < threshold:
                    moved = True
                    old_inside[j], old_parts[j] = inside[i], parts[i]
                    inside[i], parts[i] = total, part
                    for c in range(d):
                        old_sums[j, c] = sums[i, c]
                        sums[i, c] += points[j, c]
                    members[i, counts[i]] = j
                    counts[i] += 1
                    break
            i += 1
        if not moved:
            labels[j] = -1
            j -= 1
            continue
        labels[j] = i
        if j == n - 1:
            best[0], place[1] = parts.sum(), 1
            threshold = best[0] - relative * abs(best[0]) - absolute
            for t in range(n):
                kept[t] = labels[t]
            continue  # the same point tries its next cluster
        j += 1
        labels[j] = -1
    place[0] = j
    return trials


def _search(
    task: _Task, first: int, bounds: tuple[NDArray, NDArray, NDArray], best: float, budget: int, deadline: Deadline
) -> tuple[float, NDArray[np.int64] | None, int]:
    """Best value below ``best`` of points first..n-1 within the bounds.

    Returns the value, labels (None when nothing was found), and what is left of the budget of trials (< 0: stopped).
    """
    n, k, d = len(task.tail) - 1, len(bounds[0]), task.points.shape[1]
    place, value = np.array([first, 0]), np.array([best])
    labels, kept, counts = np.full(n, -1), np.full(n, -1), np.zeros(k, np.int64)
    clusters = counts, np.zeros((k, n), np.int64), np.zeros(k), np.zeros(k), np.zeros((k, d))
    old = np.zeros(n), np.zeros(n), np.zeros((n, d))
    left = -1
    while left < 0 and budget > 0 and deadline.allows():
        trials = min(CHUNK, budget)
        left = _advance(task.points, task.pairs, first, *bounds, task.tail, task.relative, task.absolute, trials,
                        place, value, labels, kept, *clusters, *old)  # fmt: skip
        budget -= trials - max(left, 0)
    budget = budget if left >= 0 else -1
    return float(value[0]), kept if place[1] else None, budget


def exhaustive_search(
    X: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    objective: str,
    incumbent: NDArray[np.int64],
    budget: int = 20_000_000,
    deadline: Deadline | None = None,
) -> tuple[NDArray[np.int64], bool]:
    """Globally optimal labels (n,) of points (n, d), starting from a feasible incumbent.

    Parameters
    ----------
    X : (n, d) ndarray
        Points; for CSA centred ones.
    lower, upper : (k,) ndarray
        Size bounds.
    objective : {"csa", "lsa"}
        Maximise the sum of norms of the cluster sums, or minimise the within-cluster sum of squares.
    incumbent : (n,) ndarray
        A clustering within the bounds.
    budget : int
        Trials (a point put into a cluster or taken back) after which to give up; 20 million take a few seconds.
    deadline : Deadline, optional
        Time limit, looked at every 50 000 trials.

    Returns
    -------
    labels : (n,) ndarray
        The optimum, or the best clustering seen when the budget ran out.
    finished : bool
        Whether optimality is proved up to `search_error`.

    Notes
    -----
    Exponential in n in the worst case.
    """
    n, k = len(X), len(lower)
    deadline = Deadline(None) if deadline is None else deadline
    order = np.argsort(-np.linalg.norm(X - X.mean(axis=0), axis=1), kind="stable")  # far points matter most
    low, up = lower.astype(np.int64), np.minimum(upper, n).astype(np.int64)
    _, kind = np.unique(np.column_stack([low, up]), axis=0, return_inverse=True)
    free = np.zeros(k, np.int64), np.full(k, n), np.zeros(k, np.int64)
    task = _task(X[order], k, objective)
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
    """What the optimum can be better by than the labels of a finished search, relative to their value for LSA.

    Notes
    -----
    A term of an LSA value passes at most n additions within a point's row of pairs, n over the points, k over the
    clusters, d in a squared distance, and four more operations; one of a CSA value n, k and d / 2. `ROUNDOFF` is
    twice the unit, which leaves as much again for terms of higher order. The cut takes two such errors, and
    comparing values of branches and labels two more.
    """
    error = 6.0 * _error(len(X), X.shape[1], k)
    return error * reach(X) if objective == "csa" else error


def _error(n: int, d: int, k: int) -> float:
    return (2 * n + d + k + 8) * ROUNDOFF


def _task(points: NDArray[np.float64], k: int, objective: str) -> _Task:
    n, d = points.shape
    points = points / power_of_two(points)  # of the size of one: nothing overflows
    cut, tail = 2.0 * _error(n, d, k), np.zeros(n + 1)
    if objective == "csa":
        return _Task(points, np.zeros((0, 0)), tail, 0.0, cut * reach(points))
    return _Task(np.zeros((n, 0)), pairwise_squares(points), tail, cut, 0.0)


def _highest(task: _Task, first: int) -> float:
    """A value above the optimum of points first..n-1: that without the first point, and the most that it adds."""
    rest = task.tail[first + 1]
    rest += 4.0 * (task.relative * abs(rest) + task.absolute)
    if not len(task.pairs):
        return rest + 4.0 * task.absolute + 1e-300  # one more point never lowers the sum of norms
    # it can join any cluster: the squared distance to a mean is at most that to the farthest member
    return (rest + float(task.pairs[first, first:].max())) * (1.0 + 8.0 * task.relative) + 1e-300


def _value(task: _Task, labels: NDArray[np.int64], k: int) -> float:
    if not len(task.pairs):
        return -sum(float(np.linalg.norm(task.points[labels == i].sum(axis=0))) for i in range(k))
    groups = [task.pairs[np.ix_(labels == i, labels == i)] for i in range(k)]
    return sum(fsum(group.ravel()) / (2 * len(group)) for group in groups if len(group))
