"""The global problem CSA: the clustering whose cluster sums of centred points have the largest sum of norms.

The methods, in the order tried, are those of `search`.
"""

from __future__ import annotations

from math import nextafter, sqrt

import numpy as np
from numpy.typing import NDArray

from ...models.objectives.interval import ROUNDOFF, centred, objective_interval, reach
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from .branch_and_bound import search_error
from .cones import direction_search
from .parts import bound_by_parts
from .problem import SMALL, Answer, GlobalProblem, exhaustive
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
    if X.shape[1] <= 3:
        found, _, upper = _directions(problem, Y, labels)
        slack += 0.0 if problem.plain else 2.0 * len(X) * ROUNDOFF * reach(Y)
        if not problem.plain:
            found = found if problem.allows(found) and problem.value(found) > problem.value(labels) else labels
        return Answer(found, nextafter(upper + slack, np.inf), "direction cones")
    return _squares_of_norms(problem, labels)


def _directions(
    problem: GlobalProblem, Y: NDArray[np.float64], labels: NDArray[np.int64]
) -> tuple[NDArray[np.int64], float, float]:
    """`direction_search` of the means of what must-links put together, weighted with their masses."""
    polytope, links = problem.polytope, problem.links or Links(len(Y))
    masses = np.bincount(links.blocks, polytope.point_weights)
    sums = np.column_stack([np.bincount(links.blocks, column) for column in Y.T])
    means = sums / np.where(masses > 0, masses, 1.0)[:, None]
    first = np.unique(links.blocks, return_index=True)[1]
    blocks = polytope
    if len(masses) < len(Y):
        slack = 0.5 * polytope.slack
        blocks = PartitionPolytope(len(masses), np.maximum(polytope.lower - slack, 0.0), polytope.upper + slack, masses)
    found, value, upper = direction_search(
        means,
        blocks,
        labels[first],
        conflicts=links.conflicts,
        gap=problem.gap,
        time_limit=problem.deadline,
        progress=problem.progress,
    )
    return found[links.blocks], value, upper


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
        lower = bound_by_parts(X, polytope, labels, target=target, deadline=problem.deadline, progress=problem.progress)
        return Answer(
            labels, sqrt(mass * max(total - lower, 0.0)) * (1.0 + 1e-15), "sum of squares, divide and conquer"
        )
    tree = SearchTree.start(LeastSquaresSDP(X, polytope, problem.links), labels, target, 0.0)

    def improve(Z: NDArray[np.float64] | None, links: Links) -> tuple[NDArray[np.int64], float]:
        leaf = problem.leaf(links) if Z is None else None
        return labels, np.inf if leaf is None else objective_interval(X, leaf, "lsa", polytope.weights)[0]

    tree.run(improve, problem.deadline, max_nodes=problem.max_nodes, n_jobs=problem.n_jobs)
    upper = sqrt(mass * max(total - tree.lower, 0.0)) * (1.0 + 1e-15)
    return Answer(labels, upper, "sum of squares, sdp dual")
