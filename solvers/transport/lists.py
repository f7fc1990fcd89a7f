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
from ...models.quadratic_scores import lift
from . import row_passes
from .rows import Data, evaluate, evaluate_some, is_small, parts_of_pass, score_row, subset
from .single import UNIT, power_of_two, single_matrix, some_of, steepest_and_most
from .tiles import TILE, read_tile

LISTED = 4  # clusters in the lists that objectives are taken from
LISTED_AT_A_TIME = 1 << 17  # points whose lists are held together
TILED_SHARE = 1 / 8  # of the clusters; up to it, the scores of a tile cost less than lists do
RESIDUES = 64  # classes that the clusters of a list are looked for in
NARROW = 1 / 256  # float32 errors that a list bears, in units of how far its best cluster is above those outside it


class Lists(NamedTuple):
    """Scores and clusters (n, size) of every list, in no order, and a bound (n,) on the reduced scores outside it."""

    values: NDArray[np.float64]
    clusters: NDArray[np.int32]
    outside: NDArray[np.float64]


@njit(cache=True)
def list_row(data, prices, j, own, lists, out, kept):
    """Take the list of point ``j`` anew; it contains the cluster ``own``, unless that is -1."""
    values, clusters, outside = lists
    k, size = out.size, values.shape[1]
    score_row(data, j, out)
    least, place, beyond = np.inf, 0, -np.inf
    for i in range(k):
        reduced = out[i] - prices[i]
        if i >= size:
            if reduced <= least:
                beyond = max(beyond, reduced)
                continue
            beyond = max(beyond, least)
        else:
            place = i
        kept[place], values[j, place], clusters[j, place] = reduced, out[i], i
        if i >= size - 1:
            least, place = kept[0], 0
            for position in range(1, size):
                if kept[position] < least:
                    least, place = kept[position], position
    if own >= 0 and out[own] - prices[own] < least:
        beyond = max(beyond, least)
        values[j, place], clusters[j, place] = out[own], own
    outside[j] = beyond


@njit(cache=True)
def keep_largest(row, k, kept, places):
    """Write the largest of the first k entries of ``row`` and their places; returns the largest of all others.

    Entries are looked at by residue of their place. Only those whose largest entry is among as many largest ones as
    are kept can contain any of these.
    """
    size = kept.size
    most = np.full(RESIDUES, np.float32(-np.inf))
    for first in range(0, row.size, RESIDUES):
        for c in range(RESIDUES):
            most[c] = row[first + c] if row[first + c] > most[c] else most[c]
    kept[:] = np.float32(-np.inf)
    for c in range(RESIDUES):
        if most[c] > kept[size - 1]:
            place = size - 1
            while place > 0 and kept[place - 1] < most[c]:
                kept[place] = kept[place - 1]
                place -= 1
            kept[place] = most[c]
    limit, beyond = kept[size - 1], np.float32(-np.inf)
    kept[:] = np.float32(-np.inf)
    for position in range(size):
        places[position] = position
    for c in range(RESIDUES):
        if most[c] < limit:
            beyond = max(beyond, most[c])
            continue
        for i in range(c, k, RESIDUES):
            value = row[i]
            if value <= kept[size - 1]:
                beyond = max(beyond, value)
                continue
            beyond = max(beyond, kept[size - 1])
            place = size - 1
            while place > 0 and kept[place - 1] < value:
                kept[place], places[place] = kept[place - 1], places[place - 1]
                place -= 1
            kept[place], places[place] = value, i
    return beyond


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
    values, clusters, outside = lists
    matrix, scale, unit, steepest, most = filter_
    columns, exact, out = data[1], np.empty(values.shape[1]), np.empty(prices.size)
    k, size, d = prices.size, values.shape[1], data[1].shape[0]
    given = d == 0 and data[3].size == 0 and data[0].shape[1] == k
    points, single = np.empty((d, TILE)), np.ones((TILE, d + 1), np.float32)
    scores = np.full((TILE, matrix.shape[1]), np.float32(-np.inf))
    kept, places = np.empty(size, np.float32), np.empty(size, np.int64)
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        if given:
            for j in range(first, last):
                for i in range(k):
                    scores[j - first, i] = np.float32((data[0][j, i] - prices[i]) * unit)
        else:
            read_tile(data, first, last, points)
            for f in range(d):
                for r in range(TILE):
                    single[r, f] = np.float32(points[f, r] * scale)
            np.dot(single, matrix, scores)
        for j in range(first, last):
            beyond = np.float64(keep_largest(scores[j - first], k, kept, places))
            square, error = 0.0, 4.0 * abs(beyond)
            for f in range(d):
                square += (points[f, j - first] * scale) ** 2
            if not given:
                error = (d + 10) * (steepest * np.sqrt(square) + most)
            outside[j] = (beyond + error * UNIT + 2.0**-120) / unit if error < 2.0**100 or size == k else np.inf
            for position in range(size):
                i = places[position]
                clusters[j, position] = i
                exact[position] = np.float64(data[0][j, i]) if given else data[2][i]
            for f in range(d):
                x = points[f, j - first]
                for position in range(size):
                    exact[position] += x * columns[f, places[position]]
            values[j] = exact
            top, second = -np.inf, -np.inf
            for position in range(size):
                reduced = exact[position] - prices[places[position]]
                second = max(second, min(top, reduced))
                top = max(top, reduced)
            wide = error * UNIT > NARROW * (top - outside[j]) * unit  # the bound on the others is loose by as much
            if wide or not second >= outside[j]:  # float32 does not tell the leads of this point
                list_row(data, prices, j, -1, lists, out, exact)


