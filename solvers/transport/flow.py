"""The contracted flow: k clusters and one slack node T, one heap of candidates for every pair of clusters.

State
    mu_v          price of node v = 0..k; mu_k belongs to T
    f_i           the size that cluster i is to have, l_i <= f_i <= u_i
    e_i           excess: size of i minus f_i;   e_T = sum f - total
    heap (i, j)   pieces p of cluster i by key gamma_pi - gamma_pj, only those with key < thr_ij
    thr_ij        every piece of i that is not in the heap has key >= thr_ij
    W_ij          min(first key of the heap, thr_ij): a lower bound on the cost w_ij of moving a piece from i to j

Invariant, kept by every step: the reduced costs of all residual arcs are not negative,

    (7)  W_ij - mu_i + mu_j >= 0              a piece of i could move to j
    (8)  -mu_i + mu_T >= 0   while f_i < u_i      cluster i could be allowed to be larger
    (9)   mu_i - mu_T >= 0   while f_i > l_i      cluster i could be asked to be smaller

so that the end (no excess) is optimal and mu - mu_T is the dual certificate. A step finds shortest paths in
reduced costs from all nodes of positive excess (Dijkstra, until every node of negative excess is reached), raises
prices by them, and moves pieces along the tree of paths while their arcs tie: many pushes for one search. If a
path uses an arc whose heap has run dry, so that W_ij is only a bound, the heaps of i are filled again from its
members before the next search: candidates are an economy, never an approximation.

A piece is a point or, with weights, the part of it that lies in one cluster (`pieces`).

Why it ends with weights, where a push moves whatever the narrowest piece of its path holds
    1. There are at most n + k - 1 pieces between two pushes: what arrives is merged, cycles are cancelled.
    2. Reduced costs up to ``tie``, a bound on what rounding does to them, count as zero. So (7) to (9) hold up to
       ``tie``, for good: a search never lowers a reduced cost below zero, and arcs that a push opens are the
       reverse of arcs that tie. Prices rise by more than ``tie`` or not at all.
    3. Every search pushes or fills a heap, and pushes more than ``tiny``: a push empties a piece, an excess, a deficit
       or a bound. Without a rise of prices, searches take shortest paths by number of arcs, so that an arc that
       was emptied comes back only when paths have become longer (Edmonds and Karp): at most about k times the number
       of tied pieces. Merging and cancelling open no arc. A rise of prices raises the dual value, which is bounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ...base.jit import njit
from .heaps import heapify, select, sift_down, sift_up
from .pieces import NONE, cancel_cycle, find, shift
from .rows import score_row, score_some

DONE, NO_PATH, PAUSED, DRY = 0, 1, 2, 3
ROUNDING = 16 * np.finfo(np.float64).eps  # of a price, in sums of a few prices and scores


class Heaps(NamedTuple):
    """Candidates of every ordered pair of clusters.

    ``base`` (k,) holds the prices at which the points were first assigned. Filling (i, j) for the first, second,
    third time looks at the points of cluster i that have not moved and whose margin is below reach[i, 0..2], the
    last of which is infinite: all others have keys of at least base_i - base_j + reach, which is where thr_ij starts.
    """

    keys: NDArray[np.float64]  # (k, k, room)
    items: NDArray[np.int64]  # (k, k, room)
    counts: NDArray[np.int64]  # (k, k)
    thresholds: NDArray[np.float64]  # (k, k) thr_ij
    costs: NDArray[np.float64]  # (k, k) W_ij
    first: NDArray[np.int64]  # (k, k) the piece of key W_ij, or -1 where W_ij is only a bound
    times: NDArray[np.int64]  # (k, k) how often a pair was filled
    dry: NDArray[np.bool_]  # (k, k) pairs to be filled
    reach: NDArray[np.float64]  # (k, 3)
    base: NDArray[np.float64]  # (k,)


class Nodes(NamedTuple):
    """Prices and excesses (k + 1,), targets and bounds (k,)."""

    prices: NDArray[np.float64]
    excess: NDArray[np.float64]
    target: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


@njit(cache=True)
def refresh(pieces, heaps, i, j):
    """Drop points that left cluster i from the top of heap (i, j) and write W_ij."""
    keys, items, count = heaps.keys[i, j], heaps.items[i, j], heaps.counts[i, j]
    while count > 0 and pieces.labels[items[0]] != i and find(pieces, items[0], i) == NONE:
        count -= 1
        keys[0], items[0] = keys[count], items[count]
        if count > 1:
            sift_down(keys, items, 0, count)
    heaps.counts[i, j] = count
    if count > 0:
        heaps.costs[i, j], heaps.first[i, j] = keys[0], items[0]
    else:
        heaps.costs[i, j], heaps.first[i, j] = heaps.thresholds[i, j], -1


@njit(cache=True)
def collect(data, heaps, i, others, point, out):
    """Append a member of cluster i to the unordered candidates of (i, others), keeping the smallest keys."""
    room = heaps.keys.shape[2]
    if 4 * others.size < out.size:
        score_some(data, point, i, others, out)
    else:
        score_row(data, point, out)
    own = out[i]
    for j in others:
        key = own - out[j]
        if key < heaps.thresholds[i, j]:
            count = heaps.counts[i, j]
            heaps.keys[i, j, count], heaps.items[i, j, count] = key, point
            count += 1
            if count == room:
                count = room // 2
                heaps.thresholds[i, j] = select(heaps.keys[i, j], heaps.items[i, j], room, count)
            heaps.counts[i, j] = count


@njit(cache=True)
def fill_row(data, pieces, heaps, i):
    """Fill the dry heaps of cluster i from its present members within reach."""
    others, out = np.flatnonzero(heaps.dry[i]), np.empty(heaps.costs.shape[0])
    widest = 0.0
    for j in others:
        reach = heaps.reach[i, min(heaps.times[i, j], 2)]
        widest = max(widest, reach)
        heaps.counts[i, j], heaps.thresholds[i, j] = 0, heaps.base[i] - heaps.base[j] + reach
    for position in range(pieces.starts[i], pieces.starts[i + 1]):
        if pieces.margins[position] < widest:
            point = pieces.order[position]
            if not pieces.has_moved[point]:
                collect(data, heaps, i, others, point, out)
    for position in range(pieces.counts[1]):
        point = pieces.moved[position]
        if find(pieces, point, i) != NONE:
            collect(data, heaps, i, others, point, out)
    for j in others:
        heapify(heaps.keys[i, j], heaps.items[i, j], heaps.counts[i, j])
        refresh(pieces, heaps, i, j)
        heaps.times[i, j] += 1
        heaps.dry[i, j] = False


@njit(cache=True)
def put_candidates(points, pairs, keys, heaps):
    """Fill empty heaps with candidates whose keys are reduced by the prices ``heaps.base``."""
    k, room = heaps.base.size, heaps.keys.shape[2]
    for position in range(points.size):
        i, j = divmod(pairs[position], k)
        key = keys[position] + (heaps.base[i] - heaps.base[j])
        if key < heaps.thresholds[i, j]:
            count = heaps.counts[i, j]
            heaps.keys[i, j, count], heaps.items[i, j, count] = key, points[position]
            count += 1
            if count == room:
                count = room // 2
                heaps.thresholds[i, j] = select(heaps.keys[i, j], heaps.items[i, j], room, count)
            heaps.counts[i, j] = count
    for i in range(k):
        for j in range(k):
            heapify(heaps.keys[i, j], heaps.items[i, j], heaps.counts[i, j])
            if heaps.counts[i, j] > 0:
                heaps.costs[i, j], heaps.first[i, j] = heaps.keys[i, j, 0], heaps.items[i, j, 0]
            else:
                heaps.costs[i, j] = heaps.thresholds[i, j]


@njit(cache=True)
def reaches(margins, starts, wanted):
    """Margins (k, 3) that about wanted[0], wanted[1], all points of each cluster stay below.

    Estimated on at most 4096 of them, evenly spaced.
    """
    k = starts.size - 1
    out = np.full((k, 3), np.inf)
    for i in range(k):
        size = starts[i + 1] - starts[i]
        sample = margins[starts[i] : starts[i + 1] : (size + 4095) // 4096 or 1].copy()
        for level in range(2):
            rank = int(wanted[level] / max(size, 1) * sample.size)
            if rank < sample.size:
                out[i, level] = select(sample, sample.copy(), sample.size, rank)
    return out


@njit(cache=True, parallel=True)
def fill_rows_shared(data, pieces, heaps, rows):
    """Fill the heaps of several clusters; every row is written by one thread."""
    for position in prange(rows.size):
        fill_row(data, pieces, heaps, rows[position])


@njit(cache=True)
def fill_rows(data, pieces, heaps, rows):
    """The same on one thread, for work that is over before other threads are awake."""
    for position in range(rows.size):
        fill_row(data, pieces, heaps, rows[position])


@njit(cache=True)
def make_room(pieces, heaps, i, j):
    """Halve a full heap: drop points that left, then the largest keys, and lower thr_ij accordingly."""
    keys, items, count = heaps.keys[i, j], heaps.items[i, j], 0
    for position in range(heaps.counts[i, j]):
        if find(pieces, items[position], i) != NONE:
            keys[count], items[count] = keys[position], items[position]
            count += 1
    half = keys.size // 2
    if count > half:
        heaps.thresholds[i, j] = select(keys, items, count, half)
        count = half
    heapify(keys, items, count)
    heaps.counts[i, j] = count


@njit(cache=True)
def enter(data, pieces, heaps, i, point, out):
    """Offer a point that has just come to cluster i to the heaps (i, 0..k-1)."""
    score_row(data, point, out)
    own = out[i]
    for j in range(out.size):
        key = own - out[j]
        if key < heaps.thresholds[i, j] and j != i:
            if heaps.counts[i, j] == heaps.keys.shape[2]:
                make_room(pieces, heaps, i, j)
                if key >= heaps.thresholds[i, j]:
                    refresh(pieces, heaps, i, j)
                    continue
            count = heaps.counts[i, j]
            heaps.keys[i, j, count], heaps.items[i, j, count] = key, point
            sift_up(heaps.keys[i, j], heaps.items[i, j], count)
            heaps.counts[i, j] = count + 1
            refresh(pieces, heaps, i, j)


@njit(cache=True)
def move(data, pieces, heaps, point, i, j, amount, tiny, out):
    """Move ``amount`` of a point from cluster i to cluster j, splitting the piece where it is larger."""
    gone = new = True
    if pieces.first_part.size == 0:
        pieces.labels[point] = j
    else:
        gone, new = shift(pieces, point, i, j, amount, tiny)
    if not pieces.has_moved[point]:
        pieces.has_moved[point] = True
        pieces.moved[pieces.counts[1]] = point
        pieces.counts[1] += 1
    if gone:
        for m in range(out.size):
            if heaps.first[i, m] == point:
                refresh(pieces, heaps, i, m)
    if new:
        enter(data, pieces, heaps, j, point, out)


@njit(cache=True)
def cancel_cycles(pieces, heaps, root, cycle, tiny):
    """Make the parts a forest again."""
    while True:
        count = cancel_cycle(pieces, root, cycle, tiny)
        if count == 0:
            return
        for position in range(count):
            point, i = cycle[position, 0], cycle[position, 1]
            if find(pieces, point, i) == NONE:
                for j in range(root.size):
                    if heaps.first[i, j] == point:
                        refresh(pieces, heaps, i, j)


@njit(cache=True, fastmath={"nnan", "nsz"})  # so that the loops below become vector instructions
def relax(costs, prices, offset, floor, tie, v, distance, queue, parent):
    """Try node v as the last stop before every cluster: costs + prices + offset away, floor when up to ``tie``."""
    for i in range(costs.size):
        there = max(costs[i] + prices[i] + offset, floor)
        there = floor if there <= tie else there
        better = there < distance[i]
        distance[i] = there if better else distance[i]
        queue[i] = there if better else queue[i]
        parent[i] = v if better else parent[i]


@njit(cache=True, fastmath={"nnan", "nsz"})
def nearest(queue, parent, hops, weighted):
    """Position of the smallest entry, or -1 when all are infinite; on ties the first one.

    With weights the one of fewest hops comes first on ties; its hops are written.
    """
    size = queue.size
    a = b = c = d = e = f = g = h = np.inf  # eight minima side by side: one alone waits for itself
    for v in range(0, size - 7, 8):
        a, b, c, d = min(a, queue[v]), min(b, queue[v + 1]), min(c, queue[v + 2]), min(d, queue[v + 3])
        e, f, g, h = min(e, queue[v + 4]), min(f, queue[v + 5]), min(g, queue[v + 6]), min(h, queue[v + 7])
    for v in range(size - size % 8, size):
        a = min(a, queue[v])
    least = min(min(min(a, b), min(c, d)), min(min(e, f), min(g, h)))
    if least == np.inf:
        return -1
    here, fewest = -1, queue.size + 1
    for v in range(queue.size):
        if queue[v] == least:
            if not weighted:
                return v
            count = hops[parent[v]] + 1 if parent[v] >= 0 else 0
            if count < fewest:
                here, fewest = v, count
    hops[here] = fewest
    return here


@njit(cache=True)
def search(heaps, nodes, tiny, tie, enough, paths):
    """Shortest reduced distances from all nodes in excess, up to the last node in deficit that can be reached.

    Distances in the queue are final once they leave it: reduced costs of at most ``tie`` count as zero.
    Writes the nodes in deficit in the order in which they were reached, and returns their number and the
    distance at which the search ended.
    """
    k = nodes.target.size
    prices = nodes.prices
    distance, queue, parent, arrival, sinks, hops = paths
    distance[:], queue[:], parent[:] = np.inf, np.inf, -1
    wanted, found, here = 0, 0, 0.0
    for v in range(k + 1):
        if nodes.excess[v] > tiny:
            distance[v] = queue[v] = 0.0
        elif nodes.excess[v] < -tiny:
            wanted += 1
    while found < min(wanted, enough):
        v = nearest(queue, parent, hops, tie > 0.0)
        if v < 0:
            break
        here = distance[v]
        queue[v] = np.inf
        u = parent[v]
        if 0 <= u < k and v < k:
            arrival[v] = heaps.costs[u, v]
        if nodes.excess[v] < -tiny:
            sinks[found] = v
            found += 1
        if v == k:
            for i in range(k):
                rise = prices[i] - prices[k]
                there = here + rise if rise > tie else here
                if nodes.target[i] - nodes.lower[i] > tiny and there < distance[i]:
                    distance[i], queue[i], parent[i] = there, there, k
            continue
        relax(heaps.costs[v], prices, here - prices[v], here, here + tie, v, distance[:k], queue[:k], parent[:k])
        rise = prices[k] - prices[v]
        there = here + rise if rise > tie else here
        if nodes.upper[v] - nodes.target[v] > tiny and there < distance[k]:
            distance[k], queue[k], parent[k] = there, there, v
    return found, here


@njit(cache=True)
def largest_push(pieces, heaps, nodes, sink, paths, tiny):
    """How much one push along the path to ``sink`` may carry now.

    0 when an arc of it does not tie any more, -1 when one is dry.
    An arc that has a bound but no piece is marked as dry.
    """
    k = nodes.target.size
    parent, arrival = paths[2], paths[3]
    amount = -nodes.excess[sink]
    v = sink
    while parent[v] >= 0:
        u = parent[v]
        if u == k:
            amount = min(amount, nodes.target[v] - nodes.lower[v])
        elif v == k:
            amount = min(amount, nodes.upper[u] - nodes.target[u])
        elif heaps.costs[u, v] != arrival[v]:
            return 0.0
        elif heaps.first[u, v] < 0:
            heaps.dry[u, v] = True
            return -1.0
        else:  # written out: a call here costs what a short path does
            point = heaps.first[u, v]
            if 0 <= parent[u] < k and heaps.first[parent[u], u] == point:
                pass  # the path brings the same point to u: what lies there stays there
            elif pieces.labels[point] == u:
                amount = min(amount, pieces.amounts[point])
            else:
                part = pieces.first_part[point]
                while pieces.part_labels[part] != u:
                    part = pieces.part_next[part]
                amount = min(amount, pieces.part_amounts[part])
        v = u
    amount = min(amount, nodes.excess[v])
    return amount if amount > tiny else 0.0


@njit(cache=True)
def push(data, pieces, heaps, nodes, sink, amount, parent, tiny, out):
    """Push ``amount`` along the path to ``sink``."""
    k = nodes.target.size
    nodes.excess[sink] += amount
    v = sink
    while parent[v] >= 0:
        u = parent[v]
        if u == k:
            nodes.target[v] -= amount
        elif v == k:
            nodes.target[u] += amount
        else:
            point = heaps.first[u, v]
            while 0 <= parent[u] < k and heaps.first[parent[u], u] == point:
                u = parent[u]  # a point that goes on from u goes there at once
            move(data, pieces, heaps, point, u, v, amount, tiny, out)
        v = u
    nodes.excess[v] -= amount


@njit(cache=True)
def run(data, pieces, heaps, nodes, tiny, noise, enough, budget, used):
    """Search and push until no node has an excess.

    ``used`` (2,) counts searches and pushes; ``noise`` is what rounding may do to a score, 0 without weights. Dry
    heaps are filled on the spot once the points are sorted by cluster.
    Returns DONE, NO_PATH (the bounds can be met up to rounding only), DRY (the heaps marked as dry are to be filled
    again) or PAUSED (``budget`` searches and pushes done).
    """
    k = nodes.target.size
    parent, sinks, hops = np.empty(k + 1, np.int64), np.empty(k + 1, np.int64), np.empty(k + 1, np.int64)
    paths = (np.empty(k + 1), np.empty(k + 1), parent, np.empty(k + 1), sinks, hops)
    out, root, cycle = np.empty(k), np.empty(k, np.int64), np.empty((k + 1, 3), np.int64)
    weighted, tie = noise > 0.0, 0.0
    while budget > 0:
        if nodes.excess.max() <= tiny:
            return DONE
        if weighted:
            tie = max(tie, noise + ROUNDING * max(nodes.prices.max(), -nodes.prices.min()))
        found, reached = search(heaps, nodes, tiny, tie, enough, paths)
        used[0] += 1
        budget -= 1
        dry = False
        if found == 0:
            return NO_PATH
        for v in range(k + 1):
            if paths[0][v] < reached:
                nodes.prices[v] += reached - paths[0][v]
        for position in range(found):
            while nodes.excess[sinks[position]] < -tiny and budget > 0:
                amount = largest_push(pieces, heaps, nodes, sinks[position], paths, tiny)
                if amount <= 0.0:
                    dry = dry or amount < 0.0
                    break
                made = pieces.counts[2]
                push(data, pieces, heaps, nodes, sinks[position], amount, parent, tiny, out)
                used[1] += 1
                budget -= 1
                if pieces.counts[2] > made:
                    cancel_cycles(pieces, heaps, root, cycle, tiny)
        if dry and pieces.starts.size > 0:
            for v in range(k):
                if heaps.dry[v].any():
                    fill_row(data, pieces, heaps, v)
        elif dry:
            return DRY
    return PAUSED
