"""The flow on the contracted graph: k cluster nodes, one slack node T, arcs between clusters with heaps of candidates.

State
    mu_v          price of node v = 0..k; mu_k belongs to T
    f_i           the size that cluster i is required to have, l_i <= f_i <= u_i
    e_i           excess: size of cluster i minus f_i;   e_T = sum of all f_i minus the total size
    heap (i, j)   pieces p of cluster i by key gamma_pi - gamma_pj, only those with a key below thr_ij
    thr_ij        every piece of cluster i that is not in the heap has a key of at least thr_ij
    W_ij          min(smallest key of the heap, thr_ij): a lower bound on the cost w_ij of moving a piece from i to j
    beyond_i      where i has no arc to j, W_ij is mu_i - mu_j + beyond_i at the prices mu of the first pass

Every step keeps the following invariant: the reduced costs of all residual arcs are not negative,

    (7)  W_ij - mu_i + mu_j >= 0              a piece of i could move to j
    (8)  -mu_i + mu_T >= 0   while f_i < u_i      cluster i could be required to be larger
    (9)   mu_i - mu_T >= 0   while f_i > l_i      cluster i could be required to be smaller

so that the assignment is optimal once no node has an excess, and mu - mu_T is the dual certificate. A step finds
shortest paths in reduced costs from all nodes in excess (Dijkstra's algorithm, until some nodes in deficit are
reached), raises the prices by the distances, and moves pieces along the paths while the costs of their arcs stay the
same: one search serves many moves. When a path uses an arc whose heap is exhausted, so that W_ij is only a bound, the
heaps of cluster i are filled again from its members before the next search. A search ends where a bound beyond_i would
be the shortest way on; cluster i then gets arcs to more clusters. So candidates save work, and the result is exact all
the same. Where clusters are small, there are no heaps: W_ij is w_ij (`dense_costs`).

A piece is a point or, with weights, the part of a point that lies in one cluster (`pieces`).

With weights, a path carries what the smallest piece on it holds. Why the flow ends all the same:
    1. There are at most n + k - 1 pieces between two moves: a piece that arrives where its point lies already is
       merged with that part, and cycles of parts are cancelled.
    2. Reduced costs of at most ``tie``, a bound on what rounding does to them, count as zero. So (7) to (9) hold up
       to ``tie``: a search never lowers a reduced cost below zero, and the arcs that a move opens are the reverse of
       arcs of zero reduced cost. Prices rise by more than ``tie`` or not at all.
    3. Every search fills a heap or moves more than ``tolerance``, and a move empties a piece, an excess or a deficit,
       or takes a required size to its bound. As long as prices do not rise, searches take the shortest paths by
       number of arcs, so that an arc that was emptied comes back only when paths have become longer (Edmonds and
       Karp): that happens at most about k times the number of tied pieces. Merging and cancelling open no arc.
       A rise of prices raises the dual value, which is bounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.jit import njit
from .dense_costs import come, leave
from .heaps import fill_row, insert_piece, pop_stale
from .pieces import NONE, cancel_cycle, find, shift, write_home

DONE, BLOCKED_BY_ROUNDING, PAUSED, EXHAUSTED = 0, 1, 2, 3
SOURCES_PER_SINK = 16  # With many clusters in excess a search reaches one deficit for so many of them.
RESIDUES = 64  # The smallest of many numbers is found by so many residues of positions, in vector instructions.
BOUND_GROWTH = 8.0  # This is the factor on the bound of pairs without arcs where it is too small.
PRICE_ROUNDING = 16 * np.finfo(np.float64).eps  # A sum of a few prices and scores errs by this share of them.


@njit(cache=True, borrowing=True)
def take_out(data, pieces, heaps, i, point, out):
    """The costs of the arcs of cluster i after a piece has left it."""
    if heaps.keys.shape[1] == 0:
        leave(data, pieces, heaps, i, point)
        return
    best_piece = heaps.best_piece
    for a in range(heaps.row_starts[i], heaps.row_starts[i] + heaps.row_counts[i]):
        if best_piece[a] == point:
            pop_stale(pieces, heaps, i, a)


@njit(cache=True, borrowing=True)
def move(data, pieces, heaps, point, i, j, amount, tolerance, out):
    """Move ``amount`` of a point from cluster i to cluster j, splitting the piece where it is larger."""
    gone = new = True
    if pieces.first_part.size == 0:
        write_home(pieces, point, j)
    else:
        gone, new = shift(pieces, point, i, j, amount, tolerance)
    if gone:
        take_out(data, pieces, heaps, i, point, out)
    if new and heaps.keys.shape[1]:
        insert_piece(data, pieces, heaps, j, point, out)
    elif new:
        come(data, heaps, j, point)


@njit(cache=True)
def cancel_cycles(data, pieces, heaps, root, cycle, tolerance, out):
    """Cancel cycles of parts until the parts are a forest."""
    while True:
        count = cancel_cycle(pieces, root, cycle, tolerance)
        if count == 0:
            return
        for position in range(count):
            point, i = cycle[position, 0], cycle[position, 1]
            if find(pieces, point, i) == NONE:
                take_out(data, pieces, heaps, i, point, out)


@njit(inline="always")
def nearer(distance, hops, v, w):
    """Whether node v leaves the queue before node w: by distance, then by the number of arcs of the path."""
    return distance[v] < distance[w] or (distance[v] == distance[w] and hops[v] < hops[w])


@njit(inline="always")
def is_shorter(distance, hops, v, there, count):
    """Whether a path of ``count`` arcs, and of length ``there``, is shorter than the one that node v has."""
    return there < distance[v] or (there == distance[v] and count < hops[v])


@njit(cache=True, borrowing=True)
def move_up(distance, hops, queue, place, v):
    """Restore the queue after node v has come nearer."""
    position = place[v]
    while position > 0:
        above = queue[(position - 1) >> 1]
        if not nearer(distance, hops, v, above):
            break
        queue[position], place[above] = above, position
        position = (position - 1) >> 1
    queue[position], place[v] = v, position


@njit(cache=True, borrowing=True)
def drop_first(distance, hops, queue, place, size):
    """Remove the nearest node from the queue of ``size`` nodes."""
    size -= 1
    v, position = queue[size], 0
    while True:
        child = 2 * position + 1
        if child >= size:
            break
        if child + 1 < size and nearer(distance, hops, queue[child + 1], queue[child]):
            child += 1
        below = queue[child]
        if not nearer(distance, hops, below, v):
            break
        queue[position], place[below] = below, position
        position = child
    queue[position], place[v] = v, position
    return size


@njit(inline="always")
def shorten(distance, hops, queue, place, size, v, there, count):
    """Give node v a path of ``count`` arcs and of length ``there``; returns how many nodes are in the queue."""
    if distance[v] == np.inf:
        place[v] = size
        size += 1
    distance[v], hops[v] = there, count
    move_up(distance, hops, queue, place, v)
    return size


@njit(cache=True, borrowing=True)
def shortest_paths(heaps, nodes, tolerance, tie, sinks_per_search, paths):
    """Shortest reduced distances from all nodes in excess, until enough nodes in deficit are reached.

    Reduced costs of at most ``tie`` count as zero. A distance is final once it has left the queue. Writes the nodes in
    deficit in the order in which they were reached, and returns their number, the distance at which the search ended,
    the cluster without an arc for the next step, or -1, and the nodes settled.
    """
    k = nodes.required_size.size
    prices, excess, step = nodes.prices, nodes.excess, 1 if tie > 0.0 else 0
    heads, costs, starts, counts = heaps.heads, heaps.costs, heaps.row_starts, heaps.row_counts
    distance, hops, queue, place = paths.distance, paths.hops, paths.queue, paths.place
    parent, arc, arrival, sinks = paths.parent, paths.arc, paths.arrival, paths.sinks
    distance[:], hops[:], parent[:] = np.inf, 0, -1
    n_sinks, found, settled, here, size, limit, short = 0, 0, 0, 0.0, 0, np.inf, -1
    for v in range(k + 1):
        if excess[v] > tolerance:
            size = shorten(distance, hops, queue, place, size, v, 0.0, 0)
            arc[v] = -1
        elif excess[v] < -tolerance:
            n_sinks += 1
    most = min(n_sinks, max(sinks_per_search, size // SOURCES_PER_SINK))
    while found < most and size > 0:
        v = queue[0]
        if distance[v] > limit:
            return found, limit, short, settled
        here = distance[v]
        settled += 1
        size = drop_first(distance, hops, queue, place, size)
        if excess[v] > tolerance:
            parent[v], arc[v] = -1, -1
        if arc[v] >= 0:
            arrival[v] = costs[arc[v]]
        if excess[v] < -tolerance:
            sinks[found] = v
            found += 1
        count = hops[v] + step
        if v == k:
            for i in range(k):
                rise = prices[i] - prices[k]
                there = here + rise if rise > tie else here
                if nodes.required_size[i] - nodes.lower[i] > tolerance and is_shorter(distance, hops, i, there, count):
                    size = shorten(distance, hops, queue, place, size, i, there, count)
                    parent[i], arc[i] = k, -1
            continue
        if heaps.beyond[v] < np.inf:
            rise = heaps.beyond[v] + heaps.fill_prices[v] - prices[v]
            if here + max(rise, 0.0) < limit:
                limit, short = here + max(rise, 0.0), v
        offset = here - prices[v]
        for a in range(starts[v], starts[v] + counts[v]):
            i = heads[a]
            there = costs[a] + prices[i] + offset
            there = there if there > here + tie else here
            if there <= limit and is_shorter(distance, hops, i, there, count):
                size = shorten(distance, hops, queue, place, size, i, there, count)
                parent[i], arc[i] = v, a
        rise = prices[k] - prices[v]
        there = here + rise if rise > tie else here
        if nodes.upper[v] - nodes.required_size[v] > tolerance and is_shorter(distance, hops, k, there, count):
            size = shorten(distance, hops, queue, place, size, k, there, count)
            parent[k], arc[k] = v, -1
    if size == 0 and found < most and short >= 0:
        return found, limit, short, settled
    return found, here, -1, settled


# these two options let the compiler turn the loop into vector instructions
@njit(cache=True, fastmath={"nnan", "nsz"})
def relax(costs, prices, offset, floor, tie, v, distance, queue, parent):
    """Shorten the distance of every cluster for which the path over node v is shorter.

    The distance over v is costs + prices + offset, or ``floor`` where that is at most ``tie``.
    """
    for i in range(costs.size):
        there = max(costs[i] + prices[i] + offset, floor)
        there = floor if there <= tie else there
        better = there < distance[i]
        distance[i] = there if better else distance[i]
        queue[i] = there if better else queue[i]
        parent[i] = v if better else parent[i]


@njit(cache=True, fastmath={"nnan", "nsz"})
def nearest(queue, parent, hops, weighted, least):
    """Position of a smallest entry, or -1 when all are infinite.

    Entries are compared by residue of their position, all residues at once in vector instructions, and ``least``
    (RESIDUES,) is room for the smallest of each. Of equal entries it is the first one of the first residue or, with
    weights, the one whose path has the fewest arcs; this number is written into ``hops``.
    """
    size, here, shortest = queue.size, -1, np.inf
    least[:] = np.inf
    for first in range(0, size - size % RESIDUES, RESIDUES):
        for c in range(RESIDUES):
            least[c] = queue[first + c] if queue[first + c] < least[c] else least[c]
    for v in range(size - size % RESIDUES, size):
        least[v % RESIDUES] = min(least[v % RESIDUES], queue[v])
    for c in range(RESIDUES):
        if least[c] < shortest:
            here, shortest = c, least[c]
    if here < 0:
        return -1
    if not weighted:
        while queue[here] != shortest:
            here += RESIDUES
        return here
    fewest = size + 1
    for v in range(size):
        if queue[v] == shortest:
            count = hops[parent[v]] + 1 if parent[v] >= 0 else 0
            if count < fewest:
                here, fewest = v, count
    hops[here] = fewest
    return here


@njit(cache=True, borrowing=True)
def dense_paths(heaps, nodes, tolerance, tie, sinks_per_search, paths):
    """`shortest_paths` where every pair of clusters has an arc: whole rows are scanned, in vector instructions."""
    k = nodes.required_size.size
    prices, excess, costs = nodes.prices, nodes.excess, heaps.costs
    distance, queue, parent, hops = paths.distance, paths.waiting, paths.parent, paths.hops
    arc, arrival, sinks = paths.arc, paths.arrival, paths.sinks
    distance[:], queue[:], parent[:] = np.inf, np.inf, -1
    n_sinks, n_sources, found, settled, here = 0, 0, 0, 0, 0.0
    for v in range(k + 1):
        if excess[v] > tolerance:
            distance[v] = queue[v] = 0.0
            n_sources += 1
        elif excess[v] < -tolerance:
            n_sinks += 1
    most = min(n_sinks, max(sinks_per_search, n_sources // SOURCES_PER_SINK))
    while found < most:
        v = nearest(queue, parent, hops, tie > 0.0, paths.least)
        if v < 0:
            break
        settled += 1
        here, queue[v], arc[v] = distance[v], np.inf, -1
        if excess[v] > tolerance:
            parent[v] = -1
        if 0 <= parent[v] < k and v < k:
            arc[v] = parent[v] * k + v
            arrival[v] = costs[arc[v]]
        if excess[v] < -tolerance:
            sinks[found] = v
            found += 1
        if v == k:
            for i in range(k):
                rise = prices[i] - prices[k]
                there = here + rise if rise > tie else here
                if nodes.required_size[i] - nodes.lower[i] > tolerance and there < distance[i]:
                    distance[i], queue[i], parent[i] = there, there, k
            continue
        row = costs[v * k : (v + 1) * k]
        relax(row, prices, here - prices[v], here, here + tie, v, distance[:k], queue[:k], parent[:k])
        rise = prices[k] - prices[v]
        there = here + rise if rise > tie else here
        if nodes.upper[v] - nodes.required_size[v] > tolerance and there < distance[k]:
            distance[k], queue[k], parent[k] = there, there, v
    return found, here, -1, settled


@njit(cache=True, borrowing=True)
def bottleneck(pieces, heaps, nodes, sink, paths, tolerance):
    """The amount that can be moved along the path to ``sink`` now.

    It is 0 when the cost of an arc has changed since the search, and -1 when an arc has only a bound instead of a
    piece; the heap of this arc is then marked as exhausted.
    """
    k = nodes.required_size.size
    parent, arc = paths.parent, paths.arc
    amount = -nodes.excess[sink]
    v = sink
    while parent[v] >= 0:
        u, a = parent[v], arc[v]
        if u == k:
            amount = min(amount, nodes.required_size[v] - nodes.lower[v])
        elif v == k:
            amount = min(amount, nodes.upper[u] - nodes.required_size[u])
        elif heaps.costs[a] != paths.arrival[v]:
            return 0.0
        elif heaps.best_piece[a] < 0:
            heaps.arc_exhausted[a] = heaps.row_exhausted[u] = True
            return -1.0
        else:  # `pieces.find` written out: a call would cost as much as a short path
            point = heaps.best_piece[a]
            if arc[u] >= 0 and heaps.best_piece[arc[u]] == point:
                pass  # the path brings the same point to u and moves it on: what lay there before stays
            elif pieces.labels[point] == u:
                amount = min(amount, pieces.amounts[point])
            else:
                part = pieces.first_part[point]
                while pieces.part_labels[part] != u:
                    part = pieces.part_next[part]
                amount = min(amount, pieces.part_amounts[part])
        v = u
    amount = min(amount, nodes.excess[v])
    return amount if amount > tolerance else 0.0


@njit(cache=True, borrowing=True)
def augment(data, pieces, heaps, nodes, sink, amount, paths, tolerance, out):
    """Move ``amount`` along the path to ``sink``."""
    k, parent, arc = nodes.required_size.size, paths.parent, paths.arc
    nodes.excess[sink] += amount
    v = sink
    while parent[v] >= 0:
        u = parent[v]
        if u == k:
            nodes.required_size[v] -= amount
        elif v == k:
            nodes.required_size[u] += amount
        else:
            point = heaps.best_piece[arc[v]]
            while arc[u] >= 0 and heaps.best_piece[arc[u]] == point:
                u = parent[u]  # a point that the path moves twice is moved once, straight to the end
            move(data, pieces, heaps, point, u, v, amount, tolerance, out)
        v = u
    nodes.excess[v] -= amount


class Paths(NamedTuple):
    """Shortest paths to the k + 1 nodes, and the queue of a search: a binary heap of nodes by distance."""

    distance: NDArray[np.float64]  # infinite where no path is known
    hops: NDArray[np.int64]  # arcs of the path; counted with weights only
    parent: NDArray[np.int64]  # the node before, or -1 at the start of a path
    arc: NDArray[np.int64]  # the arc between clusters that ends here, or -1
    arrival: NDArray[np.float64]  # its cost
    sinks: NDArray[np.int64]  # the nodes in deficit that were reached
    queue: NDArray[np.int64]
    place: NDArray[np.int64]  # position of every node in the queue
    waiting: NDArray[np.float64]  # where all pairs have arcs, in the place of the queue: distances that are not final
    least: NDArray[np.float64]  # and room to look for the smallest of them


@njit(cache=True)
def no_paths(k):
    """Room for a search."""
    size = k + 1
    return Paths(
        np.full(size, np.inf),
        np.zeros(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size),
        np.empty(RESIDUES),
    )


@njit(cache=True, borrowing=True)
def raise_prices(nodes, paths, end):
    """Raise the prices of the nodes that are nearer than ``end``, so that the paths have no reduced costs."""
    prices, distance = nodes.prices, paths.distance
    for v in range(prices.size):
        if distance[v] < end:
            prices[v] += end - distance[v]


@njit(cache=True)
def successive_shortest_paths(data, pieces, heaps, nodes, tolerance, noise, sinks_per_search, budget, counters):
    """Search and move pieces until no node has an excess.

    ``noise`` is what rounding may do to a score, 0 without weights. ``counters`` (2,) counts searches and moves along
    paths. Exhausted heaps are filled on the spot once the points are sorted by cluster.
    Returns DONE, BLOCKED_BY_ROUNDING (the bounds can be met up to rounding only), EXHAUSTED (the caller has to fill
    heaps, and make room for more arcs where they are wanted) or PAUSED (the ``budget`` of settled nodes and moves is
    used up).
    """
    k = nodes.required_size.size
    paths = no_paths(k)
    out, root, cycle = np.empty(k), np.empty(k, np.int64), np.empty((k + 1, 3), np.int64)
    weighted, tie, excess, exhausted = noise > 0.0, 0.0, nodes.excess, heaps.row_exhausted
    dense = heaps.keys.shape[1] == 0  # costs of all members
    while budget > 0:
        largest = excess[0]
        for v in range(1, k + 1):
            largest = max(largest, excess[v])
        if largest <= tolerance:
            return DONE
        if weighted:
            for v in range(k + 1):
                tie = max(tie, noise + PRICE_ROUNDING * abs(nodes.prices[v]))
        if dense:
            found, end, short, settled = dense_paths(heaps, nodes, tolerance, tie, sinks_per_search, paths)
        else:
            found, end, short, settled = shortest_paths(heaps, nodes, tolerance, tie, sinks_per_search, paths)
        counters[0] += 1
        if found == 0 and short < 0:
            return BLOCKED_BY_ROUNDING
        raise_prices(nodes, paths, end)
        for position in range(found):
            sink = paths.sinks[position]
            while excess[sink] < -tolerance and budget > 0:
                amount = bottleneck(pieces, heaps, nodes, sink, paths, tolerance)
                if amount <= 0.0:
                    break
                parts_before = pieces.counts[2]
                augment(data, pieces, heaps, nodes, sink, amount, paths, tolerance, out)
                counters[1] += 1
                budget -= 1
                if pieces.counts[2] > parts_before:
                    cancel_cycles(data, pieces, heaps, root, cycle, tolerance, out)
        budget -= settled
        if short >= 0:
            heaps.row_exhausted[short] = True
            heaps.wanted[short] = np.inf  # until the points are sorted, and where ties leave no scale
            if pieces.starts.size > 0 and heaps.beyond[short] > 0.0:
                heaps.wanted[short] = BOUND_GROWTH * heaps.beyond[short]
            return EXHAUSTED
        if not exhausted.any():
            continue
        if pieces.starts.size == 0:
            return EXHAUSTED
        for v in range(k):
            if exhausted[v]:
                fill_row(data, pieces, heaps, v)
                budget -= (pieces.starts[v + 1] - pieces.starts[v]) // k
    return PAUSED
