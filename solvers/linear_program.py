"""An explicit program handed to HiGHS: the one place where that is done. What comes back proves nothing by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.checks import instance_of
from ..base.deadline import Deadline
from ..base.errors import InvalidInputError, NotOptimalError
from ..base.status import Status
from ..models.programs.linear_program import LinearProgram

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
    """What HiGHS found for a `LinearProgram`.

    Attributes
    ----------
    columns : (c,) ndarray or None
        A feasible point; None when there is none.
    row_duals : (r,) ndarray or None
        Change of the objective for one unit more of the right-hand side of each row; None when there are none.
    value : float
        Objective of ``columns``.
    bound : float
        The bound on the optimum that branch and bound has reached, where columns have to be whole numbers.
    status : str
        HiGHS's own word for why it stopped, such as "kOptimal".
    began : float
        Reading of `time.perf_counter` when HiGHS had been given the program.
    steps : dict of str to int
        Iterations of "simplex", "ipm" and "pdlp", and nodes of branch and bound, "mip".
    """

    columns: NDArray[np.float64] | None
    row_duals: NDArray[np.float64] | None
    value: float
    bound: float
    status: str
    began: float
    steps: dict[str, int]

    @property
    def outcome(self) -> Status:
        """Why HiGHS stopped, in the words that all solvers share."""
        return STATUSES.get(self.status, Status.UNKNOWN)

    def require_optimum(self, what: str) -> NDArray[np.float64]:
        """The columns of an optimum; NotOptimalError, which says ``what`` was not solved, when there is none."""
        if self.outcome is not Status.OPTIMAL or self.columns is None:
            raise NotOptimalError(f"{what} was not solved: HiGHS ends with {self.status}")
        return self.columns


def small_simplex(program: LinearProgram, **options: Any) -> Any:
    """A HiGHS of its own for a small program that is solved again and again, from the basis of the time before."""
    return program.to_highs(**{"presolve": "off", "solver": "simplex", "parallel": "off"} | options)


def solve_linear(
    program: LinearProgram,
    options: Mapping[str, Any] | None = None,
    deadline: Deadline | None = None,
    start: NDArray[np.float64] | None = None,
) -> LinearAnswer:
    """Solve a linear or mixed-integer program that is written out as arrays, by HiGHS.

    Parameters
    ----------
    program : LinearProgram
        The program.
    options : mapping of str to value, optional
        HiGHS's own options.
    deadline : Deadline, optional
        What is left of it is HiGHS's time limit.
    start : (c,) ndarray, optional
        A feasible point, which branch and bound starts from.

    Returns
    -------
    LinearAnswer

    Raises
    ------
    InvalidInputError
        When an argument is of another kind, or an option is neither a number nor a text.

    Examples
    --------
    >>> from partitope.models import AssignmentModel, PartitionPolytope
    >>> from partitope.models.programs.price_programs import PriceProgram
    >>> from partitope.solvers.linear_program import solve_linear
    >>> model = AssignmentModel(PartitionPolytope(3, [1, 1], [2, 2]), [[3, 0], [2, 0], [1, 0]])
    >>> round(solve_linear(PriceProgram(model).linear_program).value, 9)
    5.0
    """
    import highspy

    options = {} if options is None else options
    instance_of(program, "program", LinearProgram)
    instance_of(options, "options", Mapping, "pass HiGHS's own options by name")
    highs = program.to_highs()
    for option, value in options.items():
        try:
            highs.setOptionValue(option, value)
        except TypeError:
            raise InvalidInputError(f"options[{option!r}]={value!r} is not usable: pass a number or a text") from None
    if start is not None:
        known = highspy.HighsSolution()
        known.col_value = start.tolist()
        highs.setSolution(known)
    if deadline is not None:
        instance_of(deadline, "deadline", Deadline)
    began = perf_counter()
    if deadline is not None and deadline.left is not None:
        highs.setOptionValue("time_limit", deadline.left)
    highs.run()
    info, solution = highs.getInfo(), highs.getSolution()
    feasible = int(highspy.SolutionStatus.kSolutionStatusFeasible)
    steps = {"simplex": info.simplex_iteration_count, "ipm": info.ipm_iteration_count,
             "pdlp": info.pdlp_iteration_count, "mip": info.mip_node_count}  # fmt: skip
    return LinearAnswer(
        columns=np.array(solution.col_value) if info.primal_solution_status == feasible else None,
        row_duals=np.array(solution.row_dual) if info.dual_solution_status == feasible else None,
        value=float(info.objective_function_value),
        bound=float(info.mip_dual_bound),
        status=highs.getModelStatus().name,
        began=began,
        steps={name: max(int(count), 0) for name, count in steps.items()},
    )
