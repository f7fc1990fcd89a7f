"""The part that several methods share: k-means on an image of the points, with size bounds where they are given."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from partitope.base.checks import check_positive
from partitope.models.objectives.objectives import Sense
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers.cells import Cells, Embedding
from partitope.solvers.conditional.cluster_images import cluster_images
from partitope.solvers.partition import Partition
from partitope.solvers.partitioner import Needs, Partitioner, Points, Random, Target


@dataclass(eq=False, repr=False, kw_only=True)
class EmbeddedKMeans(Partitioner):
    """A strategy that maps the points and clusters their images by least squares."""

    needs: ClassVar[Needs] = Needs(n_points=2)
    objective_sense: ClassVar[Sense] = "min"

    n_init: int = 10
    max_exact: int = 3000

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        check_positive(self, "n_init", "max_exact")
        embedding, image = self._embed(np.asarray(X, dtype=np.float64), covariates, rng)
        partition = cluster_images(image, polytope, self.n_init, rng)
        assert partition.power_diagram is not None
        cells = Cells(embedding, partition.power_diagram)
        return replace(partition, power_diagram=None, embedded_cells=cells)

    @abstractmethod
    def _embed(self, X: Points, covariates: Any, rng: Random) -> tuple[Embedding, NDArray[np.float64]]:
        """The map, and the images (n, d) of the training points X (n, p)."""
