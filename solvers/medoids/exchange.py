"""Local search among whole points: shifts of one point, exchanges of two, and better sites, until none gains.

References
----------
Osman and Christofides (1994), Capacitated clustering problems by hybrid simulated annealing and tabu search,
International Transactions in Operational Research 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit
from ...models.programs.medoid_location import MedoidLocationMIP
from .assignment import best_sites


def local_optimum(model: MedoidLocationMIP, served: NDArray[np.int64]) -> NDArray[np.int64]:
    """The local optimum (n,) that a clustering (n,) leads to, by sites; bounds that are kept stay kept."""
    while True:
        value = model.value(served)
        sites, labels = np.unique(
            best_sites(model, served)[np.unique(served, return_inverse=True)[1]], return_inverse=True
        )
        fixed = np.zeros(model.n_points, dtype=np.bool_)  # a medoid stays in its cluster
        if model.own is not None:
            fixed[model.own[sites]] = True
        sizes = np.bincount(labels, model.weights)
        room = 1e-9 * float(model.weights.sum())
        costs = np.ascontiguousarray(model.costs[:, sites])
        low = np.maximum(model.lower[sites] - room, room)  # no cluster becomes empty
        exchange(costs, model.weights, fixed, low, model.upper[sites] + room, labels, sizes)
        served = sites[labels]
        if model.value(served) >= value - 1e-9 * abs(value):
            return served


@njit(cache=True)
def exchange(costs, weights, fixed, lower, upper, labels, sizes):
    """Shift or exchange points until none lowers the sum of costs (n, p) within bounds (p,)."""
    n, p = costs.shape
    bottom, here = costs.min(), np.array([costs[j, labels[j]] for j in range(n)])
    moved = True
    while moved:
        moved = False
        for j in range(n):
            if fixed[j]:
                continue
            a, w, least = labels[j], weights[j], 1e-9 * abs(costs[j, labels[j]])
            to, other, gain = -1, -1, least
            for b in range(p):
                if costs[j, a] - costs[j, b] > gain and sizes[a] - w >= lower[a] and sizes[b] + w <= upper[b]:
                    to, gain = b, costs[j, a] - costs[j, b]
            for h in range(n if to < 0 else 0):  # no room for the point alone: another point has to leave
                b = labels[h]
                if costs[j, a] - costs[j, b] + here[h] - bottom <= gain:
                    continue
                more = w - weights[h]
                lost = costs[j, b] - costs[j, a] + costs[h, a] - costs[h, b]
                if b == a or fixed[h] or -lost <= gain:
                    continue
                if lower[a] <= sizes[a] - more <= upper[a] and lower[b] <= sizes[b] + more <= upper[b]:
                    to, other, gain = b, h, -lost
            if to < 0:
                continue
            moved, labels[j], here[j] = True, to, costs[j, to]
            if other >= 0:
                labels[other], here[other], w = a, costs[other, a], w - weights[other]
            sizes[a] -= w
            sizes[to] += w


@njit(cache=True)
def first_order(X: NDArray[np.float64], labels: NDArray[np.int64], costs: NDArray[np.float64]) -> float:
    """The sum of the distances of points X (n, d) to the means of their clusters. Writes what points add to clusters,
    to first order, into costs (n, k):  |x_j - c_i| + g_i (x_j - c_i) / m_i,  since a point moves the mean, with g_i the
    sum of (c_i - x_l) / |c_i - x_l| over the m_i points of cluster i."""
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
