"""The exact engine for points in blocks on other machines: row passes where the blocks are, the flow here.

One pass sends prices and cutoffs (2 k numbers) to every block and brings back its cluster sums and the candidates
of `candidates`. The flow then runs on the candidates alone, and all other points stay where they are. Points that are
not candidates of (i, j) cost at least mu_i - mu_j + cutoff_i to move. The flow treats this bound as the cost of a
piece that it does not have: when a path would use it, the pass is repeated at the new prices with a larger cutoff.
Once no path uses such a bound, the result is optimal for all points (`shortest_paths`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Reals
from ....base.errors import NotOptimalError
from ....models.scores.scores import AffineScores
from ..passes.candidates import Candidates, collect_candidates, common_cutoff
from ..passes.rows import Data, kernel_data, kernel_rows
from .heaps import HEAP_BYTES, heaps_of
from .nodes import Nodes, nodes_at, normalised_prices, smallest_amount
from .optimal_flow import SINKS_PER_SEARCH
from .pieces import Pieces, movable, whole_points
from .shortest_paths import EXHAUSTED, Limits, successive_shortest_paths, workspace

MOST_PASSES = 12  # Largest number of passes per assignment; after half of them cutoffs are infinite.
CUTOFF_GROWTH = 4.0  # This is the factor on the cutoff of a cluster whose candidates were exhausted.


@dataclass(frozen=True, eq=False)
class BlockCandidates:
    """What one block brings back for the flow."""

    sizes: NDArray[np.float64]  # (k,): Points of the block in every cluster.
    rows: NDArray[np.floating]  # (c, d): Rows of the candidates.
    places: NDArray[np.int64]  # (c,): Places of the candidates within the block.
    labels: NDArray[np.int64]  # (c,): Clusters of the candidates.
    which: NDArray[np.int64]  # (e,): Entry of ``rows`` for every candidate of a pair.
    pairs: NDArray[np.int64]  # (e,): The pair i k + j.
    keys: NDArray[np.float64]  # (e,): Reduced key of that pair.


@dataclass(frozen=True, eq=False)
class BlockFlow:
    """An optimal assignment: every point's best cluster at ``start``, except for the moves."""

    start: NDArray[np.float64]  # (k,): Prices of the last pass.
    prices: NDArray[np.float64]  # (k,): Optimal prices.
    blocks: NDArray[np.int64]  # (m,): Block of every point that moved.
    places: NDArray[np.int64]  # (m,): Row within that block.
    origins: NDArray[np.int64]  # (m,): Cluster that the point left.
    targets: NDArray[np.int64]  # (m,): Cluster that the point entered.
    rows: NDArray[np.floating]  # (m, d): Coordinates of the point.


