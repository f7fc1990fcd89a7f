"""The one interface of every strategy: data in, a partition within size bounds out."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, replace
from time import perf_counter
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from ..base.atomic_fit import AtomicFit
from ..base.checks import (
    as_array,
    check_clusters,
    checked_labels,
    instance_of,
    require_target,
    sample_weights,
    validate_data,
    whole_number,
)
from ..base.errors import CapabilityError, InvalidInputError
from ..base.inherited_docs import InheritsDocs
from ..base.record import Record
from ..models.objectives.objectives import Sense
from ..models.plots.shown import Sample
from ..models.polytope.infeasible_bounds import feasible_shares
from ..models.polytope.magnitudes import refuse_large_products
from ..models.polytope.polytope import PartitionPolytope
from .cells import WithAttributes
from .partition import Partition, with_broken_bounds
from .strategies import STRATEGIES

Points = NDArray[np.float64]
Target = NDArray | None
Random = np.random.RandomState


@dataclass(frozen=True)
class Needs:
    """What a strategy can take and must have.

    Attributes
    ----------
    target : {"ignored", "required", "partial"}
        Whether ``y`` is ignored, required, or may hold -1 for unlabelled rows.
    covariates : {"refused", "required"}
        Whether ``covariates`` must be given.
    sample_weight : bool
        Whether weights are used; otherwise they are refused by name.
    bounds : bool
        Whether size bounds are honoured; otherwise they are refused by name.
    supports : frozenset of str
        What a `PartitionPolytope` may state (keys of `partitope.models.polytope.kinds.KINDS`); the rest is refused by
        name, and where nothing is named any ``polytope``.
    known_clustering : bool
        Whether ``covariates`` must be categories, one known clustering; numbers are then refused.
    cluster_per_class : bool
        Whether ``n_clusters`` must be the number of classes in ``y``.
    sparse : bool
        Whether X may be a sparse matrix; otherwise it is refused.
    start : bool
        Whether ``fit`` can begin with a known clustering.
    predicts : bool
        Whether new points can be assigned; otherwise ``predict`` raises `CapabilityError`.
    n_points : int
        Smallest number of points; there must be as many as clusters, too.
    """

    target: Literal["ignored", "required", "partial"] = "ignored"
    covariates: Literal["refused", "required"] = "refused"
    sample_weight: bool = False
    bounds: bool = True
    supports: frozenset[str] = frozenset()
    known_clustering: bool = False
    cluster_per_class: bool = False
    sparse: bool = False
    start: bool = False
    predicts: bool = True
    n_points: int = 1

    @property
    def polytope(self) -> bool:
        """Whether a polytope is taken at all."""
        return bool(self.supports)


@dataclass(eq=False, repr=False)
class Partitioner(AtomicFit, InheritsDocs, ClusterMixin, BaseEstimator):
    """Base of all strategies; follows scikit-learn's contract of clusterers.

    A strategy is one class in one file: a dataclass with the parameters that it adds, the declaration `needs`, and
    `_partition`. It documents what is its own: the parameters and attributes of every strategy, which follow, are put
    before them. Add one of yours with `partitope.solvers.STRATEGIES.register` or an entry point of the group
    ``partitope.strategies``.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters k.
    lower, upper : (k,) array_like, int, float or str, optional
        Bounds on the cluster sizes (sums of weights with ``sample_weight``); a float strictly between 0 and 1, or a
        text such as ``"10%"``, is a share of them all (`partitope.base.sizes`).
    balance : float or str, optional
        Instead of bounds: the share by which every size may differ from n / k, such as 0.2; 0 is as even as can be.
    random_state : int, RandomState or None
        Seed of whatever is random, such as the starts.

    Attributes
    ----------
    labels_ : (n,) ndarray of int64
        Cluster of every training point.
    partition_ : Partition
        The result.
    n_iter_ : int
        Iterations of the run that was kept, at least 1.
    n_features_in_ : int
        Number of columns of X.
    """

    needs: ClassVar[Needs] = Needs()
    variants: ClassVar[dict[str, dict[str, object]]] = {}
    """Rows that `partitope compare` shows for the strategy: name -> parameters; empty means one row."""

    objective_sense: ClassVar[Sense]
    """Whether a larger or a smaller `Partition.objective` is better; every strategy says which."""

    n_clusters: int = 2
    _: KW_ONLY
    lower: ArrayLike | None = None
    upper: ArrayLike | None = None
    balance: float | str | None = None
    random_state: int | np.random.RandomState | None = None

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        covariates: Any = None,
        sample_weight: ArrayLike | None = None,
        polytope: PartitionPolytope | None = None,
        start: ArrayLike | None = None,
    ) -> Self:
        """Partition the rows of X.

        Parameters
        ----------
        X : (n, d) array_like
            Points, finite numbers.
        y : (n,) array_like, optional
            Classes; -1 means unlabelled. Ignored by strategies without supervision.
        covariates : array_like or DataFrame, optional
            What the clustering is to be conditioned on, for strategies that take it.
        sample_weight : (n,) array_like, optional
            Non-negative weights; bounds then apply to sums of weights.
        polytope : PartitionPolytope, optional
            Instead of bounds and weights: all that clusterings of these rows must keep, with several size dimensions,
            masks, shares or custom rows, for strategies that take it.
        start : (n,) array_like of int, optional
            Labels of a known clustering, with which searches among whole points begin if it keeps the polytope; for
            strategies that take it.

        Returns
        -------
        self

        Raises
        ------
        InfeasibleBoundsError
            When the size bounds admit no clustering.
        InvalidInputError
            When y is missing or not as long as X, the polytope is not one of these rows and clusters, or bounds or
            weights are given as well.
        CapabilityError
            When covariates, weights, bounds or a polytope are given to a strategy that does not declare them, or
            covariates are missing.
        ValueError
            When X is empty, ragged or not finite (scikit-learn's messages).
        """
        started = perf_counter()
        X = self._validate_points(X)
        y = self._validate_target(X, y)
        # refuse before anything is computed what the strategy does not know
        self._refuse_undeclared(
            covariates=covariates is not None,
            sample_weight=sample_weight is not None,
            bounds=any(bound is not None for bound in (self.lower, self.upper, self.balance)),
            polytope=polytope is not None,
            start=start is not None,
            **dict.fromkeys(polytope.kinds if isinstance(polytope, PartitionPolytope) else (), True),
        )
        if covariates is None and self.needs.covariates == "required":
            raise CapabilityError(
                f"covariates are missing: {type(self).__name__}.fit needs covariates=, one row per point"
            )
        # bounds and weights have one carrier, whichever way they were given
        if polytope is None:
            weights = None if sample_weight is None else self._validate_weights(X, sample_weight)
            polytope = self._bounded(X.shape[0], y, weights)
        else:
            given = {name: getattr(self, name) for name in ("lower", "upper", "balance")}
            check_polytope(polytope, X.shape[0], self._cluster_count(y), {**given, "sample_weight": sample_weight})
        # no strategy has to look for what sums of bounds exclude
        polytope.check()
        check_clusters(polytope.n_clusters, X.shape[0], self.needs.n_points)
        random_state = check_random_state(self.random_state)
        known = {} if start is None else {"start": checked_labels(start, X.shape[0], polytope.n_clusters, "start")}
        partition = self._partition(X, y, covariates, polytope, random_state, **known)
        # labels of divided points can break bounds that their shares keep: this is reported
        partition = with_broken_bounds(partition, polytope)
        sample = Sample.of(X, getattr(self, "feature_names_in_", None), polytope)
        seconds = perf_counter() - started
        self.partition_ = replace(partition, seconds=seconds, sense=self.objective_sense, sample=sample)
        self.labels_ = self.partition_.labels
        self.n_iter_ = max(1, self.partition_.n_iter)
        return self

    @abstractmethod
    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        """Compute the partition of validated input; a feasible polytope carries bounds and weights."""

    def _refuse_undeclared(self, **asked: bool) -> None:
        """The one refusal of all strategies: what is asked for by name and `needs` does not declare."""
        STRATEGIES.refuse_undeclared(STRATEGIES.name_of(type(self)), self.needs, asked)

    def _bounded(self, n_points: int, y: Target, weights: NDArray[np.float64] | None) -> PartitionPolytope:
        """All clusterings within the bounds that were asked for."""
        k = self._cluster_count(y)
        asked = PartitionPolytope.asked_for(n_points, k, self.lower, self.upper, self.balance, weights)
        return feasible_shares(asked, lower=self.lower, upper=self.upper)

    def _cluster_count(self, y: NDArray | None) -> int:
        """Number of clusters for the target at hand; a strategy may derive it from the classes."""
        return self.n_clusters

    def _validate_points(self, X: ArrayLike, *, reset: bool = True) -> Any:
        """The rows that are clustered: those of ``fit`` with ``reset``, otherwise new ones that must fit them."""
        sparse: Any = "csr" if self.needs.sparse else False
        points = validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], accept_sparse=sparse, copy=False)
        if reset:
            refuse_large_products(points)
        return points

    def _validate_weights(self, X: Any, sample_weight: ArrayLike) -> NDArray[np.float64] | None:
        """Checked weights (n,); None when all are 1, so that sizes stay whole numbers."""
        weights = sample_weights(sample_weight, X.shape[0])
        return None if np.all(weights == 1.0) else weights

    def _validate_target(self, X: NDArray, y: ArrayLike | None) -> NDArray | None:
        if self.needs.target == "ignored":
            return None
        require_target(self, y)
        target = as_array(cast(ArrayLike, y), "y")
        if target.ndim == 2 and target.shape[1] == 1:
            target = target.ravel()
        if target.shape != (len(X),):
            raise InvalidInputError(f"y has shape {target.shape}, expected ({len(X)},): pass one class per row of X")
        return target

    def predict(self, X: Any, covariates: Any = None) -> NDArray[np.int64]:
        """Cluster (m,) of new points: the cell that holds them.

        Parameters
        ----------
        X : (m, d) array_like, or DataFrame for strategies that take tables
            New points. A Dask array gives a Dask array where ``fit`` takes one.
        covariates : (m,) or (m, c) array_like or DataFrame, optional
            Their covariates, for strategies whose cells depend on them (KCC, KCSSL): a point is then in the
            cell that a training point with these covariates would. Without them it gets the nearest cluster mean, and
            KCSSL explains nothing away. Other strategies that are fitted on covariates do not look at them. After
            ``fit(polytope=...)`` with further size dimensions or shares: these attributes of the new points, see
            `partitope.solvers.cells.WithAttributes`.

        Raises
        ------
        CapabilityError
            When the strategy has no cells, or covariates are given to one that takes none.
        InvalidInputError
            When the covariates do not fit those of fit, or attributes that the cells depend on are missing.
        """
        check_is_fitted(self)
        cells = self.partition_.cells
        if cells is None or not isinstance(cells.embedding, WithAttributes):
            self._refuse_undeclared(covariates=covariates is not None)
        X = self._validate_points(X, reset=False)
        if self.partition_.cells is None:
            raise CapabilityError(f"{type(self).__name__} has no cells to predict with: use labels_")
        return self.partition_.predict(X, covariates)

    def fit_predict(self, X: ArrayLike, y: ArrayLike | None = None, **more: Any) -> NDArray[np.int64]:
        """Fit and return ``labels_``; parameters as for `fit`."""
        return self.fit(X, y, **more).labels_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.needs.target == "required"
        tags.input_tags.sparse = self.needs.sparse
        return tags


def check_polytope(polytope: PartitionPolytope, n_points: int, n_clusters: int, beside: Record) -> None:
    """Refuse a polytope for other points or clusters, or one that is given together with other bounds."""
    instance_of(polytope, "polytope", PartitionPolytope)
    if (polytope.n_points, polytope.n_clusters) != (n_points, whole_number(n_clusters, "n_clusters")):
        raise InvalidInputError(
            f"polytope has {polytope.n_points} points and {polytope.n_clusters} clusters, expected {n_points} rows of "
            f"X and n_clusters={n_clusters}"
        )
    for name, value in beside.items():
        if value is not None:
            raise InvalidInputError(
                f"{name}= was given next to polytope, which holds all bounds and weights: leave it out"
            )
