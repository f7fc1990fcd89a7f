"""Costs of arcs from all members of small clusters, in place of heaps of candidates.

Every pair of clusters has an arc. Its cost is known exactly, and what it will be at least once its piece has left:

    W_ij = w_ij = min over the pieces x of cluster i of gamma_ix - gamma_jx
    thr_ij <= the same over all pieces but the one of cost w_ij; equal to it where the next piece is known

A piece that comes to cluster i lowers row i to its own differences of scores. Where one leaves, the next pieces take
its place on the arcs on which it was the best; taken anew from all members are only those arcs whose next piece is not
known, since it has left or taken such a place before, or the whole row where they are many. Rows lie side by side in
memory, so all of this is vector instructions, while an entry in the heap of every pair is a read of memory for each,
and searches meet heaps that are exhausted. With m members a cluster, m moves out of it cost about O(m k), and not
O(m k log m). Scores are read from a matrix.
"""

from __future__ import annotations

import numpy as np

from ....base.arrays import Reals
from ....base.jit import njit
from ..passes.rows import Data
from .heaps import Heaps
from .pieces import NONE, Pieces

FEW_ARCS = 16  # Up to one arc in so many is renewed alone: with more of them whole rows cost less.


def _row(heaps, i):
    """Costs, best pieces, bounds thr_ij and next pieces of the arcs of cluster i, (k,) each."""
    k = heaps.fill_prices.size
    start, stop = i * k, (i + 1) * k
    row = heaps.costs[start:stop], heaps.best_piece[start:stop]
    return *row, heaps.thresholds[start:stop], heaps.next_piece[start:stop]


row_of = njit(inline="always")(_row)  # views that a function returns would be freed where no references are counted


@njit(cache=True, borrowing=True, fastmath={"nnan", "nsz"})
def lower_by(scores, i, point, costs, best_piece, bounds, next_piece):
    """Lower the arcs of cluster i to what moving ``point`` costs, whose scores (k,) are given."""
    own = scores[i]
    for j in range(costs.size):
        cost = own - scores[j]
        best, second = cost < costs[j], cost < bounds[j]
        bounds[j] = costs[j] if best else (cost if second else bounds[j])
        next_piece[j] = best_piece[j] if best else (point if second else next_piece[j])
        costs[j] = cost if best else costs[j]
        best_piece[j] = point if best else best_piece[j]
    costs[i], best_piece[i], bounds[i], next_piece[i] = np.inf, NONE, np.inf, NONE


@njit(cache=True, borrowing=True)
def renew_row(scores, pieces, i, costs, best_piece, bounds, next_piece):
    """Take all arcs of cluster i anew."""
    costs[:], best_piece[:], bounds[:], next_piece[:] = np.inf, NONE, np.inf, NONE
    point = pieces.first_home[i]
    while point != NONE:
        lower_by(scores[point], i, point, costs, best_piece, bounds, next_piece)
        point = pieces.next_home[point]
    for part in range(pieces.counts[0]):
        if pieces.part_labels[part] == i:
            point = pieces.part_points[part]
            lower_by(scores[point], i, point, costs, best_piece, bounds, next_piece)


@njit(inline="always")
def ranked(cost, point, least, best, bound, following):
    """The smallest cost with its piece, and the next one with its own, after a piece has been looked at."""
    if cost < least:
        return cost, point, least, best
    if cost < bound:
        return least, best, cost, point
    return least, best, bound, following


@njit(cache=True, borrowing=True)
def renew_arc(scores, pieces, i, j, costs, best_piece, bounds, next_piece):
    """Take the arc from cluster i to cluster j anew."""
    least, best, bound, following, point = np.inf, NONE, np.inf, NONE, pieces.first_home[i]
    while point != NONE:
        cost = np.float64(scores[point, i]) - np.float64(scores[point, j])
        least, best, bound, following = ranked(cost, point, least, best, bound, following)
        point = pieces.next_home[point]
    for part in range(pieces.counts[0]):
        if pieces.part_labels[part] == i:
            point = pieces.part_points[part]
            cost = np.float64(scores[point, i]) - np.float64(scores[point, j])
            least, best, bound, following = ranked(cost, point, least, best, bound, following)
    costs[j], best_piece[j], bounds[j], next_piece[j] = least, best, bound, following


