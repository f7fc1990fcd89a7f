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

so that the end (no excess) is optimal and mu - mu_T is the dual certificate. A step finds a shortest path in
reduced costs from one node of positive excess to the nearest node of negative excess (Dijkstra, stopped there),
raises prices by it, and moves pieces along the path as long as they tie. If the path uses an arc whose heap has
run dry, so that W_ij is only a bound, the row of heaps is filled again from the members of i and the search is
repeated: candidates are an economy, never an approximation.

A piece is a point or, with weights, a part of one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from ._transport_heaps import heapify, select, sift_down, sift_up
from ._transport_rows import score_row

DONE, NO_PATH, NO_ROOM, PAUSED = 0, 1, 2, 3


class Pieces(NamedTuple):
    """What is moved. Lengths are the room for pieces; the first n pieces are the points."""

    labels: NDArray[np.int64]
    amounts: NDArray[np.float64]
    points: NDArray[np.int64]
    has_moved: NDArray[np.bool_]
    moved: NDArray[np.int64]
    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]  # [number of pieces, number of entries of `moved`]


class Heaps(NamedTuple):
    """Candidates of every ordered pair of clusters; arrays (k, k) and (k, k, room)."""

    keys: NDArray[np.float64]
    items: NDArray[np.int64]
    counts: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    costs: NDArray[np.float64]
    first: NDArray[np.int64]


class Nodes(NamedTuple):
    """Prices and excesses (k + 1,), targets and bounds (k,)."""

    prices: NDArray[np.float64]
    excess: NDArray[np.float64]
    target: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


@njit(cache=True)
def refresh(pieces, heaps, i, j):
    """Drop pieces that left cluster i from the top of heap (i, j) and write W_ij."""
    keys, items, count = heaps.keys[i, j], heaps.items[i, j], heaps.counts[i, j]
    while count > 0 and pieces.labels[items[0]] != i:
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
def collect(data, pieces, heaps, i, piece, out):
    """Append a member of cluster i to the unordered candidates of (i, 0..k-1), keeping the smallest keys."""
    room = heaps.keys.shape[2]
    score_row(data, pieces.points[piece], out)
    own = out[i]
    for j in range(out.size):
        key = own - out[j]
        if key < heaps.thresholds[i, j] and j != i:
            count = heaps.counts[i, j]
            heaps.keys[i, j, count], heaps.items[i, j, count] = key, piece
            count += 1
            if count == room:
                count = room // 2
                heaps.thresholds[i, j] = select(heaps.keys[i, j], heaps.items[i, j], room, count)
            heaps.counts[i, j] = count


@njit(cache=True)
def fill_row(data, pieces, heaps, i):
    """Fill the heaps (i, 0..k-1) from the present members of cluster i."""
    k = heaps.costs.shape[0]
    out = np.empty(k)
    for j in range(k):
        heaps.counts[i, j], heaps.thresholds[i, j] = 0, np.inf
    for position in range(pieces.starts[i], pieces.starts[i + 1]):
        piece = pieces.order[position]
        if not pieces.has_moved[piece]:
            collect(data, pieces, heaps, i, piece, out)
    for position in range(pieces.counts[1]):
        piece = pieces.moved[position]
        if pieces.labels[piece] == i:
            collect(data, pieces, heaps, i, piece, out)
    for j in range(k):
        heapify(heaps.keys[i, j], heaps.items[i, j], heaps.counts[i, j])
        refresh(pieces, heaps, i, j)


@njit(cache=True, parallel=True)
def fill_rows(data, pieces, heaps, rows):
    """Fill the heaps of several clusters; every row is written by one thread."""
    for position in prange(rows.size):
        fill_row(data, pieces, heaps, rows[position])


@njit(cache=True)
def make_room(pieces, heaps, i, j):
    """Halve a full heap: drop pieces that left, then the largest keys, and lower thr_ij accordingly."""
    keys, items, count = heaps.keys[i, j], heaps.items[i, j], 0
    for position in range(heaps.counts[i, j]):
        if pieces.labels[items[position]] == i:
            keys[count], items[count] = keys[position], items[position]
            count += 1
    half = keys.size // 2
    if count > half:
        heaps.thresholds[i, j] = select(keys, items, count, half)
        count = half
    heapify(keys, items, count)
    heaps.counts[i, j] = count


@njit(cache=True)
def enter(data, pieces, heaps, i, piece, out):
    """Offer a piece that has just come to cluster i to the heaps (i, 0..k-1)."""
    score_row(data, pieces.points[piece], out)
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
            heaps.keys[i, j, count], heaps.items[i, j, count] = key, piece
            sift_up(heaps.keys[i, j], heaps.items[i, j], count)
            heaps.counts[i, j] = count + 1
            refresh(pieces, heaps, i, j)


