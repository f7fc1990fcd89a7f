"""MNMF: a nonnegative factorisation whose weights depend little on the covariates.

    minimise  |X - V U'|^2 + lam tr(V' H K_C H V)   over  V >= 0 (n x k),  U >= 0 (p x k),  |u_j| <= 1             (1)

H = I - 11'/n, K_C counts the covariate columns in which two points agree (or is the kernel of `KCC`); the second term
is the empirical HSIC of V and the covariates. X is made nonnegative by subtracting each column's minimum and scaled
to a mean squared row of 1. The bound on U keeps V from shrinking at no cost, which would void the penalty.

With H K_C H = A - B, both nonnegative, V is multiplied entry by entry by the root of

    (X U + lam B V) / (V U'U + lam A V)                                                                           (2)

and U takes projected gradient steps of length one over the largest eigenvalue of V'V. Neither ever raises (1). The rows
of V, scaled to length one, are clustered by k-means. Kernel, scale of X, bound on U and the last step are our reading.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from partitope.base.arrays import Reals
from partitope.base.checks import check_positive, check_weight
from partitope.base.errors import InvalidInputError
from partitope.base.status import Status
from partitope.models.objectives.objectives import Sense
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers import STRATEGIES
from partitope.solvers.best_start import best_start
from partitope.solvers.conditional.cluster_images import cluster_images, unit_rows
from partitope.solvers.conditional.covariates import CovariateEncoder, CovariateType
from partitope.solvers.conditional.kcc import projected_cells
from partitope.solvers.partition import Partition
from partitope.solvers.partitioner import Needs, Partitioner, Points, Random, Target

from .kdac import Operator
from .levels import centred_level_kernel, level_product

TINY = 1e-12
STEPS = 5  # of U in a round


@STRATEGIES.register("mnmf")
@dataclass(eq=False, repr=False, kw_only=True)
class MNMF(Partitioner):
    """Alternative clustering by a nonnegative factorisation with a penalty on dependence.

    Parameters
    ----------
    lam : float, default 0.1
        Weight of the penalty.
    covariate_type
        As for `KCC`.
    n_starts : int, default 5
        Random starts of the factorisation; the best is kept.
    n_init : int, default 10
        Starts of the last step.
    tol : float, default 1e-6
        Relative gain at which a start stops.
    max_iter : int, default 500
        Largest number of rounds of one start.
    max_exact : int, default 5000
        Largest number of distinct rows of the covariates that is accepted.
    random_state : int, RandomState or None
        Seed of all starts.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is (1), smaller is better, and ``history["objective"]`` its trace; ``power_diagram`` holds the
        cells of the clusters' means in X, which `predict` uses.
    embedding_ : (n, k) ndarray
        V.
    components_ : (p, k) ndarray
        U.

    Raises
    ------
    InvalidInputError
        When a parameter or the covariates are not usable, all rows of X are equal, or the covariates have more than
        ``max_exact`` distinct rows.

    Notes
    -----
    Ends in a local optimum; (1) never rises. O(n p k + c^2 k) a round for c distinct rows of covariates.

    References
    ----------
    Yang and Zhang (2017), Non-redundant multiple clustering by nonnegative matrix factorization, Machine Learning.

    Examples
    --------
    >>> import numpy as np
    >>> from studies.methods import MNMF
    >>> rng = np.random.default_rng(0)
    >>> group, hidden = np.arange(80) % 2, np.arange(80) // 40
    >>> X = np.hstack([np.eye(2)[group], np.eye(2)[hidden]]) + rng.uniform(size=(80, 4)) * 0.1
    >>> labels = MNMF(2, random_state=0).fit(X, covariates=group).labels_
    >>> bool((labels == hidden).all())
    True
    """

    needs: ClassVar[Needs] = Needs(covariates="required", n_points=2)
    objective_sense: ClassVar[Sense] = "min"

    lam: float = 0.1
    covariate_type: CovariateType = "categorical"
    n_starts: int = 5
    n_init: int = 10
    tol: float = 1e-6
    max_iter: int = 500
    max_exact: int = 5000

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        check_positive(self, "n_starts", "n_init", "max_iter", "max_exact")
        check_weight("lam", self.lam)
        check_weight("tol", self.tol)
        D, k = np.asarray(X, dtype=np.float64), self.n_clusters
        K, codes = centred_level_kernel(CovariateEncoder(covariates, self.covariate_type, len(D)))
        if len(K) > self.max_exact:
            raise InvalidInputError(
                f"covariates have {len(K)} distinct rows, max_exact={self.max_exact}: use KCC or raise max_exact"
            )
        lam = float(self.lam)
        parts = level_product(lam * np.maximum(K, 0.0), codes), level_product(lam * np.maximum(-K, 0.0), codes)
        rows = nonnegative_rows(D)

        def run(start: int) -> Factorisation:
            V, U = rng.uniform(size=(len(D), k)), rng.uniform(size=(D.shape[1], k))
            return factorise(rows, V, U, *parts, tol=float(self.tol), max_iter=self.max_iter)

        best = best_start(range(self.n_starts), run, lambda new, old: new.history[-1] < old.history[-1])
        self.embedding_, self.components_ = best.V, best.U
        partition = cluster_images(unit_rows(best.V), polytope, self.n_init, rng)
        return replace(
            partition,
            objective=best.history[-1],
            history={"objective": np.array(best.history)},
            power_diagram=projected_cells(D, np.eye(D.shape[1]), partition.labels, k),
            n_iter=len(best.history),
            status=best.status,
        )


@dataclass(frozen=True, eq=False)
class Factorisation:
    """A local optimum V (n, k) and U (p, k) of (1), its trace, and why the rounds stopped."""

    V: NDArray[np.float64]
    U: NDArray[np.float64]
    history: list[float]
    status: Status


def nonnegative_rows(D: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows (n, p) less the minima of the columns, scaled to a mean squared length of 1.

    Raises
    ------
    InvalidInputError
        When all rows are equal.
    """
    rows = D - D.min(axis=0)
    scale = float(np.sqrt((rows**2).sum() / len(rows)))
    if not scale > 0:
        raise InvalidInputError("all rows of X are equal: there is nothing to cluster")
    return rows / scale


def factorise(X: Reals, V: Reals, U: Reals, A: Operator, B: Operator, *, tol: float, max_iter: int) -> Factorisation:
    """A local optimum of (1) from V (n, k) and U (p, k), which (2) lowers; A and B apply lam A and lam B of (2)."""
    U = within_ball(U)
    square = float((X**2).sum())
    history: list[float] = []
    for _ in range(max_iter):
        V = V * np.sqrt((X @ U + B(V)) / np.maximum(V @ (U.T @ U) + A(V), TINY))
        gram, target = V.T @ V, X.T @ V
        step = 1.0 / max(float(np.linalg.eigvalsh(gram)[-1]), TINY)
        for _ in range(STEPS):
            U = within_ball(U - step * (U @ gram - target))
        fit = square - 2.0 * float((U * target).sum()) + float((gram * (U.T @ U)).sum())
        history.append(fit + float((V * (A(V) - B(V))).sum()))
        if len(history) > 1 and history[-2] - history[-1] <= tol * history[-2]:
            return Factorisation(V, U, history, Status.CONVERGED)
    return Factorisation(V, U, history, Status.ITERATION_LIMIT)


def within_ball(U: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest matrix (p, k) with U >= 0 and columns of length at most 1."""
    U = np.maximum(U, 0.0)
    return U / np.maximum(np.linalg.norm(U, axis=0), 1.0)
