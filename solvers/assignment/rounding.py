"""Whole labels: for an assignment that splits weighted points, and where some labels are given.

A vertex of the weighted partition polytope splits at most k - 1 points. Putting each of them into one of its
clusters moves every size by less than the weight of the points involved; the bounds can then be broken, and by how
much is part of the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InfeasibleBoundsError
from ...models.assignment import AssignmentModel
from ...models.certificate import Certificate, Split
from ...models.polytope import PartitionPolytope
from .solve import solve


class WholeAssignment(NamedTuple):
    """An assignment that splits no point.

    Attributes
    ----------
    labels : (n,) ndarray of int64
        Cluster of every point.
    sizes : (k,) ndarray
        Sums of weights.
    violation : float
        Largest weight by which a bound is broken; 0 when none is.
    """

    labels: NDArray[np.int64]
    sizes: NDArray[np.float64]
    violation: float


def round_fractional(
    labels: NDArray[np.int64],
    splits: Sequence[Split],
    weights: NDArray[np.float64],
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
) -> WholeAssignment:
    """Put every split point into one of the clusters that share it.

    Parameters
    ----------
    labels : (n,) ndarray
        Clusters; entries of split points are ignored.
    splits : sequence of (point, cluster, share)
        Shares of the split points.
    weights : (n,) ndarray
        Point weights.
    lower, upper : (k,) ndarray
        Bounds on the sums of weights.

    Returns
    -------
    WholeAssignment

    Notes
    -----
    A heuristic: heaviest point first, each goes where the bounds are then broken least, to its largest share on
    ties. Every cluster that shares a point is optimal for it at the prices of the assignment, so the choice
    changes the score of the clustering only through its sizes. O(k s) for s shares.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers.assignment.rounding import round_fractional
    >>> half = [(1, 0, 0.5), (1, 1, 0.5)]
    >>> round_fractional(np.array([0, 0, 1]), half, np.array([1.0, 2.0, 1.5]), np.zeros(2), np.full(2, 3.0)).violation
    0.0
    """
    shares: dict[int, list[tuple[float, int]]] = {}
    for point, cluster, share in splits:
        shares.setdefault(int(point), []).append((share, int(cluster)))
    whole = labels.astype(np.int64)
    sizes = np.bincount(whole, weights, minlength=lower.size).astype(np.float64)
    for point in shares:
        sizes[whole[point]] -= weights[point]

    for point in sorted(shares, key=lambda p: (-weights[p], p)):
        choices = []
        for share, cluster in shares[point]:
            trial = sizes.copy()
            trial[cluster] += weights[point]
            choices.append((float(_broken(trial, lower, upper).sum()), -share, cluster))
        whole[point] = min(choices)[2]
        sizes[whole[point]] += weights[point]
    sizes = np.bincount(whole, weights, minlength=lower.size).astype(np.float64)
    worst = float(_broken(sizes, lower, upper).max(initial=0.0))
    return WholeAssignment(whole, sizes, worst if worst > 1e-12 * float(weights.sum()) else 0.0)


def _broken(sizes: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.maximum(np.maximum(sizes - upper, lower - sizes), 0.0)


def assign_with_given(
    scores: NDArray[np.float64], given: NDArray[np.int64], polytope: PartitionPolytope
) -> tuple[NDArray[np.int64], Certificate | None]:
    """Labels (n,) that keep the given ones (n,), -1 for none, and maximise the other points' scores (n, k) in bounds.

    The proof is that of the other points; there is none where every point may take its best cluster.
    InfeasibleBoundsError when the given labels alone leave no room within the bounds.
    """
    polytope.require_plain("the assignment with given labels")
    labels = given.copy()
    free = np.flatnonzero(given < 0)
    taken = np.bincount(given[given >= 0], minlength=polytope.n_clusters)
    wrong = (taken > polytope.upper) | ((taken < polytope.lower) & (free.size == 0))
    if wrong.any():
        i = int(wrong.argmax())
        raise InfeasibleBoundsError(
            f"{taken[i]} rows carry the label of cluster {i}, whose bounds are "
            f"[{polytope.lower[i]:g}, {polytope.upper[i]:g}]: change the bounds or the labels"
        )
    if polytope.is_free or free.size == 0:
        labels[free] = scores[free].argmax(axis=1)
        return labels, None
    rest = PartitionPolytope(len(free), np.maximum(polytope.lower - taken, 0.0), polytope.upper - taken)
    rest.check()
    solution = solve(AssignmentModel(rest, scores[free]))
    labels[free] = solution.require_labels()
    return labels, solution.verify().sealed(labels, ())  # proves the points without a label, belongs to all
