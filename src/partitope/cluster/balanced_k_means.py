"""K-means within size bounds, with the interface of scikit-learn's KMeans and of k-means-constrained.

    minimise  sum_i sum_{j in C_i} w_j |x_j - c_i|^2     over clusterings with  lower <= size of C_i <= upper

by `GeometricPartitioner` with ``objective="lsa"``: this module names parameters and learnt attributes, and solves
nothing itself.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, clone
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ..base.atomic_fit import AtomicFit
from ..base.checks import as_array, check_clusters, check_weight, sample_weights, validate_data, whole_number
from ..base.errors import BrokenBoundsWarning, CapabilityError, InfeasibleBoundsError, InvalidInputError
from ..base.log_messages import heard
from ..base.record import Record
from ..base.sizes import balanced_sizes, bound_sizes, fewest_clusters
from ..models.objectives.interval import objective_interval
from ..models.polytope.polytope import PartitionPolytope
from ..models.scores.scores import is_sparse
from ..solvers.geometric import alternation
from ..solvers.geometric.dask_blocks import checked_dask_array, is_dask_array
from ..solvers.geometric.partitioner import GeometricPartitioner, problem_of
from ..solvers.transport.prices.equal_points import divided

FIT: Literal["init"] = "init"
"""The word by which k-means-constrained asks for the bounds of the fit."""


@dataclass(eq=False, repr=False)
class BalancedKMeans(AtomicFit, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """K-means whose clusters respect size bounds exactly; the last assignment is certified.

    Parameters
    ----------
    n_clusters : int or None, default 8
        Number of clusters k. None is the least number k with k times ``upper`` at least all points (or weights).
    lower, upper : int, float, str or (k,) array_like, optional
        Bounds on the cluster sizes (sums of weights with ``sample_weight``), for all clusters or one per cluster. A
        float strictly between 0 and 1, or a text such as ``"10%"``, is a share of all points; see
        `partitope.base.sizes`. Without ``lower`` no cluster is empty, or, with weights, it is 0.
    balance : float or str, optional
        Instead of bounds: the share by which every size may differ from n / k. 0.2 is a fifth, 0 as even as can be.
    init : {"k-means++", "random"}, (k, d) array_like or callable, default "k-means++"
        Starting centres: rows of X spread out, rows of X at random, given (one start), or what
        ``init(X, n_clusters, random_state=)`` returns.
    n_init : int or "auto", default 10
        Number of starts; the best is kept, the first on ties. "auto", scikit-learn's word, is 10.
    max_iter : int, default 300
        Assignment steps in one start.
    tol : float, default 0.0
        A start also ends where the squared movement of all centres is at most this times the mean variance of a
        column, as in scikit-learn; 0 goes on until no step improves the inertia.
    verbose : bool or int, default False
        Print the inertia after every exact step and every start, while they run; with ``n_jobs`` of those here only.
        With ``prove``, also which bounds are tried, and every second what is proved.
    random_state : int, RandomState or None
        Seed of the starts.
    copy_x : bool, default True
        No effect: X is never changed. Taken so that code for k-means-constrained runs.
    n_jobs : int, optional
        Starts run at the same time (joblib); the result does not depend on it.
    prove : float, default 0.0
        Seconds after the fit for a proof of how much better the best clustering can be, by `solve_global`, which puts
        its clustering in the place of the fit's where it is better. ``partition_.bound`` holds the interval.
    size_min, size_max : optional
        The words of k-means-constrained for ``lower`` and ``upper``, so that code for it runs.

    Attributes
    ----------
    cluster_centers_ : (k, d) ndarray
        Means of the clusters, in the floating type of X.
    labels_ : (n,) ndarray of int64
        Cluster of every training point; a Dask array where X is one.
    inertia_ : float
        Sum of the (weighted) squared distances of the points to the centres of their clusters.
    n_iter_ : int
        Assignment steps of the start that was kept.
    partition_ : Partition
        Sizes, certificate of the last assignment, power diagram, and the trace of the run.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    InvalidInputError
        From ``fit``: a parameter has an unknown value, or is not a size, or a bound is given under both of its words.
    InfeasibleBoundsError
        From ``fit`` and ``predict``: no clustering satisfies the bounds.
    CapabilityError
        From ``fit``: weights or a polytope with a Dask array.

    Notes
    -----
    Heuristic as k-means is: a local optimum, of which the last assignment is proved optimal for its centres. On many
    points a start begins with steps whose sizes are near the bounds only, at prices from a sample, as long as centres
    move far; exact steps follow, at least one. With weights, shares or custom rows the last steps keep points whole,
    by mixed-integer programs whose gap the certificate states; where no such assignment was found within the bounds,
    ``partition_.violation`` says by how much the labels break one, and a warning in which cluster. Another one says
    how many rows have equal rows in other clusters: these get other labels from ``predict``. One step costs one
    assignment program, O(n k d) for the distances and little more. Sparse X is never
    made dense as a whole.

    References
    ----------
    Bradley, Bennett and Demiriz (2000), Constrained k-means clustering.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.cluster import BalancedKMeans
    >>> X = np.array([[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]])
    >>> model = BalancedKMeans(2, lower=3, upper=3, random_state=0).fit(X)
    >>> np.bincount(model.labels_), round(model.inertia_, 3), model.partition_.proof.name
    (array([3, 3]), 16.0, 'STEP')
    """

    n_clusters: int | None = 8
    lower: ArrayLike | str | None = None
    upper: ArrayLike | str | None = None
    _: KW_ONLY
    balance: float | str | None = None
    init: Any = "k-means++"
    n_init: int | Literal["auto"] = 10
    max_iter: int = 300
    tol: float = 0.0
    verbose: bool | int = False
    random_state: int | np.random.RandomState | None = None
    copy_x: bool = True
    n_jobs: int | None = None
    prove: float = 0.0
    size_min: ArrayLike | str | None = None
    size_max: ArrayLike | str | None = None

    def fit(
        self,
        X: Any,
        y: object = None,
        sample_weight: ArrayLike | None = None,
        *,
        polytope: PartitionPolytope | None = None,
        start: ArrayLike | None = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : (n, d) array_like, sparse matrix or Dask array
            Points; the blocks of a Dask array stay where they are, see `GeometricPartitioner`.
        y : ignored
        sample_weight : (n,) array_like, optional
            Non-negative weights; size bounds are then bounds on sums of weights.
        polytope : PartitionPolytope, optional
            Instead of bounds and weights: all that the clusters of these rows must keep, with several size dimensions,
            masks, shares or custom rows. The prices come back by name in ``partition_.prices``.
        start : (n,) array_like of int, optional
            Labels of a known clustering, with which the search among whole points begins if it keeps the polytope.

        Returns
        -------
        self
        """
        X = self._points(X, reset=True)
        weighted = sample_weight is not None and not np.all(as_array(sample_weight, "sample_weight") == 1)
        if is_dask_array(X) and (weighted or polytope is not None):
            raise CapabilityError(
                "a Dask array takes no sample_weight and no polytope here, where every point goes to one cluster: use "
                "GeometricPartitioner(objective='lsa'), which says what points are divided"
            )
        steps = heard(alternation.__package__, logging.DEBUG, print) if self.verbose else nullcontext()
        check_weight("prove", self.prove)
        with _named_as_given(self.size_min, self.size_max), steps:
            k = self._count(X, sample_weight, polytope)
            solver = self._solver(X, k, weighted or polytope is not None)
            solver.fit(X, sample_weight=sample_weight, polytope=polytope, start=start)
            if self.prove:
                solver = self._proved(X, solver, sample_weight, polytope)
        self.partition_, self.labels_ = solver.partition_, solver.labels_
        self.cluster_centers_, self.inertia_ = solver.cluster_centers_, solver.inertia_
        self.n_iter_ = solver.n_iter_
        if weighted and self.lower is None and self.size_min is None and self.balance is None:
            _tell_empty(self.labels_, len(self.cluster_centers_))
        if isinstance(X, np.ndarray) and (count := divided(X, self.labels_)):
            warnings.warn(
                f"{count} of {len(X)} rows have equal rows in other clusters, which the bounds ask for: predict gives "
                f"equal rows one cluster, so it does not give these rows their labels, nor clusters their sizes; "
                f"polytope.together(...) keeps equal rows in one cluster",
                UserWarning,
                stacklevel=2,
            )
        return self

    def fit_predict(
        self, X: Any, y: object = None, sample_weight: ArrayLike | None = None, **more: Any
    ) -> NDArray[np.int64]:
        """Fit and return ``labels_``; parameters as for `fit`."""
        return self.fit(X, y, sample_weight, **more).labels_

    def fit_transform(
        self, X: Any, y: object = None, sample_weight: ArrayLike | None = None, **more: Any
    ) -> NDArray[np.floating]:
        """Fit and return the distances (n, k) of the rows from the centres; parameters as for `fit`."""
        return self.fit(X, y, sample_weight, **more).transform(X)

    def _proved(
        self, X: Any, solver: GeometricPartitioner, sample_weight: Any, polytope: PartitionPolytope | None
    ) -> GeometricPartitioner:
        """The solver with a bound on the best clustering, from its clustering as the start where that is better."""
        from ..solvers.global_optimum import proved

        if not isinstance(X, np.ndarray):
            raise CapabilityError("prove= takes dense rows in memory: pass an array, or leave it out")
        if solver.partition_.violation > 0:  # a clustering that violates a bound is not a candidate
            return solver
        points, seed = X.astype(np.float64), self.random_state if isinstance(self.random_state, int) else 0
        stated = polytope
        if stated is None:
            weights = None if sample_weight is None else sample_weights(sample_weight, len(X))
            bounds: Record = {"lower": solver.lower, "upper": solver.upper, "balance": solver.balance}
            stated = PartitionPolytope.asked_for(len(X), solver.n_clusters, weights=weights, **bounds)
        with heard(proved.__package__ or "", logging.INFO, print) if self.verbose else nullcontext():
            found = proved.proved(points, stated, solver.labels_, time_limit=self.prove, seed=seed)
        if found.labels is not None:
            weights, k = stated.point_weights, stated.n_clusters
            sizes = np.bincount(found.labels, weights, k)
            sums = np.array([weights[found.labels == i] @ points[found.labels == i] for i in range(k)])
            centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1e-300)[:, None], solver.cluster_centers_)
            again = clone(solver).set_params(init=centres)
            again.fit(X, sample_weight=sample_weight, polytope=polytope, start=found.labels)
            solver = again if again.inertia_ < solver.inertia_ else solver
        value = objective_interval(points, solver.labels_, "lsa", stated.weights)[1]
        solver.partition_ = replace(
            solver.partition_, bound=found.bound(value), gap_tolerance=1e-4, proved_for="", seconds=
            solver.partition_.seconds + found.seconds,
        )  # fmt: skip
        return solver

    def _count(self, X: Any, sample_weight: ArrayLike | None, polytope: PartitionPolytope | None) -> int:
        """The number of clusters, else that of the polytope, else the least one that the upper bound allows."""
        if self.n_clusters is not None:
            return self.n_clusters
        if polytope is not None:
            return polytope.n_clusters
        total = float(sample_weights(sample_weight, X.shape[0]).sum())
        upper = _bounds(self.lower, self.upper, self.size_min, self.size_max)[1]
        most = bound_sizes(upper, "upper", total, 1, whole=sample_weight is None)
        return fewest_clusters(
            total,
            most,
            "n_clusters=None is the least number that upper= allows: give one upper size above 0, or a number",
        )

    def _solver(self, X: Any, k: int, weighted: bool) -> GeometricPartitioner:
        """The strategy that does the work, told what was asked for here."""
        init = self.init
        first: Any = (lambda rng: init(X, k, random_state=rng)) if callable(init) else init
        check_clusters(whole_number(k, "n_clusters"), X.shape[0], fewest=1)
        lower, upper = _bounds(self.lower, self.upper, self.size_min, self.size_max)
        nonempty = lower is None and self.balance is None and not weighted
        return GeometricPartitioner(
            k,
            lower=1 if nonempty else lower,
            upper=upper,
            balance=self.balance,
            objective="lsa",
            n_init=10 if isinstance(self.n_init, str) and self.n_init == "auto" else self.n_init,
            init=first,
            max_iter=self.max_iter,
            tol=self.tol,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )

    def predict(
        self,
        X: Any,
        lower: Any = None,
        upper: Any = None,
        *,
        covariates: Any = None,
        size_min: Any = None,
        size_max: Any = None,
    ) -> NDArray[np.int64]:
        """Cluster (m,) of every row of X.

        Without bounds, the cell of the power diagram of the fit that holds the row: a rule for one row, which does
        not depend on the others; training points get their labels, unless equal points were divided. With bounds,
        the rows are assigned to ``cluster_centers_`` together, exactly, at the least sum of squared distances.

        Parameters
        ----------
        X : (m, d) array_like, sparse matrix or Dask array
            New points; a Dask array gives a Dask array.
        lower, upper : as for the class, or "init", optional
            Bounds on how many of these rows a cluster gets; "init" takes what the class was given, ``balance``
            included.
        covariates : (m, r) array_like or DataFrame, optional
            After ``fit(polytope=...)``: the attributes of these rows on which the cells depend, see
            `partitope.solvers.cells.WithAttributes`.
        size_min, size_max : optional
            The words of k-means-constrained for ``lower`` and ``upper``.

        Raises
        ------
        InvalidInputError
            When a bound is not a size, or is given under both of its words.
        InfeasibleBoundsError
            When bounds were given that these rows cannot satisfy.
        """
        check_is_fitted(self)
        X = self._points(X, reset=False)
        wanted = _bounds(lower, upper, size_min, size_max)
        if wanted[0] is None and wanted[1] is None:
            return self.partition_.predict(X, covariates)
        n, k = X.shape[0], len(self.cluster_centers_)
        of_fit: Any = _bounds(self.lower, self.upper, self.size_min, self.size_max)
        if self.balance is not None:
            of_fit = [side.astype(np.int64) for side in balanced_sizes(self.balance, n, k)]
        kept = [isinstance(side, str) and side == FIT for side in wanted]
        least, most = (own if keep else side for keep, own, side in zip(kept, of_fit, wanted))
        with _named_as_given(self.size_min if kept[0] else size_min, self.size_max if kept[1] else size_max):
            bounds = bound_sizes(least, "lower", n, k), bound_sizes(most, "upper", n, k)
            polytope = PartitionPolytope(n, *bounds, n_clusters=k)
            polytope.check()
        problem = problem_of(X, polytope, "lsa")
        centres = self.cluster_centers_.astype(np.float64) - problem.origin
        step: Any = problem.assign(centres, None)
        return problem.finish(step, centres)[0] if is_dask_array(X) else step.solution.require_labels()

    def transform(self, X: Any) -> NDArray[np.floating]:
        """Distances (m, k) of the rows of X (m, d) from the centres, in the floating type of X."""
        check_is_fitted(self)
        return self._distances(self._points(X, reset=False))

    def score(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, *, covariates: Any = None) -> float:
        """Minus the sum of squared distances of the rows to the centres of the clusters that `predict` gives them."""
        check_is_fitted(self)
        X = self._points(X, reset=False)
        weights = sample_weights(sample_weight, X.shape[0])
        own = self.partition_.predict(X, covariates)[:, None] == np.arange(len(self.cluster_centers_))
        return -float(weights @ (self._distances(X) * own).sum(axis=1, dtype=np.float64) ** 2)

    def _distances(self, X: Any) -> NDArray[np.floating]:
        centres = self.cluster_centers_
        if is_dask_array(X):
            return X.map_blocks(_distances, centres=centres, dtype=X.dtype, chunks=(X.chunks[0], (len(centres),)))
        return _distances(X, centres)

    def _points(self, X: ArrayLike, *, reset: bool) -> Any:
        if is_dask_array(X):
            return checked_dask_array(self, X, reset=reset)
        return validate_data(self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], copy=False)

    @property
    def _n_features_out(self) -> int:
        """Number of columns of `transform`, for scikit-learn's names of them."""
        return len(self.cluster_centers_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _tell_empty(labels: NDArray[np.int64], k: int) -> None:
    """Warn of clusters that hold no point."""
    empty = np.setdiff1d(np.arange(k), labels)
    if empty.size:
        warnings.warn(
            f"{empty.size} of n_clusters={k} clusters hold no point, the first is cluster {empty[0]}: pass lower, "
            f"the least weight of a cluster, or ask for fewer clusters",
            BrokenBoundsWarning,
            stacklevel=4,
        )


def _distances(X: Any, centres: NDArray[np.floating]) -> NDArray[np.floating]:
    """Distances (m, k) of rows (m, d), sparse or not, from centres (k, d), in the floating type of the rows."""
    return euclidean_distances(X, centres) if is_sparse(X) else cdist(X, centres).astype(X.dtype, copy=False)


def _bounds(lower: Any, upper: Any, size_min: Any, size_max: Any) -> tuple[Any, Any]:
    """Both bounds, each given under one of its two words."""
    for name, value, word, alias in (("lower", lower, "size_min", size_min), ("upper", upper, "size_max", size_max)):
        if value is not None and alias is not None:
            raise InvalidInputError(f"{name} and {word} were both given, two words for one bound: leave out {word}")
    return lower if size_min is None else size_min, upper if size_max is None else size_max


@contextmanager
def _named_as_given(size_min: ArrayLike | None, size_max: ArrayLike | None) -> Iterator[None]:
    """Let messages about bounds name them by the words of k-means-constrained, where they were given by them."""
    try:
        yield
    except (InfeasibleBoundsError, InvalidInputError) as error:
        names = {
            "lower": "lower" if size_min is None else "size_min",
            "upper": "upper" if size_max is None else "size_max",
        }
        text = re.sub(r"\b(lower|upper)(?=[\[=)])", lambda found: names[found.group()], str(error))
        raise type(error)(text) from error
