"""Branch and bound for least squares within size bounds, on top of the semidefinite bound: the best node first.

A node branches on a pair of blocks of points: together, which makes them one heavier block, or apart, Z_bc = 0
(Piccialli, Sudoso and Wiegele 2022). What every node proves is in `nodes`. With a cutoff of (1 - gap) times the best
value known, the optimum is at least

    min( cutoff, bounds of the open nodes )

at any time, so that a search may be stopped, written down, and continued.
"""

from __future__ import annotations

import hashlib
import heapq
import io
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ...base.blas import one_blas_thread
from ...base.deadline import Deadline
from ...base.errors import InvalidInputError
from ...models.objectives.interval import objective_interval
from ...models.polytope.links import Links
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from ...output.files import write_atomically
from .nodes import Node, Outcome, explore

Improve = Callable[[NDArray[np.float64] | None, Links], tuple[NDArray[np.int64], float]]


@dataclass(eq=False)
class SearchTree:
    """Open nodes, the best clustering known, and how both came about."""

    model: LeastSquaresSDP  # the relaxation at the root
    labels: NDArray[np.int64]  # (n,): The best clustering and its value
    value: float  # (n,): The best clustering and its value
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
            try:
                outcomes = self._explore(nodes, deadline, width)
                for outcome in outcomes:
                    self._take(outcome, improve)
            except BaseException:  # an interrupt leaves a tree that can be written down
                for node in nodes:
                    self._push(node)
                raise
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

    def save(self, path: str | Path) -> None:
        """Write bounds and links of the open nodes, the best clustering and the log, as a NumPy archive."""
        nodes = [node for _, _, node in sorted(self.open)]
        arrays = {f"must_{i}": node.links.must for i, node in enumerate(nodes)}
        arrays |= {f"cannot_{i}": node.links.cannot for i, node in enumerate(nodes)}
        arrays |= _problem(self.model)
        arrays["labels"], arrays["log"] = self.labels, np.array(self.log)
        arrays["numbers"] = np.array([self.gap, self.closed_at, self.n_nodes])
        arrays["bounds"] = np.array([[node.bound, node.depth] for node in nodes]).reshape(-1, 2)
        content = io.BytesIO()
        np.savez_compressed(content, allow_pickle=False, **arrays, digest=_digest(arrays))
        write_atomically(path, content.getvalue())

    def take_up(self, path: str | Path) -> None:
        """Go on from a tree that `save` wrote for the same problem; the better clustering of both is kept."""
        name = f"checkpoint={str(path)!r}"
        try:
            with np.load(path, allow_pickle=False) as archive:
                stored = dict(archive)
            whole = np.array_equal(stored.pop("digest", None), _digest(stored))
        except (OSError, EOFError, ValueError, BadZipFile, zlib.error):
            whole = False
        if not whole:
            raise InvalidInputError(f"{name} is no whole file of a search, or was changed since: name another file")
        for what, values in _problem(self.model).items():
            if not np.array_equal(stored[what], values):
                raise InvalidInputError(f"{name} is for other {what.replace('_', ' ')}: name another file")
        labels, polytope, weights = stored["labels"], self.model.polytope, self.model.polytope.weights
        value = objective_interval(self.model.X, labels, "lsa", weights)[1]
        kept = self.model.links is None or self.model.links.satisfied(labels)
        if value < self.value and polytope.contains(labels) and kept:
            self.labels, self.value = labels, value
        known, self.closed_at, n_nodes = stored["numbers"].tolist()
        if self.closed_at < self.cutoff:
            raise InvalidInputError(f"{name} closed nodes at a gap of {known:g}: ask for gap={known:g} or more")
        self.n_nodes, self.log, self.open = int(n_nodes), [tuple(row) for row in stored["log"].tolist()], []
        for i, (bound, depth) in enumerate(stored["bounds"].tolist()):
            links = Links(len(self.model.X), stored[f"must_{i}"], stored[f"cannot_{i}"])
            self._push(Node(links, bound, int(depth)))


def _problem(model: LeastSquaresSDP) -> dict[str, NDArray[Any]]:
    """What a tree is for: everything that a bound of a node depends on."""
    polytope, n = model.polytope, len(model.X)
    links = Links(n) if model.links is None else model.links
    return {
        "points": model.X,
        "weights": polytope.point_weights,
        "lower_bounds": np.asarray(polytope.lower, dtype=np.float64),
        "upper_bounds": np.asarray(polytope.upper, dtype=np.float64),
        "must_links": links.must,
        "cannot_links": links.cannot,
    }


def _digest(arrays: dict[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """A checksum of names, types, shapes and entries."""
    known = hashlib.sha256()
    for name, values in sorted(arrays.items()):
        known.update(f"{name} {values.dtype.str} {values.shape} ".encode())
        known.update(np.ascontiguousarray(values).tobytes())
    return np.frombuffer(known.digest(), dtype=np.uint8)
