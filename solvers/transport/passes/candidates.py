"""Candidates for the arcs between clusters, found in the same pass that assigns the points.

The key of a point of cluster i for cluster j, reduced by the prices of the pass, is what it loses by moving:

    key = (gamma_i - mu_i) - (gamma_j - mu_j) >= 0

A point is a candidate of (i, j) when its key is below cutoff_i, an order statistic of the keys of a sample, the same
for all clusters but where lists are too short. Every other point of cluster i has a key of at least cutoff_i. This
bound is what makes a flow on candidates exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Integers, Reals
from ....base.jit import njit
from ....base.threads import share
from .candidate_lists import LISTED, LISTED_AT_A_TIME, Lists, nearest_clusters, rebuild
from .rows import BLOCK, Data, is_small, parts_of_pass, subset
from .tile_bounds import FEWEST_CLUSTERS, PAYING_SHARE, all_clusters
from .tiles import TILE, largest_two, score_tile, workspace

POINTS_FOR_CUTOFF = 2048  # The cutoff is chosen on so many points: fewer miss it by more than they save.
NO_CANDIDATES = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Points that may have to move, for every pair of clusters.

    Attributes
    ----------
    points, pairs, keys : (c,) ndarray
        Point, i k + j, and reduced key of every candidate.
    cutoff : (k,) ndarray
        Every point of cluster i that is no candidate of (i, j) has a reduced key of at least cutoff[i].
    expected : float
        Number of candidates of a pair of neighbours that was asked for.
    """

    points: NDArray[np.int64]
    pairs: NDArray[np.int64]
    keys: NDArray[np.float64]
    cutoff: NDArray[np.float64]
    expected: float


@njit(cache=True)
def assign_block(data, prices, cutoff, start, stop, labels, margins, points, pairs, keys):
    """Assign the points ``start`` to ``stop`` and collect candidates into ``points``, ``pairs`` and ``keys``.

    A pair is written as i k + j. Returns the number of candidates. It may be larger than the room in the arrays; the
    candidates beyond the room are counted but not written.
    """
    k, room, count = prices.size, keys.size, 0
    tile, scores, best, second, arg = workspace(data, k)
    near, space = all_clusters(data, k)
    bounded, reach = k >= FEWEST_CLUSTERS, np.full(k, cutoff.max())
    for first in range(start, stop, TILE):
        last = min(first + TILE, stop)
        found = score_tile(data, prices, reach, first, last, (tile, scores), near, space, bounded)
        bounded &= PAYING_SHARE * found < k
        largest_two(scores, prices, near[:found], best, second, arg)
        for j in range(first, last):
            r = j - first
            top, own = best[r], arg[r]
            labels[j], margins[j] = own, top - second[r]
            if top - second[r] < cutoff[own]:
                for a in range(found):
                    i = near[a]
                    key = top - (scores[a, r] - prices[i])
                    if key < cutoff[own] and i != own:
                        if count < room:
                            points[count], pairs[count], keys[count] = j, own * k + i, key
                        count += 1
    return count


@njit(cache=True, nogil=True)
def assign_blocks(data, prices, cutoff, first, last, labels, margins, points, pairs, keys, counts):
    """`assign_block` for some blocks of `BLOCK` points; row b of the outputs belongs to block b."""
    for b in range(first, last):
        start, stop = b * BLOCK, min((b + 1) * BLOCK, labels.size)
        counts[b] = assign_block(data, prices, cutoff, start, stop, labels, margins, points[b], pairs[b], keys[b])


