"""Arcs between clusters, each with a binary heap of candidates. What they hold is stated in `shortest_paths`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.jit import njit
from ..passes.candidates import Candidates
from ..passes.rows import score_row
from .binary_heaps import heapify, select, sift_down, sift_up
from .pieces import NONE, find

HEAP_BYTES = 1 << 30  # Memory limit of the heaps of candidates, in bytes.
OF_ARCS = ("heads", "keys", "items", "counts", "thresholds", "costs", "best_piece", "arc_exhausted")
BOUND_GROWTH = 8.0  # This is the factor on the bound of pairs without arcs where it is too small.
LEAST_ROOM = 8  # Smallest room of the heap of an arc, in candidates; smaller heaps are refilled too often.


class Heaps(NamedTuple):
    """Arcs between pairs of clusters, those of cluster i from row_starts[i] on, row_counts[i] of at most row_rooms[i],
    with a heap of candidates on every arc. Pairs without an arc cost at least fill_prices[i] - fill_prices[j] +
    beyond[i], and so do at first the points of i that are in no heap: thr_ij starts with this value, at the prices (k,)
    of the first assignment."""

    heads: NDArray[np.int64]  # (arcs,): The cluster j of the arc.
    row_starts: NDArray[np.int64]  # (k,): Start of the arcs of each cluster.
    row_counts: NDArray[np.int64]  # (k,): Number of arcs of each cluster.
    row_rooms: NDArray[np.int64]  # (k,): Number of arcs that each cluster may have.
    beyond: NDArray[np.float64]  # (k,)
    wanted: NDArray[np.float64]  # (k,): Value that the bound of pairs without arcs should reach.
    keys: NDArray[np.float64]  # (arcs, room): Keys w_ij of the candidates.
    items: NDArray[np.int64]  # (arcs, room): Pieces of the candidates.
    counts: NDArray[np.int64]  # (arcs,)
    thresholds: NDArray[np.float64]  # (arcs,): Thresholds thr_ij.
    costs: NDArray[np.float64]  # (arcs,): Costs W_ij.
    best_piece: NDArray[np.int64]  # (arcs,): Piece of key W_ij, or -1 where W_ij is only a bound.
    arc_exhausted: NDArray[np.bool_]  # (arcs,): Heaps that have to be filled again.
    row_exhausted: NDArray[np.bool_]  # (k,): Clusters with an exhausted heap, or whose pairs without arcs matter.
    fill_prices: NDArray[np.float64]  # (k,)


def heaps_of(prices: NDArray[np.float64], found: Candidates, room: int | None = None) -> Heaps:
    """Heaps with room for ``room`` candidates each, or for twice as many as an arc is likely to have, and those found.
    Pairs with candidates have arcs, and every cluster room for half as many again. Other points cost at least w_ij >=
    mu_i - mu_j + cutoff_i to move: the thresholds begin there."""
    k = prices.size
    pairs, which = _arcs_of(found.pairs, k)
    # the arcs of a cluster are contiguous, with room behind them for new ones
    row_counts = np.bincount(pairs // k, minlength=k)
    rooms = np.minimum(row_counts + row_counts // 2 + LEAST_ROOM, k)
    row_starts = np.cumsum(rooms) - rooms
    places = np.arange(pairs.size) + np.repeat(row_starts - np.cumsum(row_counts) + row_counts, row_counts)
    beyond, cutoff = found.cutoff.copy(), found.cutoff[pairs // k]
    beyond[row_counts >= k - 1] = np.inf  # every pair has an arc
    arcs = int(rooms.sum())
    if room is None:  # twice what is likely, so that few heaps are cut, as memory allows
        most = k * k if _all_fit(k, LEAST_ROOM) else max(arcs, 1)
        likely = max(found.pairs.size / max(pairs.size, 1), found.expected / 2)
        room = max(min(int(2 * likely), HEAP_BYTES // (16 * most) - 4), LEAST_ROOM)
    heads, thresholds = np.zeros(arcs, dtype=np.int64), np.full(arcs, np.inf)
    heads[places] = pairs % k
    # a piece that is not a candidate costs at least this; no point moves from a cluster to itself
    bound = prices[pairs // k] - prices[pairs % k] + cutoff
    thresholds[places] = np.where(pairs // k == pairs % k, np.inf, bound)
    heaps = Heaps(
        heads=heads,
        row_starts=row_starts,
        row_counts=row_counts,
        row_rooms=rooms,
        beyond=beyond,
        wanted=np.full(k, -np.inf),
        keys=np.empty((arcs, room)),
        items=np.empty((arcs, room), dtype=np.int64),
        counts=np.zeros(arcs, dtype=np.int64),
        thresholds=thresholds,
        costs=thresholds.copy(),
        best_piece=np.full(arcs, -1),
        arc_exhausted=np.zeros(arcs, dtype=bool),
        row_exhausted=np.zeros(k, dtype=bool),
        fill_prices=prices,
    )
    put_candidates(found.points, places[which], found.pairs, found.keys, heaps)
    return heaps


def _arcs_of(pairs: NDArray[np.int64], k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Different pairs, sorted, and the place of every pair among them."""
    if k * k > HEAP_BYTES >> 8:  # else marking all that occur is faster than sorting them
        return np.unique(pairs, return_inverse=True)
    flags = np.zeros(k * k, dtype=bool)
    flags[pairs] = True
    return np.flatnonzero(flags), (np.cumsum(flags, dtype=np.int64) - 1)[pairs]


