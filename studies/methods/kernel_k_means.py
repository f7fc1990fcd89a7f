"""Kernel k-means and orthogonal-projection clustering, to compare conditional clustering with.

    kernel k-means           minimise  sum_i |phi(x_i) - c_{l(i)}|^2    phi the features of the rbf kernel           (1)

    orthogonal projection    minimise  sum_i |T (x_i - m) - c_{l(i)}|^2,  T = I - A A'                               (2)

m is the mean of X and A an orthonormal basis of the directions that a linear regression of X on the covariates uses:
for one categorical covariate, the span of the differences of the levels' means. Both end in k-means, or with size
bounds in least-squares partitions whose assignment steps are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from partitope.base.checks import check_positive, in_interval
from partitope.base.errors import InvalidInputError
from partitope.models.diagram.power_diagram import PowerDiagram
from partitope.models.objectives.objectives import Sense
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers import STRATEGIES
from partitope.solvers.conditional.cluster_images import cluster_images
from partitope.solvers.conditional.covariates import CovariateEncoder, CovariateTable
from partitope.solvers.conditional.extension import FeatureMap
from partitope.solvers.conditional.residual import nystrom_factor
from partitope.solvers.conditional.subspace import data_width
from partitope.solvers.partition import Partition
from partitope.solvers.partitioner import Needs, Partitioner, Points, Random, Target
from partitope.stats.dependence.kernels import rbf_kernel

from .embedded_k_means import EmbeddedKMeans


@STRATEGIES.register("kernel-k-means")
@dataclass(eq=False, repr=False, kw_only=True)
class KernelKMeans(EmbeddedKMeans):
    """k-means in the feature space of the rbf kernel; it knows no covariates.

    Parameters
    ----------
    width : float, optional
        Kernel width, by default the median heuristic.
    max_exact : int, default 2000
        Up to this many rows the features are exact; above, that many rows are the landmarks of Nystrom features.
    random_state : int, RandomState or None
        Seed of the starts and landmarks.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is (1), smaller is better.
    width_ : float
        The kernel width used.

    Raises
    ------
    InvalidInputError
        When a parameter is not usable or all rows of X are equal.

    Notes
    -----
    Heuristic, as k-means. O(n m^2) with m = min(n, max_exact) landmarks.

    Examples
    --------
    >>> from studies.methods import KernelKMeans
    >>> X = [[0.0], [0.1], [0.2], [4.0], [4.1], [4.2]]
    >>> KernelKMeans(2, random_state=0).fit(X).labels_
    array([0, 0, 0, 1, 1, 1])
    """

    width: float | None = None
    max_exact: int = 2000

    def _embed(self, X: Points, covariates: Any, rng: Random) -> tuple[FeatureMap, NDArray[np.float64]]:
        if self.width is not None:
            in_interval(self.width, "width", 0.0, np.inf)
        self.width_ = data_width(X) if self.width is None else float(self.width)
        if len(X) <= self.max_exact:
            features = FeatureMap(None, self.width_, X, nystrom_factor(rbf_kernel(X, width=self.width_)))
        else:
            features = FeatureMap.nystrom(X, None, self.width_, self.max_exact, rng)
        return features, features(X)


@STRATEGIES.register("orthogonal-projection")
@dataclass(eq=False, repr=False, kw_only=True)
class OrthogonalProjection(Partitioner):
    """k-means in the directions that no linear regression on the covariates uses.

    Parameters
    ----------
    covariate_type : {"categorical", "real"} or sequence of them, default "categorical"
        Type of all covariate columns, or of each.
    n_init : int, default 10
        Starts; the best is kept.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is (2), smaller is better; ``power_diagram`` holds the cells in the space of X.
    removed_ : (p, r) ndarray
        A.

    Raises
    ------
    InvalidInputError
        When the covariates use every direction of X, or are not usable.

    Notes
    -----
    Heuristic, as k-means; linear in n.

    References
    ----------
    Cui, Fern and Dy (2007), Non-redundant multi-view clustering via orthogonalization.

    Examples
    --------
    >>> from studies.methods import OrthogonalProjection
    >>> X = [[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]]
    >>> OrthogonalProjection(2, random_state=0).fit(X, covariates=["a", "a", "b", "b"]).labels_
    array([0, 1, 0, 1])
    """

    needs: ClassVar[Needs] = Needs(covariates="required", n_points=2)
    objective_sense: ClassVar[Sense] = "min"

    covariate_type: str | Sequence[str] = "categorical"
    n_init: int = 10

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        check_positive(self, "n_init")
        D = np.asarray(X, dtype=np.float64)
        mean = D.mean(axis=0)
        encoder = CovariateEncoder(covariates, self.covariate_type, len(D))
        self.removed_ = explained_directions(D - mean, encoder.table)
        if self.removed_.shape[1] == D.shape[1]:
            raise InvalidInputError(
                f"the covariates use all {D.shape[1]} directions of X, so nothing is left to cluster: use KCC"
            )
        T = (D - mean) - ((D - mean) @ self.removed_) @ self.removed_.T
        partition = cluster_images(T, polytope, self.n_init, rng)
        cells = partition.power_diagram
        assert cells is not None
        assert cells.origin is not None
        # centres lie in the range of the projection, so distances to them differ in X as they do in T X
        diagram = PowerDiagram(cells.sites + mean, cells.prices, "lsa", cells.origin + mean)
        return replace(partition, power_diagram=diagram)


def explained_directions(X: NDArray[np.float64], table: CovariateTable) -> NDArray[np.float64]:
    """Orthonormal basis (p, r) of the directions of centred X (n, p) that its regression on the covariates uses."""
    indicators = [table.codes[:, [j]] == np.unique(table.codes[:, j]) for j in range(table.codes.shape[1])]
    Z = np.hstack([*indicators, table.reals]).astype(np.float64)
    Z -= Z.mean(axis=0)
    left, values, _ = np.linalg.svd(Z, full_matrices=False)
    left = left[:, values > 1e-10 * values[0]]
    _, strength, right = np.linalg.svd(left.T @ X, full_matrices=False)
    return right[strength > 1e-10 * max(float(np.linalg.norm(X)), 1e-300)].T
