"""Clusters about their means, wherever these are: the capacitated centred clustering problem.

    minimise  sum_i sum_{j in i} |x_j - c_i|          c_i the mean of the points of cluster i, each counts once
    within    l <= sum_{j in i} w_j <= u              for each of k clusters of whole points

Search: from the best clustering with one cluster at another point, assignments and costs (`exchange.first_order`) take
turns until the sum falls no more; then a few neighbouring clusters are divided anew, again and again (`rebuild`).

Bound: every mean is in one of some boxes, and at least as far from a point as its box is. So Lagrange's bound holds for
sites that are boxes, each of which may be used more than once. Boxes of small values are divided.

References
----------
Negreiros and Palhano (2006), The capacitated centred clustering problem, Computers and Operations Research 33.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.programs.medoid_location import MedoidLocationMIP
from .assignment import assign
from .exchange import first_order, packed
from .lagrange import LagrangeBound
from .rebuild import LARGEST, Rebuilder


def about_means(
    X: NDArray[np.float64], labels: NDArray[np.int64], model: MedoidLocationMIP, rng: np.random.RandomState,
    limit: Deadline, rounds: int = 30,
) -> NDArray[np.int64]:  # fmt: skip
    """The best labels (n,) of points X (n, d) that the search meets from some (n,), within the common bounds of a
    program; this many rounds without a time limit."""
    (n, _), k = X.shape, int(labels.max()) + 1
    plain = MedoidLocationMIP(np.zeros((n, k)), model.weights, model.lower[:k], model.upper[:k], k, k, np.zeros(k))
    # large clusters are not divided anew
    few, done = limit.share(1.0 if 2 * n > LARGEST * k else 0.4), 0
    while few.allows() and sum_about_means(X, labels, k) > 0.0 and (limit.seconds is not None or done < rounds):
        found, done = _alternated(X, plain, labels, few, rng), done + 1
        if sum_about_means(X, found, k) < sum_about_means(X, labels, k):
            labels = found
    rebuilder, steps = replace(Rebuilder.of(replace(model, own=None)), places=X), max(n // 5, 1)
    while k > 1 and sum_about_means(X, labels, k) > 0.0 and limit.allows():
        # a point of each cluster stands for it
        start, steps = np.unique(labels, return_index=True)[1][labels], 2 * steps
        for served in rebuilder.anneal(start, rng, limit.share(1.0), steps):
            found = np.unique(served, return_inverse=True)[1]
            if sum_about_means(X, found, k) < sum_about_means(X, labels, k):
                labels = found
        if limit.seconds is None:
            break
    return labels


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
        here = replace(plain, costs=costs)
        divided = assign(here, np.arange(k), limit) if even else None
        found = packed(here, np.arange(k)) if divided is None else divided.served
        if not plain.contains(found):
            return best
        value = first_order(X, found, costs)
        if value >= least * (1.0 - 1e-9):
            return best
        best, least = found, value


def sum_about_means(X: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> float:
    """The sum of the distances of points X (n, d) to the means of their clusters."""
    return float(first_order(X, labels, np.empty((len(X), k))))


def bound_about_means(
    X: NDArray[np.float64], k: int, model: MedoidLocationMIP, value: float, limit: Deadline, most: int = 1000
) -> float:
    """No k clusters of points X (n, d) within the common bounds of a program have a smaller sum. Without a time limit
    boxes are divided until there are ``most`` or 2 k; with one, as long as it allows, up to 1e7 pairs."""
    middles, halves = (X.min(axis=0) + X.max(axis=0))[None] / 2.0, np.ptp(X, axis=0)[None] * (0.5 + 1e-9)
    split, eta, best, n, most = np.ones(1, dtype=bool), None, 0.0, len(X), max(most, 2 * k)
    while limit.allows() and len(middles) < (most if limit.left is None else 1e7 / n):
        # across the longest side
        axes = np.eye(X.shape[1])[halves[split].argmax(axis=1)]
        smaller, apart = halves[split] * (1.0 - 0.5 * axes), 0.5 * halves[split] * axes
        middles = np.vstack([middles[~split], middles[split] - apart, middles[split] + apart])
        halves = np.vstack([halves[~split], smaller, smaller])
        m, split = len(middles), np.ones(len(middles), dtype=bool)
        if m <= max(most // 10, k):
            continue
        squares = np.zeros((n, m))
        for column, middle, half in zip(X.T, middles.T, halves.T):
            squares += np.maximum(np.abs(column[:, None] - middle) - half, 0.0) ** 2
        costs, sides = np.sqrt(squares), (np.full(m, model.lower[0]), np.full(m, model.upper[0]))
        found = LagrangeBound.of(MedoidLocationMIP(costs, model.weights, *sides, k, k, np.zeros(m)), eta)
        found.ascend(value, 100, limit)
        eta, values = found.best.eta, found.best.values
        # all clusters in the box of least value, up to rounding
        total, least = float(np.abs(eta).sum()), k * float(values.min())
        best = max(best, float(eta.sum()) + least - 2 * n * float(np.finfo(float).eps) * (total + abs(least)))
        split = np.zeros(m, dtype=bool)
        split[np.argsort(values, kind="stable")[: -(-m // 4)]] = True
    return best
