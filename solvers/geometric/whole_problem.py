"""The geometric iteration in whole points: groups together or apart, clusters that may stay closed, weights.

The iteration runs on the linear relaxation first, where a block of points that stay together is one point at their
mean. From its sites on every assignment is a restricted mixed-integer program (`assignment.whole`), until the objective
no longer improves by more than the gap that these programs leave.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, NotOptimalError
from ...models.certificates.certificate import Certificate, Split
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.objectives import SENSES
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.reduction import losses
from ...models.scores.scores import AffineScores, is_sparse
from ..assignment.open_cells import lifted_cells
from ..assignment.solve import solve
from ..assignment.whole import GAP, NODES
from ..cells import Cells
from ..graphs.cluster_bounds import ClusterBounds
from ..graphs.local_search import searched
from ..solution import AssignmentSolution
from .problem import ClusterStatistics, GeometricProblem, InMemoryProblem, SiteStep
from .sparse_problem import SparseProblem


@dataclass(frozen=True, eq=False)
class WholeProblem(InMemoryProblem[AssignmentSolution]):
    """A geometric problem whose assignments are whole; one may be worse than the one before by the gap it leaves."""

    deadline: Deadline
    value: float  # Value of the relaxation; the gap is a fraction of it.
    backend: str = "transport"
    start: NDArray[np.int64] | None = None  # (n,): Labels of a clustering to start from.
    monotone: ClassVar[bool] = False
    SECONDS: ClassVar[float] = 2.0

    def assign(
        self, sites: NDArray[np.float64], before: SiteStep[AssignmentSolution] | None
    ) -> SiteStep[AssignmentSolution]:
        """Step (1): a whole assignment for the sites, within `GAP` of the best or after `NODES`."""
        warm = None if before is None else before.solution.named_prices
        solution = solve(
            self.model(sites), self.backend, warm, gap=GAP * abs(self.value), nodes=NODES,
            time_limit=self.deadline.left, start=self.start,
        )  # fmt: skip
        return SiteStep(solution, self.statistics(solution.require_labels(), (), sites))

    def statistics(
        self, labels: NDArray[np.int64], splits: Sequence[Split], sites: NDArray[np.float64]
    ) -> ClusterStatistics:
        """Sums, sizes and squares of a clustering."""
        kind = SparseProblem if is_sparse(self.X) else GeometricProblem
        return kind(self.X, self.origin, self.polytope, self.objective, "transport").statistics(labels, splits, sites)

    def connected(
        self, labels: NDArray[np.int64], sites: NDArray[np.float64], starts: int
    ) -> tuple[Self, NDArray[np.float64]]:
        """The problem that knows a connected clustering, and sites (k, d) that follow from it; as they are where none
        is asked for, or local search from the relaxation's labels (n,) finds none."""
        polytope, graph, sign = self.polytope, self.polytope.connection, 1.0 if self.objective == "lsa" else -1.0
        if graph is None:
            return self, sites

        def improved(found: NDArray[np.int64]) -> tuple[float, NDArray[np.float64]]:
            return self.statistics(found, (), sites).improve(self.objective, sites)

        def resited(found: NDArray[np.int64]) -> tuple[float, NDArray[np.float64]]:
            value, moved = improved(found)
            return sign * value, losses(self.model(moved))

        bounds = ClusterBounds.of(polytope)
        for seed in range(starts):
            rng, first = np.random.default_rng(seed), resited(labels)[1]
            known = searched(first, graph, bounds, labels, rng, self.deadline, resite=resited)
            if known is not None and polytope.contains(known):
                return replace(self, start=known), improved(known)[1]
        return self, sites

    def better(self, new: float, old: float) -> bool:
        """Whether an objective is better by more than the gap."""
        return (new - old if SENSES[self.objective] == "max" else old - new) > GAP * abs(old)

    def finish(
        self, step: SiteStep[AssignmentSolution], sites: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], Certificate | None, Cells]:
        """Labels, the proof of their gap, and the cells of the relaxation's prices."""
        solution, polytope = step.solution, self.polytope
        assert solution.prices is not None
        prices, further = solution.prices, solution.further_prices
        if polytope.may_close:  # a closed cluster has the cell of an open one at a higher price: none
            opened = polytope.opened(solution.require_labels())
            assert opened is not None
            twin = np.where(opened, np.arange(opened.size), int(opened.argmax()))
            sizes = {rows.name for rows in polytope.further if rows.is_size}
            further = {name: nu[twin] if name in sizes else nu for name, nu in further.items()}
            sites, prices = sites[twin], np.where(opened, prices, prices[twin] + np.ptp(prices) + 1.0)
        places = sites + self._shift
        if polytope.relaxed.is_plain:
            cells = Cells(None, PowerDiagram(places, prices, self.objective, self.origin))
        else:
            scores = AffineScores.of(self.objective, sites, self.origin)
            cells = lifted_cells(polytope, scores, places, self.objective, prices, further)
        return solution.require_labels(), self._certificate(solution), cells

    def _certificate(self, solution: AssignmentSolution) -> Certificate:
        """The proof of the last step; where more than `GAP` is left, with what a search of the whole program at its
        sites proves in `SECONDS`. Labels are those of the step: they depend on no clock, only the bound does."""
        certificate, model = solution.verify(), solution.model
        labels, prices = solution.require_labels(), solution.named_prices
        if certificate.bound is None or certificate.bound.gap <= GAP:
            return certificate
        limit = self.SECONDS if self.deadline.left is None else min(self.SECONDS, self.deadline.left)
        try:
            best = solve(model, self.backend, prices, time_limit=limit, start=labels)
        except (InfeasibleBoundsError, NotOptimalError):
            return certificate
        if best.bound is None:
            return certificate
        found = certificate.narrowed(best.bound.upper - certificate.primal_objective, best.bound.proof)
        return found.sealed(labels, ())

    def named_prices(self, step: SiteStep[AssignmentSolution]) -> Mapping[str, NDArray[np.float64]]:
        """Prices of the last step's relaxation by the names of the polytope."""
        return step.solution.named_prices


def block_means(X: Any, polytope: PartitionPolytope) -> Any:
    """The mean of the points (n, d) of every block that stays together, weighted; X itself without blocks."""
    import scipy.sparse as sp

    if polytope.blocks is None:
        return X
    weights, blocks = polytope.point_weights, polytope.blocks
    total = np.bincount(blocks, weights)
    parts = np.where(total[blocks] > 0, weights / np.where(total > 0, total, 1.0)[blocks], 1.0)
    means = sp.csr_array((parts, (blocks, np.arange(blocks.size)))) @ X
    return means if sp.issparse(means) else np.asarray(means, dtype=X.dtype)


def demanding_whole_points(polytope: PartitionPolytope) -> PartitionPolytope:
    """The polytope with whole points, where its vertices could divide some."""
    return replace(polytope, whole_points=True) if polytope.weights is not None or polytope.further else polytope