def _all_fit(k: int, room: int) -> bool:
    """Whether there is memory for arcs between all clusters, each of 64 bytes plus a heap of this room."""
    return k * k * 16 * (room + 4) <= HEAP_BYTES


def with_more_arcs(heaps: Heaps, i: int) -> Heaps:
    """The same heaps with room for more arcs of cluster i behind all others; for all of them if memory allows."""
    k, (arcs, length), count = heaps.row_counts.size, heaps.keys.shape, heaps.row_counts[i]
    start = int((heaps.row_starts + heaps.row_rooms).max())
    room = k if _all_fit(k, length) else min(4 * heaps.row_rooms[i], k)
    if heaps.row_rooms[i] == k:
        return heaps
    if start + room > arcs:
        size, grown = arcs + (k * k if room == k else max(arcs, room)), {}
        for name in OF_ARCS:
            values = getattr(heaps, name)
            grown[name] = np.zeros((size, *values.shape[1:]), values.dtype)  # takes memory only where it is written
            grown[name][:start] = values[:start]
        heaps = heaps._replace(**grown)
    for name in OF_ARCS:
        values = getattr(heaps, name)
        values[start : start + count] = values[heaps.row_starts[i] : heaps.row_starts[i] + count]
    heaps.row_starts[i], heaps.row_rooms[i] = start, room
    return heaps


@njit(cache=True, borrowing=True)
def pop_stale(pieces, heaps, i, a):
    """Remove points that have left cluster i from the top of the heap on its arc ``a``, and write W_ij."""
    keys, items, count = heaps.keys[a], heaps.items[a], heaps.counts[a]
    while count > 0 and pieces.labels[items[0]] != i and find(pieces, items[0], i) == NONE:
        count -= 1
        keys[0], items[0] = keys[count], items[count]
        if count > 1:
            sift_down(keys, items, 0, count)
    heaps.counts[a] = count
    if count > 0:
        heaps.costs[a], heaps.best_piece[a] = keys[0], items[0]
    else:
        heaps.costs[a], heaps.best_piece[a] = heaps.thresholds[a], -1


@njit(cache=True, borrowing=True)
def remove_piece(data, pieces, heaps, i, point, out):
    """The arcs of cluster i after a piece has left it."""
    best_piece = heaps.best_piece
    for a in range(heaps.row_starts[i], heaps.row_starts[i] + heaps.row_counts[i]):
        if best_piece[a] == point:
            pop_stale(pieces, heaps, i, a)


@njit(cache=True, borrowing=True)
def exhaust_arc(heaps, a, i):
    """Mark the heap of arc ``a`` of cluster i as one that has to be filled again."""
    heaps.arc_exhausted[a] = heaps.row_exhausted[i] = True


@njit(cache=True, borrowing=True)
def exhaust_row(heaps, i, are_sorted):
    """Mark cluster i as one that has to get arcs to more clusters; how many is known once points ``are_sorted``."""
    heaps.row_exhausted[i] = True
    heaps.wanted[i] = np.inf  # until the points are sorted, and where ties leave no scale
    if are_sorted and heaps.beyond[i] > 0.0:
        heaps.wanted[i] = BOUND_GROWTH * heaps.beyond[i]


@njit(cache=True, borrowing=True)
def keep_half(lists, a):
    """Keep the half of the unordered candidates of arc ``a`` that has the smallest keys; the heap is full."""
    keys, items, counts, thresholds = lists
    half = keys.shape[1] // 2
    thresholds[a] = select(keys[a], items[a], counts[a], half)
    counts[a] = half


@njit(cache=True, borrowing=True)
def append(lists, a, key, point):
    """Append a candidate to the unordered ones of arc ``a``, keeping the smallest keys."""
    keys, items, counts, _ = lists
    count = counts[a]
    keys[a, count], items[a, count], counts[a] = key, point, count + 1
    if count + 1 == keys.shape[1]:
        keep_half(lists, a)