def candidates_of_block(
    rows: NDArray[np.floating], scores: AffineScores, prices: NDArray[np.float64], cutoff: NDArray[np.float64]
) -> tuple[BlockCandidates, NDArray[np.int64]]:
    """Assign the points of a block at the prices; returns the candidates, and the labels (b,) of all its points."""
    n, k = len(rows), prices.size
    data = kernel_data(scores.on(rows))
    labels = np.empty(n, dtype=np.int64)
    found = collect_candidates(data, prices, cutoff, labels, 8.0 * k, shared=False)
    points, pairs, keys = found
    places, first, which = np.unique(points, return_index=True, return_inverse=True)
    sizes = np.bincount(labels, minlength=k).astype(np.float64)
    found_there = BlockCandidates(sizes, rows[places], places, pairs[first] // k, which.astype(np.int64), pairs, keys)
    return found_there, labels


def solve_blocks(
    one_pass: Callable[[NDArray[np.float64], NDArray[np.float64]], Sequence[BlockCandidates]],
    sample: Data,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    prices: NDArray[np.float64],
    expected: float,
) -> BlockFlow:
    """Solve the assignment program by passes over blocks: ``one_pass(prices, cutoff)`` runs `candidates_of_block` on
    all. Cutoffs are chosen on the ``sample``, for ``expected`` candidates a point, fewer the nearer ``prices`` (k,) are
    to the optimal ones. NotOptimalError when `MOST_PASSES` passes do not suffice: scores are then not finite."""
    k = lower.size
    longer = np.ones(k)
    for _ in range(MOST_PASSES):
        cutoff = common_cutoff(sample, prices, expected) * longer
        cutoff[longer >= CUTOFF_GROWTH ** (MOST_PASSES // 2)] = np.inf
        found = one_pass(prices, cutoff)
        pieces, nodes, exhausted = _flow(found, sample[1:], cutoff, prices, lower, upper)
        clean = nodes.prices[:-1] - nodes.prices[-1]
        if exhausted is None:
            clean = normalised_prices(clean, nodes, smallest_amount(None))
            return _moves(found, pieces, prices, clean)
        prices, expected = clean, expected * 2.0
        longer[exhausted] *= CUTOFF_GROWTH
    raise NotOptimalError(
        f"candidates ran out in {MOST_PASSES} passes over the blocks: scale the data to finite scores"
    )


def _flow(
    found: Sequence[BlockCandidates],
    scores: tuple[Reals, Reals, Reals],
    cutoff: NDArray[np.float64],
    prices: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> tuple[Pieces, Nodes, NDArray[np.bool_] | None]:
    """Pieces and nodes of the flow on candidates, and the clusters (k,) whose candidates are exhausted, None when it
    has ended; ``scores`` are what follows the rows in `Data`."""
    counts = np.array([len(block.places) for block in found])
    shift = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    rows = np.concatenate([block.rows for block in found])
    labels = np.concatenate([block.labels for block in found])
    which = np.concatenate([block.which + first for block, first in zip(found, shift)])
    pairs = np.concatenate([block.pairs for block in found])
    keys = np.concatenate([block.keys for block in found])
    nodes = nodes_at(prices, np.sum([block.sizes for block in found], axis=0), lower, upper)
    pieces = movable(whole_points(labels, None), lower.size, split=False)
    candidates = Candidates(which, pairs, keys, cutoff, np.inf)
    exhausted, _ = flow_on_candidates((kernel_rows(rows), *scores), pieces, nodes, candidates)
    return pieces, nodes, exhausted


def flow_on_candidates(
    data: Data, pieces: Pieces, nodes: Nodes, found: Candidates
) -> tuple[NDArray[np.bool_] | None, int]:
    """Run the flow with candidates alone, at most about ``found.expected`` a pair of clusters: the clusters (k,) whose
    candidates are exhausted, None when the flow has ended, and the number of searches."""
    k = nodes.required_size.size
    most = max(int(HEAP_BYTES // (16 * k * k)), 8)
    room = min(int(np.bincount(found.pairs, minlength=1).max()) + 8, most, found.expected)
    heaps = heaps_of(nodes.prices[:-1].copy(), found, int(room))
    counters = np.zeros(2, dtype=np.int64)
    limits = Limits(smallest_amount(None), 0.0, SINKS_PER_SEARCH, 1 << 62)
    outcome = successive_shortest_paths(data, pieces, heaps, nodes, limits, counters, workspace(k))
    return heaps.row_exhausted if outcome == EXHAUSTED else None, int(counters[0])


def _moves(
    found: Sequence[BlockCandidates],
    pieces: Pieces,
    start: NDArray[np.float64],
    prices: NDArray[np.float64],
) -> BlockFlow:
    """The points whose cluster the flow changed."""
    first = np.concatenate([block.labels for block in found])
    moved = np.flatnonzero(pieces.labels != first)
    blocks = np.repeat(np.arange(len(found)), [len(block.places) for block in found])
    places = np.concatenate([block.places for block in found])
    rows = np.concatenate([block.rows for block in found])
    return BlockFlow(
        start=start,
        prices=prices,
        blocks=blocks[moved],
        places=places[moved],
        origins=first[moved],
        targets=pieces.labels[moved],
        rows=rows[moved],
    )
