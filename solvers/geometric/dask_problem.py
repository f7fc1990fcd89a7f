"""The two exact steps of the geometric iteration on a Dask array: passes where the blocks are, k nodes here.

An iteration costs one pass over the blocks, two when candidates run out (`blocks`). A pass sends
O(k^2 + k d) numbers to every block and brings back O(k d) and its candidates. The end costs one more pass for the
labels, the proof and the max-margin cells. Nothing of size n leaves the workers before that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError
from ...base.extras import import_extra
from ...models.certificate import Certificate, CertificateSums, sums_over_points
from ...models.exchange_gaps import ExchangeGaps
from ...models.magnitudes import magnitude, refuse_large_products
from ...models.polytope import PartitionPolytope
from ...models.power_diagram import PowerDiagram
from ...models.scores import AffineScores
from ...models.shares import Shares
from ...models.shifted_scores import ShiftedScores
from ..embedding import Cells
from ..transport.blocks import (
    BlockCandidates,
    BlockFlow,
    candidates_of_block,
    solve_blocks,
)
from ..transport.engine import solve_flow
from ..transport.rows import assign_serial, kernel_data
from .problem import ClusterStatistics, Objective, SiteProblem, SiteStep
from .spread_rows import spread_rows
from .statistics import cluster_statistics

SAMPLE = 1 << 17  # rows that the client keeps: for starting sites, first prices and cutoffs


def is_dask_array(X: object) -> bool:
    """Whether X is a Dask collection; imports nothing."""
    return type(X).__module__.partition(".")[0] == "dask"


def checked_dask_array(X: Any) -> Any:
    """A two-dimensional Dask array of float32 or float64 with known chunks, cut along rows only.

    Raises
    ------
    MissingDependencyError
        When Dask is not complete.
    InvalidInputError
        When X has another shape or chunks of unknown size.
    """
    array = import_extra("dask.array", "dask", "X is a Dask collection, which dask.array reads")
    if not isinstance(X, array.Array):
        raise InvalidInputError(f"X is a {type(X).__name__}, expected a Dask array: pass X.to_dask_array(lengths=True)")
    if X.ndim != 2 or 0 in X.shape:
        raise InvalidInputError(f"X has shape {X.shape}, expected (n_points, n_features), neither of them 0")
    if np.isnan(X.shape[0]):
        raise InvalidInputError("X has chunks of unknown size: call X.compute_chunk_sizes() first")
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return X.rechunk({1: -1})


@dataclass(eq=False)
class DaskProblem(SiteProblem[BlockFlow]):
    """Blocks of points, origin, polytope and objective, alternated as a `GeometricProblem` is.

    Attributes
    ----------
    passes : int
        Passes over the data so far.
    """

    X: Any
    polytope: PartitionPolytope
    objective: Objective
    origin: NDArray[np.float64] = field(init=False)
    passes: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._blocks = [block for row in self.X.to_delayed() for block in row]
        self.polytope.require_plain("fit on Dask arrays")
        n = self.polytope.n_points
        lengths = np.array(self.X.chunks[0])
        ends = np.cumsum(lengths)
        chosen = np.arange(n) if n <= SAMPLE else np.sort(np.random.default_rng(n).choice(n, SAMPLE, replace=False))
        rows = [chosen[(chosen >= end - size) & (chosen < end)] - (end - size) for size, end in zip(lengths, ends)]
        parts = self._map(_look_at_block, rows)
        largest = np.array([largest for _, _, largest in parts])
        if not np.isfinite(largest).all():
            raise InvalidInputError("X contains NaN or infinite values: fill or drop them first")
        refuse_large_products(np.full((1, self.X.shape[1]), largest.max()))
        self.origin = np.sum([total for total, _, _ in parts], axis=0) / n
        self._sample = np.concatenate([rows for _, rows, _ in parts])
        self._wanted = 2.0 * n / np.sqrt(len(self._sample) * self.polytope.n_clusters) + 8.0

    def _map(self, function: Callable[..., Any], each: list[Any] | None = None, *common: Any) -> list[Any]:
        """One pass: ``function(block, each[b], *common)`` for every block b, where the block is."""
        import dask

        self.passes += 1
        task = dask.delayed(function, pure=False)
        rest = [()] * len(self._blocks) if each is None else [(item,) for item in each]
        return list(dask.compute(*(task(block, *own, *common) for block, own in zip(self._blocks, rest))))

    def assign(self, sites: NDArray[np.float64], before: SiteStep[BlockFlow] | None) -> SiteStep[BlockFlow]:
        """Step (1): an optimal assignment for the sites, from the prices of the step before."""
        scores = AffineScores.of(self.objective, sites, self.origin)
        sample = kernel_data(scores.on(self._sample))
        if before is None:
            coarse = self.polytope.scaled_to(len(self._sample))
            prices = solve_flow(sample, coarse.lower, coarse.upper, None).prices
        else:
            prices = before.solution.prices
        parts: list[Any] = []

        def one_pass(mu: NDArray[np.float64], cutoff: NDArray[np.float64]) -> list[BlockCandidates]:
            results = self._map(_assign_block, None, scores, mu, cutoff, sites)
            parts[:] = [part for _, part in results]
            return [found for found, _ in results]

        flow = solve_blocks(
            one_pass, sample, self.polytope.n_points, self.polytope.lower, self.polytope.upper, prices, self._wanted
        )
        self._wanted = 4.0 * len(flow.places) / self.polytope.n_clusters + 16.0
        return SiteStep(flow, self._statistics(parts, flow, sites))

    def _statistics(self, parts: list[Any], flow: BlockFlow, sites: NDArray[np.float64]) -> ClusterStatistics:
        sums, sizes, squares = (np.sum(column, axis=0) for column in zip(*parts))
        rows = np.asarray(flow.rows, dtype=np.float64) - self.origin
        for sign, clusters in ((-1.0, flow.origins), (1.0, flow.targets)):
            np.add.at(sums, clusters, sign * rows)
            np.add.at(sizes, clusters, sign)
            squares += sign * float(((rows - sites[clusters]) ** 2).sum())
        return ClusterStatistics(sums, sizes, float(squares))

    def column_variance(self) -> float:
        """Variance of a column of the sample, averaged over the columns."""
        return float(self._sample.var(axis=0, dtype=np.float64).mean())

    def spread_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Rows of the sample that lie far apart, measured from the origin."""
        directions = self.objective == "csa"
        return spread_rows(self._sample, self.origin, self.polytope.n_clusters, None, rng, directions)

    def random_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Rows of the sample at random, measured from the origin."""
        rows = self._sample[rng.choice(len(self._sample), self.polytope.n_clusters, replace=False)]
        return np.subtract(rows, self.origin, dtype=np.float64)

    def finish(
        self, step: SiteStep[BlockFlow], sites: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], Certificate, Cells]:
        """Labels, proof and max-margin cells of the last step, in one pass."""
        scores, flow = AffineScores.of(self.objective, sites, self.origin), step.solution
        moves = [(flow.places[flow.blocks == b], flow.targets[flow.blocks == b]) for b in range(len(self._blocks))]
        frame = replace(ShiftedScores.of(scores.on(self._sample)), source=scores.on(self._sample[:0]))
        parts = self._map(_finish_block, moves, scores, flow.start, flow.prices, frame)
        labels = np.concatenate([part.labels for part in parts]).astype(np.int64)
        gaps = np.min([part.gaps for part in parts], axis=0)
        shift = self.origin if self.objective == "lsa" else 0.0
        diagram = PowerDiagram.from_gaps(sites + shift, gaps, scores, self.objective)
        sums = sum((part.sums for part in parts), CertificateSums())
        certificate = Certificate.of(sums, self.polytope, flow.prices, Shares.of(labels, (), len(sites)))
        return labels, certificate, Cells(None, diagram)

    def named_prices(self, step: SiteStep[BlockFlow]) -> Mapping[str, NDArray[np.float64]]:
        """Prices of the last step."""
        return {self.polytope.row_names[0]: step.solution.prices}


def _look_at_block(block: NDArray, chosen: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray, float]:
    """Sum of the rows, the chosen rows, and the largest absolute value, NaN when there is one."""
    with np.errstate(invalid="ignore", over="ignore"):
        return block.sum(axis=0, dtype=np.float64), np.array(block[chosen]), magnitude(block)


def _assign_block(
    block: NDArray, scores: AffineScores, prices: NDArray[np.float64], cutoff: NDArray[np.float64], sites: NDArray
) -> tuple[BlockCandidates, tuple[NDArray[np.float64], NDArray[np.float64], float]]:
    found, labels = candidates_of_block(block, scores, prices, cutoff)
    rows = np.ascontiguousarray(block)
    return found, cluster_statistics(rows, scores.origin.copy(), labels, None, sites.copy(), shared=False)


@dataclass(frozen=True, eq=False)
class _Check:
    """A block's share of the labels, the certificate and the exchange gaps."""

    labels: NDArray[np.int32]
    sums: CertificateSums
    gaps: NDArray[np.float64]


def _finish_block(
    block: NDArray,
    moves: tuple[NDArray[np.int64], NDArray[np.int64]],
    scores: AffineScores,
    start: NDArray[np.float64],
    prices: NDArray[np.float64],
    frame: ShiftedScores,
) -> _Check:
    """Labels by the kernels; everything else by plain matrix algebra that shares nothing with them."""
    labels = np.empty(len(block), dtype=np.int64)
    source = scores.on(block)
    assign_serial(kernel_data(source), start.copy(), labels, np.empty(len(block)))
    labels[moves[0]] = moves[1]
    sums = sums_over_points(replace(frame, source=source), Shares.of(labels, (), prices.size), prices, None)
    return _Check(labels.astype(np.int32), sums, ExchangeGaps.of(source, labels).closed)