@njit(cache=True, borrowing=True)
def new_arc(heaps, i, j, threshold):
    """An arc from i to j with an empty heap, or -1 where cluster i has no room for one."""
    a = heaps.row_starts[i] + heaps.row_counts[i]
    if heaps.row_counts[i] == heaps.row_rooms[i]:
        return -1
    heaps.row_counts[i] += 1
    heaps.heads[a], heaps.counts[a], heaps.thresholds[a], heaps.best_piece[a] = j, 0, threshold, -1
    heaps.costs[a], heaps.arc_exhausted[a] = threshold, False
    return a


@njit(cache=True, borrowing=True)
def put_candidates(points, places, pairs, keys, heaps):
    """Fill empty heaps with candidates of the arcs ``places``; keys are reduced by the prices ``heaps.fill_prices``."""
    k, room = heaps.fill_prices.size, heaps.keys.shape[1]
    for position in range(points.size):
        i, j = divmod(pairs[position], k)
        a, key = places[position], keys[position] + (heaps.fill_prices[i] - heaps.fill_prices[j])
        if key < heaps.thresholds[a]:  # `append` without the call, which was measured to cost as much as the rest
            count = heaps.counts[a]
            heaps.keys[a, count], heaps.items[a, count], heaps.counts[a] = key, points[position], count + 1
            if count + 1 == room:
                keep_half((heaps.keys, heaps.items, heaps.counts, heaps.thresholds), a)
    for a in range(heaps.heads.size):
        heapify(heaps.keys[a], heaps.items[a], heaps.counts[a])
        if heaps.counts[a] > 0:
            heaps.costs[a], heaps.best_piece[a] = heaps.keys[a, 0], heaps.items[a, 0]
        else:
            heaps.costs[a] = heaps.thresholds[a]


@njit(cache=True, borrowing=True)
def make_room(pieces, heaps, i, a):
    """Make a full heap at most half full: points that have left cluster i go first, then the largest keys; thr_ij
    becomes the smallest key removed."""
    keys, items, count = heaps.keys[a], heaps.items[a], 0
    for position in range(heaps.counts[a]):
        if find(pieces, items[position], i) != NONE:
            keys[count], items[count] = keys[position], items[position]
            count += 1
    half = keys.size // 2
    if count > half:
        heaps.thresholds[a] = select(keys, items, count, half)
        count = half
    heapify(keys, items, count)
    heaps.counts[a] = count


@njit(cache=True, borrowing=True)
def insert_piece(data, pieces, heaps, i, point, out):
    """Put a piece that has just come to cluster i into the heap of every arc where its key is below thr_ij. A cluster
    without an arc, to which it is nearer than was known, gets one, or the bound is lowered."""
    # what moving the piece costs, for every other cluster
    score_row(data, point, out)
    own, first = out[i], heaps.row_starts[i]
    heads, thresholds, counts, keys, items = heaps.heads, heaps.thresholds, heaps.counts, heaps.keys, heaps.items
    costs, best_piece, room = heaps.costs, heaps.best_piece, heaps.keys.shape[1]
    # clusters with an arc: what is below its threshold belongs into its heap, or the heap would not hold all of these
    out[i] = -np.inf
    for a in range(first, first + heaps.row_counts[i]):
        j = heads[a]
        key = own - out[j]
        out[j] = -np.inf  # only clusters without an arc stay
        if key < thresholds[a]:
            if counts[a] == room:
                make_room(pieces, heaps, i, a)
                if key >= thresholds[a]:
                    pop_stale(pieces, heaps, i, a)
                    continue
            count = counts[a]
            keys[a, count], items[a, count], counts[a] = key, point, count + 1
            sift_up(keys[a], items[a], count)
            if items[a, 0] == point:  # else the first entry stays, since its point has not left
                costs[a], best_piece[a] = keys[a, 0], point
    if heaps.row_counts[i] >= out.size - 1:  # all pairs have arcs: a bound that is infinite may mean an empty cluster
        return
    # clusters without: whatever is nearer than the bound gets an arc or lowers the bound, so that this holds again
    prices = heaps.fill_prices
    bar = own - prices[i] - heaps.beyond[i]
    for j in range(out.size):
        if out[j] - prices[j] > bar:
            a = new_arc(heaps, i, j, prices[i] - prices[j] + heaps.beyond[i])
            key = own - out[j]
            if a >= 0:
                keys[a, 0], items[a, 0], counts[a], costs[a], best_piece[a] = key, point, 1, key, point
            else:
                heaps.beyond[i] = min(heaps.beyond[i], key - prices[i] + prices[j])
                bar = own - prices[i] - heaps.beyond[i]
