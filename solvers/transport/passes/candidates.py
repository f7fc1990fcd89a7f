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
from ....base.threads import share
from .candidate_lists import LISTED, LISTED_AT_A_TIME, Lists, nearest_clusters, rebuild
from .rows import BLOCK, FEW, Data, assign_some, is_small, parts_of_pass, subset
from .tiles import Room

NO_CANDIDATES = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Points that may have to move, for every pair of clusters."""

    points: NDArray[np.int64]  # (c,): Point of every candidate.
    pairs: NDArray[np.int64]  # (c,): The pair i k + j of every candidate.
    keys: NDArray[np.float64]  # (c,): Reduced key of every candidate.
    cutoff: NDArray[np.float64]  # (k,): Least reduced key of the points of cluster i that are not candidates.
    expected: float  # Number of candidates requested per pair of neighbours.


def collect_candidates(
    data: Data,
    prices: NDArray[np.float64],
    cutoff: NDArray[np.float64],
    labels: NDArray[np.int64],
    expected: float,
    shared: bool = True,
    deadline: float = np.inf,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Assign every point, into ``labels`` (n,), and list points (c,), pairs i k + j and keys of the candidates, whose
    keys are below ``cutoff`` (k,) at the ``prices`` (k,), in the order of the points; ``expected`` makes room for as
    many. One of several threads passes ``shared`` False. `OutOfTime` when the ``deadline`` comes first."""
    n, k = labels.size, prices.size
    blocks = (n + BLOCK - 1) // BLOCK
    room = int(min(2.0 * expected / max(blocks, 1) + 256.0, BLOCK * k))
    shared = shared and not is_small(data, k)
    found = []
    for part in parts_of_pass(data, k, deadline):
        rows = (data[0][part], *data[1:])
        points, pairs, keys = _candidates_of_part(shared, rows, prices, cutoff, labels[part], room)
        found.append((points + part.start, pairs, keys))
    if len(found) == 1:
        return found[0]
    points, pairs, keys = (np.concatenate(column) for column in zip(*found))
    return points, pairs, keys


def listed_candidates(data: Data, prices: Reals, lists: Lists, expected: float) -> tuple[Integers, Candidates]:
    """Every point in the best cluster of its list (n,), and candidates, about ``expected`` a point, among the other
    listed ones, for many clusters. Bounds of the lists hold at the ``prices`` (k,). There is one cutoff for all pairs,
    or, where a list is too short for it, a smaller one for the pairs of this cluster."""
    n, k = lists.values.shape[0], prices.size
    some = lists.of(slice(None, None, max(n // FEW, 1)))
    limit, found = _cutoff_of_lists(prices, some, expected), []
    own, cutoff = np.empty(n, np.int64), np.full(k, limit)
    for start in range(0, n, LISTED_AT_A_TIME):
        part = slice(start, min(start + LISTED_AT_A_TIME, n))
        some = lists.of(part)
        best, places, keys = keys_of_lists(prices, some)
        short = np.flatnonzero(~(best - some.outside >= limit))
        if short.size:
            rebuild((data[0][part], *data[1:]), prices, short, some)
            best, places, keys = keys_of_lists(prices, some)
        own[part] = some.clusters[np.arange(best.size), places]
        np.minimum.at(cutoff, own[part][short], best[short] - some.outside[short])
        points, which = np.nonzero(keys < cutoff[own[part], None])
        pairs = own[part][points] * k + some.clusters[points, which]
        found.append((points + start, pairs, keys[points, which]))
    points, pairs, keys = (np.concatenate(column) for column in zip(*found)) if found else NO_CANDIDATES
    return own, Candidates(points, pairs, keys, cutoff, expected * n / k)


def common_cutoff(data: Data, prices: Reals, expected: float) -> Reals:
    """A cutoff (k,), the same for all clusters, at which a point is a candidate of about ``expected`` pairs."""
    n, k = data[0].shape[0], prices.size
    step = max(n // FEW, 1)
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
    shared: bool, data: Data, prices: Reals, cutoff: Reals, labels: Integers, room: int
) -> tuple[Integers, Integers, Reals]:
    """`collect_candidates` for some of the points, with ``room`` for the candidates of a block."""
    n = labels.size
    blocks = (n + BLOCK - 1) // BLOCK
    points, pairs = np.empty((blocks, room), np.int64), np.empty((blocks, room), np.int64)
    keys, margins = np.empty((blocks, room)), np.empty(n)
    parts: list[tuple[Integers, Integers, Reals]] = [NO_CANDIDATES] * blocks

    def assign(first: int, last: int) -> None:
        tile = Room.of(data, prices.size)
        for b in range(first, last):
            between, found = (b * BLOCK, min((b + 1) * BLOCK, n)), (points[b], pairs[b], keys[b])
            count = assign_some(data, prices, cutoff, *between, labels, margins, found, tile)
            if count > room:  # once more, with room for all of them
                found = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count)
                assign_some(data, prices, cutoff, *between, labels, margins, found, tile)
            parts[b] = found[0][:count], found[1][:count], found[2][:count]

    share(assign, blocks) if shared else assign(0, blocks)
    points, pairs, keys = (np.concatenate(column) for column in zip(NO_CANDIDATES, *parts))
    return points, pairs, keys
