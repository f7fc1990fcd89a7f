"""Heaps of candidates, one for every ordered pair of clusters, on top of plain binary heaps.

A binary heap is the first ``count`` entries of a key array and an item array of equal length; the smallest key stands
first. None of the functions on binary heaps allocates. What the heaps of candidates hold is stated in `flow`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit
from .candidates import Candidates
from .pieces import NONE, find
from .rows import score_row, score_some

HEAP_BYTES = 1 << 30  # memory that the heaps of candidates may take, in bytes


@njit(cache=True)
def sift_up(keys, items, position):
    """Restore the heap after entry ``position`` was written."""
    key, item = keys[position], items[position]
    while position > 0:
        parent = (position - 1) >> 1
        if keys[parent] <= key:
            break
        keys[position], items[position] = keys[parent], items[parent]
        position = parent
    keys[position], items[position] = key, item


@njit(cache=True)
def sift_down(keys, items, position, count):
    """Restore the heap of ``count`` entries after the key at ``position`` grew."""
    key, item = keys[position], items[position]
    while True:
        child = 2 * position + 1
        if child >= count:
            break
        if child + 1 < count and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[position], items[position] = keys[child], items[child]
        position = child
    keys[position], items[position] = key, item


@njit(cache=True)
def heapify(keys, items, count):
    """Turn the first ``count`` entries into a heap."""
    for position in range(count // 2 - 1, -1, -1):
        sift_down(keys, items, position, count)


@njit(cache=True)
def select(keys, items, count, rank):
    """Reorder the first ``count`` entries so that the ``rank`` smallest keys come first; return keys[rank].

    Hoare's selection with the median of three: O(count) on average, and balanced when all keys are equal.
    """
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) >> 1
        a, b, c = keys[low], keys[middle], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        left, right = low, high
        while left <= right:
            while keys[left] < pivot:
                left += 1
            while keys[right] > pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                items[left], items[right] = items[right], items[left]
                left += 1
                right -= 1
        if rank <= right:
            high = right
        elif rank >= left:
            low = left
        else:
            break
    return keys[rank]


class Heaps(NamedTuple):
    """Heaps of candidates for every ordered pair of clusters.

    ``fill_prices`` (k,) are the prices at which the points were first assigned. When heap (i, j) is filled for the
    first, second or third time, the points of cluster i are looked at that have not moved and whose margin is below
    cutoff[i, 0], cutoff[i, 1] or cutoff[i, 2]; the last of them is infinite. All other points have keys of at least
    fill_prices[i] - fill_prices[j] + cutoff, so thr_ij starts with this value.
    """

    keys: NDArray[np.float64]  # (k, k, room)
    items: NDArray[np.int64]  # (k, k, room)
    counts: NDArray[np.int64]  # (k, k)
    thresholds: NDArray[np.float64]  # (k, k) thr_ij
    costs: NDArray[np.float64]  # (k, k) W_ij
    best_piece: NDArray[np.int64]  # (k, k) the piece of key W_ij, or -1 where W_ij is only a bound
    n_fills: NDArray[np.int64]  # (k, k) how often the heap was filled
    exhausted: NDArray[np.bool_]  # (k, k) heaps that have to be filled again
    cutoff: NDArray[np.float64]  # (k, 3)
    fill_prices: NDArray[np.float64]  # (k,)


def empty_heaps(prices: NDArray[np.float64], found: Candidates, room: int) -> Heaps:
    """Empty heaps with room for ``room`` candidates each.

    Points that are no candidates cost at least w_ij >= mu_i - mu_j + cutoff_ij to move: the thresholds begin there.
    """
    k = prices.size
    bound = prices[:, None] - prices[None, :] + found.cutoff
    np.fill_diagonal(bound, np.inf)
    return Heaps(
        keys=np.empty((k, k, room)),
        items=np.empty((k, k, room), dtype=np.int64),
        counts=np.zeros((k, k), dtype=np.int64),
        thresholds=bound.copy(),
        costs=bound,
        best_piece=np.full((k, k), -1),
        n_fills=np.ones((k, k), dtype=np.int64),
        exhausted=np.zeros((k, k), dtype=bool),
        cutoff=np.empty((k, 3)),
        fill_prices=prices,
    )


def larger_heaps(heaps: Heaps, found: Candidates) -> Heaps:
    """Heaps with twice the room, empty and marked to be filled."""
    larger = empty_heaps(heaps.fill_prices, found, 2 * heaps.keys.shape[2])
    larger.exhausted[:] = True
    larger.n_fills[:] = np.maximum(heaps.n_fills - 1, 1)
    return larger._replace(cutoff=heaps.cutoff)


@njit(cache=True)
def pop_stale(pieces, heaps, i, j):
    """Remove points that have left cluster i from the top of heap (i, j), and write W_ij."""
    keys, items, count = heaps.keys[i, j], heaps.items[i, j], heaps.counts[i, j]
    while count > 0 and pieces.labels[items[0]] != i and find(pieces, items[0], i) == NONE:
        count -= 1
        keys[0], items[0] = keys[count], items[count]
        if count > 1:
            sift_down(keys, items, 0, count)
    heaps.counts[i, j] = count
    if count > 0:
        heaps.costs[i, j], heaps.best_piece[i, j] = keys[0], items[0]
    else:
        heaps.costs[i, j], heaps.best_piece[i, j] = heaps.thresholds[i, j], -1


@njit(cache=True)
def collect(data, heaps, i, others, point, out):
    """Append a member of cluster i to the unordered candidates of (i, others), keeping the smallest keys."""
    room = heaps.keys.shape[2]
    if 4 * others.size < out.size:
        score_some(data, point, i, others, out)
    else:
        score_row(data, point, out)
    own = out[i]
    for j in others:
        key = own - out[j]
        if key < heaps.thresholds[i, j]:
            count = heaps.counts[i, j]
            heaps.keys[i, j, count], heaps.items[i, j, count] = key, point
            count += 1
            if count == room:
                count = room // 2
                heaps.thresholds[i, j] = select(heaps.keys[i, j], heaps.items[i, j], room, count)
            heaps.counts[i, j] = count


@njit(cache=True)
def fill_row(data, pieces, heaps, i):
    """Fill the exhausted heaps of cluster i from its present members with margins below the cutoff."""
    k, size, widest = heaps.costs.shape[0], 0, 0.0
    others, out = np.empty(k, np.int64), np.empty(k)
    for j in range(k):
        if heaps.exhausted[i, j]:
            others[size] = j
            size += 1
    others = others[:size]
    for j in others:
        cutoff = heaps.cutoff[i, min(heaps.n_fills[i, j], 2)]
        widest = max(widest, cutoff)
        heaps.counts[i, j], heaps.thresholds[i, j] = 0, heaps.fill_prices[i] - heaps.fill_prices[j] + cutoff
    for position in range(pieces.starts[i], pieces.starts[i + 1]):
        if pieces.margins[position] < widest:
            point = pieces.order[position]
            if not pieces.has_moved[point]:
                collect(data, heaps, i, others, point, out)
    for position in range(pieces.counts[1]):
        point = pieces.moved[position]
        if find(pieces, point, i) != NONE:
            collect(data, heaps, i, others, point, out)
    for j in others:
        heapify(heaps.keys[i, j], heaps.items[i, j], heaps.counts[i, j])
        pop_stale(pieces, heaps, i, j)
        heaps.n_fills[i, j] += 1
        heaps.exhausted[i, j] = False


@njit(
    cache=True,
    seconds_to_compile=0.6,
    seconds_uncompiled=lambda points, pairs, keys, heaps: 2e-6 * (points.size + heaps.costs.size),
)
def put_candidates(points, pairs, keys, heaps):
    """Fill empty heaps with candidates whose keys are reduced by the prices ``heaps.fill_prices``."""
    k, room = heaps.fill_prices.size, heaps.keys.shape[2]
    for position in range(points.size):
        i, j = divmod(pairs[position], k)
        key = keys[position] + (heaps.fill_prices[i] - heaps.fill_prices[j])
        if key < heaps.thresholds[i, j]:
            count = heaps.counts[i, j]
            heaps.keys[i, j, count], heaps.items[i, j, count] = key, points[position]
            count += 1
            if count == room:
                count = room // 2
                heaps.thresholds[i, j] = select(heaps.keys[i, j], heaps.items[i, j], room, count)
            heaps.counts[i, j] = count
    for i in range(k):
        for j in range(k):
            heapify(heaps.keys[i, j], heaps.items[i, j], heaps.counts[i, j])
            if heaps.counts[i, j] > 0:
                heaps.costs[i, j], heaps.best_piece[i, j] = heaps.keys[i, j, 0], heaps.items[i, j, 0]
            else:
                heaps.costs[i, j] = heaps.thresholds[i, j]


def cutoffs_by_rank(
    margins: NDArray[np.float64], starts: NDArray[np.int64], expected: tuple[float, float]
) -> NDArray[np.float64]:
    """Margins (k, 3) below which about expected[0], about expected[1], and all points of each cluster lie.

    They are estimated on at most 4096 points of a cluster, evenly spaced.
    """
    out = np.full((starts.size - 1, 3), np.inf)
    for i, (start, stop) in enumerate(pairwise(starts)):
        sample = margins[start : stop : (stop - start + 4095) // 4096 or 1]
        ranks = [int(count / max(stop - start, 1) * sample.size) for count in expected]
        for level, rank in enumerate(ranks):
            if rank < sample.size:
                out[i, level] = np.partition(sample, rank)[rank]
    return out


@njit(
    cache=True,
    nogil=True,
    seconds_to_compile=1.5,
    seconds_uncompiled=lambda data, pieces, heaps, first, last: (
        1e-6 * pieces.labels.size * heaps.costs.shape[0] * (data[1].shape[0] + 1)
    ),
)
def fill_rows(data, pieces, heaps, first, last):
    """Fill the exhausted heaps of the clusters ``first`` to ``last``."""
    for i in range(first, last):
        for j in range(heaps.costs.shape[0]):
            if heaps.exhausted[i, j]:
                fill_row(data, pieces, heaps, i)
                break


@njit(cache=True)
def make_room(pieces, heaps, i, j):
    """Make a full heap at most half full.

    Points that have left cluster i are removed first, then the largest keys; thr_ij becomes the smallest key removed.
    """
    keys, items, count = heaps.keys[i, j], heaps.items[i, j], 0
    for position in range(heaps.counts[i, j]):
        if find(pieces, items[position], i) != NONE:
            keys[count], items[count] = keys[position], items[position]
            count += 1
    half = keys.size // 2
    if count > half:
        heaps.thresholds[i, j] = select(keys, items, count, half)
        count = half
    heapify(keys, items, count)
    heaps.counts[i, j] = count


@njit(cache=True)
def insert_piece(data, pieces, heaps, i, point, out):
    """Put a piece that has just come to cluster i into every heap (i, j) where its key is below thr_ij."""
    score_row(data, point, out)
    own = out[i]
    for j in range(out.size):
        key = own - out[j]
        if key < heaps.thresholds[i, j] and j != i:
            if heaps.counts[i, j] == heaps.keys.shape[2]:
                make_room(pieces, heaps, i, j)
                if key >= heaps.thresholds[i, j]:
                    pop_stale(pieces, heaps, i, j)
                    continue
            count = heaps.counts[i, j]
            heaps.keys[i, j, count], heaps.items[i, j, count] = key, point
            sift_up(heaps.keys[i, j], heaps.items[i, j], count)
            heaps.counts[i, j] = count + 1
            pop_stale(pieces, heaps, i, j)
