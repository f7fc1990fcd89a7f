"""Branch and bound, the node with the least bound first: the loop of every tree of this room.

It bounds the minimum over all nodes; a maximum is the minimum of negative values. A node whose bound is not below the
cutoff is done with.
So at any time the minimum is at least

    min( least cutoff at which a node was closed, bounds of the open nodes )

and a search may be stopped.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from ...base.deadline import Deadline

N = TypeVar("N")


@dataclass(eq=False)
class BestFirst(Generic[N]):
    """Open nodes by bound."""

    cutoff: float
    open: list[tuple[float, int, N]] = field(default_factory=list)  # Open nodes, as a heap.
    closed_at: float = np.inf
    n_nodes: int = 0  # Nodes that were cut.
    stopped: bool = False  # Whether the code that cuts nodes ran out of time.
    _pushed: int = 0

    @property
    def lower(self) -> float:
        """A bound on the minimum."""
        return min(self.closed_at, self.open[0][0] if self.open else np.inf)

    def push(self, bound: float, node: N) -> None:
        """Open a node, or close it."""
        if bound >= self.cutoff:
            self.close()
            return
        self._pushed += 1
        heapq.heappush(self.open, (bound, self._pushed, node))

    def close(self, bound: float = np.inf) -> None:
        """A node is done with, or cannot be cut and keeps its bound."""
        self.closed_at = min(self.closed_at, self.cutoff, bound)

    def grow(
        self,
        cut: Callable[[list[tuple[float, N]]], Iterable[tuple[float, N]]],
        deadline: Deadline,
        *,
        most: float = np.inf,
        width: int = 1,
        told: Callable[[float], object] | None = None,
    ) -> None:
        """Cut ``width`` nodes with their bounds at a time into others, until all are closed or the time is up."""
        self.stopped = False
        while self.open and self.open[0][0] < self.cutoff and self.n_nodes < most and deadline.allows():
            taken = [heapq.heappop(self.open) for _ in range(min(width, len(self.open)))]
            try:
                parts = list(cut([(bound, node) for bound, _, node in taken]))
            except BaseException:  # of what was not cut to the end the whole stays open
                for entry in taken:
                    heapq.heappush(self.open, entry)
                raise
            self.n_nodes += len(taken)
            for bound, node in parts:
                self.push(bound, node)
            if told is not None:
                told(self.lower)
            if self.stopped:
                break
        if self.open and self.open[0][0] >= self.cutoff:
            self.close()
            self.open = []
