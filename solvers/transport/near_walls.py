"""Points near walls: those that lose less than a cutoff by going to another cluster, and what they lose.

    key_j = (gamma_i - mu_i) - (gamma_j - mu_j) < cutoff_ij        for a point whose best cluster is i

All arithmetic is float64, in the order of `rows.score_row`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.arrays import Integers, Reals
from ...base.jit import njit
from .rows import SERIAL_WORK, Data, share_blocks
from .tiles import TILE, largest_two, score_one, score_two, workspace

ROOM = 2  # keys of a point for which there is room at first


class NearPoints(NamedTuple):
    """Points near walls, with their keys at the prices of a pass."""

    labels: Integers  # (m,) best clusters
    starts: Integers  # (m + 1,) the entries of every point
    points: Integers  # (e,) the point of every entry,
    clusters: Integers  # (e,) another cluster,
    keys: Reals  # (e,) and its key
    reach: float  # T: what is not listed has a key of at least this


@njit(cache=True, nogil=True)
def near_some(data, prices, cutoff, index, start, stop, margins, counts, entries, keys):
    """Write leads and numbers of keys of the points ``index[start:stop]``, and clusters and keys; returns their number.

    ``entries`` holds the best cluster and the other one. What is beyond its length is counted but not written.
    """
    rows, columns, offsets, origin = data
    (k, d), written = (prices.size, origin.size), 0
    points, scores, best, second, arg = workspace(data, k)
    near, widest, place, limit = np.arange(k), np.empty(k), np.empty(TILE, np.int64), np.empty(TILE)
    for i in range(k):
        widest[i] = cutoff[i, 0]
        for j in range(1, k):
            widest[i] = max(widest[i], cutoff[i, j])
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop) - first - 1
        for r in range(TILE):
            j = index[first + min(r, last)]
            for f in range(d):
                points[f, r] = np.float64(rows[j, f]) - origin[f]
        for i in range(0, k - 1, 2):
            score_two(points, columns, offsets, i, i + 1, scores[i], scores[i + 1])
        if k % 2:
            score_one(points, columns[:, k - 1], offsets[k - 1], scores[k - 1])
        largest_two(scores, prices, near, best, second, arg)
        for r in range(TILE):
            limit[r], place[r] = widest[arg[r]], 0  # keys below the limit, that of the best cluster among them
        for i in range(k):
            row, price = scores[i], prices[i]
            for r in range(TILE):
                row[r] = best[r] - (row[r] - price)
                place[r] += row[r] < limit[r]
        for r in range(last + 1):
            own, count = arg[r], 0
            if place[r] > 1:
                for i in range(k):
                    if i != own and scores[i, r] < cutoff[own, i]:
                        if written < keys.size:
                            entries[written, 0], entries[written, 1], keys[written] = own, i, scores[i, r]
                        written += 1
                        count += 1
            counts[first + r], margins[first + r] = count, best[r] - second[r]
    return written


def near_walls(data: Data, prices: Reals, cutoff: Reals, index: Integers) -> tuple[Integers, NearPoints, Reals]:
    """Those of the points ``index`` (c,) that have keys below the cutoffs (k, k), these keys, and all leads (c,).

    For linear scores.
    """
    margins, counts = np.empty(index.size), np.zeros(index.size, np.int64)
    found: list[tuple[int, Integers, Reals]] = []

    def work(start: int, stop: int) -> None:
        room = needed = ROOM * (stop - start)
        while needed >= room:
            room = needed + 1
            entries, keys = np.empty((room, 2), np.int64), np.empty(room)
            needed = near_some(data, prices, cutoff, index, start, stop, margins, counts, entries, keys)
        found.append((start, entries[:needed], keys[:needed]))

    work(0, index.size) if index.size * data[1].size < SERIAL_WORK else share_blocks(work, index.size)
    found.sort(key=lambda part: part[0])
    entries, keys = (np.concatenate([part[column] for part in found]) for column in (1, 2))
    there = np.flatnonzero(counts)
    starts = np.concatenate([[0], np.cumsum(counts[there])])
    which, reach = np.repeat(np.arange(there.size), counts[there]), float(keys.max(initial=0.0))
    return index[there], NearPoints(entries[starts[:-1], 0], starts, which, entries[:, 1], keys, reach), margins
