"""Kernels in NumPy, bit for bit.

Scores are held clusters by points, and every sum is taken in the order of `rows.score_row`. Functions have the names
and the arguments of the kernels that they stand for.
"""

from __future__ import annotations

import numpy as np

from partitope.models.scores.quadratic import lift
from partitope.solvers.transport.flow.dense_costs import FEW_ARCS
from partitope.solvers.transport.flow.pieces import NONE
from partitope.solvers.transport.flow.search import RESIDUES
from partitope.solvers.transport.passes.rows import holds_scores

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


def assign_some(data, prices, start, stop, labels, margins):
    """Stands for `rows.assign_some`."""
    for part in chunks(data, start, stop):
        best, second, labels[part] = largest_two(scores_between(data, part.start, part.stop), prices)
        margins[part] = best - second


def evaluate_some(data, prices, start, stop, labels, best, own):
    """Stands for `rows.evaluate_some`."""
    for part in chunks(data, start, stop):
        scores = scores_between(data, part.start, part.stop)
        best[part] = (scores - prices[:, None]).max(axis=0)
        own[part] = scores[labels[part], np.arange(scores.shape[1])]


def lower_gaps(data, points, labels, amounts, start, stop, gaps):
    """Stands for `rows.lower_gaps`."""
    pieces = start + np.flatnonzero(amounts[start:stop] > 0)
    for part in chunks(data, 0, pieces.size):
        chosen, clusters = np.take(data[0], points[pieces[part]], axis=0), labels[pieces[part]]
        scores = scores_between((chosen, *data[1:]), 0, len(chosen))
        np.minimum.at(gaps.T, clusters, (scores[clusters, np.arange(clusters.size)] - scores).T)


def assign_block(data, prices, cutoff, start, stop, labels, points, pairs, keys):
    """Stands for `candidates.assign_block`."""
    k, room = prices.size, keys.size
    scores = scores_between(data, start, stop)
    best, second, own = largest_two(scores, prices)
    labels[start:stop] = own
    near = np.flatnonzero(best - second < cutoff[own])
    lost = best[near] - (scores[:, near] - prices[:, None])
    which, clusters = np.nonzero((cutoff[own[near], None] > lost.T) & (np.arange(k) != own[near, None]))
    kept = slice(0, min(which.size, room))
    points[kept], pairs[kept] = (start + near[which])[kept], (own[near[which]] * k + clusters)[kept]
    keys[kept] = lost[clusters, which][kept]
    return which.size


def members_(pieces, i):
    """Points of the pieces of cluster i, in the order in which the kernels look at them."""
    points, point = [], pieces.first_home[i]
    while point != NONE:
        points.append(point)
        point = pieces.next_home[point]
    parts = np.flatnonzero(pieces.part_labels[: pieces.counts[0]] == i)
    return np.concatenate([np.array(points, dtype=np.int64), pieces.part_points[parts]])


def renew(data, pieces, heaps, i, arcs):
    """Compute the arcs of cluster i to the clusters ``arcs`` from all members."""
    points = np.append(members_(pieces, i), NONE)  # one that is not there
    differences = np.full((points.size, arcs.size), np.inf)
    differences[:-1] = data[0][points[:-1], i, None] - data[0][points[:-1]][:, arcs]
    differences[:, arcs == i] = np.inf
    ranks = differences.argmin(axis=0)
    part = slice(i * heaps.fill_prices.size, (i + 1) * heaps.fill_prices.size)
    least = differences[ranks, np.arange(arcs.size)]
    heaps.costs[part][arcs] = least
    heaps.best_piece[part][arcs] = np.where(least < np.inf, points[ranks], NONE)


def leave(data, pieces, heaps, i, point):
    """Stands for `leave`."""
    k = heaps.fill_prices.size
    arcs = np.flatnonzero(heaps.best_piece[i * k : (i + 1) * k] == point)
    renew(data, pieces, heaps, i, np.arange(k) if FEW_ARCS * arcs.size > k else arcs)


def come(data, heaps, j, point):
    """Stands for `come`."""
    part = slice(j * heaps.fill_prices.size, (j + 1) * heaps.fill_prices.size)
    cost = data[0][point, j] - data[0][point]
    cost[j] = np.inf
    best = cost < heaps.costs[part]
    heaps.costs[part][best], heaps.best_piece[part][best] = cost[best], point


def list_members(data, pieces, heaps):
    """Stands for `list_members`."""
    order = np.flatnonzero(pieces.amounts > 0.0)
    order = order[np.argsort(pieces.labels[order], kind="stable")]
    same = pieces.labels[order[1:]] == pieces.labels[order[:-1]]
    pieces.next_home[order[1:]] = np.where(same, order[:-1], NONE)
    pieces.last_home[order[:-1]] = np.where(same, order[1:], NONE)
    pieces.next_home[order[:1]] = pieces.last_home[order[-1:]] = NONE
    pieces.first_home[pieces.labels[order]] = order  # the last one of a cluster stays
    pieces.has_moved[:], pieces.moved[:] = True, np.arange(pieces.labels.size)
    pieces.counts[1] = pieces.labels.size
    for point in order:
        come(data, heaps, pieces.labels[point], point)


def relax(costs, prices, offset, floor, tie, v, distance, queue, parent):
    """Stands for `relax`."""
    there = np.maximum(costs + prices[: costs.size] + offset, floor)
    there[there <= tie] = floor
    better = there < distance
    for kept, new in ((distance, there), (queue, there), (parent, v)):
        np.copyto(kept, new, where=better)


def nearest(queue, parent, hops, weighted, least):
    """Stands for `nearest`."""
    rows = np.full((-(-queue.size // RESIDUES), RESIDUES), np.inf)
    rows.ravel()[: queue.size] = queue
    least[:] = rows.min(axis=0)
    here = int(least.argmin())
    if least[here] == np.inf:
        return -1
    if not weighted:
        return here + RESIDUES * int(rows[:, here].argmin())
    equal = np.flatnonzero(queue == least[here])
    before = parent[equal]
    counts = np.where(before >= 0, hops[before] + 1, 0)
    here = int(equal[counts.argmin()])
    hops[here] = counts.min()
    return here


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
