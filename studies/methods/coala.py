"""COALA: average-linkage clustering that avoids what a known clustering holds together.

Pairs of points in the same known cluster are cannot-links. Clusters are merged from single points on, by average
distance. At every step

    quality        (q1, q2) = the closest pair of clusters, at distance a                                         (1)
    dissimilarity  (o1, o2) = the closest pair without a cannot-link between them, at distance b                  (2)

and (1) is merged if a < omega b, or if no pair (2) is left; otherwise (2) is. omega = 1 is average linkage as it
stands, omega = 0 shuns the known clusters as long as it can. With size bounds the points are then assigned again: each
to a cluster at the smallest total of average distances to the members of the tree's clusters that the bounds allow,
exactly; this step is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from partitope.base.checks import check_positive, check_weight
from partitope.base.errors import InvalidInputError
from partitope.base.jit import njit
from partitope.models.objectives.objectives import Sense
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers import STRATEGIES
from partitope.solvers.assignment.rounding import assign_with_given
from partitope.solvers.conditional.cluster_images import first_appearance
from partitope.solvers.conditional.kcc import projected_cells
from partitope.solvers.partition import Partition
from partitope.solvers.partitioner import Needs, Partitioner, Points, Random, Target

from .exact import check_exact
from .levels import known_clusters


@STRATEGIES.register("coala")
@dataclass(eq=False, repr=False, kw_only=True)
class COALA(Partitioner):
    """Average-linkage clustering that avoids merging what a known clustering holds together.

    Parameters
    ----------
    omega : float, default 0.5
        Between 0 (dissimilar to the known clusters) and 1 (average linkage).
    max_exact : int, default 3000
        Largest number of rows that is accepted.
    random_state : int, RandomState or None
        Not used: nothing is random.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is the mean over the points of the average distance to their cluster, smaller is better;
        ``certificate`` proves the assignment when there are size bounds; ``power_diagram`` holds the cells of the
        clusters' means, which `predict` uses.

    Raises
    ------
    InvalidInputError
        When a parameter is not usable, the covariates are no known clustering, or there are more than
        ``max_exact`` rows.

    Notes
    -----
    Greedy. O(n^3) time, with a small constant, and O(n^2) memory.

    References
    ----------
    Bae and Bailey (2006), COALA: a novel approach for the extraction of an alternate clustering of high quality and
    high dissimilarity, ICDM.

    Examples
    --------
    >>> from studies.methods import COALA
    >>> X = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]]
    >>> COALA(2).fit(X, covariates=["a", "b", "a", "b"]).labels_
    array([0, 0, 1, 1])
    >>> COALA(2).fit(X, covariates=["a", "a", "b", "b"]).labels_
    array([0, 1, 0, 1])
    """

    needs: ClassVar[Needs] = Needs(covariates="required", known_clustering=True, n_points=2)
    objective_sense: ClassVar[Sense] = "min"

    omega: float = 0.5
    max_exact: int = 3000

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        check_positive(self, "max_exact")
        check_weight("omega", self.omega)
        if self.omega > 1:
            raise InvalidInputError(f"omega={self.omega!r} is not usable: pass a number from 0 to 1")
        check_exact(self, len(X))
        D, k = np.asarray(X, dtype=np.float64), self.n_clusters
        known = known_clusters(covariates, len(D), "COALA")
        distances = cdist(D, D)
        roots = merge_clusters(distances.copy(), known[:, None] == known, float(self.omega), k)
        labels = np.unique(roots, return_inverse=True)[1].astype(np.int64)
        labels = np.argsort(first_appearance(labels, k))[labels]
        to_clusters = average_distances(distances, labels, k)
        certificate = None
        if not polytope.is_free:
            labels, certificate = assign_with_given(-to_clusters, np.full(len(D), -1), polytope)
            to_clusters = average_distances(distances, labels, k)
        objective = float(to_clusters[np.arange(len(D)), labels].mean())
        return Partition(
            labels=labels,
            sizes=polytope.sizes(labels),
            objective=objective,
            certificate=certificate,
            power_diagram=projected_cells(D, np.eye(D.shape[1]), labels, k),
            n_iter=1,
        )


@njit(cache=True)
def merge_clusters(distances, linked, omega, k):  # pragma: no cover - compiled
    """The tree of (1) and (2) cut at k clusters: for every point the first point of its cluster.

    ``distances`` (n, n) and ``linked`` (n, n), whether a pair is a cannot-link, are changed.
    """
    n = len(distances)
    roots = np.arange(n)
    sizes = np.ones(n)
    active = np.ones(n, dtype=np.bool_)
    for _ in range(n - k):
        a, b = np.inf, np.inf
        q1, q2, o1, o2 = -1, -1, -1, -1
        for i in range(n):
            if not active[i]:
                continue
            for j in range(i):
                if active[j]:
                    d = distances[i, j]
                    if d < a:
                        a, q1, q2 = d, j, i
                    if d < b and not linked[i, j]:
                        b, o1, o2 = d, j, i
        if o1 >= 0 and not a < omega * b:
            q1, q2 = o1, o2
        share = sizes[q1] / (sizes[q1] + sizes[q2])
        for j in range(n):
            if active[j] and j != q1 and j != q2:
                d = share * distances[q1, j] + (1.0 - share) * distances[q2, j]
                distances[q1, j], distances[j, q1] = d, d
                both = linked[q1, j] or linked[q2, j]
                linked[q1, j], linked[j, q1] = both, both
        sizes[q1] += sizes[q2]
        active[q2] = False
        for j in range(n):
            if roots[j] == q2:
                roots[j] = q1
    return roots


def average_distances(distances: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Average distance (n, k) of every point to the members of every cluster, itself included; inf to none."""
    members = (labels[:, None] == np.arange(k)).astype(np.float64)
    counts = members.sum(axis=0)
    return np.where(counts > 0, distances @ members / np.maximum(counts, 1), 1e300)
