"""Exchange gaps w_ij = min over members of i of gamma_i - gamma_j, of whole points, in float32 where that decides.

A difference is formed in float64 only where that of float32, less twice its error bound (`single`), is below what is
known of a gap: that happens about log(n / k) times for every pair. So the gaps are bit for bit those of float64.
"""

from __future__ import annotations

import numpy as np

from ...base.arrays import Integers, Reals
from ...base.blas import one_blas_thread
from ...base.jit import njit
from ...base.threads import share
from . import row_passes
from .rows import Data, exchange_gaps, is_small
from .single import UNIT, power_of_two, single_matrix, some_of, steepest_and_most
from .tiles import TILE


@njit(cache=True)
def score_of(point, slope, offset):
    """Score of a point (d,) in a cluster; rounded as by `rows.score_row`."""
    for f in range(point.size):
        offset += point[f] * slope[f]
    return offset


def _lower_some(data, slopes, matrix, scale, unit, largest, labels, start, stop, gaps):
    """Stands for `lower_some`."""
    row_passes.lower_gaps(data, np.arange(labels.size), labels, np.ones(labels.size), start, stop, gaps)


@njit(
    cache=True,
    nogil=True,
    in_numpy=_lower_some,
    seconds_to_compile=1.2,
    seconds_uncompiled=lambda data, slopes, matrix, scale, unit, largest, labels, start, stop, gaps: row_passes.seconds(
        data, len(gaps), stop - start
    ),
)
def lower_some(data, slopes, matrix, scale, unit, largest, labels, start, stop, gaps):
    """Lower the entries of gaps (k, k) to the costs of moving the points ``start`` to ``stop``.

    ``slopes`` (k, d) are the gradients; ``largest`` holds the length of the longest one, in units of 1 / ``unit`` and
    1 / ``scale``, and the largest offset.
    """
    rows, _, offsets, origin = data
    k, d = gaps.shape[0], origin.size
    points, scores = np.ones((d + 1, TILE), np.float32), np.empty((TILE, k), np.float32)
    limits, squares, point = np.full((k, k), np.inf, np.float32), np.empty(TILE, np.float32), np.empty(d)
    for i in range(k):
        limits[i, i] = -np.inf
    for first in range(start, stop, TILE):
        count = min(TILE, stop - first)
        squares[:] = 0.0
        for f in range(d):
            along, zero = points[f], origin[f]
            for r in range(TILE):
                along[r] = np.float32((np.float64(rows[first + min(r, count - 1), f]) - zero) * scale)
                squares[r] += along[r] * along[r]
        np.dot(points.T, matrix.T, scores)
        largest_square = squares[0]  # and not `squares.max()`, which takes half a second to compile
        for r in range(1, TILE):
            largest_square = max(largest_square, squares[r])
        radius = np.sqrt(np.float64(largest_square)) * (1.0 + (d + 8) * UNIT) + 2.0**-60
        doubt = np.float32(2.0 * ((d + 10) * UNIT * (largest[0] * radius + largest[1]) + 2.0**-120))
        for r in range(count):
            i, row = labels[first + r], scores[r]
            limit, own, undecided = limits[i], row[i] - doubt, False
            for j in range(k):
                undecided |= not own - row[j] >= limit[j]
            if not undecided:
                continue
            for f in range(d):
                point[f] = np.float64(rows[first + r, f]) - origin[f]
            exact, gaps[i, i] = score_of(point, slopes[i], offsets[i]), 0.0
            for j in range(k):
                if not own - row[j] >= limit[j]:
                    gap = exact - score_of(point, slopes[j], offsets[j])
                    if gap < gaps[i, j]:
                        gaps[i, j] = gap
                        limit[j] = np.float32(gap * unit) + abs(np.float32(gap * unit)) * np.float32(2.0**-22)


def gaps_of_points(data: Data, labels: Integers, k: int) -> Reals:
    """w_ij (k, k) of whole points in the clusters ``labels`` (n,); inf where cluster i is empty."""
    n, d = data[0].shape
    if is_small(data, k) or k < 2 or d == 0 or data[1].shape[0] != d:
        return exchange_gaps(data, np.arange(n), labels, np.ones(n), k)
    scale = power_of_two(float(np.abs(some_of(data[0]) - data[3]).max()))
    steepest, most = steepest_and_most(data[1], data[2])
    unit = power_of_two(max(steepest / scale, most))
    matrix = single_matrix(data[1], data[2], scale, unit)
    slopes, largest = np.ascontiguousarray(data[1].T), np.array([steepest * (unit / scale), most * unit])
    parts: list[Reals] = []  # in any order: a minimum is the same

    def lower(start: int, stop: int) -> None:
        gaps = np.full((k, k), np.inf)
        lower_some(data, slopes, matrix, scale, unit, largest, labels, start, stop, gaps)
        parts.append(gaps)

    with one_blas_thread():
        share(lower, n)
    return np.minimum.reduce(parts)
