"""Lists of the clusters that matter to a point: those of its largest reduced scores, and a bound on all others.

Which clusters these are is decided in float32, by the matrix product of the linear algebra library; their scores are
those of float64. The bound on the others holds for float64, since the error of float32 (`single`) is added. Where it is
above the second best of a list, or the error is not small compared with the list's width, the list is taken in float64.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Integers, Reals
from ....base.blas import one_blas_thread
from ....base.jit import njit
from ....base.threads import share
from ....models.scores.quadratic import lift
from .rows import FEW, Data, evaluate, is_matrix, is_small, parts_of_pass, score_row, scores_of, subset
from .single import UNIT, power_of_two, single_matrix, steepest_and_most
from .tiles import TILE, read_tile

LISTED = 12  # Clusters in a list: with fewer, more lists are rebuilt; with more, each costs more.
LISTED_AT_A_TIME = 1 << 17  # Points whose lists are read together, as the cache allows.
NARROW = 1 / 16  # A list may have float32 errors of this fraction of the gap between its best cluster and others.


class Lists(NamedTuple):
    """Scores and clusters (n, size) of every list, in no order, and a bound (n,) on the reduced scores outside it."""

    values: NDArray[np.float64]
    clusters: NDArray[np.int32]
    outside: NDArray[np.float64]

    def of(self, points: Any) -> Lists:
        """The lists of some points, by an index or a slice."""
        return Lists(self.values[points], self.clusters[points], self.outside[points])


@njit(cache=True, borrowing=True)
def keep_largest(row, kept, places):
    """Write the largest entries of ``row``, falling, and their places; returns the largest of all others."""
    last, beyond = kept.size - 1, -row.dtype.type(np.inf)
    kept[:] = -np.inf
    for position in range(kept.size):
        places[position] = position
    for i in range(row.size):
        value = row[i]
        if value <= kept[last]:
            beyond = max(beyond, value)
            continue
        beyond, place = max(beyond, kept[last]), last
        while place > 0 and kept[place - 1] < value:
            kept[place], places[place] = kept[place - 1], places[place - 1]
            place -= 1
        kept[place], places[place] = value, i
    return beyond


@njit(cache=True)
def workspace(k, size, d):
    """Room to find a list in: places and scores of the largest in float32 and float64, coordinates, scores (k,)."""
    return np.empty(size, np.int64), np.empty(size, np.float32), np.empty(size), np.empty(d), np.empty(k), np.empty(k)


@njit(cache=True, borrowing=True)
def list_row(data, prices, j, lists, room):
    """Rebuild the list of point ``j`` in float64."""
    values, clusters, outside = lists
    places, _, kept, _, row, out = room
    score_row(data, j, out)
    for i in range(out.size):
        row[i] = out[i] - prices[i]
    beyond = keep_largest(row, kept, places)
    outside[j] = -np.inf if kept.size == out.size else beyond
    for position in range(kept.size):
        values[j, position], clusters[j, position] = out[places[position]], places[position]


@njit(cache=True, borrowing=True)
def score_clusters(point, slopes, offsets, places, out):
    """Write the scores of a point (d,) in the clusters ``places``, four at a time; rounded as by `rows.score_row`."""
    last = places.size - 1
    for i in range(0, places.size, 4):
        j, m, r = min(i + 1, last), min(i + 2, last), min(i + 3, last)  # the last one again if fewer than four are left
        a, b, c, e = offsets[places[i]], offsets[places[j]], offsets[places[m]], offsets[places[r]]
        g, h, p, q = slopes[places[i]], slopes[places[j]], slopes[places[m]], slopes[places[r]]
        for f in range(point.size):
            x = point[f]
            a, b, c, e = a + x * g[f], b + x * h[f], c + x * p[f], e + x * q[f]
        out[i], out[j], out[m], out[r] = a, b, c, e


@njit(cache=True, borrowing=True)
def put_list(data, prices, filter_, j, point, most, row, lists, room):
    """Write the list of point ``j`` from its scores in float32, or in float64 where these do not tell its margins.
    Scores are linear in ``point``; ``most`` is the largest absolute offset times ``unit``."""
    values, clusters, outside = lists
    _, slopes, scale, unit, steepest, _ = filter_
    places, kept, exact, _, _, _ = room
    k, size, d = prices.size, values.shape[1], point.size
    beyond = np.float64(keep_largest(row, kept, places))
    square = 0.0
    for f in range(d):
        square += (point[f] * scale) ** 2
    error = (d + 10) * (steepest * np.sqrt(square) + most)
    outside[j] = (beyond + error * UNIT + 2.0**-120) / unit if error < 2.0**100 else np.inf
    outside[j] = -np.inf if size == k else outside[j]
    score_clusters(point, slopes, data[2], places, exact)
    top, second = -np.inf, -np.inf
    for position in range(size):
        clusters[j, position], values[j, position] = places[position], exact[position]
        reduced = exact[position] - prices[places[position]]
        second = max(second, min(top, reduced))
        top = max(top, reduced)
    wide = error * UNIT > NARROW * (top - outside[j]) * unit  # the bound on the others is loose by as much
    if wide or not second >= outside[j]:
        list_row(data, prices, j, lists, room)


@njit(cache=True)
def list_some(data, prices, filter_, start, stop, lists):
    """Take the lists of the points ``start`` to ``stop``: which clusters, by float32; their scores, in float64."""
    matrix, _, scale, _, _, most = filter_
    k, d, size = prices.size, data[1].shape[0], lists[0].shape[1]
    if is_matrix(data):
        room = workspace(k, size, d)
        for j in range(start, stop):
            list_row(data, prices, j, lists, room)
        return
    points, single = np.empty((d, TILE)), np.ones((TILE, d + 1), np.float32)
    scores, room = np.empty((TILE, matrix.shape[1]), np.float32), workspace(k, size, d)
    point = room[3]
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        read_tile(data, first, last, points)
        for f in range(d):
            for r in range(TILE):
                single[r, f] = np.float32(points[f, r] * scale)
        np.dot(single, matrix, scores)
        for j in range(first, last):
            r = j - first
            for f in range(d):  # contiguous, since a column is scattered over the processor's cache
                point[f] = points[f, r]
            put_list(data, prices, filter_, j, point, most, scores[r], lists, room)


def list_filter(data: Data, prices: Reals) -> tuple[NDArray[np.float32], Reals, float, float, float, float]:
    """What `list_some` reads: the matrix (d + 1, k) of the product, gradients (k, d), both scales, the largest slope
    and offset."""
    (rows, columns, offsets, origin), k = data, prices.size
    some = rows[:: len(rows) // FEW + 1]
    largest, d = float(np.abs(some).max(initial=0.0)), len(columns)
    if d:
        largest = 0.0
        for part in np.array_split(some, 1 + some.size // (1 << 17)):  # not a copy of all of them in float64
            moved = part - origin
            largest = max(largest, float(np.abs(lift(moved) if d > origin.size else moved).max(initial=0.0)))
    scale = power_of_two(largest)
    unit = power_of_two(float((largest * np.abs(columns).sum(axis=0)).max(initial=0.0 if d else largest)))
    steepest, most = steepest_and_most(columns, offsets - prices)
    unit = min(unit, power_of_two(most))
    matrix = np.full((d + 1, k), -np.inf, np.float32)
    matrix[:d] = 0.0
    matrix[:, :k] = single_matrix(columns, offsets - prices, scale, unit).T
    return matrix, columns.T.copy(), scale, unit, steepest * (unit / scale), most * unit


def nearest_clusters(data: Data, prices: NDArray[np.float64], size: int, deadline: float = np.inf) -> Lists:
    """The lists of ``size`` clusters of all points, those of all clusters in their order; `OutOfTime` when the deadline
    comes first."""
    n, k = data[0].shape[0], prices.size
    if size == k:
        return Lists(scores_of(data, slice(None)), np.tile(np.arange(k, dtype=np.int32), (n, 1)), np.full(n, -np.inf))
    lists = Lists(np.empty((n, size)), np.empty((n, size), dtype=np.int32), np.empty(n))
    with np.errstate(over="ignore"), one_blas_thread():
        filter_ = list_filter(data, prices)
        for part in parts_of_pass(data, k, deadline):
            _take((data[0][part], *data[1:]), prices, filter_, lists.of(part))
    return lists


def _take(data: Data, prices: NDArray[np.float64], filter_: tuple[object, ...], lists: Lists) -> None:
    n = len(data[0])
    if is_small(data, prices.size):
        list_some(data, prices, filter_, 0, n, lists)
    else:
        share(lambda start, stop: list_some(data, prices, filter_, start, stop, lists), n)


def moved_to(lists: Lists, before: Reals, after: Reals) -> Lists:
    """The same lists, with bounds that hold at the prices ``after`` (k,) where they held at those ``before``."""
    if lists.clusters.shape[1] == after.size:
        return lists  # there is nothing outside
    falls = before - after + 2.0**-50 * (np.abs(before).max() + np.abs(after).max())  # and what rounding may change
    outside, rest = lists.outside.copy(), np.arange(len(lists.outside))
    for i in np.argsort(-falls, kind="stable")[: lists.clusters.shape[1] + 1]:  # not all of them are in one list
        listed = (lists.clusters[rest] == i).any(axis=1)
        outside[rest[~listed]] += falls[i]
        rest = rest[listed]
    return lists._replace(outside=outside)


def rebuild(data: Data, prices: Reals, points: Integers, lists: Lists) -> None:
    """Rebuild the lists of some points at ``prices``."""
    some = nearest_clusters(subset(data, points), prices, lists.values.shape[1])
    lists.values[points], lists.clusters[points], lists.outside[points] = some


def evaluate_listed(data: Data, prices: Reals, labels: Integers, lists: Lists, best: Reals, own: Reals) -> None:
    """`rows.evaluate` from lists whose bounds hold at ``prices``, for many clusters."""
    for part in parts_of_pass(data, prices.size, np.inf, LISTED_AT_A_TIME):
        values, clusters, outside = lists.of(part)
        mine = clusters == labels[part, None]
        best[part] = (values - prices[clusters]).max(axis=1)
        own[part] = np.where(mine, values, -np.inf).max(axis=1)
        places = part.start + np.flatnonzero(~(mine.any(axis=1) & (best[part] >= outside)))
        if places.size:
            again = np.empty(places.size), np.empty(places.size)
            evaluate(subset(data, places), prices, labels[places], *again)
            best[places], own[places] = again
