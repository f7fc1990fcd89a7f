"""RPCA: principal directions that depend little on covariates, and k-means in them.

Directions of much variance and little dependence (HSIC with a linear kernel) on the covariates:

    S w = theta (lam R + v I) w,   S = X'HX / n,   R = X'H C H X / n,   v = tr(S) / p                              (1)

H = I - 11'/n and C the centred kernel of the covariates, scaled to a largest eigenvalue of 1: for one covariate of
levels of equal size it projects on their indicators, so that R is the variance between levels. The d leading
eigenvectors make the subspace, scaled so that the matrix on the right becomes I; k-means follows. A large lam comes
close to the condition that nothing in the subspace depends on the covariates. The scales v and of C, and the ratio in
the place of a difference, are our reading of the publication.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from partitope.base.checks import check_weight
from partitope.solvers import STRATEGIES
from partitope.solvers.cells import LinearEmbedding
from partitope.solvers.conditional.covariates import CovariateEncoder
from partitope.solvers.conditional.subspace import dimension
from partitope.solvers.partitioner import Needs, Points, Random

from .adft import spanned_space
from .embedded_k_means import EmbeddedKMeans
from .exact import check_exact
from .pencil import leading_pencil, scaled_dependence


@STRATEGIES.register("rpca")
@dataclass(eq=False, repr=False, kw_only=True)
class RPCA(EmbeddedKMeans):
    """k-means in the principal directions that depend little on covariates.

    Parameters
    ----------
    lam : float, default 100.0
        Weight of the dependence; 0 is PCA.
    covariate_type : {"categorical", "real"} or sequence of them, default "categorical"
        Type of all covariate columns, or of each.
    n_components : int, optional
        Dimension d of the subspace, by default min(k, p).
    max_exact : int, default 3000
        Largest min(n, p), and largest number of distinct rows of the covariates, that is accepted.

    Attributes
    ----------
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
    >>> from studies.methods import RPCA
    >>> X = [[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0]]
    >>> RPCA(2, random_state=0).fit(X, covariates=["a", "a", "b", "b"]).labels_
    array([0, 1, 0, 1])
    """

    needs: ClassVar[Needs] = Needs(covariates="required", n_points=2)

    lam: float = 100.0
    covariate_type: str | Sequence[str] = "categorical"
    n_components: int | None = None

    def _embed(self, X: Points, covariates: Any, rng: Random) -> tuple[LinearEmbedding, NDArray[np.float64]]:
        check_weight("lam", self.lam)
        check_exact(self, min(X.shape), "rows and columns or more")
        d = dimension(self.n_components, min(self.n_clusters, X.shape[1]), X.shape[1], "columns")
        dependence = scaled_dependence(CovariateEncoder(covariates, self.covariate_type, len(X)), self.max_exact)
        mean = X.mean(axis=0)
        basis = spanned_space(X - mean)
        rows = (X - mean) @ basis
        v = (rows**2).sum() / len(X) / X.shape[1]
        cost = float(self.lam) * (rows.T @ dependence(rows)) / len(X) + v * np.eye(rows.shape[1])
        values, vectors = leading_pencil(rows.T @ rows / len(X), cost, min(d, rows.shape[1]))
        self.components_, self.values_ = basis @ vectors, values
        return LinearEmbedding(self.components_, mean), rows @ vectors
