"""Groups of m to 2m - 1 records with a small sum of squares: two starts, and a large neighbourhood search.

    minimise  sum_g (1 / |g|) sum_{i < j in g} |x_i - x_j|^2     over partitions with  m <= |g| <= 2m - 1

It starts from MDAV, and from a path from record to nearest record, cut where dynamic programming says. A step divides
a few neighbouring groups anew (`exchange.reseeding`); new ones are kept if they are not worse, and with a probability
that falls to 0 where they are (simulated annealing: without it the search ends 2 % higher on Census). It anneals from
both starts, and then again and again from the best groups so far, for as many steps as before in all: a long run from
one start may end in groups that it never leaves (8 % higher on EIA, with one seed in three).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.jit import njit
from ..exchange.reseeding import CHUNK, Records, nearest_records, reseed, squared, within_squares

MOST_GROUPS = 6  # Groups that a step rebuilds at most.
HEAT = 0.05  # First temperature, as a mean relative loss; it falls to 0 in a straight line.
FIRST = 1 / 16  # Fraction of the steps, or of the time, for the first annealing.


def search(
    X: NDArray[np.float64], weights: NDArray[np.float64], m: int, n_iter: int, deadline: Deadline,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], int]:  # fmt: skip
    """Labels (n,) of groups of rows X (n, d) with weights (n,), and the steps done, at most n_iter."""
    near, lower = nearest_records(X, 2 * max(MOST_GROUPS, m)), np.full(len(X) // m + 1, m)
    records = Records(X, weights, near, lower, 2 * lower - 1, True)
    starts = mdav(X, m), cut_path(X, nearest_path(X, int((X**2).sum(axis=1).argmax())), m)
    best = min(starts, key=lambda start: within_squares(X, start, weights))
    labels, least, others = starts[0].copy(), within_squares(X, best, weights), [starts[1].copy()]
    done, since, until = 0, 0.0, FIRST
    while done < n_iter and len(X) >= 2 * m and deadline.allows():
        spent = max(done / n_iter, deadline.elapsed / deadline.seconds if deadline.seconds else 0.0)
        while spent >= until:
            labels, since, until = others.pop() if others else best.copy(), until, 2 * until
        steps, heat = min(CHUNK, n_iter - done), HEAT * (until - spent) / (until - since)
        reseed(records, labels, heat, rng.random((steps, 3 * MOST_GROUPS + 4)))
        done += steps
        value = within_squares(X, labels, weights)
        if value < least:
            best, least = labels.copy(), value
    return np.unique(best, return_inverse=True)[1].astype(np.int64), done


def mdav(X: NDArray[np.float64], m: int) -> NDArray[np.int64]:
    """Maximum distance to average vector: the record farthest from the mean and its m - 1 nearest are a group, then
    the record farthest from that one and its nearest, and so on; what is left at the end, m to 2m - 1, is the last."""
    labels, left, group = np.empty(len(X), np.int64), np.arange(len(X)), 0

    def take(centre: NDArray[np.float64]) -> None:
        nonlocal left, group
        order = np.argsort(((X[left] - centre) ** 2).sum(axis=1), kind="stable")
        labels[left[order[:m]]] = group
        left, group = np.sort(left[order[m:]]), group + 1

    while len(left) >= 3 * m:
        first = X[left[((X[left] - X[left].mean(axis=0)) ** 2).sum(axis=1).argmax()]]
        second = X[left[((X[left] - first) ** 2).sum(axis=1).argmax()]]
        take(first)
        take(second)
    if len(left) >= 2 * m:
        take(X[left[((X[left] - X[left].mean(axis=0)) ** 2).sum(axis=1).argmax()]])
    labels[left] = group
    return labels


@njit(cache=True)
def nearest_path(X, start):
    """Order (n,) of rows X (n, d) from ``start``, always to the nearest that is left."""
    n = len(X)
    path = np.arange(n)
    path[0], path[start] = start, 0
    for t in range(1, n):
        best, least = t, np.inf
        for s in range(t, n):
            far = squared(X[path[t - 1]], X[path[s]])
            if far < least:
                best, least = s, far
        path[t], path[best] = path[best], path[t]
    return path


@njit(cache=True)
def cut_path(X, path, m):
    """Labels (n,) of the cheapest cut of a path into runs of m to 2m - 1 records: dynamic programming over ends."""
    n, d = X.shape
    cost, last = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64)
    cost[0] = 0.0
    mean = np.empty(d)
    for end in range(m, n + 1):
        mean[:], squares = 0.0, 0.0
        for size in range(1, min(2 * m - 1, end) + 1):
            x = X[path[end - size]]
            for f in range(d):  # Welford's update of mean and sum of squares
                step = x[f] - mean[f]
                mean[f] += step / size
                squares += step * (x[f] - mean[f])
            if size >= m and cost[end - size] + squares < cost[end]:
                cost[end], last[end] = cost[end - size] + squares, size
    labels = np.empty(n, np.int64)
    end, group = n, 0
    while end > 0:
        for t in range(end - last[end], end):
            labels[path[t]] = group
        end, group = end - last[end], group + 1
    return labels
