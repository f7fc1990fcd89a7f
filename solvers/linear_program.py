"""An explicit program handed to HiGHS: the one place where that is done. What comes back proves nothing by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.checks import instance_of
from ..base.deadline import Deadline
from ..base.errors import InvalidInputError, NotOptimalError
from ..base.interruptible import interruptible
from ..base.status import Status
from ..models.polytope.magnitudes import powers_of_two
from ..models.programs.program import TOLERANCE, Program
from .infeasibility import multipliers_exclude, tree_excludes

if TYPE_CHECKING:
    import highspy

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

    columns: NDArray[np.float64] | None  # (c,): A feasible point.
    row_duals: NDArray[np.float64] | None  # (r,): Change of the objective per unit of the right-hand side.
    value: float  # Objective of ``columns``.
    bound: float  # Bound on the optimum, less all tolerances; from branch and bound for whole columns.
    status: str  # HiGHS's own status word, such as "kOptimal".
    began: float  # Reading of `perf_counter` when HiGHS received the program.
    steps: dict[str, int]  # Iterations of "simplex", "ipm" and "pdlp", nodes of "mip".
    excluded: bool = True  # Whether a proof of infeasibility was found, where HiGHS says infeasible.

    @property
    def outcome(self) -> Status:
        """Why HiGHS stopped, in the words that all solvers share."""
        found = STATUSES.get(self.status, Status.UNKNOWN)
        return found if self.excluded or found is not Status.INFEASIBLE else Status.NUMERICAL

    def require_optimum(self, what: str) -> NDArray[np.float64]:
        """The columns of an optimum; NotOptimalError, which says ``what`` was not solved, when there is none."""
        if self.outcome is not Status.OPTIMAL or self.columns is None:
            raise NotOptimalError(f"{what} was not solved: HiGHS ends with {self.status}")
        return self.columns


def small_simplex(program: Program, **options: object) -> Any:
    """A HiGHS of its own for a small program that is solved again and again, from the basis of the time before."""
    return program.to_highs(names=False, **{"presolve": "off", "solver": "simplex", "parallel": "off"} | options)


def run(highs: highspy.Highs) -> None:
    """Solve what is in a HiGHS; Ctrl-C ends it."""
    interruptible(highs.run, highs.cancelSolve)


@dataclass(frozen=True, eq=False)
class ScaledProgram:
    """A program in units in which HiGHS's absolute tolerances are small: x' = C x, rows divided by R, costs by C and a
    unit; all powers of two, which round nothing."""

    program: Program
    rows: NDArray[np.float64]  # (r,): R
    columns: NDArray[np.float64]  # (c,): C; 1 for whole columns.
    unit: float
    reach: float  # Largest sum of the columns x'.

    @classmethod
    def of(cls, program: Program, value: float | None = None) -> ScaledProgram:
        """Columns that need not be whole are counted in their width, then rows in their largest coefficient, and
        columns without a width in theirs. The largest cost becomes about 1; or where a ``value`` near the optimum is
        given, the objective becomes so large that `TOLERANCE` of every column is about 1e-10 of it."""
        matrix, data, at = program.matrix, np.abs(program.matrix.data), program.matrix.indices
        of = np.repeat(np.arange(program.cost.size), np.diff(matrix.indptr))
        width = program.upper - program.lower
        wide = ~(width < 1e20)  # HiGHS takes such bounds for infinite
        columns = 1.0 / powers_of_two(np.where(wide, 0.0, width))
        if program.integral is not None:
            columns, wide = np.where(program.integral, 1.0, columns), wide & ~program.integral
        largest = np.zeros(matrix.shape[0]), np.zeros(program.cost.size)
        np.maximum.at(largest[0], at, data / columns[of])
        rows = powers_of_two(largest[0])
        np.maximum.at(largest[1], of, data / rows[at])
        columns = np.where(wide, powers_of_two(largest[1]), columns)
        scaled = replace(
            program, matrix=type(matrix)((matrix.data / rows[at] / columns[of], at, matrix.indptr), shape=matrix.shape),
            cost=program.cost / columns, lower=program.lower * columns, upper=program.upper * columns,
            row_lower=program.row_lower / rows, row_upper=program.row_upper / rows,
        )  # fmt: skip
        # columns sum to at most this: by rows sum x <= B, the first of every column, or by their own bounds
        ones, every = (np.bincount(some, minlength=rows.size) for some in (at[matrix.data == 1.0], at))
        sums = (ones == every) & np.isfinite(program.row_upper)
        entries = np.flatnonzero(sums[at] & ((columns == 1.0) & (program.lower >= 0.0))[of])
        held, first = np.unique(of[entries], return_index=True)
        reach = float(np.abs(program.row_upper[np.unique(at[entries[first]])]).sum())
        reach += float(np.delete(np.maximum(np.abs(scaled.lower), np.abs(scaled.upper)), held).sum())
        costs = np.abs(scaled.cost)
        unit = float(costs.max(initial=0.0))
        if value is not None:
            near = max(min(abs(value), float(costs.sum())), TOLERANCE * unit)
            unit = near * min(1e-3, 0.1 / max(reach, 1.0))
        unit = float(powers_of_two(unit))
        return cls(replace(scaled, cost=scaled.cost / unit), rows, columns, unit, reach)


def _of_bounds(program: Program, duals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Row duals (r,), zero where they point to a bound that is infinite, as HiGHS's may up to its tolerance."""
    bound = np.where((duals > 0) != program.maximise, program.row_lower, program.row_upper)
    return np.where(np.isfinite(bound), duals, 0.0)


