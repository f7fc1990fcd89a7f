"""`dijkstra` where every pair of clusters has an arc: whole rows of costs are scanned, in vector instructions."""

from __future__ import annotations

import numpy as np

from ....base.jit import njit
from .dijkstra import RESIDUES, SOURCES_PER_SINK


# these two options let the compiler turn the loop into vector instructions
@njit(cache=True, borrowing=True, fastmath={"nnan", "nsz"})
def relax(costs, prices, offset, floor, tie, v, distance, queue, parent):
    """Shorten the distance of every cluster for which the path over node v is shorter: costs + prices + offset, or
    ``floor`` where that is at most ``tie``."""
    for i in range(costs.size):
        there = costs[i] + prices[i] + offset
        there = floor if there <= tie else there
        better = there < distance[i]
        distance[i] = there if better else distance[i]
        queue[i] = there if better else queue[i]
        parent[i] = v if better else parent[i]


@njit(cache=True, borrowing=True, fastmath={"nnan", "nsz"})
def nearest(queue, parent, hops, weighted, least):
    """Position of a smallest entry, or -1 when all are infinite: compared by residue of the position, in vector
    instructions, with ``least`` (RESIDUES,) as room. Of equal entries it is the first of the first residue or, with
    weights, the one whose path has the fewest arcs, which are written into ``hops``."""
    size, here, shortest = queue.size, -1, np.inf
    residues = min(size, RESIDUES)
    for c in range(residues):
        least[c] = queue[c]
    for first in range(RESIDUES, size - size % RESIDUES, RESIDUES):
        for c in range(RESIDUES):
            least[c] = queue[first + c] if queue[first + c] < least[c] else least[c]
    for v in range(max(size - size % RESIDUES, residues), size):
        c = v % RESIDUES
        least[c] = queue[v] if queue[v] < least[c] else least[c]
    for c in range(residues):
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
def dense_paths(dense, nodes, tolerance, tie, sinks_per_search, paths):
    """`shortest_paths` where every pair of clusters has an arc: whole rows are scanned, in vector instructions."""
    k = nodes.required_size.size
    prices, excess, costs = nodes.prices, nodes.excess, dense.costs
    distance, queue, parent, hops = paths.distance, paths.waiting, paths.parent, paths.hops
    arc, arrival, sinks = paths.arc, paths.arrival, paths.sinks
    n_sinks, n_sources, found, settled, here = 0, 0, 0, 0, 0.0
    for v in range(k + 1):
        distance[v] = queue[v] = np.inf
        parent[v] = -1
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
        settled += 1  # its distance is final
        here, queue[v], arc[v] = distance[v], np.inf, -1
        if excess[v] > tolerance:  # a path begins anew at every node in excess
            parent[v] = -1
        if 0 <= parent[v] < k and v < k:  # the arcs of cluster i are at i k to i k + k
            arc[v] = parent[v] * k + v
            arrival[v] = costs[arc[v]]
        if excess[v] < -tolerance:
            sinks[found] = v
            found += 1
        if v == k:  # (9) of `shortest_paths`
            for i in range(k):
                rise = prices[i] - prices[k]
                there = here + rise if rise > tie else here
                if nodes.required_size[i] - nodes.lower[i] > tolerance and there < distance[i]:
                    distance[i], queue[i], parent[i] = there, there, k
            continue
        row = costs[v * k : (v + 1) * k]  # (7), then (8)
        relax(row, prices, here - prices[v], here, here + tie, v, distance[:k], queue[:k], parent[:k])
        rise = prices[k] - prices[v]
        there = here + rise if rise > tie else here
        if nodes.upper[v] - nodes.required_size[v] > tolerance and there < distance[k]:
            distance[k], queue[k], parent[k] = there, there, v
    return found, here, -1, settled
