"""What every method of the search for a global optimum is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.objectives.interval import ROUNDOFF, centred, objective_interval, reach
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from .incumbent import clustering_of
from .low_dimension.columns import HIGHEST
from .sdp import too_large

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

    @property
    def sign(self) -> float:
        """1 where the objective is minimised, -1 where it is maximised."""
        return 1.0 if self.objective == "lsa" else -1.0

    @cached_property
    def centred(self) -> tuple[NDArray[np.float64], float]:
        """The points about their mean, times their weights, and at most the sum of what these are off by."""
        return centred(self.X, self.polytope.weights)

    @property
    def trivial(self) -> float:
        """What no clustering is better than: 0, or by the triangle inequality."""
        if self.objective == "lsa":
            return 0.0
        Y, slack = self.centred
        return (reach(Y) + slack) * (1.0 + 8.0 * ROUNDOFF)

    @property
    def plain(self) -> bool:
        """Whether all points have weight one and no links."""
        return self.polytope.weights is None and self.links is None

    def leaf(self, links: Links) -> NDArray[np.int64] | None:
        """The one clustering whose clusters are what must-links put together, None when the bounds exclude it."""
        return clustering_of(np.maximum(LeastSquaresSDP(self.X, self.polytope, links).blocks, 0), self.polytope)

    @cached_property
    def relaxation(self) -> LeastSquaresSDP:
        """The semidefinite relaxation of least squares, of all points."""
        return LeastSquaresSDP(self.X, self.polytope, self.links)

    @cached_property
    def too_large(self) -> bool:
        """Whether one relaxation of all points is too much, in itself or for the time left, or parts get further."""
        n, d = self.X.shape
        # a bound by large parts is then better than that of one relaxation after the same time
        if n > 1200 and d > HIGHEST and self.links is None and self.deadline.seconds is not None:
            return True
        return too_large(self.relaxation, self.deadline)

    @property
    def max_nodes(self) -> int:
        """Nodes of a tree at most."""
        return 500 if self.deadline.seconds is None else 1_000_000  # a tree without a time limit ends here
