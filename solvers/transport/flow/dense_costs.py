"""Costs of arcs from all members of a cluster, in place of heaps of candidates.

Every pair of clusters has an arc, whose cost is known exactly:

    W_ij = w_ij = min over the pieces x of cluster i of gamma_ix - gamma_jx

A piece that comes to cluster i lowers row i to its own differences of scores. Where one leaves, the arcs on which it
was the best are computed again: for each other cluster the scores of the first members of i are contiguous, and every
TILE of them has a lower bound on its differences, so that one or two tiles are read. Members that came later are listed
and read one after the other. A search never meets a heap that is exhausted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.jit import njit
from ..passes.rows import Data, score_row, scores_by_cluster, sort_by_cluster
from ..passes.tiles import TILE
from .pieces import NONE, Pieces

FEW_ARCS = 16  # Single scores of a point are read for at most one arc in 16; with more, a row is computed.


class DenseCosts(NamedTuple):
    """Arcs between all pairs of clusters, those of cluster i at i k to i k + k, and what their costs come from."""

    costs: NDArray[np.float64]  # (k k,): Costs w_ij.
    best_piece: NDArray[np.int64]  # (k k,): Piece that attains w_ij, or `NONE`.
    scores: NDArray[np.float64]  # (n k,): For every cluster, the scores (k, m) of its m first members.
    own: NDArray[np.float64]  # (n,): Scores of the members in their own cluster, infinite once they have left it.
    places: NDArray[np.int64]  # (n, 2): Position of each point's first score, and the stride to its next one.
    bounds: NDArray[np.float64]  # (tiles, k): Bounds on the cost of moving those members of a tile that have not left.
    room: NDArray[np.int64]  # (k,): Workspace of `leave` for arcs that are computed again.


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
    """The place of the smallest difference ``own - there``, and this; -1 where all are infinite. ``bounds[t, j]`` is a
    lower bound for the t-th TILE of places, and gets what is read."""
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
def renew_arc(pieces, dense, i, j, costs, best_piece):
    """Compute the arc from cluster i to cluster j from its first members that have not left it."""
    start, size = pieces.starts[i], pieces.starts[i + 1] - pieces.starts[i]
    begin = start * costs.size + j * size
    best, costs[j] = nearest_left(
        dense.own[start : start + size], dense.scores[begin : begin + size], dense.bounds[start // TILE + i :], j
    )
    best_piece[j] = pieces.order[start + best] if best >= 0 else NONE


@njit(cache=True, borrowing=True)
def lower_some(data, dense, i, point, arcs, costs, best_piece, out):
    """Lower some arcs of cluster i by a point that has come to it."""
    scores, place, step = dense.scores, dense.places[point, 0], dense.places[point, 1]
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
def leave(data, pieces, dense, i, point, out):
    """The arcs of cluster i after a piece has left it."""
    k, start = dense.room.size, pieces.starts[i]
    costs, best_piece = dense.costs[i * k : (i + 1) * k], dense.best_piece[i * k : (i + 1) * k]
    place = dense.places[point, 0] - start * k
    if 0 <= place < pieces.starts[i + 1] - start:  # it was here from the first
        dense.own[start + place] = np.inf
    # 1. the arcs on which it was the best, from first members
    arcs, count = dense.room, 0
    for j in range(costs.size):
        if best_piece[j] == point:
            arcs[count] = j
            count += 1
            renew_arc(pieces, dense, i, j, costs, best_piece)
    # 2. from members that came, and parts, one after the other
    came = pieces.first_home[i]
    while came != NONE:
        lower_some(data, dense, i, came, arcs[:count], costs, best_piece, out)
        came = pieces.next_home[came]
    for part in range(pieces.counts[0]):
        if pieces.part_labels[part] == i:
            lower_some(data, dense, i, pieces.part_points[part], arcs[:count], costs, best_piece, out)


@njit(cache=True, borrowing=True)
def come(data, pieces, dense, j, point, out):
    """The arcs of cluster j after a piece has come to it."""
    k = dense.room.size
    score_row(data, point, out)
    lower_by(out, j, point, dense.costs[j * k : (j + 1) * k], dense.best_piece[j * k : (j + 1) * k])


@njit(cache=True, borrowing=True)
def write_arcs(pieces, dense):
    """Write all arcs, where no point has moved yet."""
    k = dense.room.size
    for i in range(k):
        start, stop = pieces.starts[i], pieces.starts[i + 1]
        begin = start * k + i * (stop - start)
        for r in range(stop - start):
            dense.own[start + r] = dense.scores[begin + r]
        costs, best_piece = dense.costs[i * k : (i + 1) * k], dense.best_piece[i * k : (i + 1) * k]
        for j in range(k):
            if j != i:
                renew_arc(pieces, dense, i, j, costs, best_piece)


def dense_arcs(data: Data, pieces: Pieces, k: int) -> tuple[Pieces, DenseCosts]:
    """Sorted pieces, and arcs between all pairs of the k clusters."""
    order, starts = sort_by_cluster(pieces.labels, pieces.amounts, k)
    pieces = pieces._replace(order=order, starts=starts)
    places = np.full((pieces.labels.size, 2), -1)
    sizes, first = np.diff(starts), starts[:-1]
    places[order, 0] = np.arange(order.size) + np.repeat(first * (k - 1), sizes)
    places[order, 1] = np.repeat(sizes, sizes)
    dense = DenseCosts(
        costs=np.full(k * k, np.inf),
        best_piece=np.full(k * k, NONE),
        scores=scores_by_cluster(data, order, starts),
        own=np.empty(order.size),
        places=places,
        bounds=np.full((order.size // TILE + k + 1, k), -np.inf),
        room=np.empty(k, dtype=np.int64),
    )
    write_arcs(pieces, dense)
    return pieces, dense
