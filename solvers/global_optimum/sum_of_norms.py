"""The global problem CSA: the clustering whose cluster sums of centred points have the largest sum of norms.

The methods, in the order tried, are those of `search`.
"""

from __future__ import annotations

from math import nextafter, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.objectives.interval import ROUNDOFF, centred, objective_interval, power_of_two, reach
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from .branch_and_bound import search_error
from .cones import direction_search
from .parts import bound_by_parts
from .problem import SMALL, Answer, GlobalProblem, exhaustive
from .sum_boxes import box_search
from .tree import SearchTree


def search_csa(problem: GlobalProblem, labels: NDArray[np.int64]) -> Answer:
    """The best clustering found, and an upper bound on the optimum."""
    X, polytope = problem.X, problem.polytope
    if LeastSquaresSDP(X, polytope).n_filled[1] == 1:
        return Answer(labels, 0.0, "branch and bound")  # the only sum is that of all centred points
    Y, slack = centred(X, polytope.weights)
    if len(X) <= SMALL and problem.links is None:
        labels, finished = exhaustive(problem, Y, labels)
        if finished:
            error = search_error(Y, polytope.n_clusters, "csa") + 2.0 * slack
            upper = objective_interval(X, labels, "csa", polytope.weights)[1]
            return Answer(labels, nextafter(upper + error, np.inf) if error else upper, "branch and bound")
    few = len(X) <= 2500 and X.shape[1] > 2  # a box is a program of n k columns, a cone one of k prices
    if X.shape[1] <= 3:
        return _directions(problem, Y, labels, slack, "boxes" if few and len(X) <= 600 else "cones", problem.deadline)
    if not (few and _is_elongated(Y)):
        return _squares_of_norms(problem, labels)
    left = problem.deadline.left
    boxes = _directions(problem, Y, labels, slack, "boxes", Deadline(None if left is None else 0.75 * left))
    if problem.bound(boxes.labels, boxes.limit, "").gap <= problem.gap:
        return boxes
    squares = _squares_of_norms(problem, boxes.labels)
    return squares if squares.limit < boxes.limit else boxes


def _is_elongated(Y: NDArray[np.float64]) -> bool:
    """Whether two axes hold most of the squares of the points, so that boxes are cut along few others."""
    squares = np.linalg.svd(Y / power_of_two(Y), compute_uv=False) ** 2
    return bool(squares[:2].sum() >= 0.9 * squares.sum())


def _directions(
    problem: GlobalProblem,
    Y: NDArray[np.float64],
    labels: NDArray[np.int64],
    slack: float,
    kind: Literal["boxes", "cones"],
    deadline: Deadline,
) -> Answer:
    """Search among sums of the means of what must-links put together, weighted with their masses."""
    polytope, links = problem.polytope, problem.links or Links(len(Y))
    masses = np.bincount(links.blocks, polytope.point_weights)
    sums = np.column_stack([np.bincount(links.blocks, column) for column in Y.T])
    means = sums / np.where(masses > 0, masses, 1.0)[:, None]
    first = np.unique(links.blocks, return_index=True)[1]
    blocks = polytope
    if len(masses) < len(Y):
        room = 0.5 * polytope.slack
        blocks = PartitionPolytope(len(masses), np.maximum(polytope.lower - room, 0.0), polytope.upper + room, masses)
    labels_of_blocks, _, upper = (box_search if kind == "boxes" else direction_search)(
        means,
        blocks,
        labels[first],
        conflicts=links.conflicts,
        gap=problem.gap,
        time_limit=deadline,
        progress=problem.progress,
    )
    better = labels_of_blocks[links.blocks]
    if not problem.plain:
        slack += 2.0 * len(Y) * ROUNDOFF * reach(Y)
        better = better if problem.allows(better) and problem.value(better) > problem.value(labels) else labels
    proof = "boxes of cluster sums" if kind == "boxes" else "direction cones"
    return Answer(better, nextafter(upper + slack, np.inf), proof)


def _squares_of_norms(problem: GlobalProblem, labels: NDArray[np.int64]) -> Answer:
    """Bound the sum of norms by a bound on the sum of squares."""
    X, polytope = problem.X, problem.polytope
    everything = np.zeros(len(X), dtype=np.int64)
    total, mass = objective_interval(X, everything, "lsa", polytope.weights)[1], polytope.total * (1.0 + 1e-12)
    # the W at which the gap is closed
    target = total - (problem.value(labels) / (1.0 - min(problem.gap * (1.0 - 1e-6), 0.5))) ** 2 / mass
    if not target > 0:
        return Answer(labels, sqrt(mass * total) * (1.0 + 1e-15), "sum of squares")
    if problem.too_large:
        found = bound_by_parts(
            X, polytope, labels, target=target, deadline=problem.deadline, links=problem.links,
            progress=problem.progress,
        )  # fmt: skip
        most = sqrt(mass * max(total - found.lower, 0.0)) * (1.0 + 1e-15)
        return Answer(labels, most, f"sum of squares, sdp dual of {found.n_parts} parts")
    tree = SearchTree.start(LeastSquaresSDP(X, polytope, problem.links), labels, target, 0.0)

    def improve(Z: NDArray[np.float64] | None, links: Links) -> tuple[NDArray[np.int64], float]:
        leaf = problem.leaf(links) if Z is None else None
        return labels, np.inf if leaf is None else objective_interval(X, leaf, "lsa", polytope.weights)[0]

    tree.run(improve, problem.deadline, max_nodes=problem.max_nodes, n_jobs=problem.n_jobs)
    upper = sqrt(mass * max(total - tree.lower, 0.0)) * (1.0 + 1e-15)
    return Answer(labels, upper, "sum of squares, sdp dual")
