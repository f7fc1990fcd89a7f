"""Branch and bound for least squares within size bounds, on top of the semidefinite bound: the best node first.

A node branches on a pair of blocks of points: together, which makes them one heavier block, or apart, Z_bc = 0
(Piccialli, Sudoso and Wiegele 2022). What every node proves is in `nodes`. With a cutoff of (1 - gap) times the best
value known, the optimum is at least

    min( cutoff, bounds of the open nodes )

at any time, so that a search may be stopped.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ...base.blas import one_blas_thread
from ...base.deadline import Deadline
from ...models.polytope.links import Links
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from .nodes import Node, Outcome, explore

Improve = Callable[[NDArray[np.float64] | None, Links], tuple[NDArray[np.int64], float]]


@dataclass(eq=False)
class SearchTree:
    """Open nodes, the best clustering known, and how both came about."""

    model: LeastSquaresSDP  # the relaxation at the root
    labels: NDArray[np.int64]  # (n,): The best clustering
    value: float  # its sum of squares
    gap: float  # relative gap at which nodes are done with
    open: list[tuple[float, int, Node]] = field(default_factory=list)  # A heap by bound
    n_nodes: int = 0  # nodes that were explored
    log: list[tuple[float, float, float]] = field(default_factory=list)  # the interval over time
    closed_at: float = np.inf  # the least cutoff for which a node was closed
    _count: int = 0

    @classmethod
    def start(cls, model: LeastSquaresSDP, labels: NDArray[np.int64], value: float, gap: float) -> SearchTree:
        """A tree of one node, the root."""
        links = model.links if model.links is not None else Links(len(model.X))
        tree = cls(model, labels, value, gap)
        tree._push(Node(links, 0.0))
        return tree

    @property
    def cutoff(self) -> float:
        """Clusterings that are not below this value are of no interest."""
        return self.value * (1.0 - self.gap)

    @property
    def lower(self) -> float:
        """A bound on the optimum."""
        return min(self.closed_at, self.open[0][0] if self.open else np.inf, self.value)

    @property
    def seconds(self) -> float:
        """Time at the end of the log."""
        return self.log[-1][0] if self.log else 0.0

    def _push(self, node: Node) -> None:
        self._count += 1
        heapq.heappush(self.open, (node.bound, self._count, node))

    def run(
        self,
        improve: Improve,
        deadline: Deadline,
        *,
        max_nodes: int = 100_000,
        n_jobs: int | None = None,
        progress: Callable[[float, float], None] | None = None,
    ) -> None:
        """Explore nodes until the gap is closed or the time is up."""
        width, before = n_jobs or 1, deadline.elapsed - self.seconds
        self._note(deadline.elapsed - before)
        while self.open and self.open[0][0] < self.cutoff and self.n_nodes < max_nodes and deadline.allows():
            nodes = [heapq.heappop(self.open)[2] for _ in range(min(width, len(self.open)))]
            outcomes = self._explore(nodes, deadline, width)
            for outcome in outcomes:
                self._take(outcome, improve)
            self._note(deadline.elapsed - before)
            if progress is not None:
                progress(self.lower, deadline.elapsed)
            if any(outcome.stopped for outcome in outcomes):
                break
        if self.open and self.open[0][0] >= self.cutoff:
            self.closed_at, self.open = min(self.closed_at, self.cutoff), []
        self._note(deadline.elapsed - before)

    def _explore(self, nodes: list[Node], deadline: Deadline, width: int) -> list[Outcome]:
        if len(nodes) == 1:
            return [explore(self.model, nodes[0], self.cutoff, self.value, deadline)]
        self.model.with_links(Links(len(self.model.X)))  # what all nodes share is worked out once
        jobs = (delayed(explore)(self.model, node, self.cutoff, self.value, deadline) for node in nodes)
        with one_blas_thread():  # nodes that run at the same time would wait for each other's threads
            return Parallel(n_jobs=width, prefer="threads")(jobs)

    def _take(self, outcome: Outcome, improve: Improve) -> None:
        self.n_nodes += 1
        if outcome.leaf or (outcome.relaxed is not None and self.n_nodes & (self.n_nodes - 1) == 0):
            labels, value = improve(outcome.relaxed, outcome.links)
            if value < self.value:
                self.labels, self.value = labels, value
        if outcome.children:
            for child in outcome.children:
                self._push(child)
        else:
            self.closed_at = min(self.closed_at, self.cutoff)

    def _note(self, seconds: float) -> None:
        self.log.append((seconds, self.lower, self.value))
