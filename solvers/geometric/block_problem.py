"""The geometric iteration on points in blocks elsewhere: passes where the blocks are, small programs here.

Blocks are on the workers of a Dask cluster (`dask_blocks`). An iteration costs one pass over them, two when candidates
run out. The end costs one more pass, for the proof and the max-margin cells. Nothing of size n leaves a cluster: labels
stay there, too, as a Dask array. Points without weights are assigned by `BlockFlowProblem`, where a pass sends
O(k^2 + k d) numbers to every block and brings back O(k d) and its candidates (`flow.blocks`), weighted ones by
`block_weights`.

A sample of m of n points leaves about n sqrt(k / m) of them to move, for some thousand million points more candidates
than the client can hold. Passes before the first flow then bring back some of the points near a boundary, and how many
others every cluster has. Prices at which these few points are assigned best, within what the others leave of the
bounds, leave as much less to move as fewer points are near a boundary.

The error of the sample, its sizes less its share of those of all points, lasts while few points change. So a step
starts from prices of the sample within bounds that are shifted by the error of the step before (`prices.inexact`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Reals
from ...base.errors import InvalidInputError
from ...models.certificates.activities import Activities
from ...models.certificates.certificate import Certificate, CertificateSums, Split, sums_over_points
from ...models.diagram.exchange_gaps import ExchangeGaps
from ...models.diagram.power_diagram import PowerDiagram
from ...models.polytope.magnitudes import magnitude, refuse_large_products
from ...models.polytope.polytope import PartitionPolytope, scaled_bounds
from ...models.polytope.shares import Shares
from ...models.scores.scores import AffineScores
from ...models.scores.shifted import ShiftedScores
from ..cells import Cells
from ..transport.flow.blocks import BlockCandidates, BlockFlow, candidates_of_block, solve_blocks
from ..transport.passes.rows import Data, assign, assign_serial, kernel_data
from ..transport.prices.first_prices import SAMPLE_NOISE, solve_flow
from ..transport.program import Program
from .dask_blocks import DaskBlocks, refuse_other_block
from .first_sites import random_rows, spread_rows
from .problem import ClusterStatistics, Objective, SiteProblem, SiteStep
from .statistics import cluster_statistics

SAMPLE = 1 << 17  # Rows that the client keeps at least, for starting centres, first prices and cutoffs.
SAMPLE_NUMBERS = 1 << 22  # Coordinates that the client keeps at most; where rows are short it keeps more rows.
MOST_CANDIDATES = 1 << 21  # Candidates that the client holds; where more are likely, prices are improved first.
NEAR_ROWS = 1 << 22  # Rows near a boundary that come to the client to improve prices, about.
CANDIDATES_PER_MOVE = 4.0  # Candidates per pair of clusters for each point that has to leave.
FEWEST_CANDIDATES = 16.0  # Candidates per pair of clusters at least.
Solution = TypeVar("Solution")


@dataclass(frozen=True, eq=False)
class BlockLabels:
    """An assignment of points in blocks: every point's best cluster at some prices, except for the moves."""

    start: NDArray[np.float64]  # (k,): Prices of the labels.
    prices: NDArray[np.float64]  # (k,): Optimal prices.
    blocks: NDArray[np.int64]  # (m,): Block of every point on another machine.
    places: NDArray[np.int64]  # (m,): Row within its block.
    targets: NDArray[np.int64]  # (m,): Cluster of that point.
    splits: tuple[Split, ...] = ()


