"""Costs of arcs from all members of small clusters, in place of heaps of candidates.

Every pair of clusters has an arc, whose cost is known exactly:

    W_ij = w_ij = min over the pieces x of cluster i of gamma_ix - gamma_jx

A piece that comes to cluster i lowers row i to its own differences of scores. Where one leaves, the arcs on which it
was the best are computed from all members again: with m members these are about k / m of the k arcs, so that a move
costs O(k); where they are many, the whole row is computed. Rows lie side by side in memory, and lowering one is vector
instructions, while an entry in the heap of every pair is a read of memory for each, and searches meet heaps that are
exhausted. Scores are read from a matrix.
"""

from __future__ import annotations

import numpy as np

from ....base.arrays import Reals
from ....base.jit import njit
from ..passes.rows import Data
from .heaps import Heaps
from .pieces import NONE, Pieces

FEW_ARCS = 16  # Up to one arc in so many is computed alone: with more of them whole rows cost less.


@njit(cache=True, borrowing=True, fastmath={"nnan", "nsz"})
def lower_by(scores, i, point, costs, best_piece):
    """Lower the arcs of cluster i to what moving ``point`` costs, whose scores (k,) are given."""
    own = scores[i]
    for j in range(costs.size):
        cost = own - scores[j]
        best = cost < costs[j]
        costs[j] = cost if best else costs[j]
        best_piece[j] = point if best else best_piece[j]
    costs[i], best_piece[i] = np.inf, NONE


@njit(cache=True, borrowing=True)
def renew_arc(scores, pieces, i, j, costs, best_piece):
    """Compute the arc from cluster i to cluster j from all members."""
    least, best, point = np.inf, NONE, pieces.first_home[i]
    while point != NONE:
        cost = np.float64(scores[point, i]) - np.float64(scores[point, j])
        if cost < least:
            least, best = cost, point
        point = pieces.next_home[point]
    for part in range(pieces.counts[0]):
        if pieces.part_labels[part] == i:
            point = pieces.part_points[part]
            cost = np.float64(scores[point, i]) - np.float64(scores[point, j])
            if cost < least:
                least, best = cost, point
    costs[j], best_piece[j] = least, best


@njit(cache=True, borrowing=True)
def renew_row(scores, pieces, i, costs, best_piece):
    """Compute all arcs of cluster i from all members."""
    for j in range(costs.size):
        costs[j], best_piece[j] = np.inf, NONE
    point = pieces.first_home[i]
    while point != NONE:
        lower_by(scores[point], i, point, costs, best_piece)
        point = pieces.next_home[point]
    for part in range(pieces.counts[0]):
        if pieces.part_labels[part] == i:
            point = pieces.part_points[part]
            lower_by(scores[point], i, point, costs, best_piece)


@njit(cache=True, borrowing=True)
def leave(data, pieces, heaps, i, point):
    """The arcs of cluster i after a piece has left it."""
    k, left = heaps.fill_prices.size, 0
    costs, best_piece = heaps.costs[i * k : (i + 1) * k], heaps.best_piece[i * k : (i + 1) * k]
    for j in range(costs.size):
        left += best_piece[j] == point
    if FEW_ARCS * left > costs.size:
        renew_row(data[0], pieces, i, costs, best_piece)
    elif left:
        for j in range(costs.size):
            if best_piece[j] == point:
                renew_arc(data[0], pieces, i, j, costs, best_piece)


@njit(cache=True, borrowing=True)
def come(data, heaps, j, point):
    """The arcs of cluster j after a piece has come to it."""
    k = heaps.fill_prices.size
    lower_by(data[0][point], j, point, heaps.costs[j * k : (j + 1) * k], heaps.best_piece[j * k : (j + 1) * k])


@njit(cache=True, borrowing=True)
def list_members(data, pieces, heaps):
    """List all points that have a weight by cluster, as those are that have moved, and write all arcs."""
    first, after, before = pieces.first_home, pieces.next_home, pieces.last_home
    for point in range(pieces.labels.size):
        i = pieces.labels[point]
        if pieces.amounts[point] > 0.0:
            after[point], before[point] = first[i], NONE
            if first[i] != NONE:
                before[first[i]] = point
            first[i] = point
            come(data, heaps, i, point)
        pieces.has_moved[point], pieces.moved[point] = True, point
    pieces.counts[1] = pieces.labels.size


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
        thresholds=np.empty(0),
        costs=np.full(k * k, np.inf),
        best_piece=np.full(k * k, NONE),
        arc_exhausted=np.zeros(k * k, dtype=bool),
        row_exhausted=np.zeros(k, dtype=bool),
        fill_prices=prices,
    )
    list_members(data, pieces, heaps)
    return heaps
