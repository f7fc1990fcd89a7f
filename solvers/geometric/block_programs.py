"""Weights, masks, several size dimensions, shares and rows of one's own on a Dask array: restricted programs.

At prices nu every point's best cluster, and its lead over all others, are found where the point lies. Points that lead
by at most a reach rho come here, together with those that are large in some attribute or have a row of their own. All
others stay in their best cluster and count by their sums alone. The program of the points that came, within bounds less
those sums, is solved exactly. Its prices nu' are optimal for all points when none that stayed is better off elsewhere
at nu'; that needs no look at them when

    (1)  max_il ( W |dmu_i - dmu_l| + sum_r A_r |dN_ir - dN_lr| )  <=  rho          d = nu' - nu

with the largest weight W and attributes A_r of those that stayed and the net prices N of `partitope.models.charges`.
Otherwise one more pass looks, and those that are better off elsewhere come as well. Where the points that came cannot
keep the bounds, more of them do. Nothing of this has to be believed: the end certifies the assignment in a pass of its
own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InfeasibleBoundsError
from ...models.assignment import AssignmentModel
from ...models.polytope import PartitionPolytope
from ...models.rows import AttributeRows
from ...models.scores import AffineScores
from ...models.shares import Shares
from ...models.standing import Standing
from ..assignment.solve import solve
from .block_problem import BlockLabels, BlockProblem, Prices, labels_of_block, net_scores_of_block
from .problem import SiteStep
from .statistics import cluster_statistics

COARSE = 20_000  # points of the sample whose prices the first pass starts from
LARGE = 8.0  # a point with so many times the mean of an attribute always comes
LEAST = 0.01  # of all points come, at the least
WIDEST = 10.0  # times as many at most
TIE = 1e-13  # of a score: clusters that are better by less are no better
MORE = 3.0  # times as many where they were too few
FARTHER = 1.5  # times as far as prices have moved reaches the next pass


@dataclass(frozen=True, eq=False)
class Gathered:
    """What one block brings back: the points that come, and what those that stay add up to.

    Attributes
    ----------
    rows : (c, d) ndarray
        The points.
    places, labels : (c,) ndarray
        Their rows within the block, and their best clusters.
    standing : Standing or None
        Of the points that stay; None where there are none.
    largest : (1 + r,) ndarray
        Largest weight and attributes of the points that stay.
    statistics : tuple
        Sums, sizes and squares of all points in their best clusters.
    """

    rows: NDArray[np.floating]
    places: NDArray[np.int64]
    labels: NDArray[np.int64]
    standing: Standing | None
    largest: NDArray[np.float64]
    statistics: tuple[NDArray[np.float64], NDArray[np.float64], float]

    def joined(self, others: Comers) -> Gathered:
        """With points that come later."""
        if self.standing is None or others.standing is None:
            return self
        rows, places = np.concatenate([self.rows, others.rows]), np.concatenate([self.places, others.places])
        labels = np.concatenate([self.labels, others.labels])
        return replace(self, rows=rows, places=places, labels=labels, standing=self.standing - others.standing)


class Comers(NamedTuple):
    """Points of a block that come later: rows, places, labels, and what they stood for while they stayed."""

    rows: NDArray[np.floating]
    places: NDArray[np.int64]
    labels: NDArray[np.int64]
    standing: Standing | None


@dataclass(frozen=True, eq=False)
class BlockProgram:
    """An optimal assignment, and by how much it differs from every point's best cluster at the prices of the pass.

    Attributes
    ----------
    labelled : BlockLabels
        The assignment.
    rows : (e, d) ndarray
        Points that lie elsewhere; one entry for every cluster that they leave or enter,
    clusters : (e,) ndarray
        these clusters,
    amounts : (e,) ndarray
        and what enters, in weight, negative where it leaves.
    """

    labelled: BlockLabels
    rows: NDArray[np.floating]
    clusters: NDArray[np.int64]
    amounts: NDArray[np.float64]


@dataclass(eq=False)
class BlockProgramProblem(BlockProblem[BlockProgram]):
    """Blocks of points, each with its part of the polytope, alternated by restricted programs."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._moved = 0.0  # how far prices moved in the step before

    @cached_property
    def _large(self) -> NDArray[np.float64]:
        """Weights and attributes (1 + r,) above which a point always comes."""
        return LARGE * _table(self.polytope).mean(axis=0)

    @cached_property
    def _coarse(self) -> tuple[NDArray[np.int64], PartitionPolytope]:
        """Places within the sample, and the polytope of these points: bounds on sums in proportion, no own rows."""
        few = np.arange(len(self._chosen))
        if few.size > COARSE:
            few = np.sort(np.random.default_rng(0).choice(few.size, COARSE, replace=False))
        polytope, part = self.polytope, self.polytope.part(self._chosen[few])
        further = []
        for rows, all_rows in zip(part.further, polytope.further):
            if isinstance(rows, AttributeRows) and isinstance(all_rows, AttributeRows):
                extent = float(np.abs(all_rows.attributes).sum()) or 1.0
                ratio = 1.0 if rows.relative else float(np.abs(rows.attributes).sum()) / extent
                further.append(replace(rows, lower=rows.lower * ratio, upper=rows.upper * ratio))
        low, up = (side * part.total / polytope.total for side in (polytope.lower, polytope.upper))
        if polytope.weights is None:
            low, up = np.floor(low), np.ceil(up)
        return few, replace(part, lower=low, upper=up, further=tuple(further))

    def assign(self, sites: NDArray[np.float64], before: SiteStep[BlockProgram] | None) -> SiteStep[BlockProgram]:
        """Step (1): an optimal assignment for the sites, from the prices of the step before."""
        scores = AffineScores.of(self.objective, sites, self.origin)
        if before is None:
            prices, part = self._first_prices(scores)
        else:
            prices, part = before.solution.labelled.prices, LEAST
        reach = self._reach(scores, prices, part, FARTHER * self._moved)
        found = self._map(_gather, None, scores, prices, reach, sites, self._large)
        warm = prices
        while True:
            try:
                program = self._solve(found, scores, prices, warm)
            except InfeasibleBoundsError:
                if sum(len(block.rows) for block in found) == self.polytope.n_points:
                    raise
                part *= MORE
                reach = self._reach(scores, prices, part)
                found = self._map(_gather, None, scores, prices, reach, sites, self._large)
                continue
            warm = program.labelled.prices
            self._moved = self._drift(prices, warm, found)
            if self._moved <= reach:
                break
            more = self._map(_better_elsewhere, [block.places for block in found], scores, prices, warm)
            if not any(len(block.places) for block in more):
                break
            found = [block.joined(others) for block, others in zip(found, more)]
        parts = [block.statistics for block in found]
        statistics = self._corrected(parts, program.rows, program.clusters, program.amounts, sites)
        return SiteStep(program, statistics, program.labelled.splits)

    def _first_prices(self, scores: AffineScores) -> tuple[Prices, float]:
        """Prices of a sample, zeros where it is everything or cannot keep the bounds; the part of all that they leave
        near a wall."""
        few, coarse = self._coarse
        part = max(float(np.sqrt(coarse.n_clusters / few.size)), LEAST)
        named = {self.polytope.names[0]: np.zeros(coarse.n_clusters)}
        named |= {rows.name: np.zeros(len(rows)) for rows in self.polytope.further}
        if few.size == self.polytope.n_points:
            return named, 1.0
        try:
            return named | dict(solve(AssignmentModel(coarse, scores.on(self._sample[few]))).named_prices), part
        except InfeasibleBoundsError:
            return named, part

    def _reach(self, scores: AffineScores, prices: Prices, part: float, wanted: float = 0.0) -> float:
        """The wanted reach, but one that this part of all points have at least, and a few times as many at most."""
        if part >= 1.0:
            return np.inf
        few, coarse = self._coarse
        lead = np.minimum(labels_of_block(self._sample[few], coarse, scores, prices)[1], np.finfo(float).max)
        least, most = np.quantile(lead, [part, min(WIDEST * part, 1.0)])
        return float(np.clip(wanted, least, most))

    def _solve(self, found: list[Gathered], scores: AffineScores, prices: Prices, warm: Prices) -> BlockProgram:
        """The program of the points that came, from warm prices."""
        blocks = np.repeat(np.arange(len(found)), [len(block.places) for block in found])
        places, labels, rows = (
            np.concatenate([getattr(block, name) for block in found]) for name in ("places", "labels", "rows")
        )
        points, name = self.ends[blocks] + places, self.polytope.names[0]
        standings = [block.standing for block in found if block.standing is not None]
        stay = None
        if standings:
            total = sum(standings[1:], standings[0])
            stay = {name: total.sizes, **total.reached}
            if not points.size or (self.polytope.upper < total.sizes).any():
                raise InfeasibleBoundsError("more points stay than the bounds allow")
        rest = self.polytope.part(points, stay)
        solution = solve(AssignmentModel(rest, scores.on(rows)), warm_start=warm[name] if rest.is_plain else warm)
        named = dict(solution.named_prices)
        if stay is not None:  # a cluster that the points which came could empty, or fill, alone is at no bound there
            named[name] = np.where(self.polytope.lower < stay[name], np.maximum(named[name], 0.0), named[name])
            full = self.polytope.upper - stay[name] > rest.total
            named[name] = np.where(full, np.minimum(named[name], 0.0), named[name])
        final = solution.require_labels()
        moved = np.flatnonzero(final != labels)
        split = np.array(list(solution.splits), dtype=np.float64).reshape(-1, 3)
        parted = split[:, 0].astype(np.int64)
        whole = np.setdiff1d(moved, parted)
        leaving = np.union1d(moved, parted)
        which = np.concatenate([leaving, whole, parted])
        clusters = np.concatenate([labels[leaving], final[whole], split[:, 1].astype(np.int64)])
        amounts = np.concatenate([-np.ones(leaving.size), np.ones(whole.size), split[:, 2]])
        if rest.weights is not None:
            amounts = amounts * rest.weights[which]
        splits = tuple((int(points[j]), cluster, share) for j, cluster, share in solution.splits)
        labelled = BlockLabels(prices, named, blocks[moved], places[moved], final[moved], splits)
        return BlockProgram(labelled, rows[which], clusters, amounts)

    def _drift(self, old: Prices, new: Prices, found: list[Gathered]) -> float:
        """The left-hand side of (1)."""
        largest = np.max([block.largest for block in found], axis=0)
        change = {name: np.asarray(new[name]) - old[name] for name in self.polytope.row_names}
        net = [change[self.polytope.names[0]][None]]
        for rows in self.polytope.further:
            if isinstance(rows, AttributeRows):
                net.append(rows.charges(change[rows.name], self.polytope.n_clusters))
        apart = np.concatenate(net)
        return float(np.tensordot(largest, np.abs(apart[:, :, None] - apart[:, None, :]), 1).max())

    def labelled(self, step: SiteStep[BlockProgram]) -> BlockLabels:
        """The assignment of a step."""
        return step.solution.labelled