def _filter(data: Data, prices: NDArray[np.float64]) -> tuple[NDArray[np.float32], float, float, float, float]:
    """What `list_some` reads: the matrix (d + 1, k) of the product, both scales, the largest slope and offset."""
    (rows, columns, offsets, origin), k = data, prices.size
    some = some_of(rows)
    largest, d = float(np.abs(some).max(initial=0.0)), len(columns)
    if d:
        largest = float(np.abs(lift(some - origin) if d > origin.size else some - origin).max(initial=0.0))
    scale = power_of_two(largest)
    unit = power_of_two(float((largest * np.abs(columns).sum(axis=0)).max(initial=0.0 if d else largest)))
    steepest, most = steepest_and_most(columns, offsets - prices)
    unit = min(unit, power_of_two(most))
    matrix = np.full((d + 1, -(-k // RESIDUES) * RESIDUES), -np.inf, np.float32)
    matrix[:d] = 0.0
    matrix[:, :k] = single_matrix(columns, offsets - prices, scale, unit).T
    return matrix, scale, unit, steepest * (unit / scale), most * unit


def nearest_clusters(data: Data, prices: NDArray[np.float64], size: int, deadline: float = np.inf) -> Lists:
    """The lists of ``size`` clusters of all points; `OutOfTime` when the deadline comes first."""
    n = data[0].shape[0]
    lists = Lists(np.empty((n, size)), np.empty((n, size), dtype=np.int32), np.empty(n))
    with np.errstate(over="ignore"), one_blas_thread():
        filter_ = _filter(data, prices)
        for part in parts_of_pass(data, prices.size, deadline):
            some = Lists(lists.values[part], lists.clusters[part], lists.outside[part])
            _take((data[0][part], *data[1:]), prices, filter_, some)
    return lists


def _take(data: Data, prices: NDArray[np.float64], filter_: tuple[Any, ...], lists: Lists) -> None:
    n = len(data[0])
    if is_small(data, prices.size):
        list_some(data, prices, filter_, 0, n, lists)
    else:
        share(lambda start, stop: list_some(data, prices, filter_, start, stop, lists), n)


def evaluate_listed(data: Data, prices: Reals, labels: Integers, best: Reals, own: Reals) -> None:
    """`rows.evaluate` for many clusters: from lists, or by tiles where bounds leave out most clusters of the first."""
    some = slice(0, TILE)
    near = evaluate_some((data[0][some], *data[1:]), prices, 0, len(labels[some]), labels[some], best[some], own[some])
    if near <= TILED_SHARE * prices.size:
        return evaluate(data, prices, labels, best, own)
    for part in parts_of_pass(data, prices.size, np.inf, LISTED_AT_A_TIME):
        rows = (data[0][part], *data[1:])
        values, clusters, outside = nearest_clusters(rows, prices, min(prices.size, LISTED))
        mine = clusters == labels[part, None]
        best[part] = (values - prices[clusters]).max(axis=1)
        own[part] = np.where(mine, values, -np.inf).max(axis=1)
        places = np.flatnonzero(~(mine.any(axis=1) & (best[part] >= outside)))
        if places.size:
            again = np.empty(places.size), np.empty(places.size)
            evaluate(subset(rows, places), prices, labels[part][places], *again)
            best[part][places], own[part][places] = again
