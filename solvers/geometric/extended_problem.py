"""The geometric iteration over the explicit model of every step, to which its user adds what he likes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.certificates.certificate import Certificate
from ...models.scores.scores import AffineScores
from ..assignment.extended import solve_extended
from ..assignment.open_cells import lifted_cells
from ..cells import Cells
from ..solution import AssignmentSolution
from .problem import GeometricProblem, SiteStep


@dataclass(frozen=True, eq=False)
class ExtendedProblem(GeometricProblem):
    """A geometric problem whose assignments are a backend's answers; what is added may make one worse than before."""

    extend: Callable[[Any], Any]
    deadline: Deadline
    monotone: ClassVar[bool] = False

    def assign(
        self, sites: NDArray[np.float64], before: SiteStep[AssignmentSolution] | None
    ) -> SiteStep[AssignmentSolution]:
        """Step (1): the backend's answer to the extended model for the sites."""
        solution = solve_extended(self.program(sites), self.backend, self.extend, self.deadline.left)
        labels = solution.require_labels()
        return SiteStep(solution, self.statistics(labels, solution.splits, sites), solution.splits)

    def finish(
        self, step: SiteStep[AssignmentSolution], sites: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], Certificate | None, Cells]:
        """Labels, what is proved of them, and the cells of the last prices, or of the sites alone."""
        solution, polytope = step.solution, step.solution.model.polytope
        certificate = None if solution.prices is None else solution.verify()
        prices = np.zeros(polytope.n_clusters) if solution.prices is None else solution.prices
        scores, places = AffineScores.of(self.objective, sites, self.origin), sites + self._shift
        cells = lifted_cells(polytope, scores, places, self.objective, prices, solution.further_prices)
        return solution.require_labels(), certificate, cells
