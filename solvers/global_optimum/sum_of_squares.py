"""The global problem LSA: bounds on the least within-cluster sum of squares, in the order of `search`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from ..exchange.local_search import local_search
from .bound_by_parts import LEAST_GAP, MOST, bound_by_parts
from .branch_and_bound import EXHAUSTIVE
from .cascade import BoundMethod, Known
from .directions import best_on_a_line, kinds_of, whole_bounds
from .incumbent import clustering_of, first_clustering, round_projector
from .low_dimension.centre_boxes import centre_search
from .low_dimension.columns import HIGHEST, column_bound
from .problem import GlobalProblem
from .tree import SearchTree

MEDIUM = 500  # Up to this many points boxes of centres, or the tree alone, beat column generation.


def _in_columns(problem: GlobalProblem) -> bool:
    low = problem.links is None and problem.X.shape[1] <= HIGHEST
    return low and (problem.too_large or len(problem.X) > MEDIUM)


def _in_columns_only(problem: GlobalProblem) -> bool:
    """Of many points, whose parts know no lower bounds."""
    return _in_columns(problem) and problem.too_large and bool(problem.polytope.lower.any())


def _in_parts(problem: GlobalProblem) -> bool:
    return problem.too_large and not _in_columns_only(problem)


def _in_boxes(problem: GlobalProblem) -> bool:
    (n, d), k = problem.X.shape, problem.polytope.n_clusters
    few = d <= HIGHEST and n <= MEDIUM and k * d <= 16  # else there are too many boxes
    return few and problem.plain and not problem.too_large and kinds_of(problem.relaxation) is not None


def _path(known: Known, deadline: Deadline) -> None:
    X, polytope = known.problem.X, known.problem.polytope
    found = best_on_a_line(X[:, np.ptp(X, axis=0).argmax()], polytope, deadline)
    if found is not None:
        known.offer(clustering_of(found[0], polytope))
        known.prove(found[1], PATH)


def _columns(known: Known, deadline: Deadline) -> None:
    problem = known.problem
    column_bound(
        problem.X, problem.polytope, known.value, gap=problem.gap, deadline=deadline,
        progress=lambda bound: known.prove(bound, COLUMNS),
    )  # fmt: skip


def _centres(known: Known, deadline: Deadline) -> None:
    problem = known.problem
    centre_search(
        problem.X, *whole_bounds(problem.polytope), known.value, gap=problem.gap, deadline=deadline,
        found=known.offer, progress=lambda bound: known.prove(bound, CENTRES),
    )  # fmt: skip


def _parts(known: Known, deadline: Deadline) -> None:
    """The bound by parts that mirror the best clustering without the bounds that no part feels: lower bounds, which
    parts cannot have, and upper bounds that are larger than a part."""
    problem, labels = known.problem, known.labels
    X, polytope, unbounded = problem.X, problem.polytope, None
    felt = polytope.upper.min() < polytope.total * min(1.0, 1.5 * MOST / len(X))
    if polytope.lower.any() or not (felt or polytope.is_free):
        polytope = PartitionPolytope(len(X), 0, polytope.upper if felt else polytope.total, polytope.weights,
                                     n_clusters=polytope.n_clusters)  # fmt: skip
        found = first_clustering(X, polytope, "lsa", problem.links, n_init=10, seed=0, deadline=deadline.share(0.2))
        labels = min(labels, found, key=problem.value)
        unbounded = problem.value(labels)

    def prove(bound: float, count: int) -> None:
        known.prove(bound, PARTS, f"{PARTS.name} of {count} parts", unbounded)

    found = bound_by_parts(
        X, polytope, labels, target=problem.value(labels) * (1.0 - problem.gap), deadline=deadline,
        links=problem.links, progress=prove,
    )  # fmt: skip
    # the parts' relaxations may have led to something better, which need not keep the lower bounds
    known.offer(found)
    if unbounded is not None and known.method is PARTS:
        known.unbounded = min(unbounded, problem.value(found))


def _tree(known: Known, deadline: Deadline) -> None:
    """Branch and bound over pairs together or apart."""
    problem, start = known.problem, known.labels
    model = problem.relaxation
    tree = SearchTree.start(model, start, known.value, max(problem.gap * (1.0 - 1e-6), LEAST_GAP))

    def improve(Z: NDArray[np.float64] | None, links: Links) -> tuple[NDArray[np.int64], float]:
        """A clustering near a node's relaxation Z, or of a leaf, and its value; infinity where none is allowed."""
        found = problem.leaf(links) if Z is None else round_projector(problem.X, Z, problem.polytope, model.links)
        if found is None or not problem.allows(found):
            return start, np.inf
        if Z is None and problem.value(found) < tree.value:
            found = local_search(problem.X, problem.polytope, found, links=model.links, rounds=0)
        return found, problem.value(found)

    def prove(bound: float) -> None:
        known.offer(tree.labels)
        known.prove(bound, TREE, TREE.name if tree.nodes.n_nodes <= 1 else f"{TREE.name}, branch and bound")

    tree.run(improve, deadline, max_nodes=problem.max_nodes, n_jobs=problem.n_jobs, told=prove)


PATH = BoundMethod("shortest path", lambda problem: problem.plain and (np.ptp(problem.X, axis=0) > 0).sum() == 1, _path)
CENTRES = BoundMethod("boxes of centres", _in_boxes, _centres, share=0.5)
FIRST = BoundMethod(
    "column generation", lambda problem: _in_columns(problem) and not _in_columns_only(problem), _columns, share=0.3
)
COLUMNS = BoundMethod("column generation", _in_columns_only, _columns)
PARTS = BoundMethod("sdp dual", _in_parts, _parts)
TREE = BoundMethod("sdp dual", lambda problem: not problem.too_large, _tree)
METHODS = (PATH, EXHAUSTIVE, CENTRES, FIRST, COLUMNS, PARTS, TREE)
