"""Row passes of the exact engine: scores, arg-max and dual values of blocks of points.

Every function takes the points as a tuple ``data = (rows, columns, offsets, origin)``:

    linear scores   rows (n, d), columns (d, k) = gradients.T    gamma_j = (rows_j - origin) @ columns + offsets
    dense scores    rows (n, k), columns (0, 0)                  gamma_j = rows_j

``rows`` is float32 or float64; all arithmetic is float64. Rows are cut into blocks of a fixed length that the
threads share, and a result of one block never depends on another: the outcome is the same for any number of
threads.
"""

from __future__ import annotations

import numpy as np
from numba import get_num_threads, prange
from numpy.typing import NDArray

from ...base.jit import njit
from ...models.scores import DenseScores, Scores
from .tiles import TILE, largest_two, score_tile, workspace

BLOCK = 4096

Data = tuple[NDArray[np.floating], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def pack(scores: Scores) -> Data:
    """Scores as the tuple that the kernels read; copies only rows that are not C-contiguous."""
    if isinstance(scores, DenseScores):
        return (_frozen(scores.matrix), np.empty((0, 0)), np.zeros(scores.shape[1]), np.empty(0))
    columns = np.ascontiguousarray(scores.gradients.T, dtype=np.float64)
    return (
        _frozen(scores.X),
        columns.copy(),
        np.array(scores.offsets, dtype=np.float64),
        np.array(scores.origin, dtype=np.float64),
    )


def _frozen(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    # one compiled version per dtype: always C order, always read-only, never a subclass such as a memory map
    dtype = rows.dtype if rows.dtype in (np.float32, np.float64) else np.float64
    view = np.ascontiguousarray(np.asarray(rows), dtype=dtype).view(np.ndarray)
    view = view[:]
    view.setflags(write=False)
    return view


def take(data: Data, index: NDArray[np.int64]) -> Data:
    """The same scores for the points ``index`` only."""
    return (_frozen(np.take(data[0], index, axis=0)), *data[1:])  # twice as fast as indexing


def scores_of(data: Data, index: slice) -> NDArray[np.float64]:
    """Scores (m, k) of some points, where rounding does not matter."""
    rows, columns, offsets, origin = data
    if columns.size == 0 and origin.size == 0 and rows.shape[1] == offsets.size:
        return rows[index].astype(np.float64)
    return (rows[index] - origin) @ columns + offsets


@njit(cache=True, inline="always")
def score_row(data, j, out):
    """Write the scores (k,) of point ``j`` into ``out``."""
    rows, columns, offsets, origin = data
    k = out.size
    if columns.size == 0:
        if origin.size == 0 and rows.shape[1] == k:
            for i in range(k):
                out[i] = rows[j, i]
        else:  # linear scores of points without coordinates
            for i in range(k):
                out[i] = offsets[i]
        return
    for i in range(k):
        out[i] = offsets[i]
    for f in range(columns.shape[0]):
        x = np.float64(rows[j, f]) - origin[f]
        for i in range(k):
            out[i] += x * columns[f, i]


@njit(cache=True)
def score_some(data, j, own, others, out):
    """Write only the scores of the clusters ``own`` and ``others`` of point ``j`` into ``out`` (k,)."""
    rows, columns, offsets, origin = data
    if columns.size == 0:
        score_row(data, j, out)
        return
    out[own] = offsets[own]
    out[others] = offsets[others]
    for f in range(columns.shape[0]):
        x = np.float64(rows[j, f]) - origin[f]
        out[own] += x * columns[f, own]
        for i in others:
            out[i] += x * columns[f, i]


@njit(cache=True)
def assign_some(data, prices, start, stop, labels, margins):
    """`assign` for the points ``start`` to ``stop``."""
    points, scores, best, second, arg = workspace(data, prices.size)
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        score_tile(data, first, last, points, scores)
        largest_two(scores, prices, best, second, arg)
        for j in range(first, last):
            labels[j], margins[j] = arg[j - first], best[j - first] - second[j - first]


@njit(cache=True, parallel=True)
def assign(data, prices, labels, margins):
    """Put every point into the cluster of its largest reduced score gamma_ij - mu_i, ties to the smallest i.

    Writes the cluster into ``labels`` (n,) and the lead over the second best into ``margins`` (n,).
    """
    n = labels.size
    for block in prange((n + BLOCK - 1) // BLOCK):
        assign_some(data, prices, block * BLOCK, min((block + 1) * BLOCK, n), labels, margins)


@njit(cache=True, nogil=True)
def assign_serial(data, prices, labels, margins):
    """`assign` on one thread, for callers that are threads themselves."""
    assign_some(data, prices, 0, labels.size, labels, margins)


@njit(cache=True, parallel=True)
def evaluate(data, prices, labels, best, own):
    """Write max_i gamma_ij - mu_i into ``best`` (n,) and the score of the cluster ``labels`` into ``own`` (n,)."""
    n = labels.size
    for block in prange((n + BLOCK - 1) // BLOCK):
        points, scores, top, second, arg = workspace(data, prices.size)
        for first in range(block * BLOCK, min((block + 1) * BLOCK, n), TILE):
            last = min(first + TILE, n)
            score_tile(data, first, last, points, scores)
            largest_two(scores, prices, top, second, arg)
            for j in range(first, last):
                best[j], own[j] = top[j - first], scores[labels[j], j - first]


@njit(cache=True)
def bucket(labels, margins, amounts, k):
    """Points of positive amount sorted by label, stable.

    Returns their order, their margins in that order, and the start (k + 1,) of every cluster.
    """
    starts = np.zeros(k + 1, np.int64)
    for j in range(labels.size):
        if amounts[j] > 0:
            starts[labels[j] + 1] += 1
    for i in range(k):
        starts[i + 1] += starts[i]
    order, sorted_margins, place = np.empty(starts[k], np.int64), np.empty(starts[k]), starts[:k].copy()
    for j in range(labels.size):
        if amounts[j] > 0:
            position = place[labels[j]]
            order[position], sorted_margins[position] = j, margins[j]
            place[labels[j]] += 1
    return order, sorted_margins, starts


@njit(cache=True, parallel=True)
def lower_gaps(data, points, labels, amounts, gaps):
    """Lower the entries of gaps (parts, k, k), a part of the pieces each, to the costs of moving their pieces."""
    parts, k, _ = gaps.shape
    for part in prange(parts):
        out = np.empty(k)
        for piece in range(part * labels.size // parts, (part + 1) * labels.size // parts):
            if amounts[piece] > 0:
                score_row(data, points[piece], out)
                row = gaps[part, labels[piece]]
                own = out[labels[piece]]
                for j in range(k):
                    row[j] = min(row[j], own - out[j])


def exchange_gaps(
    data: Data, points: NDArray[np.int64], labels: NDArray[np.int64], amounts: NDArray[np.float64], k: int
) -> NDArray[np.float64]:
    """w_ij (k, k) = min over pieces of cluster i, of positive amount, of gamma_i - gamma_j; inf where there is none."""
    gaps = np.full((get_num_threads(), k, k), np.inf)  # a minimum is the same for any number of parts
    lower_gaps(data, points, labels, amounts, gaps)
    return gaps.min(axis=0)
