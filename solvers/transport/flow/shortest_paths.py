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
the same. Small clusters have no heaps: W_ij is w_ij (`dense_costs`).

A piece is a point or, with weights, the part of a point in one cluster (`pieces`).

With weights, a path carries what the smallest piece on it holds. Why the flow ends all the same:
    1. There are at most n + k - 1 pieces between two moves: a piece that arrives where its point is already is
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

from ....base.arrays import Integers, Reals
from ....base.jit import njit
from .arcs import exhaust, put_in, search, take_out, want_more
from .dijkstra import Paths, no_paths
from .pieces import NONE, cancel_cycle, find, shift, write_home

DONE, BLOCKED_BY_ROUNDING, PAUSED, EXHAUSTED = 0, 1, 2, 3
PRICE_ROUNDING = 16 * np.finfo(np.float64).eps  # A sum of a few prices and scores errs by this share of them.


class Limits(NamedTuple):
    """What bounds a run of the flow."""

    tolerance: float  # Amounts up to this count as zero.
    noise: float  # Bound on the rounding error of a score, 0 without weights.
    sinks_per_search: int
    budget: int  # Number of settled nodes and moves allowed.


@njit(cache=True, borrowing=True)
def cancel_cycles(data, pieces, arcs, root, cycle, tolerance, out):
    """Cancel cycles of parts until the parts are a forest."""
    while True:
        count = cancel_cycle(pieces, root, cycle, tolerance)
        if count == 0:
            return
        for position in range(count):
            point, i = cycle[position, 0], cycle[position, 1]
            if find(pieces, point, i) == NONE:
                take_out(data, pieces, arcs, i, point, out)


@njit(cache=True, borrowing=True)
def bottleneck(pieces, arcs, nodes, sink, paths, tolerance):
    """The amount that can be moved along the path to ``sink`` now: 0 where the cost of an arc has changed since the
    search, -1 where an arc has a bound and no piece, whose heap is then marked as exhausted."""
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
        elif arcs.costs[a] != paths.arrival[v]:
            return 0.0
        elif arcs.best_piece[a] < 0:
            exhaust(arcs, a, u)
            return -1.0
        else:  # `pieces.find` written out: a call would cost as much as a short path
            point = arcs.best_piece[a]
            if arc[u] >= 0 and arcs.best_piece[arc[u]] == point:
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
def augment(data, pieces, arcs, nodes, sink, amount, tolerance, room):
    """Move ``amount`` along the path to ``sink``, splitting pieces that are larger."""
    k, (paths, out, _, _) = nodes.required_size.size, room
    parent, arc = paths.parent, paths.arc
    nodes.excess[sink] += amount
    v = sink
    while parent[v] >= 0:
        u = parent[v]
        if u == k:
            nodes.required_size[v] -= amount
        elif v == k:
            nodes.required_size[u] += amount
        else:
            point = arcs.best_piece[arc[v]]
            while arc[u] >= 0 and arcs.best_piece[arc[u]] == point:
                u = parent[u]  # a point that the path moves twice is moved once, straight to the end
            gone = new = True
            if pieces.first_part.size == 0:
                write_home(pieces, point, v)
            else:
                gone, new = shift(pieces, point, u, v, amount, tolerance)
            if gone:
                take_out(data, pieces, arcs, u, point, out)
            if new:
                put_in(data, pieces, arcs, v, point, out)
        v = u
    nodes.excess[v] -= amount


@njit(cache=True, borrowing=True)
def raise_prices(prices, distance, end):
    """Raise the prices of the nodes that are nearer than ``end``, so that the paths have no reduced costs."""
    for v in range(prices.size):
        if distance[v] < end:
            prices[v] += end - distance[v]


def workspace(k: int) -> tuple[Paths, Reals, Integers, Integers]:
    """Room for searches and moves: paths, scores of a point, and what `cancel_cycle` writes."""
    return no_paths(k), np.empty(k), np.empty(k, np.int64), np.empty((k + 1, 3), np.int64)


@njit(cache=True, borrowing=True)
def successive_shortest_paths(data, pieces, arcs, nodes, limits, counters, room):
    """Search and move pieces until no node has an excess (DONE), or BLOCKED_BY_ROUNDING: the bounds can be met up to
    that only; EXHAUSTED: heaps are to be filled, and room made for arcs; PAUSED: the budget of settled nodes and moves
    is used up. ``counters`` (2,) counts searches and moves along paths."""
    k, (paths, out, root, cycle) = nodes.required_size.size, room
    tolerance, noise, sinks_per_search, budget = limits
    weighted, tie, excess, exhausted = noise > 0.0, 0.0, nodes.excess, False
    while budget > 0:
        # 1. optimal once no node has an excess
        largest = excess[0]
        for v in range(1, k + 1):
            largest = max(largest, excess[v])
        if largest <= tolerance:
            return DONE
        if weighted:  # rounding grows with prices, and never shrinks, so that what was a tie remains one
            for v in range(k + 1):
                tie = max(tie, noise + PRICE_ROUNDING * abs(nodes.prices[v]))
        # 2. shortest paths from all nodes in excess, and prices at which their arcs cost nothing
        found, end, short, settled = search(arcs, nodes, tolerance, tie, sinks_per_search, paths)
        counters[0] += 1
        if found == 0 and short < 0:
            return BLOCKED_BY_ROUNDING
        raise_prices(nodes.prices, paths.distance, end)
        # 3. along the tree of every deficit, until it is filled or the cost of an arc has changed
        for position in range(found):
            sink = paths.sinks[position]
            while excess[sink] < -tolerance and budget > 0:
                amount = bottleneck(pieces, arcs, nodes, sink, paths, tolerance)
                if amount <= 0.0:
                    exhausted = exhausted or amount < 0.0
                    break
                parts_before = pieces.counts[2]
                augment(data, pieces, arcs, nodes, sink, amount, tolerance, room)
                counters[1] += 1
                budget -= 1
                if pieces.counts[2] > parts_before:  # a new part may close a cycle
                    cancel_cycles(data, pieces, arcs, root, cycle, tolerance, out)
        budget -= settled
        # 4. more candidates, where their bound ended the search, or stood for a piece on a path
        if short >= 0:
            want_more(arcs, short, pieces.starts.size > 0)
            return EXHAUSTED
        if exhausted:
            return EXHAUSTED
    return PAUSED
