"""Starting partitions of CAC: k-means (with size bounds where given), random, or another partition."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...models.assignment import AssignmentModel
from ...models.links import Links
from ...models.polytope import PartitionPolytope
from ...models.shares import Split
from ..assignment.linked import solve_linked
from ..assignment.rounding import round_within
from ..assignment.solve import solve
from ..geometric.bounded_k_means import best_alternation, bounded_k_means
from ..geometric.problem import GeometricProblem
from ..partition import Partition
from ..partitioner import Partitioner

ENOUGH = 3e-4  # relative; smaller steps of the bounded k-means are left to the moves and exchanges that follow


class _Start(GeometricProblem):
    """Bounded k-means that ends where a step gains little."""

    def better(self, new: float, old: float) -> bool:
        """Whether a sum of squares is less by enough."""
        return old - new > ENOUGH * old


def starting_labels(
    init: Any,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    polytope: PartitionPolytope,
    n_init: int,
    max_iter: int,
    rng: np.random.RandomState,
) -> NDArray[np.int64]:
    """Labels (n,) that respect the bounds of ``polytope``; see `CAC` for ``init`` and ``max_iter``.

    Raises
    ------
    InvalidInputError
        When ``init`` is not known, has the wrong shape or values, or violates the bounds.
    InfeasibleBoundsError
        When no clustering without split points was found for weighted points.
    """
    if isinstance(init, str):
        if init == "k-means":
            return _k_means_labels(X, polytope, n_init, max_iter, rng)
        if init == "random":
            return _at_random(polytope, rng)
        raise InvalidInputError(f"init={init!r} is not known: choose 'k-means', 'random', labels or a partition")
    labels = _given(init, X, y, polytope)
    if not polytope.contains(labels):
        sizes = polytope.sizes(labels).tolist()
        outside = (
            "the size bounds" if polytope.is_plain else f"the bounds ({', '.join(polytope.row_names)}) or the mask"
        )
        raise InvalidInputError(f"init has cluster sizes {sizes}, outside {outside}: start from one within them")
    return labels


def _k_means_labels(
    X: NDArray[np.float64], polytope: PartitionPolytope, n_init: int, max_iter: int, rng: np.random.RandomState
) -> NDArray[np.int64]:
    """The best of ``n_init`` runs of k-means; with size bounds, exact bounded k-means from the centres of that run.

    To repeat the bounded runs as well costs more than everything that follows, and does not improve the ends of CAC.
    """
    n, k = polytope.n_points, polytope.n_clusters
    free = polytope if polytope.is_free else PartitionPolytope(n, None, None, weights=polytope.weights, n_clusters=k)
    best = bounded_k_means(X, free, n_init, rng)
    if polytope.is_free:
        return best.labels
    assert best.power_diagram is not None
    problem = _Start.of(X, polytope, "lsa")
    run = best_alternation(problem, rng, init=best.power_diagram.sites, max_iter=max_iter)
    return _whole(problem.model(run.sites), run.step.solution.require_labels(), run.step.splits)


def _whole(model: AssignmentModel, labels: NDArray[np.int64], splits: tuple[Split, ...]) -> NDArray[np.int64]:
    """Labels (n,) within all bounds, near an assignment that splits points."""
    if model.polytope.is_plain:
        return repair(labels, model.polytope)
    whole = round_within(labels, splits, model.polytope).labels
    if model.polytope.contains(whole):
        return whole
    return solve_linked(model, Links(len(labels)), "heuristic").labels


def _given(init: Any, X: NDArray[np.float64], y: NDArray[np.int64], polytope: PartitionPolytope) -> NDArray[np.int64]:
    """Labels of an array, a partition, or a strategy that is fitted first."""
    if isinstance(init, Partitioner):
        weights = polytope.weights if init.needs.sample_weight and polytope.is_plain else None
        more = {} if polytope.is_plain else {"polytope": polytope}
        init = clone(init).fit(X, y, sample_weight=weights, **more).labels_
    labels = np.asarray(init.labels if isinstance(init, Partition) else init)
    n, k = polytope.n_points, polytope.n_clusters
    if labels.shape != (n,) or labels.dtype.kind not in "iu" or labels.min() < 0 or labels.max() >= k:
        raise InvalidInputError(
            f"init has shape {labels.shape} and type {labels.dtype}, expected ({n},) integers from 0 to {k - 1}: "
            f"pass one cluster a row of X"
        )
    return labels.astype(np.int64)


def _at_random(polytope: PartitionPolytope, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Points in random order fill the lower bounds, the rest goes anywhere where there is room."""
    n, k = polytope.n_points, polytope.n_clusters
    weights = polytope.point_weights
    if polytope.is_free:
        return rng.randint(k, size=n).astype(np.int64)
    if not polytope.is_plain:  # a clustering that random scores choose
        model = AssignmentModel(polytope, rng.uniform(size=(n, k)))
        solution = solve(model)
        return _whole(model, solution.require_labels(), solution.splits)
    labels, load = np.zeros(n, dtype=np.int64), np.zeros(k)
    for j in rng.permutation(n):
        room = np.flatnonzero(load + weights[j] <= polytope.upper)
        hungry = np.flatnonzero(load + weights[j] <= polytope.lower)
        among = hungry if hungry.size else room
        labels[j] = among[rng.randint(among.size)] if among.size else int((load - polytope.upper).argmin())
        load[labels[j]] += weights[j]
    return repair(labels, polytope)


def repair(labels: NDArray[np.int64], polytope: PartitionPolytope) -> NDArray[np.int64]:
    """Move single weighted points until the bounds hold: rounding a split point can violate them.

    Raises
    ------
    InfeasibleBoundsError
        When single moves do not get there; whether an unsplit clustering exists is NP-hard to decide.
    """
    labels, weights = labels.copy(), polytope.weights
    if weights is None:
        return labels
    while not polytope.contains(labels):
        load = polytope.sizes(labels)
        excess = _violation(load, polytope)
        leave = _violation(load[labels] - weights, polytope, labels) - excess[labels]
        join = _violation(load + weights[:, None], polytope) - excess
        change = leave[:, None] + join
        change[np.arange(len(labels)), labels] = 0.0
        point, target = np.unravel_index(int(change.argmin()), change.shape)
        if change[point, target] >= -1e-9 * polytope.total:
            raise InfeasibleBoundsError(
                f"cluster weights {load.tolist()} violate the size bounds and no single point mends them: widen the "
                f"bounds by up to the largest weight, {weights.max():.6g}"
            )
        labels[point] = target
    return labels


def _violation(
    load: NDArray[np.float64], polytope: PartitionPolytope, cluster: NDArray[np.int64] | slice = slice(None)
) -> NDArray[np.float64]:
    """How far weights are outside the bounds of their clusters."""
    over = np.maximum(load - polytope.upper[cluster], 0.0)
    return over + np.maximum(polytope.lower[cluster] - load, 0.0)
