"""Exact prices of an assignment that is optimal up to a small eps, or a better assignment.

All sizes are within their bounds, and the reduced costs of the residual arcs, (7) to (9) of `flow`, are at least -eps.
Where one is negative, the price of its head is raised until it is not: shortest paths by label correction. They
end when the assignment is optimal, for then no cycle has a negative cost; with an eps well below what exchanges cost
this is so for nearly all clusters, and prices rise by a few eps. A node that is raised over its own descendant closes a
cycle of negative cost: one point moves along each of its arcs, and the objective rises.

Costs of less than what rounding does to a score count as zero.

References
----------
Goldberg (1997), "An efficient implementation of a scaling minimum-cost flow algorithm", *Journal of Algorithms* 22
(price refinement). Cherkassky and Goldberg (1999), "Negative-cycle detection algorithms", *Mathematical Programming*
85.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import njit
from .flow import BOUND_GROWTH, DONE, EXHAUSTED, PAUSED, move


@njit(cache=True)
def cancel(data, pieces, heaps, nodes, v, target, last, noise, tree, out):
    """Move one point along every arc of the cycle that the arc ``last`` from v to ``target`` closes in the tree.

    Writes the nodes of the cycle and returns their number; 0 where the cycle has no negative cost any more. It is cut
    out of the tree in either case.
    """
    parent, arc, points, around = tree
    k, cost, count, fits = nodes.required_size.size, 0.0, 0, True
    u, w, a = v, target, last
    while True:  # the arc a leads from u to w
        around[count] = u
        count += 1
        if w == k:
            fits &= nodes.upper[u] - nodes.required_size[u] > 0.5
        elif u == k:
            fits &= nodes.required_size[w] - nodes.lower[w] > 0.5
        else:
            cost += heaps.costs[a]
            points[w] = heaps.best_piece[a]
            fits &= points[w] >= 0
        if u == target:
            break
        u, w, a = parent[u], u, arc[u]
        parent[w] = -1
    if not fits or cost >= -noise:
        return 0
    for position in range(count):
        u, w = around[position], around[position - 1] if position else target
        if w == k:
            nodes.required_size[u] += 1.0
        elif u == k:
            nodes.required_size[w] -= 1.0
        else:
            move(data, pieces, heaps, points[w], u, w, 1.0, 0.5, out)
    return count


def _seconds(data, pieces, heaps, *others):
    """About a microsecond for every entry of the heaps."""
    return 1e-6 * heaps.costs.size


@njit(cache=True, seconds_to_compile=5.0, seconds_uncompiled=_seconds)
def refine(data, pieces, heaps, nodes, noise, budget, counters):
    """Raise prices until no reduced cost is negative, and cancel the cycles of negative cost that are met.

    ``noise`` is what rounding may do to a difference of scores. ``counters`` (2,) counts nodes that are looked at, and
    cycles. Returns DONE, EXHAUSTED as `flow.successive_shortest_paths`, or PAUSED: as many nodes were looked at as the
    ``budget`` allows.
    """
    k = nodes.required_size.size
    prices, fill = nodes.prices, heaps.fill_prices
    queue, waiting = np.arange(k + 1), np.ones(k + 1, np.bool_)
    tree = np.full(k + 1, -1), np.full(k + 1, -1), np.empty(k + 1, np.int64), np.empty(k + 1, np.int64)
    parent, arc, _, around = tree
    first, count, out = 0, k + 1, np.empty(k)
    while count > 0:
        if counters[0] >= budget:
            return PAUSED
        v = queue[first]
        first, count, cycle = (first + 1) % (k + 1), count - 1, 0
        waiting[v] = False
        counters[0] += 1
        begin, end = (0, k) if v == k else (heaps.row_starts[v], heaps.row_starts[v] + heaps.row_counts[v] + 1)
        for a in range(begin, end):
            here, last = prices[v], a
            if v == k:  # to clusters that may be smaller
                w, last = a, -1
                if nodes.required_size[w] - nodes.lower[w] <= 0.5:
                    continue
            elif a == end - 1:  # to the slack node, where the cluster may be larger
                w, last = k, -1
                if nodes.upper[v] - nodes.required_size[v] <= 0.5:
                    continue
            else:
                w = heaps.heads[a]
                here -= heaps.costs[a]
            if not here - prices[w] > noise:
                continue
            if last >= 0 and heaps.best_piece[last] < 0:
                heaps.exhausted[last] = heaps.dry[v] = True
                continue
            u = v
            while u >= 0 and u != w:
                u = parent[u]
            if u == w:
                cycle = cancel(data, pieces, heaps, nodes, v, w, last, noise, tree, out)
                if cycle:
                    break
            prices[w], parent[w], arc[w] = here, v, last
            if not waiting[w]:
                queue[(first + count) % (k + 1)], waiting[w] = w, True
                count += 1
        counters[1] += cycle > 0
        for u in around[:cycle]:
            if not waiting[u]:
                queue[(first + count) % (k + 1)], waiting[u] = u, True
                count += 1
    least = (prices[:k] - fill).min()
    for v in range(k):
        if prices[v] - fill[v] - heaps.beyond[v] > least + noise:
            heaps.dry[v] = True
            heaps.wanted[v] = BOUND_GROWTH * heaps.beyond[v] if heaps.beyond[v] > 0.0 and pieces.starts.size else np.inf
    return EXHAUSTED if heaps.dry.any() else DONE
