"""ADFT: alternative clustering after a flip of the metric that fits a known clustering.

A metric that makes the known clusters tight and far apart is learnt, and its stretches are inverted:

    minimise  tr(A S) + tr(A^-1 T),   A = S^-1 # T = S^-1/2 (S^1/2 T S^1/2)^1/2 S^-1/2                             (1)
    A^1/2 = H D H',   x -> H D^-1 H' x                                                                            (2)

S and T are the mean outer products of the differences of pairs within and across known clusters, must-links and
cannot-links. The publication leaves the metric open: (1) is one with a closed form, and inverting it exchanges S and T.
Both are taken in the space that the data span, with ``shrinkage`` of their mean eigenvalue added. k-means follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from partitope.base.checks import check_weight
from partitope.base.errors import InvalidInputError
from partitope.solvers import STRATEGIES
from partitope.solvers.cells import LinearEmbedding
from partitope.solvers.partitioner import Needs, Points, Random

from .embedded_k_means import EmbeddedKMeans
from .exact import check_exact
from .levels import known_clusters


@STRATEGIES.register("adft")
@dataclass(eq=False, repr=False, kw_only=True)
class ADFT(EmbeddedKMeans):
    """k-means after the stretches of a metric that fits a known clustering have been inverted.

    Parameters
    ----------
    shrinkage : float, default 1e-3
        Share of the mean eigenvalue that is added to both matrices of pairs; positive.
    max_exact : int, default 3000
        Largest min(n, p) that is accepted.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is the sum of squares within clusters after (2), smaller is better.
    components_ : (p, r) ndarray
        The map (2) from centred points to coordinates in the space that the data span.

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
    Geometric mean metric learning, ICML, for (1).

    Examples
    --------
    >>> import numpy as np
    >>> from studies.methods import ADFT
    >>> rng = np.random.default_rng(0)
    >>> group, hidden = np.arange(60) % 2, np.arange(60) // 30
    >>> X = np.column_stack([9.0 * group, 4.0 * hidden]) + rng.normal(size=(60, 2)) * 0.3
    >>> labels = ADFT(2, random_state=0).fit(X, covariates=group).labels_
    >>> bool((labels == hidden).all())
    True
    """

    needs: ClassVar[Needs] = Needs(covariates="required", known_clustering=True, n_points=2)

    shrinkage: float = 1e-3

    def _embed(self, X: Points, covariates: Any, rng: Random) -> tuple[LinearEmbedding, NDArray[np.float64]]:
        check_weight("shrinkage", self.shrinkage)
        if self.shrinkage == 0:
            raise InvalidInputError("shrinkage=0 is not usable: pass a positive number, such as 1e-3")
        check_exact(self, min(X.shape), "rows and columns or more")
        known = known_clusters(covariates, len(X), "ADFT")
        mean = X.mean(axis=0)
        basis = spanned_space(X - mean)
        self.components_ = basis @ inverted_stretch((X - mean) @ basis, known, float(self.shrinkage))
        embedding = LinearEmbedding(self.components_, mean)
        return embedding, embedding(X)


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
    """H D^-1 H' of (2), the root (p, p) of A^-1 in (1), for X (n, p) of full rank."""
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