def solve_linear(
    program: Program,
    options: Mapping[str, object] | None = None,
    deadline: Deadline | None = None,
    start: NDArray[np.float64] | None = None,
    value: float | None = None,
    gap: float | None = None,
    proved: bool = True,
) -> LinearAnswer:
    """HiGHS's answer to an explicit program, with its own options, until a deadline, and branch and bound from a point
    that begins as ``start``, to an absolute ``gap``. Scaled by a ``value`` near the optimum, where given; what
    tolerances amount to is off the bound. Unless ``proved`` is False, reasons why nothing is feasible are sought."""
    import highspy

    options = {} if options is None else options
    instance_of(program, "program", Program)
    instance_of(options, "options", Mapping, "pass HiGHS's own options by name")
    scaled = ScaledProgram.of(program, value)
    highs = scaled.program.to_highs(names=False, small_matrix_value=1e-12)  # the least that HiGHS takes
    narrow = 1e-7 if gap is None else max(gap / scaled.unit - TOLERANCE * scaled.reach, 0.5 * gap / scaled.unit)
    exact = {"mip_rel_gap": 0.0, "mip_abs_gap": narrow}
    for option, value_of in {**exact, **options}.items():
        try:
            highs.setOptionValue(option, value_of)
        except TypeError:
            raise InvalidInputError(
                f"options[{option!r}]={value_of!r} is not usable: pass a number or a text"
            ) from None
    # branch and bound prunes from the first node on by what is known
    if start is not None:
        highs.setSolution(start.size, np.arange(start.size, dtype=np.int32), start * scaled.columns[: start.size])
    if deadline is not None:
        instance_of(deadline, "deadline", Deadline)
    highs.HandleUserInterrupt = True
    # the limit is set last: writing the program took some of it
    began = perf_counter()
    if deadline is not None and deadline.left is not None:
        highs.setOptionValue("time_limit", deadline.left)
    run(highs)
    is_out = STATUSES.get(highs.getModelStatus().name) is Status.INFEASIBLE
    excluded, point = not is_out or (program.integral is None and multipliers_exclude(highs, scaled.program)), None
    if program.integral is not None and not excluded and proved:
        excluded, point = tree_excludes(scaled.program, Deadline(None) if deadline is None else deadline)
    elif not excluded and program.integral is None and options.get("solver") != "pdlp":
        highs.setOptionValue("presolve", "off")  # it can take a row for broken that is not
        run(highs)
        is_out = STATUSES.get(highs.getModelStatus().name) is Status.INFEASIBLE
        excluded = not is_out or multipliers_exclude(highs, scaled.program)
    # HiGHS also returns points and duals that are not feasible: those are dropped
    info, solution = highs.getInfo(), highs.getSolution()
    feasible = int(highspy.SolutionStatus.kSolutionStatusFeasible)
    steps = {"simplex": info.simplex_iteration_count, "ipm": info.ipm_iteration_count,
             "pdlp": info.pdlp_iteration_count, "mip": info.mip_node_count}  # fmt: skip
    duals = scaled.unit * np.array(solution.row_dual) / scaled.rows
    status = highs.getModelStatus().name
    if point is None and info.primal_solution_status == feasible:
        point = np.array(solution.col_value)
    return LinearAnswer(
        columns=None if point is None else point / scaled.columns,
        row_duals=_of_bounds(program, duals) if info.dual_solution_status == feasible else None,
        value=scaled.unit * float(info.objective_function_value),
        bound=scaled.unit * _bound(highs, scaled, status),
        status=status,
        began=began,
        steps={name: max(int(count), 0) for name, count in steps.items()},
        excluded=excluded,
    )


def _bound(highs: highspy.Highs, scaled: ScaledProgram, status: str) -> float:
    """HiGHS's bound on the optimum, less what gaps and tolerances may amount to."""
    info, sign = highs.getInfo(), -1.0 if scaled.program.maximise else 1.0
    gap, relative, tolerance = (
        highs.getOptionValue(name)[1] for name in ("mip_abs_gap", "mip_rel_gap", "dual_feasibility_tolerance")
    )
    bound, value = sign * float(info.mip_dual_bound), sign * float(info.objective_function_value)
    if scaled.program.integral is None:
        bound, gap, relative = -np.inf, 0.0, 0.0
    if status == "kOptimal":  # HiGHS may leave its bound behind where its tree is done
        bound = max(bound, value - max(gap, relative * abs(value)))
    return sign * (bound - tolerance * scaled.reach)
