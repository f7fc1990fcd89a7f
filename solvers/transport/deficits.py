"""Prices of clusters that lack points: a reverse auction over lists.

In an `auction` prices rise only. Where a few clusters lack points that lie far away, the prices of all others have to
rise by what it costs to bring them there, and nearly all lists are taken anew on the way. Here the prices of the few
fall instead: a cluster that lacks m points lowers its price, by eps more than it must, until m points would come to it,
and takes them; the cluster that they leave is next where it lacks points then.

The lists, sorted by cluster, say which points may come. A price that falls further than they reach needs the scores of
all points.

References
----------
Bertsekas, Castanon and Tsaknakis (1993), "Reverse auction and the solution of inequality constrained assignment
problems", *SIAM Journal on Optimization* 3.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import njit
from .rows import is_matrix

SPARE = 64  # points besides those that it lacks that a cluster knows when it has looked at all of them


@njit(cache=True)
def by_cluster(lists, k, room):
    """Points and scores of all list entries by cluster, with ``room`` for more at the end.

    Those of cluster i stand from starts[i] to ends[i].
    """
    n, size = lists.values.shape
    starts, ends = np.zeros(k, np.int64), np.zeros(k, np.int64)
    points, values = np.empty(n * size + room, np.int64), np.empty(n * size + room)
    for x in range(n):
        for position in range(size):
            ends[lists.clusters[x, position]] += 1
    starts[1:] = np.cumsum(ends)[:-1]
    ends[:] = starts
    for x in range(n):
        for position in range(size):
            i = lists.clusters[x, position]
            points[ends[i]], values[ends[i]] = x, lists.values[x, position]
            ends[i] += 1
    return starts, ends, points, values


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})
def score_all(data, i, out):
    """Write the scores of all points for cluster i, up to rounding."""
    rows, columns, offsets, origin = data
    column, d = columns[:, i].copy(), columns.shape[0]
    if is_matrix(data):
        out[:] = rows[:, i]
        return
    for x in range(out.size):
        value, f = 0.0, origin.size
        for q in range(origin.size):
            value += (np.float64(rows[x, q]) - origin[q]) * column[q]
        for p in range(origin.size if d > origin.size else 0):  # products of p and q
            y = np.float64(rows[x, p]) - origin[p]
            for q in range(p, origin.size):
                value += y * (np.float64(rows[x, q]) - origin[q]) * column[f]
                f += 1
        out[x] = offsets[i] + value


@njit(cache=True)
def still_lacks(market, i, lower, eps):
    """The points that a cluster lacks, after it requires fewer where its price is that of the slack node."""
    k = lower.size
    if market.excess[i] < 0 and market.prices[i] <= market.prices[k] + eps:
        amount = min(market.required[i] - lower[i], -market.excess[i])
        market.required[i] -= amount
        market.excess[i] += amount
        market.excess[k] -= amount
    return int(np.ceil(-market.excess[i]))


@njit(cache=True)
def losses(market, own, i, points, values, start, end, leads, entries):
    """What points would lose in cluster i were its price zero, and where they stand; returns their number."""
    count = 0
    for a in range(start, end):
        x = points[a]
        if market.labels[x] != i:
            leads[count], entries[count] = own[x] - market.prices[market.labels[x]] - values[a], a
            count += 1
    return count


@njit(
    cache=True,
    seconds_to_compile=3.0,
    seconds_uncompiled=lambda data, lists, *others: 1e-5 * lists.values.size,
)
def fill_deficits(data, lists, lower, market, eps, budget):
    """Lower prices until no cluster of points without weights lacks any.

    ``budget`` is how many list entries are looked at. Returns whether it was enough.
    """
    n, k, labels, prices, excess = lists.values.shape[0], lower.size, market.labels, market.prices, market.excess
    queue, waiting, first, count = np.empty(k, np.int64), np.zeros(k, np.bool_), 0, 0
    for i in range(k):
        if still_lacks(market, i, lower, eps) > 0:
            queue[count], waiting[i] = i, True
            count += 1
    starts, ends, points, values = by_cluster(lists, k, n)
    room, own, leads, entries = lists.values.size, np.empty(n), np.empty(n), np.empty(n, np.int64)
    for x in range(n):
        for position in range(lists.values.shape[1]):
            if lists.clusters[x, position] == labels[x]:
                own[x] = lists.values[x, position]
        leads[x] = own[x] - prices[labels[x]] - lists.outside[x]
    reach = prices[:k] - np.median(leads)  # the price below which points may come that do not list the cluster
    while count > 0 and budget > 0:
        i = queue[first]
        first, count = (first + 1) % k, count - 1
        waiting[i] = False
        m = still_lacks(market, i, lower, eps)
        if m <= 0:
            continue
        least = prices[k] if prices[i] > prices[k] + eps else -np.inf
        budget -= ends[i] - starts[i]
        found = losses(market, own, i, points, values, starts[i], ends[i], leads, entries)
        level = np.partition(leads[:found], m - 1)[m - 1] if m <= found else np.inf
        if max(-level, least) < reach[i]:
            budget -= n
            kept = min(m + SPARE, n)
            if room + kept > points.size:
                return False
            score_all(data, i, leads)
            for x in range(n):
                leads[x] = own[x] - prices[labels[x]] - leads[x] if labels[x] != i else np.inf
            reach[i], starts[i] = -np.partition(leads, kept - 1)[kept - 1], room
            for x in range(n):
                if leads[x] <= -reach[i] and labels[x] != i and room < starts[i] + kept:
                    points[room], values[room] = x, own[x] - prices[labels[x]] - leads[x]
                    room += 1
            ends[i] = room
            found = losses(market, own, i, points, values, starts[i], ends[i], leads, entries)
            level = np.partition(leads[:found], m - 1)[m - 1] if m <= found else np.inf
        if level == np.inf and least == -np.inf:
            return False
        level = min(level, -least)
        for c in range(found):
            if leads[c] > level or m == 0:
                continue
            m -= 1
            x = points[entries[c]]
            before = labels[x]
            excess[before] -= 1.0
            excess[i] += 1.0
            labels[x], own[x] = i, values[entries[c]]
            if not waiting[before] and still_lacks(market, before, lower, eps) > 0:
                queue[(first + count) % k], waiting[before] = before, True
                count += 1
        prices[i] = min(prices[i], max(-level - eps, least))
        if still_lacks(market, i, lower, eps) > 0:
            queue[(first + count) % k], waiting[i] = i, True
            count += 1
    return count == 0
