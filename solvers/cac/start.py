"""Starting partitions of CAC: k-means, random, or another partition; and from any partition into the size bounds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ...base.checks import as_array
from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...base.jit import njit
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.shares import Split
from ...models.programs.assignment import AssignmentModel
from ..assignment.rounding import round_within
from ..assignment.solve import solve
from ..assignment.whole import GAP
from ..geometric.bounded_k_means import bounded_k_means
from ..partition import Partition
from ..partitioner import Partitioner
from ..transport.prices.equal_points import EqualPoints, are_whole
from .kernels import FAST, Rule, State, classes_left, count_points, join_cost, leave_cost, point_distances


def starting_labels(
    init: Any,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    polytope: PartitionPolytope,
    n_init: int,
    rng: np.random.RandomState,
) -> NDArray[np.int64]:
    """Labels (n,) that respect the bounds of ``polytope``, but for "k-means", which knows none; see `CAC` for
    ``init``."""
    if isinstance(init, str):
        if init == "k-means":
            return bounded_k_means(X, without_bounds(polytope), n_init, rng).labels
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


def without_bounds(polytope: PartitionPolytope) -> PartitionPolytope:
    """All clusterings of the points of a polytope."""
    return PartitionPolytope(polytope.n_points, None, None, weights=polytope.weights, n_clusters=polytope.n_clusters)


def labels_within(
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    labels: NDArray[np.int64],
    state: State,
    rule: Rule,
    polytope: PartitionPolytope,
) -> NDArray[np.int64]:
    """Labels (n,) within the bounds of ``polytope``: those whose moves, each by itself, cost least in total."""
    scores = np.zeros((len(X), polytope.n_clusters))
    move_scores(X, y, np.array(polytope.point_weights), labels, state, rule, scores)
    model = AssignmentModel(polytope, scores)
    alike = EqualPoints.among(scores) if polytope.is_plain and are_whole(polytope) else None
    solution = solve(model) if alike is None else solve(model, merged=alike)
    return _whole(model, solution.require_labels(), solution.splits)


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def move_scores(X, y, w, labels, state, rule, scores):
    """Fill ``scores`` (n, k), 0 before: per unit of weight, any two of a point differ by what its move changes in
    phi."""
    mean, class_mean, W, Wa, many, B, P = state
    for i in range(len(X)):
        p, a = labels[i], y[i]
        if w[i] <= 0.0:
            continue
        for q in range(len(W)):
            near, own = point_distances(X, i, mean, class_mean, q, a)
            given = W[q], Wa[q, a], many[q, a], B[q], P[q], w[i], near, own, rule.alpha, rule.by_size
            if q != p:
                scores[i, q] = -join_cost(*given)[0] / w[i]
            elif count_points(many, p) > 1:
                scores[i, p] = leave_cost(*given, classes_left(many, P, p, a))[0] / w[i]


def _whole(model: AssignmentModel, labels: NDArray[np.int64], splits: tuple[Split, ...]) -> NDArray[np.int64]:
    """Labels (n,) within all bounds, near an assignment that splits points."""
    if model.polytope.is_plain:
        return repair(labels, model.polytope)
    whole = round_within(labels, splits, model.polytope).labels
    if model.polytope.contains(whole):
        return whole
    stated = replace(model, polytope=model.polytope.whole())
    return solve(stated, gap=GAP * abs(model.value(whole))).require_labels()


def _given(init: Any, X: NDArray[np.float64], y: NDArray[np.int64], polytope: PartitionPolytope) -> NDArray[np.int64]:
    """Labels of an array, a partition, or a strategy that is fitted first."""
    if isinstance(init, Partitioner):
        weights = polytope.weights if init.needs.sample_weight and polytope.is_plain else None
        more = {} if polytope.is_plain else {"polytope": polytope}
        init = clone(init).fit(X, y, sample_weight=weights, **more).labels_
    labels = as_array(init.labels if isinstance(init, Partition) else init, "init")
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
    """Move single weighted points until the bounds hold: rounding a split point can violate them."""
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
