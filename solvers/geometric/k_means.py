"""k-means without size bounds, the reference beside the bounded strategies."""

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
    """scikit-learn's k-means behind the interface of `Partitioner`: the unbounded reference.

    Parameters
    ----------
    lower, upper : None
        Every strategy has bounds; here they are refused, because k-means has none.
    max_iter : int, default 300
        Iterations of one start.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is the sum of squared distances to the centres, smaller is better.

    Raises
    ------
    CapabilityError
        When bounds are given.

    Notes
    -----
    Heuristic: Lloyd's iteration from one k-means++ start. Its cells are the Voronoi cells of the centres, a
    power diagram with equal prices.

    Examples
    --------
    >>> from partitope.solvers.geometric.k_means import KMeansReference
    >>> sorted(KMeansReference(2, random_state=0).fit([[0.0], [0.1], [9.0]]).partition_.sizes.tolist())
    [1, 2]
    """

    needs: ClassVar[Needs] = Needs(bounds=False)
    objective_sense: ClassVar[Sense] = "min"
    variants: ClassVar[dict[str, dict[str, Any]]] = {"kmeans (no bounds)": {}}

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
