"""The two steps of the geometric iteration under must-links and cannot-links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.polytope.links import Links
from ...models.scores.scores import AffineScores
from ..assignment.linked import LinkedSolution, solve_linked
from ..assignment.open_cells import lifted_cells
from ..embedding import Cells
from .problem import InMemoryProblem, SiteStep


@dataclass(frozen=True, eq=False)
class LinkedProblem(InMemoryProblem[LinkedSolution]):
    """A geometric problem whose assignments respect links; a heuristic one may be worse than the one before."""

    links: Links
    assignment: Literal["mip", "heuristic"]
    deadline: Deadline
    monotone: ClassVar[bool] = False

    def assign(self, sites: NDArray[np.float64], before: SiteStep[LinkedSolution] | None) -> SiteStep[LinkedSolution]:
        """Step (1): an assignment for the sites, optimal with "mip"."""
        solution = solve_linked(self.model(sites), self.links, self.assignment, time_limit=self.deadline.left)
        return SiteStep(solution, self.statistics(solution.labels, (), sites))

    def finish(
        self, step: SiteStep[LinkedSolution], sites: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], None, Cells]:
        """Labels and the cells of the last sites and size prices; links leave the assignment polytope: no proof."""
        scores, solution = AffineScores.of(self.objective, sites, self.origin), step.solution
        places = sites + self._shift
        cells = lifted_cells(self.polytope, scores, places, self.objective, solution.prices, solution.further_prices)
        return solution.labels, None, cells

    def named_prices(self, step: SiteStep[LinkedSolution]) -> Mapping[str, NDArray[np.float64]]:
        """Prices of the last step's relaxation by the names of the polytope."""
        return {self.polytope.row_names[0]: step.solution.prices, **step.solution.further_prices}
