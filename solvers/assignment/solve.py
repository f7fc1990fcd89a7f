"""The one door to every backend: check, refuse what does not fit, solve."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import check_weight, checked_labels, instance_of
from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, NotOptimalError
from ...base.record import Record
from ...base.status import Status
from ...models.polytope.links import ContradictoryLinksError
from ...models.programs.assignment import AssignmentModel
from ..solution import AssignmentSolution
from .by_backend import by_backend, chosen_backend
from .statements_in_conflict import statements_in_conflict
from .whole import solve_whole

OWN = "transport", "highs"  # what solves programs in whole points here


def solve(
    model: AssignmentModel,
    backend: str = "transport",
    warm_start: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    time_limit: float | None = None,
    gap: float | None = None,
    start: ArrayLike | None = None,
    **options: Any,
) -> AssignmentSolution:
    """Solve an assignment program with a named backend.

    Parameters
    ----------
    model : AssignmentModel
        The linear program.
    backend : str
        A name in `partitope.solvers.BACKENDS`.
    warm_start : (k,) array_like or mapping, optional
        Prices near the optimal ones, for example those of the step before; by name, as in
        ``AssignmentSolution.named_prices``, where the polytope has side constraints.
    time_limit : float, optional
        Seconds after which the backend should stop.
    gap : float, optional
        Where points have to be whole (`PartitionPolytope.whole`, ``together``, ``apart``, ``optional``, ``connected``):
        by how much, in the unit of the scores, another assignment may be better for the search to stop; as close as
        floating point comes when not given. The solution's ``bound`` says what is proved, its prices are those of the
        relaxation.
        "transport" then means the engine's relaxation and restricted mixed-integer programs, "highs" the whole program.
    start : (n,) array_like of int, optional
        Labels of a known clustering, where points have to be whole: the search of "transport" and "highs" begins with
        it if it keeps the statements.
    **options
        Options of the backend itself.

    Returns
    -------
    AssignmentSolution
        Call its ``verify()`` for an independent certificate.

    Raises
    ------
    InfeasibleBoundsError
        Before any backend is called, when sums of the bounds exclude every assignment; by ``transport`` and
        ``boxstep`` also when masks and side constraints do. Names what cannot hold together, and a repair.
    ContradictoryLinksError
        When nothing satisfies the links of the polytope; ``pairs`` are given links that cannot hold together, and
        could without any one of them.
    CapabilityError
        When the backend does not declare what was asked for; names the backends that do.
    InvalidInputError
        If the model is not an `AssignmentModel`, the backend is not known, the warm start has the wrong shape or names
        that the backend does not take, or the time limit is not a number of at least 0.
    MissingDependencyError
        When the backend's package is not installed.

    Examples
    --------
    >>> from partitope.models import AssignmentModel, PartitionPolytope
    >>> from partitope.solvers import solve
    >>> model = AssignmentModel(PartitionPolytope(3, [1, 1], [2, 2]), [[3, 0], [2, 0], [1, 0]])
    >>> solution = solve(model)
    >>> solution.labels.tolist(), solution.objective, solution.verify().verified
    ([0, 0, 1], 5.0, True)
    """
    instance_of(model, "model", AssignmentModel)
    began = process_time()
    polytope = model.polytope
    known = None if start is None else checked_labels(start, polytope.n_points, polytope.n_clusters, "start")
    found = _solved(model, backend, warm_start, Deadline(time_limit), gap, known, options)
    return replace(found, cpu_seconds=process_time() - began)


def _solved(
    model: AssignmentModel,
    backend: str,
    warm_start: ArrayLike | Mapping[str, ArrayLike] | None,
    deadline: Deadline,
    gap: float | None,
    start: NDArray[np.int64] | None,
    options: Record,
) -> AssignmentSolution:
    """The optimum, with arguments of `solve` that may be wrong."""
    polytope = model.polytope
    if gap is not None:
        check_weight("gap", gap)
    backend = chosen_backend(backend, polytope)
    # whole points have a search of their own
    if polytope.is_discrete and backend in OWN:
        try:
            polytope.check()
        except ContradictoryLinksError:
            raise statements_in_conflict(polytope, deadline) from None
        return solve_whole(
            model, deadline, gap=gap, all_pairs=backend == "highs", warm_start=warm_start, start=start, **options
        )
    found = by_backend(model, backend, warm_start, deadline, options)
    if found.status is Status.INFEASIBLE and polytope.is_discrete and not _is_infeasible(model, deadline):
        return replace(found, status=Status.NUMERICAL)
    return found


def _is_infeasible(model: AssignmentModel, deadline: Deadline) -> bool:
    """Whether a backend's claim that no assignment of whole points exists is confirmed by a reason."""
    try:
        solve_whole(model, deadline)
    except (InfeasibleBoundsError, NotOptimalError) as error:
        return isinstance(error, InfeasibleBoundsError)
    return False
