"""One backend asked once: refuse what it does not take, and repair, or no longer believe, what is not proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...base.checks import finite_vector, instance_of
from ...base.deadline import Deadline
from ...base.record import Record
from ...base.status import Status
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.programs.program import TOLERANCES
from ...models.scores.losses import HUGE
from ...models.scores.scores import LinearScores
from ..backend import Backend
from ..backends import BACKENDS
from ..backends.explicit import ScaledProgram
from ..linear_program import solve_linear
from ..solution import AssignmentSolution
from .reduction import proved_or_reduced


def by_backend(
    model: AssignmentModel, backend: str, warm_start: ArrayLike | Mapping[str, ArrayLike] | None, deadline: Deadline,
    options: Record,
) -> AssignmentSolution:  # fmt: skip
    """The answer of a named backend to a whole program, with arguments of `solve` that may be wrong."""
    polytope = model.polytope
    solver: Backend = BACKENDS[backend]()
    polytope.check()
    # refused by name before anything is written for a backend
    asked = {
        "further_rows": bool(polytope.further),
        "masks": polytope.allowed is not None,
        "weights": polytope.weights is not None,
        "time_limit": deadline.seconds is not None,
        "warm_start": warm_start is not None,
        "mip": polytope.is_discrete,
    }
    BACKENDS.refuse_undeclared(backend, solver.capabilities, asked)
    # prices are checked here once, so that no backend meets a name or a number that it cannot use
    prices: Any = warm_start
    if isinstance(warm_start, Mapping) and solver.capabilities.further_rows:
        prices = dict(warm_start)
        sizes = {rows.name: len(rows) for rows in polytope.all_rows}
        for name in sizes.keys() & prices.keys():
            finite_vector(prices[name], f"warm_start[{name!r}]", sizes[name], "row")
    elif warm_start is not None:
        prices = finite_vector(prices, "warm_start", polytope.n_clusters, "cluster")
    found = solver.solve(model, warm_start=prices, time_limit=deadline.seconds, **options)
    if found.status is Status.INFEASIBLE and not polytope.is_discrete:  # a claim, which needs a reason
        answer = solve_linear(ScaledProgram.of(model).two_sided, TOLERANCES, deadline)
        found = found if answer.outcome is Status.INFEASIBLE else replace(found, status=Status.NUMERICAL)
    if backend == "transport" and (polytope.weights is None or not options.get("certify", True)):
        # its flow compares scores of single points; sums of weights alone are rounded
        return _decided(found) if options.get("certify", True) else found

    def again(smaller: AssignmentModel) -> AssignmentSolution:
        if not solver.capabilities.masks:
            smaller = smaller.without_mask()
        return solver.solve(smaller, time_limit=deadline.left, **options)

    return found if polytope.is_discrete else proved_or_reduced(found, again)


def _decided(found: AssignmentSolution) -> AssignmentSolution:
    """The solution; where sites are far from most others, which takes digits, it is optimal only when proved."""
    source = found.model.score_source
    sizes = np.abs(source.offsets) if isinstance(source, LinearScores) else np.ones(1)
    far = sizes.max() > HUGE * sizes.min()
    if not far or found.status is not Status.OPTIMAL or found.verify().verified:
        return found
    return replace(found, status=Status.NUMERICAL)


def chosen_backend(backend: str, polytope: PartitionPolytope) -> str:
    """The backend that is meant: the engine has another way with masks or side constraints, "boxstep"."""
    instance_of(backend, "backend", str, "pass a name in partitope.solvers.BACKENDS")
    if backend != "transport" or polytope.is_discrete:
        return backend
    return "transport" if polytope.is_plain else "boxstep"