def _table(polytope: PartitionPolytope) -> NDArray[np.float64]:
    """Absolute weights and attributes (n, 1 + r)."""
    return np.abs(np.column_stack([polytope.point_weights, polytope.attributes]))


def _gather(
    block: NDArray,
    part: PartitionPolytope | None,
    scores: AffineScores,
    prices: Prices,
    reach: float,
    sites: NDArray[np.float64],
    large: NDArray[np.float64],
) -> Gathered:
    """One block's share of a pass."""
    rows, k = np.ascontiguousarray(block), len(sites)
    if part is None:  # no points
        nothing = (np.zeros_like(sites), np.zeros(k), 0.0)
        none = np.empty(0, dtype=np.int64)
        return Gathered(rows, none, none, None, np.zeros(large.size), nothing)
    labels, lead = labels_of_block(rows, part, scores, prices)
    table = _table(part)
    comes = (lead <= reach) | (table > large).any(axis=1)
    for own in part.further:
        if not isinstance(own, AttributeRows):
            comes[np.unique(own.coefficients.indices // k)] = True
    places, stays = np.flatnonzero(comes), np.flatnonzero(~comes)
    standing = None
    if stays.size:
        standing = Standing.of(part.part(stays), Shares.of(labels[stays], (), k))
    statistics = cluster_statistics(rows, scores.origin.copy(), labels, part.weights, sites.copy(), shared=False)
    return Gathered(rows[places], places, labels[places], standing, table[stays].max(axis=0, initial=0.0), statistics)


def _better_elsewhere(
    block: NDArray,
    part: PartitionPolytope | None,
    known: NDArray[np.int64],
    scores: AffineScores,
    start: Prices,
    new: Prices,
) -> Comers:
    """The points that stayed in their best cluster at the first prices, and at new ones are better off in another."""
    rows = np.ascontiguousarray(block)
    if part is None:
        return Comers(rows, known, known, None)
    labels, _ = labels_of_block(rows, part, scores, start)
    stays = np.ones(len(rows), dtype=bool)
    stays[known] = False
    places = []
    for first, net in net_scores_of_block(rows, part, scores, new):
        own, best = net[np.arange(len(net)), labels[first : first + len(net)]], net.max(axis=1)
        better = best - own > TIE * (np.abs(best) + np.abs(own))
        places.append(np.flatnonzero(better & stays[first : first + len(net)]) + first)
    chosen = np.concatenate(places)
    if not chosen.size:
        return Comers(rows[:0], chosen, chosen, None)
    standing = Standing.of(part.part(chosen), Shares.of(labels[chosen], (), part.n_clusters))
    return Comers(rows[chosen], chosen, labels[chosen], standing)
