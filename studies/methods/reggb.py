"""RegGB: smooth functions on a graph of neighbours that depend little on covariates, and k-means in them.

The twin of `studies.methods.rpca` for functions f = K a of the points:

    K (H N H + I) K a = theta (K (I + lam C) K + rho |K|^2 I) a,   N = D^-1/2 G D^-1/2,   D = diag(G 1)            (1)

H = I - 11'/n, K the centred rbf kernel of X, G the same rbf kernel where i is among the neighbours of j or j among
those of i, else 0, and C the centred kernel of the covariates, scaled to a largest eigenvalue of 1. The d leading
functions, scaled so that the matrix on the right becomes I, make the subspace; k-means follows. The form of (1), a
ratio of smoothness and dependence, and rho = 1e-6 (|K| is the largest eigenvalue) are our reading of the publication.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from partitope.base.checks import check_positive, check_weight
from partitope.solvers import STRATEGIES
from partitope.solvers.conditional.covariates import CovariateEncoder
from partitope.solvers.conditional.extension import Extension, FeatureMap
from partitope.solvers.conditional.subspace import data_width, dimension
from partitope.solvers.partitioner import Needs, Points, Random
from partitope.stats.dependence.kernels import centre, rbf_kernel

from .embedded_k_means import EmbeddedKMeans
from .exact import check_exact
from .pencil import leading_pencil, scaled_dependence

RIDGE = 1e-6  # rho of (1)


@STRATEGIES.register("reggb")
@dataclass(eq=False, repr=False, kw_only=True)
class RegGB(EmbeddedKMeans):
    """k-means in smooth functions on a graph of neighbours that depend little on covariates.

    Parameters
    ----------
    lam : float, default 100.0
        Weight of the dependence.
    n_neighbors : int, default 10
        Neighbours of a point in the graph.
    covariate_type : {"categorical", "real"} or sequence of them, default "categorical"
        Type of all covariate columns, or of each.
    n_components : int, optional
        Number d of functions, by default k.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is the sum of squares within clusters of the functions' values, smaller is better.
    embedding_ : (n, d) ndarray
        The functions at the training points.
    width_ : float
        Width of the rbf kernel, by the median heuristic.

    Raises
    ------
    InvalidInputError
        When a parameter or the covariates are not usable, all rows of X are equal, or there are more than
        ``max_exact`` rows.

    Notes
    -----
    The functions are exact, k-means a heuristic. O(n^3) time, O(n^2) memory.

    References
    ----------
    The publication that `RPCA` names.

    Examples
    --------
    >>> import numpy as np
    >>> from studies.methods import RegGB
    >>> rng = np.random.default_rng(0)
    >>> group, hidden = np.arange(80) % 2, np.arange(80) // 40
    >>> X = np.column_stack([9.0 * group, 4.0 * hidden]) + rng.normal(size=(80, 2)) * 0.3
    >>> labels = RegGB(2, random_state=0).fit(X, covariates=group).labels_
    >>> bool((labels == hidden).all())
    True
    """

    needs: ClassVar[Needs] = Needs(covariates="required", n_points=2)

    lam: float = 100.0
    n_neighbors: int = 10
    covariate_type: str | Sequence[str] = "categorical"
    n_components: int | None = None

    def _embed(self, X: Points, covariates: Any, rng: Random) -> tuple[Extension, NDArray[np.float64]]:
        check_positive(self, "n_neighbors")
        check_weight("lam", self.lam)
        check_exact(self, len(X))
        d = dimension(self.n_components, self.n_clusters, len(X), "rows")
        dependence = scaled_dependence(CovariateEncoder(covariates, self.covariate_type, len(X)), self.max_exact)
        self.width_ = data_width(X)
        K = rbf_kernel(X, width=self.width_)
        gain = centre(neighbour_affinities(X, K, self.n_neighbors)) + np.eye(len(X))
        means, K = K.mean(axis=0), centre(K)
        cost = K @ (K + float(self.lam) * dependence(K))
        cost += RIDGE * float(np.linalg.norm(K, 2)) ** 2 * np.eye(len(X))
        _, coefficients = leading_pencil(K @ gain @ K, cost, d)
        self.embedding_ = K @ coefficients
        # a row of the centred kernel times the coefficients is the row as it is times the centred coefficients
        target = coefficients - coefficients.mean(axis=0)
        return Extension(FeatureMap(None, self.width_, X), target, means @ target), self.embedding_


def neighbour_affinities(D: NDArray[np.float64], K: NDArray[np.float64], n_neighbors: int) -> NDArray[np.float64]:
    """N of (1), (n, n), from the rows of D (n, p) and their kernel K (n, n); all neighbours if there are too few."""
    n = len(D)
    graph = NearestNeighbors(n_neighbors=min(n_neighbors, n - 1)).fit(D).kneighbors_graph().toarray() > 0
    G = np.where(graph | graph.T, K, 0.0)
    roots = 1.0 / np.sqrt(np.maximum(G.sum(axis=1), 1e-300))
    return roots[:, None] * G * roots
