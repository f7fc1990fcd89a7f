"""The global problem LSA: the clustering with the least within-cluster sum of squares.

The methods, in the order tried, are those of `search`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import nextafter

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.least_squares_sdp import LeastSquaresSDP
from ...models.links import Links
from ...models.objective_interval import TINY, objective_interval, power_of_two
from .branch_and_bound import search_error
from .centre_boxes import centre_search
from .columns import HIGHEST, column_bound
from .directions import best_on_a_line, kinds_of, whole_bounds
from .incumbent import clustering_of, round_projector
from .local_search import local_search
from .parts import bound_by_parts
from .problem import SMALL, Answer, GlobalProblem, Progress, exhaustive
from .tree import SearchTree

MEDIUM = 500  # points up to which one relaxation comes before column generation, unless sizes are tight
LEAST_GAP = 1e-9  # below which rounding keeps bounds of a tree from closing
LOOSE = 0.01  # gap of one relaxation from which on another bound is tried
COLUMNS = 0.3  # of the time left, for that bound
CENTRES = 0.5  # of the time left, for boxes of centres
NUMBERS = 16  # coordinates of all centres beyond which there are too many boxes


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
    if len(X) <= SMALL and problem.plain:
        labels, finished = exhaustive(problem, X, labels)
        if finished:
            # what underflows in the squares of points divided by their largest coordinate
            lost = len(X) * X.size * TINY * power_of_two(X) ** 2
            lower = objective_interval(X, labels, "lsa")[0] * (1.0 - search_error(X, polytope.n_clusters, "lsa"))
            return Answer(labels, max(0.0, nextafter(lower - lost, -np.inf)), "branch and bound")
    if problem.too_large and X.shape[1] <= HIGHEST:
        lower = column_bound(
            X, polytope, problem.value(labels), gap=problem.gap, deadline=problem.deadline, progress=problem.progress
        )
        return Answer(labels, lower, "column generation")
    if problem.too_large:
        target = problem.value(labels) * (1.0 - problem.gap)
        lower = bound_by_parts(X, polytope, labels, target=target, deadline=problem.deadline, progress=problem.progress)
        return Answer(labels, lower, "divide and conquer, sdp dual")
    return _tree(problem, labels)


def _tree(problem: GlobalProblem, labels: NDArray[np.int64]) -> Answer:
    """Branch and bound over pairs together or apart; in low dimension another bound before or after the first node."""
    X, polytope, deadline = problem.X, problem.polytope, problem.deadline
    model, gap = LeastSquaresSDP(X, polytope, problem.links), max(problem.gap * (1.0 - 1e-6), LEAST_GAP)
    tree = SearchTree.start(model, labels, problem.value(labels), gap)
    if problem.checkpoint is not None and problem.checkpoint.exists():
        tree.take_up(problem.checkpoint)

    def improve(Z: NDArray[np.float64] | None, links: Links) -> tuple[NDArray[np.int64], float]:
        found = problem.leaf(links) if Z is None else round_projector(X, Z, polytope, model.links)
        if found is None or not problem.allows(found):
            return labels, np.inf
        if Z is None and problem.value(found) < tree.value:
            found = local_search(X, polytope, found, links=model.links, rounds=0)
        return found, problem.value(found)

    def grow(most: int) -> None:
        tree.run(improve, deadline, max_nodes=most, n_jobs=problem.n_jobs, progress=problem.progress)

    def beside(share: float, bound: Callable[[Deadline, Progress], float]) -> float:
        left, before = Deadline(None if deadline.left is None else share * deadline.left), tree.seconds

        def note(bound: float, seconds: float) -> None:
            tree.log.append((before + seconds, bound, tree.value))
            if problem.progress is not None:
                problem.progress(bound, deadline.elapsed)

        found = bound(left, note)
        note(found, left.elapsed)
        return found

    def columns(left: Deadline, note: Progress) -> float:
        return column_bound(X, polytope, tree.value, gap=gap, deadline=left, progress=note)

    def centres(left: Deadline, note: Progress) -> float:
        bounds = whole_bounds(polytope)
        better, found = centre_search(X, *bounds, tree.value, gap=0.999 * gap, deadline=left, progress=note)
        if better is not None and problem.allows(better) and problem.value(better) < tree.value:
            tree.labels, tree.value = better, problem.value(better)
        return found

    other, low, name = 0.0, X.shape[1] <= HIGHEST, "column generation"
    many = low and len(X) > MEDIUM
    few = low and not many and polytope.n_clusters * X.shape[1] <= NUMBERS
    tight = few and problem.links is None and kinds_of(model) is not None
    try:
        if tight:
            other, name = beside(CENTRES, centres), "boxes of centres"
        elif not many:
            grow(tree.n_nodes + 1 if low else problem.max_nodes)
        if low and not tight and tree.lower < (tree.cutoff if many else tree.value * (1.0 - LOOSE)):
            other = beside(COLUMNS if many else 0.3 * COLUMNS, columns)
        grow(problem.max_nodes if other < tree.cutoff else tree.n_nodes)
    finally:
        if problem.checkpoint is not None:
            tree.save(problem.checkpoint)
    seconds, lower, upper = np.array(tree.log).T
    history = {"objective": upper, "bound": np.maximum.accumulate(lower), "seconds": seconds}
    proof = "sdp dual" if tree.n_nodes <= 1 else "sdp dual, branch and bound"
    proof = name if other > tree.lower else proof
    return Answer(tree.labels, max(tree.lower, other), proof, history)
