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

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....models.objectives.interval import ROUNDOFF
from ....models.polytope.polytope import PartitionPolytope
from ....models.programs.assignment import AssignmentModel
from ...assignment.solve import solve
from ..norm_search import NormSearch, dual_value, weighted


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


class Box(NamedTuple):
    """A cone for every cluster, and the cluster whose cone is to be split."""

    cones: tuple[Cone, ...]
    widest: int


def direction_search(search: NormSearch) -> float:
    """An upper bound on the largest sum_i |s_i|, to a relative gap; improves the labels."""

    def bounded(box: Box) -> tuple[float, Box]:
        bound, widest = _bound(search, box.cones)
        return bound, Box(box.cones, widest)

    def halves(box: Box) -> list[Box]:
        i = box.widest
        return [Box((*box.cones[:i], half, *box.cones[i + 1 :]), i) for half in box.cones[i].split()]

    first = (Box(cones, 0) for cones in _first_boxes(search.X.shape[1], search.polytope))
    return search.run(first, bounded, halves)


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


def _bound(search: NormSearch, cones: tuple[Cone, ...]) -> tuple[float, int]:
    """The bound (1) of a box and the cluster whose cone should be split; improves the incumbent."""
    X, polytope, k = search.X, search.polytope, search.polytope.n_clusters
    axes = np.array([cone.axis / cone.cosine for cone in cones])
    solution = solve(AssignmentModel.csa(X, axes, polytope))
    labels = solution.require_labels()
    sums = np.column_stack([np.bincount(labels, column, k) for column in weighted(X, polytope).T])
    norms = np.linalg.norm(sums, axis=1)
    search.offer(labels)
    excess = (axes * sums).sum(axis=1) - norms
    widths = np.array([1.0 - cone.cosine for cone in cones])
    widest = int(np.argmax(excess)) if excess.max() > 1e-12 * search.value else int(np.argmax(widths))
    prices = np.zeros(k) if solution.prices is None else np.asarray(solution.prices)
    return dual_value(X, axes, prices, polytope, search.conflicts), widest