@njit(cache=True, borrowing=True, fastmath={"nnan", "nsz"})
def promote(point, costs, best_piece, bounds, next_piece):
    """Put the next pieces in the place of ``point``; returns on how many arcs they are not known."""
    unknown = 0
    for j in range(costs.size):
        best, following = best_piece[j] == point, next_piece[j]
        costs[j] = bounds[j] if best else costs[j]
        best_piece[j] = following if best else best_piece[j]
        next_piece[j] = NONE if best or following == point else following
        unknown += (best_piece[j] == NONE) & (costs[j] < np.inf)
    return unknown


@njit(cache=True, borrowing=True)
def leave(data, pieces, heaps, i, point):
    """The arcs of cluster i after a piece has left it."""
    costs, best_piece, bounds, next_piece = row_of(heaps, i)
    unknown = promote(point, costs, best_piece, bounds, next_piece)
    if FEW_ARCS * unknown > costs.size:
        renew_row(data[0], pieces, i, costs, best_piece, bounds, next_piece)
    elif unknown:
        for j in range(costs.size):
            if best_piece[j] == NONE and costs[j] < np.inf:
                renew_arc(data[0], pieces, i, j, costs, best_piece, bounds, next_piece)


@njit(cache=True, borrowing=True)
def come(data, heaps, j, point):
    """The arcs of cluster j after a piece has come to it."""
    costs, best_piece, bounds, next_piece = row_of(heaps, j)
    lower_by(data[0][point], j, point, costs, best_piece, bounds, next_piece)


@njit(cache=True, borrowing=True)
def list_members(data, pieces, heaps):
    """List all points that have a weight by cluster, as those are that have moved, and write all arcs."""
    first, after, before, k = pieces.first_home, pieces.next_home, pieces.last_home, pieces.first_home.size
    for point in range(pieces.labels.size):
        i = pieces.labels[point]
        if pieces.amounts[point] > 0.0:
            after[point], before[point] = first[i], NONE
            if first[i] != NONE:
                before[first[i]] = point
            first[i] = point
        pieces.has_moved[point], pieces.moved[point] = True, point
    pieces.counts[1] = pieces.labels.size
    for i in range(k):
        costs, best_piece, bounds, next_piece = row_of(heaps, i)
        renew_row(data[0], pieces, i, costs, best_piece, bounds, next_piece)


def dense_arcs(data: Data, pieces: Pieces, prices: Reals) -> Heaps:
    """Arcs between all pairs of clusters, whose heaps have no room, at the prices (k,) of the first pass.

    Scores are a matrix. ``pieces`` then lists all points as moved.
    """
    k = prices.size
    unused = np.zeros(k * k, dtype=np.int64)  # and so without memory
    heaps = Heaps(
        heads=unused,
        row_starts=np.arange(k) * k,
        row_counts=np.full(k, k),
        row_rooms=np.full(k, k),
        beyond=np.full(k, np.inf),
        wanted=np.full(k, -np.inf),
        keys=np.empty((k * k, 0)),
        items=np.empty((k * k, 0), dtype=np.int64),
        counts=unused,
        thresholds=np.empty(k * k),
        costs=np.empty(k * k),
        best_piece=np.empty(k * k, dtype=np.int64),
        next_piece=np.empty(k * k, dtype=np.int64),
        n_fills=unused,
        arc_exhausted=np.zeros(k * k, dtype=bool),
        row_exhausted=np.zeros(k, dtype=bool),
        cutoff=np.empty((k, 3)),
        fill_prices=prices,
    )
    list_members(data, pieces, heaps)
    return heaps
