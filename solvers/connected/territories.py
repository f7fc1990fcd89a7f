"""The best territories so far and the bound on all others, which enumeration, local search and the tree share."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import NotOptimalError
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ..assignment.solve import solve
from ..graphs.cluster_bounds import ClusterBounds
from ..graphs.local_search import searched
from ..medoids.search import NODES
from .enumeration import graph_of, joined
from .objectives import Medoids, Squares


class Territories:
    """What is known of a program: the best clustering, and the bound."""

    tolerance: ClassVar[float] = 1e-7  # Largest relative gap of an optimum; rounding leaves some 1e-8.

    def __init__(self, program: Medoids | Squares, stated: PartitionPolytope, deadline: Deadline) -> None:
        self.program, self.polytope, self.deadline = program, program.polytope, deadline
        self.stated, self.place = stated, joined(stated)[1]  # what points were before neighbours were joined
        self.bounds = ClusterBounds.of(self.polytope)
        self.labels: NDArray[np.int64] | None = None
        self.value, self.bound, self.proof = np.inf, -np.inf, ""
        self.unconnected = np.inf  # what the cheapest start costs, which need not be connected
        self.history: list[float] = []

    def search(
        self, labels: NDArray[np.int64], rng: np.random.Generator, deadline: Deadline, heat: float = 1.0
    ) -> None:
        """Local search from labels (n,), connected or not, from a part of the usual first temperature. What it finds is
        repaired where it breaks what is stated of several territories."""
        labels = self.bounds.matched(labels)
        found = searched(
            self._resited(labels)[1], graph_of(self.polytope), self.bounds, labels, rng, deadline,
            cuts=self.program.cuts, resite=self._resited, heat=heat,
        )  # fmt: skip
        found = labels if found is None else found
        if not (self.take(found) or self.bounds.is_all or heat < 1.0 or self.polytope.contains(found)):
            self._repair(found, deadline)

    def _repair(self, labels: NDArray[np.int64], deadline: Deadline) -> None:
        """Take the best territories at the sites of labels (n,); InfeasibleBoundsError where there are none."""
        (n, k), weights = (self.stated.n_points, self.stated.n_clusters), self.polytope.point_weights
        costs = self.program.resited(labels)[1] / np.where(weights > 0.0, weights, 1.0)[:, None]
        filled = self.stated.add_rows("no empty cluster", np.broadcast_to(np.eye(k)[:, None], (k, n, k)), 1.0)
        try:
            limit = {"time_limit": deadline.left} if deadline.left is not None else {"nodes": NODES}
            found = solve(AssignmentModel.of_costs(filled, costs[self.place]), **limit)
        except NotOptimalError:
            return
        self.take(found.require_labels()[np.unique(self.place, return_index=True)[1]])

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
        return self.labels is not None and self.bound >= self.value - self.tolerance * abs(self.value)
