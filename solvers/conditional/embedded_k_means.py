"""k-means on an image of the points, with size bounds where they are given: what several methods end in."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ...base.checks import check_clusters, check_positive
from ...models.polytope import PartitionPolytope
from ...models.power_diagram import PowerDiagram
from ..embedding import Cells, Embedding
from ..partition import Partition
from ..partitioner import Partitioner
from .rounding import Rounding, cluster_rows


class EmbeddedKMeans(Partitioner):
    """A strategy that maps the points and clusters their images by least squares.

    A subclass says in `_embed` how the map is found, and has the parameters ``n_init`` and ``max_exact``.
    """

    objective_sense: ClassVar[Literal["max", "min"]] = "min"

    def _partition(
        self,
        X: NDArray[np.float64],
        y: NDArray | None,
        covariates: Any,
        polytope: PartitionPolytope,
        random_state: np.random.RandomState,
    ) -> Partition:
        check_positive(self, "n_init", "max_exact")
        check_clusters(self.n_clusters, len(X))
        embedding, image = self._embed(np.asarray(X, dtype=np.float64), covariates, random_state)
        rounding = cluster_rows(image, polytope, self.n_init, random_state)
        partition = least_squares_partition(image, rounding, polytope, None)
        return replace(partition, embedded_cells=Cells(embedding, rounding.cells))

    @abstractmethod
    def _embed(
        self, X: NDArray[np.float64], covariates: Any, random_state: np.random.RandomState
    ) -> tuple[Embedding, NDArray[np.float64]]:
        """The map, and the images (n, d) of the training points X (n, p)."""


def least_squares_partition(
    U: NDArray[np.float64], rounding: Rounding, polytope: PartitionPolytope, diagram: PowerDiagram | None
) -> Partition:
    """The result of clustering the rows of U (n, d) by least squares."""
    labels, k = rounding.labels, polytope.n_clusters
    indicators = labels[:, None] == np.arange(k)
    means = indicators.T.astype(np.float64) @ U / np.maximum(indicators.sum(axis=0), 1)[:, None]
    objective = float(((U - means[labels]) ** 2).sum())
    return Partition(
        labels=labels,
        sizes=polytope.sizes(labels),
        objective=objective,
        history={"objective": np.array([objective])},
        certificate=rounding.certificate,
        power_diagram=diagram,
        n_iter=1,
    )
