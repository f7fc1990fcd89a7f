"""Lists of the clusters that matter to a point: those of its largest reduced scores, and a bound on all others.

Which clusters these are is decided in float32, by the matrix product of the linear algebra library; their scores are
those of float64. The bound on the others holds for float64, since the error of float32 (`single`) is added. Where it is
above the second best of a list, or the error is not small beside the list's width, the list is taken in float64.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Integers, Reals
from ...base.blas import one_blas_thread
from ...base.jit import njit
from ...base.threads import share
from ...models.scores.quadratic import lift
from . import row_passes
from .rows import Data, evaluate, is_matrix, is_small, parts_of_pass, score_row, subset
from .single import UNIT, power_of_two, single_matrix, some_of, steepest_and_most
from .tiles import TILE, read_tile

LISTED = 12  # clusters in the list of every point
LISTED_AT_A_TIME = 1 << 17  # points whose lists are held together
FEWEST_RESIDUES = 64  # classes that the clusters of a list are looked for in, at least
RESIDUES_SQUARED = 4  # and the square of their number, in units of k
HALVINGS = 10  # of the interval in which the limit of a list is looked for, at most
SPARE_RESIDUES = 3  # more of them than clusters in the list may reach the limit
SCORES_AT_A_TIME = 1 << 19  # entries of the product of points and clusters that are held together
FEWEST_COORDINATES = 8  # from here on a single list is looked for in float32 first
NARROW = 1 / 16  # float32 errors that a list bears, in units of how far its best cluster is above those outside it


class Lists(NamedTuple):
    """Scores and clusters (n, size) of every list, in no order, and a bound (n,) on the reduced scores outside it."""

    values: NDArray[np.float64]
    clusters: NDArray[np.int32]
    outside: NDArray[np.float64]

    def of(self, points: Any) -> Lists:
        """The lists of some points, by an index or a slice."""
        return Lists(self.values[points], self.clusters[points], self.outside[points])


@njit(cache=True)
def residues(k):
    """Classes of clusters, a power of two: so many that those of a list have few clusters beside it."""
    count = FEWEST_RESIDUES
    while count * count < RESIDUES_SQUARED * k:
        count *= 2
    return count


@njit(cache=True, borrowing=True, fastmath={"nnan", "nsz"})  # so that largest entries become vector instructions
def keep_largest(row, k, floor, most, kept, places):
    """Write the largest of the first k entries of ``row``, falling, and their places; returns a bound on all others.

    Entries are looked at by residue of their place; those below ``floor`` do not count. A limit that is reached by the
    largest entries of about as many residues as are kept is found by halving an interval; only these residues can
    contain any of the entries sought.
    """
    size, classes, count = kept.size, most.size, 0
    first = row.size % (4 * classes)
    for c in range(classes):
        most[c] = row[c] if first else -np.inf
    for start in range(classes, first, classes):
        for c in range(start, start + classes):
            most[c - start] = max(most[c - start], row[c])
    while first < row.size:  # four at a time, so that `most` is read and written less often
        for c in range(classes):
            p, q = row[first + c], row[first + classes + c]
            r, s = row[first + 2 * classes + c], row[first + 3 * classes + c]
            most[c] = max(most[c], max(max(p, q), max(r, s)))
        first += 4 * classes
    high, low = most[0], most[0]
    for c in range(classes):
        high, low = max(high, most[c]), min(low, most[c])
    low, half = max(low, floor), most.dtype.type(0.5)
    for _ in range(HALVINGS):
        limit, above = half * low + half * high, np.int32(0)
        for c in range(classes):
            above += most[c] >= limit
        if above < size:
            high = limit
            continue
        low = limit
        if above <= size + SPARE_RESIDUES:
            break
    beyond = low
    kept[:] = -np.inf
    for position in range(size):
        places[position] = position
    for c in range(classes):
        if most[c] < low:
            continue
        for i in range(c, k, classes):
            value = row[i]
            if value < low:
                continue
            place = size - 1
            if count < size:
                place = count
                count += 1
            elif value <= kept[place]:
                beyond = max(beyond, value)
                continue
            else:
                beyond = max(beyond, kept[place])
            while place > 0 and kept[place - 1] < value:
                kept[place], places[place] = kept[place - 1], places[place - 1]
                place -= 1
            kept[place], places[place] = value, i
    return beyond


@njit(cache=True)
def workspace(k, size, d):
    """Room to find a list in.

    The places of the largest scores; in float32 and in float64 the largest of every residue, those of the list and all
    of them; coordinates, and scores (k,).
    """
    classes = residues(k)
    width = -(-k // classes) * classes
    return (
        np.empty(size, np.int64),
        (np.empty(classes, np.float32), np.empty(size, np.float32), np.full(width, np.float32(-np.inf))),
        (np.empty(classes), np.empty(size), np.full(width, -np.inf)),
        np.empty(d),
        np.empty(k),
    )


@njit(cache=True, borrowing=True)
def listed_with(own, places, kept):
    """Whether ``own`` is no cluster, or one of the list; if not it takes the place of the last one."""
    for i in places:
        if i == own or own < 0:
            return True
    places[kept.size - 1] = own
    return False


@njit(cache=True, borrowing=True)
def list_row(data, prices, j, own, lists, room):
    """Take the list of point ``j`` anew, in float64; it contains the cluster ``own``, unless that is -1."""
    values, clusters, outside = lists
    places, _, (largest, kept, row), _, out = room
    rows, k = data[0], prices.size
    matrix = is_matrix(data)
    if not matrix:
        score_row(data, j, out)
    for i in range(k):
        row[i] = (rows[j, i] if matrix else out[i]) - prices[i]
    beyond = keep_largest(row, k, -(2.0**1022), largest, kept, places)
    if not listed_with(own, places, kept):
        beyond = max(beyond, kept[kept.size - 1])
    outside[j] = -np.inf if kept.size == k else beyond
    for position in range(kept.size):
        if matrix:
            out[places[position]] = rows[j, places[position]]
        values[j, position], clusters[j, position] = out[places[position]], places[position]


@njit(cache=True, borrowing=True, fastmath={"nnan", "nsz"})
def write_offsets(offsets, prices, unit, row):
    """Write offsets less prices, times ``unit``, in float32; returns the largest absolute one before."""
    most = 0.0
    for i in range(prices.size):
        offset = offsets[i] - prices[i]
        row[i] = np.float32(offset * unit)
        most = max(most, abs(offset))
    return most


@njit(cache=True, borrowing=True)
def score_clusters(point, slopes, offsets, places, out):
    """Write the scores of a point (d,) in the clusters ``places``, four at a time; rounded as by `rows.score_row`."""
    last = places.size - 1
    for i in range(0, places.size, 4):
        j, m, r = min(i + 1, last), min(i + 2, last), min(i + 3, last)  # the last one again where there are no four
        a, b, c, e = offsets[places[i]], offsets[places[j]], offsets[places[m]], offsets[places[r]]
        g, h, p, q = slopes[places[i]], slopes[places[j]], slopes[places[m]], slopes[places[r]]
        for f in range(point.size):
            x = point[f]
            a, b, c, e = a + x * g[f], b + x * h[f], c + x * p[f], e + x * q[f]
        out[i], out[j], out[m], out[r] = a, b, c, e


@njit(cache=True, borrowing=True)
def put_list(data, prices, filter_, j, own, point, most, row, lists, room):
    """Write the list of point ``j`` from its scores in float32, or in float64 where these do not tell its leads.

    ``point`` are the coordinates that scores are linear in, ``most`` is the largest absolute offset times ``unit``.
    """
    values, clusters, outside = lists
    _, slopes, scale, unit, steepest, _ = filter_
    places, (largest, kept, _), (_, exact, _), _, _ = room
    k, size, d = prices.size, values.shape[1], point.size
    beyond = np.float64(keep_largest(row, k, np.float32(-(2.0**127)), largest, kept, places))
    if not listed_with(own, places, kept):
        beyond = max(beyond, np.float64(kept[size - 1]))
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
        list_row(data, prices, j, own, lists, room)


@njit(cache=True, borrowing=True)
def list_one(data, prices, filter_, j, own, lists, room):
    """Take the list of point ``j`` anew; it contains the cluster ``own``, unless that is -1."""
    matrix, _, scale, unit, _, _ = filter_
    rows, columns, offsets, origin = data
    k, d = prices.size, columns.shape[0]
    if d < FEWEST_COORDINATES:
        list_row(data, prices, j, own, lists, room)
        return
    _, (_, _, row), _, point, _ = room
    most = write_offsets(offsets, prices, unit, row)
    f = 0
    for p in range(-1, origin.size if d > origin.size else 0):  # coordinates first, p = -1, then products of p and q
        y = 1.0 if p < 0 else np.float64(rows[j, p]) - origin[p]
        for q in range(max(p, 0), origin.size):
            point[f] = y * (np.float64(rows[j, q]) - origin[q])
            x, along = np.float32(point[f] * scale), matrix[f]
            for i in range(k):
                row[i] += x * along[i]
            f += 1
    put_list(data, prices, filter_, j, own, point, most * unit, row, lists, room)


@njit(
    cache=True,
    nogil=True,
    seconds_to_compile=1.5,
    seconds_uncompiled=lambda data, prices, filter_, start, stop, lists: (
        50 * row_passes.seconds(data, prices.size, stop - start)
    ),
)
def list_some(data, prices, filter_, start, stop, lists):
    """Take the lists of the points ``start`` to ``stop``: which clusters, by float32; their scores, in float64."""
    matrix, _, scale, _, _, most = filter_
    k, d, size = prices.size, data[1].shape[0], lists[0].shape[1]
    if is_matrix(data):
        room = workspace(k, size, d)
        for j in range(start, stop):
            list_row(data, prices, j, -1, lists, room)
        return
    points, single = np.empty((d, TILE)), np.ones((TILE, d + 1), np.float32)
    step = min(max(SCORES_AT_A_TIME // matrix.shape[1], 8), TILE)
    scores, room = np.full((step, matrix.shape[1]), np.float32(-np.inf)), workspace(k, size, d)
    point = room[3]
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        read_tile(data, first, last, points)
        for f in range(d):
            for r in range(TILE):
                single[r, f] = np.float32(points[f, r] * scale)
        for j in range(first, last):
            r = j - first
            if r % step == 0:
                np.dot(single[r : r + step], matrix, scores[: min(step, TILE - r)])
            for f in range(d):  # side by side, since a column lies all over the processor's cache
                point[f] = points[f, r]
            put_list(data, prices, filter_, j, -1, point, most, scores[r % step], lists, room)


def list_filter(data: Data, prices: Reals) -> tuple[NDArray[np.float32], Reals, float, float, float, float]:
    """What `list_some` and `list_one` read.

    The matrix (d + 1, k) of the product, gradients (k, d), both scales, the largest slope and offset.
    """
    (rows, columns, offsets, origin), k = data, prices.size
    some = some_of(rows)
    largest, d = float(np.abs(some).max(initial=0.0)), len(columns)
    if d:
        largest = float(np.abs(lift(some - origin) if d > origin.size else some - origin).max(initial=0.0))
    scale = power_of_two(largest)
    unit = power_of_two(float((largest * np.abs(columns).sum(axis=0)).max(initial=0.0 if d else largest)))
    steepest, most = steepest_and_most(columns, offsets - prices)
    unit = min(unit, power_of_two(most))
    matrix = np.full((d + 1, -(-k // residues(k)) * residues(k)), -np.inf, np.float32)
    matrix[:d] = 0.0
    matrix[:, :k] = single_matrix(columns, offsets - prices, scale, unit).T
    return matrix, columns.T.copy(), scale, unit, steepest * (unit / scale), most * unit


def nearest_clusters(data: Data, prices: NDArray[np.float64], size: int, deadline: float = np.inf) -> Lists:
    """The lists of ``size`` clusters of all points; `OutOfTime` when the deadline comes first."""
    n = data[0].shape[0]
    lists = Lists(np.empty((n, size)), np.empty((n, size), dtype=np.int32), np.empty(n))
    with np.errstate(over="ignore"), one_blas_thread():
        filter_ = list_filter(data, prices)
        for part in parts_of_pass(data, prices.size, deadline):
            _take((data[0][part], *data[1:]), prices, filter_, lists.of(part))
    return lists


def _take(data: Data, prices: NDArray[np.float64], filter_: tuple[Any, ...], lists: Lists) -> None:
    n = len(data[0])
    if is_small(data, prices.size):
        list_some(data, prices, filter_, 0, n, lists)
    else:
        share(lambda start, stop: list_some(data, prices, filter_, start, stop, lists), n)


def moved_to(lists: Lists, before: Reals, after: Reals) -> Lists:
    """The same lists, with bounds that hold at the prices ``after`` (k,) where they held at those ``before``."""
    falls = before - after + 2.0**-50 * (np.abs(before).max() + np.abs(after).max())  # and what rounding may change
    outside, rest = lists.outside.copy(), np.arange(len(lists.outside))
    for i in np.argsort(-falls, kind="stable")[: lists.clusters.shape[1] + 1]:  # not all of them are in one list
        listed = (lists.clusters[rest] == i).any(axis=1)
        outside[rest[~listed]] += falls[i]
        rest = rest[listed]
    return lists._replace(outside=outside)


@njit(cache=True)
def list_rows(data, prices, points, labels, lists):
    """Take the lists of some points anew, in float64; they contain the points' ``labels`` (m,), if not -1."""
    room = workspace(prices.size, lists[0].shape[1], data[1].shape[0])
    for place in range(points.size):
        list_row(data, prices, points[place], labels[place], lists, room)


def retaken(data: Data, prices: Reals, points: Integers, labels: Integers | None, lists: Lists) -> None:
    """Take the lists of some points anew at ``prices``; they contain the points' ``labels`` (m,), where given."""
    own, again = np.full(points.size, -1) if labels is None else labels, np.arange(points.size)
    if not row_passes.is_matrix(data):
        some = nearest_clusters(subset(data, points), prices, lists.values.shape[1])
        lists.values[points], lists.clusters[points], lists.outside[points] = some
        again = np.flatnonzero((own >= 0) & ~(some.clusters == own[:, None]).any(axis=1))
    list_rows(data, prices, points[again], own[again], tuple(lists))


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
