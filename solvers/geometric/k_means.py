"""k-means without size bounds, the reference for the bounded strategies."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from ...base.status import Status
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.objectives import Sense
from ...models.polytope.polytope import PartitionPolytope
from ..partition import Partition
from ..partitioner import Needs, Partitioner, Points, Random, Target


@dataclass(eq=False, repr=False)
class KMeansReference(Partitioner):
    """scikit-learn's k-means, from one k-means++ start, behind the interface of `Partitioner`.

    Every strategy has bounds; here they are refused, because k-means has none (CapabilityError). Its cells are the
    Voronoi cells of the centres, a power diagram with equal prices.
    """

    needs: ClassVar[Needs] = Needs(bounds=False)
    objective_sense: ClassVar[Sense] = "min"
    variants: ClassVar[dict[str, dict[str, object]]] = {"kmeans (no bounds)": {}}

    n_clusters: int = 8
    _: KW_ONLY
    max_iter: int = 300

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        from sklearn.cluster import KMeans

        kmeans = KMeans(self.n_clusters, n_init=1, max_iter=self.max_iter, random_state=rng).fit(X)
        labels = kmeans.labels_.astype(np.int64)
        stopped = Status.ITERATION_LIMIT if kmeans.n_iter_ >= self.max_iter else Status.CONVERGED
        diagram = PowerDiagram(kmeans.cluster_centers_, np.zeros(self.n_clusters), "lsa", X.mean(axis=0))
        return Partition(
            labels=labels,
            sizes=polytope.sizes(labels),
            objective=float(kmeans.inertia_),
            power_diagram=diagram,
            n_iter=int(kmeans.n_iter_),
            status=stopped,
        )
