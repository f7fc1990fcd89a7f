"""Branch and bound for least squares within size bounds, on top of the semidefinite bound: the best node first.

A node branches on a pair of blocks of points: together, which makes them one heavier block, or apart, Z_bc = 0
(Piccialli, Sudoso and Wiegele 2022). What every node proves is in `nodes`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ...base.blas import one_blas_thread
from ...base.deadline import Deadline
from ...models.polytope.links import Links
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from .best_first import BestFirst
from .nodes import Node, Outcome, explore

Improve = Callable[[NDArray[np.float64] | None, Links], tuple[NDArray[np.int64], float]]


@dataclass(eq=False)
class SearchTree:
    """Open nodes and the best clustering known."""

    model: LeastSquaresSDP  # The relaxation at the root.
    labels: NDArray[np.int64]  # (n,): The best clustering.
    value: float  # Sum of squares of the best clustering.
    gap: float  # Relative gap at which a node is finished.
    nodes: BestFirst[Node]

    @classmethod
    def start(cls, model: LeastSquaresSDP, labels: NDArray[np.int64], value: float, gap: float) -> SearchTree:
        """A tree of one node, the root."""
        links = model.links if model.links is not None else Links(len(model.X))
        nodes = BestFirst[Node](value * (1.0 - gap))
        nodes.push(0.0, Node(links, 0.0))
        return cls(model, labels, value, gap, nodes)

    @property
    def lower(self) -> float:
        """A bound on the optimum."""
        return min(self.nodes.lower, self.value)

    def run(
        self,
        improve: Improve,
        deadline: Deadline,
        *,
        max_nodes: int = 100_000,
        n_jobs: int | None = None,
        told: Callable[[float], object] = lambda bound: None,
    ) -> None:
        """Explore nodes until the gap is closed or the time is up."""

        def cut(taken: list[tuple[float, Node]]) -> list[tuple[float, Node]]:
            outcomes = self._explore([node for _, node in taken], deadline, n_jobs or 1)
            for number, outcome in enumerate(outcomes, self.nodes.n_nodes + 1):
                self._take(outcome, number, improve)
            self.nodes.stopped = any(outcome.stopped for outcome in outcomes)
            return [(child.bound, child) for outcome in outcomes for child in outcome.children]

        self.nodes.grow(cut, deadline, most=max_nodes, width=n_jobs or 1, told=lambda _: told(self.lower))
        told(self.lower)

    def _explore(self, nodes: list[Node], deadline: Deadline, width: int) -> list[Outcome]:
        value, cutoff = self.value, self.nodes.cutoff
        if len(nodes) == 1:
            return [explore(self.model, nodes[0], cutoff, value, deadline)]
        self.model.with_links(Links(len(self.model.X)))  # what all nodes share is worked out once
        jobs = (delayed(explore)(self.model, node, cutoff, value, deadline) for node in nodes)
        with one_blas_thread():  # nodes that run at the same time would wait for each other's threads
            return Parallel(n_jobs=width, prefer="threads")(jobs)

    def _take(self, outcome: Outcome, number: int, improve: Improve) -> None:
        if outcome.leaf or (outcome.relaxed is not None and number & (number - 1) == 0):
            labels, value = improve(outcome.relaxed, outcome.links)
            if value < self.value:
                self.labels, self.value, self.nodes.cutoff = labels, value, value * (1.0 - self.gap)
        if not outcome.children:
            self.nodes.close()
