"""Row passes in NumPy, bit for bit those of the kernels: they run where nothing is compiled yet and programs are small.

Scores are held clusters by points, and every sum is taken in the order of `rows.score_row`. Functions have the names
and the arguments of the kernels that they stand for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.scores.quadratic import lift

CHUNK = 4096  # points whose scores are held at a time,
NUMBERS = 1 << 16  # or as many as have these coordinates


def seconds(data: tuple[NDArray, ...], k: int, n: int | None = None) -> float:
    """About how long a pass over n points takes here, all of the data when None."""
    return 5e-5 + 2e-9 * (len(data[0]) if n is None else n) * k * (data[1].shape[0] + 8)


def is_matrix(data):
    """Whether the scores are given as a matrix, and not as those of points without coordinates."""
    rows, columns, offsets, origin = data
    return columns.size == 0 and origin.size == 0 and rows.shape[1] == offsets.size


def scores_between(data, start, stop):
    """Scores (k, m) of the points ``start`` to ``stop``."""
    rows, columns, offsets, origin = data
    part = rows[start:stop]
    if is_matrix(data):
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
        out[:] = rows[j] if is_matrix(data) else offsets
        return
    y = rows[j].astype(np.float64) - origin
    terms = np.empty((len(columns) + 1, out.size))
    terms[0] = offsets
    np.multiply((lift(y[None])[0] if len(columns) > origin.size else y)[:, None], columns, out=terms[1:])
    out[:] = np.add.accumulate(terms)[-1]  # one after the other, which no other sum of NumPy promises


def score_some(data, j, own, others, out):
    """Stands for `rows.score_some`; the scores of all clusters take as long."""
    score_row(data, j, out)


def score_listed(data, start, stop, tile, near):
    """Stands for `tiles.score_listed`."""
    tile[1][: near.size, : stop - start] = scores_between(data, start, stop)[near]


def _largest_two(scores, prices):
    reduced = scores - prices[:, None]
    arg, points = reduced.argmax(axis=0), np.arange(scores.shape[1])
    best = reduced[arg, points]
    reduced[arg, points] = -np.inf
    return best, reduced.max(axis=0), arg


def _chunks(data, start, stop):
    step = max(min(CHUNK, NUMBERS // max(data[0].shape[1], 1)), 1)
    for first in range(start, stop, step):
        yield slice(first, min(first + step, stop))


def assign_some(data, prices, start, stop, labels, margins):
    """Stands for `rows.assign_some`."""
    for part in _chunks(data, start, stop):
        best, second, labels[part] = _largest_two(scores_between(data, part.start, part.stop), prices)
        margins[part] = best - second


def evaluate_some(data, prices, start, stop, labels, best, own):
    """Stands for `rows.evaluate_some`."""
    for part in _chunks(data, start, stop):
        scores = scores_between(data, part.start, part.stop)
        best[part] = (scores - prices[:, None]).max(axis=0)
        own[part] = scores[labels[part], np.arange(scores.shape[1])]


def lower_gaps(data, points, labels, amounts, start, stop, gaps):
    """Stands for `rows.lower_gaps`."""
    pieces = start + np.flatnonzero(amounts[start:stop] > 0)
    for part in _chunks(data, 0, pieces.size):
        chosen, clusters = np.take(data[0], points[pieces[part]], axis=0), labels[pieces[part]]
        scores = scores_between((chosen, *data[1:]), 0, len(chosen))
        np.minimum.at(gaps, clusters, (scores[clusters, np.arange(clusters.size)] - scores).T)


def assign_block(data, prices, cutoff, start, stop, labels, margins, points, pairs, keys):
    """Stands for `candidates.assign_block`."""
    k, room = prices.size, keys.size
    scores = scores_between(data, start, stop)
    best, second, own = _largest_two(scores, prices)
    labels[start:stop], margins[start:stop] = own, best - second
    near = np.flatnonzero(best - second < cutoff.max(axis=1)[own])
    lost = best[near] - (scores[:, near] - prices[:, None])
    which, clusters = np.nonzero((cutoff[own[near]] > lost.T) & (np.arange(k) != own[near, None]))
    kept = slice(0, min(which.size, room))
    points[kept], pairs[kept] = (start + near[which])[kept], (own[near[which]] * k + clusters)[kept]
    keys[kept] = lost[clusters, which][kept]
    return which.size


def smallest_keys(data, prices, rank):
    """Stands for `candidates.smallest_keys`."""
    k = prices.size
    smallest = np.full((k, rank, k), np.inf)
    for part in _chunks(data, 0, len(data[0])):
        reduced = scores_between(data, part.start, part.stop) - prices[:, None]
        own = reduced.argmax(axis=0)
        for i in range(k):
            members = reduced[:, own == i]
            keys = np.concatenate([smallest[i], (members[i] - members).T])
            smallest[i] = np.partition(keys, rank - 1, axis=0)[:rank]
    return smallest.max(axis=1)
