"""The optimum of the assignment program while its bounds move: kernels on k clusters and one slack node T.

    V(t) = max sum_ij gamma_ij xi_ij   over the polytope with bounds l + t l', u + t u'

is concave and piecewise linear. At a given t the optimal assignment, its residual arcs and the rates l', u' define a
small uncapacitated flow problem on k + 1 nodes:

    arc i -> j       move a share of the cheapest point of i to j, cost W_ij = min of gamma_i - gamma_j over i
    arc i -> T       cluster i keeps more than its moving bound asks, cost 0, unless it sits at its upper bound
    arc T -> i       cluster i gives up more than that, cost 0, unless it sits at its lower bound
    demand of i      l'_i at the lower bound, u'_i at the upper bound, else 0; T balances

Its cheapest flow F is the direction in which the optimal assignment moves and -cost(F) the slope of V. The step
ends when a point's share is used up, a cluster meets a bound, or t reaches its end: a breakpoint of V or of the
basis. Every step has positive length because residual arcs carry positive shares. Cost per step: shortest paths on
k + 1 nodes and O(k log n) heap work; nothing of it depends on n otherwise.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...base.jit import njit
from ..transport.flow.binary_heaps import heapify, sift_down, sift_up

EPS = 1e-9  # Shares and sizes closer than this are equal.
AT_END, NO_FLOW, STEPS_SPENT, STALLED = 0, 1, 2, 3

Marks = namedtuple("Marks", "every labels classes table codes gains sizes digests hits")  # fmt: skip
"""What `walk` notes whenever t has grown by ``every``: the gain, sizes (k,), a digest of the labels, and how many
points are of the largest class of their cluster. Labels (n,) and the table (k, C) of classes follow the shares: a point
that is divided counts where more than half of it is, or else where it was. Codes (n, k) are random words."""


Moving = namedtuple("Moving", "sizes lower upper rate_lower rate_upper at_low at_up")  # fmt: skip
"""Sizes of the clusters and their bounds (k,), the rates at which these move, and which of them the sizes meet."""


Candidates = namedtuple("Candidates", "keys items counts stale first")  # fmt: skip
"""Heaps (k, k, room) of the points that may move between two clusters, by cost, and how many these are; clusters
(k,) that points have entered; the point (k, k) that moves at least cost, -1 for none."""


@njit(cache=True)
def fill(scores, share, keys, items, counts):
    """Candidates of every ordered pair (i, j): the members of i by gamma_i - gamma_j, as heaps."""
    n, k = scores.shape
    for p in range(n):
        for i in range(k):
            if share[p, i] > 0.0:
                for j in range(k):
                    if j != i:
                        c = counts[i, j]
                        keys[i, j, c] = scores[p, i] - scores[p, j]
                        items[i, j, c] = p
                        counts[i, j] = c + 1
    for i in range(k):
        for j in range(k):
            heapify(keys[i, j], items[i, j], counts[i, j])


@njit(cache=True)
def _top(share, keys, items, counts, i, j):
    """First valid candidate of (i, j), dropping points that have left i; -1 for none."""
    key, item, count = keys[i, j], items[i, j], counts[i, j]
    while count > 0 and share[item[0], i] <= EPS:
        count -= 1
        key[0], item[0] = key[count], item[count]
        if count > 1:
            sift_down(key, item, 0, count)
    counts[i, j] = count
    return item[0] if count > 0 else -1


@njit(cache=True)
def _grown(keys, items):
    k, room = keys.shape[0], keys.shape[2]
    new_keys, new_items = np.empty((k, k, 2 * room)), np.empty((k, k, 2 * room), np.int64)
    for i in range(k):
        for j in range(k):
            for slot in range(room):
                new_keys[i, j, slot], new_items[i, j, slot] = keys[i, j, slot], items[i, j, slot]
    return new_keys, new_items


@njit(cache=True)
def direction(cost, demand, flow):
    """Cheapest flow (m, m) that meets the demands, by successive shortest paths (Bellman and Ford)."""
    m = cost.shape[0]
    flow[:] = 0.0
    rest = demand.copy()
    tolerance = 0.0
    for a in range(m):
        for b in range(m):
            if np.isfinite(cost[a, b]):
                tolerance = max(tolerance, abs(cost[a, b]))
    tolerance *= 1e-13
    dist, before = np.empty(m), np.empty(m, np.int64)
    for _ in range(4 * m * m):
        any_source, any_sink = False, False
        for v in range(m):
            before[v] = -1
            dist[v] = 0.0 if rest[v] < -EPS else np.inf
            any_source = any_source or rest[v] < -EPS
            any_sink = any_sink or rest[v] > EPS
        if not (any_source and any_sink):
            return True
        _relax(cost, flow, tolerance, dist, before)
        sink = -1
        for v in range(m):
            if rest[v] > EPS and np.isfinite(dist[v]) and (sink < 0 or dist[v] < dist[sink]):
                sink = v
        if sink < 0:
            return False
        _augment(cost, before, sink, flow, rest)
    return False


@njit(cache=True)
def _relax(cost, flow, tolerance, dist, before):
    """Shortest paths in the residual graph from the nodes at distance 0, by Bellman and Ford, in place."""
    m = cost.shape[0]
    for _ in range(m):
        changed = False
        for a in range(m):
            if np.isfinite(dist[a]):
                for b in range(m):
                    if a != b:
                        c = cost[a, b]
                        if flow[b, a] > EPS and -cost[b, a] < c:
                            c = -cost[b, a]
                        if dist[a] + c < dist[b] - tolerance:
                            dist[b] = dist[a] + c
                            before[b] = a
                            changed = True
        if not changed:
            break


@njit(cache=True)
def _augment(cost, before, sink, flow, rest):
    """Send as much along the path to the sink as its backward arcs and both ends allow."""
    source, amount, hops = sink, rest[sink], 0
    while before[source] >= 0 and hops <= cost.shape[0]:
        a = before[source]
        if flow[source, a] > EPS and -cost[source, a] <= cost[a, source]:
            amount = min(amount, flow[source, a])
        source = a
        hops += 1
    amount = min(amount, -rest[source])
    node = sink
    while node != source:
        a = before[node]
        if flow[node, a] > EPS and -cost[node, a] <= cost[a, node]:
            flow[node, a] -= amount
        else:
            flow[a, node] += amount
        node = a
    rest[source] += amount
    rest[sink] -= amount


@njit(cache=True)
def walk(scores, share, moving, end, max_steps, marks):
    """Walk t from 0 to ``end``; shares, sizes and bounds are updated in place, and `Marks`. Shapes: -> times, gains
    (steps + 1,)."""
    k, (sizes, lower, upper, rate_lower, rate_upper, _, _) = scores.shape[1], moving
    room = int(2.0 * sizes.max()) + 16
    # points that enter a cluster come on top: room for twice the largest before lists have to grow
    keys, items = np.empty((k, k, room)), np.empty((k, k, room), np.int64)
    counts = np.zeros((k, k), np.int64)
    fill(scores, share, keys, items, counts)
    found = Candidates(keys, items, counts, np.ones(k, np.bool_), np.full((k, k), -1))
    cost = np.full((k + 1, k + 1), np.inf)
    demand, flow = np.zeros(k + 1), np.zeros((k + 1, k + 1))
    times, gains = np.zeros(max_steps + 1), np.zeros(max_steps + 1)
    t, gain, steps, stalls = 0.0, 0.0, 0, 0
    net = np.zeros(k)
    number, digest = 0, marks.digests[0]
    while t < end - EPS * max(1.0, end):
        if steps == max_steps:
            return times[: steps + 1], gains[: steps + 1], STEPS_SPENT
        # the arcs of the flow problem at this t, most of them those of the step before
        _price_moves(share, found, cost)
        _price_bounds(moving, demand, cost)
        if not direction(cost, demand, flow):
            return times[: steps + 1], gains[: steps + 1], NO_FLOW
        # the direction holds until a share is used up or a size meets a bound
        step, slope = _drained(share, found.first, cost, flow, min(end, (number + 1) * marks.every) - t, net)
        step = _closed(moving, net, step)
        # ties give steps of length zero, which change the basis: many in a row are rounding going round
        stalls = stalls + 1 if step <= 1e-3 * EPS else 0
        if stalls > 100 * k:
            return times[: steps + 1], gains[: steps + 1], STALLED
        found = _moved(scores, share, step, flow, found)
        for i in range(k):
            sizes[i] += step * net[i]
            lower[i] += step * rate_lower[i]
            upper[i] += step * rate_upper[i]
        t += step
        gain += step * slope
        steps += 1
        times[steps], gains[steps] = t, gain
        if marks.every < np.inf:
            digest = _relabelled(share, flow, found.first, marks, digest)
            if t >= (number + 1) * marks.every - EPS:
                number += 1
                marks.gains[number], marks.digests[number], marks.sizes[number] = gain, digest, sizes
                for i in range(k):
                    marks.hits[number] += marks.table[i].max()
    return times[: steps + 1], gains[: steps + 1], AT_END


@njit(cache=True)
def _relabelled(share, flow, first, marks, digest):
    """The digest once the points of a step have the labels of their larger parts; labels and table in place."""
    k = flow.shape[0] - 1
    for i in range(k):
        for j in range(k):
            if flow[i, j] > EPS:
                p = first[i, j]
                old = marks.labels[p]
                if old != j and share[p, j] > 0.5 + EPS:
                    marks.labels[p] = j
                    marks.table[old, marks.classes[p]] -= 1
                    marks.table[j, marks.classes[p]] += 1
                    digest ^= marks.codes[p, old] ^ marks.codes[p, j]
    return digest


@njit(cache=True)
def _price_moves(share, found, cost):
    """The point that moves at least cost, and that cost, for every pair of clusters (k, k) whose point may be
    another."""
    (keys, items, counts, stale, first), k = found, found.stale.shape[0]
    for i in range(k):
        for j in range(k):
            if i != j and (stale[i] or (first[i, j] >= 0 and share[first[i, j], i] <= EPS)):
                first[i, j] = _top(share, keys, items, counts, i, j)
                cost[i, j] = keys[i, j, 0] if first[i, j] >= 0 else np.inf
    stale[:] = False


@njit(cache=True)
def _price_bounds(moving, demand, cost):
    """Which bounds hold with equality, what they demand of the clusters, and which clusters may grow or shrink."""
    sizes, lower, upper, rate_lower, rate_upper, at_low, at_up = moving
    k = sizes.shape[0]
    demand[k] = 0.0
    for i in range(k):
        at_low[i], at_up[i] = sizes[i] - lower[i] <= EPS, upper[i] - sizes[i] <= EPS
        demand[i] = 0.0
        if at_low[i]:
            demand[i] = rate_lower[i]
        if at_up[i] and (not at_low[i] or rate_upper[i] < demand[i]):
            demand[i] = rate_upper[i]
        demand[k] -= demand[i]
        grows = not at_up[i] or (at_low[i] and rate_lower[i] < rate_upper[i])
        # where both bounds hold the direction may use the room that opens between them, by growing
        shrinks = not at_low[i]
        cost[i, k] = 0.0 if grows else np.inf
        cost[k, i] = 0.0 if shrinks else np.inf


@njit(cache=True)
def _drained(share, first, cost, flow, step, net):
    """The step, or a shorter one after which a point has left its cluster; the slope of V, and ``net`` growth (k,)."""
    k, slope = net.shape[0], 0.0
    net[:] = 0.0
    for i in range(k):
        for j in range(k):
            if flow[i, j] > EPS:
                slope -= flow[i, j] * cost[i, j]
                net[i] -= flow[i, j]
                net[j] += flow[i, j]
                p = first[i, j]
                drain = 0.0  # what this point loses in cluster i on balance
                for h in range(k):
                    if h != i and flow[i, h] > EPS and first[i, h] == p:
                        drain += flow[i, h]
                    if h != i and flow[h, i] > EPS and first[h, i] == p:
                        drain -= flow[h, i]
                if drain > EPS:
                    step = min(step, share[p, i] / drain)
    return step, slope


@njit(cache=True)
def _closed(moving, net, step):
    """The step, or a shorter one after which a size meets a bound that it does not hold yet."""
    sizes, lower, upper, rate_lower, rate_upper, at_low, at_up = moving
    for i in range(net.shape[0]):
        closing = rate_lower[i] - net[i]
        if closing > EPS and not at_low[i]:
            step = min(step, (sizes[i] - lower[i]) / closing)
        closing = net[i] - rate_upper[i]
        if closing > EPS and not at_up[i]:
            step = min(step, (upper[i] - sizes[i]) / closing)
    return step


@njit(cache=True)
def _moved(scores, share, step, flow, found):
    """Move the shares of a step, with the points that enter a cluster into its heaps; these, grown where room ended."""
    (keys, items, counts, stale, first), k = found, found.stale.shape[0]
    for i in range(k):
        for j in range(k):
            if flow[i, j] > EPS:
                p, amount = first[i, j], step * flow[i, j]
                enters = share[p, j] <= EPS
                share[p, i] -= amount
                share[p, j] += amount
                if share[p, i] <= EPS and share[p, i] >= -EPS:
                    share[p, j] += share[p, i]
                    share[p, i] = 0.0
                if enters and share[p, j] > EPS:
                    stale[j] = True
                    for h in range(k):
                        if h != j:
                            if counts[j, h] == keys.shape[2]:
                                keys, items = _grown(keys, items)
                            c = counts[j, h]
                            keys[j, h, c], items[j, h, c] = scores[p, j] - scores[p, h], p
                            counts[j, h] = c + 1
                            sift_up(keys[j, h], items[j, h], c)
    return Candidates(keys, items, counts, stale, first)
