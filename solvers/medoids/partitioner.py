"""Bounded k-medoids for any metric or matrix, in whole points, with a proved bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ...base.checks import as_floats, check_positive, finite_vector, numbers_below, one_of, validate_data
from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...base.sizes import bound_sizes
from ...base.status import Status
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.bound import Bound
from ...models.objectives.interval import power_of_two
from ...models.objectives.objectives import Sense
from ...models.polytope.infeasible_bounds import feasible_shares
from ...models.polytope.magnitudes import refuse_large_products
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.medoid_location import MedoidLocationMIP
from ..exchange.reseeding import group_means
from ..partition import Partition
from ..partitioner import Needs, Partitioner, Points, Random, Target
from .means import about_means, bound_about_means, sum_about_means
from .search import MedoidSearch


@dataclass(eq=False, repr=False)
class MedoidPartitioner(Partitioner):
    """Choose medoids among the points, or sites among candidates, and give every point whole to one of them.

    Minimises the sum of the distances of the points to the medoids of their clusters, plus opening costs, within size
    bounds that are the same for all clusters, or differ by site: the capacitated p-median problem. Distances to the
    means of the clusters instead of medoids are the capacitated centred clustering problem.

    Parameters
    ----------
    n_clusters : int or None, default 8
        Number of clusters. With None it is free where ``cost`` is given; otherwise it is the least number for which
        the bounds allow a clustering, and ``upper`` is needed.
    lower, upper : (m,) array_like, int, float or str, optional
        Bounds on the sizes, as for all strategies; an array has one per candidate, in the order of ``candidates``.
    metric : str or callable, default "euclidean"
        A metric of `scipy.spatial.distance.cdist`, a function of two rows, or "precomputed": X then holds the costs of
        serving row j from column i. A square matrix is one of points among themselves; otherwise columns are sites
        that are not points. NaN or inf says that the site may not serve the point.
    candidates : (m,) array_like of int, optional
        Rows of X that may be medoids (columns of a matrix of costs); all of them when None.
    cost : float or (m,) array_like, optional
        Opening cost of every candidate, in the order of ``candidates``, at least 0.
    further : sequence of ((n,) array_like, number or (m,) array_like), optional
        Further demands of the points and the capacities for them, one number or one per candidate, such as
        volumes next to weights. Every cluster keeps all of them.
    objective : {"medoids", "means"}, default "medoids"
        Whether distances are to the medoid of a cluster or to its mean, which may be anywhere and counts every point
        once, whatever its weight (capacitated centred clustering). "means" takes Euclidean distances, a number of
        clusters or ``upper``, and bounds that are the same for all clusters.
    n_init : int, default 1
        Number of seeds that the first alternation starts from.
    time_limit : float, optional
        Seconds, all of which are used unless the optimum is proved before. With None the search ends where a round of
        improvements finds none, and the proof after few nodes of a tree; with "means", after a fixed number of steps.

    Attributes
    ----------
    medoids_ : (k,) ndarray of int64
        The row of X (column of a matrix of costs) that is the medoid of every cluster; with "means", the point of the
        cluster that is nearest to its mean.
    cluster_centers_ : (k, d) ndarray or None
        These rows, or the means; None for a matrix of costs.
    partition_ : Partition
        ``objective`` is the sum of distances and opening costs; ``bound`` a proved interval around its optimum, whose
        ``proof`` is "Lagrangian relaxation" or "branch and bound (HiGHS)".

    Raises
    ------
    InvalidInputError
        When a parameter has an unknown value, there are not as many bounds as candidates, or distances are not finite.
    InfeasibleBoundsError
        When no clustering of whole points keeps the bounds.
    NotOptimalError
        When none was found within the time limit.

    Notes
    -----
    Heuristic with a valid bound, and exact where ``partition_.proof`` is GLOBAL, up to HiGHS's tolerance of 1e-9 a
    row. ``sample_weight`` is demand that counts against the bounds. Distances do not count it: pass a matrix of weight
    times distance where they should. A medoid belongs to its own cluster.
    `predict` gives a new point to its nearest medoid or mean, for a matrix by its distances to the same columns. Bounds
    do not speak of new points, and training points may be in other clusters because of them.
    Memory is O(n m). A step of the bound is O(n m) and knapsacks; parts of the program are mixed-integer programs, and
    the whole one takes exponential time at worst.

    References
    ----------
    Lorena and Senne (2004), A column generation approach to capacitated p-median problems, Computers and Operations
    Research 31; Stefanello, de Araujo and Mueller (2015), Matheuristics for the capacitated p-median problem,
    International Transactions in Operational Research 22.

    Examples
    --------
    >>> from partitope.solvers import MedoidPartitioner
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [30.0]]
    >>> model = MedoidPartitioner(2, upper=3, random_state=0).fit(X)
    >>> model.medoids_.tolist(), model.partition_.objective, str(model.partition_.proof)
    ([1, 4], 22.0, 'global')
    """

    needs: ClassVar[Needs] = Needs(sample_weight=True)
    objective_sense: ClassVar[Sense] = "min"

    n_clusters: int | None = 8  # type: ignore[assignment]
    _: KW_ONLY
    metric: str | Callable[[NDArray, NDArray], float] = "euclidean"
    candidates: ArrayLike | None = None
    cost: ArrayLike | None = None
    further: Sequence[tuple[ArrayLike, ArrayLike]] = ()
    objective: Literal["medoids", "means"] = "medoids"
    n_init: int = 1
    time_limit: float | None = None

    def _validate_points(self, X: Any, *, reset: bool = True) -> Any:
        if not self._is_matrix:
            return super()._validate_points(X, reset=reset)
        costs = validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite=False)
        if np.isneginf(costs).any():
            raise InvalidInputError(
                "X holds -inf: pass finite costs, and NaN or inf where a site may not serve a point"
            )
        refuse_large_products(np.where(np.isfinite(costs), costs, 0.0))
        return np.where(np.isnan(costs), np.inf, costs)

    def _bounded(self, n_points: int, y: Target, weights: NDArray[np.float64] | None) -> PartitionPolytope:
        sites = max(_count(self.lower), _count(self.upper))
        if self.n_clusters is not None and (sites == 1 or self.balance is not None):
            return super()._bounded(n_points, y, weights)
        if self.n_clusters is None and (self.balance is not None or (self.upper is None and self.cost is None)):
            raise InvalidInputError("n_clusters=None needs upper= or cost=, and no balance=: give a number of clusters")
        # what all sites have in common; `_model` has the bounds of each
        every = PartitionPolytope.asked_for(n_points, sites, self.lower, self.upper, None, weights)
        low, up, room = float(every.lower.min()), float(every.upper.max()), 1 - 1e-9
        if self.n_clusters is not None:
            asked = PartitionPolytope(n_points, low, up, weights, n_clusters=self.n_clusters)
            return feasible_shares(asked, lower=self.lower, upper=self.upper)
        largest, smallest = (np.resize(np.sort(side), n_points) for side in (-every.upper, every.lower))
        least = 1 + int(np.count_nonzero(np.cumsum(-largest) < every.total * room))
        if least > n_points:
            raise InfeasibleBoundsError(
                f"upper={self.upper} needs more clusters than the {n_points} points: raise upper"
            )
        most = max(1, int(np.count_nonzero(np.cumsum(smallest) * room <= every.total)))
        bounded = PartitionPolytope(n_points, low, up, weights, n_clusters=max(least, most)).whole()
        return bounded.optional(least=least, most=max(least, most))

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        check_positive(self, "n_init")
        deadline = Deadline(self.time_limit)
        one_of(self.objective, "objective", ("medoids", "means"))
        means, euclidean = self.objective == "means", isinstance(self.metric, str) and self.metric == "euclidean"
        plain = euclidean and self.candidates is self.cost is None
        if means and not (plain and not self.further and max(_count(self.lower), _count(self.upper)) == 1):
            raise InvalidInputError(
                "objective='means' takes Euclidean distances and one bound for all clusters: leave out metric=, "
                "candidates=, cost=, further= and bounds that differ, or choose objective='medoids'"
            )
        columns, model = self._model(X, polytope)
        while True:
            search = MedoidSearch(model, rng, deadline)
            try:
                status = search.solve(self.n_init, first=means)
                break
            except InfeasibleBoundsError:  # whole points may need more clusters than sums say
                if self.n_clusters is not None or self.cost is not None or model.most >= model.n_sites:
                    raise
                model = replace(model, least=model.least + 1, most=model.most + 1)
        assert search.served is not None
        opened, labels = np.unique(search.served, return_inverse=True)
        self.medoids_ = columns[opened]
        self.cluster_centers_ = None if self._is_matrix else X[self.medoids_]
        diagram = None
        if means:
            points = (X - X.mean(axis=0)).astype(np.float64)
            points /= (unit := power_of_two(points))  # squares are within the range of floats
            labels = about_means(points, labels.astype(np.int64), model, rng, deadline.share(0.7))
            value = sum_about_means(points, labels, opened.size)
            low = bound_about_means(points, opened.size, model, value, deadline) if value > 0.0 else 0.0
            search.bound, search.value, search.history = low * unit, value * unit, [value * unit]
            search.proof, ended = "Lagrangian relaxation", Status.CONVERGED if deadline.allows() else Status.TIME_LIMIT
            status = Status.OPTIMAL if search.is_proved else ended
            self.cluster_centers_ = group_means(X, labels)
            far = np.linalg.norm(X - self.cluster_centers_[labels], axis=1)
            order = np.lexsort((far, labels))
            self.medoids_ = order[np.unique(labels[order], return_index=True)[1]]
        if self.cluster_centers_ is not None and self.metric == "euclidean":
            centres = self.cluster_centers_.astype(np.float64)
            diagram = PowerDiagram(centres, np.zeros(len(centres)), "lsa", X.mean(axis=0, dtype=np.float64))
        return Partition(
            labels=labels.astype(np.int64), sizes=np.bincount(labels, polytope.weights, opened.size),
            objective=search.value, history={"objective": np.array(search.history)}, power_diagram=diagram,
            bound=Bound(min(search.bound, search.value), search.value, search.proof), n_iter=len(search.history),
            status=status,
        )  # fmt: skip

    @property
    def _is_matrix(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _model(self, X: Points, polytope: PartitionPolytope) -> tuple[NDArray[np.int64], MedoidLocationMIP]:
        """The rows or columns of X that may be medoids (m,), and the program."""
        sites = X.shape[1] if self._is_matrix else len(X)
        columns = np.arange(sites)
        if self.candidates is not None:
            columns = numbers_below(self.candidates, "candidates", sites)
        columns, places, times = np.unique(columns, return_index=True, return_counts=True)
        costs = X[:, columns].astype(np.float64) if self._is_matrix else self._distances(X, X[columns])
        opening = as_floats(0.0 if self.cost is None else self.cost, "cost")
        if opening.shape not in ((), (times.sum(),)) or not np.isfinite(opening).all() or (opening < 0).any():
            raise InvalidInputError(f"cost={self.cost!r} is not usable: pass a number of at least 0, or {times.sum()}")
        several = {"cost": opening.ndim, "lower": _count(self.lower) > 1, "upper": _count(self.upper) > 1}
        several["further"] = any(_count(capacity) > 1 for _, capacity in self._pairs())
        for name in (name for name, each in several.items() if each and times.max() > 1):
            twice = columns[times.argmax()]
            raise InvalidInputError(f"candidates holds {twice} twice, and {name} has an entry for each: name it once")
        opening = np.array(opening[places] if opening.ndim else np.full(columns.shape, opening))
        low, up = (self._at_sites(name, polytope, int(times.sum()))[places] for name in ("lower", "upper"))
        least, most = polytope.open_numbers
        most = min(most, columns.size) if polytope.may_close else most
        if self.cost is None:  # as few as can be
            most = least
        if least > columns.size:
            raise InfeasibleBoundsError(f"n_clusters={least} exceeds the {columns.size} candidates: give more of them")
        own = None if self._is_matrix and X.shape[0] != X.shape[1] else columns
        allowed, demands, capacities = np.isfinite(costs), *self._demands(len(X), places, int(times.sum()))
        if not allowed.all():
            costs = _with_large_costs(costs, float(opening.sum()))
        return columns, MedoidLocationMIP(
            costs, polytope.point_weights, low, up, least, most, opening, own, None if allowed.all() else allowed,
            demands, capacities,
        )  # fmt: skip

    def _pairs(self) -> list[tuple[ArrayLike, ArrayLike]]:
        """The entries of `further`, each of two."""
        given: Any = self.further
        if isinstance(given, (list, tuple)) and all(
            isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in given
        ):
            return [(pair[0], pair[1]) for pair in given]
        raise InvalidInputError(
            "further is not a list of pairs: pass demands (n,) and a capacity in each, such as [(volume, 30)]"
        )

    def _demands(self, n: int, places: NDArray[np.int64], sites: int) -> tuple[NDArray | None, NDArray | None]:
        """Further demands (n, r) and capacities (m, r) at the candidates; None where there are none."""
        demands, capacities = [], []
        for number, (demand, capacity) in enumerate(self._pairs()):
            demands.append(finite_vector(demand, f"demand {number} of further", n, "point"))
            most = as_floats(capacity, f"capacity {number} of further")
            if most.shape not in ((), (sites,)) or not (most >= 0).all() or not (demands[-1] >= 0).all():
                raise InvalidInputError(
                    f"entry {number} of further is not usable: pass a demand of at least 0 per point, and a capacity, "
                    f"or {sites} of them, one per candidate"
                )
            capacities.append(np.broadcast_to(most, sites)[places])
        return (np.column_stack(demands), np.column_stack(capacities)) if demands else (None, None)

    def _at_sites(
        self, name: Literal["lower", "upper"], polytope: PartitionPolytope, sites: int
    ) -> NDArray[np.float64]:
        """Lower or upper bounds (m,) of the candidates, in the order given."""
        given, whole = getattr(self, name), polytope.weights is None
        count = _count(given)
        # `polytope` has the least lower bound and the largest upper bound; one bound may be said for every cluster
        if count == 1 or (count == polytope.n_clusters != sites and np.unique(np.asarray(given)).size == 1):
            return np.full(sites, getattr(polytope, name)[0])
        if count != sites:
            raise InvalidInputError(
                f"{name} has {count} numbers, expected one for all, or one for each of {sites} candidates"
            )
        found = bound_sizes(given, name, polytope.total, sites, whole=whole)
        assert found is not None
        return found

    def _distances(self, X: NDArray, medoids: NDArray) -> NDArray[np.float64]:
        """Distances (m, k) of rows to medoids."""
        from scipy.spatial.distance import cdist

        try:
            found = cdist(X, medoids, self.metric).astype(np.float64)
        except (ValueError, TypeError) as error:
            raise InvalidInputError(
                f"metric={self.metric!r} is not usable ({error}): pass a metric of scipy's cdist, a function or "
                "'precomputed'"
            ) from None
        if not np.isfinite(found).all():
            raise InvalidInputError(f"metric={self.metric!r} gives distances that are not finite: choose another one")
        return found

    def predict(self, X: Any, covariates: Any = None) -> NDArray[np.int64]:
        """Cluster (m,) of new points: that of the nearest medoid, or mean, whatever the sizes.

        Parameters
        ----------
        X : (m, d) array_like
            New points; for a matrix of costs, their costs at the same columns.
        covariates : None
            Refused.

        Raises
        ------
        CapabilityError
            When covariates are given.
        InvalidInputError
            When a row has no finite cost at any medoid.
        """
        check_is_fitted(self)
        self._refuse_undeclared(covariates=covariates is not None)
        X = self._validate_points(X, reset=False)
        centres = self.cluster_centers_
        distances = X[:, self.medoids_] if centres is None else self._distances(X, centres)
        alone = np.flatnonzero(~np.isfinite(distances).any(axis=1))
        if alone.size:
            raise InvalidInputError(f"row {alone[0]} of X has no finite cost at any medoid: allow one, or leave it out")
        return distances.argmin(axis=1).astype(np.int64)


def _with_large_costs(costs: NDArray[np.float64], opening: float) -> NDArray[np.float64]:
    """Costs (n, m) with, for infinite ones, more than any assignment without them costs beyond the cheapest."""
    finite = np.isfinite(costs)
    alone = np.flatnonzero(~finite.any(axis=1))
    if alone.size:
        raise InfeasibleBoundsError(f"point {alone[0]} may be served from no site: allow one, or leave it out")
    least, most = np.where(finite, costs, np.inf).min(axis=1), np.where(finite, costs, -np.inf).max(axis=1)
    more = 2.0 * (most - least).sum() + np.abs(most).max() + opening
    return np.where(finite, costs, (least + more)[:, None])


def _count(bound: Any) -> int:
    """How many numbers a bound has."""
    if isinstance(bound, str):
        return bound.count(",") + 1
    return len(bound) if hasattr(bound, "__len__") and getattr(bound, "shape", None) != () else 1
