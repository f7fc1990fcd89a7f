"""Local search among whole points: shifts of one point, exchanges of two, and better sites, until none gains.

What a cluster holds above a capacity, or lacks of its lower bound, has a price, so that where there is little room the
search crosses clusterings that are too full. Amounts are parts of the whole demand; with several demands they add up.

References
----------
Osman and Christofides (1994), Capacitated clustering problems by hybrid simulated annealing and tabu search,
International Transactions in Operational Research 1; Glover and Hao (2011), The case for strategic oscillation, Annals
of Operations Research 183.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit
from ...models.polytope.sized_polytope import SLACK
from ...models.programs.medoid_location import MedoidLocationMIP
from .assignment import best_sites, one_per_point

FORBIDDEN = float(np.finfo(float).max)  # Price at which nothing exceeds a bound.


def packed(model: MedoidLocationMIP, sites: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sites (n,) of whole points, heavy ones first to the cheapest of some sites (p,) with room; too full at worst."""
    demands, capacities, _ = model.parts
    sites = one_per_point(model, sites)
    labels, load = np.full(model.n_points, -1), np.zeros((sites.size, demands.shape[1]))
    if model.own is not None:
        labels[model.own[sites]], load = np.arange(sites.size), demands[model.own[sites]]
    costs = np.ascontiguousarray(model.costs[:, sites])
    pack(costs, demands, capacities[sites], labels, load, True)
    for i in np.setdiff1d(np.arange(sites.size), labels)[: max(model.least - np.unique(labels).size, 0)]:
        more = np.where(np.bincount(labels)[labels] > 1, costs[:, i] - costs[np.arange(labels.size), labels], np.inf)
        labels[more.argmin()] = i  # no cluster is empty
    return sites[labels]


def local_optimum(model: MedoidLocationMIP, served: NDArray[np.int64]) -> NDArray[np.int64]:
    """The local optimum (n,) that a clustering (n,) leads to, by sites; bounds that are kept stay kept."""
    demands, capacities, lower = model.parts
    price = FORBIDDEN if model.contains(served) else abs(model.value(served)) or 1.0
    while True:
        value = model.value(served)
        sites, labels = np.unique(
            best_sites(model, served)[np.unique(served, return_inverse=True)[1]], return_inverse=True
        )
        fixed = np.zeros(model.n_points, dtype=np.bool_)  # a medoid stays in its cluster
        if model.own is not None:
            fixed[model.own[sites]] = True
        load = np.zeros((sites.size, demands.shape[1]))
        np.add.at(load, labels, demands)
        costs = np.ascontiguousarray(model.costs[:, sites])
        exchange(costs, demands, fixed, lower[sites], capacities[sites], labels, load, price)
        served = sites[labels]
        if model.value(served) >= value - 1e-9 * abs(value):
            # excess costs more and more, until there is none
            if price >= 1e6 * abs(value):
                return served
            price = FORBIDDEN if model.contains(served) else 4.0 * price


@njit(cache=True)
def excess(load, i, lower, upper, b, weights, out, into):
    """By how much in all a cluster i of loads (p, r) is beyond the bounds of a site b, without one point and with
    another one, or -1."""
    total = 0.0
    for r in range(load.shape[1]):
        here = load[i, r]
        if out >= 0:
            here -= weights[out, r]
        if into >= 0:
            here += weights[into, r]
        total += max(here - upper[b, r], 0.0)
        if r == 0:
            total += max(lower[b] - here, 0.0)
    return total


@njit(cache=True)
def pack(costs, weights, upper, labels, load, overfull):
    """Give the points without a label, heavy ones first, to their cheapest cluster with room; where there is none, to
    the one with the least excess, or fail unless clusters may be too full. Labels (n,) and loads (p, r) change."""
    n, p = costs.shape
    heavy, lower = np.zeros(n), np.full(p, -np.inf)
    for j in range(n):
        for r in range(weights.shape[1]):
            heavy[j] -= weights[j, r]
    for j in np.argsort(heavy):
        if labels[j] >= 0:
            continue
        least, to = np.inf, -1
        for i in range(p):
            more = excess(load, i, lower, upper, i, weights, -1, j)
            if more < least or (more == least and costs[j, i] < costs[j, to]):
                least, to = more, i
        if least > 0.0 and not overfull:
            return False
        labels[j] = to
        for r in range(weights.shape[1]):
            load[to, r] += weights[j, r]
    return True


@njit(cache=True)
def exchange(costs, weights, fixed, lower, upper, labels, load, price):
    """Shift or exchange points until none lowers the sum of costs (n, p) and what loads (p, r) beyond their bounds
    (p,) and (p, r) cost at a price."""
    n, p = costs.shape
    bottom, here = costs.min(), np.array([costs[j, labels[j]] for j in range(n)])
    fines = np.array([price * excess(load, i, lower, upper, i, weights, -1, -1) for i in range(p)])
    moved = True
    while moved:
        moved, small = False, 1e-9 * fines.max()
        for j in range(n):
            if fixed[j]:
                continue
            a, w = labels[j], weights[j, 0]
            to, other, gain = -1, -1, 1e-9 * abs(costs[j, a]) + small
            if load[a, 0] - w > SLACK * w:  # no cluster becomes empty
                less = costs[j, a] + fines[a] - price * excess(load, a, lower, upper, a, weights, j, -1)
                for b in range(p):
                    if b != a and less - costs[j, b] > gain:
                        worth = less - costs[j, b] + fines[b] - price * excess(load, b, lower, upper, b, weights, -1, j)
                        if worth > gain:
                            to, gain = b, worth
            for h in range(n if to < 0 else 0):  # no room for the point alone: another point has to leave
                b = labels[h]
                if costs[j, a] - costs[j, b] + here[h] - bottom + fines[a] + fines[b] <= gain or b == a or fixed[h]:
                    continue
                worth = costs[j, a] - costs[j, b] + costs[h, b] - costs[h, a] + fines[a] + fines[b]
                if worth <= gain:
                    continue
                worth -= price * excess(load, a, lower, upper, a, weights, j, h)
                worth -= price * excess(load, b, lower, upper, b, weights, h, j)
                if worth > gain:
                    to, other, gain = b, h, worth
            if to < 0:
                continue
            moved, labels[j], here[j] = True, to, costs[j, to]
            if other >= 0:
                labels[other], here[other] = a, costs[other, a]
            for r in range(weights.shape[1]):
                more = weights[j, r] - (weights[other, r] if other >= 0 else 0.0)
                load[a, r] -= more
                load[to, r] += more
            for i in (a, to):
                fines[i] = price * excess(load, i, lower, upper, i, weights, -1, -1)


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
