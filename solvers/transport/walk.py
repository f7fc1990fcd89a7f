"""The same points assigned at one set of scores after another, as the steps of an alternation do.

What a step learns serves the next one: its prices, and every point's cluster with a bound on its lead (`leads`). So a
pass looks only at points that may have changed, and the flow at the few that are near a wall:

    1. Prices. The step before left the size of every cluster in all points and in a sample. Their difference is an
       error of the sample that it keeps as long as few points change; the sample's bounds are shifted by it before the
       sample is solved at the new scores.
    2. All points at these prices, where their bounds do not settle it.
    3. The points whose lead is at most a limit T, some times as many as have to move, are candidates for
       every cluster over which they lead by less. The flow runs on them alone. Every other point of cluster i costs at
       least mu_i - mu_j + T to move; where a path would use this bound, the step goes on from the new prices with a
       larger limit. So the answer is optimal for all points (`flow`, `blocks`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Integers, Reals
from ...base.errors import NotOptimalError
from .blocks import CUTOFF_GROWTH, MOST_PASSES, flow_on_candidates, lengthened
from .candidates import CUTOFF_RANK, Candidates, smallest_keys
from .engine import prices_of
from .first_prices import Program, draw_sample, sample_size
from .leads import Leads
from .near_walls import NearPoints, near_walls
from .nodes import Nodes, nodes_at, normalised_prices, smallest_amount, total_excess
from .pieces import movable, whole_points
from .price_steps import entries_within, stepped
from .rows import Data, kernel_rows, subset
from .shells import Shells

LEAST_WORK = 1 << 22  # products n k d below which a step is over before bounds pay
MOST_CLUSTERS = 256  # with more, tables of k x k numbers cost more than bounds on leads save
CANDIDATES_PER_MOVE = 24.0  # points within the limits, for each that has to move
MORE_CANDIDATES = 4.0  # factor on them where they did not do
MOST_CANDIDATES = 0.4  # share of the points within the limits at first
FEWEST_IN_HEAP = 64.0  # room for the candidates of a pair of clusters,
MOST_IN_HEAP = 8.0  # and more, in units of what has to move in the mean of all clusters
MOST_KEYS = 4.0  # keys of near points, for every point, beyond which limits grow for single pairs of clusters
COPIED = 8  # points of the program for one that is copied for the flow, at least; of more, none are
PROGRESS = 0.3  # factor on the excess of a pass after which the next one has the same limit
LONGER = 2.0  # factor on the limit otherwise
UNUSED = 0.5  # factor on the limit for the next step after one in which nothing had to move
NUMBERS_AT_A_TIME = 1 << 19  # coordinates of points near a wall that are copied at a time
TIED = 1e-6  # leads up to this, in the units of the bounds, are ties: a limit among them would be no limit
POINTS_FOR_LIMITS = 1 << 14  # points whose leads choose the limits
POINTS_FOR_CUTOFFS = 1 << 13  # points whose keys choose the cutoffs of pairs whose candidates were exhausted
SAMPLE_NOISE = 0.5  # excess that the sample's error means when m of its points changed, in units of sqrt(k m) points


class Step(NamedTuple):
    """An optimal assignment: labels (n,), prices (k,), and searches of the flow."""

    labels: Integers
    prices: Reals
    searches: int


class Walk:
    """The points of one alternation, with what is carried from step to step.

    Parameters
    ----------
    rows : (n, d) ndarray
        Points.
    shells : Shells
        Of the same points.
    k : int
        Clusters.
    """

    def __init__(self, rows: NDArray[np.floating], shells: Shells, k: int) -> None:
        n, self.k = len(rows), k
        self.whole = Settled(rows, shells, k)
        self.started = False
        self.sample: Walk | None = None
        self.sample_helps = True  # whether its prices were better than those of the step before
        m = sample_size(n, k)
        self.index = draw_sample(n, m, None)[0] if m else np.empty(0, np.int64)
        if m:
            some = np.take(rows, self.index, axis=0)
            self.sample = Walk(some, shells.again(some, k), k)

    @property
    def labels(self) -> NDArray[np.uint8]:
        """Clusters (n,) after the last step; the next one changes them."""
        return self.whole.leads.labels

    @staticmethod
    def pays(n: int, d: int, k: int) -> bool:
        """Whether steps on n points in d dimensions are worth bounds on leads."""
        return 2 <= k <= MOST_CLUSTERS and n * k * d >= LEAST_WORK

    def step(self, data: Data, lower: Reals, upper: Reals, prices: Reals | None) -> Step:
        """An optimal assignment for linear scores within bounds, from prices near the optimal ones, if there are any.

        Raises
        ------
        NotOptimalError
            When candidates are still exhausted after `MOST_PASSES` passes, which means that scores are not finite.
        """
        if prices is not None and self.sample is not None and self.sample_helps:
            prices = self._sampled(data, lower, upper, prices)
        prices, searches = self._solve(data, lower, upper, prices)
        return Step(self.labels.astype(np.int64), prices, searches)

    def _solve(
        self, data: Data, lower: Reals, upper: Reals, prices: Reals | None, before: NDArray[np.uint8] | None = None
    ) -> tuple[Reals, int]:
        """`Settled.solve`, from prices of the sample where there are none, or these leave much to move."""
        better: Callable[[Reals | None], Reals] | None = partial(self._sampled, data, lower, upper)
        if prices is None and self.sample is None:
            prices = prices_of(Program(data, lower, upper, None), None, np.inf)
        if prices is None:
            assert better is not None
            prices, better = better(None), None
        found = self.whole.solve(data, lower, upper, prices, better if self.sample is not None else None, before)
        self.started = True
        return found

    def _sampled(self, data: Data, lower: Reals, upper: Reals, prices: Reals | None) -> Reals:
        """Prices of the sample, whose bounds are shifted by its error in the step before, if there was one."""
        sample, index, labels = self.sample, self.index, self.labels
        assert sample is not None
        before, share = labels[index] if self.started else None, index.size / labels.size
        shift = np.zeros(self.k)
        if before is not None:
            shift = np.bincount(before, minlength=self.k) - share * self.whole.leads.sizes
        low, high = (np.clip(share * bound + shift, 0.0, index.size) for bound in (lower, upper))
        low, high = np.floor(low), np.ceil(high)
        if low.sum() > index.size or high.sum() < index.size:
            return np.zeros(self.k) if prices is None else prices
        found, searches = sample._solve((sample.whole.leads.rows, *data[1:]), low, high, prices, before)
        self.sample_helps = prices is None or searches > 0
        return found if prices is None or searches > 0 else prices


class Settled:
    """Points with their clusters at the scores of the step before.

    Parameters
    ----------
    rows, shells, k
        As of `Leads`.
    """

    def __init__(self, rows: NDArray[np.floating], shells: Shells, k: int) -> None:
        self.leads = Leads(kernel_rows(rows), shells, k)
        self.limit = 0.0  # in units of the bounds

    def solve(
        self,
        data: Data,
        lower: Reals,
        upper: Reals,
        prices: Reals,
        better: Callable[[Reals | None], Reals] | None = None,
        before: NDArray[np.uint8] | None = None,
    ) -> tuple[Reals, int]:
        """Prices of an optimal assignment, whose labels the leads then hold, and searches of the flow.

        Where the prices leave much to move, ``better(prices)`` is asked for others. With the labels of the step
        ``before`` (n,), these points are a sample: what such a sample leaves to move anyway is not moved.
        """
        leads, n, k = self.leads, len(self.leads.labels), lower.size
        longer, searches, more, least = np.ones((k, k)), 0, 1.0, 0.0
        much = SAMPLE_NOISE * n * np.sqrt(k / max(sample_size(n, k), k))
        for passes in range(MOST_PASSES):
            leads.refresh(data, prices, self.limit)
            nodes = nodes_at(prices, leads.sizes.astype(np.float64), lower, upper)
            excess, noise = total_excess(nodes), 0.0
            if before is not None:
                noise = SAMPLE_NOISE * np.sqrt(k * float(np.count_nonzero(leads.labels != before)))
            if excess <= noise:
                self.limit *= 1.0 if passes else UNUSED  # nothing was near enough to a wall to matter
                break
            if better is not None and excess > much:
                prices, better = better(prices), None
                continue
            wanted = more * min(CANDIDATES_PER_MOVE * excess, MOST_CANDIDATES * n)
            cutoff = self._cutoffs(data, prices, wanted, longer, least)
            points, near = self._near_walls(data, prices, cutoff)
            if more == 1.0 and near.reach * leads.unit > TIED:
                prices, exhausted, count = self._stepped(data, prices, lower, upper, points, near)
            else:
                pairs = near.labels[near.points] * k + near.clusters
                room = FEWEST_IN_HEAP + more * MOST_IN_HEAP * excess / k
                found = Candidates(near.points, pairs, near.keys, cutoff, room)
                prices, exhausted, count = self._moved(data, points, nodes, found)
            searches += count
            if exhausted is None:
                break
            left = total_excess(nodes_at(prices, leads.sizes.astype(np.float64), lower, upper))
            if more == 1.0 and near.keys.size < MOST_KEYS * n and passes < MOST_PASSES // 2:
                least = self.limit * (1.0 if left <= PROGRESS * excess else LONGER)
                continue
            longer[exhausted] *= CUTOFF_GROWTH
            more *= MORE_CANDIDATES
        else:
            raise NotOptimalError(
                f"candidates ran out in {MOST_PASSES} passes over the points: scale the data to finite scores"
            )
        nodes = nodes_at(prices, leads.sizes.astype(np.float64), lower, upper)
        return normalised_prices(prices, nodes, smallest_amount(None)), searches

    def _cutoffs(self, data: Data, prices: Reals, wanted: float, longer: Reals, least: float) -> Reals:
        """Cutoffs (k, k) below which about as many points lie as are ``wanted``, and no smaller than ``least``.

        They are larger for pairs whose candidates were exhausted before.
        """
        k, n = prices.size, len(self.leads.labels)
        bounds = self.leads.bounds[:: max(n // POINTS_FOR_LIMITS, 1)]
        rank = int(wanted * (bounds.size / n))
        self.limit = float(np.partition(bounds, rank)[rank]) if rank < bounds.size else np.inf
        if self.limit <= TIED:
            self.limit = float(bounds[bounds > TIED].min(initial=np.inf))
        self.limit = max(self.limit, least)
        cutoff = np.full((k, k), self.limit / self.leads.unit)
        if longer.max() > 1.0:
            few = min(POINTS_FOR_CUTOFFS, NUMBERS_AT_A_TIME // data[0].shape[1])
            some = subset(data, np.arange(0, n, max(n // max(few, 1), 1)))
            far = lengthened(smallest_keys(some, prices, CUTOFF_RANK), longer)
            cutoff = np.where(longer > 1.0, np.maximum(cutoff, far), cutoff)
        np.fill_diagonal(cutoff, -np.inf)
        return cutoff

    def _near_walls(self, data: Data, prices: Reals, cutoff: Reals) -> tuple[Integers, NearPoints]:
        """The points that have keys within the cutoffs, and these keys."""
        leads = self.leads
        reach = leads.rounded_up(cutoff.max(axis=1))
        index = np.flatnonzero(leads.bounds <= reach.max())
        if reach.min() < reach.max():
            index = index[leads.bounds[index] <= reach[leads.labels[index]]]
        points, near, margins = near_walls(data, prices, cutoff, index, leads)
        leads.bounds[index] = margins
        return points, near._replace(reach=min(self.limit / leads.unit, near.reach))

    def _stepped(
        self, data: Data, prices: Reals, lower: Reals, upper: Reals, points: Integers, near: NearPoints
    ) -> tuple[Reals, NDArray[np.bool_] | None, int]:
        """Newton's steps, and the flow for what they leave; the rest is as of `_moved`."""
        leads, k = self.leads, prices.size
        far, here, searches = leads.sizes - np.bincount(near.labels, minlength=k), prices, 0
        per_move, bound = CANDIDATES_PER_MOVE, np.zeros((k, k))
        np.fill_diagonal(bound, -np.inf)
        while True:
            ended = stepped(near, prices, here, far.astype(np.float64), lower, upper)
            changed = np.flatnonzero(ended.labels != leads.labels[points])
            leads.move(points[changed], ended.labels[changed])
            excess, searches = total_excess(ended.nodes), searches + 1
            if excess <= 0.0:
                return ended.prices, None, searches
            most = near.reach - float(np.ptp(ended.shift))  # other points have larger keys
            limit, rank = most, int(per_move * excess) + k
            if rank < ended.leads.size:
                nearest = float(np.partition(ended.leads, rank)[rank])
                limit = min(limit, nearest) if nearest * leads.unit > TIED else limit
            close = np.flatnonzero(ended.leads < limit)
            entries = entries_within(near, ended.shift, limit, ended.labels, close)
            found = Candidates(*entries, bound + limit, FEWEST_IN_HEAP + MOST_IN_HEAP * excess / k)
            here, exhausted, count = self._moved(data, points[close], ended.nodes, found)
            searches += count
            if exhausted is None or limit == most:
                return here, exhausted, searches
            per_move *= MORE_CANDIDATES

    def _moved(
        self, data: Data, points: Integers, nodes: Nodes, found: Candidates
    ) -> tuple[Reals, NDArray[np.bool_] | None, int]:
        """Prices after the flow on candidates, pairs that are exhausted, and the number of searches."""
        leads = self.leads
        few = COPIED * points.size <= leads.labels.size
        if few:
            data = subset(data, points)
        else:
            found = replace(found, points=points[found.points])
        labels = leads.labels[points] if few else leads.labels
        pieces = movable(whole_points(labels.astype(np.int64), np.empty(0), None), leads.k, split=False)
        exhausted, searches = flow_on_candidates(data, pieces, nodes, found)
        moved = pieces.moved[: pieces.counts[1]]
        leads.move(points[moved] if few else moved, pieces.labels[moved])
        return nodes.prices[:-1] - nodes.prices[-1], exhausted, searches
