"""The one door to every backend: check, refuse what does not fit, solve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from numpy.typing import ArrayLike

from ...base.checks import finite_vector, instance_of
from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError
from ...base.status import Status
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ..backend import Backend
from ..backends import BACKENDS
from ..solution import AssignmentSolution
from .reduction import proved_or_reduced, whole_or_reduced


def solve(
    model: AssignmentModel,
    backend: str = "transport",
    warm_start: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    time_limit: float | None = None,
    integer: bool = False,
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
        ``AssignmentSolution.named_prices``, where the polytope has further rows.
    time_limit : float, optional
        Seconds after which the backend should stop.
    integer : bool
        Demand whole points. Without weights every vertex is whole anyway; with weights this is a mixed-integer
        program, NP-hard and without prices, for backends that declare ``mip``.
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
        ``restricted`` also when masks and further rows do. Names what cannot hold together, and a repair.
    CapabilityError
        When the backend does not declare what was asked for; names the backends that do.
    InvalidInputError
        When the model is none, the backend is not known, the warm start has the wrong shape or names that the backend
        does not take, or the time limit is no number of at least 0.
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
    polytope, deadline = model.polytope, Deadline(time_limit)
    mip = integer and (polytope.weights is not None or bool(polytope.further))
    backend = chosen_backend(backend, polytope, mip)
    solver: Backend = BACKENDS[backend]()
    polytope.check()
    asked = {
        "further_rows": bool(polytope.further),
        "masks": polytope.allowed is not None,
        "weights": polytope.weights is not None,
        "time_limit": time_limit is not None,
        "warm_start": warm_start is not None,
        "mip": mip,
    }
    BACKENDS.refuse_undeclared(backend, solver.capabilities, asked)
    prices: Any = warm_start
    if isinstance(warm_start, Mapping) and solver.capabilities.further_rows:
        prices = dict(warm_start)
        sizes = {polytope.row_names[0]: polytope.n_clusters} | {rows.name: len(rows) for rows in polytope.further}
        for name in sizes.keys() & prices.keys():
            finite_vector(prices[name], f"warm_start[{name!r}]", sizes[name], "row")
    elif warm_start is not None:
        prices = finite_vector(prices, "warm_start", polytope.n_clusters, "cluster")
    if mip:
        options["integer"] = True
    found = solver.solve(model, warm_start=prices, time_limit=time_limit, **options)
    if backend == "transport" and (polytope.weights is None or not options.get("certify", True)):
        return found  # its flow compares scores of single points; sums of weights alone are rounded

    def again(smaller: AssignmentModel) -> AssignmentSolution:
        if not solver.capabilities.masks:
            smaller = smaller.without_mask()
        return solver.solve(smaller, time_limit=deadline.left, **options)

    if mip and found.status is Status.INFEASIBLE:
        refuse_divided_only(model)
    return whole_or_reduced(found, again) if mip else proved_or_reduced(found, again)


def chosen_backend(backend: str, polytope: PartitionPolytope, mip: bool = False) -> str:
    """The backend that is meant: the engine has other ways with masks or further rows, "restricted", and whole
    points."""
    instance_of(backend, "backend", str, "pass a name in partitope.solvers.BACKENDS")
    if backend != "transport":
        return backend
    return "highs" if mip else "transport" if polytope.is_plain else "restricted"


def refuse_divided_only(model: AssignmentModel) -> NoReturn:
    """Say why no assignment of whole points keeps the bounds: no divided one does, or only such do."""
    solve(model)  # names rows that cannot hold together
    names = ", ".join(model.polytope.row_names)
    raise InfeasibleBoundsError(
        f"the bounds on {names} leave room for divided points only, but here points have to be whole: widen them by up "
        f"to the largest coefficient of a point"
    )
