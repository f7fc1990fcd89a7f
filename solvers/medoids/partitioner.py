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
from ...base.errors import InfeasibleBoundsError, InvalidInputError, NotOptimalError
from ...base.sizes import bound_sizes
from ...base.status import Status
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.bound import Bound
from ...models.objectives.interval import power_of_two
from ...models.objectives.objectives import Sense
from ...models.polytope.infeasible_bounds import feasible_shares
from ...models.polytope.magnitudes import refuse_large_products
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.sized_polytope import SLACK
from ...models.programs.medoid_location import MedoidLocationMIP
from ..exchange.reseeding import group_means
from ..partition import Partition
from ..partitioner import Needs, Partitioner, Points, Random, Target
from .links import apart_demands, merged, most_clusters, require_room
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
        the bounds allow a clustering, and ``upper`` or ``further`` is needed.
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
    together, apart : sequence of (n,) or (p, 2) array_like, optional
        Groups whose points are in one cluster, and groups of which no two points are. Each entry is the group of
        every point (None, NaN or an empty text for none), or pairs of point numbers.
    objective : {"medoids", "means"}, default "medoids"
        Whether distances are to the medoid of a cluster or to its mean, which may be anywhere and counts every point
        once, whatever its weight (capacitated centred clustering). "means" takes Euclidean distances, one demand with
        bounds that are the same for all clusters, and no points together or apart.
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
        When no clustering of whole points keeps the bounds and what is together or apart.
    NotOptimalError
        When none was found within the time limit.

    Notes
    -----
    Heuristic with a valid bound, and exact where ``partition_.proof`` is GLOBAL, up to HiGHS's tolerance of 1e-9 a
    row. ``sample_weight`` is demand that counts against the bounds. Distances do not count it: pass a matrix of weight
    times distance where they should. A medoid belongs to its own cluster.
    `predict` gives a new point to its nearest medoid or mean, for a matrix by its distances to the same columns. Bounds
    do not speak of new points, and training points may be in other clusters because of them.
    Memory is O(n m), with ``apart`` O(n (n + m)). A step of the bound is O(n m) and knapsacks; parts of the program are
    mixed-integer programs, and the whole one takes exponential time at worst.

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
    together: Sequence[ArrayLike] = ()
    apart: Sequence[ArrayLike] = ()
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
        free = self.upper is None and self.cost is None and not self._pairs()
        if self.n_clusters is None and (self.balance is not None or free):
            raise InvalidInputError(
                "n_clusters=None needs upper=, further= or cost=, and no balance=: give a number of clusters"
            )
        # what all sites have in common; `_model` has the bounds of each
        every = PartitionPolytope.asked_for(n_points, sites, self.lower, self.upper, None, weights)
        low, up = float(every.lower.min()), float(every.upper.max())
        if self.n_clusters is not None:
            asked = PartitionPolytope(n_points, low, up, weights, n_clusters=self.n_clusters)
            return feasible_shares(asked, lower=self.lower, upper=self.upper)
        needed = np.cumsum(np.resize(np.sort(every.lower), n_points)) * (1.0 - SLACK)
        most = max(1, int(np.count_nonzero(needed <= every.total)))
        return PartitionPolytope(n_points, low, up, weights, n_clusters=most).whole().optional()

    def _partition(self, X: Points, y: Target, covariates: Any, polytope: PartitionPolytope, rng: Random) -> Partition:
        check_positive(self, "n_init")
        deadline = Deadline(self.time_limit)
        one_of(self.objective, "objective", ("medoids", "means"))
        means, euclidean = self.objective == "means", isinstance(self.metric, str) and self.metric == "euclidean"
        plain = euclidean and self.candidates is self.cost is None
        for groups in self._listed("together"):
            polytope = polytope.together(groups)
        columns, model = self._model(X, polytope)
        alike = model.demands is None and np.ptp(model.upper) == np.ptp(model.lower) == 0.0
        if means and not (plain and alike and polytope.blocks is None):
            raise InvalidInputError(
                "objective='means' takes Euclidean distances and one bound for all clusters: leave out metric=, "
                "candidates=, cost=, together=, apart=, several demands and bounds that differ, or choose "
                "objective='medoids'"
            )
        while True:
            search = MedoidSearch(model, rng, deadline)
            try:
                status = search.solve(self.n_init, first=means)
                break
            except NotOptimalError as error:
                raise NotOptimalError(f"{error}: allow more time_limit, {self._remedies(model)}") from None
            except InfeasibleBoundsError as error:  # whole points may need more clusters than sums say
                if (
                    self.n_clusters is not None
                    or self.cost is not None
                    or model.most >= most_clusters(model.costs, model.own)
                ):
                    raise InfeasibleBoundsError(f"{error}: {self._remedies(model)}") from None
                model = replace(model, least=model.least + 1, most=model.most + 1)
        assert search.served is not None
        opened, labels = np.unique(search.served, return_inverse=True)
        self.medoids_ = columns[opened]
        self.cluster_centers_ = None if self._is_matrix else X[self.medoids_]
        labels = labels if polytope.blocks is None else labels[polytope.blocks]
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
        if times.max() > 1:
            raise InvalidInputError(f"candidates holds {columns[times.argmax()]} twice: name it once")
        costs = X[:, columns].astype(np.float64) if self._is_matrix else self._distances(X, X[columns])
        opening = as_floats(0.0 if self.cost is None else self.cost, "cost")
        if opening.shape not in ((), columns.shape) or not np.isfinite(opening).all() or (opening < 0).any():
            raise InvalidInputError(f"cost={self.cost!r} is not usable: pass a number of at least 0, or {columns.size}")
        opening = np.array(opening[places] if opening.ndim else np.full(columns.shape, opening))
        low, up = (self._at_sites(name, polytope, columns.size)[places] for name in ("lower", "upper"))
        own = None if self._is_matrix and X.shape[0] != X.shape[1] else columns
        demands, capacities = self._demands(len(X), places)
        demands, capacities = np.column_stack([polytope.point_weights, demands]), np.column_stack([up, capacities])
        names = ["size", *(f"further[{number}]" for number in range(len(self.further)))]
        if self.lower is self.upper is self.balance is None and len(names) > 1:  # sizes are free
            demands, capacities, names = demands[:, 1:], capacities[:, 1:], names[1:]
        blocks = np.arange(len(X)) if polytope.blocks is None else polytope.blocks
        if len(self.together):
            costs, demands = (merged(rows, blocks) for rows in (costs, demands))
            own = None if own is None else blocks[own]
        # how many clusters there can be
        least, most = polytope.open_numbers
        if least > (most_open := most_clusters(costs, own)):
            raise InfeasibleBoundsError(
                f"n_clusters={least} exceeds the {most_open} candidates: give more of them"
                f"{' (those in one cluster by together count once)' if len(self.together) else ''}"
            )
        most = min(most, most_open)
        apart = apart_demands(self._listed("apart"), blocks, most)
        if polytope.may_close:
            short = np.cumsum(np.sort(capacities, axis=0)[::-1], axis=0) < demands.sum(axis=0) * (1.0 - SLACK)
            need = 1 + int(short.sum(axis=0).max()), int(apart.sum(axis=0).max(initial=0.0))
            least = min(max(least, *need), most)
        if self.cost is None:  # as few as can be
            most = least
        allowed = np.isfinite(costs)
        require_room(demands, capacities, names, allowed, blocks, most)
        if not allowed.all():
            costs = _with_large_costs(costs, float(opening.sum()))
        demands = np.hstack([demands, apart])
        capacities = np.hstack([capacities, np.ones((columns.size, apart.shape[1]))])
        more = demands.shape[1] > 1
        return columns, MedoidLocationMIP(
            costs, demands[:, 0], low, capacities[:, 0], least, most, opening, own, None if allowed.all() else allowed,
            demands[:, 1:] if more else None, capacities[:, 1:] if more else None,
        )  # fmt: skip

    def _listed(self, name: Literal["together", "apart"]) -> Sequence[ArrayLike]:
        """The entries of a parameter that is a list."""
        given: Any = getattr(self, name)
        if not isinstance(given, (list, tuple)):
            raise InvalidInputError(f"{name} is not a list: pass groups (n,) or pairs of points, such as [groups]")
        return given

    def _remedies(self, model: MedoidLocationMIP) -> str:
        """What users may change, of what they stated."""
        stated = [name for name in ("lower", "upper", "balance") if getattr(self, name) is not None]
        stated += [name for name in ("further", "together", "apart") if len(getattr(self, name))]
        stated += ["what X forbids by NaN or inf"] if model.allowed is not None else []
        return f"relax {', '.join(stated)}, or change n_clusters" if stated else "change n_clusters"

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

    def _demands(self, n: int, places: NDArray[np.int64]) -> tuple[NDArray, NDArray]:
        """Further demands (n, r) and capacities (m, r) at the candidates."""
        demands, capacities = [np.empty((n, 0))], [np.empty((places.size, 0))]
        for number, (demand, capacity) in enumerate(self._pairs()):
            demands.append(finite_vector(demand, f"demand {number} of further", n, "point"))
            most = as_floats(capacity, f"capacity {number} of further")
            if most.shape not in ((), places.shape) or not (most >= 0).all() or not (demands[-1] >= 0).all():
                raise InvalidInputError(
                    f"entry {number} of further is not usable: pass a demand of at least 0 per point, and a capacity, "
                    f"or {places.size} of them, one per candidate"
                )
            capacities.append(np.broadcast_to(most, places.shape)[places])
        return np.column_stack(demands), np.column_stack(capacities)

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
    least, most = np.where(finite, costs, np.inf).min(axis=1), np.where(finite, costs, -np.inf).max(axis=1)
    more = 2.0 * (most - least).sum() + np.abs(most).max() + opening
    return np.where(finite, costs, (least + more)[:, None])


def _count(bound: Any) -> int:
    """How many numbers a bound has."""
    if isinstance(bound, str):
        return bound.count(",") + 1
    return len(bound) if hasattr(bound, "__len__") and getattr(bound, "shape", None) != () else 1
