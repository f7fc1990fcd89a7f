"""The two exact steps of the geometric iteration on points that one machine reaches: in memory or on its disk.

A C-contiguous X is never copied: scores, sums and starting sites are taken from it and the origin c in blocks of rows,
so that memory besides X is O(n) numbers for labels, candidates and distances, and O(k d + k^2).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import finite_rows
from ...base.errors import InvalidInputError
from ...base.status import Status
from ...models.certificates.certificate import Certificate, Split
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.interval import ROUNDOFF
from ...models.objectives.objectives import SENSES, Objective
from ...models.polytope.magnitudes import refuse_large_products
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.scores.scores import AffineScores, is_sparse, near_origin
from ..assignment.by_backend import chosen_backend
from ..assignment.open_cells import lifted_cells, with_largest_margins
from ..assignment.solve import solve
from ..backends import BACKENDS
from ..cells import Cells
from ..solution import AssignmentSolution
from ..transport.passes.rows import exchange_gaps, kernel_data, kernel_rows
from ..transport.prices.equal_points import EqualPoints, are_whole
from ..transport.prices.inexact import PointSample, best_clusters
from ..transport.prices.margin_bounds import Norms
from ..transport.prices.reoptimisation import Reoptimisation
from .first_sites import random_rows, spread_rows, unit_directions
from .moving_sums import MovingSums
from .statistics import cluster_statistics

Solution = TypeVar("Solution")
Init = str | ArrayLike | Callable[[np.random.RandomState], NDArray[np.float64]]
MERGED = 64  # Rows that are added side by side.
IMPROVEMENT = 1e-13  # A smaller relative improvement is rounding.
MANY, SMALL = 20, 24  # Neighbours are divided anew from this many clusters on, and up to this many points per cluster.


@dataclass(frozen=True, eq=False)
class ClusterStatistics:
    """What a clustering means for the next step; everything is measured from the origin, and counts shares."""

    sums: NDArray[np.float64]  # (k, d): s_i
    sizes: NDArray[np.float64]  # (k,): kappa_i
    squares: float  # Sum of squared distances to the sites of the step.

    def improve(self, objective: Objective, sites: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Objective of the clustering and the next sites, step (2) of `geometric`."""
        if objective == "csa":
            norms = np.linalg.norm(self.sums, axis=1)
            keep = norms <= 0
            following = np.where(keep[:, None], sites, self.sums / np.where(keep, 1.0, norms)[:, None])
            return float(norms.sum()), following
        keep = self.sizes <= 0
        centres = np.where(keep[:, None], sites, self.sums / np.where(keep, 1.0, self.sizes)[:, None])
        gain = float((self.sizes * ((centres - sites) ** 2).sum(axis=1)).sum())
        # not less than its rounding: an objective of zero would end the alternation, where sites came from far away
        return max(self.squares - gain, 8.0 * ROUNDOFF * self.squares), centres


@dataclass(frozen=True, eq=False)
class SiteStep(Generic[Solution]):
    """One solved assignment of points to sites (of an inexact step, prices alone), and the points that it splits; if
    any, ``carried`` serves the next step, and ``error`` (k,) is that of the sample."""

    solution: Solution
    statistics: ClusterStatistics
    splits: tuple[Split, ...] = ()
    carried: Carried | None = None
    error: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Carried:
    """What one run of an alternation carries from step to step."""

    assignment: Reoptimisation  # Labels and bounds on margins.
    sums: MovingSums


