"""Warm-started re-optimisation: the same points assigned at one set of scores after another, as in an alternation.

What a step learns serves the next one: its prices, and every point's cluster with a bound on its margin
(`margin_bounds`). So a pass looks only at points that the bound does not decide, and the flow at the few that are near
a wall:

    1. Prices. Those of the step before, or, where these leave much to move, those of a sample. The step before left the
       size of every cluster in all points and in the sample. Their difference is an error of the sample that it keeps
       as long as few points change; the sample's bounds are shifted by it. The sample is re-optimised in the same way,
       from a sample of its own, as far as it says something about all points.
    2. All points at these prices, where their bounds do not decide.
    3. The points whose margin is at most a radius T, some times as many as have to move, are near-degenerate. Newton's
       method on these alone moves the prices (`wall_newton`), and the flow runs on them for what is left. Every other
       point of cluster i costs at least mu_i - mu_j + T less the spread of the prices to move; where a path would use
       this bound, the step goes on from the new prices with a larger radius, and where most points would be within it,
       or after MOST_ROUNDS, the engine takes over at these prices. So the step ends, and its answer is optimal for all
       points (`shortest_paths`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Integers, Reals
from ..engine import solve_flow
from ..flow.blocks import flow_on_candidates
from ..flow.nodes import Nodes, nodes_at, normalised_prices, smallest_amount, total_excess
from ..flow.pieces import movable, whole_points
from ..passes.candidates import Candidates
from ..passes.rows import Data, kernel_rows, subset
from .first_prices import SAMPLE_NOISE, draw_sample, sample_size
from .margin_bounds import MarginBounds, Norms
from .near_degenerate import NearDegenerate, near_degenerate_points
from .wall_newton import entries_within, newton_steps

LEAST_WORK = 1 << 22  # With fewer products n k d a step is over before bounds pay.
MOST_CLUSTERS = 256  # With more, tables of k x k numbers cost more than bounds on margins save.
CANDIDATES_PER_MOVE = 24.0  # So many points are within the radius for each that has to move: fewer need more rounds.
MORE_CANDIDATES = 4.0  # This is the factor on them where they did not do.
MOST_CANDIDATES = 0.4  # At most this share of the points is within the first radius: with more, the engine costs less.
MOST_ROUNDS = 6  # After so many rounds with larger radii the engine takes over.
MOST_KEYS = 0.75  # With more keys of near-degenerate points for every point the engine takes over.
LARGER = 2.0  # This is the factor on the radius after a round that did not end; a step without moves divides by it.
TIED = 1e-6  # Margins up to this, in the units of the bounds, are ties: a radius among them would be no radius.
POINTS_FOR_RADIUS = 1 << 14  # The margins of so many points choose the radius: all of them take longer to sort.

Other = Callable[[Reals | None], Reals]
"""Gives prices from others."""


class Step(NamedTuple):
    """An optimal assignment: labels (n,), prices (k,), and searches of the flow."""

    labels: NDArray[Any]  # of one byte or two
    prices: Reals
    searches: int


class Reoptimisation:
    """The points of one alternation, with what is carried from step to step.

    Parameters
    ----------
    rows : (n, d) ndarray
        Points.
    norms : Norms
        Of the same points, about the origin of the scores.
    k : int
        Clusters.
    """

    def __init__(self, rows: NDArray[np.floating], norms: Norms, k: int) -> None:
        n, self.k = len(rows), k
        self.whole = DecidedPoints(rows, norms, k)
        self.started = False
        self.sample: Reoptimisation | None = None
        m = sample_size(n, k)
        self.index = draw_sample(n, m, None)[0] if m else np.empty(0, np.int64)
        if m:
            self.sample = Reoptimisation(np.take(rows, self.index, axis=0), norms.again(self.index), k)

    @property
    def labels(self) -> NDArray[np.unsignedinteger]:
        """Clusters (n,) after the last step; the next one changes them."""
        return self.whole.known.labels

    @staticmethod
    def pays(n: int, d: int, k: int) -> bool:
        """Whether steps on n points in d dimensions are worth bounds on margins."""
        return 2 <= k <= MOST_CLUSTERS and n * k * d >= LEAST_WORK

    def settle(self, data: Data, prices: Reals) -> NDArray[np.uint8]:
        """The best cluster (n,) of every point at some prices, whatever sizes that gives."""
        self.whole.known.refresh(data, prices, self.whole.radius)
        self.started = True
        return self.labels.copy()

    def step(self, data: Data, lower: Reals, upper: Reals, prices: Reals | None) -> Step:
        """An optimal assignment for linear scores within bounds, from prices near the optimal ones if there are any."""
        if prices is not None and self.sample is not None:
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
        """`DecidedPoints.solve`, from prices of the sample where there are none, or these leave much to move."""
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
            shift = np.bincount(before, minlength=self.k) - share * self.whole.known.sizes
        low, high = (np.clip(share * bound + shift, 0.0, index.size) for bound in (lower, upper))
        low, high = np.floor(low), np.ceil(high)
        if low.sum() > index.size or high.sum() < index.size:
            return np.zeros(self.k) if prices is None else prices
        some = (sample.whole.known.rows, *data[1:])
        found, searches = sample._solve(some, low, high, prices, None if exact else before)
        return found if prices is None or searches > 0 else prices


class DecidedPoints:
    """Points with their clusters at the scores of the step before, most of which their bounds decide.

    Parameters
    ----------
    rows, norms, k
        As of `MarginBounds`.
    """

    def __init__(self, rows: NDArray[np.floating], norms: Norms, k: int) -> None:
        self.known = MarginBounds(kernel_rows(rows), norms, k)
        self.radius = 0.0  # in units of the bounds

    def solve(
        self,
        data: Data,
        lower: Reals,
        upper: Reals,
        prices: Reals,
        better: Other | None = None,
        exact: Other | None = None,
        before: NDArray[np.unsignedinteger] | None = None,
    ) -> tuple[Reals, int]:
        """Prices of an optimal assignment, whose labels are then known, and searches of the flow.

        Where the prices leave much to move, ``better(prices)`` is asked for others. Where points would have to move
        far, ``exact(prices)`` is asked before the engine takes over: what a few prices have to move costs least on a
        sample. With the labels of the step ``before`` (n,), these points are a sample: what such a sample leaves to
        move anyway is not moved.
        """
        known, n, k, searches = self.known, len(self.known.labels), lower.size, 0
        much = SAMPLE_NOISE * n * np.sqrt(k / max(sample_size(n, k), k))
        rounds, least, ended = 0, 0.0, False
        while True:
            known.refresh(data, prices, self.radius)
            excess, noise = total_excess(self._nodes(prices, lower, upper)), 0.0
            if before is not None:
                noise = SAMPLE_NOISE * np.sqrt(k * float(np.count_nonzero(known.labels != before)))
            if excess <= noise:
                self.radius /= 1.0 if rounds else LARGER  # nothing was near enough to a wall to matter
                break
            if better is not None and excess > much:
                prices, better = better(prices), None
                continue
            rounds += 1
            self.radius = max(self._radius(min(CANDIDATES_PER_MOVE * excess, MOST_CANDIDATES * n)), least)
            points, near = self._near(data, prices)
            helps = near.radius * known.unit > TIED
            if helps:
                prices, ended, count = self._moved_within(data, prices, lower, upper, points, near)
                searches += count
                if ended:
                    break
            if not helps or rounds == MOST_ROUNDS or near.keys.size > MOST_KEYS * n:
                if exact is not None:
                    prices, exact, rounds, least = exact(prices), None, 0, 0.0
                    continue
                prices, count = self._by_engine(data, lower, upper, prices)
                searches, ended = searches + count, True
                break
            least = self.radius * LARGER
        nodes = self._nodes(prices, lower, upper)
        if ended:  # the sizes are right, and say more than the sign of a price that is zero but for rounding
            nodes = nodes._replace(required_size=known.sizes.astype(np.float64))
        return normalised_prices(prices, nodes, smallest_amount(None)), searches

    def _nodes(self, prices: Reals, lower: Reals, upper: Reals) -> Nodes:
        return nodes_at(prices, self.known.sizes.astype(np.float64), lower, upper)

    def _by_engine(self, data: Data, lower: Reals, upper: Reals, prices: Reals) -> tuple[Reals, int]:
        """Prices and searches of the engine, which fetches candidates of single clusters where they run out."""
        flow, known = solve_flow(data, lower, upper, None, prices), self.known
        moved = np.flatnonzero(flow.pieces.labels != known.labels)
        known.move(moved, flow.pieces.labels[moved])
        return flow.prices, flow.searches

    def _radius(self, wanted: float) -> float:
        """Up to which about as many margins are as points are ``wanted``, in units of the bounds."""
        n = len(self.known.labels)
        bounds = self.known.bounds[:: max(n // POINTS_FOR_RADIUS, 1)]
        rank = int(wanted * (bounds.size / n))
        radius = float(np.partition(bounds, rank)[rank]) if rank < bounds.size else np.inf
        return radius if radius > TIED else float(bounds[bounds > TIED].min(initial=np.inf))

    def _near(self, data: Data, prices: Reals) -> tuple[Integers, NearDegenerate]:
        """The points that have keys within the radius, and these keys."""
        known, radius = self.known, self.radius / self.known.unit
        index = np.flatnonzero(known.bounds <= known.rounded_up(np.array(radius)))
        points, near, margins = near_degenerate_points(data, prices, radius, index, known)
        known.bounds[index] = margins
        return points, near._replace(radius=min(radius, near.radius))

    def _moved_within(
        self, data: Data, prices: Reals, lower: Reals, upper: Reals, points: Integers, near: NearDegenerate
    ) -> tuple[Reals, bool, int]:
        """Newton's steps, and the flow for what they leave; the rest is as of `_moved`."""
        known, k = self.known, prices.size
        far, here, searches = known.sizes - np.bincount(near.labels, minlength=k), prices, 0
        per_move = CANDIDATES_PER_MOVE
        while True:
            ended = newton_steps(near, prices, here, far.astype(np.float64), lower, upper)
            changed = np.flatnonzero(ended.labels != known.labels[points])
            known.move(points[changed], ended.labels[changed])
            excess, searches = total_excess(ended.nodes), searches + 1
            if excess <= 0.0:
                return ended.prices, True, searches
            most = near.radius - float(np.ptp(ended.shift))  # other points have larger keys
            limit, rank = most, int(per_move * excess) + k
            if rank < ended.leads.size:
                nearest = float(np.partition(ended.leads, rank)[rank])
                limit = min(limit, nearest) if nearest * known.unit > TIED else limit
            close = np.flatnonzero(ended.leads < limit)
            entries = entries_within(near, ended.shift, limit, ended.labels, close)
            found = Candidates(*entries, np.full(k, limit), np.inf)
            here, done, count = self._moved(data, points[close], ended.nodes, found)
            searches += count
            if done or limit == most:
                return here, done, searches
            per_move *= MORE_CANDIDATES

    def _moved(self, data: Data, points: Integers, nodes: Nodes, found: Candidates) -> tuple[Reals, bool, int]:
        """Prices after the flow on candidates, whether these were enough, and the number of searches."""
        known, some = self.known, subset(data, points)
        pieces = movable(whole_points(known.labels[points].astype(np.int64), np.empty(0), None), known.k, split=False)
        exhausted, searches = flow_on_candidates(some, pieces, nodes, found)
        moved = pieces.moved[: pieces.counts[1]]
        known.move(points[moved], pieces.labels[moved])
        return nodes.prices[:-1] - nodes.prices[-1], exhausted is None, searches
