"""The same points assigned at one set of scores after another, as the steps of an alternation do.

What a step learns serves the next one: its prices, and every point's cluster with a bound on its lead (`leads`). So a
pass looks only at points that may have changed, and the flow at the few that are near a wall:

    1. Prices. The step before left the size of every cluster in all points and in a sample. Their difference is an
       error of the sample that it keeps as long as few points change; the sample's bounds are shifted by it before the
       sample is solved at the new scores. A sample is solved as far as it says something about all points; where its
       prices have to move far, those of a smooth dual come first (`soft_prices`).
    2. All points at these prices, where their bounds do not settle it.
    3. The points whose lead is at most a limit T, some times as many as have to move, are candidates for
       every cluster over which they lead by less. The flow runs on them alone. Every other point of cluster i costs at
       least mu_i - mu_j + T to move; where a path would use this bound, the step goes on from the new prices with a
       larger limit, and where most points would be within it, the engine takes over at these prices. So the answer is
       optimal for all points (`flow`, `blocks`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Integers, Reals
from .blocks import flow_on_candidates
from .candidates import Candidates
from .engine import solve_flow
from .first_prices import draw_sample, sample_size
from .leads import Leads
from .near_walls import NearPoints, near_walls
from .nodes import Nodes, nodes_at, normalised_prices, smallest_amount, total_excess
from .pieces import movable, whole_points
from .price_steps import entries_within, stepped
from .rows import Data, kernel_rows, subset
from .shells import Shells
from .soft_prices import soft_prices

LEAST_WORK = 1 << 22  # products n k d below which a step is over before bounds pay
MOST_CLUSTERS = 400  # with more, tables of k x k numbers cost more than bounds on leads save,
FEW_CLUSTERS = 256  # and with more than these also where they have few points:
POINTS_PER_CLUSTER = 128  # as many have to be in one in the mean
CANDIDATES_PER_MOVE = 24.0  # points within the limits, for each that has to move
MORE_CANDIDATES = 4.0  # factor on them where they did not do
MOST_CANDIDATES = 0.4  # share of the points within the limits at first
FEWEST_IN_HEAP = 64.0  # room for the candidates of a pair of clusters,
MOST_IN_HEAP = 8.0  # and more, in units of what has to move in the mean of all clusters
MOST_ROUNDS = 6  # with larger limits, after which the engine takes over, too
MOST_KEYS = 0.75  # keys of near points, for every point, beyond which the engine takes over
COPIED = 8  # points of the program for one that is copied for the flow, at least; of more, none are
PROGRESS = 0.3  # factor on the excess of a pass after which the next one has the same limit
LONGER = 2.0  # factor on the limit otherwise
UNUSED = 0.5  # factor on the limit for the next step after one in which nothing had to move
TIED = 1e-6  # leads up to this, in the units of the bounds, are ties: a limit among them would be no limit
POINTS_FOR_LIMITS = 1 << 14  # points whose leads choose the limits
MOST_SOFT = 1 << 21  # scores up to which a sample may take soft prices,
SOFT_SHARE = 0.12  # where more of its points than this have to move, or the engine would have to take over,
SOFT_NOISE = 0.25  # until no more have to move than this in units of sqrt(k m), for m points
SAMPLE_NOISE = 0.5  # excess that the sample's error means when m of its points changed, in units of sqrt(k m) points


class Step(NamedTuple):
    """An optimal assignment: labels (n,), prices (k,), and searches of the flow."""

    labels: NDArray[Any]  # of one byte or two
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
    def labels(self) -> NDArray[np.unsignedinteger]:
        """Clusters (n,) after the last step; the next one changes them."""
        return self.whole.leads.labels

    @staticmethod
    def pays(n: int, d: int, k: int) -> bool:
        """Whether steps on n points in d dimensions are worth bounds on leads."""
        many = k <= FEW_CLUSTERS or n >= POINTS_PER_CLUSTER * k
        return 2 <= k <= MOST_CLUSTERS and many and n * k * d >= LEAST_WORK

    def settle(self, data: Data, prices: Reals) -> NDArray[np.uint8]:
        """The best cluster (n,) of every point at some prices, whatever sizes that gives."""
        self.whole.leads.refresh(data, prices, self.whole.limit)
        self.started = True
        return self.labels.copy()

    def step(self, data: Data, lower: Reals, upper: Reals, prices: Reals | None) -> Step:
        """An optimal assignment for linear scores within bounds, from prices near the optimal ones if there are any."""
        if prices is not None and self.sample is not None and self.sample_helps:
            prices = self._sampled(data, lower, upper, prices)
        prices, searches = self._solve(data, lower, upper, prices)
        return Step(self.labels.copy(), prices, searches)

    def _solve(
        self,
        data: Data,
        lower: Reals,
        upper: Reals,
        prices: Reals | None,
        before: NDArray[np.unsignedinteger] | None = None,
    ) -> tuple[Reals, int]:
        """`Settled.solve`, from prices of the sample where there are none, or these leave much to move."""
        better = None if self.sample is None else partial(self._sampled, data, lower, upper)
        exact = None if better is None or self.started else partial(better, exact=True)
        if prices is None:
            prices, better = np.zeros(self.k) if better is None else better(None), None
        found = self.whole.solve(data, lower, upper, prices, better, exact, before)
        self.started = True
        return found

    def _sampled(self, data: Data, lower: Reals, upper: Reals, prices: Reals | None, exact: bool = False) -> Reals:
        """Prices of the sample, whose bounds are shifted by its error in the step before, if there was one.

        Where they are to be ``exact``, it is solved to its end, and the error is that at the present labels.
        """
        sample, index, labels = self.sample, self.index, self.labels
        assert sample is not None
        before, share = labels[index], index.size / labels.size
        shift = np.zeros(self.k)
        if self.started or exact:
            shift = np.bincount(before, minlength=self.k) - share * self.whole.leads.sizes
        low, high = (np.clip(share * bound + shift, 0.0, index.size) for bound in (lower, upper))
        low, high = np.floor(low), np.ceil(high)
        if low.sum() > index.size or high.sum() < index.size:
            return np.zeros(self.k) if prices is None else prices
        some = (sample.whole.leads.rows, *data[1:])
        found, searches = sample._solve(some, low, high, prices, None if exact else before)
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
        exact: Callable[[Reals | None], Reals] | None = None,
        before: NDArray[np.unsignedinteger] | None = None,
    ) -> tuple[Reals, int]:
        """Prices of an optimal assignment, whose labels the leads then hold, and searches of the flow.

        Where the prices leave much to move, ``better(prices)`` is asked for others, or few points take soft prices.
        Where points would have to move far, ``exact(prices)`` is asked before the engine takes over: what a few prices
        have to move costs least on a sample.
        With the labels of the step ``before`` (n,), these points are a sample: what such a sample leaves to move anyway
        is not moved.
        """
        leads, n, k, searches = self.leads, len(self.leads.labels), lower.size, 0
        much = SAMPLE_NOISE * n * np.sqrt(k / max(sample_size(n, k), k))
        soft = n * k <= MOST_SOFT and (before is not None or not sample_size(n, k))
        enough = SOFT_NOISE * float(np.sqrt(n * k))  # to move: the error of a sample of as many points
        rounds, least, ended = 0, 0.0, False
        while True:
            leads.refresh(data, prices, self.limit)
            excess, noise = total_excess(nodes_at(prices, leads.sizes.astype(np.float64), lower, upper)), 0.0
            if before is not None:
                noise = SAMPLE_NOISE * np.sqrt(k * float(np.count_nonzero(leads.labels != before)))
            if excess <= noise:
                self.limit *= 1.0 if rounds else UNUSED  # nothing was near enough to a wall to matter
                break
            if better is not None and excess > much:
                prices, better = better(prices), None
                continue
            if soft and excess > SOFT_SHARE * n:
                prices, soft, searches = soft_prices(data, lower, upper, prices, enough), False, searches + 1
                continue
            rounds += 1
            self.limit = max(self._limit(min(CANDIDATES_PER_MOVE * excess, MOST_CANDIDATES * n)), least)
            points, near = self._near_walls(data, prices)
            helps = near.reach * leads.unit > TIED
            if helps:
                prices, ended, count = self._stepped(data, prices, lower, upper, points, near)
                searches += count
                if ended:
                    break
            left = total_excess(nodes_at(prices, leads.sizes.astype(np.float64), lower, upper))
            if not helps or rounds == MOST_ROUNDS or near.keys.size > MOST_KEYS * n:
                if soft and left > enough:
                    prices, soft, searches = soft_prices(data, lower, upper, prices, enough), False, searches + 1
                    continue
                if exact is not None:
                    prices, exact, rounds, least = exact(prices), None, 0, 0.0
                    continue
                prices, count = self._by_engine(data, lower, upper, prices)
                searches, ended = searches + count, True
                break
            least = self.limit * (1.0 if left <= PROGRESS * excess else LONGER)
        sizes = leads.sizes.astype(np.float64)
        nodes = nodes_at(prices, sizes, lower, upper)
        if ended:  # the sizes are right, and say more than the sign of a price that is zero but for rounding
            nodes = nodes._replace(required_size=sizes)
        return normalised_prices(prices, nodes, smallest_amount(None)), searches

    def _by_engine(self, data: Data, lower: Reals, upper: Reals, prices: Reals) -> tuple[Reals, int]:
        """Prices and searches of the engine, which fetches candidates of single pairs where they run out."""
        flow, leads = solve_flow(data, lower, upper, None, prices), self.leads
        moved = np.flatnonzero(flow.pieces.labels != leads.labels)
        leads.move(moved, flow.pieces.labels[moved])
        return flow.prices, flow.searches

    def _limit(self, wanted: float) -> float:
        """Up to which about as many leads are as points are ``wanted``, in units of the bounds."""
        n = len(self.leads.labels)
        bounds = self.leads.bounds[:: max(n // POINTS_FOR_LIMITS, 1)]
        rank = int(wanted * (bounds.size / n))
        limit = float(np.partition(bounds, rank)[rank]) if rank < bounds.size else np.inf
        return limit if limit > TIED else float(bounds[bounds > TIED].min(initial=np.inf))

    def _near_walls(self, data: Data, prices: Reals) -> tuple[Integers, NearPoints]:
        """The points that have keys within the limit, and these keys."""
        leads, limit = self.leads, self.limit / self.leads.unit
        index = np.flatnonzero(leads.bounds <= leads.rounded_up(np.array(limit)))
        points, near, margins = near_walls(data, prices, limit, index, leads)
        leads.bounds[index] = margins
        return points, near._replace(reach=min(limit, near.reach))

    def _stepped(
        self, data: Data, prices: Reals, lower: Reals, upper: Reals, points: Integers, near: NearPoints
    ) -> tuple[Reals, bool, int]:
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
                return ended.prices, True, searches
            most = near.reach - float(np.ptp(ended.shift))  # other points have larger keys
            limit, rank = most, int(per_move * excess) + k
            if rank < ended.leads.size:
                nearest = float(np.partition(ended.leads, rank)[rank])
                limit = min(limit, nearest) if nearest * leads.unit > TIED else limit
            close = np.flatnonzero(ended.leads < limit)
            entries = entries_within(near, ended.shift, limit, ended.labels, close)
            found = Candidates(*entries, bound + limit, FEWEST_IN_HEAP + MOST_IN_HEAP * excess / k)
            here, done, count = self._moved(data, points[close], ended.nodes, found)
            searches += count
            if done or limit == most:
                return here, done, searches
            per_move *= MORE_CANDIDATES

    def _moved(self, data: Data, points: Integers, nodes: Nodes, found: Candidates) -> tuple[Reals, bool, int]:
        """Prices after the flow on candidates, whether these were enough, and the number of searches."""
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
        return nodes.prices[:-1] - nodes.prices[-1], exhausted is None, searches
