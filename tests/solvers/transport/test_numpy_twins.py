"""Passes over rows give the same bits as their twins in NumPy.

Scores are held clusters by points, and every sum is taken in the order of `rows.score_row`. Twins have the names and
the arguments of the kernels that they stand for.
"""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models.scores.quadratic import lift
from partitope.solvers.geometric import statistics
from partitope.solvers.transport.passes import rows
from partitope.solvers.transport.passes.rows import holds_scores
from partitope.solvers.transport.passes.tiles import Room

CHUNK = 4096  # points whose scores are held at a time,
NUMBERS = 1 << 16  # or as many as have these coordinates


def scores_between(data, start, stop):
    """Scores (k, m) of the points ``start`` to ``stop``."""
    rows, columns, offsets, origin = data
    part = rows[start:stop]
    if holds_scores(data):
        return part.T.astype(np.float64)
    scores = np.repeat(offsets[:, None], len(part), axis=1)
    y = part.astype(np.float64) - origin
    for x, slopes in zip((lift(y) if len(columns) > origin.size else y).T, columns):
        scores += np.multiply.outer(slopes, x)
    return scores


def score_row(data, j, out):
    """Stands for `rows.score_row`."""
    rows, columns, offsets, origin = data
    if columns.size == 0:
        out[:] = rows[j] if holds_scores(data) else offsets
        return
    y = rows[j].astype(np.float64) - origin
    terms = np.empty((len(columns) + 1, out.size))
    terms[0] = offsets
    np.multiply((lift(y[None])[0] if len(columns) > origin.size else y)[:, None], columns, out=terms[1:])
    out[:] = np.add.accumulate(terms)[-1]  # one after the other, which no other sum of NumPy promises


def largest_two(scores, prices):
    reduced = scores - prices[:, None]
    arg, points = reduced.argmax(axis=0), np.arange(scores.shape[1])
    best = reduced[arg, points]
    reduced[arg, points] = -np.inf
    return best, reduced.max(axis=0), arg


