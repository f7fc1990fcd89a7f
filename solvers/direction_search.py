"""Branch and bound on the directions of the cluster sums: norm maximisation with a certified gap.

    maximise sum_i |s_i| over the partition polytope, s_i the sum of cluster i

Let b be the unit axis of a cone and w its half angle. Every s in the cone satisfies |s| <= b.s / cos(w). So if
cluster sums are asked to lie in cones (b_i, w_i),

    (1)  sum_i |s_i|  <=  max over the polytope of  sum_i b_i . s_i / cos(w_i)

which is one assignment program. Boxes are k-tuples of simplicial cones; the box with the largest bound is split
at the cluster with the largest excess of (1), along the longest edge of its cone. The excess of a cone of half
angle w is of order w^2, so gaps of 0.1 % need cones of about 2.5 degrees, and only near good solutions.
Clusters with the same bounds are interchangeable: only one order of their cones is kept.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..models.assignment import AssignmentModel
from ..models.polytope import PartitionPolytope
from .solve import solve


@dataclass(frozen=True, eq=False)
class Cone:
    """A simplicial cone, its unit axis and the cosine of its half angle."""

    vertices: NDArray[np.float64]
    axis: NDArray[np.float64]
    cosine: float

    @classmethod
    def spanned_by(cls, vertices: NDArray[np.float64]) -> Cone:
        """The cone of unit vectors (d, d)."""
        axis = vertices.sum(axis=0)
        axis = axis / np.linalg.norm(axis)
        return cls(vertices, axis, float((vertices @ axis).min()))

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
            halves.append(Cone.spanned_by(vertices))
        return halves[0], halves[1]


def orthants(d: int) -> list[Cone]:
    """The 2^d orthants of R^d as cones."""
    return [Cone.spanned_by(np.diag(signs)) for signs in product((1.0, -1.0), repeat=d)]


@dataclass
class _Incumbent:
    labels: NDArray[np.int64]
    value: float
    boxes: int = 0


def direction_search(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    *,
    gap: float = 1e-3,
    time_limit: float | None = None,
    max_boxes: int = 100_000,
    progress: Callable[[float, float], None] | None = None,
) -> tuple[NDArray[np.int64], float, float]:
    """Maximise sum_i |s_i| to a certified relative gap.

    Parameters
    ----------
    X : (n, d) ndarray
        Centred points; d up to about 3.
    polytope : PartitionPolytope
        Size bounds, without weights.
    labels : (n,) ndarray
        A feasible clustering to start from.
    gap : float
        Stop when (upper - value) / upper is at most this.
    time_limit : float, optional
        Seconds; the bound is valid whenever it stops.
    max_boxes : int
        Boxes to bound at most, about a millisecond each.
    progress : callable, optional
        Called with (upper bound, seconds) every 200 boxes.

    Returns
    -------
    labels : (n,) ndarray
        The best clustering found.
    value : float
        Its sum of norms.
    upper : float
        A valid upper bound on the optimum.
    """
    started = perf_counter()
    best = _Incumbent(labels, _sum_of_norms(X, labels, polytope.n_clusters))
    heap: list[tuple[float, int, tuple[Cone, ...], int]] = []

    def push(box: tuple[Cone, ...]) -> None:
        bound, widest = _bound(X, polytope, box, best)
        best.boxes += 1
        if bound > best.value * (1.0 + 1e-12):
            heapq.heappush(heap, (-bound, best.boxes, box, widest))

    for box in _first_boxes(X.shape[1], polytope):
        push(box)
    while heap:
        upper = -heap[0][0]
        seconds = perf_counter() - started
        late = time_limit is not None and seconds > time_limit
        if late or best.boxes >= max_boxes or upper - best.value <= gap * upper:
            return best.labels, best.value, upper
        _, _, box, widest = heapq.heappop(heap)
        if progress is not None and best.boxes % 200 < 2:
            progress(upper, seconds)
        for half in box[widest].split():
            push((*box[:widest], half, *box[widest + 1 :]))
    return best.labels, best.value, best.value * (1.0 + 1e-12)


def _first_boxes(d: int, polytope: PartitionPolytope) -> list[tuple[Cone, ...]]:
    """Tuples of orthants, one order of them within every group of clusters with equal bounds."""
    cones = orthants(d)
    bounds = list(zip(polytope.lower.tolist(), polytope.upper.tolist()))
    groups = [[i for i, b in enumerate(bounds) if b == group] for group in dict.fromkeys(bounds)]
    boxes = []
    for choice in product(*(combinations_with_replacement(range(len(cones)), len(g)) for g in groups)):
        box: list[Cone] = [cones[0]] * polytope.n_clusters
        for group, picked in zip(groups, choice):
            for i, cone in zip(group, picked):
                box[i] = cones[cone]
        boxes.append(tuple(box))
    return boxes


def _bound(
    X: NDArray[np.float64], polytope: PartitionPolytope, box: tuple[Cone, ...], best: _Incumbent
) -> tuple[float, int]:
    """The bound (1) of a box and the cluster whose cone should be split; improves the incumbent."""
    k = polytope.n_clusters
    axes = np.array([cone.axis / cone.cosine for cone in box])
    solution = solve(AssignmentModel.csa(X, axes, polytope))
    labels = solution.require_labels()
    sums = np.column_stack([np.bincount(labels, column, k) for column in X.T])
    norms = np.linalg.norm(sums, axis=1)
    if norms.sum() > best.value:
        best.labels, best.value = labels, float(norms.sum())
    excess = (axes * sums).sum(axis=1) - norms
    widths = np.array([1.0 - cone.cosine for cone in box])
    widest = int(np.argmax(excess)) if excess.max() > 1e-12 * best.value else int(np.argmax(widths))
    # the dual value bounds the program from above whatever rounding did to the primal one
    return max(solution.objective, solution.dual_objective), widest


def _sum_of_norms(X: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> float:
    sums = np.column_stack([np.bincount(labels, column, k) for column in X.T])
    return float(np.linalg.norm(sums, axis=1).sum())
