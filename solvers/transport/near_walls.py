"""Points near walls: those that lose less than a limit T by going to another cluster, and what they lose.

    key_j = (gamma_i - mu_i) - (gamma_j - mu_j) < T        for a point whose best cluster is i

A product in float32 finds which clusters may be as near as that (`leads` gives its error); their keys are computed in
float64, rounded as by `rows.score_row`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Integers, Reals
from ...base.blas import one_blas_thread
from ...base.jit import njit
from .leads import ROUND_DOWN, Leads
from .rows import SERIAL_WORK, Data, linear_score, share_blocks
from .single import write_single_scores
from .tiles import TILE

ROOM = 2  # keys of a point for which there is room at first
WORD = 32  # bits
DE_BRUIJN = np.uint32(0x077CB531)  # times a power of two: its five leading bits say which one (Leiserson et al. 1998)
PLACES = np.argsort([(0x077CB531 << i) % (1 << 32) >> 27 for i in range(32)])


class NearPoints(NamedTuple):
    """Points near walls, with their keys at the prices of a pass."""

    labels: Integers  # (m,) best clusters
    starts: Integers  # (m + 1,) the entries of every point
    clusters: Integers  # (e,) the other cluster of every entry,
    keys: Reals  # (e,) and its key
    reach: float  # T: what is not listed has a key of at least this

    @property
    def points(self) -> Integers:
        """The point (e,) of every entry."""
        return np.repeat(np.arange(self.labels.size), np.diff(self.starts))


@njit(cache=True)
def mark_near(scores, own, widest, marks):
    """Set the bits ``marks`` (words, TILE) of the clusters over which points lead by less than ``widest`` (TILE,)."""
    for w in range(marks.shape[0]):
        mark = marks[w]
        for r in range(TILE):
            mark[r] = np.uint32(0)
        for i in range(WORD * w, min(WORD * (w + 1), scores.shape[0])):
            row, bit = scores[i], np.uint32(1 << (i - WORD * w))
            for r in range(TILE):
                old = mark[r]
                mark[r] = old if own[r] - row[r] >= widest[r] else np.uint32(old | bit)


@njit(cache=True)
def exact_scores(data, prices, index, homes, marks, begin, slots, exact):
    """Reduced scores of some points in float64, each in its own cluster first, and then in those that are marked.

    Entries ``begin[r]`` to ``begin[r + 1]`` are those of point r.
    """
    total = 0
    for r in range(index.size):
        begin[r], slots[total] = total, homes[r]
        total += 1
        for w in range(marks.shape[0]):
            mark = marks[w, r]
            while mark:
                bit = mark & (~mark + np.uint32(1))  # the lowest one
                slots[total] = WORD * w + PLACES[np.uint32(bit * DE_BRUIJN) >> np.uint32(27)]
                total += 1 if slots[total] != homes[r] else 0
                mark = np.uint32(mark ^ bit)
    begin[index.size] = total
    for r in range(index.size):
        j = index[r]
        for e in range(begin[r], begin[r + 1]):
            exact[e] = linear_score(data, j, slots[e]) - prices[slots[e]]


@njit(cache=True, nogil=True)
def near_some(data, prices, cutoff, single, bound, index, labels, margins, points, near, clusters, keys):
    """Write what is found among the points ``index``: leads (c,), points with keys (m,), and their entries (e,).

    ``points`` takes their places in the index, ``near`` their clusters and the ends of their entries. Entries beyond
    the room for them are counted but not written. Returns m and e.
    """
    rows, _, _, origin = data
    matrix, scale, unit, shells, errors = single
    k, d, found, written = prices.size, origin.size, 0, 0
    tile, scores, begin = (
        np.ones((d + 1, TILE), np.float32),
        np.empty((k, TILE), np.float32),
        np.empty(TILE + 1, np.int64),
    )
    slots, exact = np.empty(TILE * (k + 1) + 1, np.int64), np.empty(TILE * (k + 1))
    own, widest, homes = np.zeros(TILE, np.float32), np.zeros(TILE, np.float32), np.zeros(TILE, np.int64)
    marks = np.empty(((k + WORD - 1) // WORD, TILE), np.uint32)
    for first in range(0, index.size, TILE):
        some = index[first : first + TILE]
        for r in range(some.size):
            j = some[r]
            for f in range(d):
                tile[f, r] = np.float32((np.float64(rows[j, f]) - origin[f]) * scale)
            homes[r] = labels[j]
            widest[r] = bound + np.float32(2.0) * errors[shells[j]]
        write_single_scores(matrix, tile, scores)
        for r in range(some.size):
            own[r] = scores[homes[r], r]
        mark_near(scores, own, widest, marks)
        exact_scores(data, prices, some, homes, marks, begin, slots, exact)
        for r in range(some.size):
            home, best, least, before = homes[r], exact[begin[r]], np.inf, written
            for e in range(begin[r] + 1, begin[r + 1]):
                key = best - exact[e]
                least = min(least, key)
                if key < cutoff:
                    if written < keys.size:
                        clusters[written], keys[written] = slots[e], key
                    written += 1
            margins[first + r] = min(np.float32(least * unit), bound) * ROUND_DOWN
            if written > before:
                points[found], near[found, 0], near[found, 1] = first + r, home, written
                found += 1
    return found, written


def near_walls(
    data: Data, prices: Reals, cutoff: float, index: Integers, leads: Leads
) -> tuple[Integers, NearPoints, NDArray[np.float32]]:
    """Those of the points ``index`` (c,) that have keys below the cutoff, these keys, and bounds on leads (c,).

    For linear scores and prices to which the ``leads`` were just brought. The bounds are no larger than the cutoff.
    """
    margins, bound = np.empty(index.size, np.float32), leads.rounded_up(np.array(cutoff))[()]
    parts: list[tuple[int, Integers, NDArray[np.int64], Integers, Reals]] = []

    def work(start: int, stop: int) -> None:
        size = stop - start
        room = needed = ROOM * size
        points, near = np.empty(size, np.int64), np.empty((size, 2), np.int64)
        while needed >= room:
            room = needed + 1
            clusters, keys = np.empty(room, np.int64), np.empty(room)
            found, needed = near_some(
                data, prices, cutoff, leads.single, bound, index[start:stop], leads.labels, margins[start:stop],
                points, near, clusters, keys,
            )  # fmt: skip
        parts.append((start, start + points[:found], near[:found], clusters[:needed], keys[:needed]))

    with one_blas_thread():
        work(0, index.size) if index.size * data[1].size < SERIAL_WORK else share_blocks(work, index.size)
    parts.sort(key=lambda part: part[0])
    before = np.cumsum([0] + [part[4].size for part in parts])
    starts = np.concatenate([[0], *(part[2][:, 1] + shift for part, shift in zip(parts, before))])
    _, *columns = zip(*parts)
    points, near, clusters, keys = (column[0] if len(parts) == 1 else np.concatenate(column) for column in columns)
    reach = float(keys.max(initial=0.0))
    return index[points], NearPoints(near[:, 0], starts, clusters, keys, reach), margins
