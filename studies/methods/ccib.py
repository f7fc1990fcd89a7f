"""CCIB: the coordinated conditional information bottleneck, for points that are Gaussian given cluster and covariates.

The publication maximises I(U; X | C) + lam I(U; X) over clusters U of a bounded rate. With Gaussian points of one
spherical variance and hard clusters, both terms are, up to constants, negative sums of squares:

    minimise  sum_i |x_i - B_{u(i)}' f(c_i)|^2 + lam |x_i - m_{u(i)}|^2                                           (1)

f(c) are a constant, the indicators of the levels and the scaled numbers of the covariates, B_u the regression of the
points of cluster u on f (for one categorical covariate: a mean for every cluster and level), and m_u their mean. The
first sum alone does not say which cluster of one level belongs to which of another; the second, with a small weight,
coordinates them. u, B and m are improved in turn, and every step is exact, within size bounds too. The Gaussian and
hard form is our reading, as are the starts, clusters of k-means++ centres among what regression on f leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.cluster import kmeans_plusplus

from partitope.base.arrays import Integers, Reals
from partitope.base.checks import check_positive, check_weight, finite_rows
from partitope.base.status import Status
from partitope.models.certificates.certificate import Certificate
from partitope.models.objectives.objectives import Sense
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers import STRATEGIES
from partitope.solvers.assignment.rounding import assign_with_given
from partitope.solvers.best_start import best_start
from partitope.solvers.cells import Cells, Embedding, largest_score
from partitope.solvers.conditional.covariates import CovariateEncoder, CovariateRules, CovariateTable
from partitope.solvers.conditional.kcc import projected_cells
from partitope.solvers.partition import Partition
from partitope.solvers.partitioner import Needs, Partitioner, Points, Random, Target


@STRATEGIES.register("ccib")
@dataclass(eq=False, repr=False, kw_only=True)
class CCIB(Partitioner):
    """Clusters that tell most about the points once the covariates are known.

    Parameters
    ----------
    lam : float, default 0.1
        Weight of the coordination; with 0 the clusters of different levels have nothing to do with each other.
    covariate_type : {"categorical", "real"} or sequence of them, default "categorical"
        Type of all covariate columns, or of each.
    n_init : int, default 10
        Starts; the best is kept.
    max_iter : int, default 100
        Largest number of rounds of one start.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is (1), smaller is better, and ``history["objective"]`` its trace; ``certificate`` proves the last
        assignment when there are size bounds; ``power_diagram`` holds the cells of the means m.
    means_ : (k, p) ndarray
        m.
    regressions_ : (k, f, p) ndarray
        B.

    Raises
    ------
    InvalidInputError
        When a parameter or the covariates are not usable.

    Notes
    -----
    Ends in a local optimum; (1) never rises. O(n k p f) a round.

    References
    ----------
    Gondek and Hofmann (2004), Non-redundant data clustering, ICDM.

    Examples
    --------
    >>> from studies.methods import CCIB
    >>> X = [[0.0, 0.0], [0.2, 1.0], [9.0, 0.1], [9.1, 1.2]]
    >>> CCIB(2, random_state=0).fit(X, covariates=["a", "a", "b", "b"]).labels_
    array([0, 1, 0, 1])
    """

    needs: ClassVar[Needs] = Needs(covariates="required", n_points=2)
    objective_sense: ClassVar[Sense] = "min"

    lam: float = 0.1
    covariate_type: str | Sequence[str] = "categorical"
    n_init: int = 10
    max_iter: int = 100

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        check_positive(self, "n_init", "max_iter")
        check_weight("lam", self.lam)
        D, k = np.asarray(X, dtype=np.float64), self.n_clusters
        encoder = CovariateEncoder(covariates, self.covariate_type, len(D))
        F = features(encoder.table, encoder)
        base = np.linalg.lstsq(F, D, rcond=None)[0]

        def run(start: int) -> Run:
            centres, _ = kmeans_plusplus(D - F @ base, k, random_state=rng)
            scores = -cdist(D - F @ base, centres, "sqeuclidean")
            labels, _ = assign_with_given(scores, np.full(len(D), -1), polytope)
            return self._run(D, F, base, labels, polytope)

        best = best_start(range(self.n_init), run, lambda new, old: new.history[-1] < old.history[-1])
        self.means_, self.regressions_ = best.means, best.regressions
        costs_of_new = ClusterRegressions(encoder.rules, best.means, best.regressions, float(self.lam))
        nearest = projected_cells(D, np.eye(D.shape[1]), best.labels, k)
        return Partition(
            labels=best.labels,
            sizes=polytope.sizes(best.labels),
            objective=best.history[-1],
            history={"objective": np.array(best.history)},
            certificate=best.certificate,
            power_diagram=nearest,
            embedded_cells=Cells(costs_of_new, largest_score(k), without_covariates=nearest),
            n_iter=len(best.history),
            status=best.status,
        )

    def _run(
        self, D: NDArray, F: NDArray, base: NDArray, labels: NDArray[np.int64], polytope: PartitionPolytope
    ) -> Run:
        k, lam = self.n_clusters, float(self.lam)
        means = np.repeat(D.mean(axis=0)[None], k, axis=0)
        regressions = np.repeat(base[None], k, axis=0)
        run = Run(labels, means, regressions, [], None, Status.ITERATION_LIMIT)
        for _ in range(self.max_iter):
            refit(D, F, run.labels, run.means, run.regressions, base)
            cost = costs(D, F, run.means, run.regressions, lam)
            run.history.append(float(cost[np.arange(len(D)), run.labels].sum()))
            run.labels, run.certificate = assign_with_given(-cost, np.full(len(D), -1), polytope)
            gain = run.history[-1] - float(cost[np.arange(len(D)), run.labels].sum())
            if gain <= 1e-10 * max(run.history[-1], 1e-300):
                run.status = Status.CONVERGED
                return run
        refit(D, F, run.labels, run.means, run.regressions, base)
        cost = costs(D, F, run.means, run.regressions, lam)
        run.history.append(float(cost[np.arange(len(D)), run.labels].sum()))
        return run


@dataclass(frozen=True, eq=False)
class ClusterRegressions(Embedding):
    """Scores of the clusters: minus what a point would cost in each of them, formula (1).

    Attributes
    ----------
    rules : CovariateRules
        How covariates are read.
    means : (k, p) ndarray
        m.
    regressions : (k, f, p) ndarray
        B.
    lam : float
        Weight of the second sum.
    """

    rules: CovariateRules
    means: NDArray[np.float64]
    regressions: NDArray[np.float64]
    lam: float

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Scores (m, k) of points X (m, p) with covariates (m,) or (m, c)."""
        D = finite_rows(X, n_columns=self.means.shape[1])
        F = features(self.rules.transform(covariates, len(D)), self.rules)
        return -costs(D, F, self.means, self.regressions, self.lam)


