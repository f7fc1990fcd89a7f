"""One search of the flow: Dijkstra's algorithm in reduced costs, with a binary heap of nodes as its queue.

What the costs are, and that none is negative, is stated in `shortest_paths`. Equal distances leave the queue by the
number of arcs of their paths, where weights make ties matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.jit import njit

SOURCES_PER_SINK = 16  # With many clusters in excess, a search reaches one deficit per 16 of them.
RESIDUES = 64  # The minimum of many numbers is taken over positions modulo 64, in vector instructions.


class Paths(NamedTuple):
    """Shortest paths to the k + 1 nodes, and the queue of a search: a binary heap of nodes by distance."""

    distance: NDArray[np.float64]  # Length of the shortest path, infinite where there is none.
    hops: NDArray[np.int64]  # Arcs of the path; counted with weights only.
    parent: NDArray[np.int64]  # The node before, or -1 at the start of a path.
    arc: NDArray[np.int64]  # The arc between clusters that ends here, or -1.
    arrival: NDArray[np.float64]  # Cost of that arc.
    sinks: NDArray[np.int64]  # The nodes in deficit that were reached.
    queue: NDArray[np.int64]
    place: NDArray[np.int64]  # Position of every node in the queue.
    waiting: NDArray[np.float64]  # Distances that are not final, instead of the queue where all pairs have arcs.
    least: NDArray[np.float64]  # Workspace to find the smallest of these distances.


def no_paths(k: int) -> Paths:
    """Room for a search."""
    size = k + 1
    return Paths(
        np.empty(size),
        np.empty(size, np.int64),
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
def nearer(distance, hops, v, w):
    """Whether node v leaves the queue before node w: by distance, then by the number of arcs of the path."""
    return distance[v] < distance[w] or (distance[v] == distance[w] and hops[v] < hops[w])


@njit(cache=True, borrowing=True)
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


@njit(cache=True, borrowing=True)
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
    """Shortest reduced distances from all nodes in excess, those of at most ``tie`` counted as zero, until enough nodes
    in deficit are reached: writes these in order, and returns their number, the distance at which the search ended, the
    cluster without an arc for the next step, or -1, and the nodes settled."""
    k = nodes.required_size.size
    prices, excess, step = nodes.prices, nodes.excess, 1 if tie > 0.0 else 0
    heads, costs, starts, counts = heaps.heads, heaps.costs, heaps.row_starts, heaps.row_counts
    distance, hops, queue, place = paths.distance, paths.hops, paths.queue, paths.place
    parent, arc, arrival, sinks = paths.parent, paths.arc, paths.arrival, paths.sinks
    # all nodes in excess are at distance zero; several deficits end the search, since one search serves many moves
    n_sinks, found, settled, here, size, limit, short = 0, 0, 0, 0.0, 0, np.inf, -1
    for v in range(k + 1):
        distance[v], hops[v], parent[v] = np.inf, 0, -1
        if excess[v] > tolerance:
            size = shorten(distance, hops, queue, place, size, v, 0.0, 0)
            arc[v] = -1
        elif excess[v] < -tolerance:
            n_sinks += 1
    most = min(n_sinks, max(sinks_per_search, size // SOURCES_PER_SINK))
    while found < most and size > 0:
        v = queue[0]
        if distance[v] > limit:  # a pair without an arc may be nearer than any path that is known
            return found, limit, short, settled
        here = distance[v]
        settled += 1
        size = drop_first(distance, hops, queue, place, size)
        if excess[v] > tolerance:  # a path begins anew at every node in excess
            parent[v], arc[v] = -1, -1
        if arc[v] >= 0:  # what `bottleneck` compares, since moves change costs
            arrival[v] = costs[arc[v]]
        if excess[v] < -tolerance:
            sinks[found] = v
            found += 1
        count = hops[v] + step
        if v == k:  # (9): clusters that could be required to be smaller
            for i in range(k):
                rise = prices[i] - prices[k]
                there = here + rise if rise > tie else here
                if nodes.required_size[i] - nodes.lower[i] > tolerance and is_shorter(distance, hops, i, there, count):
                    size = shorten(distance, hops, queue, place, size, i, there, count)
                    parent[i], arc[i] = k, -1
            continue
        if heaps.beyond[v] < np.inf:  # what is farther than the bound of the pairs without arcs is not final
            rise = heaps.beyond[v] + heaps.fill_prices[v] - prices[v]
            if here + max(rise, 0.0) < limit:
                limit, short = here + max(rise, 0.0), v
        offset = here - prices[v]  # (7): a piece could move
        for a in range(starts[v], starts[v] + counts[v]):
            i = heads[a]
            there = costs[a] + prices[i] + offset
            there = there if there > here + tie else here
            if there <= limit and is_shorter(distance, hops, i, there, count):
                size = shorten(distance, hops, queue, place, size, i, there, count)
                parent[i], arc[i] = v, a
        rise = prices[k] - prices[v]  # (8): cluster v could be required to be larger
        there = here + rise if rise > tie else here
        if nodes.upper[v] - nodes.required_size[v] > tolerance and is_shorter(distance, hops, k, there, count):
            size = shorten(distance, hops, queue, place, size, k, there, count)
            parent[k], arc[k] = v, -1
    if size == 0 and found < most and short >= 0:
        return found, limit, short, settled
    return found, here, -1, settled
