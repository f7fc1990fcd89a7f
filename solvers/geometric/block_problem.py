"""The geometric iteration on points in blocks elsewhere: passes where the blocks are, small programs here.

Blocks are on the workers of a Dask cluster (`dask_blocks`). An iteration costs one pass over them, two when candidates
run out. The end costs one more pass, for the proof and the max-margin cells. Nothing of size n leaves a cluster: labels
stay there, too, as a Dask array. A pass sends O(k^2 + k d) numbers to every block and brings back O(k d) and its
candidates (`flow.blocks`).

A sample of m of n points leaves about n sqrt(k / m) of them to move, for some thousand million points more candidates
than the client can hold. Passes before the first flow then bring back some of the points near a boundary, and how many
others every cluster has. Prices at which these few points are assigned best, within what the others leave of the
bounds, leave as much less to move as fewer points are near a boundary.

The error of the sample, its sizes less its share of those of all points, lasts while few points change. So a step
starts from prices of the sample within bounds that are shifted by the error of the step before (`prices.inexact`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Reals
from ...base.errors import InvalidInputError
from ...models.certificates.activities import Activities
from ...models.certificates.certificate import Certificate, CertificateSums, sums_over_points
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


@dataclass(eq=False)
class BlockProblem(SiteProblem[BlockFlow]):
    """Blocks X of points of equal weight, alternated as a `GeometricProblem` is."""

    X: DaskBlocks
    polytope: PartitionPolytope
    objective: Objective
    origin: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        n, (_, d) = self.polytope.n_points, self.X.shape
        m = max(SAMPLE, SAMPLE_NUMBERS // d)
        chosen = np.arange(n) if n <= m else np.sort(np.random.default_rng(n).choice(n, m, replace=False))
        ends = np.cumsum([0, *self.X.sizes])
        cuts = np.searchsorted(chosen, ends)
        rows = [chosen[a:b] - start for a, b, start in zip(cuts, cuts[1:], ends)]
        parts = self.X.each(_summary_of_block, list(zip(rows, self.X.sizes)), common=(d,))
        largest = np.array([largest for _, _, largest in parts])
        if not np.isfinite(largest).all():
            raise InvalidInputError("X contains NaN or infinite values: fill or drop them first")
        refuse_large_products(np.full((1, d), largest.max()))
        self.origin = np.sum([total for total, _, _ in parts], axis=0) / n
        self._sample = np.concatenate([rows for _, rows, _ in parts])
        self._labels = np.empty(len(self._sample), dtype=np.int64)  # of the sample, in the step before
        self._error = np.zeros(self.polytope.n_clusters)
        self._moves = 0.0  # points that the prices at hand are expected to leave to move

    def column_variance(self) -> float:
        """Variance of a column of the sample, averaged over the columns."""
        return float(self._sample.var(axis=0, dtype=np.float64).mean())

    def spread_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Rows of the sample that are far apart, measured from the origin."""
        return spread_rows(self._sample, self.origin, self.polytope.n_clusters, None, rng, self.objective == "csa")

    def random_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Rows of the sample at random, measured from the origin."""
        rows = self._sample[random_rows(len(self._sample), self.polytope.n_clusters, None, rng)]
        return np.subtract(rows, self.origin, dtype=np.float64)

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
            results = self.X.each(_assign_block, common=(scores, mu, cutoff, sites))
            parts[:] = [part for _, part in results]
            return [found for found, _ in results]

        n, k = self.polytope.n_points, self.polytope.n_clusters
        wanted = (self._likely_candidates + FEWEST_CANDIDATES * k**2) / n
        flow = solve_blocks(one_pass, sample, self.polytope.lower, self.polytope.upper, prices, wanted)
        assign(sample, flow.start, self._labels, np.empty(len(self._sample)))
        sums, sizes, squares = (np.sum(column, axis=0) for column in zip(*parts))
        self._error = np.bincount(self._labels, minlength=sizes.size) - sizes / self._ratio
        # parts count every point in its best cluster: those that the flow moved leave it
        moved = np.asarray(flow.rows, dtype=np.float64) - self.origin
        for clusters, sign in ((flow.origins, -1.0), (flow.targets, 1.0)):
            np.add.at(sums, clusters, sign * moved)
            np.add.at(sizes, clusters, sign)
            squares += sign * float(((moved - sites[clusters]) ** 2).sum())
        return SiteStep(flow, ClusterStatistics(sums, sizes, float(squares)))

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
        parts = self.X.each(_near_walls, range(len(self.X)), common=(scores, prices, limit, share))
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

    def finish(self, step: SiteStep[BlockFlow], sites: NDArray[np.float64]) -> tuple[Any, Certificate, Cells]:
        """Labels, proof and max-margin cells of the last step, in one pass."""
        scores, flow = AffineScores.of(self.objective, sites, self.origin), step.solution
        everywhere = [flow.blocks == b for b in range(len(self.X))]
        moves = [(flow.places[here], flow.targets[here]) for here in everywhere]
        frame = replace(ShiftedScores.of(scores.on(self._sample), None), source=scores.on(self._sample[:0]))
        common = (scores, flow.start, flow.prices, frame)
        labels, found_there = self.X.labelled(_finish_block, self.polytope.n_clusters, moves, common=common)
        checks = [check for check in found_there if check is not None]
        sums = sum((check.sums for check in checks), CertificateSums())
        standing = sum((check.standing for check in checks[1:]), checks[0].standing)
        certificate = Certificate.of(sums, self.polytope, flow.prices, standing).sealed(labels, ())
        gaps = np.min([check.gaps for check in checks], axis=0)
        places = sites + self.origin if self.objective == "lsa" else sites
        return labels, certificate, Cells(None, PowerDiagram.from_gaps(places, gaps, scores, self.objective))

    def named_prices(self, step: SiteStep[BlockFlow]) -> Mapping[str, NDArray[np.float64]]:
        """Prices of the last step by the name of the sizes."""
        return {self.polytope.names[0]: step.solution.prices}


def _summary_of_block(
    block: NDArray, wanted: tuple[NDArray[np.int64], int], width: int
) -> tuple[NDArray[np.float64], NDArray, float]:
    """Sum of the rows, the selected ones, and the largest absolute value, NaN when there is one."""
    chosen, size = wanted
    refuse_other_block(block, (size, width))
    with np.errstate(invalid="ignore", over="ignore"):
        return block.sum(axis=0, dtype=np.float64), np.array(block[chosen]), magnitude(block)


def _assign_block(
    block: NDArray,
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
    moves: tuple[NDArray[np.int64], NDArray[np.int64]],
    scores: AffineScores,
    start: NDArray[np.float64],
    prices: NDArray[np.float64],
    frame: ShiftedScores,
) -> tuple[NDArray[np.unsignedinteger], _Check | None]:
    """Labels, and a check of them by plain matrix algebra that shares nothing with what found them."""
    labels, _ = labels_of_block(block, scores, start)
    labels[moves[0]] = moves[1]
    k = len(scores.offsets)
    few = labels.astype(np.min_scalar_type(k - 1))
    if not len(block):
        return few, None
    shares, here = Shares.of(labels, (), k), scores.on(block)
    sums = sums_over_points(replace(frame, source=here), shares, prices, None, None, None)
    standing = Activities.of(PartitionPolytope(len(block), n_clusters=k), shares)
    return few, _Check(sums, standing, ExchangeGaps.of(here, labels).closed)
