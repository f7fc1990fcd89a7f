"""SciPy: `linprog` on the explicit program."""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linprog

from ...base.deadline import Deadline
from ...base.interruptible import interruptible
from ...base.status import Status
from ...models.programs.assignment import AssignmentModel
from ..backend import Backend, Capabilities
from ..solution import AssignmentSolution
from .explicit import ScaledProgram, package_version

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

STATUSES = {0: Status.OPTIMAL, 1: Status.ITERATION_LIMIT, 2: Status.INFEASIBLE, 4: Status.NUMERICAL}
"""`linprog`'s status to ours; a number that is not here is UNKNOWN."""


class ScipyBackend(Backend):
    """SciPy's own interface to linear programming.

    Notes
    -----
    Exact: `linprog` with HiGHS on the sparse explicit program.
    """

    name: ClassVar[str] = "scipy"
    capabilities: ClassVar[Capabilities] = Capabilities(time_limit=True, masks=True, further_rows=True)

    def solve(
        self, model: AssignmentModel, *, warm_start: NDArray | None = None, time_limit: float | None = None
    ) -> AssignmentSolution:
        """Solve a feasible model; see `Backend.solve`."""
        started, deadline = perf_counter(), Deadline(time_limit)
        program = ScaledProgram.of(model)
        n, k = program.shape
        if not program.fits(lambda part: _linprog(part, 0.0), deadline):
            return program.out_of_time(self.name, started, package_version("scipy"))
        built = perf_counter()
        result = _linprog(program, deadline.left)
        status = STATUSES.get(result.status, Status.UNKNOWN)
        if status is Status.ITERATION_LIMIT and time_limit is not None:  # linprog has one code for both limits
            status = Status.TIME_LIMIT
        message = " ".join(str(result.message).split())
        native = (f"linprog {result.status}: {message}", package_version("scipy"))
        if status is not Status.OPTIMAL:
            steps = int(result.nit or 0)
            return program.solution(None, None, status, self.name, (started, built), steps, native=native)
        above, below = _sides(program)
        duals, marginals = np.zeros(above.size), result.ineqlin.marginals  # of <=: never positive
        duals[above] += marginals[: above.sum()]
        duals[below] -= marginals[above.sum() :]
        return program.solution(
            result.x.reshape(n, k), duals, status, self.name, (started, built), int(result.nit), native=native
        )


def _linprog(program: ScaledProgram, time_limit: float | None) -> OptimizeResult:
    """`scipy.optimize.linprog` on the sparse program."""
    n, written = program.shape[0], program.two_sided
    matrix = written.matrix.tocsr()
    equal, sizes = matrix[:n], matrix[n:]
    above, below = _sides(program)
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    if time_limit is not None:
        options["time_limit"] = time_limit
    return interruptible(partial(
        linprog,
        program.cost.ravel(),
        A_ub=sp.vstack([sizes[above], -sizes[below]]),
        b_ub=np.concatenate([written.row_upper[n:][above], -written.row_lower[n:][below]]),
        A_eq=equal,
        b_eq=np.ones(n),
        bounds=(0.0, 1.0) if program.allowed is None else np.column_stack([written.lower, written.upper]),
        method="highs-ds",
        options=options,
    ))  # fmt: skip


def _sides(program: ScaledProgram) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows on clusters (k + q,) have an upper bound, and which a lower one."""
    low = np.concatenate([program.lower, *(rows.lower for rows in program.further)])
    up = np.concatenate([program.upper, *(rows.upper for rows in program.further)])
    return np.isfinite(up), np.isfinite(low)
