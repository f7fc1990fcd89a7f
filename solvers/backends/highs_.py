"""HiGHS through highspy: the explicit program handed over as arrays, solved by simplex or interior point."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from ...base.checks import whole_number
from ...base.deadline import Deadline
from ...base.status import Status
from ..backend import Capabilities
from ..linear_program import solve_linear
from .explicit import ExplicitBackend, Found, ScaledProgram

Method = Literal["simplex", "ipm"]

OPTIONS: dict[str, dict[str, Any]] = {
    "simplex": {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    "ipm": {
        "primal_feasibility_tolerance": 1e-10,
        "dual_feasibility_tolerance": 1e-10,
        "ipm_optimality_tolerance": 1e-10,
        "run_crossover": "on",
    },
}


class HighsBackend(ExplicitBackend):
    """HiGHS on the explicit program with n k variables.

    Notes
    -----
    Exact: the dual simplex method, and the interior-point method with crossover, end at a vertex. Scaled
    scores and tolerances of 1e-10 make the objective good to 1e-9. The upper bound 1 of every variable is
    written out: implied or not, it lets HiGHS flip bounds, which is several times faster here.
    Memory and building time are O(n k); for solving thousands of points use ``transport``. ``threads=`` limits HiGHS's
    threads.

    References
    ----------
    Huangfu and Hall (2018), Parallelizing the dual revised simplex method, Math. Prog. Comp. 10.
    """

    name: ClassVar[str] = "highs"
    packages: ClassVar[tuple[str, ...]] = ("highspy",)
    method: ClassVar[Method] = "simplex"
    capabilities: ClassVar[Capabilities] = Capabilities(time_limit=True, mip=True, masks=True, further_rows=True)

    def _run(self, program: ScaledProgram, deadline: Deadline, threads: int | None = None) -> Found:
        """HiGHS's answer, with at most this many threads, or as many as it likes."""
        options = {"solver": self.method, **OPTIONS[self.method]}
        if threads is not None:
            options["threads"] = whole_number(threads, "threads", 0)
        answer = solve_linear(program.two_sided, options, deadline)
        shares, duals = answer.columns, answer.row_duals
        if answer.outcome not in (Status.OPTIMAL, Status.TIME_LIMIT, Status.ITERATION_LIMIT, Status.UNKNOWN):
            shares = duals = None
        return Found(
            None if shares is None else shares.reshape(program.shape),
            None if duals is None else duals[program.shape[0] :],
            answer.outcome, answer.status, answer.began, answer.steps[self.method],
        )  # fmt: skip


class HighsIpmBackend(HighsBackend):
    """HiGHS's interior-point method with crossover to a vertex; exact. See `HighsBackend`."""

    name: ClassVar[str] = "highs-ipm"
    method: ClassVar[Method] = "ipm"
    capabilities: ClassVar[Capabilities] = Capabilities(time_limit=True, masks=True, further_rows=True)