def collect_candidates(
    data: Data,
    prices: NDArray[np.float64],
    cutoff: NDArray[np.float64],
    labels: NDArray[np.int64],
    margins: NDArray[np.float64],
    expected: float,
    shared: bool = True,
    deadline: float = np.inf,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Assign every point, and list the candidates in the order of the points.

    Parameters
    ----------
    data : Data
        Scores.
    prices : (k,) ndarray
        mu.
    cutoff : (k,) ndarray
        Keys below it are collected.
    labels, margins : (n,) ndarray
        Written: the cluster of every point and its lead over the second best.
    expected : float
        Number of candidates in all that is likely; more are collected all the same.
    shared : bool
        Whether several threads may work. A caller that is one of several threads itself passes False.
    deadline : float
        Value of `base.deadline.clock` at which to stop.

    Returns
    -------
    points, pairs, keys : (c,) ndarray
        Point, i k + j, and key of every candidate.

    Raises
    ------
    OutOfTime
        When the deadline comes before the end.
    """
    n, k = labels.size, prices.size
    blocks = (n + BLOCK - 1) // BLOCK
    room = int(min(2.0 * expected / max(blocks, 1) + 256.0, BLOCK * k))
    shared = shared and not is_small(data, k)
    found = []
    for part in parts_of_pass(data, k, deadline):
        rows = (data[0][part], *data[1:])
        points, pairs, keys = _candidates_of_part(shared, rows, prices, cutoff, labels[part], margins[part], room)
        found.append((points + part.start, pairs, keys))
    if len(found) == 1:
        return found[0]
    points, pairs, keys = (np.concatenate(column) for column in zip(*found))
    return points, pairs, keys


def listed_candidates(data: Data, prices: Reals, lists: Lists, expected: float) -> tuple[Integers, Reals, Candidates]:
    """Every point in the best cluster of its list, and candidates among the other listed ones, for many clusters.

    Parameters
    ----------
    data : Data
        Scores.
    prices : (k,) ndarray
        mu.
    lists : Lists
        Lists whose bounds hold at these prices; those that may leave out a candidate are rebuilt.
    expected : float
        Number of clusters, on average, that a point is a candidate for.

    Returns
    -------
    labels : (n,) ndarray
    margins : (n,) ndarray
        Lower bounds on what a point loses in any other cluster.
    candidates : Candidates
        One cutoff for all pairs, or, where a list is too short for it, a smaller one for the pairs of this cluster.
    """
    n, k = lists.values.shape[0], prices.size
    some = lists.of(slice(None, None, max(n // POINTS_FOR_CUTOFF, 1)))
    limit, found = _cutoff_of_lists(prices, some, expected), []
    own, margins, reach = np.empty(n, np.int64), np.empty(n), np.full(k, limit)
    for start in range(0, n, LISTED_AT_A_TIME):
        part = slice(start, min(start + LISTED_AT_A_TIME, n))
        some = lists.of(part)
        best, places, keys = keys_of_lists(prices, some)
        short = np.flatnonzero(~(best - some.outside >= limit))
        if short.size:
            rebuild((data[0][part], *data[1:]), prices, short, some)
            best, places, keys = keys_of_lists(prices, some)
        own[part] = some.clusters[np.arange(best.size), places]
        bounds = best - some.outside
        margins[part] = np.minimum(keys.min(axis=1), bounds)
        np.minimum.at(reach, own[part][short], bounds[short])
        points, which = np.nonzero(keys < reach[own[part], None])
        pairs = own[part][points] * k + some.clusters[points, which]
        found.append((points + start, pairs, keys[points, which]))
    points, pairs, keys = (np.concatenate(column) for column in zip(*found)) if found else NO_CANDIDATES
    return own, margins, Candidates(points, pairs, keys, reach, expected * n / k)


def common_cutoff(data: Data, prices: Reals, expected: float) -> Reals:
    """A cutoff (k,), the same for all clusters, at which a point is a candidate of about ``expected`` pairs."""
    n, k = data[0].shape[0], prices.size
    step = max(n // POINTS_FOR_CUTOFF, 1)
    some = nearest_clusters(subset(data, np.arange(step // 2, n, step)), prices, min(k, LISTED))
    return np.full(k, _cutoff_of_lists(prices, some, expected))


def _cutoff_of_lists(prices: Reals, lists: Lists, expected: float) -> float:
    """The key below which a point of these lists has ``expected`` candidates, on average."""
    _, places, keys = keys_of_lists(prices, lists)
    keys = np.sort(np.where(np.isfinite(keys), keys, np.inf).ravel())
    return float(keys[int(min(expected * places.size, keys.size / 2))]) if keys.size else np.inf


def keys_of_lists(prices: Reals, lists: Lists) -> tuple[Reals, Integers, Reals]:
    """Reduced score and place in the list of every point's best cluster, and keys (n, size), inf for it."""
    reduced = lists.values - prices[lists.clusters]
    places = reduced.argmax(axis=1)
    rows = np.arange(len(reduced))
    best = reduced[rows, places]
    keys = best[:, None] - reduced
    keys[rows, places] = np.inf
    return best, places, keys


def _candidates_of_part(
    shared: bool, data: Data, prices: Reals, cutoff: Reals, labels: Integers, margins: Reals, room: int
) -> tuple[Integers, Integers, Reals]:
    """`collect_candidates` for some of the points, with ``room`` for the candidates of a block."""
    n = labels.size
    blocks = (n + BLOCK - 1) // BLOCK
    points, pairs = np.empty((blocks, room), np.int64), np.empty((blocks, room), np.int64)
    keys, counts = np.empty((blocks, room)), np.zeros(blocks, np.int64)

    def assign(first: int, last: int) -> None:
        assign_blocks(data, prices, cutoff, first, last, labels, margins, points, pairs, keys, counts)

    share(assign, blocks) if shared else assign(0, blocks)
    parts = []
    for block in range(blocks):
        count, part = counts[block], (points[block], pairs[block], keys[block])
        if count > room:  # once more, with room for all of them
            part = (np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count))
            start = block * BLOCK
            assign_block(data, prices, cutoff, start, min(start + BLOCK, n), labels, margins, *part)
        parts.append([array[:count] for array in part])
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    whole = [np.concatenate(column) for column in zip(*parts)]
    return whole[0], whole[1], whole[2]
