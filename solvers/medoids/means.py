"""Clusters about their means, wherever these are: the capacitated centred clustering problem.

    minimise  sum_i sum_{j in i} |x_j - c_i|          c_i the mean of the points of cluster i, each counts once
    within    l <= sum_{j in i} w_j <= u              for each of k clusters of whole points

Search: points are assigned and move (`exchange`) at costs that say, to first order, what a point adds to a cluster,
since it moves the mean,

    |x_j - c_i| + g_i (x_j - c_i) / m_i               g_i = sum_{l in i} (c_i - x_l) / |c_i - x_l|

until the sum falls no more: from the best clustering with one cluster at another point, and then in a few neighbouring
clusters, which are divided anew from random points (simulated annealing).

Bound: every mean is in one of some boxes, and at least as far from a point as its box is. So Lagrange's
bound holds for sites that are boxes, each of which may be used more than once. Boxes of small values are divided.

References
----------
Negreiros and Palhano (2006), The capacitated centred clustering problem, Computers and Operations Research 33.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.jit import njit
from ...models.programs.medoid_location import MedoidLocationMIP
from ..exchange.reseeding import CHUNK, nearest_records, neighbouring_groups
from .assignment import assign
from .exchange import exchange
from .lagrange import LagrangeBound
from .rebuild import HEAT, LARGEST, REGION


def about_means(
    X: NDArray[np.float64], labels: NDArray[np.int64], model: MedoidLocationMIP, rng: np.random.RandomState,
    limit: Deadline, rounds: int = 30,
) -> NDArray[np.int64]:  # fmt: skip
    """The best labels (n,) of points X (n, d) that the search meets from some (n,), within the common bounds of a
    program; this many rounds without a time limit."""
    (n, _), k = X.shape, int(labels.max()) + 1
    plain = MedoidLocationMIP(np.zeros((n, k)), model.weights, model.lower[:k], model.upper[:k], k, k, np.zeros(k))
    # two large clusters divided anew take longer than to assign all points
    few, done = limit.share(1.0 if n > LARGEST * k else 0.4), 0
    while few.allows() and (limit.seconds is not None or done < rounds):
        found, done = _alternated(X, plain, labels, few, rng), done + 1
        if sum_about_means(X, found, k) < sum_about_means(X, labels, k):
            labels = found
    best, least, done, chunk = labels, sum_about_means(X, labels, k), 0, CHUNK // 10
    room, steps = 1e-9 * float(model.weights.sum()), rounds * n if limit.seconds is None else np.inf
    low, up, labels = np.maximum(plain.lower - room, room), plain.upper + room, labels.copy()
    near, hot, random = (
        nearest_records(X, max(4 * n // k, 20)),
        HEAT * least / k,
        np.random.default_rng(rng.randint(2**31)),
    )
    while k > 1 and done < steps and limit.allows():
        left = 1.0 - (done / steps if limit.seconds is None else limit.elapsed / max(limit.seconds, 1e-9))
        redivide(X, near, plain.weights, low, up, labels, hot * left**2, random.random((chunk, 3 * REGION + 4)))
        done += chunk
        if (value := sum_about_means(X, labels, k)) < least:
            best, least = labels.copy(), value
    return best


def _alternated(
    X: NDArray[np.float64], plain: MedoidLocationMIP, labels: NDArray[np.int64], limit: Deadline,
    rng: np.random.RandomState,
) -> NDArray[np.int64]:  # fmt: skip
    """Labels (n,) where assignments and costs in turn end that begin with one cluster at another point."""
    k, best, least, even = plain.n_sites, labels, np.inf, bool(np.ptp(plain.weights) == 0.0)
    costs = np.empty((len(X), k))
    first_order(X, labels, costs)
    far = np.linalg.norm(X - X[labels == rng.randint(k)].mean(axis=0), axis=1)
    costs[:, rng.randint(k)] = np.linalg.norm(
        X - X[rng.choice(len(X), p=far / far.sum() if far.any() else None)], axis=1
    )
    while True:
        found = assign(replace(plain, costs=costs), np.arange(k), limit, greedy=not even)
        if found is None or np.unique(found.served).size < k:
            return best
        value = first_order(X, found.served, costs)
        if value >= least * (1.0 - 1e-9):
            return best
        best, least = found.served, value


def sum_about_means(X: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> float:
    """The sum of the distances of points X (n, d) to the means of their clusters."""
    return float(first_order(X, labels, np.empty((len(X), k))))


@njit(cache=True)
def first_order(X: NDArray[np.float64], labels: NDArray[np.int64], costs: NDArray[np.float64]) -> float:
    """The sum of the distances to the means; writes what points add to clusters, to first order, into costs (n, k)."""
    (n, d), k = X.shape, costs.shape[1]
    means, slopes, sizes, total = np.zeros((k, d)), np.zeros((k, d)), np.zeros(k), 0.0
    for j in range(n):
        sizes[labels[j]] += 1.0
        for f in range(d):
            means[labels[j], f] += X[j, f]
    for i in range(k):
        for f in range(d):
            means[i, f] /= max(sizes[i], 1.0)
    for j in range(n):
        for i in range(k):
            far = 0.0
            for f in range(d):
                far += (X[j, f] - means[i, f]) ** 2
            costs[j, i] = np.sqrt(far)
        i = labels[j]
        total += costs[j, i]
        for f in range(d if costs[j, i] > 0.0 else 0):
            slopes[i, f] += (means[i, f] - X[j, f]) / (costs[j, i] * sizes[i])
    for j in range(n):
        for i in range(k):
            for f in range(d):
                costs[j, i] += slopes[i, f] * (X[j, f] - means[i, f])
    return total


@njit(cache=True)
def redivide(
    X: NDArray[np.float64], near: NDArray[np.int64], weights: NDArray[np.float64], lower: NDArray[np.float64],
    upper: NDArray[np.float64], labels: NDArray[np.int64], heat: float, draws: NDArray[np.float64],
) -> None:  # fmt: skip
    """Steps, one per row of random numbers; labels (n,) within bounds (k,) change."""
    chosen, place = np.empty(REGION, np.int64), np.empty(lower.size, np.int64)
    sizes = np.bincount(labels, minlength=lower.size)
    for draw in draws:
        # a random point's cluster, and clusters near it
        count, size = neighbouring_groups(near, labels, chosen, draw), 0
        for c in range(count):
            if c > 1 and size + sizes[chosen[c]] > LARGEST:
                count = c
                break
            size += sizes[chosen[c]]
        if count < 2:
            continue
        place[:] = -1
        for c in range(count):
            place[chosen[c]] = c
        points, size = np.empty(size, np.int64), 0
        for j in range(labels.size):
            if place[labels[j]] >= 0:
                points[size], size = j, size + 1
        some, w, costs, found = X[points], weights[points], np.empty((size, count)), np.full(size, -1)
        low, up, load, nearest = lower[chosen[:count]], upper[chosen[:count]], np.zeros(count), np.ones(size)
        old = first_order(some, place[labels[points]], costs)
        # the first centres are points, drawn by their distances to those before (k-means++)
        for g in range(count):
            left, seed = draw[2 * REGION + 2 + g] * nearest.sum(), size - 1
            for a in range(size):
                left -= nearest[a]
                if left <= 0.0:
                    seed = a
                    break
            for a in range(size):
                costs[a, g] = np.sqrt(((some[a] - some[seed]) ** 2).sum())
                nearest[a] = costs[a, g] if g == 0 else min(nearest[a], costs[a, g])
        # heavy points first, each to its nearest centre with room
        for a in np.argsort(-w):
            for g in range(count):
                if load[g] + w[a] <= up[g] and (found[a] < 0 or costs[a, g] < costs[a, found[a]]):
                    found[a] = g
            if found[a] < 0:
                break
            load[found[a]] += w[a]
        if found.min() < 0 or (load < low).any():
            continue
        fixed, value, best = np.zeros(size, np.bool_), np.inf, found.copy()
        while True:
            exchange(costs, w, fixed, low, up, found, load)
            now = first_order(some, found, costs)
            if now >= value * (1.0 - 1e-9):
                break
            value, best[:] = now, found
        if value <= old - heat * np.log(1.0 - draw[-1]):
            sizes[chosen[:count]] = 0
            for a in range(size):
                labels[points[a]] = chosen[best[a]]
                sizes[chosen[best[a]]] += 1


def bound_about_means(
    X: NDArray[np.float64], k: int, model: MedoidLocationMIP, value: float, limit: Deadline, most: int = 1000
) -> float:
    """No k clusters of points X (n, d) within the common bounds of a program have a smaller sum. Without a time limit
    there are at most ``most`` boxes, half more at the end; with one, as many as it allows, up to 1e7 pairs."""
    middles, halves = (X.min(axis=0) + X.max(axis=0))[None] / 2.0, np.ptp(X, axis=0)[None] * (0.5 + 1e-9)
    split, eta, best, n = np.ones(1, dtype=bool), None, 0.0, len(X)
    while limit.allows() and len(middles) < (most if limit.left is None else 1e7 / n):
        # across the longest side
        axes = np.eye(X.shape[1])[halves[split].argmax(axis=1)]
        smaller, apart = halves[split] * (1.0 - 0.5 * axes), 0.5 * halves[split] * axes
        middles = np.vstack([middles[~split], middles[split] - apart, middles[split] + apart])
        halves = np.vstack([halves[~split], smaller, smaller])
        m, split = len(middles), np.ones(len(middles), dtype=bool)
        if m <= most // 10:
            continue
        far = np.maximum(np.abs(X[:, None] - middles) - halves, 0.0)
        costs, sides = np.linalg.norm(far, axis=2), (np.full(m, model.lower[0]), np.full(m, model.upper[0]))
        found = LagrangeBound.of(MedoidLocationMIP(costs, model.weights, *sides, k, k, np.zeros(m)), eta)
        found.ascend(value, 100, limit)
        eta, values = found.best.eta, found.best.values
        # all clusters in the box of least value, up to rounding
        total, least = float(np.abs(eta).sum()), k * float(values.min())
        best = max(best, float(eta.sum()) + least - 2 * n * float(np.finfo(float).eps) * (total + abs(least)))
        split = values <= np.quantile(values, 0.25)
    return best
