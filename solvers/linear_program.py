"""An explicit program handed to HiGHS: the one place where that is done. What comes back proves nothing by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.checks import instance_of
from ..base.deadline import Deadline
from ..base.errors import InvalidInputError, NotOptimalError
from ..base.status import Status
from ..models.programs.program import Program

STATUSES = {
    "kOptimal": Status.OPTIMAL,
    "kInfeasible": Status.INFEASIBLE,
    "kUnboundedOrInfeasible": Status.INFEASIBLE,
    "kTimeLimit": Status.TIME_LIMIT,
    "kIterationLimit": Status.ITERATION_LIMIT,
    "kSolutionLimit": Status.ITERATION_LIMIT,
    "kInterrupt": Status.INTERRUPTED,
    "kHighsInterrupt": Status.INTERRUPTED,
    "kSolveError": Status.NUMERICAL,
    "kPostsolveError": Status.NUMERICAL,
    "kPresolveError": Status.NUMERICAL,
}
"""HiGHS's status to ours; a name that is not here is UNKNOWN."""


@dataclass(frozen=True, eq=False)
class LinearAnswer:
    """What HiGHS found for a `Program`."""

    columns: NDArray[np.float64] | None  # (c,): a feasible point
    row_duals: NDArray[np.float64] | None  # (r,): change of the objective for one unit more of the right-hand side
    value: float  # objective of ``columns``
    bound: float  # on the optimum, from branch and bound, where columns have to be whole
    status: str  # HiGHS's own word for why it stopped, such as "kOptimal"
    began: float  # reading of `perf_counter` when HiGHS had the program
    steps: dict[str, int]  # iterations of "simplex", "ipm" and "pdlp", nodes of "mip"

    @property
    def outcome(self) -> Status:
        """Why HiGHS stopped, in the words that all solvers share."""
        return STATUSES.get(self.status, Status.UNKNOWN)

    def require_optimum(self, what: str) -> NDArray[np.float64]:
        """The columns of an optimum; NotOptimalError, which says ``what`` was not solved, when there is none."""
        if self.outcome is not Status.OPTIMAL or self.columns is None:
            raise NotOptimalError(f"{what} was not solved: HiGHS ends with {self.status}")
        return self.columns


def small_simplex(program: Program, **options: Any) -> Any:
    """A HiGHS of its own for a small program that is solved again and again, from the basis of the time before."""
    return program.to_highs(names=False, **{"presolve": "off", "solver": "simplex", "parallel": "off"} | options)


def _of_bounds(program: Program, duals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Row duals (r,), zero where they point to a bound that is infinite, as HiGHS's may up to its tolerance."""
    bound = np.where((duals > 0) != program.maximise, program.row_lower, program.row_upper)
    return np.where(np.isfinite(bound), duals, 0.0)


def unit_of(program: Program, value: float) -> float:
    """A unit of costs in which HiGHS's absolute tolerances are small beside an objective near ``value``."""
    most = float(np.abs(program.cost).max(initial=0.0))
    return 1e-3 * max(min(abs(value), most * program.cost.size), 1e-9 * most) or 1.0


def solve_linear(
    program: Program,
    options: Mapping[str, Any] | None = None,
    deadline: Deadline | None = None,
    start: NDArray[np.float64] | None = None,
    unit: float = 1.0,
) -> LinearAnswer:
    """HiGHS's answer to an explicit program: with its own options, what is left of a deadline as its time limit, and
    the first columns of a feasible point from which branch and bound starts. It counts costs in units: its tolerances
    are absolute."""
    import highspy

    options = {} if options is None else options
    instance_of(program, "program", Program)
    instance_of(options, "options", Mapping, "pass HiGHS's own options by name")
    highs = replace(program, cost=program.cost / unit).to_highs(names=False)
    for option, value in options.items():
        try:
            highs.setOptionValue(option, value)
        except TypeError:
            raise InvalidInputError(f"options[{option!r}]={value!r} is not usable: pass a number or a text") from None
    # branch and bound prunes from the first node on by what is known
    if start is not None:
        highs.setSolution(start.size, np.arange(start.size, dtype=np.int32), start)
    if deadline is not None:
        instance_of(deadline, "deadline", Deadline)
    # the limit is set last: writing the program took some of it
    began = perf_counter()
    if deadline is not None and deadline.left is not None:
        highs.setOptionValue("time_limit", deadline.left)
    highs.run()
    # HiGHS also returns points and duals that are not feasible: those are none
    info, solution = highs.getInfo(), highs.getSolution()
    feasible = int(highspy.SolutionStatus.kSolutionStatusFeasible)
    steps = {"simplex": info.simplex_iteration_count, "ipm": info.ipm_iteration_count,
             "pdlp": info.pdlp_iteration_count, "mip": info.mip_node_count}  # fmt: skip
    duals = unit * np.array(solution.row_dual)
    return LinearAnswer(
        columns=np.array(solution.col_value) if info.primal_solution_status == feasible else None,
        row_duals=_of_bounds(program, duals) if info.dual_solution_status == feasible else None,
        value=unit * float(info.objective_function_value),
        bound=unit * float(info.mip_dual_bound),
        status=highs.getModelStatus().name,
        began=began,
        steps={name: max(int(count), 0) for name, count in steps.items()},
    )
