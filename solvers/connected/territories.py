"""The best territories so far and the bound on all others, which enumeration, local search and the tree share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ..graphs.cluster_bounds import ClusterBounds
from ..graphs.local_search import searched
from .enumeration import graph_of
from .objectives import Medoids, Squares


class Territories:
    """What is known of a program: the best clustering, and the bound."""

    def __init__(self, program: Medoids | Squares, deadline: Deadline) -> None:
        self.program, self.polytope, self.deadline = program, program.polytope, deadline
        self.bounds = ClusterBounds.of(self.polytope)
        self.labels: NDArray[np.int64] | None = None
        self.value, self.bound, self.proof = np.inf, -np.inf, ""
        self.unconnected = np.inf  # what the cheapest start costs, which need not be connected
        self.history: list[float] = []

    def search(
        self, labels: NDArray[np.int64], rng: np.random.Generator, deadline: Deadline, heat: float = 1.0
    ) -> None:
        """Local search from labels (n,), connected or not, from a part of the usual first temperature."""
        labels = self.bounds.matched(labels)
        found = searched(
            self._resited(labels)[1], graph_of(self.polytope), self.bounds, labels, rng, deadline,
            cuts=self.program.cuts, resite=self._resited, heat=heat,
        )  # fmt: skip
        if found is not None:
            self.take(found)

    def _resited(self, labels: NDArray[np.int64]) -> tuple[float, NDArray[np.float64]]:
        """What a clustering (n,) costs, and costs (n, k) at its sites, infinite where a point may not be."""
        value, costs = self.program.resited(labels)
        return value, np.where(self.bounds.allowed, costs, np.inf)

    def take(self, labels: NDArray[np.int64]) -> bool:
        """Keep a clustering (n,) that is within all bounds and better; whether it is."""
        if not self.polytope.contains(labels) or not (value := self.program.resited(labels)[0]) < self.value:
            return False
        self.labels, self.value = labels, value
        self.history.append(value)
        return True

    @property
    def is_proved(self) -> bool:
        """Whether the bound meets the value, up to rounding."""
        return self.labels is not None and self.bound >= self.value - 1e-9 * abs(self.value)
