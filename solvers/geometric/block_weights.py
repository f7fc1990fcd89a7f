"""Weighted points in blocks elsewhere: restricted programs.

At prices mu every point's best cluster, and its margin over all others, are found where it is stored. Points whose
margin is at most a radius rho come here, together with those that are much heavier than most. All others stay in their
best cluster and count by their total weights alone. The program of the points that came, within bounds less those
weights, is solved exactly. Its prices mu' are optimal for all points when none that stayed is better off elsewhere at
mu'; that needs no look at them when

    (1)  max_il | (mu'_i - mu_i) - (mu'_l - mu_l) |  <=  rho

Otherwise one more pass fetches points that are better off elsewhere, until none is: each pass fetches at least one more
of finitely many points. Where the points that came cannot keep the bounds, more of them do.
The result does not rest on this: a last pass certifies the assignment.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Integers, Reals
from ...base.errors import InfeasibleBoundsError
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.scores.scores import AffineScores
from ..assignment.solve import solve
from .block_problem import BlockLabels, BlockProblem, labels_of_block
from .problem import SiteStep
from .statistics import cluster_statistics

COARSE = 20_000  # Points of the sample for first prices: more cost more than they save.
LARGE = 8.0  # Points heavier than this many mean weights always come: one may break a bound alone.
LEAST = 0.01  # Smallest fraction of all points to collect, so that one pass suffices after small price changes.
WIDEST = 10.0  # Largest multiple of that fraction after large price changes, so that the client can hold it.
MORE = 3.0  # Factor by which the collection grows when it could not keep the bounds.
FARTHER = 1.5  # Radius of a pass, in units of the last change of prices.


class Gathered(NamedTuple):
    """What one block brings back: the points that come, and what those that stay add up to."""

    rows: NDArray[np.floating]  # (c, d): The collected rows.
    places: Integers  # (c,): Places of the rows within the block.
    labels: Integers  # (c,): Best clusters of the rows.
    standing: Reals  # (k,): Total weights of the points that stay.
    staying: int  # Number of points that stay.
    statistics: tuple[Reals, Reals, float]  # Sums, sizes and squares of all points in their best clusters.


class Comers(NamedTuple):
    """Points of a block that come later, and their weights by cluster (k,), in which they no longer stand."""

    rows: NDArray[np.floating]
    places: Integers
    labels: Integers
    standing: Reals


@dataclass(frozen=True, eq=False)
class WeightedFlow:
    """An optimal assignment, and by how much it differs from every point's best cluster at the prices of the pass."""

    labelled: BlockLabels  # The assignment.
    rows: NDArray[np.floating]  # (e, d): Points on other machines, once for every cluster that they leave or enter.
    clusters: Integers  # (e,): Clusters that they leave or enter.
    amounts: Reals  # (e,): Weight that enters, negative where it leaves.


