"""KDAC: kernel dimensionality reduction for alternative clustering, the regularised relative of KCC.

    maximise  tr(U' (H N_W H - lam H K_C H) U)   over  W'W = I (p x d),  U'U = I (n x k)                          (1)

    N_W = D^-1/2 K_DW D^-1/2,   D = diag(K_DW 1)      the affinities of spectral clustering in a subspace           (2)
    K_C(i, j) = number of covariate columns in which i and j agree, or the kernel of `KCC` when any is real         (3)

H = I - 11'/n. The dependence on the covariates is penalised with a weight to be chosen, where KCC removes what they
explain. The eigenvalues of N_W are at most 1, those of H K_C H of the order of n over the number of levels, so that
lam = 0.01 weighs hundreds of points about evenly.

The first U are the leading eigenvectors of the matrix in (1) for the kernel of all columns. For U fixed, W maximises

    sum_ij L_ij K_DW(i, j),   L = D^-1/2 H U U' H D^-1/2                                                          (4)

with the degrees D of the W before; for W fixed, U are the leading eigenvectors again. A round that loses is undone.
The normalisation (2), the start and lam are those of the publications. They leave open the centring of (2), which is
that of the dependence measure here; the width, the median one of the projected points, repeated with the first (4)
until it settles; and the descent, which moves all columns of W together instead of one after another. A first W from
(4) with the matrix of (1) in the place of U U', as `KCC` starts, was tried: it takes ten times as long, does not settle
for lam of 1 and more, and finds no better clusters on the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from partitope.base.arrays import Reals
from partitope.base.checks import check_positive, check_weight
from partitope.models.objectives.objectives import Sense
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers import STRATEGIES
from partitope.solvers.conditional.cluster_images import cluster_images, unit_rows
from partitope.solvers.conditional.covariates import CovariateEncoder, CovariateType
from partitope.solvers.conditional.kcc import projected_cells
from partitope.solvers.conditional.subspace import (
    Embedding,
    Subspace,
    data_width,
    dimension,
    improve_subspace,
    largest_eigenpairs,
    settled_subspace,
)
from partitope.solvers.partition import Partition
from partitope.solvers.partitioner import Needs, Partitioner, Points, Random, Target
from partitope.stats.dependence.kernels import rbf_kernel

from .exact import check_exact
from .levels import centred_level_kernel, level_product

Operator = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@STRATEGIES.register("kdac")
@dataclass(eq=False, repr=False, kw_only=True)
class KDAC(Partitioner):
    """Alternative clustering by a penalty on the dependence between clusters and covariates.

    Parameters
    ----------
    lam : float, default 0.01
        Weight of the penalty; 0 clusters without regard to the covariates.
    covariate_type, n_components
        As for `KCC`.
    n_init : int, default 100
        Starts of the last step.
    max_exact : int, default 5000
        Largest number of rows that is accepted: kernels are held in full.
    tol, max_iter
        As for `KCC`.
    random_state : int, RandomState or None
        Seed of the first W and of the last step.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is the trace (1), larger is better; ``power_diagram`` as for `KCC`.
    components_, embedding_, width_
        As for `KCC`.

    Raises
    ------
    InvalidInputError
        When a parameter or the covariates are not usable, or there are more than ``max_exact`` rows.

    Notes
    -----
    Heuristic; O(n^2 (k + p)) a gradient, O(n^2) memory.

    References
    ----------
    Niu, Dy and Jordan (2014), Iterative discovery of multiple alternative clustering views, IEEE TPAMI.

    Examples
    --------
    >>> import numpy as np
    >>> from studies.methods import KDAC
    >>> rng = np.random.default_rng(0)
    >>> group, hidden = np.arange(90) % 3, np.arange(90) % 2
    >>> X = rng.normal(size=(90, 2)) * 0.3 + np.column_stack([8.0 * group, 2.0 * hidden])
    >>> labels = KDAC(2, n_init=10, random_state=0).fit(X, covariates=group).labels_
    >>> int((labels == hidden).sum()) in (0, 90)
    True
    """

    needs: ClassVar[Needs] = Needs(covariates="required", n_points=2)
    objective_sense: ClassVar[Sense] = "max"

    lam: float = 0.01
    covariate_type: CovariateType = "categorical"
    n_components: int | None = None
    n_init: int = 100
    max_exact: int = 5000
    tol: float = 1e-3
    max_iter: int = 100

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        check_positive(self, "n_init", "max_exact", "max_iter")
        check_weight("tol", self.tol)
        check_weight("lam", self.lam)
        check_exact(self, len(X))
        D = np.asarray(X, dtype=np.float64)
        penalty = covariate_penalty(CovariateEncoder(covariates, self.covariate_type, len(D)), float(self.lam))
        d = dimension(self.n_components, min(self.n_clusters, D.shape[1]), D.shape[1], "columns")
        subspace = learn(D, penalty, self.n_clusters, d, tol=self.tol, max_iter=self.max_iter, rng=rng)
        partition = cluster_images(unit_rows(subspace.U), polytope, self.n_init, rng)
        self.components_, self.embedding_, self.width_ = subspace.W, subspace.U, subspace.width
        return replace(
            partition,
            objective=float(subspace.values.sum()),
            history={"objective": np.array(subspace.history)},
            power_diagram=projected_cells(D, subspace.W, partition.labels, polytope.n_clusters),
            n_iter=len(subspace.history),
            status=subspace.status,
        )


def covariate_penalty(encoder: CovariateEncoder, lam: float) -> Operator:
    """V (n, m) -> lam H K_C H V."""
    K, codes = centred_level_kernel(encoder)
    return level_product(lam * K, codes)


def learn(
    D: Reals, penalty: Operator, n_clusters: int, n_components: int, *, tol: float, max_iter: int, rng: Random
) -> Subspace:
    """A local optimum of (1) for D (n, p)."""

    def embed_in(W: NDArray[np.float64] | None, width: float) -> Embedding:
        K, roots = affinities(D if W is None else D @ W, width)
        values, U = embed(K, roots, penalty, n_clusters)
        return values, U, forces_root(U, roots)

    width = data_width(D)
    _, _, V = embed_in(None, width)
    first = settled_subspace(D, V @ V.T, width, n_components, tol, max_iter, rng)
    return improve_subspace(D, first, embed_in, tol, max_iter)


def affinities(Z: Reals, width: float) -> tuple[Reals, Reals]:
    """The kernel (n, n) of the rows of Z and the roots (n,) of its inverse degrees."""
    K = rbf_kernel(Z, width=width)
    return K, 1.0 / np.sqrt(K.sum(axis=1))


def forces_root(U: Reals, roots: Reals) -> Reals:
    """V (n, k) with L = V V' of (4)."""
    return roots[:, None] * (U - U.mean(axis=0))


def embed(K: Reals, roots: Reals, penalty: Operator, k: int) -> tuple[Reals, Reals]:
    """The k largest eigenvalues (k,), falling, and eigenvectors (n, k) of the matrix in (1)."""
    n = len(K)

    def product(V: Any) -> NDArray[np.float64]:
        columns = np.asarray(V, dtype=np.float64).reshape(n, -1)
        image = roots[:, None] * (K @ (roots[:, None] * (columns - columns.mean(axis=0))))
        return (image - image.mean(axis=0) - penalty(columns)).reshape(np.shape(V))

    return largest_eigenpairs(product, n, k, "LA")
