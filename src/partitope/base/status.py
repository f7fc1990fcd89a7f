"""Why a computation stopped: one enumeration, whose value is the message."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """Why a solver or an iteration stopped; the value is the sentence shown to the user.

    What was found and proved are properties of the result (``has_point``, ``proof``): a time limit can leave a proved
    optimum behind, and a solver's own claim of optimality counts only after `Certificate` has re-checked it.
    """

    OPTIMAL = "the solver reports an optimal solution"
    CONVERGED = "the iteration reached a point that it cannot improve"
    ITERATION_LIMIT = "the iteration limit was reached"
    TIME_LIMIT = "the time limit was reached"
    INFEASIBLE = "the solver reports that no feasible point exists"
    INTERRUPTED = "the run was interrupted"
    NUMERICAL = "the solver stopped on numerical difficulties"
    UNKNOWN = "the solver stopped for a reason that partitope does not know"

    def __str__(self) -> str:
        return self.value
