"""Template of a backend: copy this file, rename the class, replace the call of the solver.

The assignment program of n points and k clusters, as `ScaledProgram` writes it in shares xi (n, k), least cost:

    minimise  sum_ji c_ji xi_ji   subject to   sum_i xi_ji = 1,   l_i <= sum_j w_j xi_ji <= u_i,   0 <= xi <= 1     (1)

Here `scipy.optimize.milp` solves the transport problem of (1) for points of equal weight.
"""

from __future__ import annotations

from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from partitope.base.status import Status
from partitope.models import AssignmentModel
from partitope.solvers import Backend
from partitope.solvers.backend import Capabilities
from partitope.solvers.backends.explicit import ScaledProgram, exchange_prices, package_version
from partitope.solvers.solution import AssignmentSolution

# One table maps the solver's own statuses; what is not in it is UNKNOWN, never optimal.
STATUSES = {0: Status.OPTIMAL, 1: Status.TIME_LIMIT, 2: Status.INFEASIBLE}


# A decorator, ``@BACKENDS.register("milp")``, adds the class when its module is imported. A package does without: its
# pyproject.toml says
#
#     [project.entry-points."partitope.backends"]
#     milp = "my_package.my_module:MilpBackend"
#
# Then ``solve(model, "milp")`` works, and so does ``backend="milp"`` of every strategy that has the parameter. A test
# file of three lines runs the whole suite:
#
#     from my_package.my_module import MilpBackend
#     from partitope.testing import backend_suite
#     TestMine = backend_suite(MilpBackend)
class MilpBackend(Backend):
    """SciPy's interface to the mixed-integer solver of HiGHS.

    Notes
    -----
    Exact: the vertices of (1) are whole, and so is the answer. It has no prices of its own: they are shortest paths
    on the exchange graph of the clustering found.
    """

    name: ClassVar[str] = "milp"
    # Declare honestly: what is declared is tested, what is not is refused before `solve` is called.
    capabilities: ClassVar[Capabilities] = Capabilities(weights=False)

    def solve(
        self, model: AssignmentModel, *, warm_start: NDArray | None = None, time_limit: float | None = None
    ) -> AssignmentSolution:
        """Solve a feasible model; see `Backend.solve`.

        Parameters
        ----------
        model, warm_start, time_limit
            As in `Backend.solve`; both options must be None.
        """
        from scipy.optimize import LinearConstraint, milp  # a solver's package is imported where it is used

        started = perf_counter()
        program = ScaledProgram.of(model)
        linear = program.two_sided
        rows = LinearConstraint(linear.matrix, linear.row_lower, linear.row_upper)
        built = perf_counter()
        result = milp(linear.cost, constraints=rows, integrality=1, bounds=(0, 1))
        # The solver's own word and version stay in the answer, whatever its status was mapped to.
        native = (result.message, package_version("scipy"))
        status = STATUSES.get(result.status, Status.UNKNOWN)
        if status is not Status.OPTIMAL:
            return program.solution(None, None, status, self.name, (started, built), 0, native=native)
        labels = result.x.reshape(program.shape).argmax(axis=1).astype(np.int64)
        prices = exchange_prices(model, labels, None)  # positive only at the upper bound, negative only at the lower
        return AssignmentSolution.of(model, labels, (), prices, status, self.name, (started, built), native=native)
