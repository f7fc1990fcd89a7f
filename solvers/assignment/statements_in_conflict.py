"""Which statements leave no assignment of whole points together: found by leaving them out one after the other.

A statement without which there is still no assignment is left out for good; those that are kept at the end form a
conflict of which none can be missed (Chinneck 2008, Feasibility and Infeasibility in Optimization, chapter 6).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError
from ...base.status import Status
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.whole_points import Openings
from ...models.programs.assignment import AssignmentModel
from ...models.programs.linear_program import TOLERANCES
from ...models.programs.whole_assignment import WholeAssignmentMIP
from ...models.scores.scores import DenseScores
from ..linear_program import solve_linear

Without = Callable[[PartitionPolytope], PartitionPolytope]


def statements_in_conflict(model: AssignmentModel, deadline: Deadline) -> InfeasibleBoundsError:
    """The error that names statements of the polytope which cannot hold together for whole points."""
    polytope, kept = model.polytope, []
    for name, without in _statements(polytope):
        less = without(polytope)
        if deadline.allows() and not _possible(less, deadline):
            polytope = less
        else:
            kept.append(name)
    return InfeasibleBoundsError(
        f"no assignment of whole points to {polytope.n_clusters} clusters keeps {' and '.join(kept)}: widen or drop "
        f"one of them"
    )


def _statements(polytope: PartitionPolytope) -> list[tuple[str, Without]]:
    """Every statement by name, and how the polytope is written without it."""
    k, found = polytope.n_clusters, []
    if polytope.blocks is not None:
        found.append(("the groups that stay together", lambda p: replace(p, blocks=None)))
    if polytope.openings is not None:
        free = Openings(1, k, np.zeros(k))
        found.append(("the number of open clusters", lambda p: replace(p, openings=free)))
    if polytope.allowed is not None:
        found.append(("the pairs that are not allowed", lambda p: replace(p, allowed=None)))
    for rows in polytope.further:
        found.append((f"the rows {rows.name!r}", _without_rows(rows.name)))
    bounds = f"the bounds on {polytope.names[0]}"
    found.append((bounds, lambda p: replace(p, lower=np.zeros(k), upper=np.full(k, p.total))))
    return found


def _without_rows(name: str) -> Without:
    """How a polytope is written without the rows of a name."""
    return lambda polytope: replace(polytope, further=tuple(row for row in polytope.further if row.name != name))


def _possible(polytope: PartitionPolytope, deadline: Deadline) -> bool:
    """Whether there is an assignment of whole points; True where time runs out."""
    model = AssignmentModel(polytope, DenseScores(np.zeros((polytope.n_points, polytope.n_clusters))))
    try:
        program = WholeAssignmentMIP(model).linear_program
    except InfeasibleBoundsError:
        return False
    return solve_linear(program, TOLERANCES, deadline).outcome is not Status.INFEASIBLE
