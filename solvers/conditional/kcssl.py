"""Kernel conditional semi-supervised learning (KCSSL): few labels, and covariates whose effect is removed.

    maximise  tr(Y' G Y)   over  Y = [Y_l; Y_u],  Y_u' Y_u = I,      G = P K_D P                                  (1)

Y_l are the indicators of the labelled rows, P what the covariates leave unexplained (see `residual`). Since G is
positive semidefinite the stationary point without the constraint is a minimiser; with it, (1) is maximised over the
Stiefel manifold from the polar factor of G_ul Y_l. A row's label is its largest entry of Y_u; with size bounds, the
labels are the optimal assignment for the scores Y_u that keeps the given labels.                                 (2)

At an optimum G_ul Y_l + G_uu Y_u = Y_u L with a symmetric L (k x k), so new points get scores G(x, .) Y L^-1.      (3)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ...base.checks import check_positive, validate_data
from ...base.status import Status
from ...models.polytope.polytope import PartitionPolytope
from ...stats.dependence.kernels import rbf_kernel
from ..assignment.rounding import assign_with_given
from ..cells import Cells, largest_score
from ..partition import Partition
from ..partitioner import Needs, Points, Random, Target
from .covariates import CovariateEncoder, CovariateType
from .extension import Extension, FeatureMap
from .few_labels import FewLabels, partial_labels
from .residual import residual_of
from .stiefel import StiefelResult, minimise_stiefel, polar_factor
from .subspace import data_width


@dataclass(eq=False, repr=False, kw_only=True)
class KCSSL(FewLabels):
    """Label all points from few labels, given covariates that must not drive the labels.

    Parameters
    ----------
    covariate_type, eps, max_exact, n_landmarks
        As for `KCC`; above ``max_exact`` rows the kernel is replaced by Nystrom features.
    random_state : int, RandomState or None
        Seed of the landmarks; without landmarks the result is deterministic.

    Attributes
    ----------
    scores_ : (n, k) ndarray
        Y.
    partition_ : Partition
        ``objective`` is tr(Y' G Y), larger is better; ``certificate`` proves the assignment when there are bounds.
    eps_, explained_ : float
        As for `KCC`.

    Raises
    ------
    InvalidInputError
        When no row is labelled, only one label occurs, ``n_clusters`` disagrees with the labels, or the covariates are
        not usable.
    CapabilityError
        When covariates are missing or weights are given.
    InfeasibleBoundsError
        When no labelling that keeps the given labels satisfies the bounds.

    Notes
    -----
    Heuristic: a local optimum of (1) from a deterministic start. O(n^2) per step, after O(n^2 p) for the kernel;
    O(n n_landmarks) with landmarks. With fewer unlabelled rows than classes no Y_u has orthonormal columns; the
    start's scores G_ul Y_l are used then.

    References
    ----------
    The publication that `KCC` names.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import KCSSL
    >>> rng = np.random.default_rng(0)
    >>> group, hidden = np.arange(90) % 3, np.arange(90) % 2
    >>> X = rng.normal(size=(90, 2)) * 0.3 + np.column_stack([4.0 * group, 4.0 * hidden])
    >>> y = np.where(np.arange(90) < 6, hidden, -1)
    >>> float((KCSSL(2).fit(X, y, covariates=group).transduction_ == hidden).mean())
    1.0
    """

    needs: ClassVar[Needs] = Needs(target="partial", covariates="required", cluster_per_class=True, n_points=2)

    covariate_type: CovariateType = "categorical"
    eps: float | Literal["auto"] = 1e-8
    max_exact: int = 2000
    n_landmarks: int = 300

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        check_positive(self, "max_exact", "n_landmarks", "max_iter")
        assert y is not None
        D, n = np.asarray(X, dtype=np.float64), len(X)
        self.classes_, given = partial_labels(y, self.n_clusters)
        encoder = CovariateEncoder(covariates, self.covariate_type, n)
        residual = residual_of(encoder, encoder.table, self.eps, self.max_exact, self.n_landmarks, rng)
        width = data_width(D)
        # G is formed where it fits, and is a product of two thin factors where it does not
        if n <= self.max_exact:
            features = FeatureMap(None, width, D)
            Phi = rbf_kernel(D, width=width)
            F = residual.both_sides(Phi)

            def product(V: NDArray[np.float64]) -> NDArray[np.float64]:
                return F @ V
        else:
            features = FeatureMap.nystrom(D, None, width, self.n_landmarks, rng)
            Phi = features(D)
            F = residual.apply(Phi)

            def product(V: NDArray[np.float64]) -> NDArray[np.float64]:
                return F @ (F.T @ V)

        Y, result = maximise_labels(product, given, self.n_clusters, self.max_iter)
        self.scores_, GY = Y, product(Y)
        labels, certificate = assign_with_given(Y, given, polytope)
        # (3): new points get scores by what the optimum says of its multiplier
        free = given < 0
        L = Y[free].T @ GY[free] if free.sum() >= Y.shape[1] else np.eye(Y.shape[1])  # else no row was optimised
        back = np.linalg.pinv(0.5 * (L + L.T))
        target = residual.apply(Y) @ back if n <= self.max_exact else F.T @ Y @ back
        extension = Extension.of(features, Phi, residual, target)
        self.eps_, self.explained_ = residual.eps, residual.explained
        self.transduction_ = self.classes_[labels]
        objective = float(np.vdot(Y, GY))
        return Partition(
            labels=labels,
            sizes=polytope.sizes(labels),
            objective=objective,
            certificate=certificate,
            embedded_cells=Cells(extension, largest_score(self.n_clusters)),
            n_iter=0 if result is None else result.n_iter,
            status=Status.CONVERGED if result is None else result.status,
        )

    def decision_function(self, X: ArrayLike, covariates: ArrayLike | None = None) -> NDArray[np.float64]:
        """Scores (m, k) of new points (m, p) by (3); without covariates nothing is explained away for them."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=np.float64)
        return self.partition_.require_cells().images(points, covariates)


def maximise_labels(
    product: Any, given: NDArray[np.int64], k: int, max_iter: int
) -> tuple[NDArray[np.float64], StiefelResult | None]:
    """Y (n, k) of (1), where ``product`` maps V (n, k) to G V; and how the maximisation ended, None if not needed."""
    n, free = len(given), np.flatnonzero(given < 0)
    Y = np.zeros((n, k))
    labelled = np.flatnonzero(given >= 0)
    Y[labelled, given[labelled]] = 1.0
    if free.size == 0:
        return Y, None
    pull = product(Y)[free]  # G_ul Y_l
    if free.size < k:
        Y[free] = pull
        return Y, None
    inner = np.zeros((n, k))

    def objective(V: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        inner[free] = V
        image = product(inner)[free]
        return -float(2.0 * np.vdot(V, pull) + np.vdot(V, image)), -2.0 * (pull + image)

    result = minimise_stiefel(objective, polar_factor(pull), max_iter=max_iter)
    Y[free] = result.point
    return Y, result
