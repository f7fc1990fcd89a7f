"""Costs of arcs from all members of small clusters, in place of heaps of candidates.

Every pair of clusters has an arc, and its cost is known exactly:

    W_ij = w_ij = min over the pieces x of cluster i of gamma_ix - gamma_jx

A piece that comes to cluster i lowers row i to its own differences of scores; where one leaves, the arcs on which it
was the best are taken anew from those that stay. Rows of scores lie side by side in memory, so both are vector
instructions, while an entry in the heap of every pair is a read of memory for each, and searches meet heaps that are
exhausted. With m members a cluster, a move costs O(m k) instead of O(k log m).
"""

from __future__ import annotations

import numpy as np

from ...base.arrays import Reals
from ...base.jit import njit
from .heaps import Heaps
from .pieces import NONE, Pieces
from .rows import Data

FEW_ARCS = 16  # clusters for an arc to be taken anew, at least, where single scores are read instead of whole rows


def _members(pieces, i):
    """Points of the pieces of cluster i, in the order in which the kernels look at them."""
    points, point = [], pieces.first_home[i]
    while point != NONE:
        points.append(point)
        point = pieces.next_home[point]
    parts = np.flatnonzero(pieces.part_labels[: pieces.counts[0]] == i)
    return np.concatenate([np.array(points, dtype=np.int64), pieces.part_points[parts]])


def _take_anew(scores, pieces, heaps, i, arcs):
    """Take the costs of the arcs of cluster i to the clusters ``arcs`` anew."""
    places, points = i * heaps.fill_prices.size + arcs, _members(pieces, i)
    heaps.costs[places], heaps.best_piece[places] = np.inf, NONE
    if points.size:
        costs = scores[points, i][:, None] - scores[points[:, None], arcs]
        costs[:, arcs == i] = np.inf
        heaps.costs[places] = costs.min(axis=0)
        heaps.best_piece[places] = np.where(arcs == i, NONE, points[costs.argmin(axis=0)])


def _leave(scores, pieces, heaps, i, point):
    """Stands for `leave`."""
    k = heaps.fill_prices.size
    arcs = np.flatnonzero(heaps.best_piece[i * k : (i + 1) * k] == point)
    _take_anew(scores, pieces, heaps, i, np.arange(k) if FEW_ARCS * arcs.size > k else arcs)


def _come(scores, heaps, j, point):
    """Stands for `come`."""
    row = slice(j * heaps.fill_prices.size, (j + 1) * heaps.fill_prices.size)
    costs = scores[point, j] - scores[point]
    costs[j] = np.inf
    less = costs < heaps.costs[row]
    np.copyto(heaps.costs[row], costs, where=less)
    heaps.best_piece[row][less] = point


def _list_members(scores, pieces, heaps):
    """Stands for `list_members`."""
    every = np.arange(pieces.first_home.size)
    order = np.flatnonzero(pieces.amounts > 0.0)
    order = order[np.argsort(pieces.labels[order], kind="stable")]
    same = pieces.labels[order[1:]] == pieces.labels[order[:-1]]
    pieces.next_home[order[1:]] = np.where(same, order[:-1], NONE)
    pieces.last_home[order[:-1]] = np.where(same, order[1:], NONE)
    pieces.next_home[order[:1]] = pieces.last_home[order[-1:]] = NONE
    pieces.first_home[pieces.labels[order]] = order  # the last one of a cluster stays
    pieces.has_moved[:], pieces.moved[:] = True, np.arange(pieces.labels.size)
    pieces.counts[1] = pieces.labels.size
    for i in every:
        _take_anew(scores, pieces, heaps, i, every)


@njit(cache=True, fastmath={"nnan", "nsz"})
def lower_row(scores, i, point, costs, best_piece):
    """Lower the costs (k,) of the arcs of cluster i to those of moving ``point``, whose scores (k,) are given."""
    own, before, piece = scores[i], costs[i], best_piece[i]
    for j in range(costs.size):
        cost = own - scores[j]
        less = cost < costs[j]
        costs[j] = cost if less else costs[j]
        best_piece[j] = point if less else best_piece[j]
    costs[i], best_piece[i] = before, piece


@njit(cache=True)
def renew_row(scores, pieces, i, costs, best_piece):
    """Take the costs (k,) of all arcs of cluster i anew."""
    costs[:], best_piece[:] = np.inf, NONE
    point = pieces.first_home[i]
    while point != NONE:
        lower_row(scores[point], i, point, costs, best_piece)
        point = pieces.next_home[point]
    for part in range(pieces.counts[0]):
        if pieces.part_labels[part] == i:
            point = pieces.part_points[part]
            lower_row(scores[point], i, point, costs, best_piece)


@njit(cache=True)
def renew_arc(scores, pieces, i, j):
    """The cost of the arc from cluster i to cluster j, and the piece that has it."""
    least, best, point = np.inf, NONE, pieces.first_home[i]
    while point != NONE:
        cost = scores[point, i] - scores[point, j]
        if cost < least:
            least, best = cost, point
        point = pieces.next_home[point]
    for part in range(pieces.counts[0]):
        if pieces.part_labels[part] == i:
            point = pieces.part_points[part]
            cost = scores[point, i] - scores[point, j]
            if cost < least:
                least, best = cost, point
    return least, best


@njit(cache=True, in_numpy=_leave)
def leave(scores, pieces, heaps, i, point):
    """The costs of the arcs of cluster i after a piece has left it."""
    k = heaps.fill_prices.size
    costs, best_piece, count = heaps.costs[i * k : (i + 1) * k], heaps.best_piece[i * k : (i + 1) * k], 0
    for j in range(k):
        count += best_piece[j] == point
    if FEW_ARCS * count > k:
        renew_row(scores, pieces, i, costs, best_piece)
        return
    for j in range(k):
        if best_piece[j] == point:
            costs[j], best_piece[j] = renew_arc(scores, pieces, i, j)


@njit(cache=True, in_numpy=_come)
def come(scores, heaps, j, point):
    """The costs of the arcs of cluster j after a piece has come to it."""
    k = heaps.fill_prices.size
    lower_row(scores[point], j, point, heaps.costs[j * k : (j + 1) * k], heaps.best_piece[j * k : (j + 1) * k])


@njit(
    cache=True,
    in_numpy=_list_members,
    seconds_to_compile=1.0,
    seconds_uncompiled=lambda scores, pieces, heaps: 1e-6 * len(scores) + 1e-8 * scores.size + 2e-5 * len(heaps.dry),
)
def list_members(scores, pieces, heaps):
    """List all points that have a weight by cluster, as those are that have moved, and write all costs."""
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
        renew_row(scores, pieces, i, heaps.costs[i * k : (i + 1) * k], heaps.best_piece[i * k : (i + 1) * k])


def arcs_of_members(data: Data, pieces: Pieces, prices: Reals) -> Heaps:
    """Arcs between all pairs of clusters, whose heaps have no room, at the prices (k,) of the first pass.

    ``data`` is a matrix of scores. ``pieces`` then lists all points as moved.
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
        n_fills=unused,
        exhausted=np.zeros(k * k, dtype=bool),
        dry=np.zeros(k, dtype=bool),
        cutoff=np.empty((k, 3)),
        fill_prices=prices,
    )
    list_members(data[0], pieces, heaps)
    return heaps
