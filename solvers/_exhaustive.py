"""Branch and bound over single assignments: the global optimum of small instances, both objectives.

Points enter one after the other. With f the objective of the points placed so far, written as a minimisation
(LSA: sum of squares; CSA: minus the sum of norms), and tail_j the unbounded optimum of points j..n-1 alone,

    f(all points) >= f(points 0..j-1, as placed) + tail_j

because centres chosen apart for two groups of points cost no more than common ones (LSA), and by the triangle
inequality (CSA). The tails are found by the same search, shortest first (Koontz, Narendra and Fukunaga 1975;
Brusco 2006). A branch also ends when the lower bounds cannot be filled any more; of empty clusters with the
same bounds only the first is tried.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .._jit import njit

CSA, LSA = 0, 1


@njit(cache=True)
def _part(objective: int, total: NDArray, count: int, square: float) -> float:
    """One cluster's contribution, from its sum, size and sum of squared norms."""
    norm = 0.0
    for c in range(total.shape[0]):
        norm += total[c] * total[c]
    if objective == CSA:
        return -np.sqrt(norm)
    return square - norm / count if count > 0 else 0.0


@njit(cache=True)
def _search(
    X: NDArray,
    first: int,
    lower: NDArray,
    upper: NDArray,
    kind: NDArray,
    tail: NDArray,
    objective: int,
    best: float,
    budget: int,
) -> tuple[float, NDArray, bool, int]:
    """Best value below ``best`` of points first..n-1 within the bounds.

    Returns the value, labels, whether one was found, and what is left of the budget of trials (< 0: stopped).
    """
    n, d = X.shape
    k = lower.shape[0]
    sums, counts, squares, parts = np.zeros((k, d)), np.zeros(k, np.int64), np.zeros(k), np.zeros(k)
    labels, kept, found = np.full(n, -1), np.full(n, -1), False
    j = first
    while j >= first:
        budget -= 1
        if budget < 0:
            return best, kept, found, budget
        i = labels[j]
        if i >= 0:  # take the point back from the cluster tried last
            counts[i] -= 1
            for c in range(d):
                sums[i, c] = sums[i, c] - X[j, c] if counts[i] > 0 else 0.0
                squares[i] -= X[j, c] * X[j, c]
            if counts[i] == 0:
                squares[i] = 0.0
            parts[i] = _part(objective, sums[i], counts[i], squares[i])
        i += 1
        moved = False
        while i < k:
            allowed = counts[i] < upper[i]
            if allowed and counts[i] == 0:
                for h in range(i):
                    if counts[h] == 0 and kind[h] == kind[i]:
                        allowed = False
            if allowed:
                counts[i] += 1
                for c in range(d):
                    sums[i, c] += X[j, c]
                    squares[i] += X[j, c] * X[j, c]
                before = parts[i]
                parts[i] = _part(objective, sums[i], counts[i], squares[i])
                missing = 0
                for h in range(k):
                    missing += max(0, lower[h] - counts[h])
                value = parts.sum() + tail[j + 1]
                if missing <= n - 1 - j and value < best - 1e-12 * abs(best):
                    moved = True
                    break
                counts[i] -= 1
                for c in range(d):
                    sums[i, c] -= X[j, c]
                    squares[i] -= X[j, c] * X[j, c]
                parts[i] = before
            i += 1
        if not moved:
            labels[j] = -1
            j -= 1
            continue
        labels[j] = i
        if j == n - 1:
            best, found = parts.sum(), True
            kept[:] = labels
            continue  # the same point tries its next cluster
        j += 1
        labels[j] = -1
    return best, kept, found, budget


def exhaustive_search(
    X: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    objective: str,
    incumbent: NDArray[np.int64],
    budget: int = 20_000_000,
) -> tuple[NDArray[np.int64], bool]:
    """Globally optimal labels (n,) of centred points (n, d), starting from a feasible incumbent.

    Parameters
    ----------
    X : (n, d) ndarray
        Centred points.
    lower, upper : (k,) ndarray
        Size bounds.
    objective : {"csa", "lsa"}
        Maximise the sum of norms of the cluster sums, or minimise the within-cluster sum of squares.
    incumbent : (n,) ndarray
        A clustering within the bounds.
    budget : int
        Trials (a point put into a cluster or taken back) after which to give up; 20 million take a second or two.

    Returns
    -------
    labels : (n,) ndarray
        The optimum, or the best clustering seen when the budget ran out.
    finished : bool
        Whether optimality is proved.

    Notes
    -----
    Exact up to 1e-12 relative; exponential in n in the worst case.
    """
    code = CSA if objective == "csa" else LSA
    n, k = len(X), len(lower)
    order = np.argsort(-np.linalg.norm(X, axis=1), kind="stable")  # far points first: their choice matters most
    points = np.ascontiguousarray(X[order])
    low, up = lower.astype(np.int64), np.minimum(upper, n).astype(np.int64)
    _, kind = np.unique(np.column_stack([low, up]), axis=0, return_inverse=True)
    free_low, free_up, one_kind = np.zeros(k, np.int64), np.full(k, n), np.zeros(k, np.int64)
    tail = np.zeros(n + 1)
    for first in range(n - 1, 0, -1):
        start = tail[first + 1] + _highest_step(points, first, code)
        value, _, found, budget = _search(points, first, free_low, free_up, one_kind, tail, code, start, budget)
        if budget < 0:
            return incumbent, False
        tail[first] = value if found else tail[first + 1]
        tail[first] -= 1e-12 * abs(tail[first])  # rounding must never cut off an optimum
    at = _value(points, incumbent[order], k, code)
    _, labels, found, budget = _search(points, 0, low, up, kind.ravel(), tail, code, at, budget)
    if not found:
        return incumbent, budget >= 0
    result = np.empty(n, dtype=np.int64)
    result[order] = labels
    return result, budget >= 0


def _highest_step(points: NDArray[np.float64], first: int, code: int) -> float:
    """How much more than its tail the optimum of points first..n-1 can cost, with room for rounding."""
    farthest = np.linalg.norm(points[first:], axis=1).max()
    if code == CSA:
        return 1e-9 * (1.0 + farthest)  # one more point never lowers the sum of norms
    return 4.0 * farthest**2 + 1e-300  # it can always join a cluster within twice the radius


def _value(X: NDArray[np.float64], labels: NDArray[np.int64], k: int, code: int) -> float:
    total = 0.0
    for i in range(k):
        members = X[labels == i]
        if len(members):
            total += _part(code, members.sum(axis=0), len(members), float((members**2).sum()))
    return total
