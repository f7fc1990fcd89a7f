"""Feasible clusterings for the global problems: where alternations end, from random sites or those of a bound."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import UNLIMITED, Deadline
from ...models.polytope import PartitionPolytope
from ..geometric.bounded_k_means import best_alternation, partition_of
from ..geometric.problem import GeometricProblem, Init
from ..partition import Partition


def iterate(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    objective: Literal["csa", "lsa"],
    init: Init = "k-means++",
    *,
    n_init: int = 1,
    seed: int = 0,
    deadline: Deadline = UNLIMITED,
) -> Partition:
    """Where the best of some alternations ends."""
    problem = GeometricProblem.of(X, polytope, objective)
    run = best_alternation(problem, np.random.RandomState(seed), init=init, n_init=n_init, deadline=deadline)
    return partition_of(problem, run)


def round_projector(X: NDArray[np.float64], Z: NDArray[np.float64], polytope: PartitionPolytope) -> NDArray[np.int64]:
    """A clustering from a relaxed projector: the iteration started at the centres that Z suggests."""
    from sklearn.cluster import KMeans

    values, vectors = np.linalg.eigh(0.5 * (Z + Z.T))
    k = polytope.n_clusters
    embedding = vectors[:, -k:] * np.sqrt(np.maximum(values[-k:], 0.0))
    groups = KMeans(k, n_init=10, random_state=0).fit_predict(embedding)
    centres = np.array([(Z[groups == i].mean(axis=0) @ X) if (groups == i).any() else X[i] for i in range(k)])
    return iterate(X, polytope, "lsa", centres).labels
