"""Divide and conquer: a bound for many points from parts that mirror the whole.

The optimum is at least the sum of the optima of the parts of a partition of the points, each without lower bounds:
restricted to a part, the optimal clustering costs at least the part's optimum, and centres of its own only lower the
sum. Parts that mirror the whole lose little.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.least_squares_sdp import LeastSquaresSDP
from ...models.objective_interval import ROUNDOFF, objective_interval
from ...models.objectives import sum_of_squares
from ...models.polytope import PartitionPolytope
from .incumbent import iterate
from .sdp import sdp_relaxation

PART = 160  # points in a part of divide and conquer


def divide_and_conquer_bound(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    *,
    part: int = PART,
    gap: float = 5e-3,
    time_limit: float | Deadline | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> float:
    """A lower bound on the within-cluster sum of squares of many points.

    Parameters
    ----------
    X : (n, d) ndarray
        Points.
    polytope : PartitionPolytope
        Bounds of the whole; a part keeps the upper bounds, and no lower ones.
    labels : (n,) ndarray
        A good clustering: every part gets its share of every cluster, with nearly the cluster's mean.
    part : int
        Points a part.
    gap : float
        Gap of each part's relaxation, to the best clustering of the part found from its share of ``labels``.
    time_limit : float or Deadline, optional
        Seconds; parts not reached count as 0.
    progress : callable, optional
        Called with (bound so far, seconds) after every part.

    Returns
    -------
    float
        Valid whatever ``labels`` is: restricting the optimal clustering to a part costs at least the part's
        optimum, and centres of its own only lower the sum.
    """
    deadline, total = time_limit if isinstance(time_limit, Deadline) else Deadline(time_limit), 0.0
    n_parts = max(1, round(len(X) / part))
    for members in mirror_parts(X, labels, n_parts, deadline):
        if not deadline.allows():
            break
        weights = None if polytope.weights is None else polytope.weights[members]
        most = len(members) if weights is None else weights.sum()
        inner = PartitionPolytope(len(members), 0, np.minimum(polytope.upper, most), weights)
        value = _part_value(X[members], labels[members], inner)
        total += sdp_relaxation(LeastSquaresSDP(X[members], inner), value, gap=gap, time_limit=deadline)[0]
        if progress is not None:
            progress(total, deadline.elapsed)
    return max(0.0, total * (1.0 - (n_parts + 1) * ROUNDOFF))


def _part_value(X: NDArray[np.float64], labels: NDArray[np.int64], polytope: PartitionPolytope) -> float:
    """Value of a good clustering of a part: where the iteration ends that starts at its share of the whole's."""
    share = objective_interval(X, labels, "lsa", polytope.weights)[1]
    if polytope.weights is not None or len(np.unique(labels)) < polytope.n_clusters:
        return share
    centres = np.array([X[labels == i].mean(axis=0) for i in range(polytope.n_clusters)])
    own = iterate(X, polytope, "lsa", centres).labels
    return min(share, sum_of_squares(X, own))


def mirror_parts(
    X: NDArray[np.float64], labels: NDArray[np.int64], n_parts: int, deadline: Deadline | None = None
) -> list[NDArray[np.int64]]:
    """Split points into parts that mirror every cluster: equal shares, and means near the cluster's.

    Far points first, each goes to the part whose sum of deviations it cancels best among those with room. Points that
    are not reached in time are in no part.
    """
    parts: list[list[int]] = [[] for _ in range(n_parts)]
    for i in np.unique(labels):
        members = np.flatnonzero(labels == i)
        deviation = X[members] - X[members].mean(axis=0)
        room = np.full(n_parts, len(members) // n_parts)
        lightest = np.argsort([len(p) for p in parts], kind="stable")
        room[lightest[: len(members) % n_parts]] += 1
        drift = np.zeros((n_parts, X.shape[1]))
        for j in np.argsort(-np.linalg.norm(deviation, axis=1), kind="stable"):
            growth = np.where(room > 0, 2.0 * drift @ deviation[j], np.inf)
            target = int(np.argmin(growth))
            drift[target] += deviation[j]
            room[target] -= 1
            parts[target].append(int(members[j]))
            if deadline is not None and not deadline.allows():
                break
    return [np.array(sorted(p)) for p in parts if p]
