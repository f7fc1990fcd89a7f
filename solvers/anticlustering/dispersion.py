"""The largest least distance within groups: bisection over thresholds, each a colouring of the pairs below it.

Groups whose distances are all at least t are those in which every pair closer than t is apart: a feasible set of whole
points, which HiGHS decides. Of k + 1 rows two are in one group, so that no dispersion exceeds the diameter of a row and
its k nearest. Distances are finitely many, so bisection ends with the optimum and its proof.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, NotOptimalError
from ...models.objectives.bound import Bound
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.scores.scores import DenseScores
from ..assignment.solve import solve


def most_dispersed(
    D: NDArray[np.float64], polytope: PartitionPolytope, deadline: Deadline
) -> tuple[NDArray[np.int64], float, Bound]:
    """Labels (n,), their least distance within a group, and the interval around the largest one."""
    levels, k = np.unique(D[np.triu_indices(len(D), 1)]), polytope.n_clusters

    def groups(t: float) -> NDArray[np.int64]:
        close = np.argwhere(np.triu(t > D, 1))
        stated = polytope.apart(close, name="closer than the threshold") if len(close) else polytope
        scores = DenseScores(np.zeros((len(D), k)))
        return solve(AssignmentModel(stated, scores), gap=1.0, time_limit=deadline.left).require_labels()

    def dispersion(labels: NDArray[np.int64]) -> float:
        same = np.triu(labels[:, None] == labels, 1)
        return float(D[same].min()) if same.any() else float(levels[-1])

    labels = groups(0.0)
    near = np.argsort(D, axis=1)[:, : k + 1]
    widest = D[near[:, :, None], near[:, None, :]].max(axis=(1, 2)).min() if k < len(D) else levels[-1]
    low, high = (int(np.searchsorted(levels, value)) for value in (dispersion(labels), widest))
    high += 1
    while high - low > 1 and deadline.allows():
        middle = (low + high) // 2
        try:
            better = groups(float(levels[middle]))
        except InfeasibleBoundsError:
            high = middle
        except NotOptimalError:  # neither proved nor refuted in time
            break
        else:
            labels, low = better, max(middle, int(np.searchsorted(levels, dispersion(better))))
    value = dispersion(labels)
    return labels, value, Bound(value, max(value, float(levels[high - 1])), "colourings by thresholds (HiGHS)")
