"""Heaps that are exhausted, filled again from the members of their cluster; what they hold is stated in `heaps`."""

from __future__ import annotations

import numpy as np

from ....base.jit import njit
from ..passes.tiles import TILE, score_tile
from .binary_heaps import heapify
from .heaps import append, new_arc, pop_stale
from .pieces import NONE


@njit(cache=True, borrowing=True)
def collect(lists, arcs, scores, own, points):
    """Append some members of a cluster to the candidates of its ``arcs``; ``scores`` has those of the arcs' heads in
    its rows, ``own`` those of the cluster."""
    thresholds = lists[3]
    for position in range(arcs.size):
        a, there = arcs[position], scores[position]
        for r in range(points.size):
            if own[r] - there[r] < thresholds[a]:
                append(lists, a, own[r] - there[r], points[r])


@njit(cache=True, borrowing=True)
def collect_beyond(heaps, lists, i, others, arcs, scores, own, points):
    """Append some members of cluster i to the candidates of new arcs to ``others``, made where one is near; ``arcs``
    are those made so far, or -1."""
    prices, thresholds = heaps.fill_prices, heaps.thresholds
    for position in range(others.size):
        j, a, there = others[position], arcs[position], scores[position]
        for r in range(points.size):
            key = own[r] - there[r]
            if a >= 0:
                if key < thresholds[a]:
                    append(lists, a, key, points[r])
            elif key < prices[i] - prices[j] + heaps.beyond[i]:
                a = new_arc(heaps, i, j, prices[i] - prices[j] + heaps.beyond[i])
                if a >= 0:
                    append(lists, a, key, points[r])
                else:
                    heaps.beyond[i] = min(heaps.beyond[i], key - prices[i] + prices[j])
        arcs[position] = a


@njit(cache=True)
def members_of(pieces, i):
    """The points of cluster i, entire or in part."""
    first, last, n_parts = pieces.starts[i], pieces.starts[i + 1], pieces.counts[0]
    size, point = last - first + n_parts, pieces.first_home[i]
    while point != NONE:
        size, point = size + 1, pieces.next_home[point]
    members, count = np.empty(size, np.int64), 0
    for position in range(first, last):
        if not pieces.has_moved[pieces.order[position]]:
            members[count] = pieces.order[position]
            count += 1
    point = pieces.first_home[i]
    while point != NONE:
        members[count] = point
        count, point = count + 1, pieces.next_home[point]
    for part in range(n_parts):
        if pieces.part_labels[part] == i:
            members[count] = pieces.part_points[part]
            count += 1
    return members[:count]


@njit(cache=True)
def empty_row(heaps, i, arcs, near):
    """Empty the heaps of cluster i that are to be filled, with infinite thresholds: all members are candidates. Writes
    their arcs, and into ``near`` the clusters at their heads, then i, then those to which new arcs may be made; returns
    the number of arcs and that of the clusters."""
    k, size = heaps.fill_prices.size, 0
    has_arc = np.zeros(k, np.bool_)
    for a in range(heaps.row_starts[i], heaps.row_starts[i] + heaps.row_counts[i]):
        has_arc[heaps.heads[a]] = True
        # those that are empty, though no search has used them: scores cost the same for one arc or for all
        if heaps.arc_exhausted[a] or (heaps.best_piece[a] < 0 and heaps.thresholds[a] < np.inf):
            arcs[size], near[size], heaps.arc_exhausted[a] = a, heaps.heads[a], True
            heaps.counts[a], heaps.thresholds[a] = 0, np.inf
            size += 1
    near[size], count = i, size + 1
    if heaps.wanted[i] > heaps.beyond[i]:  # members are scored once for all clusters where there is room for all
        heaps.beyond[i] = np.inf if heaps.row_rooms[i] == k else heaps.wanted[i]
        for j in range(k):
            if j != i and not has_arc[j]:
                near[count] = j
                count += 1
    heaps.wanted[i] = -np.inf
    return size, count


@njit(cache=True)
def fill_row(data, pieces, heaps, i):
    """Fill the exhausted heaps of cluster i from its present members. Where the bound of pairs without arcs is to rise,
    those that members are nearer to get arcs while there is room."""
    k, (rows, columns, offsets, origin) = heaps.fill_prices.size, data
    first, before = heaps.row_starts[i], heaps.row_counts[i]
    arcs, near, new = np.empty(before, np.int64), np.empty(k, np.int64), np.full(k, -1)
    size, count = empty_row(heaps, i, arcs, near)
    arcs, near, others = arcs[:size], near[:count], near[size + 1 : count]
    lists = heaps.keys, heaps.items, heaps.counts, heaps.thresholds
    members = members_of(pieces, i)
    some = np.empty((min(members.size, TILE), rows.shape[1]), rows.dtype)
    tile = np.empty((columns.shape[0], TILE)), np.empty((count, TILE))
    own, beyond = tile[1][size], tile[1][size + 1 :]
    for start in range(0, members.size, TILE):
        points = members[start : start + TILE]
        for r in range(points.size):
            for f in range(rows.shape[1]):  # one by one: to copy a row Numba compiles the text of an error as well
                some[r, f] = rows[points[r], f]
        score_tile((some[: points.size], columns, offsets, origin), 0, points.size, tile, near)
        collect(lists, arcs, tile[1], own, points)
        collect_beyond(heaps, lists, i, others, new, beyond, own, points)
    for a in range(first, first + heaps.row_counts[i]):
        if heaps.arc_exhausted[a] or a >= first + before:
            heapify(heaps.keys[a], heaps.items[a], heaps.counts[a])
            pop_stale(pieces, heaps, i, a)
            heaps.arc_exhausted[a] = False
    heaps.row_exhausted[i] = False
    if heaps.row_counts[i] >= k - 1:
        heaps.beyond[i] = np.inf
