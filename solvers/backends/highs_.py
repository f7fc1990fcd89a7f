"""HiGHS on the explicit linear program, handed over as arrays in one call."""

from __future__ import annotations

from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...models.assignment import AssignmentModel
from ...models.errors import InvalidInputError
from ...models.status import Status
from ..solution import AssignmentSolution
from ._explicit import ScaledProgram
from .base import Backend, Capabilities

TOLERANCE = 1e-10  # HiGHS's smallest; the scores handed over are of modulus at most 1
METHODS = ("simplex", "ipm")


class HighsBackend(Backend):
    """HiGHS's dual simplex, or its interior-point method followed by crossover to a vertex.

    Notes
    -----
    Exact up to HiGHS's feasibility tolerance of 1e-10 on scaled scores. O(n k) memory. The redundant bound
    xi <= 1 is written out because the simplex is far faster with it.

    References
    ----------
    Huangfu and Hall, Math. Prog. Comp. 10 (2018).
    """

    name: ClassVar[str] = "highs"
    capabilities: ClassVar[Capabilities] = Capabilities(exact=True, duals=True, time_limit=True, weights=True)

    def solve(
        self,
        model: AssignmentModel,
        *,
        warm_start: NDArray | None = None,
        time_limit: float | None = None,
        method: str = "simplex",
        **options: Any,
    ) -> AssignmentSolution:
        """Solve a feasible model; see `Backend.solve`.

        Parameters
        ----------
        model : AssignmentModel
            The linear program.
        warm_start : None
            Not used.
        time_limit : float, optional
            Seconds.
        method : {"simplex", "ipm"}
            HiGHS's algorithm.
        **options
            Further HiGHS options by name.

        Returns
        -------
        AssignmentSolution

        Raises
        ------
        InvalidInputError
            When the method or an option is unknown to HiGHS.
        """
        import highspy

        if method not in METHODS:
            raise InvalidInputError(f"method={method!r} is not known: choose one of {', '.join(METHODS)}")
        started = perf_counter()
        program = ScaledProgram.of(model)
        highs = highspy.Highs()
        chosen: dict[str, Any] = {
            "output_flag": False,
            "solver": method,
            "threads": 1,  # the answer must not depend on the machine
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        }
        if time_limit is not None:
            chosen["time_limit"] = float(time_limit)
        for key, value in (chosen | options).items():
            if highs.setOptionValue(key, value) != highspy.HighsStatus.kOk:
                raise InvalidInputError(f"{key}={value!r} is not an option of HiGHS: see its list of options")
        highs.passModel(explicit_lp(program))
        built = perf_counter()
        highs.run()
        status = _status(highspy, highs.getModelStatus())
        shares = prices = None
        solution = highs.getSolution()
        n, k = program.scores.shape
        if status is Status.OPTIMAL and solution.value_valid:
            shares = np.array(solution.col_value).reshape(n, k)
            prices = -np.array(solution.row_dual)[n:]
        return program.solution(
            shares,
            prices,
            status=status,
            backend=self.name,
            started=started,
            built=built,
            iterations=int(highs.getInfo().simplex_iteration_count),
        )


def explicit_lp(program: ScaledProgram) -> Any:
    """The program (1)-(3) of `partitope.models.polytope` as a HighsLp that minimises minus the scores."""
    import highspy

    matrix, row_lower, row_upper = program.model.polytope.constraints()
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = matrix.shape
    lp.col_cost_ = -program.scores.ravel()
    lp.col_lower_, lp.col_upper_ = np.zeros(lp.num_col_), np.ones(lp.num_col_)
    lp.row_lower_, lp.row_upper_ = row_lower, row_upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = matrix.indptr.astype(np.int32)
    lp.a_matrix_.index_ = matrix.indices.astype(np.int32)
    lp.a_matrix_.value_ = matrix.data
    return lp


def _status(highspy: Any, native: Any) -> Status:
    table = {
        highspy.HighsModelStatus.kOptimal: Status.OPTIMAL,
        highspy.HighsModelStatus.kInfeasible: Status.INFEASIBLE,
        highspy.HighsModelStatus.kTimeLimit: Status.TIME_LIMIT,
        highspy.HighsModelStatus.kIterationLimit: Status.ITERATION_LIMIT,
        highspy.HighsModelStatus.kInterrupt: Status.INTERRUPTED,
        highspy.HighsModelStatus.kSolveError: Status.NUMERICAL,
    }
    return table.get(native, Status.UNKNOWN)
