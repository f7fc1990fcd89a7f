"""From an embedding or from scores to a partition within size bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from ...base.errors import InfeasibleBoundsError
from ...models.assignment import AssignmentModel
from ...models.certificate import Certificate
from ...models.polytope import PartitionPolytope
from ...models.power_diagram import PowerDiagram
from ..assignment.solve import solve
from ..geometric.partitioner import GeometricPartitioner


@dataclass(frozen=True, eq=False)
class Rounding:
    """Labels (n,), the cells that gave them (None for scores) and the proof of the assignment (None without bounds)."""

    labels: NDArray[np.int64]
    diagram: PowerDiagram | None
    certificate: Certificate | None

    @property
    def cells(self) -> PowerDiagram:
        """The cells of a clustering of rows."""
        assert self.diagram is not None
        return self.diagram


def is_bounded(polytope: PartitionPolytope) -> bool:
    """Whether any size bound can bind."""
    return bool((np.asarray(polytope.lower) > 0).any() or (np.asarray(polytope.upper) < polytope.total).any())


def unit_rows(U: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows scaled to length one; rows of zeros stay."""
    norms = np.linalg.norm(U, axis=1, keepdims=True)
    return U / np.where(norms > 0, norms, 1.0)


def cluster_rows(
    U: NDArray[np.float64], polytope: PartitionPolytope, n_init: int, rng: np.random.RandomState
) -> Rounding:
    """Best of ``n_init`` k-means runs on the rows of U (n, d), or of as many bounded least-squares partitions.

    Without bounds clusters are numbered by their first point, so that ties between runs do not show.
    """
    seed, k = int(rng.randint(np.iinfo(np.int32).max)), polytope.n_clusters
    if is_bounded(polytope):
        model = GeometricPartitioner(
            k, lower=polytope.lower, upper=polytope.upper, objective="lsa", n_init=n_init, random_state=seed
        ).fit(U)
        partition = model.partition_
        return Rounding(partition.labels, partition.power_diagram, partition.certificate)
    with threadpool_limits(limits=1):  # sums in one order, whatever the number of threads
        model = KMeans(k, n_init=n_init, random_state=seed).fit(U)
    order = first_appearance(model.labels_, k)
    labels = np.argsort(order)[model.labels_].astype(np.int64)
    return Rounding(labels, PowerDiagram(model.cluster_centers_[order], np.zeros(k), "lsa"), None)


def first_appearance(labels: NDArray, k: int) -> NDArray[np.int64]:
    """Cluster numbers in the order of their first points; empty ones last."""
    first = np.full(k, len(labels))
    np.minimum.at(first, labels, np.arange(len(labels)))
    return np.argsort(first, kind="stable")


def assign_scores(scores: NDArray[np.float64], given: NDArray[np.int64], polytope: PartitionPolytope) -> Rounding:
    """Labels (n,) that keep the given ones (n,), -1 for free, and maximise the free rows' scores (n, k) within bounds.

    Raises
    ------
    InfeasibleBoundsError
        When the given labels alone leave no room within the bounds.
    """
    labels = given.copy()
    free = np.flatnonzero(given < 0)
    if not is_bounded(polytope) or free.size == 0:
        labels[free] = scores[free].argmax(axis=1)
        _check_given(labels, polytope) if free.size == 0 else None
        return Rounding(labels, None, None)
    taken = np.bincount(given[given >= 0], minlength=polytope.n_clusters)
    _check_given(given[given >= 0], polytope, upper_only=True)
    rest = PartitionPolytope(
        len(free), np.maximum(np.asarray(polytope.lower) - taken, 0.0), np.asarray(polytope.upper) - taken
    )
    rest.check()
    solution = solve(AssignmentModel(rest, scores[free]))
    labels[free] = solution.require_labels()
    return Rounding(labels, None, solution.verify().sealed(labels, ()))  # proves the free rows, belongs to all


def _check_given(given: NDArray[np.int64], polytope: PartitionPolytope, upper_only: bool = False) -> None:
    taken = np.bincount(given, minlength=polytope.n_clusters)
    for i, count in enumerate(taken):
        low, up = float(np.asarray(polytope.lower)[i]), float(np.asarray(polytope.upper)[i])
        if count > up or (count < low and not upper_only):
            raise InfeasibleBoundsError(
                f"{int(count)} rows carry the label of cluster {i}, whose bounds are [{low:g}, {up:g}]: "
                "change the bounds or the labels"
            )
