"""Alternative clusterings by links and by inverted distances: COALA and ADFT.

Pairs of points in the same known cluster are cannot-links, for both.

COALA. Clusters are merged from single points on, by average distance. At every step

    quality        (q1, q2) = the closest pair of clusters, at distance a                                         (1)
    dissimilarity  (o1, o2) = the closest pair without a cannot-link between them, at distance b                  (2)

and (1) is merged if a < omega b, or if no pair (2) is left; otherwise (2) is. omega = 1 is average linkage as it
stands, omega = 0 shuns the known clusters as long as it can. With size bounds the points are then assigned again: each
to a cluster at the smallest total of average distances to the members of the tree's clusters that the bounds allow,
exactly; this step is ours.

ADFT. A metric that makes the known clusters tight and far apart is learnt, and its stretches are inverted:

    minimise  tr(A S) + tr(A^-1 T),   A = S^-1 # T = S^-1/2 (S^1/2 T S^1/2)^1/2 S^-1/2                             (3)
    A^1/2 = H D H',   x -> H D^-1 H' x                                                                            (4)

S and T are the mean outer products of the differences of pairs within and across known clusters. The publication
leaves the metric open: (3) is one with a closed form, and inverting it exchanges S and T. Both are taken in the space
that the data span, with ``shrinkage`` of their mean eigenvalue added. k-means follows.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from ..models.errors import InvalidInputError
from ..models.polytope import PartitionPolytope
from ..stats.kernels import squared_distances
from ._kcc_rounding import assign_scores, cluster_rows, first_appearance, is_bounded
from ._known_clusters import known_clusters
from .kcc import check_clusters, check_positive, projected_cells
from .partition import Partition
from .partitioner import Needs, Partitioner
from .relatives import least_squares_partition
from .relatives_kdac import check_exact, check_weight


class COALA(Partitioner):
    """Average-linkage clustering that avoids merging what a known clustering holds together.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters k.
    lower, upper : (k,) array_like or int, optional
        Bounds on the cluster sizes.
    omega : float, default 0.5
        Between 0 (dissimilar to the known clusters) and 1 (average linkage).
    max_exact : int, default 3000
        Largest number of rows that is accepted.
    random_state : int, RandomState or None
        Not used: nothing is random.

    Attributes
    ----------
    labels_ : (n,) ndarray of int64
        Cluster of every training point.
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
    >>> import numpy as np
    >>> from partitope.solvers import COALA
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]])
    >>> COALA(2).fit(X, covariates=["a", "b", "a", "b"]).labels_
    array([0, 0, 1, 1])
    >>> COALA(2).fit(X, covariates=["a", "a", "b", "b"]).labels_
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
        omega: float = 0.5,
        max_exact: int = 3000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lower = lower
        self.upper = upper
        self.omega = omega
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
        check_positive(self, "max_exact")
        check_clusters(self.n_clusters, len(X))
        check_weight("omega", self.omega)
        if self.omega > 1:
            raise InvalidInputError(f"omega={self.omega!r} is not usable: pass a number from 0 to 1")
        check_exact(self, len(X))
        D, k = np.asarray(X, dtype=np.float64), self.n_clusters
        known = known_clusters(covariates, len(D), "COALA")
        distances = np.sqrt(squared_distances(D))
        roots = merge_clusters(distances.copy(), known[:, None] == known, float(self.omega), k)
        labels = np.unique(roots, return_inverse=True)[1].astype(np.int64)
        labels = np.argsort(first_appearance(labels, k))[labels]
        to_clusters = average_distances(distances, labels, k)
        certificate = None
        if is_bounded(polytope):
            rounding = assign_scores(-to_clusters, np.full(len(D), -1), polytope)
            labels, certificate = rounding.labels, rounding.certificate
            to_clusters = average_distances(distances, labels, k)
        objective = float(to_clusters[np.arange(len(D)), labels].mean())
        return Partition(
            labels=labels,
            sizes=polytope.sizes(labels),
            objective=objective,
            history={"objective": np.array([objective])},
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


class ADFT(Partitioner):
    """k-means after the stretches of a metric that fits a known clustering have been inverted.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters k.
    lower, upper : (k,) array_like or int, optional
        Bounds on the cluster sizes.
    shrinkage : float, default 1e-3
        Share of the mean eigenvalue that is added to both matrices of pairs; positive.
    n_init : int, default 10
        Starts; the best is kept.
    max_exact : int, default 3000
        Largest min(n, p) that is accepted.
    random_state : int, RandomState or None
        Seed of the starts.

    Attributes
    ----------
    labels_ : (n,) ndarray of int64
        Cluster of every training point.
    partition_ : Partition
        ``objective`` is the sum of squares within clusters after (4), smaller is better.
    components_ : (p, r) ndarray
        The map (4) from centred points to coordinates in the space that the data span.

    Raises
    ------
    InvalidInputError
        When a parameter is not usable, all rows of X are equal, the covariates are no known clustering, or min(n, p)
        exceeds ``max_exact``.

    Notes
    -----
    Heuristic, as k-means; the map is exact. O(n p min(n, p) + min(n, p)^3).

    References
    ----------
    Davidson and Qi (2008), Finding alternative clusterings using constraints, ICDM. Zadeh, Hosseini and Sra (2016),
    Geometric mean metric learning, ICML, for (3).

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import ADFT
    >>> rng = np.random.default_rng(0)
    >>> group, hidden = np.arange(60) % 2, np.arange(60) // 30
    >>> X = np.column_stack([9.0 * group, 4.0 * hidden]) + rng.normal(size=(60, 2)) * 0.3
    >>> labels = ADFT(2, random_state=0).fit(X, covariates=group).labels_
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
        shrinkage: float = 1e-3,
        n_init: int = 10,
        max_exact: int = 3000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lower = lower
        self.upper = upper
        self.shrinkage = shrinkage
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
        check_weight("shrinkage", self.shrinkage)
        if self.shrinkage == 0:
            raise InvalidInputError("shrinkage=0 is not usable: pass a positive number, such as 1e-3")
        D = np.asarray(X, dtype=np.float64)
        check_exact(self, min(D.shape))
        known = known_clusters(covariates, len(D), "ADFT")
        self._mean = D.mean(axis=0)
        basis = spanned_space(D - self._mean)
        self.components_ = basis @ inverted_stretch((D - self._mean) @ basis, known, float(self.shrinkage))
        image = (D - self._mean) @ self.components_
        rounding = cluster_rows(image, polytope, self.n_init, random_state)
        self._cells = rounding.cells
        return least_squares_partition(image, rounding, polytope, None)

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Cluster (m,) of new points (m, p): the cell of their image under (4)."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=np.float64)
        return self._cells.predict((points - self._mean) @ self.components_)


def spanned_space(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Orthonormal basis (p, r) of the space that the rows of centred X (n, p) span.

    Raises
    ------
    InvalidInputError
        When all rows are equal.
    """
    _, values, right = np.linalg.svd(X, full_matrices=False)
    if not values[0] > 0:
        raise InvalidInputError("all rows of X are equal: there is nothing to cluster")
    return right[values > 1e-10 * values[0]].T


def pair_matrices(X: NDArray[np.float64], known: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean outer products S and T, each (p, p), of the differences of pairs within and across known clusters."""
    counts = np.bincount(known).astype(np.float64)
    n, p = X.shape
    centred = X - X.mean(axis=0)
    within = np.zeros((p, p))
    for cluster, count in enumerate(counts):  # sum over ordered pairs = 2 count * scatter
        rows = X[known == cluster] - X[known == cluster].mean(axis=0)
        within += 2.0 * count * (rows.T @ rows)
    across = 2.0 * n * (centred.T @ centred) - within
    pairs = (counts**2).sum() - n
    return within / max(pairs, 1.0), across / max(n**2 - (counts**2).sum(), 1.0)


def inverted_stretch(X: NDArray[np.float64], known: NDArray[np.int64], shrinkage: float) -> NDArray[np.float64]:
    """H D^-1 H' of (4), the root (p, p) of A^-1 in (3), for X (n, p) of full rank."""
    S, T = (M + shrinkage * np.trace(M) / len(M) * np.eye(len(M)) for M in pair_matrices(X, known))
    if not np.trace(S) > 0:  # known clusters of one point, or of equal ones: nothing within them to stretch by
        S = np.eye(len(T)) * np.trace(T) / len(T)
    root = power(T, 0.5)
    back = power(T, -0.5)
    return power(back @ power(root @ S @ root, 0.5) @ back, 0.5)


def power(M: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    """A power of a symmetric positive matrix (p, p)."""
    values, vectors = np.linalg.eigh(0.5 * (M + M.T))
    return (vectors * np.maximum(values, 1e-14 * values[-1]) ** exponent) @ vectors.T
