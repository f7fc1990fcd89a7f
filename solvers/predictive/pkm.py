"""PKM, predictive k-means: clusters of rows with similar class probabilities.

    (1)  z_j = re-description of row j by log-likelihoods of the classes          `LogLikelihoodEmbedding`
    (2)  a_i = mean of the z of class i, i = 1 .. J;  a_{J+1}, ..., a_K by k-means++   (K++R start, K >= J)
    (3)  minimise  sum_i sum_j xi_ij |z_j - a_i|^2  over the partition polytope, alternating assignment and means

Without size bounds (3) is k-means in the new space; with them each assignment is the linear program LSA, solved
exactly. New rows are re-described and go to the cell that holds them.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets

from ...base.checks import check_positive, class_codes
from ...base.columns import MixedTable, as_frame
from ...base.errors import InvalidInputError
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.objectives import Sense
from ...models.polytope.kinds import LINEAR
from ...models.polytope.polytope import PartitionPolytope
from ...stats.modl.cuts_and_groups import Method
from ..assignment.rounding import with_whole_points
from ..cells import Cells, WithAttributes
from ..geometric.best_alternation import best_alternation, partition_of, rounded
from ..geometric.problem import GeometricProblem
from ..partition import Partition
from ..partitioner import Needs, Partitioner
from .log_likelihoods import LogLikelihoodEmbedding


@dataclass(eq=False, repr=False)
class PKM(MixedTable, Partitioner):
    """Predictive k-means: k-means, or bounded least-squares clustering, of log-likelihoods of the classes.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters K, at least the number of classes J; None is J.
    lower, upper : (K,) array_like or int, optional
        Bounds on the cluster sizes. Cluster i starts at the mean of class i, in sorted order.
    n_init : int, default 1
        Starts; they differ only when K > J.
    method : {"auto", "exact", "greedy"}, default "auto"
        Search for the parts of a column, see `partitope.stats.modl`.
    smoothing : float, optional
        e in P(part | class) = (count + e) / (class total + I e); None is 1 / (n + 1).
    backend : str, default "transport"
        Name in `partitope.solvers.BACKENDS`.
    max_iter : int, default 300
        Assignment steps in one start.
    whole : bool, default True
        Whether every point is in one cluster, within all bounds, with a polytope: as for `GeometricPartitioner`, at the
        last centres.
    random_state : int, RandomState or None
        Seed of the starting sites beyond the class means.

    Attributes
    ----------
    partition_ : Partition
        ``objective`` is the within-cluster sum of squares in the new space, smaller is better. Its
        ``power_diagram`` is None: its ``cells`` live in the new space, the nearest site without bounds, the max-margin
        prices with them.
    sites_ : (K, p) ndarray
        Cluster centres in the new space.
    classes_ : (J,) ndarray
        Classes in sorted order.

    Raises
    ------
    InvalidInputError
        When y holds one class only, K < J, or K exceeds the number of rows.
    InfeasibleBoundsError
        When no clustering satisfies the bounds.

    Notes
    -----
    Takes numeric arrays and mixed tables; missing entries and unseen categories are allowed. Heuristic: each
    assignment is exact, the iteration ends in a local optimum. O(n log n + B^2) per column for the new space
    (B <= 2048 blocks), O(n K d J) per iteration. When no column tells the classes apart, all rows are one point.
    As classifiers: ``ClusteringClassifier(PKM(), encoder=None, n_starts=1)`` is the majority vote of the paper, and
    ``LocalModelClassifier(PKM(), SelectiveNaiveBayes())`` has its local models.

    References
    ----------
    Lemaire, Alaoui Ismaili, Cornuejols and Gay 2020, Predictive k-means with local models, PAKDD workshops.
    Lemaire, Alaoui Ismaili and Cornuejols 2015, An initialization scheme for supervized k-means, IJCNN.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import PKM
    >>> X = np.arange(40.0)[:, None]
    >>> model = PKM().fit(X, X[:, 0] > 14)
    >>> model.partition_.sizes, model.predict([[3.0], [33.0]])
    (array([15, 25]), array([0, 1]))
    """

    needs: ClassVar[Needs] = Needs(target="required", supports=LINEAR)
    objective_sense: ClassVar[Sense] = "min"

    n_clusters: int | None = None  # type: ignore[assignment]
    _: KW_ONLY
    n_init: int = 1
    method: Method = "auto"
    smoothing: float | None = None
    backend: str = "transport"
    max_iter: int = 300
    whole: bool = True

    def _partition(
        self,
        X: pd.DataFrame,  # type: ignore[override]
        y: NDArray | None,
        covariates: ArrayLike | None,
        polytope: PartitionPolytope,
        random_state: np.random.RandomState,
    ) -> Partition:
        assert y is not None
        codes = np.searchsorted(self.classes_, y)
        self._check_parameters(polytope.n_clusters)
        strict, polytope = polytope.is_discrete, polytope.relaxed if polytope.is_discrete else polytope
        embedding = LogLikelihoodEmbedding.fit(X, codes, len(self.classes_), self.method, self.smoothing)
        Z = embedding(X)
        problem = GeometricProblem.of(Z, polytope, "lsa", self.backend)

        def class_means_first(rng: np.random.RandomState) -> NDArray[np.float64]:
            return kpp_r(Z, codes, len(self.classes_), polytope.n_clusters, rng)

        run = best_alternation(
            problem, random_state, init=class_means_first, n_init=self.n_init, max_iter=self.max_iter
        )
        partition = partition_of(problem, run)
        if (self.whole or strict) and partition.splits:
            partition, _ = rounded(problem, run, partition, with_whole_points)
        found = partition.require_cells()
        cells, lift = found.diagram, found.embedding
        self.sites_ = cells.sites[:, : Z.shape[1]]
        prices = np.zeros(polytope.n_clusters) if polytope.is_free else cells.prices
        diagram = PowerDiagram(cells.sites, prices, cells.kind, cells.origin)
        images = replace(lift, base=embedding) if isinstance(lift, WithAttributes) else embedding
        return replace(partition, power_diagram=None, embedded_cells=Cells(images, diagram))

    def _validate_points(self, X: ArrayLike, *, reset: bool = True) -> pd.DataFrame:
        return as_frame(self, X, reset=reset)

    def _validate_target(self, X: Any, y: ArrayLike | None) -> NDArray | None:
        target = super()._validate_target(X, y)
        assert target is not None  # the target is required
        check_classification_targets(target)
        self.classes_, _ = class_codes(target)
        return target

    def _cluster_count(self, y: NDArray | None) -> int:
        return len(self.classes_) if self.n_clusters is None else self.n_clusters

    def _check_parameters(self, n_clusters: int) -> None:
        check_positive(self, "n_init", "max_iter")
        if n_clusters < len(self.classes_):
            raise InvalidInputError(
                f"n_clusters={n_clusters} is smaller than the {len(self.classes_)} classes of y: the start takes "
                f"one centre per class, so ask for at least {len(self.classes_)}"
            )


def kpp_r(
    Z: NDArray[np.float64], y: NDArray[np.int64], n_classes: int, n_clusters: int, rng: np.random.RandomState
) -> NDArray[np.float64]:
    """Starting sites (K, p), formula (2): the mean of every class, then k-means++. Shapes: Z (n, p), y (n,)."""
    counts = np.bincount(y, minlength=n_classes)
    sites = [Z[y == j].mean(axis=0) for j in range(n_classes) if counts[j]]
    nearest = np.min([((Z - site) ** 2).sum(axis=1) for site in sites], axis=0)
    while len(sites) < n_clusters:
        total = nearest.sum()
        chosen = int(rng.choice(len(Z), p=nearest / total if total > 0 else None))
        sites.append(Z[chosen])
        nearest = np.minimum(nearest, ((Z - Z[chosen]) ** 2).sum(axis=1))
    return np.array(sites)
