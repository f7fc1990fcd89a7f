"""Lists of the clusters that matter to a point: those of its largest reduced scores, and a bound on all others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit
from ...base.threads import share
from . import row_passes
from .near import all_clusters
from .rows import Data, is_small, parts_of_pass, score_row
from .tiles import TILE, score_tile, workspace


class Lists(NamedTuple):
    """Scores and clusters (n, size) of every list, in no order, and the largest reduced score (n,) outside it."""

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


@njit(
    cache=True,
    nogil=True,
    seconds_to_compile=1.5,
    seconds_uncompiled=lambda data, prices, start, stop, lists: (
        50 * row_passes.seconds(data, prices.size, stop - start)
    ),
)
def list_some(data, prices, start, stop, lists):
    """Take the lists of the points ``start`` to ``stop``."""
    values, clusters, outside = lists
    k, size = prices.size, values.shape[1]
    tile, scores, _, _, _ = workspace(data, k)
    near, space = all_clusters(data, k)
    reach = np.full(k, -np.inf)
    kept = np.empty((TILE, size))
    least, beyond, place = np.empty(TILE), np.empty(TILE), np.empty(TILE, np.int64)
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        score_tile(data, prices, reach, first, last, (tile, scores), near, space, False)
        least[:], beyond[:], kept[:], place[:] = -np.inf, -np.inf, -np.inf, 0
        for i in range(k):
            row, price = scores[i], prices[i]
            more = False
            for r in range(TILE):
                more |= row[r] - price > least[r]
            if not more:
                for r in range(TILE):
                    beyond[r] = max(beyond[r], row[r] - price)
                continue
            for r in range(TILE):
                reduced = row[r] - price
                if reduced <= least[r]:
                    beyond[r] = max(beyond[r], reduced)
                    continue
                beyond[r] = max(beyond[r], least[r])
                j = first + r
                if j < last:
                    values[j, place[r]], clusters[j, place[r]] = row[r], i
                kept[r, place[r]] = reduced
                low, where = kept[r, 0], 0
                for position in range(1, size):
                    if kept[r, position] < low:
                        low, where = kept[r, position], position
                least[r], place[r] = low, where
        for j in range(first, last):
            outside[j] = beyond[j - first]


def nearest_clusters(data: Data, prices: NDArray[np.float64], size: int, deadline: float = np.inf) -> Lists:
    """The lists of ``size`` clusters of all points; `OutOfTime` when the deadline comes first."""
    n = data[0].shape[0]
    lists = Lists(np.empty((n, size)), np.empty((n, size), dtype=np.int32), np.empty(n))
    for part in parts_of_pass(data, prices.size, deadline):
        _take((data[0][part], *data[1:]), prices, Lists(lists.values[part], lists.clusters[part], lists.outside[part]))
    return lists


def _take(data: Data, prices: NDArray[np.float64], lists: Lists) -> None:
    n = len(data[0])
    if is_small(data, prices.size):
        list_some(data, prices, 0, n, lists)
    else:
        share(lambda start, stop: list_some(data, prices, start, stop, lists), n)
