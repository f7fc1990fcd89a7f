"""Costs of arcs from all members of small clusters, in place of heaps of candidates.

Every pair of clusters has an arc. Its cost is known exactly, and what it will be at least once its piece has left:

    W_ij = w_ij = min over the pieces x of cluster i of gamma_ix - gamma_jx
    thr_ij <= the same over all pieces but the one of cost w_ij; equal to it where the next piece is known

A piece that comes to cluster i lowers row i to its own differences of scores. Where one leaves, the next pieces take
its place on the arcs on which it was the best; taken anew from all members are only those arcs whose next piece is not
known, since it has left or taken such a place before, or the whole row where they are many. Rows lie side by side in
memory, so all of this is vector instructions, while an entry in the heap of every pair is a read of memory for each,
and searches meet heaps that are exhausted. With m members a cluster, m moves out of it cost about O(m k), and not
O(m k log m). Scores are read from a matrix, or computed where they are linear and too many to keep.
"""

from __future__ import annotations

import numpy as np

from ...base.arrays import Reals
from ...base.jit import njit
from .heaps import Heaps
from .pieces import NONE, Pieces
from .row_passes import score_row as numpy_score_row
from .rows import Data, is_matrix, linear_score, score_row

FEW_ARCS = 16  # clusters for an arc to be taken anew, at least, where single scores are looked at instead of whole rows


def _members(pieces, i):
    """Points of the pieces of cluster i, in the order in which the kernels look at them."""
    points, point = [], pieces.first_home[i]
    while point != NONE:
        points.append(point)
        point = pieces.next_home[point]
    parts = np.flatnonzero(pieces.part_labels[: pieces.counts[0]] == i)
    return np.concatenate([np.array(points, dtype=np.int64), pieces.part_points[parts]])


def _row(heaps, i):
    """Costs, best pieces, bounds thr_ij and next pieces of the arcs of cluster i, (k,) each."""
    k = heaps.fill_prices.size
    start, stop = i * k, (i + 1) * k
    row = heaps.costs[start:stop], heaps.best_piece[start:stop]
    return *row, heaps.thresholds[start:stop], heaps.next_piece[start:stop]


def _scores(data, points, k):
    """Scores (m, k) of some points."""
    scores = np.empty((len(points), k))
    for x, out in zip(points, scores):
        numpy_score_row(data, x, out)
    return scores


def _take_anew(data, pieces, heaps, i, arcs):
    """Take the arcs of cluster i to the clusters ``arcs`` anew."""
    points = np.append(_members(pieces, i), [NONE, NONE])  # two that are not there
    differences, scores = np.full((points.size, arcs.size), np.inf), _scores(data, points[:-2], heaps.fill_prices.size)
    differences[:-2] = scores[:, i, None] - scores[:, arcs]
    differences[:, arcs == i] = np.inf
    ranks = np.argsort(differences, axis=0, kind="stable")[:2]
    least = np.take_along_axis(differences, ranks, axis=0)
    costs, best_piece, bounds, next_piece = _row(heaps, i)
    costs[arcs], bounds[arcs] = least
    best_piece[arcs], next_piece[arcs] = np.where(least < np.inf, points[ranks], NONE)


def _leave(data, pieces, heaps, i, point, out):
    """Stands for `leave`."""
    costs, best_piece, bounds, next_piece = _row(heaps, i)
    best = best_piece == point
    costs[best], best_piece[best] = bounds[best], next_piece[best]
    next_piece[best | (next_piece == point)] = NONE
    arcs = np.flatnonzero((best_piece == NONE) & (costs < np.inf))
    _take_anew(data, pieces, heaps, i, np.arange(costs.size) if FEW_ARCS * arcs.size > costs.size else arcs)


def _come(data, heaps, j, point, out):
    """Stands for `come`."""
    costs, best_piece, bounds, next_piece = _row(heaps, j)
    numpy_score_row(data, point, out)
    cost = out[j] - out
    cost[j] = np.inf
    best, second = cost < costs, cost < bounds
    bounds[:] = np.where(best, costs, np.where(second, cost, bounds))
    next_piece[:] = np.where(best, best_piece, np.where(second, point, next_piece))
    costs[best], best_piece[best] = cost[best], point


def _list_members(data, pieces, heaps, out):
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
        _take_anew(data, pieces, heaps, i, every)


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
def lower_read(data, i, point, costs, best_piece, bounds, next_piece, out):
    """`lower_row` where scores are a matrix."""
    lower_by(data[0][point], i, point, costs, best_piece, bounds, next_piece)


@njit(cache=True, borrowing=True)
def lower_computed(data, i, point, costs, best_piece, bounds, next_piece, out):
    """`lower_row` where scores are computed."""
    score_row(data, point, out)
    lower_by(out, i, point, costs, best_piece, bounds, next_piece)


@njit(cache=True, borrowing=True)
def lower_row(data, i, point, costs, best_piece, bounds, next_piece, out):
    """Lower the arcs of cluster i to what moving ``point`` costs; ``out`` (k,) is room for its scores."""
    if is_matrix(data):
        lower_read(data, i, point, costs, best_piece, bounds, next_piece, out)
    else:
        lower_computed(data, i, point, costs, best_piece, bounds, next_piece, out)