class SiteProblem(ABC, Generic[Solution]):
    """What is alternated between assignments and sites, wherever the points are. Sites count from ``origin`` (d,);
    ``objective`` is "csa" or "lsa"; ``monotone`` as in `AlternatingProblem`."""

    polytope: PartitionPolytope
    objective: Objective
    origin: NDArray[np.float64]
    monotone: ClassVar[bool] = True

    @abstractmethod
    def assign(self, sites: NDArray[np.float64], before: SiteStep[Solution] | None) -> SiteStep[Solution]:
        """Step (1): an assignment of the points to the sites."""

    def assign_inexactly(
        self, sites: NDArray[np.float64], before: SiteStep[Solution] | None
    ) -> SiteStep[Solution] | None:
        """Step (1) with sizes near the bounds, for sites that are going to move far; None where it would not pay."""
        return None

    @abstractmethod
    def spread_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Points that are far apart, measured from the origin."""

    @abstractmethod
    def random_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Points at random, measured from the origin."""

    @abstractmethod
    def finish(
        self, step: SiteStep[Solution], sites: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], Certificate | None, Cells]:
        """Labels, proof and cells of the last step, for its sites."""

    def named_prices(self, step: SiteStep[Solution]) -> Mapping[str, NDArray[np.float64]]:
        """Prices of the last step by the names of the polytope; none if the step is not a linear program."""
        return {}

    @abstractmethod
    def column_variance(self) -> float:
        """Variance of a column, averaged over the columns: the square of the points' unit."""

    def update(self, step: SiteStep[Solution], sites: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Step (2): the objective of an assignment and the next sites."""
        return step.statistics.improve(self.objective, sites)

    def better(self, new: float, old: float) -> bool:
        """Whether an objective is better by more than rounding."""
        gain = new - old if SENSES[self.objective] == "max" else old - new
        return gain > IMPROVEMENT * abs(old)

    def first_sites(self, init: Init, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Sites to start from, measured from the origin: drawn from the points, or given in their coordinates.
        InvalidInputError when given sites have the wrong shape or are not finite, or the name is not known."""
        k = self.polytope.n_clusters
        if isinstance(init, str):
            draws: dict[str, Callable[[np.random.RandomState], NDArray[np.float64]]]
            draws = {"k-means++": self.spread_sites, "random": self.random_sites}
            if self.objective == "csa":
                draws["sphere"] = lambda _: np.zeros((k, self.origin.size))  # zero vectors get random directions
            if init not in draws:
                known = ", ".join(map(repr, draws))
                raise InvalidInputError(
                    f"init={init!r} is not known for objective {self.objective!r}: choose {known} or an array"
                )
            sites = draws[init](rng)
            return unit_directions(sites, rng) if self.objective == "csa" else sites
        given: Any = init(rng) if callable(init) else init
        sites = np.array(finite_rows(given.toarray() if is_sparse(given) else given, "init", k, self.origin.size))
        refuse_large_products(sites[:0], init=sites)
        return unit_directions(sites, rng) if self.objective == "csa" else sites - self.origin


@dataclass(frozen=True, eq=False)
class InMemoryProblem(SiteProblem[Solution]):
    """Points that one machine reaches, origin, polytope and objective; what assigns the points is left open."""

    X: NDArray[np.floating]
    origin: NDArray[np.float64]
    polytope: PartitionPolytope
    objective: Objective

    def model(self, sites: NDArray[np.float64]) -> AssignmentModel:
        """The assignment program for sites measured from the origin."""
        scores = AffineScores.of(self.objective, sites, self.origin).on(self.X)
        return AssignmentModel(self.polytope, scores, self.objective, sites + self._shift)

    @property
    def _shift(self) -> NDArray[np.float64] | float:
        """What sites are moved by to be places in space; those of CSA are directions."""
        return self.origin if self.objective == "lsa" else 0.0

    def statistics(
        self, labels: NDArray[np.int64], splits: Sequence[Split], sites: NDArray[np.float64]
    ) -> ClusterStatistics:
        """Sums, sizes and squares of a clustering, counting shares of split points."""
        weights = self.polytope.weights
        sums, sizes, squares = cluster_statistics(self.X, self.origin, labels, weights, sites)
        if splits:
            weights = np.ones(len(labels)) if weights is None else weights
            changes = [(point, int(labels[point]), -1.0) for point in {point for point, _, _ in splits}]
            for point, cluster, share in [*changes, *splits]:
                x, amount = self.X[point] - self.origin, share * weights[point]
                sums[cluster] += amount * x
                sizes[cluster] += amount
                squares += amount * ((x - sites[cluster]) ** 2).sum()
        return ClusterStatistics(sums, sizes, squares)

    def column_variance(self) -> float:
        """Variance of a column, averaged over the columns."""
        one = np.zeros((1, self.origin.size))
        squares = self.statistics(np.zeros(self.polytope.n_points, dtype=np.int64), (), one).squares
        return squares / (self.polytope.total * self.origin.size)

    def spread_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Rows of X that are far apart, measured from the origin."""
        weights, directions = self.polytope.weights, self.objective == "csa"
        return spread_rows(self.X, self.origin, self.polytope.n_clusters, weights, rng, directions)

    def random_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Rows of X at random, measured from the origin; heavy ones more often."""
        rows = self.X[random_rows(self.X.shape[0], self.polytope.n_clusters, self.polytope.weights, rng)]
        return np.subtract(rows, self.origin, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class GeometricProblem(InMemoryProblem[AssignmentSolution]):
    """The problem without further rules: every assignment is an optimal solution of a linear program."""

    backend: str

    @classmethod
    def of(
        cls, X: NDArray[np.floating], polytope: PartitionPolytope, objective: Objective, backend: str = "transport"
    ) -> Self:
        """The problem of the points X (n, d), with `origin_of` them."""
        return cls(X, origin_of(X, polytope.weights, objective), polytope, objective, backend)

    def program(self, sites: NDArray[np.float64]) -> AssignmentModel:
        """What the backend solves: `model`, or the same program with its scores stored in another way."""
        return self.model(sites)

    def assign(
        self, sites: NDArray[np.float64], before: SiteStep[AssignmentSolution] | None
    ) -> SiteStep[AssignmentSolution]:
        """Step (1): an optimal assignment for the sites, from the prices of the step before; where these would leave
        much to move, they follow the sites first, on a few points."""
        name = chosen_backend(self.backend, self.polytope)
        options, warm = BACKENDS[name].step_options, warm_prices(name, None if before is None else before.solution)
        carried, model = self._fresh(name) if before is None else before.carried, self.program(sites)
        if carried is None:
            few = self._few
            if few is not None and before is not None:
                data, polytope = kernel_data(model.score_source), self.polytope
                warm = few.better_prices(data, polytope.lower, polytope.upper, warm, before.error)
            if name == "transport" and self._merged is not None:
                options = {**options, "merged": self._merged}
            solution = solve(model, name, warm_start=warm, **options)
            labels = solution.require_labels()
            statistics = self.statistics(labels, solution.splits, sites)
            error = None if few is None else few.error(labels, statistics.sizes)
            return SiteStep(solution, statistics, solution.splits, error=error)
        solution = solve(model, name, warm_start=warm, carried=carried.assignment, **options)
        statistics = ClusterStatistics(*carried.sums.at(carried.assignment.labels, sites))
        return SiteStep(solution, statistics, carried=carried)

    def assign_inexactly(
        self, sites: NDArray[np.float64], before: SiteStep[AssignmentSolution] | None
    ) -> SiteStep[AssignmentSolution] | None:
        """Step (1) with every point in its best cluster at prices of a few points."""
        few = self._few
        if few is None:
            return None
        carried = self._fresh("transport") if before is None else before.carried
        model = self.program(sites)
        data = kernel_data(model.score_source)
        known, error = (None, None) if before is None else (before.solution.prices, before.error)
        prices = few.prices(data, self.polytope.lower, self.polytope.upper, known, error)
        labels: NDArray[np.integer]
        if carried is None:
            labels = best_clusters(data, prices, self._norms)
            statistics = self.statistics(labels.astype(np.int64), (), sites)
        else:
            labels = carried.assignment.best(data, prices)
            statistics = ClusterStatistics(*carried.sums.at(labels, sites))
        solution = AssignmentSolution(
            model, None, prices, None, np.nan, np.nan, Status.ITERATION_LIMIT, 0.0, "transport"
        )
        return SiteStep(solution, statistics, carried=carried, error=few.error(labels, statistics.sizes))

    @cached_property
    def _few(self) -> PointSample | None:
        """What prices of inexact steps come from; None where exact ones are as good."""
        (n, d), k = self.X.shape, self.polytope.n_clusters
        backend = chosen_backend(self.backend, self.polytope)
        if not self._is_plain(backend) or not PointSample.say_enough(n, d, k) or self._merged is not None:
            return None
        return PointSample(self._rows, k)

    def _fresh(self, backend: str) -> Carried | None:
        """What a run carries, at its start; None where steps are too small for it or of another kind."""
        (n, d), k = self.X.shape, self.polytope.n_clusters
        if not self._is_plain(backend) or not Reoptimisation.pays(n, d, k):
            return None
        if self._merged is not None and not Reoptimisation.pays(self._merged.first.size, d, k):
            return None
        return Carried(Reoptimisation(self._rows, self._norms, k), MovingSums(self._rows, self.origin))

    def _is_plain(self, backend: str) -> bool:
        """Whether a backend assigns dense points without weights within size bounds alone, by its own row passes."""
        plain = self.polytope.is_plain and self.polytope.weights is None
        return plain and backend == "transport" and not is_sparse(self.X)

    @cached_property
    def _merged(self) -> EqualPoints | None:
        """Which points are equal, for the steps of all runs; None where few are."""
        return None if is_sparse(self.X) or not are_whole(self.polytope) else EqualPoints.among(self._rows)

    @cached_property
    def _rows(self) -> NDArray[np.floating]:
        """The points as kernels read them, for all runs."""
        return kernel_rows(self.X)

    @cached_property
    def _norms(self) -> Norms:
        """Distances of the points from the origin, for all runs."""
        return Norms.of(self._rows, self.origin)

    @property
    def has_many_small_clusters(self) -> bool:
        """Whether alternations of least squares end so high that a search in parts pays (`exchange.reseeding`)."""
        plain = self.polytope.is_plain and self.polytope.weights is None and not is_sparse(self.X)
        k = self.polytope.n_clusters
        return self.objective == "lsa" and plain and k >= MANY and len(self.X) <= SMALL * k

    def finish(
        self, step: SiteStep[AssignmentSolution], sites: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], Certificate | None, Cells]:
        """Labels, proof and max-margin cells of the last step, for its sites."""
        labels, prices = step.solution.require_labels(), step.solution.prices
        certificate = step.solution.verify() if prices is not None else None
        scores = AffineScores.of(self.objective, sites, self.origin)
        if not self.polytope.is_plain and prices is not None:
            further, places = step.solution.further_prices, sites + self._shift
            cells = lifted_cells(self.polytope, scores, places, self.objective, prices, further)
            return labels, certificate, with_largest_margins(cells, step.solution)
        data = kernel_data(self.program(sites).score_source)
        gaps = exchange_gaps(data, labels, np.ones(len(labels)), len(sites))
        np.fill_diagonal(gaps, 0.0)
        diagram = PowerDiagram.from_gaps(sites + self._shift, gaps, scores, self.objective)
        return labels, certificate, Cells(None, diagram)

    def named_prices(self, step: SiteStep[AssignmentSolution]) -> Mapping[str, NDArray[np.float64]]:
        """Prices of the last step by the names of the polytope; none from backends without prices."""
        return {} if step.solution.prices is None else step.solution.named_prices


def warm_prices(backend: str, before: AssignmentSolution | None) -> Any:
    """Prices of the step before, where there is one and the backend starts from them; by name with side constraints."""
    if before is None or not BACKENDS[backend].capabilities.warm_start:
        return None
    return before.prices if before.model.polytope.is_plain else before.named_prices


def origin_of(
    X: NDArray[np.floating], weights: NDArray[np.float64] | None, objective: Objective
) -> NDArray[np.float64]:
    """What points and sites are measured from: the mean, which the objective of CSA needs; `near_origin` otherwise."""
    mean = mean_of_rows(X, weights)
    return mean if objective == "csa" else near_origin(X, mean, weights)


def mean_of_rows(X: NDArray[np.floating], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Mean (d,) of the points (n, d) in float64, the same in any memory layout; copies other layouts."""
    if weights is None:
        n, d = X.shape
        merged = X[: n - n % MERGED].reshape(-1, MERGED * d)  # sums of wide rows are fast
        sums = merged.sum(axis=0, dtype=np.float64).reshape(MERGED, d).sum(axis=0)
        return (sums + X[n - n % MERGED :].sum(axis=0, dtype=np.float64)) / n
    nowhere = np.zeros((1, X.shape[1]))
    sums, sizes, _ = cluster_statistics(X, nowhere[0], np.zeros(len(X), dtype=np.int64), weights, nowhere)
    return sums[0] / sizes[0]
