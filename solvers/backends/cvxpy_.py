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
from ...models.programs.assignment import AssignmentModel
from ..backend import Backend, Capabilities
from ..solution import AssignmentSolution
from .explicit import ScaledProgram, package_version

STATUSES = {
    "optimal": Status.OPTIMAL,
    "infeasible": Status.INFEASIBLE,
    "unbounded_or_infeasible": Status.INFEASIBLE,
    "user_limit": Status.TIME_LIMIT,
    "iteration_limit": Status.ITERATION_LIMIT,
    "solver_error": Status.NUMERICAL,
}
"""cvxpy's status to ours; one that is not here is UNKNOWN."""

OPTIONS: dict[str, dict[str, object]] = {
    "HIGHS": {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    "CLARABEL": {"tol_gap_abs": 1e-9, "tol_gap_rel": 1e-9, "tol_feas": 1e-9},
    "SCS": {"eps_abs": 1e-7, "eps_rel": 1e-7, "max_iters": 100_000},
}
PACKAGES = {"HIGHS": "highspy", "CLARABEL": "clarabel", "SCS": "scs"}
TIME_LIMIT = {"HIGHS": "time_limit", "CLARABEL": "time_limit", "SCS": "time_limit_secs"}


class CvxpyBackend(Backend):
    """cvxpy with HiGHS; ``cvxpy-clarabel`` and ``cvxpy-scs`` are entries of their own.

    Notes
    -----
    Exact with HiGHS, whose simplex method ends at a vertex. Clarabel (interior point) and SCS (operator splitting)
    stop at a tolerance; their entries ``cvxpy-clarabel`` and ``cvxpy-scs`` declare the accuracy that is kept after
    rounding to a clustering, and refuse weights, since a split point cannot be told from rounding.
    cvxpy's canonicalisation counts as building. It cannot be interrupted: under a time limit it is tried on a small
    part first, and not begun where it would take too long.

    References
    ----------
    Diamond and Boyd (2016), CVXPY, JMLR 17; Goulart and Chen (2024), Clarabel; O'Donoghue et al. (2016), JOTA 169.
    """

    name: ClassVar[str] = "cvxpy"
    solver: ClassVar[str] = "HIGHS"
    capabilities: ClassVar[Capabilities] = Capabilities(time_limit=True, masks=True, further_rows=True)

    def solve(
        self, model: AssignmentModel, *, warm_start: NDArray | None = None, time_limit: float | None = None
    ) -> AssignmentSolution:
        """Solve a feasible model; see `Backend.solve`.

        Parameters
        ----------
        model, warm_start, time_limit
            As in `Backend.solve`; ``warm_start`` must be None.
        """
        started, deadline = perf_counter(), Deadline(time_limit)
        program = ScaledProgram.of(model)
        versions = f"{package_version('cvxpy')}, {package_version(PACKAGES[self.solver])}"
        if not program.fits(lambda part: self._run(part, Deadline(0.0)), deadline):
            return program.out_of_time(self.name, started, versions)
        problem, native, said, built = self._run(program, deadline)
        assign = problem.variables()[0]
        if native == "optimal_inaccurate":  # stopped early: only the clock tells by which limit
            out_of_time = not deadline.allows()
            native = "user_limit" if out_of_time else "iteration_limit"
        status = STATUSES.get(native, Status.UNKNOWN)
        shares = None if assign.value is None else np.clip(np.asarray(assign.value, dtype=float), 0.0, 1.0)
        usable = shares is not None and bool(np.abs(shares.sum(axis=1) - 1.0).max() < 1e-3)
        rows, duals = {row.label: row for row in problem.constraints}, None
        if all(row.dual_value is not None for row in problem.constraints):

            def duals_of(block: str) -> NDArray:
                return (1.0 if block.endswith("_lower") else -1.0) * np.asarray(rows[block].dual_value, float)

            duals = np.concatenate(program.row_duals(duals_of))
        return program.solution(
            shares if usable else None,
            duals,
            status,
            self.name,
            (started, built),
            exact=self.capabilities.exact,
            native=(said, versions),
        )

    def _run(self, program: ScaledProgram, deadline: Deadline) -> tuple[Any, str, str, float]:
        """Solve it: the cvxpy problem, its status, the solver's own message, and the time at which it was built."""
        problem, options = program.bounded.to_cvxpy(), dict(OPTIONS[self.solver])
        data, chain, inverse = problem.get_problem_data(self.solver, solver_opts=options)
        built = perf_counter()
        if deadline.left is not None:
            options[TIME_LIMIT[self.solver]] = max(deadline.left, 1e-9)
        with warnings.catch_warnings():  # an inaccurate answer shows in the status and in the certificate
            warnings.simplefilter("ignore")
            try:
                raw = interruptible(lambda: chain.solver.solve_via_data(data, False, False, options, {}))
                problem.unpack_results(raw, chain, inverse)
                return problem, str(problem.status), str(problem.status), built
            except Exception as error:  # SolverError on an early stop, ValueError for a status without a solution
                if type(error).__name__ not in ("SolverError", "ValueError"):
                    raise
                said = " ".join(f"{type(error).__name__}: {error}".split())
                return problem, "solver_error" if deadline.seconds is None else "user_limit", said, built


class CvxpyClarabelBackend(CvxpyBackend):
    """cvxpy with Clarabel's interior-point method, rounded to a clustering. See `CvxpyBackend`."""

    name: ClassVar[str] = "cvxpy-clarabel"
    solver: ClassVar[str] = "CLARABEL"
    capabilities: ClassVar[Capabilities] = Capabilities(exact=False, accuracy=1e-6, time_limit=True, weights=False)


class CvxpyScsBackend(CvxpyBackend):
    """cvxpy with SCS, an operator-splitting method, rounded to a clustering. See `CvxpyBackend`."""

    name: ClassVar[str] = "cvxpy-scs"
    solver: ClassVar[str] = "SCS"
    capabilities: ClassVar[Capabilities] = Capabilities(exact=False, accuracy=1e-4, time_limit=True, weights=False)
