"""SciPy: `linprog` on the explicit program, `linear_sum_assignment` where every size is prescribed."""

from __future__ import annotations

from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment, linprog

from ...base.checks import one_of
from ...base.deadline import Deadline
from ...base.errors import InvalidInputError
from ...base.status import Status
from ...models.certificates.exchange import ExchangeGraph
from ...models.programs.assignment import AssignmentModel
from ..backend import Backend, Capabilities
from ..solution import AssignmentSolution
from .explicit import ScaledProgram, native_message, package_version

STATUSES = {
    0: Status.OPTIMAL,
    1: Status.ITERATION_LIMIT,
    2: Status.INFEASIBLE,
    4: Status.NUMERICAL,
}
"""`linprog`'s status to ours; a number that is not here is UNKNOWN."""

SQUARE_LIMIT = 600  # up to this many points the dense square assignment beats the linear program


class ScipyBackend(Backend):
    """SciPy's own interface to linear programming.

    Notes
    -----
    Exact. Where l = u, points have equal weight and are at most a few hundred, cluster i is written as u_i
    copies of a column and the Jonker-Volgenant method is used, O(n^3); the prices are then shortest paths on
    the exchange graph. Otherwise `linprog` with HiGHS on the sparse explicit program.

    References
    ----------
    Crouse (2016), On implementing 2D rectangular assignment algorithms, IEEE Trans. Aerosp. Electron. Syst. 52.
    """

    name: ClassVar[str] = "scipy"
    capabilities: ClassVar[Capabilities] = Capabilities(time_limit=True, masks=True, further_rows=True)

    def solve(
        self,
        model: AssignmentModel,
        *,
        warm_start: NDArray | None = None,
        time_limit: float | None = None,
        method: Literal["auto", "linprog", "linear_sum_assignment"] = "auto",
    ) -> AssignmentSolution:
        """Solve a feasible model; see `Backend.solve`.

        Parameters
        ----------
        model, warm_start, time_limit
            As in `Backend.solve`; ``warm_start`` must be None.
        method : {"auto", "linprog", "linear_sum_assignment"}
            The last one needs l = u, no weights, and has no time limit.

        Raises
        ------
        InvalidInputError
            When the method is not known or does not fit the model.
        """
        polytope = model.polytope
        fixed = (
            polytope.weights is None
            and not polytope.further
            and bool((polytope.lower == polytope.upper).all())
            and time_limit is None
        )
        one_of(method, "method", ("auto", "linprog", "linear_sum_assignment"))
        if method == "linear_sum_assignment" and not fixed:
            raise InvalidInputError(
                "method='linear_sum_assignment' needs lower == upper, no weights and no time limit: use 'linprog'"
            )
        small = polytope.is_plain and polytope.n_points <= SQUARE_LIMIT
        if method == "linear_sum_assignment" or (method == "auto" and fixed and small):
            return self._by_square_assignment(model)
        return self._by_linprog(model, time_limit)

    def _by_square_assignment(self, model: AssignmentModel) -> AssignmentSolution:
        started = perf_counter()
        program = ScaledProgram.of(model)
        copies = np.repeat(np.arange(model.polytope.n_clusters), model.polytope.upper.astype(int))
        square = program.cost if program.allowed is None else np.where(program.allowed, program.cost, np.inf)
        square, version, built = square[:, copies], package_version("scipy"), perf_counter()
        try:
            _, columns = linear_sum_assignment(square)
        except ValueError as error:  # the mask leaves no assignment
            return program.solution(
                None, None, Status.INFEASIBLE, self.name, (started, built), native=(str(error), version)
            )
        labels = copies[columns]
        prices = ExchangeGraph.of(model, labels).prices()
        native = ("linear_sum_assignment returned", version)
        return AssignmentSolution.of(
            model, labels, (), prices, Status.OPTIMAL, self.name, (started, built), native=native
        )

    def _by_linprog(self, model: AssignmentModel, time_limit: float | None) -> AssignmentSolution:
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
        native = (native_message("linprog", result), package_version("scipy"))
        if status is not Status.OPTIMAL:
            steps = int(result.nit or 0)
            return program.solution(None, None, status, self.name, (started, built), steps, native=native)
        above, below = _sides(program)
        duals, marginals = np.zeros(above.size), result.ineqlin.marginals  # of <=: never positive
        duals[above] += marginals[: above.sum()]
        duals[below] -= marginals[above.sum() :]
        return program.solution(
            result.x.reshape(n, k),
            duals,
            status,
            self.name,
            (started, built),
            int(result.nit),
            native=native,
        )


def _linprog(program: ScaledProgram, time_limit: float | None) -> Any:
    """`scipy.optimize.linprog` on the sparse program."""
    n, written = program.shape[0], program.linear_program
    matrix = written.matrix.tocsr()
    equal, sizes = matrix[:n], matrix[n:]
    above, below = _sides(program)
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    if time_limit is not None:
        options["time_limit"] = time_limit
    return linprog(
        program.cost.ravel(),
        A_ub=sp.vstack([sizes[above], -sizes[below]]),
        b_ub=np.concatenate([written.row_upper[n:][above], -written.row_lower[n:][below]]),
        A_eq=equal,
        b_eq=np.ones(n),
        bounds=(0.0, 1.0) if program.allowed is None else np.column_stack([written.lower, written.upper]),
        method="highs-ds",
        options=options,
    )


def _sides(program: ScaledProgram) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows on clusters (k + q,) have an upper bound, and which a lower one."""
    low = np.concatenate([program.lower, *(rows.lower for rows in program.further)])
    up = np.concatenate([program.upper, *(rows.upper for rows in program.further)])
    return np.isfinite(up), np.isfinite(low)
