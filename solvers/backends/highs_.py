"""HiGHS through highspy: the explicit program handed over as arrays, solved by simplex, interior point or PDLP."""

from __future__ import annotations

from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import InvalidInputError
from ...base.status import Status
from ...models.assignment import AssignmentModel
from ..backend import Backend, Capabilities
from ..solution import AssignmentSolution
from .crash_basis import crash_basis
from .explicit import ScaledProgram, package_version

Method = Literal["simplex", "ipm", "pdlp"]

STATUSES = {
    "kOptimal": Status.OPTIMAL,
    "kInfeasible": Status.INFEASIBLE,
    "kUnboundedOrInfeasible": Status.INFEASIBLE,
    "kTimeLimit": Status.TIME_LIMIT,
    "kIterationLimit": Status.ITERATION_LIMIT,
    "kInterrupt": Status.INTERRUPTED,
    "kHighsInterrupt": Status.INTERRUPTED,
    "kSolveError": Status.NUMERICAL,
    "kPostsolveError": Status.NUMERICAL,
    "kPresolveError": Status.NUMERICAL,
}
"""Native status to ours; a name that is not here is UNKNOWN."""

OPTIONS: dict[str, dict[str, Any]] = {
    "simplex": {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    "ipm": {
        "primal_feasibility_tolerance": 1e-10,
        "dual_feasibility_tolerance": 1e-10,
        "ipm_optimality_tolerance": 1e-10,
        "run_crossover": "on",
    },
    # presolve off: without a basis its postsolve returns duals that are not feasible
    "pdlp": {"pdlp_optimality_tolerance": 1e-7, "presolve": "off"},
}


class HighsBackend(Backend):
    """HiGHS on the explicit program with n k variables.

    Notes
    -----
    Exact: the dual simplex method, and the interior-point method with crossover, end at a vertex. Scaled
    scores and tolerances of 1e-10 make the objective good to 1e-9. The upper bound 1 of every variable is
    written out: implied or not, it lets HiGHS flip bounds, which is several times faster here.
    A warm start builds a simplex basis in which the given prices are (nearly) the duals.
    Memory and building time are O(n k); for solving thousands of points use ``transport``.

    References
    ----------
    Huangfu and Hall (2018), Parallelizing the dual revised simplex method, Math. Prog. Comp. 10.
    """

    name: ClassVar[str] = "highs"
    method: ClassVar[Method] = "simplex"
    capabilities: ClassVar[Capabilities] = Capabilities(warm_start=True, time_limit=True, mip=True, further=True)

    def solve(
        self,
        model: AssignmentModel,
        *,
        warm_start: NDArray | None = None,
        time_limit: float | None = None,
        method: Method | None = None,
        threads: int | None = None,
        integer: bool = False,
    ) -> AssignmentSolution:
        """Solve a feasible model; see `Backend.solve`.

        Parameters
        ----------
        model, warm_start, time_limit
            As in `Backend.solve`.
        method : {"simplex", "ipm"}, optional
            Algorithm of ``highs``; the entries ``highs-ipm`` and ``highs-pdlp`` fix it.
        threads : int, optional
            Threads HiGHS may use; its own default when not given.
        integer : bool
            Demand whole points by branch and bound; the answer then has no prices.
        """
        started, deadline = perf_counter(), Deadline(time_limit)
        chosen = self._method(method)
        program = ScaledProgram.of(model)
        if not program.fits(lambda part: run(load(part, chosen, threads), Deadline(0.0)), deadline):
            return program.out_of_time(self.name, started, package_version("highspy"))
        highs = load(program, chosen, threads)
        if integer:
            return self._whole(program, highs, started, deadline)
        if warm_start is not None and not program.further:
            highs.setBasis(crash_basis(program, warm_start))
        built = perf_counter()
        run(highs, deadline)
        shares, duals, status = answer(highs, program.shape)
        if status is Status.INFEASIBLE and chosen == "pdlp":  # never true here, the bounds were checked: try again
            highs.setOptionValue("presolve", "on")
            run(highs, deadline)
            shares, duals, status = answer(highs, program.shape)
        steps = highs.getInfo()
        count = {"simplex": steps.simplex_iteration_count, "ipm": steps.ipm_iteration_count}.get(
            chosen, steps.pdlp_iteration_count
        )
        exact = self.capabilities.exact
        return program.solution(
            shares, duals, status, self.name, (started, built), max(int(count), 0), exact=exact, native=native(highs)
        )

    def _whole(self, program: ScaledProgram, highs: Any, started: float, deadline: Deadline) -> AssignmentSolution:
        """The best assignment without split points, proved to 1e-9 by branch and bound."""
        import highspy

        size = program.cost.size
        kinds = np.full(size, int(highspy.HighsVarType.kInteger), dtype=np.uint8)
        highs.changeColsIntegrality(size, np.arange(size, dtype=np.int32), kinds)
        for option in ("mip_rel_gap", "mip_abs_gap"):
            highs.setOptionValue(option, 1e-9)
        highs.setOptionValue("solver", "choose")
        built = perf_counter()
        run(highs, deadline)
        shares, _, status = answer(highs, program.shape)
        shares = None if shares is None else np.rint(shares)
        count = max(int(highs.getInfo().mip_node_count), 0)
        return program.solution(shares, None, status, self.name, (started, built), count, native=native(highs))

    def _method(self, method: Method | None) -> Method:
        allowed = ("simplex", "ipm") if self.name == "highs" else (self.method,)
        if method is not None and method not in allowed:
            raise InvalidInputError(
                f"method={method!r} is not known to backend {self.name!r}: choose {' or '.join(map(repr, allowed))}"
            )
        return method or self.method


class HighsIpmBackend(HighsBackend):
    """HiGHS's interior-point method with crossover to a vertex; exact. See `HighsBackend`."""

    name: ClassVar[str] = "highs-ipm"
    method: ClassVar[Method] = "ipm"
    capabilities: ClassVar[Capabilities] = Capabilities(time_limit=True, further=True)


class HighsPdlpBackend(HighsBackend):
    """HiGHS's first-order method PDLP, rounded to a clustering.

    Notes
    -----
    Not exact: the primal-dual hybrid gradient method stops at a relative tolerance, and its answer is rounded
    to the nearest clustering. The gap to its prices is at most the stated accuracy. Points without equal
    weight would have to stay fractional: they are refused.

    References
    ----------
    Applegate et al. (2021), Practical large-scale linear programming using PDHG, NeurIPS.
    """

    name: ClassVar[str] = "highs-pdlp"
    method: ClassVar[Method] = "pdlp"
    capabilities: ClassVar[Capabilities] = Capabilities(exact=False, accuracy=1e-4, time_limit=True, weights=False)


def load(program: ScaledProgram, method: Method = "simplex", threads: int | None = None) -> Any:
    """A `highspy.Highs` that holds the program, ready to run."""
    highs = program.linear_program.to_highs()
    options: dict[str, Any] = {"solver": method, **OPTIONS[method]}
    if threads is not None:
        options["threads"] = int(threads)
    for key, value in options.items():
        highs.setOptionValue(key, value)
    return highs


def native(highs: Any) -> tuple[str, str]:
    """HiGHS's own status and its version."""
    return highs.getModelStatus().name, package_version("highspy")


def run(highs: Any, deadline: Deadline) -> None:
    """Let HiGHS work for what is left of the time."""
    if deadline.left is not None:
        highs.setOptionValue("time_limit", float(highs.getRunTime()) + deadline.left)
    highs.run()


def answer(highs: Any, shape: tuple[int, int]) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None, Status]:
    """Shares (n, k) and duals (k,) of the size rows, None where HiGHS has none, and the status."""
    n, k = shape
    status = STATUSES.get(highs.getModelStatus().name, Status.UNKNOWN)
    if status not in (Status.OPTIMAL, Status.TIME_LIMIT, Status.ITERATION_LIMIT, Status.UNKNOWN):
        return None, None, status
    solution, info = highs.getSolution(), highs.getInfo()
    feasible = info.primal_solution_status == 2 and solution.value_valid
    shares = np.array(solution.col_value).reshape(n, k) if feasible else None
    duals = np.array(solution.row_dual)[n:] if solution.dual_valid and info.dual_solution_status == 2 else None
    return shares, duals, status
