"""The global problem CSA: bounds on the largest sum of norms of the cluster sums, in the order of `search`."""

from __future__ import annotations

from collections.abc import Callable
from math import nextafter, sqrt

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.objectives.interval import ROUNDOFF, objective_interval, power_of_two, reach
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from .bound_by_parts import bound_by_parts
from .branch_and_bound import EXHAUSTIVE
from .cascade import BoundMethod, Known
from .low_dimension.columns import HIGHEST
from .low_dimension.cones import direction_search
from .norm_search import NormSearch
from .problem import GlobalProblem
from .sum_boxes import box_search
from .tree import SearchTree


def _in_boxes(problem: GlobalProblem) -> bool:
    """In space, or where two axes hold most of the squares of the points, so that boxes are cut along few others."""
    n, d = problem.X.shape
    if d <= HIGHEST or n > 2500:  # a box is a program of n k columns, a cone one of k prices
        return d == HIGHEST and n <= 600
    Y = problem.centred[0]
    squares = np.linalg.svd(Y / power_of_two(Y), compute_uv=False) ** 2
    return bool(squares[:2].sum() >= 0.9 * squares.sum())


def _in_cones(problem: GlobalProblem) -> bool:
    return problem.X.shape[1] <= HIGHEST and not _in_boxes(problem)


def _cones(known: Known, deadline: Deadline) -> None:
    _directions(known, deadline, CONES, direction_search)


def _boxes(known: Known, deadline: Deadline) -> None:
    _directions(known, deadline, BOXES, box_search)


def _directions(known: Known, deadline: Deadline, method: BoundMethod, search: Callable[[NormSearch], float]) -> None:
    """Search among sums of the means of what must-links put together, weighted with their masses."""
    problem, (Y, slack) = known.problem, known.problem.centred
    polytope, links = problem.polytope, problem.links or Links(len(Y))
    masses = np.bincount(links.blocks, polytope.point_weights)
    sums = np.column_stack([np.bincount(links.blocks, column) for column in Y.T])
    means = sums / np.where(masses > 0, masses, 1.0)[:, None]
    first = np.unique(links.blocks, return_index=True)[1]
    blocks = polytope
    if len(masses) < len(Y):
        room = 0.5 * polytope.slack
        blocks = PartitionPolytope(len(masses), np.maximum(polytope.lower - room, 0.0), polytope.upper + room, masses)
    if not problem.plain:
        slack += 2.0 * len(Y) * ROUNDOFF * reach(Y)

    def prove(upper: float) -> None:
        known.offer(asked.labels[links.blocks])
        known.prove(nextafter(upper + slack, np.inf), method)

    asked = NormSearch(means, blocks, known.labels[first], links.conflicts, problem.gap, deadline, told=prove)
    prove(search(asked))


def _squares(known: Known, deadline: Deadline) -> None:
    """Bound the sum of norms by a bound on the sum of squares."""
    problem, labels, X, weights = known.problem, known.labels, known.problem.X, known.problem.polytope.weights
    everything = np.zeros(len(X), dtype=np.int64)
    total, mass = objective_interval(X, everything, "lsa", weights)[1], problem.polytope.total * (1.0 + 1e-12)

    def prove(lower: float, by: str) -> None:
        most = sqrt(mass * max(total - lower, 0.0)) * (1.0 + 1e-15)
        known.prove(most, SQUARES, f"{SQUARES.name}{by}")

    # the W at which the gap is closed
    target = total - (known.value / (1.0 - min(problem.gap * (1.0 - 1e-6), 0.5))) ** 2 / mass
    if not target > 0:
        prove(0.0, "")
    elif problem.too_large:
        bound_by_parts(
            X, problem.polytope, labels, target=target, deadline=deadline, links=problem.links,
            progress=lambda bound, count: prove(bound, f", sdp dual of {count} parts"),
        )  # fmt: skip
    else:
        tree = SearchTree.start(problem.relaxation, labels, target, 0.0)

        def improve(Z: NDArray[np.float64] | None, links: Links) -> tuple[NDArray[np.int64], float]:
            leaf = problem.leaf(links) if Z is None else None
            return labels, np.inf if leaf is None else objective_interval(X, leaf, "lsa", weights)[0]

        tree.run(
            improve, deadline, max_nodes=problem.max_nodes, n_jobs=problem.n_jobs,
            told=lambda bound: prove(bound, ", sdp dual"),
        )  # fmt: skip


def _only(known: Known, deadline: Deadline) -> bool:
    """Of one cluster the only sum is that of all centred points."""
    known.prove(0.0, ONE)
    return True


ONE = BoundMethod("branch and bound", lambda problem: problem.relaxation.n_filled[1] == 1, _only)
CONES = BoundMethod("direction cones", _in_cones, _cones)
BOXES = BoundMethod("boxes of cluster sums", _in_boxes, _boxes, share=0.75)
SQUARES = BoundMethod("sum of squares", lambda problem: not _in_cones(problem), _squares)
METHODS = (ONE, EXHAUSTIVE, CONES, BOXES, SQUARES)
