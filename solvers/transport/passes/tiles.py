"""Scores of TILE points at a time, clusters by points: the inner loops of every row pass.

    scores[i, r] = offsets_i + sum_f (rows[start + r, f] - origin_f) columns[f, i]

Quadratic scores are the same sum over lifted points, which are formed here. The points of a tile are contiguous, so
that each loop over them is of one constant length and becomes vector instructions, for any number of clusters. Two
clusters share the reading of four coordinates, so that a score costs less than one read of memory for each coordinate.
Every sum is taken in the order of `rows.score_row`: the bits agree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.jit import njit

TILE = 128  # Points that are scored side by side: their scores stay in the fastest cache.


class Room(NamedTuple):
    """Room for one tile, made in Python: a kernel that makes arrays takes much longer to compile."""

    points: NDArray[np.float64]  # (d, TILE)
    scores: NDArray[np.float64]  # (k, TILE)
    best: NDArray[np.float64]  # (TILE,): Largest score of a point.
    second: NDArray[np.float64]  # (TILE,): Second largest score of a point.
    arg: NDArray[np.int64]  # (TILE,): Cluster of the largest score.
    every: NDArray[np.int64]  # (k,): All clusters.

    @property
    def is_room(self) -> bool:
        """How large it is does not say how long a kernel takes (`base.jit`)."""
        return True

    @classmethod
    def of(cls, data: tuple[Any, ...], k: int) -> Room:
        """Room for the tiles of these points."""
        best, second, arg = np.empty(TILE), np.empty(TILE), np.empty(TILE, np.int64)
        return cls(np.empty((len(data[1]), TILE)), np.empty((k, TILE)), best, second, arg, np.arange(k))


@njit(cache=True, borrowing=True)
def score_one(points, column, offset, out):
    """Scores of the last cluster, where their number is odd."""
    for r in range(TILE):
        out[r] = offset
    for f in range(column.size):
        a, x = column[f], points[f]
        for r in range(TILE):
            out[r] += x[r] * a


@njit(cache=True, borrowing=True)
def score_two(points, columns, offsets, i, j, out, other):
    """Scores of the clusters i and j."""
    d = columns.shape[0]
    one, two = offsets[i], offsets[j]
    for r in range(TILE):
        out[r], other[r] = one, two
    for f in range(0, d - 3, 4):
        a, b, c, e = columns[f, i], columns[f + 1, i], columns[f + 2, i], columns[f + 3, i]
        p, q, s, t = columns[f, j], columns[f + 1, j], columns[f + 2, j], columns[f + 3, j]
        x, y, z, w = points[f], points[f + 1], points[f + 2], points[f + 3]
        for r in range(TILE):
            out[r] = (((out[r] + x[r] * a) + y[r] * b) + z[r] * c) + w[r] * e
            other[r] = (((other[r] + x[r] * p) + y[r] * q) + z[r] * s) + w[r] * t
    for f in range(d - d % 4, d):
        a, p, x = columns[f, i], columns[f, j], points[f]
        for r in range(TILE):
            out[r] += x[r] * a
            other[r] += x[r] * p


@njit(cache=True, borrowing=True)
def read_tile(data, start, stop, points):
    """Write the coordinates of a tile, measured from the origin, into ``points`` (d, TILE), and lifted ones after."""
    rows, columns, _, origin = data
    d, part = origin.size, rows[start:stop]
    for f in range(d):
        middle, out = origin[f], points[f]
        for r in range(len(part)):
            out[r] = np.float64(part[r, f]) - middle
        for r in range(len(part), TILE):
            out[r] = out[len(part) - 1]
    f = d
    for p in range(d if columns.shape[0] > d else 0):
        for q in range(p, d):
            one, two, product = points[p], points[q], points[f]
            for r in range(TILE):
                product[r] = one[r] * two[r]
            f += 1


@njit(cache=True, borrowing=True)
def score_tile(data, start, stop, tile, chosen):
    """Write the scores of the points ``start`` to ``stop``, at most TILE, in the rows of the clusters
    ``chosen``. A shorter tile repeats its last point."""
    rows, columns, offsets, origin = data
    points, scores = tile
    count, last = chosen.size, stop - start - 1
    if columns.size == 0:
        given = origin.size == 0 and rows.shape[1] == offsets.size  # else scores of points without coordinates
        for a in range(count):
            for r in range(TILE):
                scores[a, r] = rows[start + min(r, last), chosen[a]] if given else offsets[chosen[a]]
        return
    read_tile(data, start, stop, points)
    for a in range(0, count - 1, 2):
        score_two(points, columns, offsets, chosen[a], chosen[a + 1], scores[a], scores[a + 1])
    if count % 2:
        i = chosen[count - 1]
        score_one(points, columns[:, i], offsets[i], scores[count - 1])
