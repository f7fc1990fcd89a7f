"""Alternative clusterings in a subspace that covariates do not explain: RPCA and RegGB.

RPCA. Directions of much variance and little dependence (HSIC with a linear kernel) on the covariates:

    S w = theta (lam R + v I) w,   S = X'HX / n,   R = X'H C H X / n,   v = tr(S) / p                              (1)

RegGB. Its twin on a graph of nearest neighbours, for functions f = K a of the points:

    K (H N H + I) K a = theta (K (I + lam C) K + rho |K|^2 I) a,   N = D^-1/2 G D^-1/2,   D = diag(G 1)            (2)

H = I - 11'/n, K the centred rbf kernel of X, G the same rbf kernel where i is among the neighbours of j or j among
those of i, else 0, and C the centred kernel of the covariates, scaled to a largest eigenvalue of 1: for one covariate
of levels of equal size it projects on their indicators, so that R is the variance between levels. The d leading
eigenvectors make the subspace, scaled so that the matrix on the right becomes I; k-means follows. A large lam comes
close to the condition that nothing in the subspace depends on the covariates.
The publication is read as stated; the scales v and of C, rho = 1e-6 (|K| is the largest eigenvalue) and the form of
(2), a ratio as in (1), are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from ..models.errors import InvalidInputError
from ..models.polytope import PartitionPolytope
from ..stats.kernels import centre, rbf_kernel
from ._kcc_covariates import CovariateEncoder
from ._kcc_rounding import cluster_rows
from ._kcc_subspace import data_width
from ._known_clusters import centred_level_kernel, level_product
from .kcc import check_clusters, check_positive
from .partition import Partition
from .partitioner import Needs, Partitioner
from .relatives import least_squares_partition
from .relatives_constraints import spanned_space
from .relatives_kdac import check_exact, check_weight

RIDGE = 1e-6


class RPCA(Partitioner):
    """k-means in the principal directions that depend little on covariates.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters k.
    lower, upper : (k,) array_like or int, optional
        Bounds on the cluster sizes.
    lam : float, default 100.0
        Weight of the dependence; 0 is PCA.
    covariate_type : {"categorical", "real"} or sequence of them, default "categorical"
        Type of all covariate columns, or of each.
    n_components : int, optional
        Dimension d of the subspace, by default min(k, p).
    n_init : int, default 10
        Starts; the best is kept.
    max_exact : int, default 3000
        Largest min(n, p), and largest number of distinct rows of the covariates, that is accepted.
    random_state : int, RandomState or None
        Seed of the starts.

    Attributes
    ----------
    labels_ : (n,) ndarray of int64
        Cluster of every training point.
    partition_ : Partition
        ``objective`` is the sum of squares within clusters in the subspace, smaller is better.
    components_ : (p, d) ndarray
        The eigenvectors w as columns.
    values_ : (d,) ndarray
        Their theta, falling.

    Raises
    ------
    InvalidInputError
        When a parameter or the covariates are not usable, all rows of X are equal, or a size exceeds ``max_exact``.

    Notes
    -----
    The subspace is exact, k-means a heuristic. O(n p min(n, p) + min(n, p)^3).

    References
    ----------
    Dang and Bailey (2014), Generating multiple alternative clusterings via globally optimal subspaces, Data Mining
    and Knowledge Discovery.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import RPCA
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]])
    >>> RPCA(2, random_state=0).fit(X, covariates=["a", "a", "b", "b"]).labels_
    array([0, 1, 0, 1])
    """

    needs: ClassVar[Needs] = Needs(covariates="required")
    objective_sense: ClassVar[Literal["max", "min"]] = "min"

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        lam: float = 100.0,
        covariate_type: str | Sequence[str] = "categorical",
        n_components: int | None = None,
        n_init: int = 10,
        max_exact: int = 3000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lower = lower
        self.upper = upper
        self.lam = lam
        self.covariate_type = covariate_type
        self.n_components = n_components
        self.n_init = n_init
        self.max_exact = max_exact
        self.random_state = random_state

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
        check_weight("lam", self.lam)
        D = np.asarray(X, dtype=np.float64)
        check_exact(self, min(D.shape))
        d = dimension(self.n_components, min(self.n_clusters, D.shape[1]), D.shape[1], "columns")
        dependence = scaled_dependence(CovariateEncoder(covariates, self.covariate_type, len(D)), self.max_exact)
        self._mean = D.mean(axis=0)
        basis = spanned_space(D - self._mean)
        rows = (D - self._mean) @ basis
        v = (rows**2).sum() / len(D) / D.shape[1]
        cost = float(self.lam) * (rows.T @ dependence(rows)) / len(D) + v * np.eye(rows.shape[1])
        d = min(d, rows.shape[1])
        values, vectors = leading_pencil(rows.T @ rows / len(D), cost, d)
        self.components_, self.values_ = basis @ vectors, values
        image = rows @ vectors
        rounding = cluster_rows(image, polytope, self.n_init, random_state)
        self._cells = rounding.cells
        return least_squares_partition(image, rounding, polytope, None)

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Cluster (m,) of new points (m, p): their cell in the subspace."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=np.float64)
        return self._cells.predict((points - self._mean) @ self.components_)


class RegGB(Partitioner):
    """k-means in smooth functions on a graph of neighbours that depend little on covariates.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters k.
    lower, upper : (k,) array_like or int, optional
        Bounds on the cluster sizes.
    lam : float, default 100.0
        Weight of the dependence.
    n_neighbors : int, default 10
        Neighbours of a point in the graph.
    covariate_type : {"categorical", "real"} or sequence of them, default "categorical"
        Type of all covariate columns, or of each.
    n_components : int, optional
        Number d of functions, by default k.
    n_init : int, default 10
        Starts; the best is kept.
    max_exact : int, default 3000
        Largest number of rows that is accepted.
    random_state : int, RandomState or None
        Seed of the starts.

    Attributes
    ----------
    labels_ : (n,) ndarray of int64
        Cluster of every training point.
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
    Dang and Bailey (2014), Generating multiple alternative clusterings via globally optimal subspaces, Data Mining
    and Knowledge Discovery.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import RegGB
    >>> rng = np.random.default_rng(0)
    >>> group, hidden = np.arange(80) % 2, np.arange(80) // 40
    >>> X = np.column_stack([9.0 * group, 4.0 * hidden]) + rng.normal(size=(80, 2)) * 0.3
    >>> labels = RegGB(2, random_state=0).fit(X, covariates=group).labels_
    >>> bool((labels == hidden).all())
    True
    """

    needs: ClassVar[Needs] = Needs(covariates="required")
    objective_sense: ClassVar[Literal["max", "min"]] = "min"

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        lam: float = 100.0,
        n_neighbors: int = 10,
        covariate_type: str | Sequence[str] = "categorical",
        n_components: int | None = None,
        n_init: int = 10,
        max_exact: int = 3000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lower = lower
        self.upper = upper
        self.lam = lam
        self.n_neighbors = n_neighbors
        self.covariate_type = covariate_type
        self.n_components = n_components
        self.n_init = n_init
        self.max_exact = max_exact
        self.random_state = random_state

    def _partition(
        self,
        X: NDArray[np.float64],
        y: NDArray | None,
        covariates: Any,
        polytope: PartitionPolytope,
        random_state: np.random.RandomState,
    ) -> Partition:
        check_positive(self, "n_neighbors", "n_init", "max_exact")
        check_clusters(self.n_clusters, len(X))
        check_weight("lam", self.lam)
        check_exact(self, len(X))
        D = np.asarray(X, dtype=np.float64)
        d = dimension(self.n_components, self.n_clusters, len(D), "rows")
        dependence = scaled_dependence(CovariateEncoder(covariates, self.covariate_type, len(D)), self.max_exact)
        self.width_ = data_width(D)
        K = rbf_kernel(D, width=self.width_)
        gain = centre(neighbour_affinities(D, K, self.n_neighbors)) + np.eye(len(D))
        self._anchors, self._means, K = D, K.mean(axis=0), centre(K)
        cost = K @ (K + float(self.lam) * dependence(K))
        cost += RIDGE * float(np.linalg.norm(K, 2)) ** 2 * np.eye(len(D))
        _, self._coefficients = leading_pencil(K @ gain @ K, cost, d)
        self.embedding_ = K @ self._coefficients
        rounding = cluster_rows(self.embedding_, polytope, self.n_init, random_state)
        self._cells = rounding.cells
        return least_squares_partition(self.embedding_, rounding, polytope, None)

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Cluster (m,) of new points (m, p): the cell of the functions' values there."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=np.float64)
        K = rbf_kernel(points, self._anchors, self.width_)
        K = K - K.mean(axis=1, keepdims=True) - self._means + self._means.mean()
        return self._cells.predict(K @ self._coefficients)


def dimension(given: Any, default: int, most: int, what: str) -> int:
    """Dimension of the subspace.

    Raises
    ------
    InvalidInputError
        When it is given and not an integer from 1 to ``most``.
    """
    d = default if given is None else given
    if isinstance(d, bool) or not isinstance(d, (int, np.integer)) or not 1 <= d <= most:
        raise InvalidInputError(f"n_components={d!r} is not usable: pass an integer from 1 to {most} {what}")
    return int(d)


def scaled_dependence(encoder: CovariateEncoder, max_exact: int) -> Any:
    """V (n, m) -> C V, with C of (1).

    Raises
    ------
    InvalidInputError
        When the covariates have more than ``max_exact`` distinct rows, since their kernel is decomposed.
    """
    K, codes = centred_level_kernel(encoder)
    if len(K) > max_exact:
        raise InvalidInputError(
            f"covariates have {len(K)} distinct rows, max_exact={max_exact}: use KCC or raise max_exact"
        )
    root = np.sqrt(np.bincount(codes).astype(np.float64))
    largest = float(np.linalg.eigvalsh(root[:, None] * K * root)[-1])
    return level_product(K / largest, codes)


def neighbour_affinities(D: NDArray[np.float64], K: NDArray[np.float64], n_neighbors: int) -> NDArray[np.float64]:
    """N of (2), (n, n), from the rows of D (n, p) and their kernel K (n, n); all neighbours if there are too few."""
    n = len(D)
    graph = NearestNeighbors(n_neighbors=min(n_neighbors, n - 1)).fit(D).kneighbors_graph().toarray() > 0
    G = np.where(graph | graph.T, K, 0.0)
    roots = 1.0 / np.sqrt(np.maximum(G.sum(axis=1), 1e-300))
    return roots[:, None] * G * roots


def leading_pencil(
    gain: NDArray[np.float64], cost: NDArray[np.float64], d: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The d largest theta (d,), falling, and vectors (n, d) with gain w = theta cost w and w' cost w = 1.

    The largest entry of every vector is positive, so that results do not depend on the sign the library picks.
    """
    n = len(gain)
    values, vectors = eigh(0.5 * (gain + gain.T), 0.5 * (cost + cost.T), subset_by_index=(n - d, n - 1))
    values, vectors = values[::-1], vectors[:, ::-1]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(d)]
    return values.copy(), vectors * np.where(largest < 0, -1.0, 1.0)