def chunks(data, start, stop):
    step = max(min(CHUNK, NUMBERS // max(data[0].shape[1], 1)), 1)
    for first in range(start, stop, step):
        yield slice(first, min(first + step, stop))


def assign_some(data, prices, cutoff, start, stop, labels, margins, found, room):
    """Stands for `rows.assign_some`."""
    keys, k = np.empty((stop - start, prices.size)), prices.size
    for part in chunks(data, start, stop):
        scores = scores_between(data, part.start, part.stop)
        best, second, labels[part] = largest_two(scores, prices)
        margins[part] = best - second
        keys[part.start - start : part.stop - start] = (best - (scores - prices[:, None])).T
    own = labels[start:stop]
    keys[np.arange(own.size), own] = np.inf
    points, others = np.nonzero(keys < cutoff[own, None])
    for array, values in zip(found, (points + start, own[points] * k + others, keys[points, others])):
        array[: points.size] = values[: array.size]
    return points.size


def evaluate_some(data, prices, start, stop, labels, best, own, room):
    """Stands for `rows.evaluate_some`."""
    for part in chunks(data, start, stop):
        scores = scores_between(data, part.start, part.stop)
        best[part] = (scores - prices[:, None]).max(axis=0)
        own[part] = scores[labels[part], np.arange(scores.shape[1])]


def lower_gaps(data, labels, amounts, start, stop, gaps, room):
    """Stands for `rows.lower_gaps`."""
    pieces = start + np.flatnonzero(amounts[start:stop] > 0)
    for part in chunks(data, 0, pieces.size):
        chosen, clusters = np.take(data[0], pieces[part], axis=0), labels[pieces[part]]
        scores = scores_between((chosen, *data[1:]), 0, len(chosen))
        np.minimum.at(gaps.T, clusters, (scores[clusters, np.arange(clusters.size)] - scores).T)


def add_parts(rows, origin, labels, weights, sites, first, last, sums, sizes, squares):
    """`add_parts` in NumPy, bit for bit: `bincount` adds one number after the other, as the loop does."""
    k, d = sites.shape
    ends = np.arange(first, last + 1) * labels.size // squares.size
    clusters = labels[ends[0] : ends[-1]]
    each = weights[ends[0] : ends[-1]] if weights.size else np.ones(clusters.size)
    parts = np.repeat(np.arange(last - first), np.diff(ends))
    cells, square = parts * k + clusters, np.zeros(clusters.size)
    for f in range(d):
        x = rows[ends[0] : ends[-1], f].astype(np.float64) - origin[f]
        sums[first:last, :, f] += np.bincount(cells, each * x, (last - first) * k).reshape(-1, k)
        square += (x - sites[clusters, f]) ** 2
    sizes[first:last] += np.bincount(cells, each, (last - first) * k).reshape(-1, k)
    squares[first:last] = np.bincount(parts, each * square, last - first)


def _program(seed, n, k, d, narrow=False, ties=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X = np.round(X) if ties else X
    frozen = rows.kernel_rows(X.astype(np.float32 if narrow else np.float64))
    data = (frozen, rng.normal(size=(d, k)) if d else np.empty((0, 0)), rng.normal(size=k), rng.normal(size=d))
    if d == 0:
        data = (rows.kernel_rows(np.round(rng.normal(size=(n, k)), 1)), np.empty((0, 0)), np.zeros(k), np.empty(0))
    return rng, data, np.round(rng.normal(size=k), 1)


def _copy(entry):
    """Of an array, or of a tuple of some; the points are read-only and stay."""
    if type(entry) is tuple:
        return tuple(map(_copy, entry))
    return entry.copy() if isinstance(entry, np.ndarray) and entry.flags.writeable else entry


def _both(kernel, *arguments):
    """Arguments and answer after the kernel and after its twin."""
    ends = []
    for function in (kernel.compiled, globals()[kernel.__name__]):
        copies = [_copy(entry) for entry in arguments]
        ends.append((function(*copies), copies))
    return ends


def _same(ends):
    (one, first), (other, second) = ends
    np.testing.assert_array_equal(one, other)
    for a, b in zip(first, second):
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("seed, n, k, d, narrow", [(0, 1, 1, 1, False), (1, 300, 5, 3, True), (2, 4500, 4, 2, False),
                                                   (3, 700, 7, 0, False), (4, 260, 2, 9, False)])  # fmt: skip
def test_row_passes_in_numpy_are_the_kernels_bit_for_bit(seed, n, k, d, narrow):
    rng, data, prices = _program(seed, n, k, d, narrow, ties=seed == 4)
    labels, margins, room = rng.integers(0, k, n), np.empty(n), Room.of(data, k)
    for most, size in ((-np.inf, 0), (0.1, 20), (np.inf, n * k)):
        found = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size)
        ends = _both(rows.assign_some, data, prices, np.full(k, most), 0, n, labels, margins, found, room)
        _same(ends)
        for one, other in zip(*(arguments[7] for _, arguments in ends)):
            np.testing.assert_array_equal(one, other)
    _same(_both(rows.evaluate_some, data, prices, n // 3, n, labels, np.zeros(n), np.zeros(n), room))
    amounts = (rng.random(n) < 0.9).astype(float)
    _same(_both(rows.lower_gaps, data, labels, amounts, 0, n, np.full((k, k), np.inf), room))
    _same(_both(rows.score_row, data, n - 1, np.zeros(k)))


@pytest.mark.parametrize("seed, n, k, d, narrow", [(0, 1, 1, 1, False), (1, 301, 5, 3, True), (2, 64, 4, 2, False)])
@pytest.mark.parametrize("weighted", [True, False])
def test_passes_over_rows_in_numpy_are_the_kernels_bit_for_bit(seed, n, k, d, narrow, weighted):
    rng, data, _ = _program(seed, n, k, d, narrow)
    X, origin = data[0], rng.normal(size=d)
    weights = rng.random(n) if weighted else np.empty(0)
    sites, labels = rng.normal(size=(k, d)), rng.integers(0, k, n)
    for parts in ((0, 16), (3, 9)):
        sums = np.zeros((16, k, d)), np.zeros((16, k)), np.zeros(16)
        _same(_both(statistics.add_parts, X, origin, labels, weights, sites, *parts, *sums))