@njit(cache=True)
def move(data, pieces, heaps, i, j, amount, tiny, out):
    """Move ``amount`` of the first piece of heap (i, j) to cluster j, splitting it where it is larger."""
    piece = heaps.first[i, j]
    if pieces.amounts[piece] - amount > tiny:
        pieces.amounts[piece] -= amount
        part = pieces.counts[0]
        pieces.counts[0] += 1
        pieces.amounts[part], pieces.points[part] = amount, pieces.points[piece]
        piece = part
    pieces.labels[piece] = j
    if not pieces.has_moved[piece]:
        pieces.has_moved[piece] = True
        pieces.moved[pieces.counts[1]] = piece
        pieces.counts[1] += 1
    for m in range(out.size):
        if heaps.first[i, m] == piece:
            refresh(pieces, heaps, i, m)
    enter(data, pieces, heaps, j, piece, out)


@njit(cache=True)
def search(heaps, nodes, source, tiny, distance, parent, settled):
    """Shortest reduced distances from ``source`` up to the nearest node in deficit; return that node or -1."""
    k = nodes.target.size
    prices = nodes.prices
    for v in range(k + 1):
        distance[v], parent[v], settled[v] = np.inf, -1, False
    distance[source] = 0.0
    while True:
        v, here = -1, np.inf
        for node in range(k + 1):
            if not settled[node] and distance[node] < here:
                v, here = node, distance[node]
        if v < 0:
            return -1
        settled[v] = True
        if nodes.excess[v] < -tiny:
            return v
        if v == k:
            for i in range(k):
                if not settled[i] and nodes.target[i] - nodes.lower[i] > tiny:
                    there = here + max(prices[i] - prices[k], 0.0)
                    if there < distance[i]:
                        distance[i], parent[i] = there, k
            continue
        base = here - prices[v]
        for i in range(k):
            there = max(base + heaps.costs[v, i] + prices[i], here)
            if there < distance[i] and not settled[i]:
                distance[i], parent[i] = there, v
        if not settled[k] and nodes.upper[v] - nodes.target[v] > tiny:
            there = here + max(prices[k] - prices[v], 0.0)
            if there < distance[k]:
                distance[k], parent[k] = there, v


@njit(cache=True)
def largest_push(pieces, heaps, nodes, sink, source, parent):
    """How much one push along the path may carry."""
    k = nodes.target.size
    amount = min(nodes.excess[source], -nodes.excess[sink])
    v = sink
    while v != source:
        u = parent[v]
        if u == k:
            amount = min(amount, nodes.target[v] - nodes.lower[v])
        elif v == k:
            amount = min(amount, nodes.upper[u] - nodes.target[u])
        else:
            amount = min(amount, pieces.amounts[heaps.first[u, v]])
        v = u
    return amount


@njit(cache=True)
def push(data, pieces, heaps, nodes, sink, source, parent, tiny, out):
    """Push along the path; return whether every arc still ties, so that it can be pushed along again."""
    k = nodes.target.size
    amount = largest_push(pieces, heaps, nodes, sink, source, parent)
    nodes.excess[source] -= amount
    nodes.excess[sink] += amount
    ties = True
    v = sink
    while v != source:
        u = parent[v]
        if u == k:
            nodes.target[v] -= amount
            ties = ties and nodes.target[v] - nodes.lower[v] > tiny
        elif v == k:
            nodes.target[u] += amount
            ties = ties and nodes.upper[u] - nodes.target[u] > tiny
        else:
            cost = heaps.costs[u, v]
            move(data, pieces, heaps, u, v, amount, tiny, out)
            ties = ties and heaps.costs[u, v] == cost and heaps.first[u, v] >= 0
        v = u
    return ties and nodes.excess[source] > tiny and nodes.excess[sink] < -tiny


@njit(cache=True)
def dry_arc(heaps, k, sink, source, parent):
    """First cluster on the path whose outgoing arc has a bound but no piece, or -1."""
    v = sink
    while v != source:
        u = parent[v]
        if u != k and v != k and heaps.first[u, v] < 0:
            return u
        v = u
    return -1


@njit(cache=True)
def run(data, pieces, heaps, nodes, tiny, max_steps, max_fills, used):
    """Push until no node has an excess.

    ``used`` (2,) counts searches and refilled rows. Returns DONE, NO_PATH (bounds met up to rounding only),
    NO_ROOM (the arrays of pieces are full) or PAUSED (``max_steps`` searches or ``max_fills`` refills done).
    """
    k = nodes.target.size
    distance, parent, settled = np.empty(k + 1), np.empty(k + 1, np.int64), np.empty(k + 1, np.bool_)
    out = np.empty(k)
    steps, fills = used[0] + max_steps, used[1] + max_fills
    source = 0
    while True:
        turns = 0
        while turns <= k and nodes.excess[source] <= tiny:
            source = source + 1 if source < k else 0
            turns += 1
        if turns > k:
            return DONE
        if used[0] >= steps or used[1] >= fills:
            return PAUSED
        sink = search(heaps, nodes, source, tiny, distance, parent, settled)
        if sink < 0:
            return NO_PATH
        used[0] += 1
        row = dry_arc(heaps, k, sink, source, parent)
        if row >= 0:
            fill_row(data, pieces, heaps, row)
            used[1] += 1
            continue
        for v in range(k + 1):
            if settled[v]:
                nodes.prices[v] += distance[sink] - distance[v]
        while True:
            if pieces.labels.size - pieces.counts[0] <= k:
                return NO_ROOM
            if not push(data, pieces, heaps, nodes, sink, source, parent, tiny, out):
                break