@dataclass(eq=False)
class BlockWeightedProblem(BlockProblem[WeightedFlow]):
    """Blocks of points, each with its weights, alternated by restricted programs."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._moved = 0.0  # how far prices moved in the step before
        self._large = LARGE * float(self.polytope.point_weights.mean())

    @cached_property
    def _coarse(self) -> tuple[Integers, PartitionPolytope]:
        """Places within the sample, and the polytope of these points with bounds in proportion to their weight."""
        few = np.arange(len(self._chosen))
        if few.size > COARSE:
            few = np.sort(np.random.default_rng(0).choice(few.size, COARSE, replace=False))
        polytope = self.polytope
        weights = polytope.point_weights[self._chosen[few]]
        ratio = weights.sum() / polytope.total
        return few, PartitionPolytope(few.size, polytope.lower * ratio, polytope.upper * ratio, weights)

    def assign(self, sites: Reals, before: SiteStep[WeightedFlow] | None) -> SiteStep[WeightedFlow]:
        """Step (1): an optimal assignment for the sites, from the prices of the step before."""
        scores = AffineScores.of(self.objective, sites, self.origin)
        prices, share = self._first_prices(scores) if before is None else (before.solution.labelled.prices, LEAST)
        radius = self._radius(scores, prices, share, FARTHER * self._moved)
        found = self._map(_gather, None, scores, prices, radius, sites, self._large)
        warm = prices
        while True:
            try:
                program = self._solve(found, scores, prices, warm)
            except InfeasibleBoundsError:
                if not any(block.staying for block in found):
                    raise
                share *= MORE
                radius = self._radius(scores, prices, share)
                found = self._map(_gather, None, scores, prices, radius, sites, self._large)
                continue
            warm = program.labelled.prices
            self._moved = float(np.ptp(warm - prices))  # the left-hand side of (1)
            if self._moved <= radius:
                break
            more = self._map(_better_elsewhere, [block.places for block in found], scores, prices, warm)
            if not any(len(block.places) for block in more):
                break
            found = [_joined(block, others) for block, others in zip(found, more)]
        parts = [block.statistics for block in found]
        statistics = self._corrected(parts, program.rows, program.clusters, program.amounts, sites)
        return SiteStep(program, statistics, program.labelled.splits)

    def _first_prices(self, scores: AffineScores) -> tuple[Reals, float]:
        """Prices of a sample, zero where it is everything, and the share of all points that is near a boundary."""
        few, coarse = self._coarse
        nothing, share = np.zeros(coarse.n_clusters), max(float(np.sqrt(coarse.n_clusters / few.size)), LEAST)
        if few.size == self.polytope.n_points:
            return nothing, 1.0
        try:
            return np.asarray(solve(AssignmentModel(coarse, scores.on(self._sample[few]))).prices), share
        except InfeasibleBoundsError:
            return nothing, share

    def _radius(self, scores: AffineScores, prices: Reals, share: float, wanted: float = 0.0) -> float:
        """The wanted radius, clipped to cover from ``share`` to ``WIDEST * share`` of all points."""
        if share >= 1.0:
            return np.inf
        margins = labels_of_block(self._sample[self._coarse[0]], scores, prices)[1]
        least, most = np.quantile(np.minimum(margins, np.finfo(float).max), [share, min(WIDEST * share, 1.0)])
        return float(np.clip(wanted, least, most))

    def _solve(self, found: list[Gathered], scores: AffineScores, prices: Reals, warm: Reals) -> WeightedFlow:
        """The program of the points that came, from warm prices."""
        blocks = np.repeat(np.arange(len(found)), [len(block.places) for block in found])
        places, labels, rows = (
            np.concatenate([getattr(block, name) for block in found]) for name in ("places", "labels", "rows")
        )
        points, stay = self.ends[blocks] + places, np.sum([block.standing for block in found], axis=0)
        lower, upper = self.polytope.lower, self.polytope.upper
        if not points.size or (upper < stay).any():
            raise InfeasibleBoundsError("more points stay than the bounds allow")
        rest = PartitionPolytope(
            points.size, np.maximum(lower - stay, 0.0), upper - stay, self.polytope.point_weights[points]
        )
        solution = solve(AssignmentModel(rest, scores.on(rows)), warm_start=warm)
        mu = np.asarray(solution.prices)
        # a cluster that the points which came could empty, or fill, alone is at no bound of all points
        mu = np.where(lower < stay, np.maximum(mu, 0.0), mu)
        mu = np.where(upper - stay > rest.total, np.minimum(mu, 0.0), mu)
        final = solution.require_labels()
        moved = np.flatnonzero(final != labels)
        split = np.array(list(solution.splits), dtype=np.float64).reshape(-1, 3)
        parted = split[:, 0].astype(np.int64)
        whole, leaving = np.setdiff1d(moved, parted), np.union1d(moved, parted)
        which = np.concatenate([leaving, whole, parted])
        clusters = np.concatenate([labels[leaving], final[whole], split[:, 1].astype(np.int64)])
        amounts = np.concatenate([-np.ones(leaving.size), np.ones(whole.size), split[:, 2]])
        splits = tuple((int(points[j]), cluster, share) for j, cluster, share in solution.splits)
        labelled = BlockLabels(prices, mu, blocks[moved], places[moved], final[moved], splits)
        return WeightedFlow(labelled, rows[which], clusters, amounts * rest.point_weights[which])

    def labelled(self, step: SiteStep[WeightedFlow]) -> BlockLabels:
        """The assignment of a step."""
        return step.solution.labelled


def _joined(block: Gathered, others: Comers) -> Gathered:
    """With points that come later."""
    rows, places = np.concatenate([block.rows, others.rows]), np.concatenate([block.places, others.places])
    labels, standing = np.concatenate([block.labels, others.labels]), block.standing - others.standing
    return block._replace(
        rows=rows, places=places, labels=labels, standing=standing, staying=block.staying - len(others.places)
    )


def _gather(
    block: NDArray, weights: Reals, scores: AffineScores, prices: Reals, radius: float, sites: Reals, large: float
) -> Gathered:
    """One block's share of a pass."""
    rows, k = np.ascontiguousarray(block), len(sites)
    labels, margins = labels_of_block(rows, scores, prices)
    comes = (margins <= radius) | (weights > large)
    places = np.flatnonzero(comes)
    standing: Reals = np.bincount(labels[~comes], weights[~comes], k).astype(np.float64)
    statistics = cluster_statistics(rows, scores.origin.copy(), labels, weights, sites.copy(), shared=False)
    return Gathered(rows[places], places, labels[places], standing, len(rows) - places.size, statistics)


def _better_elsewhere(
    block: NDArray, weights: Reals, known: Integers, scores: AffineScores, start: Reals, new: Reals
) -> Comers:
    """The points that stayed in their best cluster at the first prices, and at new ones are better off in another."""
    rows = np.ascontiguousarray(block)
    labels = labels_of_block(rows, scores, start)[0]
    better = labels_of_block(rows, scores, new)[0] != labels
    better[known] = False
    chosen = np.flatnonzero(better)
    standing: Reals = np.bincount(labels[chosen], weights[chosen], new.size).astype(np.float64)
    return Comers(rows[chosen], chosen, labels[chosen], standing)
