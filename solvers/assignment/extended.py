"""The assignment program with what a user adds to its explicit model: exported, extended, solved, read back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.checks import one_of
from ...base.errors import InvalidInputError, NotOptimalError
from ...base.interruptible import interruptible
from ...models.programs.assignment import AssignmentModel
from ..linear_program import run
from ..solution import AssignmentSolution
from .external import read_back


def solve_extended(
    model: AssignmentModel, backend: str, extend: Callable[[Any], Any], time_limit: float | None = None
) -> AssignmentSolution:
    """What a backend answers to the explicit model after ``extend(explicit)``, which changes it or returns another.

    Labels are the backend's; what is proved of them is what `read_back` finds.
    """
    one_of(backend, "backend", ("pyomo", "cvxpy", "highs"))
    explicit: Any = getattr(model, f"to_{backend}")()
    changed = extend(explicit)
    explicit = explicit if changed is None else changed
    try:
        if backend == "pyomo":
            from pyomo.environ import SolverFactory

            interruptible(lambda: SolverFactory("appsi_highs").solve(explicit))
        elif backend == "cvxpy":
            interruptible(explicit.solve)
        else:
            run(explicit)
        return read_back(model, explicit, time_limit=time_limit)
    except (RuntimeError, InvalidInputError) as error:  # Pyomo raises the former where there is no assignment
        said = " ".join(str(error).split())
        raise NotOptimalError(f"the extended model has no assignment that {backend} finds: {said}") from error
