"""What every method of the search for a global optimum is given, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.objectives.bound import Bound
from ...models.objectives.interval import objective_interval
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from .branch_and_bound import exhaustive_search
from .columns import HIGHEST
from .incumbent import clustering_of
from .sdp import time_for_bounds

SMALL = 100  # points up to which branch and bound over assignments is tried first
TRIALS = {"csa": 20_000_000, "lsa": 2_000_000}  # its budget, beyond 20 points

Progress = Callable[[float, float], None]


@dataclass(frozen=True, eq=False)
class GlobalProblem:
    """What every method needs to know."""

    X: NDArray[np.float64]
    polytope: PartitionPolytope
    objective: Literal["csa", "lsa"]
    gap: float
    links: Links | None
    deadline: Deadline
    n_jobs: int
    progress: Progress | None

    def value(self, labels: NDArray[np.int64]) -> float:
        """The end of the interval around a clustering's objective that is the worse one: it is reached for certain."""
        lower, upper = objective_interval(self.X, labels, self.objective, self.polytope.weights)
        return lower if self.objective == "csa" else upper

    def allows(self, labels: NDArray[np.int64]) -> bool:
        """Whether a clustering is within bounds and links."""
        return self.polytope.contains(labels) and (self.links is None or self.links.satisfied(labels))

    def bound(self, labels: NDArray[np.int64], limit: float, proof: str) -> Bound:
        """The interval between a clustering's value and what no clustering can be better than."""
        value = self.value(labels)
        if self.objective == "csa":
            return Bound(value, max(value, float(limit)), proof)
        return Bound(min(value, float(limit)), value, proof)

    @property
    def plain(self) -> bool:
        """Whether all points have weight one and no links."""
        return self.polytope.weights is None and self.links is None

    def leaf(self, links: Links) -> NDArray[np.int64] | None:
        """The one clustering whose clusters are what must-links put together, None when the bounds exclude it."""
        return clustering_of(np.maximum(LeastSquaresSDP(self.X, self.polytope, links).blocks, 0), self.polytope)

    @cached_property
    def too_large(self) -> bool:
        """Whether one relaxation of all points is too much, in itself or for the time left, or parts get further."""
        n, d = self.X.shape
        # a bound by large parts is then better than that of one relaxation after the same time
        if n > 1200 and d > HIGHEST and self.links is None and self.deadline.seconds is not None:
            return True
        # beyond 2500 points an (n, n) relaxation is too slow; and it must have time for ten bounds
        return n > 2500 or not time_for_bounds(LeastSquaresSDP(self.X, self.polytope), self.deadline, 10)

    @property
    def max_nodes(self) -> int:
        """Nodes of a tree at most."""
        return 500 if self.deadline.seconds is None else 1_000_000  # a tree without a time limit ends here


@dataclass(frozen=True, eq=False)
class Answer:
    """The best clustering found, the bound on the optimum, what proves it, and both over time; where the proof knows no
    lower bounds on sizes, the value of the best clustering without them, which it cannot pass."""

    labels: NDArray[np.int64]
    limit: float
    proof: str
    history: dict[str, NDArray[np.float64]] | None = None
    unbounded: float | None = None


def exhaustive(
    problem: GlobalProblem, X: NDArray[np.float64], labels: NDArray[np.int64]
) -> tuple[NDArray[np.int64], bool]:
    """The best clustering of points X by branch and bound over assignments, and whether its budget sufficed."""
    polytope, objective = problem.polytope, problem.objective
    budget = 20_000_000 if len(X) <= 20 else TRIALS[objective]
    bounds, weights = (polytope.lower, polytope.upper), polytope.weights
    return exhaustive_search(X, *bounds, objective, labels, budget, problem.deadline, weights, polytope.slack)
