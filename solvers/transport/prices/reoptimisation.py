"""Warm-started re-optimisation: the same points assigned at one set of scores after another, as in an alternation.

What a step learns serves the next one: its prices, and every point's cluster with a bound on its margin
(`margin_bounds`). So a pass evaluates only points that the bound does not decide, and the flow only the few that are
near-degenerate:

    1. All points at the prices of the step before, where their bounds do not decide. Where these leave twice as much
       to move as optimal prices of a sample would (`first_prices`), the same at the prices of the sample.
    2. The points whose margin is at most a radius, some times as many as have to move, are the candidates of the flow
       (`near_degenerate`). Every other point of cluster i costs at least mu_i - mu_j + radius to move. Where a shortest
       path would use this bound, the step goes on from the new prices with a radius twice as large.
    3. After MOST_ROUNDS, or where a radius is useless, as among ties, the engine takes over at these prices.

So the step ends, and its answer is optimal for all points (`shortest_paths`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Integers, Reals
from ..flow.blocks import flow_on_candidates
from ..flow.nodes import Nodes, nodes_at, normalised_prices, smallest_amount, total_excess
from ..flow.pieces import movable, whole_points
from ..passes.candidates import Candidates
from ..passes.rows import FEW, Data, kernel_rows, subset
from ..program import Program
from .first_prices import solve_flow, worthwhile_sample
from .margin_bounds import MarginBounds, Norms
from .near_degenerate import near_degenerate_points

LEAST_WORK = 1 << 22  # With fewer products n k d a step is over before bounds pay.
MOST_CLUSTERS = 256  # With more, tables of k x k numbers cost more than bounds on margins save.
CANDIDATES_PER_MOVE = 12.0  # Points within the radius per point that has to move: fewer need more rounds.
MOST_ROUNDS = 6  # Rounds with larger radii before the engine takes over.
TIED = 1e-6  # Margins up to this, in the units of the bounds, are ties: a radius among them would be no radius.


class Step(NamedTuple):
    """An optimal assignment: labels (n,), prices (k,), and searches of the flow."""

    labels: NDArray  # Labels of one or two bytes each.
    prices: Reals
    searches: int


class Reoptimisation:
    """The points (n, d) of one alternation in k clusters, their ``norms`` about the origin of the scores, and what is
    carried from step to step."""

    def __init__(self, rows: NDArray[np.floating], norms: Norms, k: int) -> None:
        self.known = MarginBounds(kernel_rows(rows), norms, k)
        self.radius = 0.0  # in units of the bounds

    @property
    def labels(self) -> NDArray[np.unsignedinteger]:
        """Clusters (n,) after the last step; the next one changes them."""
        return self.known.labels

    @staticmethod
    def pays(n: int, d: int, k: int) -> bool:
        """Whether steps on n points in d dimensions are worth bounds on margins."""
        return 2 <= k <= MOST_CLUSTERS and n * k * d >= LEAST_WORK

    def best(self, data: Data, prices: Reals) -> NDArray[np.unsignedinteger]:
        """The best cluster (n,) of every point at some prices, whatever sizes that gives."""
        self.known.refresh(data, prices, self.radius)
        return self.labels.copy()

    def step(self, data: Data, lower: Reals, upper: Reals, prices: Reals | None) -> Step:
        """An optimal assignment for linear scores within bounds, from prices near the optimal ones if there are any."""
        if prices is None:
            prices, searches = self._by_engine(data, lower, upper, None)
            return Step(self.labels.copy(), prices, searches)
        known, searches, least, ended = self.known, 0, 0.0, False
        program = Program(data, lower, upper)
        for round_ in range(MOST_ROUNDS + 1):
            known.refresh(data, prices, self.radius)
            nodes = self._nodes(prices, lower, upper)
            excess = total_excess(nodes)
            if excess <= 0.0:  # in the first round: nothing was near enough to a boundary to matter
                self.radius /= 1.0 if round_ else 2.0
                break
            if not round_ and (sample := worthwhile_sample(program, nodes)) is not None:  # after inexact steps
                prices = solve_flow(sample, prices).prices
                continue
            self.radius = max(self._radius(CANDIDATES_PER_MOVE * excess), least)
            points, found = self._near(data, prices)
            if found is None or round_ == MOST_ROUNDS:
                prices, count = self._by_engine(data, lower, upper, prices)
                self.radius = 0.0 if np.isinf(self.radius) else self.radius
                searches, ended = searches + count, True
                break
            prices, ended, count = self._moved(data, points, nodes, found)
            searches += count
            if ended:
                break
            least = 2.0 * self.radius
        nodes = self._nodes(prices, lower, upper)
        if ended:  # the sizes are right, and say more than the sign of a price that is zero but for rounding
            nodes = nodes._replace(required_size=known.sizes.astype(np.float64))
        return Step(self.labels.copy(), normalised_prices(prices, nodes, smallest_amount(None)), searches)

    def _nodes(self, prices: Reals, lower: Reals, upper: Reals) -> Nodes:
        return nodes_at(prices, self.known.sizes.astype(np.float64), lower, upper)

    def _by_engine(self, data: Data, lower: Reals, upper: Reals, prices: Reals | None) -> tuple[Reals, int]:
        """Prices and searches of the engine, which fetches candidates of single clusters where they run out."""
        flow, known = solve_flow(Program(data, lower, upper), prices), self.known
        if prices is None:  # the first step: bounds at the prices that were found
            known.refresh(data, flow.prices, 0.0)
        moved = np.flatnonzero(flow.pieces.labels != known.labels)
        known.move(moved, flow.pieces.labels[moved])
        return flow.prices, flow.searches

    def _radius(self, wanted: float) -> float:
        """Up to which about as many margins are as points are ``wanted``, in units of the bounds."""
        n = len(self.known.labels)
        bounds = self.known.bounds[:: max(n // (8 * FEW), 1)]
        rank = int(wanted * (bounds.size / n))
        radius = float(np.partition(bounds, rank)[rank]) if rank < bounds.size else np.inf
        return radius if radius > TIED else float(bounds[bounds > TIED].min(initial=np.inf))

    def _near(self, data: Data, prices: Reals) -> tuple[Integers, Candidates | None]:
        """The near-degenerate points and their candidates; None where they are too many, all points, or ties alone."""
        known, radius = self.known, self.radius / self.known.unit
        index = np.flatnonzero(known.bounds <= known.rounded_up(np.array(radius)))
        if not index.size or np.isinf(radius):
            return index, None
        points, found, margins = near_degenerate_points(data, prices, radius, index, known)
        known.bounds[index] = margins
        tied = found is not None and float(found.keys.max(initial=0.0)) * known.unit <= TIED
        return points, None if tied else found

    def _moved(self, data: Data, points: Integers, nodes: Nodes, found: Candidates) -> tuple[Reals, bool, int]:
        """Prices after the flow on candidates, whether these were enough, and the number of searches."""
        known, some = self.known, subset(data, points)
        pieces = movable(whole_points(known.labels[points].astype(np.int64), None), known.k, split=False)
        exhausted, searches = flow_on_candidates(some, pieces, nodes, found)
        moved = pieces.moved[: pieces.counts[1]]
        known.move(points[moved], pieces.labels[moved])
        return nodes.prices[:-1] - nodes.prices[-1], exhausted is None, searches
