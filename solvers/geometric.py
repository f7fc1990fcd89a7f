"""Clustering by norm maximisation, and its least-squares counterpart, over the partition polytope.

    CSA   maximise  sum_i |s_i|                          s_i = sum_j w_j xi_ij x_j, X centred
    LSA   minimise  sum_i sum_j w_j xi_ij |x_j - c_i|^2  c_i = s_i / kappa_i

Both alternate two exact steps until the objective stops improving:

    (1)  xi  <- an optimal vertex of the assignment program for the sites a      (a linear program)
    (2)  a_i <- s_i / |s_i|   (CSA)     or     a_i <- s_i / kappa_i   (LSA)

A cluster whose sum (CSA) or size (LSA) is zero keeps its site. With unit sites the CSA sequence never decreases
(dissertation, Algorithm 5 and Theorem 4.3.2; Example 4.3.5 shows that it can without them); the LSA sequence is
k-means with size bounds (Bradley, Bennett and Demiriz 2000) and never increases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import kmeans_plusplus
from sklearn.utils import check_random_state

from ..models.assignment import AssignmentModel
from ..models.certificate import Split
from ..models.errors import InvalidInputError
from ..models.polytope import PartitionPolytope
from ..models.power_diagram import PowerDiagram
from ..models.status import Status
from .backends import BACKENDS
from .partition import Partition
from .partitioner import Needs, Partitioner
from .solution import AssignmentSolution
from .solve import solve

IMPROVEMENT = 1e-13  # relative; smaller steps are rounding


class GeometricPartitioner(Partitioner):
    """Partition points by exact assignment steps over the bounded-shape partition polytope.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters k.
    lower, upper : (k,) array_like or int, optional
        Bounds on the cluster sizes (sums of weights with ``sample_weight``).
    objective : {"csa", "lsa"}, default "csa"
        Maximise the norms of the cluster sums of the centred points, or minimise the within-cluster sum of
        squares.
    n_init : int, default 1
        Number of starts; the best is kept, the first on ties.
    init : {"k-means++", "random"} or (k, d) array_like, default "k-means++"
        Starting sites: rows of X spread out, rows of X at random, or given.
    backend : str, default "transport"
        Name in `partitope.solvers.BACKENDS`.
    max_iter : int, default 300
        Assignment steps in one start.
    random_state : int, RandomState or None
        Seed of the starts.

    Attributes
    ----------
    labels_ : (n,) ndarray of int64
        Cluster of every training point.
    partition_ : Partition
        ``objective`` is sum_i |s_i| (CSA, larger is better) or the sum of squares (LSA, smaller is better);
        ``history["objective"]`` its trace; ``certificate`` proves the last assignment optimal for its sites;
        ``power_diagram`` holds the max-margin prices.
    sites_ : (k, d) ndarray
        The last sites: unit directions about the mean of X (CSA) or centres (LSA).

    Raises
    ------
    InvalidInputError
        When a parameter has an unknown value.
    InfeasibleBoundsError
        When no clustering satisfies the bounds.
    NotOptimalError
        When the backend returns no assignment.

    Notes
    -----
    Every assignment step is exact and the last one is certified; the iteration ends in a local optimum of an
    NP-hard problem.
    One step costs one solve of the assignment program, O(n k d) for the scores and little more with
    ``backend="transport"``. Where a weighted point is split, sums and sizes count its shares, and its label
    is its largest share.

    References
    ----------
    Dissertation cited in the README, chapter 4, Algorithms 5-7.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.solvers import GeometricPartitioner
    >>> X = np.array([[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [5.1, 5.0]])
    >>> GeometricPartitioner(2, lower=2, upper=2, random_state=0).fit(X).partition_.sizes
    array([2., 2.])
    """

    needs: ClassVar[Needs] = Needs(sample_weight=True)
    variants: ClassVar[dict[str, dict[str, Any]]] = {
        "geometric-csa": {"objective": "csa"},
        "geometric-lsa": {"objective": "lsa"},
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        objective: Literal["csa", "lsa"] = "csa",
        n_init: int = 1,
        init: str | ArrayLike = "k-means++",
        backend: str = "transport",
        max_iter: int = 300,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lower = lower
        self.upper = upper
        self.objective = objective
        self.n_init = n_init
        self.init = init
        self.backend = backend
        self.max_iter = max_iter
        self.random_state = random_state

    @property
    def objective_sense(self) -> Literal["max", "min"]:
        """Whether a larger or a smaller `Partition.objective` is better."""
        return "max" if self.objective == "csa" else "min"

    def _partition(
        self,
        X: NDArray[np.float64],
        y: NDArray | None,
        covariates: Any,
        polytope: PartitionPolytope,
        random_state: np.random.RandomState,
    ) -> Partition:
        self._check_parameters(X)
        origin = np.average(X, axis=0, weights=polytope.weights).astype(np.float64)
        problem = _Problem(np.asarray(X, dtype=np.float64) - origin, polytope, self.objective)
        seeds = random_state.randint(np.iinfo(np.int32).max, size=self.n_init)
        best: _Run | None = None
        for seed in seeds:
            sites = self._starting_sites(problem, origin, check_random_state(seed))
            run = _iterate(problem, sites, self.backend, self.max_iter)
            if best is None or problem.better(run.history[-1], best.history[-1]):
                best = run
        assert best is not None
        shift = origin if self.objective == "lsa" else 0.0
        diagram = PowerDiagram.max_margin(problem.X, best.labels, best.sites, self.objective)
        self.sites_ = best.sites + shift
        return Partition(
            labels=best.labels,
            sizes=problem.sums(best.labels, best.solution.splits)[1],
            objective=best.history[-1],
            history={"objective": np.array(best.history)},
            certificate=best.solution.verify() if best.solution.prices is not None else None,
            power_diagram=PowerDiagram(self.sites_, diagram.prices, self.objective, origin),
            n_iter=len(best.history),
            status=best.status,
            splits=best.solution.splits,
        )

    def _check_parameters(self, X: NDArray[np.float64]) -> None:
        if self.objective not in ("csa", "lsa"):
            raise InvalidInputError(f"objective={self.objective!r} is not known: choose 'csa' or 'lsa'")
        for name in ("n_init", "max_iter"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                raise InvalidInputError(f"{name}={value!r} is not usable: pass an integer of at least 1")
        if self.n_clusters > len(X):
            raise InvalidInputError(
                f"n_clusters={self.n_clusters} exceeds n_samples={len(X)}: ask for at most one cluster a point"
            )
        if isinstance(self.init, str) and self.init not in ("k-means++", "random"):
            raise InvalidInputError(f"init={self.init!r} is not known: choose 'k-means++', 'random' or an array")

    def _starting_sites(
        self, problem: _Problem, origin: NDArray[np.float64], rng: np.random.RandomState
    ) -> NDArray[np.float64]:
        X, k = problem.X, self.n_clusters
        if not isinstance(self.init, str):
            sites = np.array(self.init, dtype=np.float64)
            if sites.shape != (k, X.shape[1]) or not np.isfinite(sites).all():
                raise InvalidInputError(f"init has shape {sites.shape}, expected finite ({k}, {X.shape[1]}) sites")
            return problem.standardise(sites if self.objective == "csa" else sites - origin, rng)
        weights = problem.polytope.weights
        if self.init == "k-means++":
            spread = problem.standardise(X, rng) if self.objective == "csa" else X
            return kmeans_plusplus(spread, k, sample_weight=weights, random_state=rng)[0]
        chance = None if weights is None or np.count_nonzero(weights) < k else weights / weights.sum()
        return problem.standardise(X[rng.choice(len(X), k, replace=False, p=chance)], rng)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Centred points, polytope and objective: everything the iteration needs to know."""

    X: NDArray[np.float64]
    polytope: PartitionPolytope
    objective: Literal["csa", "lsa"]

    def model(self, sites: NDArray[np.float64]) -> AssignmentModel:
        if self.objective == "csa":
            return AssignmentModel.csa(self.X, sites, self.polytope)
        return AssignmentModel.lsa(self.X, sites, self.polytope, origin=0.0)

    def better(self, new: float, old: float) -> bool:
        gain = new - old if self.objective == "csa" else old - new
        return gain > IMPROVEMENT * abs(old)

    def standardise(self, sites: NDArray[np.float64], rng: np.random.RandomState) -> NDArray[np.float64]:
        """Unit vectors for CSA; a zero vector has no direction and gets a random one."""
        if self.objective == "lsa":
            return sites
        norms = np.linalg.norm(sites, axis=1, keepdims=True)
        zero = norms[:, 0] == 0
        if zero.any():
            sites = sites.copy()
            sites[zero] = rng.normal(size=(int(zero.sum()), sites.shape[1]))
            norms = np.linalg.norm(sites, axis=1, keepdims=True)
        return sites / norms

    def sums(
        self, labels: NDArray[np.int64], splits: Sequence[Split]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Cluster sums s (k, d) and sizes kappa (k,), counting shares of split points."""
        k, weights = self.polytope.n_clusters, self.polytope.weights
        if weights is None:
            sums = np.column_stack([np.bincount(labels, column, k) for column in self.X.T]).astype(np.float64)
            return sums, np.bincount(labels, minlength=k).astype(np.float64)
        sums = np.column_stack([np.bincount(labels, weights * column, k) for column in self.X.T])
        sizes = np.bincount(labels, weights, k).astype(np.float64)
        for point in {point for point, _, _ in splits}:
            sums[labels[point]] -= weights[point] * self.X[point]
            sizes[labels[point]] -= weights[point]
        for point, cluster, share in splits:
            sums[cluster] += share * weights[point] * self.X[point]
            sizes[cluster] += share * weights[point]
        return sums, sizes

    def improve(
        self, labels: NDArray[np.int64], splits: Sequence[Split], sites: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        """Objective of a clustering and the next sites, step (2)."""
        sums, sizes = self.sums(labels, splits)
        if self.objective == "csa":
            norms = np.linalg.norm(sums, axis=1)
            keep = norms <= 0
            return float(norms.sum()), np.where(keep[:, None], sites, sums / np.where(keep, 1.0, norms)[:, None])
        keep = sizes <= 0
        centres = np.where(keep[:, None], sites, sums / np.where(keep, 1.0, sizes)[:, None])
        return self._sum_of_squares(labels, splits, centres), centres

    def _sum_of_squares(
        self, labels: NDArray[np.int64], splits: Sequence[Split], centres: NDArray[np.float64]
    ) -> float:
        weights = self.polytope.weights
        square = ((self.X - centres[labels]) ** 2).sum(axis=1)
        total = float(square.sum() if weights is None else square @ weights)
        if weights is not None and splits:
            total -= sum(weights[p] * square[p] for p in {p for p, _, _ in splits})
            total += sum(s * weights[p] * ((self.X[p] - centres[i]) ** 2).sum() for p, i, s in splits)
        return total


@dataclass(frozen=True, eq=False)
class _Run:
    """One start: its last assignment, the sites for which that is optimal, and the trace."""

    solution: AssignmentSolution
    labels: NDArray[np.int64]
    sites: NDArray[np.float64]
    history: list[float]
    status: Status


def _iterate(problem: _Problem, sites: NDArray[np.float64], backend: str, max_iter: int) -> _Run:
    """Alternate (1) and (2) until the objective stops improving; the history never gets worse."""
    warm_start = BACKENDS[backend].capabilities.warm_start
    prices = None
    history: list[float] = []
    status = Status.ITERATION_LIMIT
    for step in range(max_iter):
        solution = solve(problem.model(sites), backend, warm_start=prices if warm_start else None)
        labels = solution.require_labels()
        prices = solution.prices
        value, following = problem.improve(labels, solution.splits, sites)
        if history and not problem.better(value, history[-1]):
            status = Status.CONVERGED
            break
        history.append(value)
        if step < max_iter - 1:
            sites = following
    return _Run(solution, labels, sites, history, status)