@dataclass(eq=False)
class Run:
    """The state of one start: labels (n,), m (k, p), B (k, f, p), the trace of (1) and the proof of the labels."""

    labels: NDArray[np.int64]
    means: NDArray[np.float64]
    regressions: NDArray[np.float64]
    history: list[float]
    certificate: Certificate | None
    status: Status


def features(table: CovariateTable, rules: CovariateRules) -> NDArray[np.float64]:
    """f of (1), (n, f): a constant, an indicator of every level of training, and the numbers."""
    known = [table.codes[:, [i]] == np.arange(len(levels)) for i, levels in enumerate(rules.levels)]
    return np.hstack([np.ones((len(table), 1)), *known, table.reals]).astype(np.float64)


def refit(D: Reals, F: Reals, labels: Integers, means: Reals, regressions: Reals, base: Reals) -> None:
    """The best m (k, p) and B (k, f, p) for the labels, in place; those of an empty cluster stay.

    Where a cluster lacks a level, B is the nearest to the regression ``base`` (f, p) of all points.
    """
    for cluster in range(len(means)):
        members = labels == cluster
        if members.any():
            means[cluster] = D[members].mean(axis=0)
            rest = D[members] - F[members] @ base
            regressions[cluster] = base + np.linalg.lstsq(F[members], rest, rcond=None)[0]


def costs(D: Reals, F: Reals, means: Reals, regressions: Reals, lam: float) -> Reals:
    """What every point (n) would cost in every cluster (k) of (1)."""
    given = [((D - F @ B) ** 2).sum(axis=1) for B in regressions]
    return np.column_stack(given) + lam * cdist(D, means, "sqeuclidean")
