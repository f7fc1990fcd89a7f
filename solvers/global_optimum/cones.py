"""Branch and bound on the directions of the cluster sums: norm maximisation with a certified gap.

    maximise sum_i |s_i| over the partition polytope, s_i the sum of cluster i

Let b be the unit axis of a cone and w its half angle. Every s in the cone satisfies |s| <= b.s / cos(w). So if
cluster sums are required to be in cones (b_i, w_i),

    (1)  sum_i |s_i|  <=  max over the polytope of  sum_i b_i . s_i / cos(w_i)

which is one assignment program. Boxes are k-tuples of simplicial cones; the box with the largest bound is split
at the cluster with the largest excess of (1), along the longest edge of its cone. The excess of a cone of half
angle w is of order w^2, so gaps of 0.1 % need cones of about 2.5 degrees, and only near good solutions.
Clusters with the same bounds are interchangeable: only one order of their cones is kept.

Rounding. Where a cone is cut, the middle of the edge is a rounded vector, so that directions within a few u of the cut
may be in neither half; b.s / cos(w) with a cosine less by such an angle bounds them as well. Programs are bounded
from above by their dual value at the prices found, which holds for any prices, plus its forward error.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.objectives.interval import ROUNDOFF, reach
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ..assignment.solve import solve


@dataclass(frozen=True, eq=False)
class Cone:
    """A simplicial cone, its unit axis, and at most the cosine of the angle to any direction it stands for."""

    vertices: NDArray[np.float64]
    axis: NDArray[np.float64]
    cosine: float
    cuts: int = 0

    @classmethod
    def spanned_by(cls, vertices: NDArray[np.float64], cuts: int = 0) -> Cone:
        """The cone of unit vectors (d, d)."""
        axis = vertices.sum(axis=0)
        axis = axis / np.linalg.norm(axis)
        lost = 4.0 * (len(vertices) + 2) * (cuts + 2) * ROUNDOFF
        return cls(vertices, axis, float((vertices @ axis).min()) - lost, cuts)

    def split(self) -> tuple[Cone, Cone]:
        """Two halves, cut at the middle of the longest edge."""
        gram = self.vertices @ self.vertices.T
        a, b = np.unravel_index(gram.argmin(), gram.shape)
        middle = self.vertices[a] + self.vertices[b]
        middle = middle / np.linalg.norm(middle)
        halves = []
        for corner in (a, b):
            vertices = self.vertices.copy()
            vertices[corner] = middle
            halves.append(Cone.spanned_by(vertices, self.cuts + 1))
        return halves[0], halves[1]


def orthants(d: int) -> list[Cone]:
    """The 2^d orthants of R^d as cones."""
    return [Cone.spanned_by(np.diag(signs)) for signs in product((1.0, -1.0), repeat=d)]


@dataclass
class Incumbent:
    """The best clustering so far, of any number of boxes."""

    labels: NDArray[np.int64]
    value: float
    rounding: float
    conflicts: NDArray[np.int64]
    boxes: int = 0

    @classmethod
    def of(
        cls,
        X: NDArray[np.float64],
        polytope: PartitionPolytope,
        labels: NDArray[np.int64],
        conflicts: NDArray[np.int64] | None,
    ) -> Incumbent:
        """The first one."""
        heavy = weighted(X, polytope)
        rounding = 8.0 * (sum(X.shape) + polytope.n_clusters + 8) * ROUNDOFF * reach(heavy)
        pairs = np.zeros((0, 2), dtype=np.int64) if conflicts is None else conflicts
        return cls(labels, sum_of_norms(heavy, labels, polytope.n_clusters), rounding, pairs)

    def offer(self, X: NDArray[np.float64], polytope: PartitionPolytope, labels: NDArray[np.int64]) -> None:
        """Take labels that are better, within the bounds and apart."""
        value = sum_of_norms(weighted(X, polytope), labels, polytope.n_clusters)
        apart = (labels[self.conflicts[:, 0]] != labels[self.conflicts[:, 1]]).all()
        if value > self.value and apart and polytope.contains(labels):
            self.labels, self.value = labels, value

    @property
    def closed(self) -> float:
        """A box whose bound is not above this is done with: rounding keeps bounds from coming closer."""
        return self.value * (1.0 + 1e-12) + self.rounding


def direction_search(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    *,
    conflicts: NDArray[np.int64] | None = None,
    gap: float = 1e-3,
    time_limit: float | Deadline | None = None,
    max_boxes: int = 100_000,
    progress: Callable[[float, float], None] | None = None,
) -> tuple[NDArray[np.int64], float, float]:
    """Maximise sum_i |s_i| to a certified relative gap. Shapes: X (n, d), labels (n,), conflicts (m, 2) -> labels
    (n,)."""
    deadline = time_limit if isinstance(time_limit, Deadline) else Deadline(time_limit)
    heavy, best = weighted(X, polytope), Incumbent.of(X, polytope, labels, conflicts)
    heap: list[tuple[float, int, tuple[Cone, ...], int]] = []

    def push(box: tuple[Cone, ...]) -> None:
        bound, widest = _bound(X, polytope, box, best)
        best.boxes += 1
        if bound > best.closed:
            heapq.heappush(heap, (-bound, best.boxes, box, widest))

    for box in _first_boxes(X.shape[1], polytope):
        if best.boxes >= max_boxes or not deadline.allows():
            return best.labels, best.value, reach(heavy)  # by the triangle inequality
        push(box)
    while heap and -heap[0][0] > best.closed:
        upper = -heap[0][0]
        if best.boxes >= max_boxes or upper - best.value <= gap * upper or not deadline.allows():
            return best.labels, best.value, upper
        _, _, box, widest = heapq.heappop(heap)
        if progress is not None and best.boxes % 200 < 2:
            progress(upper, deadline.elapsed)
        for half in box[widest].split():
            push((*box[:widest], half, *box[widest + 1 :]))
    return best.labels, best.value, best.closed


def _first_boxes(d: int, polytope: PartitionPolytope) -> Iterator[tuple[Cone, ...]]:
    """Tuples of orthants, one order of them within every group of clusters with equal bounds."""
    cones = orthants(d)
    bounds = list(zip(polytope.lower.tolist(), polytope.upper.tolist()))
    groups = [[i for i, b in enumerate(bounds) if b == group] for group in dict.fromkeys(bounds)]
    for choice in _choices([(len(cones), len(g)) for g in groups]):
        box: list[Cone] = [cones[0]] * polytope.n_clusters
        for group, picked in zip(groups, choice):
            for i, cone in zip(group, picked):
                box[i] = cones[cone]
        yield tuple(box)


def _choices(groups: list[tuple[int, int]]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """For every (kinds, count) a multiset, in all combinations; one at a time, for there can be very many."""
    if not groups:
        yield ()
        return
    kinds, count = groups[0]
    for first in combinations_with_replacement(range(kinds), count):
        for rest in _choices(groups[1:]):
            yield (first, *rest)


def _bound(
    X: NDArray[np.float64], polytope: PartitionPolytope, box: tuple[Cone, ...], best: Incumbent
) -> tuple[float, int]:
    """The bound (1) of a box and the cluster whose cone should be split; improves the incumbent."""
    k = polytope.n_clusters
    axes = np.array([cone.axis / cone.cosine for cone in box])
    solution = solve(AssignmentModel.csa(X, axes, polytope))
    labels = solution.require_labels()
    sums = np.column_stack([np.bincount(labels, column, k) for column in weighted(X, polytope).T])
    norms = np.linalg.norm(sums, axis=1)
    best.offer(X, polytope, labels)
    excess = (axes * sums).sum(axis=1) - norms
    widths = np.array([1.0 - cone.cosine for cone in box])
    widest = int(np.argmax(excess)) if excess.max() > 1e-12 * best.value else int(np.argmax(widths))
    prices = np.zeros(k) if solution.prices is None else np.asarray(solution.prices)
    return dual_value(X, axes, prices, polytope, best.conflicts), widest


def dual_value(
    X: NDArray[np.float64],
    axes: NDArray[np.float64],
    prices: NDArray[np.float64],
    polytope: PartitionPolytope,
    conflicts: NDArray[np.int64],
) -> float:
    """An upper bound on max sum_i a_i . s_i over the polytope: weak duality for any prices, rounded up."""
    n, d = X.shape
    weights = polytope.point_weights
    scores = weights[:, None] * (X @ axes.T - prices)
    points = scores.max(axis=1)
    if len(conflicts) and len(axes) > 1:
        regret = points - np.partition(scores, -2, axis=1)[:, -2]
        liked = scores.argmax(axis=1)[conflicts]
        lost = np.where(liked[:, 0] == liked[:, 1], regret[conflicts].min(axis=1), 0.0)
        free = np.ones(n, dtype=bool)
        for t in np.argsort(-lost, kind="stable"):
            p, q = conflicts[t]
            if lost[t] > 0.0 and free[p] and free[q]:
                points[p] -= lost[t]
                free[[p, q]] = False
    slack = 2.0 * polytope.slack  # `PartitionPolytope.contains` allows half of it
    sizes = prices * np.where(prices > 0, polytope.upper + slack, polytope.lower - slack)
    terms = float(np.linalg.norm(axes, axis=1).max()) * reach(weighted(X, polytope))
    terms += float(weights.sum()) * float(np.abs(prices).max())
    terms += float(np.abs(sizes).sum()) + float(np.abs(points).sum())
    return float(points.sum()) + float(sizes.sum()) + (n + d + len(axes) + 10) * ROUNDOFF * terms


def weighted(X: NDArray[np.float64], polytope: PartitionPolytope) -> NDArray[np.float64]:
    """The points times their weights."""
    return polytope.point_weights[:, None] * X


def sum_of_norms(X: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> float:
    """The objective of labels, in floats."""
    sums = np.column_stack([np.bincount(labels, column, k) for column in X.T])
    return float(np.linalg.norm(sums, axis=1).sum())
