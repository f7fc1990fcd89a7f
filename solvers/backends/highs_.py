"""HiGHS through highspy: the explicit program handed over as arrays, solved by simplex, interior point or PDLP."""

from __future__ import annotations

from time import perf_counter
from typing import ClassVar, Literal

from numpy.typing import NDArray

from ...base.checks import one_of, whole_number
from ...base.deadline import Deadline
from ...base.status import Status
from ...models.programs.assignment import AssignmentModel
from ..backend import Backend, Capabilities
from ..linear_program import solve_linear
from ..solution import AssignmentSolution
from .explicit import ScaledProgram, package_version

Method = Literal["simplex", "ipm", "pdlp"]

OPTIONS: dict[str, dict[str, object]] = {
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
    Memory and building time are O(n k); for solving thousands of points use ``transport``.

    References
    ----------
    Huangfu and Hall (2018), Parallelizing the dual revised simplex method, Math. Prog. Comp. 10.
    """

    name: ClassVar[str] = "highs"
    method: ClassVar[Method] = "simplex"
    capabilities: ClassVar[Capabilities] = Capabilities(time_limit=True, mip=True, masks=True, further_rows=True)

    def solve(
        self,
        model: AssignmentModel,
        *,
        warm_start: NDArray | None = None,
        time_limit: float | None = None,
        method: Method | None = None,
        threads: int | None = None,
    ) -> AssignmentSolution:
        """Solve a feasible model; see `Backend.solve`.

        Parameters
        ----------
        model, warm_start, time_limit
            As in `Backend.solve`; ``warm_start`` must be None.
        method : {"simplex", "ipm"}, optional
            Algorithm of ``highs``; the entries ``highs-ipm`` and ``highs-pdlp`` fix it.
        threads : int, optional
            Threads HiGHS may use; its own default when not given.
        """
        started, deadline = perf_counter(), Deadline(time_limit)
        if method is not None:
            one_of(method, "method", ("simplex", "ipm") if self.name == "highs" else (self.method,))
        chosen = method or self.method
        options = {"solver": chosen, **OPTIONS[chosen]}
        if threads is not None:
            options["threads"] = whole_number(threads, "threads", 0)
        program = ScaledProgram.of(model)
        if not program.fits(lambda part: solve_linear(part.two_sided, options, Deadline(0.0)), deadline):
            return program.out_of_time(self.name, started, package_version("highspy"))
        linear, counted = program.two_sided, str(chosen)
        answer = solve_linear(linear, options, deadline)
        if answer.outcome is Status.NUMERICAL and chosen == "pdlp":  # it takes programs for infeasible that are not
            answer = solve_linear(linear, options | {"presolve": "on"}, deadline)
        shares, duals = answer.columns, answer.row_duals
        if answer.outcome not in (Status.OPTIMAL, Status.TIME_LIMIT, Status.ITERATION_LIMIT, Status.UNKNOWN):
            shares = duals = None
        if shares is not None:
            shares = shares.reshape(program.shape)
        return program.solution(
            shares,
            None if duals is None else duals[program.shape[0] :],
            answer.outcome,
            self.name,
            (started, answer.began),
            answer.steps[counted],
            exact=self.capabilities.exact,
            native=(answer.status, package_version("highspy")),
        )


class HighsIpmBackend(HighsBackend):
    """HiGHS's interior-point method with crossover to a vertex; exact. See `HighsBackend`."""

    name: ClassVar[str] = "highs-ipm"
    method: ClassVar[Method] = "ipm"
    capabilities: ClassVar[Capabilities] = Capabilities(time_limit=True, masks=True, further_rows=True)


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