@njit(inline="always")
def renew_row_by(lower, data, pieces, i, costs, best_piece, bounds, next_piece, out):
    """Take all arcs of cluster i anew, with one of the two kernels above: which one is not asked for every point."""
    costs[:], best_piece[:], bounds[:], next_piece[:] = np.inf, NONE, np.inf, NONE
    point = pieces.first_home[i]
    while point != NONE:
        lower(data, i, point, costs, best_piece, bounds, next_piece, out)
        point = pieces.next_home[point]
    for part in range(pieces.counts[0]):
        if pieces.part_labels[part] == i:
            point = pieces.part_points[part]
            lower(data, i, point, costs, best_piece, bounds, next_piece, out)


@njit(cache=True, borrowing=True)
def renew_row(data, pieces, i, costs, best_piece, bounds, next_piece, out):
    """Take all arcs of cluster i anew."""
    if is_matrix(data):
        renew_row_by(lower_read, data, pieces, i, costs, best_piece, bounds, next_piece, out)
    else:
        renew_row_by(lower_computed, data, pieces, i, costs, best_piece, bounds, next_piece, out)


@njit(cache=True, borrowing=True)
def difference_read(data, point, i, j):
    """What moving a point from cluster i to cluster j costs, where scores are a matrix."""
    return np.float64(data[0][point, i]) - np.float64(data[0][point, j])


@njit(cache=True, borrowing=True)
def difference_computed(data, point, i, j):
    """`difference_read` where scores are linear in the coordinates."""
    return linear_score(data, point, i) - linear_score(data, point, j)


@njit(inline="always")
def ranked(cost, point, least, best, bound, following):
    """The smallest cost with its piece, and the next one with its own, after a piece has been looked at."""
    if cost < least:
        return cost, point, least, best
    if cost < bound:
        return least, best, cost, point
    return least, best, bound, following


@njit(inline="always")
def renew_arc_by(difference, data, pieces, i, j, costs, best_piece, bounds, next_piece):
    """Take the arc from cluster i to cluster j anew, with one of the two kernels above."""
    least, best, bound, following, point = np.inf, NONE, np.inf, NONE, pieces.first_home[i]
    while point != NONE:
        cost = difference(data, point, i, j)
        least, best, bound, following = ranked(cost, point, least, best, bound, following)
        point = pieces.next_home[point]
    for part in range(pieces.counts[0]):
        if pieces.part_labels[part] == i:
            point = pieces.part_points[part]
            cost = difference(data, point, i, j)
            least, best, bound, following = ranked(cost, point, least, best, bound, following)
    costs[j], best_piece[j], bounds[j], next_piece[j] = least, best, bound, following


@njit(cache=True, borrowing=True)
def renew_arc(data, pieces, i, j, costs, best_piece, bounds, next_piece):
    """Take the arc from cluster i to cluster j anew."""
    if is_matrix(data):
        renew_arc_by(difference_read, data, pieces, i, j, costs, best_piece, bounds, next_piece)
    else:
        renew_arc_by(difference_computed, data, pieces, i, j, costs, best_piece, bounds, next_piece)


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


@njit(cache=True, borrowing=True, in_numpy=_leave)
def leave(data, pieces, heaps, i, point, out):
    """The arcs of cluster i after a piece has left it; ``out`` (k,) is room for scores."""
    costs, best_piece, bounds, next_piece = row_of(heaps, i)
    unknown = promote(point, costs, best_piece, bounds, next_piece)
    if FEW_ARCS * unknown > costs.size:
        renew_row(data, pieces, i, costs, best_piece, bounds, next_piece, out)
    elif unknown:
        for j in range(costs.size):
            if best_piece[j] == NONE and costs[j] < np.inf:
                renew_arc(data, pieces, i, j, costs, best_piece, bounds, next_piece)


@njit(cache=True, borrowing=True, in_numpy=_come)
def come(data, heaps, j, point, out):
    """The arcs of cluster j after a piece has come to it; ``out`` (k,) is room for scores."""
    costs, best_piece, bounds, next_piece = row_of(heaps, j)
    lower_row(data, j, point, costs, best_piece, bounds, next_piece, out)


@njit(
    cache=True,
    borrowing=True,
    in_numpy=_list_members,
    seconds_to_compile=1.0,
    seconds_uncompiled=lambda data, pieces, heaps, out: (
        len(data[0]) * (5e-6 + 1e-8 * heaps.dry.size) + 2e-5 * heaps.dry.size
    ),
)
def list_members(data, pieces, heaps, out):
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
        renew_row(data, pieces, i, costs, best_piece, bounds, next_piece, out)


def arcs_of_members(data: Data, pieces: Pieces, prices: Reals) -> Heaps:
    """Arcs between all pairs of clusters, whose heaps have no room, at the prices (k,) of the first pass.

    Scores are a matrix, or linear in the coordinates. ``pieces`` then lists all points as moved.
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
        exhausted=np.zeros(k * k, dtype=bool),
        dry=np.zeros(k, dtype=bool),
        cutoff=np.empty((k, 3)),
        fill_prices=prices,
    )
    list_members(data, pieces, heaps, np.empty(k))
    return heaps
