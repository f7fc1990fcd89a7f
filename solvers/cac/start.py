"""Starting partitions of CAC: k-means, random, or another partition; and from any partition into the size bounds."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ...base.checks import as_array
from ...base.errors import InvalidInputError, NotOptimalError
from ...base.jit import njit
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.shares import Split
from ...models.programs.assignment import AssignmentModel
from ..assignment.rounding import round_within
from ..assignment.solve import solve
from ..assignment.whole import GAP
from ..geometric.best_alternation import bounded_k_means
from ..partition import Partition
from ..partitioner import Partitioner
from ..transport.prices.equal_points import EqualPoints, are_whole
from .kernels import FAST, Descent, classes_left, count_points, join_cost, leave_cost, point_distances


def starting_labels(
    init: Any,
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    polytope: PartitionPolytope,
    n_init: int,
    rng: np.random.RandomState,
) -> NDArray[np.int64]:
    """Labels (n,) within the bounds of ``polytope``, but "k-means" ignores them; see `CAC` for ``init``."""
    if isinstance(init, str):
        if init == "k-means":
            return bounded_k_means(X, without_bounds(polytope), n_init, rng).labels
        if init == "random":
            if polytope.is_free:
                return rng.randint(polytope.n_clusters, size=polytope.n_points).astype(np.int64)
            model = AssignmentModel(polytope, rng.uniform(size=(polytope.n_points, polytope.n_clusters)))
            solution = solve(model)
            return _whole(model, solution.require_labels(), solution.splits)
        raise InvalidInputError(f"init={init!r} is not known: choose 'k-means', 'random', labels or a partition")
    labels = _given(init, X, y, polytope)
    if not polytope.contains(labels):
        sizes = polytope.sizes(labels).tolist()
        names = ", ".join(polytope.row_names)
        outside = "the size bounds" if polytope.is_plain else f"the bounds ({names}) or the mask"
        raise InvalidInputError(f"init has cluster sizes {sizes}, outside {outside}: start from one within them")
    return labels


def without_bounds(polytope: PartitionPolytope) -> PartitionPolytope:
    """All clusterings of the points of a polytope."""
    return PartitionPolytope(polytope.n_points, None, None, weights=polytope.weights, n_clusters=polytope.n_clusters)


def labels_within(descent: Descent, polytope: PartitionPolytope) -> NDArray[np.int64]:
    """Labels (n,) within the bounds of ``polytope``: those whose moves, each by itself, cost least in total."""
    scores = np.zeros((len(descent.X), polytope.n_clusters))
    move_scores(descent, scores)
    model = AssignmentModel(polytope, scores)
    alike = EqualPoints.among(scores) if polytope.is_plain and are_whole(polytope) else None
    solution = solve(model) if alike is None else solve(model, merged=alike)
    return _whole(model, solution.require_labels(), solution.splits)


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def move_scores(descent, scores):
    """Fill ``scores`` (n, k), 0 before: per unit of weight, any two of a point differ by what its move changes in
    phi."""
    X, y, w, labels, state, rule = descent
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
    whole = round_within(labels, splits, model.polytope).labels
    if model.polytope.contains(whole):
        return whole
    stated, gap = replace(model, polytope=model.polytope.whole()), GAP * abs(model.value(whole))
    with suppress(NotOptimalError):  # a start need not be the best: the first node of a tree mostly has one
        return solve(stated, gap=gap, nodes=1).require_labels()
    return solve(stated, gap=gap).require_labels()


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
            f"pass one cluster per row of X"
        )
    return labels.astype(np.int64)
