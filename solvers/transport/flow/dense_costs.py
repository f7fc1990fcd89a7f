"""Costs of arcs from all members of a cluster, in place of heaps of candidates.

Every pair of clusters has an arc, whose cost is known exactly:

    W_ij = w_ij = min over the pieces x of cluster i of gamma_ix - gamma_jx

A piece that comes to cluster i lowers row i to its own differences of scores. Where one leaves, the arcs on which it
was the best are computed again: for each other cluster the scores of the first members of i are contiguous, and every
TILE of them has a lower bound on its differences, so that one or two tiles are read. Members that came later are listed
and read one after the other. A search never meets a heap that is exhausted.
"""

from __future__ import annotations

import numpy as np

from ....base.arrays import Reals
from ....base.jit import njit
from ..passes.rows import Data, score_row, scores_by_cluster, sort_by_cluster
from ..passes.tiles import TILE
from .heaps import Heaps
from .pieces import NONE, Pieces

FEW_ARCS = 16  # Single scores of a point are read for at most one arc in 16; with more, a row is computed.


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
def nearest_left(own, there, bounds, j):
    """The place of the smallest difference ``own - there``, and this; -1 where all are infinite.

    ``bounds[t, j]`` is a lower bound for the t-th TILE of places. Those that are read get what is found.
    """
    least, best, size = np.inf, -1, (own.size + TILE - 1) // TILE
    while size > 0:
        tile = 0
        for t in range(1, size):
            tile = t if bounds[t, j] < bounds[tile, j] else tile
        if bounds[tile, j] >= least:
            break
        first = tile * TILE
        some, other = own[first : first + TILE], there[first : first + TILE]
        low, place = np.inf, -1
        for r in range(some.size):
            cost = some[r] - other[r]
            place = r if cost < low else place
            low = cost if cost < low else low
        bounds[tile, j] = low
        if low < least:
            least, best = low, first + place
    return best, least


@njit(cache=True, borrowing=True)
def renew_arc(pieces, heaps, i, j, costs, best_piece):
    """Compute the arc from cluster i to cluster j from its first members that have not left it."""
    start, size = pieces.starts[i], pieces.starts[i + 1] - pieces.starts[i]
    begin = start * costs.size + j * size
    best, costs[j] = nearest_left(
        heaps.own[start : start + size], heaps.scores[begin : begin + size], heaps.bounds[start // TILE + i :], j
    )
    best_piece[j] = pieces.order[start + best] if best >= 0 else NONE


@njit(cache=True, borrowing=True)
def lower_some(data, heaps, i, point, arcs, costs, best_piece, out):
    """Lower some arcs of cluster i by a point that has come to it."""
    scores, place, step = heaps.scores, heaps.places[point, 0], heaps.places[point, 1]
    if arcs.size * FEW_ARCS > costs.size:  # its scores are not contiguous
        score_row(data, point, out)
        scores, place, step = out, 0, 1
    own = scores[place + i * step]
    for r in range(arcs.size):
        j = arcs[r]
        cost = own - scores[place + j * step]
        if cost < costs[j]:
            costs[j], best_piece[j] = cost, point


@njit(cache=True, borrowing=True)
def leave(data, pieces, heaps, i, point, out):
    """The arcs of cluster i after a piece has left it."""
    k, start = heaps.fill_prices.size, pieces.starts[i]
    costs, best_piece = heaps.costs[i * k : (i + 1) * k], heaps.best_piece[i * k : (i + 1) * k]
    place = heaps.places[point, 0] - start * k
    if 0 <= place < pieces.starts[i + 1] - start:  # it was here from the first
        heaps.own[start + place] = np.inf
    # 1. the arcs on which it was the best, from first members; heads are not used without heaps
    arcs, count = heaps.heads, 0
    for j in range(costs.size):
        if best_piece[j] == point:
            arcs[count] = j
            count += 1
            renew_arc(pieces, heaps, i, j, costs, best_piece)
    # 2. from members that came, and parts, one after the other
    came = pieces.first_home[i]
    while came != NONE:
        lower_some(data, heaps, i, came, arcs[:count], costs, best_piece, out)
        came = pieces.next_home[came]
    for part in range(pieces.counts[0]):
        if pieces.part_labels[part] == i:
            lower_some(data, heaps, i, pieces.part_points[part], arcs[:count], costs, best_piece, out)


@njit(cache=True, borrowing=True)
def come(data, heaps, j, point, out):
    """The arcs of cluster j after a piece has come to it."""
    k = heaps.fill_prices.size
    score_row(data, point, out)
    lower_by(out, j, point, heaps.costs[j * k : (j + 1) * k], heaps.best_piece[j * k : (j + 1) * k])


@njit(cache=True, borrowing=True)
def write_arcs(pieces, heaps):
    """Write all arcs, where no point has moved yet."""
    k = heaps.fill_prices.size
    for i in range(k):
        start, stop = pieces.starts[i], pieces.starts[i + 1]
        begin = start * k + i * (stop - start)
        for r in range(stop - start):
            heaps.own[start + r] = heaps.scores[begin + r]
        costs, best_piece = heaps.costs[i * k : (i + 1) * k], heaps.best_piece[i * k : (i + 1) * k]
        for j in range(k):
            if j != i:
                renew_arc(pieces, heaps, i, j, costs, best_piece)


def dense_arcs(data: Data, pieces: Pieces, prices: Reals) -> tuple[Pieces, Heaps]:
    """Sorted pieces, and arcs between all pairs, whose heaps have no room, at the prices (k,) of the first pass."""
    n, k = pieces.labels.size, prices.size
    order, starts = sort_by_cluster(pieces.labels, pieces.amounts, k)
    pieces = pieces._replace(order=order, starts=starts)
    places, unused = np.full((n, 2), -1), np.zeros(k * k, dtype=np.int64)  # and so without memory
    sizes, first = np.diff(starts), starts[:-1]
    places[order, 0] = np.arange(order.size) + np.repeat(first * (k - 1), sizes)
    places[order, 1] = np.repeat(sizes, sizes)
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
        scores=scores_by_cluster(data, order, starts),
        own=np.empty(order.size),
        places=places,
        bounds=np.full((order.size // TILE + k + 1, k), -np.inf),
    )
    write_arcs(pieces, heaps)
    return pieces, heaps
