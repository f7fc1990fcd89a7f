"""KDAC: kernel dimensionality reduction for alternative clustering, the regularised relative of KCC.

    maximise  HSIC(DW, U) - lam HSIC(C, U)  ~  tr(U' (H K_DW H - lam H K_C H) U)   over  W'W = I,  U'U = I

The dependence on the covariates is penalised with a weight to be chosen, where KCC removes what they explain.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..models.errors import InvalidInputError
from ..models.polytope import PartitionPolytope
from ._kcc_covariates import CovariateEncoder, CovariateType
from ._kcc_residual import Residual
from ._kcc_rounding import cluster_rows, unit_rows
from ._kcc_subspace import learn_subspace
from .kcc import check_clusters, check_positive, partition_of, projected_cells
from .partition import Partition
from .partitioner import Needs, Partitioner


class KDAC(Partitioner):
    """Alternative clustering by a penalty on the dependence between clusters and covariates.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters k.
    lower, upper : (k,) array_like or int, optional
        Bounds on the cluster sizes.
    lam : float, default 2.0
        Weight of the penalty; 0 clusters without regard to the covariates. Both kernels have eigenvalues of the order
        of n, so that values about 1 mix the covariates' structure with the one beyond, and larger ones remove it.
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
    labels_ : (n,) ndarray of int64
        Cluster of every training point.
    partition_ : Partition
        ``objective`` is the trace above, larger is better; ``power_diagram`` as for `KCC`.
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
    >>> from partitope.solvers import KDAC
    >>> rng = np.random.default_rng(0)
    >>> group, hidden = np.arange(90) % 3, np.arange(90) % 2
    >>> X = rng.normal(size=(90, 2)) * 0.3 + np.column_stack([8.0 * group, 2.0 * hidden])
    >>> labels = KDAC(2, n_init=10, random_state=0).fit(X, covariates=group).labels_
    >>> int((labels == hidden).sum()) in (0, 90)
    True
    """

    needs: ClassVar[Needs] = Needs(covariates="required")
    objective_sense: ClassVar[Literal["max", "min"]] = "max"

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        lam: float = 2.0,
        covariate_type: CovariateType = "categorical",
        n_components: int | None = None,
        n_init: int = 100,
        max_exact: int = 5000,
        tol: float = 1e-3,
        max_iter: int = 100,
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
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _partition(
        self,
        X: NDArray[np.float64],
        y: NDArray | None,
        covariates: Any,
        polytope: PartitionPolytope,
        random_state: np.random.RandomState,
    ) -> Partition:
        check_positive(self, "n_init", "max_exact", "max_iter")
        check_clusters(self.n_clusters, len(X))
        if not (isinstance(self.lam, (int, float, np.number)) and np.isfinite(self.lam) and self.lam >= 0):
            raise InvalidInputError(f"lam={self.lam!r} is not usable: pass a number of at least 0")
        if len(X) > self.max_exact:
            raise InvalidInputError(
                f"X has {len(X)} rows, max_exact={self.max_exact}: KDAC holds full kernels; use KCC or raise max_exact"
            )
        D = np.asarray(X, dtype=np.float64)
        encoder = CovariateEncoder(covariates, self.covariate_type, len(D))
        representatives, codes = encoder.table.distinct()
        anchors = encoder.table.take(representatives)
        levels, lam = encoder.kernel(anchors, anchors), float(self.lam)
        centring = plain_centring(encoder, len(D))

        def penalty(V: NDArray[np.float64]) -> NDArray[np.float64]:
            V = V - V.mean(axis=0)
            sums = np.zeros((len(levels), V.shape[1]))
            np.add.at(sums, codes, V)
            image = (levels @ sums)[codes]
            return lam * (image - image.mean(axis=0))

        d = min(self.n_clusters, D.shape[1]) if self.n_components is None else self.n_components
        subspace = learn_subspace(
            D, centring, self.n_clusters, d, tol=self.tol, max_iter=self.max_iter, rng=random_state, penalty=penalty
        )
        rounding = cluster_rows(unit_rows(subspace.U), polytope, self.n_init, random_state)
        self.components_, self.embedding_, self.width_ = subspace.W, subspace.U, subspace.width
        cells = projected_cells(D, subspace.W, rounding.labels, polytope.n_clusters)
        objective = float(subspace.values.sum())
        return partition_of(rounding, polytope, objective, subspace.history, subspace, cells)


def plain_centring(encoder: CovariateEncoder, n: int) -> Residual:
    """The residual operator that explains nothing: P = H."""
    empty = np.empty((0, 0))
    return Residual(encoder, encoder.table, np.zeros(n), empty, None, np.empty((n, 0)), np.empty(0), np.inf)
