"""What both searches for the largest sum of norms share: the blocks, the best clustering, and a bound by duality."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.objectives.interval import ROUNDOFF, reach
from ...models.polytope.polytope import PartitionPolytope
from .best_first import BestFirst

B = TypeVar("B")


@dataclass(eq=False)
class NormSearch:
    """Points X (n, d), or blocks of some at their means, bounds, pairs (m, 2) that have to be apart, and the best
    labels (n,) so far."""

    X: NDArray[np.float64]
    polytope: PartitionPolytope
    labels: NDArray[np.int64]
    conflicts: NDArray[np.int64]
    gap: float
    deadline: Deadline
    most: int = 100_000  # Number of boxes at most.
    told: Callable[[float], object] | None = None  # Called with every new upper bound.

    def __post_init__(self) -> None:
        heavy = weighted(self.X, self.polytope)
        self.value, self.far = sum_of_norms(heavy, self.labels, self.polytope.n_clusters), reach(heavy)
        self._rounding = 8.0 * (sum(self.X.shape) + self.polytope.n_clusters + 8) * ROUNDOFF * self.far

    def offer(self, labels: NDArray[np.int64]) -> None:
        """Take labels that are better, within the bounds and apart."""
        value = sum_of_norms(weighted(self.X, self.polytope), labels, self.polytope.n_clusters)
        apart = (labels[self.conflicts[:, 0]] != labels[self.conflicts[:, 1]]).all()
        if value > self.value and apart and self.polytope.contains(labels):
            self.labels, self.value = labels, value

    @property
    def enough(self) -> float:
        """A box whose bound is not above this is done with: by the gap, or rounding keeps bounds from coming closer."""
        closed = self.value * (1.0 + 1e-12) + self._rounding
        return max(closed, self.value / (1.0 - min(self.gap * (1.0 - 1e-6), 0.999)))

    def run(
        self, first: Iterable[B], bounded: Callable[[B], tuple[float, B | None]], halves: Callable[[B], Iterable[B]]
    ) -> float:
        """An upper bound on all boxes, from those of the first ones and their halves. ``bounded`` gives the bound of a
        box, and the box with where it is to be cut; None where it cannot be."""
        tree, seen = BestFirst[B](-self.enough), 0

        def opened(boxes: Iterable[B], known: float) -> Iterable[tuple[float, B]]:
            nonlocal seen
            for box in boxes:
                bound, further = bounded(box)
                tree.cutoff, seen = -self.enough, seen + 1
                if further is None:
                    tree.close(-min(bound, known))
                else:
                    yield -min(bound, known), further

        for box in first:
            if seen >= self.most or not self.deadline.allows():
                return self.far
            for bound, node in opened([box], self.far):
                tree.push(bound, node)
        told = self.told
        tree.grow(
            lambda nodes: [part for bound, box in nodes for part in opened(halves(box), -bound)], self.deadline,
            most=self.most // 2, told=None if told is None else lambda bound: told(-bound),
        )  # fmt: skip
        return max(-tree.lower, self.value)


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
