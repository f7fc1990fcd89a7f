"""The global problem LSA: the clustering with the least within-cluster sum of squares.

The methods, in the order tried, are those of `search`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nextafter

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.objectives.interval import TINY, objective_interval, power_of_two
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from ..exchange.local_search import local_search
from .branch_and_bound import search_error
from .centre_boxes import centre_search
from .columns import HIGHEST, column_bound
from .directions import best_on_a_line, kinds_of, whole_bounds
from .incumbent import clustering_of, first_clustering, round_projector
from .parts import LEAST_GAP, MOST, bound_by_parts
from .problem import SMALL, Answer, GlobalProblem, Progress, exhaustive
from .tree import SearchTree

MEDIUM = 500  # points up to which boxes of centres or the tree alone are better than column generation


def search_lsa(problem: GlobalProblem, labels: NDArray[np.int64]) -> Answer:
    """The best clustering found, and a lower bound on the optimum."""
    X, polytope = problem.X, problem.polytope
    varies = np.ptp(X, axis=0) > 0
    if varies.sum() == 1 and problem.plain:
        path = best_on_a_line(X[:, varies.argmax()], polytope, problem.deadline)
        best = None if path is None else clustering_of(path[0], polytope)
        if path is not None and best is not None:
            labels = best if problem.value(best) < problem.value(labels) else labels
            if problem.bound(labels, path[1], "").gap <= problem.gap:
                return Answer(labels, path[1], "shortest path")
    if len(X) <= SMALL and problem.links is None:
        labels, finished = exhaustive(problem, X, labels)
        if finished:
            # what underflows in the squares of points divided by their largest coordinate
            lost = polytope.total * X.size * TINY * power_of_two(X) ** 2
            lower = objective_interval(X, labels, "lsa", polytope.weights)[0] * (
                1.0 - search_error(X, polytope.n_clusters, "lsa")
            )
            return Answer(labels, max(0.0, nextafter(lower - lost, -np.inf)), "branch and bound")
    if problem.too_large and X.shape[1] <= HIGHEST and problem.links is None:
        lower = column_bound(
            X, polytope, problem.value(labels), gap=problem.gap, deadline=problem.deadline, progress=problem.progress
        )
        return Answer(labels, lower, "column generation")
    if problem.too_large:
        return _by_parts(problem, labels)
    return _TreeSearch(problem, labels).answer()


def _by_parts(problem: GlobalProblem, labels: NDArray[np.int64]) -> Answer:
    """The bound by parts that mirror the best clustering without the bounds that no part feels: lower bounds, which
    parts cannot have, and upper bounds that are larger than a part."""
    X, polytope, unbounded = problem.X, problem.polytope, None
    mirrored = labels
    felt = polytope.upper.min() < polytope.total * min(1.0, 1.5 * MOST / len(X))
    if polytope.lower.any() or not (felt or polytope.is_free):
        free = PartitionPolytope(len(X), 0, polytope.upper if felt else polytope.total, polytope.weights,
                                 n_clusters=polytope.n_clusters)  # fmt: skip
        deadline = problem.deadline.share(0.2)
        found = first_clustering(X, free, "lsa", problem.links, n_init=10, seed=0, deadline=deadline)
        mirrored = min(labels, found, key=problem.value)
        polytope = free
    target = problem.value(mirrored) * (1.0 - problem.gap)
    by_parts = bound_by_parts(
        X, polytope, mirrored, target=target, deadline=problem.deadline, links=problem.links, progress=problem.progress
    )
    # the parts' relaxations may have led to something better, which need not keep the lower bounds
    best = min((y for y in (labels, by_parts.labels) if problem.allows(y)), key=problem.value, default=labels)
    if polytope is not problem.polytope:
        unbounded = problem.value(by_parts.labels)
    return Answer(best, by_parts.lower, f"sdp dual of {by_parts.n_parts} parts", unbounded=unbounded)


class _TreeSearch:
    """Branch and bound over pairs together or apart; in low dimension after another bound."""

    def __init__(self, problem: GlobalProblem, labels: NDArray[np.int64]) -> None:
        self.problem, self.start = problem, labels
        self.model = LeastSquaresSDP(problem.X, problem.polytope, problem.links)
        self.gap = max(problem.gap * (1.0 - 1e-6), LEAST_GAP)
        self.tree = SearchTree.start(self.model, labels, problem.value(labels), self.gap)

    def answer(self) -> Answer:
        """Run the search: the best clustering, the larger of both bounds and what proves it."""
        problem, tree, (n, d) = self.problem, self.tree, self.problem.X.shape
        other, low, name = 0.0, d <= HIGHEST, "column generation"
        few = low and n <= MEDIUM and problem.polytope.n_clusters * d <= 16  # else there are too many boxes
        tight = few and problem.links is None and kinds_of(self.model) is not None
        if tight:
            other, name = self._beside(0.5, self._centres), "boxes of centres"
        elif low and n > MEDIUM:
            other = self._beside(0.3, self._columns)
        self._grow(problem.max_nodes if other < tree.cutoff else tree.n_nodes)
        seconds, lower, upper = np.array(tree.log).T
        history = {"objective": upper, "bound": np.maximum.accumulate(lower), "seconds": seconds}
        proof = "sdp dual" if tree.n_nodes <= 1 else "sdp dual, branch and bound"
        return Answer(tree.labels, max(tree.lower, other), name if other > tree.lower else proof, history)

    def _grow(self, most: int) -> None:
        """Explore nodes up to this total number."""
        problem = self.problem
        self.tree.run(self._improve, problem.deadline, max_nodes=most, n_jobs=problem.n_jobs, progress=problem.progress)

    def _improve(self, Z: NDArray[np.float64] | None, links: Links) -> tuple[NDArray[np.int64], float]:
        """A clustering near a node's relaxation Z, or of a leaf, and its value; infinity where none is allowed."""
        problem, links_of_all = self.problem, self.model.links
        found = problem.leaf(links) if Z is None else round_projector(problem.X, Z, problem.polytope, links_of_all)
        if found is None or not problem.allows(found):
            return self.start, np.inf
        if Z is None and problem.value(found) < self.tree.value:
            found = local_search(problem.X, problem.polytope, found, links=links_of_all, rounds=0)
        return found, problem.value(found)

    def _beside(self, share: float, bound: Callable[[Deadline, Progress], float]) -> float:
        """Compute another bound within this share of the time left, and add it to the tree's log."""
        tree, deadline, progress = self.tree, self.problem.deadline, self.problem.progress
        left, before = deadline.share(share), tree.seconds

        def note(bound: float, seconds: float) -> None:
            tree.log.append((before + seconds, bound, tree.value))
            if progress is not None:
                progress(bound, deadline.elapsed)

        found = bound(left, note)
        note(found, left.elapsed)
        return found

    def _columns(self, left: Deadline, note: Progress) -> float:
        problem = self.problem
        return column_bound(problem.X, problem.polytope, self.tree.value, gap=self.gap, deadline=left, progress=note)

    def _centres(self, left: Deadline, note: Progress) -> float:
        problem, tree, bounds = self.problem, self.tree, whole_bounds(self.problem.polytope)
        better, found = centre_search(
            problem.X, *bounds, tree.value, gap=0.999 * self.gap, deadline=left, progress=note
        )
        if better is not None and problem.allows(better) and problem.value(better) < tree.value:
            tree.labels, tree.value = better, problem.value(better)
        return found
