"""Kernel conditional clustering (KCC): clusters beyond what the covariates explain.

    maximise  HSCONIC(DW, U | C)  ~  tr(U' P K_DW P U)   over  W'W = I (p x d),  U'U = I (n x k)                  (1)

    K_DW(i, j) = exp(-|W'(x_i - x_j)|^2 / (2 s^2))   the kernel of the points in a subspace
    P = H - M                                        what the covariates leave unexplained (see `residual`)

W and U are found in turn (`subspace`). The rows of U, scaled to unit length, are then clustered by k-means, or,
with size bounds, by least-squares partitions whose assignment steps are exact:                                  (2)

New points with covariates are embedded by extending the eigenvectors (Nystrom) and get the nearest cell of (2);
without covariates they get the cell of the nearest cluster mean in the subspace W.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from ...base.checks import check_positive, check_weight
from ...base.record import Record
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.objectives import Sense
from ...models.polytope.polytope import PartitionPolytope
from ...stats.dependence.kernels import rbf_kernel
from ..cells import Cells
from ..partition import Partition
from ..partitioner import Needs, Partitioner, Points, Random, Target
from .cluster_images import cluster_images, unit_rows
from .covariates import CovariateEncoder, CovariateType
from .extension import Extension, FeatureMap
from .residual import Residual, residual_of
from .subspace import Subspace, dimension, learn_subspace


@dataclass(eq=False, repr=False, kw_only=True)
class KCC(Partitioner):
    """Cluster points given covariates: find structure that the covariates do not explain.

    Parameters
    ----------
    covariate_type : {"categorical", "real"} or sequence, default "categorical"
        Type of all covariate columns, or a sequence with the type of each; never guessed. Real columns are scaled and
        share an rbf kernel.
    n_components : int, optional
        Dimension d of the subspace, by default min(k, p).
    eps : float or "auto", default 1e-8
        Regularisation of the regression on the covariates, absolute. Real covariates in three or more dimensions
        are explained away together with the clusters at the default (an `ExplainedAwayWarning` says so); "auto"
        keeps the default for categorical columns only; with real ones it takes the smallest value at which the
        covariates explain at most 2 % of the n dimensions, and at most a twentieth of their largest eigenvalue.
    n_init : int, default 100
        Starts of the last step (2).
    max_exact : int, default 2000
        Up to this many rows everything is exact, in O(n^2) memory. Above, W is learnt on this many rows drawn at
        random, and U from ``n_landmarks`` Nystrom landmarks, in O(n n_landmarks) memory. Covariates with more
        distinct rows than this use landmarks too.
    n_landmarks : int, default 300
        Landmarks above ``max_exact``.
    tol : float, default 1e-3
        Relative gain at which the alternation stops.
    max_iter : int, default 100
        Largest number of rounds.
    random_state : int, RandomState or None
        Seed of the first W, the k-means starts, samples and landmarks.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is tr(U' P K_DW P U), larger is better, and ``history["objective"]`` its trace;
        ``certificate`` proves the last assignment step when there are size bounds; ``power_diagram`` holds the cells
        of the projected cluster means, as sites in the space of X.
    components_ : (p, d) ndarray
        W.
    embedding_ : (n, k) ndarray
        U, before its rows are scaled.
    width_ : float
        Kernel width s in the subspace.
    eps_ : float
        The regularisation used.
    explained_ : float
        Trace of M, the number of dimensions that the covariates explain.

    Raises
    ------
    InvalidInputError
        When a parameter is not usable, all rows of X are equal, or covariates are constant, missing, of another
        length or of another type than declared.
    CapabilityError
        When covariates are missing or weights are given.
    InfeasibleBoundsError
        When no clustering satisfies the size bounds.

    Notes
    -----
    Heuristic: (1) is not convex and a local optimum is found. One round costs O(n^2 (k + p)) per gradient for W and
    O(n^2) per step for U. With bounds, every assignment step of (2) is exact and the last one certified.

    References
    ----------
    He, Gumbsch, Roqueiro and Borgwardt (2019), Kernel conditional clustering and kernel conditional
    semi-supervised learning, Knowledge and Information Systems.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import KCC
    >>> rng = np.random.default_rng(0)
    >>> group, hidden = np.arange(90) % 3, np.arange(90) % 2
    >>> X = rng.normal(size=(90, 2)) * 0.3 + np.column_stack([8.0 * group, 2.0 * hidden])
    >>> model = KCC(2, random_state=0).fit(X, covariates=group)
    >>> int((model.labels_ == hidden).sum()) in (0, 90)
    True
    """

    needs: ClassVar[Needs] = Needs(covariates="required", n_points=2)
    objective_sense: ClassVar[Sense] = "max"

    covariate_type: CovariateType = "categorical"
    n_components: int | None = None
    eps: float | Literal["auto"] = 1e-8
    n_init: int = 100
    max_exact: int = 2000
    n_landmarks: int = 300
    tol: float = 1e-3
    max_iter: int = 100

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        check_positive(self, "n_init", "max_exact", "n_landmarks", "max_iter")
        check_weight("tol", self.tol)
        D = np.asarray(X, dtype=np.float64)
        encoder = CovariateEncoder(covariates, self.covariate_type, len(D))
        embedded = self._embed(D, encoder, rng)
        partition = cluster_images(unit_rows(embedded.U), polytope, self.n_init, rng)
        assert partition.power_diagram is not None
        self.components_, self.width_, self.embedding_ = embedded.subspace.W, embedded.subspace.width, embedded.U
        self.eps_, self.explained_ = embedded.residual.eps, embedded.residual.explained
        projected = projected_cells(D, self.components_, partition.labels, polytope.n_clusters)
        return replace(
            partition,
            objective=embedded.objective,
            history={"objective": np.array(embedded.history)},
            power_diagram=projected,
            embedded_cells=Cells(embedded.extension, partition.power_diagram, without_covariates=projected),
            n_iter=len(embedded.history),
            status=embedded.subspace.status,
        )

    def _embed(self, D: NDArray[np.float64], encoder: CovariateEncoder, rng: np.random.RandomState) -> Embedded:
        n, p = D.shape
        d = dimension(self.n_components, min(self.n_clusters, p), p, "columns")
        residual = residual_of(encoder, encoder.table, self.eps, self.max_exact, self.n_landmarks, rng)
        options: Record = {"tol": self.tol, "max_iter": self.max_iter, "rng": rng}
        if n <= self.max_exact:
            subspace = learn_subspace(D, residual, self.n_clusters, d, **options)
            features = FeatureMap(subspace.W, subspace.width, D @ subspace.W)
            Phi, values = rbf_kernel(features.anchors, width=subspace.width), subspace.values
            # U(x) = L(x, .) U / values
            target = residual.apply(subspace.U) / np.where(values > 1e-12 * values[0], values, np.inf)
            extension = Extension.of(features, Phi, residual, target, unit=True)
            return Embedded(subspace, subspace.U, float(values.sum()), subspace.history, extension, residual)
        rows = np.sort(rng.choice(n, self.max_exact, replace=False))
        inner = residual_of(encoder, encoder.table.take(rows), self.eps, self.max_exact, self.n_landmarks, rng)
        subspace = learn_subspace(D[rows], inner, self.n_clusters, d, **options)
        features = FeatureMap.nystrom(D, subspace.W, subspace.width, self.n_landmarks, rng)
        Phi = features(D)
        F = residual.apply(Phi)
        values, vectors = eigh(F.T @ F, subset_by_index=(max(F.shape[1] - self.n_clusters, 0), F.shape[1] - 1))
        values, vectors = values[::-1], vectors[:, ::-1]
        target = vectors / np.sqrt(np.maximum(values, 1e-12 * values[0]))
        history = [value * n / len(rows) for value in subspace.history] + [float(values.sum())]
        extension = Extension.of(features, Phi, residual, target, unit=True)
        return Embedded(subspace, F @ target, float(values.sum()), history, extension, residual)


@dataclass(frozen=True, eq=False)
class Embedded:
    """The subspace, the embedding U (n, k) of all points, its objective, trace, extension and residual operator."""

    subspace: Subspace
    U: NDArray[np.float64]
    objective: float
    history: list[float]
    extension: Extension
    residual: Residual


def projected_cells(D: NDArray[np.float64], W: NDArray[np.float64], labels: NDArray[np.int64], k: int) -> PowerDiagram:
    """Cells of the nearest cluster mean in the subspace: |W'x - c|^2 and |x - W c|^2 differ by the same for all c."""
    counts = np.bincount(labels, minlength=k)
    sums = np.column_stack([np.bincount(labels, column, k) for column in (D @ W).T])
    means = sums / np.maximum(counts, 1)[:, None]
    prices = np.where(counts > 0, 0.0, 1e300)  # nothing falls into the cell of an empty cluster
    return PowerDiagram(means @ W.T, prices, "lsa")
