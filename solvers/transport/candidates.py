"""Candidates for every pair of clusters, found in the same pass that assigns the points.

The key of a point of cluster i for cluster j, reduced by the prices of the pass, is what it loses by moving:

    key = (gamma_i - mu_i) - (gamma_j - mu_j) >= 0

A point is a candidate of (i, j) when its key is below reach_ij, a quantile of the keys of a sample, so that about
equally many points of every pair are collected. Every other point of i has a key of at least reach_ij: that bound
is what makes a flow on candidates exact.
"""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ...base.jit import njit
from .rows import BLOCK, Data, score_row, take
from .tiles import TILE, largest_two, score_tile, workspace

SERIAL_WORK = 1 << 22  # multiplications below which waking other threads does not pay
NEIGHBOURS = 16  # pairs of a cluster, on average, whose reach is not capped;
CAP = 0.25  # at most this share of them
RANK = 4  # order statistic of the sample's keys that becomes the reach


@njit(cache=True)
def assign_block(data, prices, reach, start, stop, labels, margins, points, pairs, keys):
    """Assign the points ``start`` to ``stop`` and collect candidates into ``points``, ``pairs`` and ``keys``.

    A pair is written as i k + j. Returns the number of candidates, which may exceed the room: those beyond it
    are not written.
    """
    k, room, count = prices.size, keys.size, 0
    tile, scores, best, second, arg = workspace(data, k)
    widest = np.empty(k)
    for i in range(k):
        widest[i] = reach[i].max()
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        score_tile(data, first, last, tile, scores)
        largest_two(scores, prices, best, second, arg)
        for j in range(first, last):
            r = j - first
            top, own = best[r], arg[r]
            labels[j], margins[j] = own, top - second[r]
            if top - second[r] < widest[own]:
                limit = reach[own]
                for i in range(k):
                    key = top - (scores[i, r] - prices[i])
                    if key < limit[i]:
                        if count < room:
                            points[count], pairs[count], keys[count] = j, own * k + i, key
                        count += 1
    return count


# Serial and shared loops are functions of their own: numba's cache on disk tells functions apart by name and line, not
# by options, so that two compilations of one function would be served whichever was stored first.


@njit(cache=True, nogil=True)
def assign_blocks(data, prices, reach, labels, margins, points, pairs, keys, counts):
    """`assign_block` for all blocks of `BLOCK` points; row b of the outputs belongs to block b."""
    for b in range(counts.size):
        start, stop = b * BLOCK, min((b + 1) * BLOCK, labels.size)
        counts[b] = assign_block(data, prices, reach, start, stop, labels, margins, points[b], pairs[b], keys[b])


@njit(cache=True, parallel=True)
def assign_blocks_shared(data, prices, reach, labels, margins, points, pairs, keys, counts):
    """`assign_blocks` with the blocks shared among threads; nothing depends on their number."""
    for b in prange(counts.size):
        start, stop = b * BLOCK, min((b + 1) * BLOCK, labels.size)
        counts[b] = assign_block(data, prices, reach, start, stop, labels, margins, points[b], pairs[b], keys[b])


@njit(cache=True)
def smallest_keys(data, prices, rank):
    """The ``rank``-th smallest key (k, k) of every pair; inf where a cluster has fewer points."""
    n, k = data[0].shape[0], prices.size
    kept = np.full((k, k, rank), np.inf)  # ascending
    out = np.empty(k)
    for j in range(n):
        score_row(data, j, out)
        arg = 0
        for i in range(k):
            out[i] -= prices[i]
            if out[i] > out[arg]:
                arg = i
        for i in range(k):
            key = out[arg] - out[i]
            row = kept[arg, i]
            if key < row[rank - 1]:
                place = rank - 1
                while place > 0 and row[place - 1] > key:
                    row[place] = row[place - 1]
                    place -= 1
                row[place] = key
    return kept[:, :, rank - 1].copy()


def sampled_reach(data: Data, prices: NDArray[np.float64], wanted: float, cap: bool) -> NDArray[np.float64]:
    """Reach (k, k) at which about ``wanted`` points of every pair are candidates; -inf on the diagonal.

    With ``cap``, for prices near the optimal ones, pairs far apart get the reach of those nearer to each other: no
    price is going to move further than that.
    """
    n = data[0].shape[0]
    step = max(int(wanted / RANK), 1)
    sample = data if step == 1 else take(data, np.arange(step // 2, n, step))
    reach = smallest_keys(sample, prices, RANK)
    np.fill_diagonal(reach, -np.inf)
    if cap and len(reach) > 1:
        others = reach[~np.eye(len(reach), dtype=bool)]
        place = int(min(CAP, NEIGHBOURS / (len(reach) - 1)) * (others.size - 1))
        reach = np.minimum(reach, np.partition(others, place)[place])
    return reach


def collect_candidates(
    data: Data,
    prices: NDArray[np.float64],
    reach: NDArray[np.float64],
    labels: NDArray[np.int64],
    margins: NDArray[np.float64],
    expected: float,
    shared: bool = True,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Assign every point, and list the candidates in the order of the points.

    Parameters
    ----------
    data : Data
        Scores.
    prices : (k,) ndarray
        mu.
    reach : (k, k) ndarray
        Keys below it are collected.
    labels, margins : (n,) ndarray
        Written: the cluster of every point and its lead over the second best.
    expected : float
        Number of candidates in all that is likely; more are collected all the same.
    shared : bool
        Whether several threads may work; not from a thread pool, whose threads would meet in them.

    Returns
    -------
    points, pairs, keys : (c,) ndarray
        Point, i k + j, and key of every candidate.
    """
    n, k = labels.size, prices.size
    blocks = (n + BLOCK - 1) // BLOCK
    room = int(min(2.0 * expected / max(blocks, 1) + 256.0, BLOCK * k))
    points, pairs = np.empty((blocks, room), np.int64), np.empty((blocks, room), np.int64)
    keys, counts = np.empty((blocks, room)), np.zeros(blocks, np.int64)
    work = n * k * max(data[1].shape[0], 4)
    passes = assign_blocks if not shared or work < SERIAL_WORK else assign_blocks_shared
    passes(data, prices, reach, labels, margins, points, pairs, keys, counts)
    parts = []
    for block in range(blocks):
        count, part = counts[block], (points[block], pairs[block], keys[block])
        if count > room:  # once more, with room for all of them
            part = (np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count))
            start = block * BLOCK
            assign_block(data, prices, reach, start, min(start + BLOCK, n), labels, margins, *part)
        parts.append([array[:count] for array in part])
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    whole = [np.concatenate(column) for column in zip(*parts)]
    return whole[0], whole[1], whole[2]