@dataclass(eq=False)
class BlockProblem(SiteProblem[Solution], Generic[Solution]):
    """Blocks X of points, alternated as a `GeometricProblem` is; ``passes`` over the data are counted."""

    X: DaskBlocks
    polytope: PartitionPolytope
    objective: Objective
    origin: NDArray[np.float64] = field(init=False)
    passes: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.ends = np.cumsum([0, *self.X.sizes])
        self._weights: list[Any] = [None] * len(self.X)
        if self.polytope.weights is not None:
            self._weights = self.X.held([self.polytope.weights[a:b] for a, b in zip(self.ends, self.ends[1:])])
        n = self.polytope.n_points
        rng = np.random.default_rng(n)
        m = max(SAMPLE, SAMPLE_NUMBERS // self.X.shape[1])
        self._chosen = np.arange(n) if n <= m else np.sort(rng.choice(n, m, replace=False))
        cuts = np.searchsorted(self._chosen, self.ends)
        rows = [self._chosen[a:b] - start for a, b, start in zip(cuts, cuts[1:], self.ends)]
        parts = self._map(_summary_of_block, list(zip(rows, self.X.sizes)), self.X.shape[1])
        largest = np.array([largest for _, _, largest in parts])
        if not np.isfinite(largest).all():
            raise InvalidInputError("X contains NaN or infinite values: fill or drop them first")
        refuse_large_products(np.full((1, self.X.shape[1]), largest.max()))
        self.origin = np.sum([total for total, _, _ in parts], axis=0) / self.polytope.total
        self._sample = np.concatenate([rows for _, rows, _ in parts])

    def _map(self, function: Callable[..., Any], each: Sequence[Any] | None, *common: Any) -> list[Any]:
        """One pass: ``function(block, its weights, each[b], *common)`` for every block b, where it is."""
        self.passes += 1
        return self.X.each(function, self._weights, *(() if each is None else (each,)), common=common)

    def column_variance(self) -> float:
        """Variance of a column of the sample, averaged over the columns."""
        return float(self._sample.var(axis=0, dtype=np.float64).mean())

    @property
    def _sample_weights(self) -> NDArray[np.float64] | None:
        return None if self.polytope.weights is None else self.polytope.weights[self._chosen]

    def spread_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Rows of the sample that are far apart, measured from the origin."""
        directions = self.objective == "csa"
        return spread_rows(self._sample, self.origin, self.polytope.n_clusters, self._sample_weights, rng, directions)

    def random_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Rows of the sample at random, measured from the origin; heavy ones more often."""
        rows = self._sample[random_rows(len(self._sample), self.polytope.n_clusters, self._sample_weights, rng)]
        return np.subtract(rows, self.origin, dtype=np.float64)

    def _corrected(
        self, parts: list[Any], rows: NDArray, clusters: NDArray[np.int64], amounts: NDArray, sites: NDArray[np.float64]
    ) -> ClusterStatistics:
        """Sums, sizes and squares of all points in their best clusters, and of further amounts (e,) of rows (e, d)."""
        sums, sizes, squares = (np.sum(column, axis=0) for column in zip(*parts))
        moved = np.asarray(rows, dtype=np.float64) - self.origin
        np.add.at(sums, clusters, amounts[:, None] * moved)
        np.add.at(sizes, clusters, amounts)
        squares += float((amounts[:, None] * (moved - sites[clusters]) ** 2).sum())
        return ClusterStatistics(sums, sizes, float(squares))

    def labelled(self, step: SiteStep[Solution]) -> BlockLabels:
        """The assignment of a step."""
        raise NotImplementedError

    def finish(self, step: SiteStep[Solution], sites: NDArray[np.float64]) -> tuple[Any, Certificate, Cells]:
        """Labels, proof and max-margin cells of the last step, in one pass."""
        scores = AffineScores.of(self.objective, sites, self.origin)
        found, polytope = self.labelled(step), self.polytope
        everywhere = [found.blocks == b for b in range(len(self.X))]
        moves = [(found.places[here], found.targets[here], self._splits_in(b, found.splits))
                 for b, here in enumerate(everywhere)]  # fmt: skip
        sample = scores.on(self._sample)
        frame = replace(ShiftedScores.of(sample, self._sample_weights), source=scores.on(self._sample[:0]))
        self.passes += 1
        common = (scores, found.start, found.prices, frame)
        labels, found_there = self.X.labelled(_finish_block, polytope.n_clusters, self._weights, moves, common=common)
        checks = [check for check in found_there if check is not None]
        sums = sum((check.sums for check in checks), CertificateSums())
        standing = sum((check.standing for check in checks[1:]), checks[0].standing)
        certificate = Certificate.of(sums, polytope, found.prices, standing).sealed(labels, found.splits)
        gaps = np.min([check.gaps for check in checks], axis=0)
        places = sites + self.origin if self.objective == "lsa" else sites
        return labels, certificate, Cells(None, PowerDiagram.from_gaps(places, gaps, scores, self.objective))

    def _splits_in(self, b: int, splits: tuple[Split, ...]) -> tuple[Split, ...]:
        """The splits of a block, points counted within it."""
        start, stop = int(self.ends[b]), int(self.ends[b + 1])
        return tuple((point - start, cluster, share) for point, cluster, share in splits if start <= point < stop)

    def named_prices(self, step: SiteStep[Solution]) -> Mapping[str, NDArray[np.float64]]:
        """Prices of the last step by the name of the sizes."""
        return {self.polytope.names[0]: self.labelled(step).prices}


@dataclass(eq=False)
class BlockFlowProblem(BlockProblem[BlockFlow]):
    """Points of equal weight with bounds on sizes: the flow on candidates."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._labels = np.empty(len(self._sample), dtype=np.int64)  # of the sample, in the step before
        self._error = np.zeros(self.polytope.n_clusters)
        self._moves = 0.0  # points that the prices at hand are expected to leave to move

    @property
    def _ratio(self) -> float:
        """Points for one of the sample."""
        return self.polytope.n_points / len(self._sample)

    @property
    def _likely_candidates(self) -> float:
        return CANDIDATES_PER_MOVE * self.polytope.n_clusters * self._moves

    def assign(self, sites: NDArray[np.float64], before: SiteStep[BlockFlow] | None) -> SiteStep[BlockFlow]:
        """Step (1): an optimal assignment for the sites, from the prices of the step before."""
        scores = AffineScores.of(self.objective, sites, self.origin)
        sample = kernel_data(scores.on(self._sample))
        prices = self._sampled_prices(sample, before)
        expected = np.inf
        while self._likely_candidates > MOST_CANDIDATES and self._moves < 0.5 * expected:
            expected = self._moves
            prices = self._nearer_prices(scores, sample, prices)
        parts: list[Any] = []

        def one_pass(mu: NDArray[np.float64], cutoff: NDArray[np.float64]) -> list[BlockCandidates]:
            results = self._map(_assign_block, None, scores, mu, cutoff, sites)
            parts[:] = [part for _, part in results]
            return [found for found, _ in results]

        n, k = self.polytope.n_points, self.polytope.n_clusters
        wanted = (self._likely_candidates + FEWEST_CANDIDATES * k**2) / n
        flow = solve_blocks(one_pass, sample, self.polytope.lower, self.polytope.upper, prices, wanted)
        assign(sample, flow.start, self._labels, np.empty(len(self._sample)))
        sizes = np.sum([sizes for _, sizes, _ in parts], axis=0)
        self._error = np.bincount(self._labels, minlength=sizes.size) - sizes / self._ratio
        twice, clusters = np.concatenate([flow.rows] * 2), np.concatenate([flow.origins, flow.targets])
        amounts = np.repeat([-1.0, 1.0], len(flow.rows))
        return SiteStep(flow, self._corrected(parts, twice, clusters, amounts, sites))

    def _sampled_prices(self, sample: Data, before: SiteStep[BlockFlow] | None) -> NDArray[np.float64]:
        """Prices of the sample, whose bounds are shifted by its error in the step before, if there was one."""
        m, k, known = len(self._sample), self.polytope.n_clusters, None
        if before is None:
            self._error[:] = 0.0
        else:
            known = before.solution.prices
        lower, upper = scaled_bounds(self.polytope.lower, self.polytope.upper, m, self.polytope.n_points)
        lower, upper = (np.clip(side + self._error, 0.0, m) for side in (lower, upper))
        prices = _prices_within(sample, lower, upper, known)
        if prices is None:
            prices = np.zeros(k) if known is None else known
        labels, changed = np.empty(m, dtype=np.int64), m
        assign(sample, prices, labels, np.empty(m))
        if before is not None:
            changed = int(np.count_nonzero(labels != self._labels))
        self._moves = SAMPLE_NOISE * self._ratio * np.sqrt(k * changed)
        return prices

    def _nearer_prices(self, scores: AffineScores, sample: Data, prices: NDArray[np.float64]) -> NDArray[np.float64]:
        """Prices from some of the points near a boundary, in one pass."""
        n, m, k = self.polytope.n_points, len(self._sample), self.polytope.n_clusters
        margins = np.empty(m)
        assign(sample, prices, np.empty(m, dtype=np.int64), margins)
        near = min(self._likely_candidates / n, 1.0)
        limit, share = float(np.quantile(margins, near)), min(NEAR_ROWS / (near * n), 1.0)
        parts = self._map(_near_walls, list(range(len(self.X))), scores, prices, limit, share)
        rows, far = np.concatenate([rows for rows, _, _ in parts]), np.sum([far for _, far, _ in parts], axis=0)
        if not len(rows):
            return prices
        ratio = sum(count for _, _, count in parts) / len(rows)
        lower, upper = (np.maximum((side - far) / ratio, 0.0) for side in (self.polytope.lower, self.polytope.upper))
        nearer = _prices_within(kernel_data(scores.on(rows)), lower, upper, prices)
        if nearer is None:
            return prices
        self._moves = SAMPLE_NOISE * ratio * np.sqrt(k * len(rows))
        return nearer

    def labelled(self, step: SiteStep[BlockFlow]) -> BlockLabels:
        """The assignment of a step."""
        flow = step.solution
        return BlockLabels(flow.start, flow.prices, flow.blocks, flow.places, flow.targets)


def _summary_of_block(
    block: NDArray, weights: NDArray[np.float64] | None, wanted: tuple[NDArray[np.int64], int], width: int
) -> tuple[NDArray[np.float64], NDArray, float]:
    """Weighted sum of the rows, the selected ones, and the largest absolute value, NaN when there is one."""
    chosen, size = wanted
    refuse_other_block(block, (size, width))
    with np.errstate(invalid="ignore", over="ignore"):
        total = block.sum(axis=0, dtype=np.float64) if weights is None else weights @ block
        return total, np.array(block[chosen]), magnitude(block)


def _assign_block(
    block: NDArray,
    weights: None,
    scores: AffineScores,
    prices: NDArray[np.float64],
    cutoff: NDArray[np.float64],
    sites: NDArray[np.float64],
) -> tuple[BlockCandidates, tuple[NDArray[np.float64], NDArray[np.float64], float]]:
    found, labels = candidates_of_block(block, scores, prices, cutoff)
    rows = np.ascontiguousarray(block)
    return found, cluster_statistics(rows, scores.origin.copy(), labels, None, sites.copy(), shared=False)


def _prices_within(some: Data, lower: Reals, upper: Reals, prices: Reals | None) -> Reals | None:
    """Optimal prices of some points within bounds that are rounded outwards, from other prices; None without any."""
    lower, upper = np.floor(lower), np.ceil(upper)
    if not lower.sum() <= len(some[0]) <= upper.sum():
        return None
    return solve_flow(Program(some, lower, upper), prices).prices


def _near_walls(
    block: NDArray,
    weights: None,
    seed: int,
    scores: AffineScores,
    prices: NDArray[np.float64],
    limit: float,
    share: float,
) -> tuple[NDArray, NDArray[np.float64], int]:
    """A share of the rows whose margin is at most a limit; how many others every cluster has; and of how many rows."""
    labels, margins = labels_of_block(block, scores, prices)
    near = margins <= limit
    drawn = near & (np.random.default_rng(seed).random(len(block)) < share)
    far = np.bincount(labels[~near], minlength=prices.size).astype(np.float64)
    return block[drawn], far, int(near.sum())


def labels_of_block(
    block: NDArray, scores: AffineScores, prices: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Best clusters (m,) of the points of a block, and their margins: the same whenever it is asked again."""
    labels, margins = np.empty(len(block), dtype=np.int64), np.empty(len(block))
    assign_serial(kernel_data(scores.on(block)), prices.copy(), labels, margins)
    return labels, margins


@dataclass(frozen=True, eq=False)
class _Check:
    """A block's share of the certificate and of the exchange gaps."""

    sums: CertificateSums
    standing: Activities
    gaps: NDArray[np.float64]


def _finish_block(
    block: NDArray,
    weights: NDArray[np.float64] | None,
    moves: tuple[NDArray[np.int64], NDArray[np.int64], tuple[Split, ...]],
    scores: AffineScores,
    start: NDArray[np.float64],
    prices: NDArray[np.float64],
    frame: ShiftedScores,
) -> tuple[NDArray[np.unsignedinteger], _Check | None]:
    """Labels, and a check of them by plain matrix algebra that shares nothing with what found them."""
    labels, _ = labels_of_block(block, scores, start)
    labels[moves[0]] = moves[1]
    k = len(scores.offsets)
    if not len(block):
        return labels.astype(np.min_scalar_type(k - 1)), None
    shares = Shares.of(labels, moves[2], k)
    sums = sums_over_points(replace(frame, source=scores.on(block)), shares, prices, weights, None, None)
    standing = Activities.of(PartitionPolytope(len(block), weights=weights, n_clusters=k), shares)
    gaps = ExchangeGaps.of(scores.on(block), labels).closed
    return labels.astype(np.min_scalar_type(k - 1)), _Check(sums, standing, gaps)
