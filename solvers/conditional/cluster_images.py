"""The last step of several methods: k-means on an image of the points, within size bounds if there are any."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.objectives import sum_of_squares
from ...models.polytope.polytope import PartitionPolytope
from ..geometric.best_alternation import bounded_k_means
from ..partition import Partition


def unit_rows(U: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows scaled to length one; rows of zeros stay."""
    norms = np.linalg.norm(U, axis=1, keepdims=True)
    return U / np.where(norms > 0, norms, 1.0)


def first_appearance(labels: NDArray, k: int) -> NDArray[np.int64]:
    """Cluster numbers in the order of their first points; empty ones last."""
    first = np.full(k, len(labels))
    np.minimum.at(first, labels, np.arange(len(labels)))
    return np.argsort(first, kind="stable")


def cluster_images(
    U: NDArray[np.float64], polytope: PartitionPolytope, n_init: int, rng: np.random.RandomState
) -> Partition:
    """The rows of U (n, d) clustered by `bounded_k_means`, with the cells in the space of U."""
    partition = bounded_k_means(U, polytope, n_init, rng)
    labels, k, cells = partition.labels, polytope.n_clusters, partition.power_diagram
    assert cells is not None
    if polytope.is_free:
        order = first_appearance(labels, k)
        labels = np.argsort(order)[labels]
        cells = PowerDiagram(cells.sites[order], cells.prices[order], "lsa")
    return Partition(
        labels=labels,
        sizes=polytope.sizes(labels),
        objective=sum_of_squares(U, labels),
        certificate=partition.certificate,
        power_diagram=cells,
        n_iter=1,
    )
