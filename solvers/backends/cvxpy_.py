"""cvxpy: the explicit program as one vectorised problem, for the free solvers that cvxpy brings."""

from __future__ import annotations

import warnings
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.interruptible import interruptible
from ...base.status import Status
from ..backend import Capabilities
from .explicit import ExplicitBackend, Found, ScaledProgram

STATUSES = {
    "optimal": Status.OPTIMAL,
    "infeasible": Status.INFEASIBLE,
    "unbounded_or_infeasible": Status.INFEASIBLE,
    "user_limit": Status.TIME_LIMIT,
    "iteration_limit": Status.ITERATION_LIMIT,
    "solver_error": Status.NUMERICAL,
}
"""cvxpy's status to ours; one that is not here is UNKNOWN."""

OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class CvxpyBackend(ExplicitBackend):
    """cvxpy with HiGHS.

    Notes
    -----
    Exact: HiGHS's simplex method ends at a vertex. What other solvers of cvxpy find for `AssignmentModel.to_cvxpy` is
    read back by `partitope.solvers.read_back`. cvxpy's canonicalisation counts as building. It cannot be interrupted:
    under a time limit it is tried on a small part first, and not begun where it would take too long.

    References
    ----------
    Diamond and Boyd (2016), CVXPY, JMLR 17.
    """

    name: ClassVar[str] = "cvxpy"
    packages: ClassVar[tuple[str, ...]] = ("cvxpy", "highspy")
    capabilities: ClassVar[Capabilities] = Capabilities(time_limit=True, masks=True, further_rows=True)

    def _run(self, program: ScaledProgram, deadline: Deadline) -> Found:
        problem, options = program.bounded.to_cvxpy(), dict(OPTIONS)
        data, chain, inverse = problem.get_problem_data("HIGHS", solver_opts=options)
        built = perf_counter()
        if deadline.left is not None:
            options["time_limit"] = max(deadline.left, 1e-9)
        with warnings.catch_warnings():  # an inaccurate answer shows in the status and in the certificate
            warnings.simplefilter("ignore")
            try:
                raw = interruptible(lambda: chain.solver.solve_via_data(data, False, False, options, {}))
                problem.unpack_results(raw, chain, inverse)
                native = said = str(problem.status)
            except Exception as error:  # SolverError on an early stop, ValueError for a status without a solution
                if type(error).__name__ not in ("SolverError", "ValueError"):
                    raise
                said = " ".join(f"{type(error).__name__}: {error}".split())
                native = "solver_error" if deadline.seconds is None else "user_limit"
        if native == "optimal_inaccurate":  # stopped early: only the clock tells by which limit
            native = "iteration_limit" if deadline.allows() else "user_limit"
        return Found(*_found(program, problem), STATUSES.get(native, Status.UNKNOWN), said, built)


def _found(program: ScaledProgram, problem: Any) -> tuple[NDArray | None, NDArray | None]:
    """xi (n, k) and the duals (k + q,) of sizes and side constraints; None for what the problem does not have."""
    value, shares, duals = problem.variables()[0].value, None, None
    if value is not None:
        shares = np.clip(np.asarray(value, dtype=float), 0.0, 1.0)
        shares = shares if np.abs(shares.sum(axis=1) - 1.0).max() < 1e-3 else None
    rows = {row.label: row for row in problem.constraints}
    if all(row.dual_value is not None for row in rows.values()):

        def duals_of(block: str) -> NDArray:
            return (1.0 if block.endswith("_lower") else -1.0) * np.asarray(rows[block].dual_value, float)

        duals = np.concatenate(program.row_duals(duals_of))
    return shares, duals
