"""SciPy: `linprog` on the explicit linear program."""

from __future__ import annotations

from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...models.assignment import AssignmentModel
from ...models.status import Status
from ..solution import AssignmentSolution
from ._explicit import ScaledProgram
from .base import Backend, Capabilities

TOLERANCE = 1e-10
_STATUS = {0: Status.OPTIMAL, 1: Status.ITERATION_LIMIT, 2: Status.INFEASIBLE, 4: Status.NUMERICAL}


class ScipyBackend(Backend):
    """scipy.optimize.linprog with HiGHS's dual simplex.

    Notes
    -----
    Exact up to a feasibility tolerance of 1e-10 on scaled scores. O(n k) memory.

    References
    ----------
    Virtanen et al., Nature Methods 17 (2020).
    """

    name: ClassVar[str] = "scipy"
    capabilities: ClassVar[Capabilities] = Capabilities(exact=True, duals=True, time_limit=True, weights=True)

    def solve(
        self, model: AssignmentModel, *, warm_start: NDArray | None = None, time_limit: float | None = None
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

        Returns
        -------
        AssignmentSolution
        """
        from scipy.optimize import linprog

        started = perf_counter()
        program = ScaledProgram.of(model)
        n, k = program.scores.shape
        matrix, low, up = model.polytope.constraints()
        sizes = matrix[n:]
        limits = {} if time_limit is None else {"time_limit": float(time_limit)}
        built = perf_counter()
        result = linprog(
            -program.scores.ravel(),
            A_eq=matrix[:n],
            b_eq=low[:n],
            A_ub=_stack(sizes, -sizes),
            b_ub=np.concatenate([up[n:], -low[n:]]),
            bounds=(0.0, 1.0),
            method="highs-ds",
            options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE, **limits},
        )
        status = _STATUS.get(result.status, Status.UNKNOWN)
        if status is Status.ITERATION_LIMIT and time_limit is not None:
            status = Status.TIME_LIMIT
        shares = prices = None
        if status is Status.OPTIMAL:
            shares = result.x.reshape(n, k)
            duals = result.ineqlin.marginals
            prices = duals[k:] - duals[:k]
        return program.solution(
            shares,
            prices,
            status=status,
            backend=self.name,
            started=started,
            built=built,
            iterations=int(result.nit),
        )


def _stack(upper_rows, lower_rows):  # type: ignore[no-untyped-def]
    import scipy.sparse as sp

    return sp.vstack([upper_rows, lower_rows], format="csr")
