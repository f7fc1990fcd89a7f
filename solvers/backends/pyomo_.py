"""Pyomo: the explicit program as a ConcreteModel, solved through Pyomo's own interface to HiGHS."""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.interruptible import interruptible
from ...base.status import Status
from ...models.programs.assignment import AssignmentModel
from ..backend import Backend, Capabilities
from ..solution import AssignmentSolution
from .explicit import ScaledProgram, package_version

STATUSES = {
    "convergenceCriteriaSatisfied": Status.OPTIMAL,
    "provenInfeasible": Status.INFEASIBLE,
    "infeasibleOrUnbounded": Status.INFEASIBLE,
    "maxTimeLimit": Status.TIME_LIMIT,
    "iterationLimit": Status.ITERATION_LIMIT,
    "interrupted": Status.INTERRUPTED,
    "error": Status.NUMERICAL,
}
"""Pyomo's termination conditions to ours; a name that is not here is UNKNOWN."""


class PyomoBackend(Backend):
    """Pyomo with HiGHS.

    Notes
    -----
    Exact: HiGHS ends at a vertex. Pyomo keeps one Python object a variable, so that building takes far longer
    than solving: about 10 microseconds a variable, reported apart as ``build_seconds``; Pyomo's translation to
    HiGHS counts as solving, and takes twice as long. Neither can be interrupted: under a time limit a small part is
    written first, and the whole is not begun where it would take too long.
    Use it to add constraints of your own to `AssignmentModel.to_pyomo`.

    References
    ----------
    Bynum et al. (2021), *Pyomo: Optimization Modeling in Python*, 3rd ed.
    """

    name: ClassVar[str] = "pyomo"
    capabilities: ClassVar[Capabilities] = Capabilities(time_limit=True, masks=True, further_rows=True)

    def solve(
        self, model: AssignmentModel, *, warm_start: NDArray | None = None, time_limit: float | None = None
    ) -> AssignmentSolution:
        """Solve a feasible model; see `Backend.solve`."""
        started, deadline = perf_counter(), Deadline(time_limit)
        program = ScaledProgram.of(model)
        versions = f"{package_version('pyomo')}, {package_version('highspy')}"
        if not program.fits(lambda part: _run(part.bounded.to_pyomo(), 0.0), deadline):
            return program.out_of_time(self.name, started, versions)
        began = perf_counter()
        explicit = program.bounded.to_pyomo()
        built = perf_counter()
        # the translation, twice as long as building, is not counted by HiGHS
        result = _run(explicit, None if deadline.left is None else max(0.0, deadline.left - 2.0 * (built - began)))
        status = STATUSES.get(result.termination_condition.name, Status.UNKNOWN)
        native = (result.termination_condition.name, versions)
        return program.solution(*_found(program, explicit, result), status, self.name, (started, built), native=native)


def _run(explicit: Any, limit: float | None) -> Any:
    """HiGHS through Pyomo, which does not complain where there is no optimum."""
    from pyomo.contrib.solver.solvers.highs import Highs

    return interruptible(partial(
        Highs().solve,
        explicit,
        load_solutions=False,
        raise_exception_on_nonoptimal_result=False,
        time_limit=limit,
        solver_options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    ))  # fmt: skip


def _found(program: ScaledProgram, explicit: Any, result: Any) -> tuple[NDArray | None, NDArray | None]:
    """xi (n, k) and the duals (k + q,) of sizes and side constraints in a result; None for what it does not have."""
    from pyomo.contrib.solver.common.util import NoDualsError, NoSolutionError

    def duals_of(block: str) -> NDArray[np.float64]:
        rows = list(explicit.component(block).values())
        values = result.solution_loader.get_duals(rows)
        return np.array([values[row] for row in rows])

    shares = duals = None
    try:
        if result.incumbent_objective is not None:
            values = result.solution_loader.get_vars()
            shares = np.array([values.get(v, v.value) for v in explicit.assign.values()]).reshape(program.shape)
        duals = np.concatenate(program.row_duals(duals_of))
    except (NoSolutionError, NoDualsError):
        pass
    return shares, duals
