"""The assignment program under must-links and cannot-links: exact (`linked_mip`) or by prices (`linked_placement`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...base.checks import check_weight, one_of
from ...base.deadline import Deadline
from ...base.errors import NotOptimalError
from ...base.status import Status
from ...models.objectives.bound import Bound
from ...models.polytope.links import ContradictoryLinksError, Links
from ...models.programs.assignment import AssignmentModel
from ...models.programs.linked_assignment import LinkedAssignmentMIP, rounding_of
from ..backends.explicit import package_version
from .clash import contradiction
from .linked_mip import solve_exactly, solve_nearly
from .linked_placement import best_rounds
from .solve import solve

ROUNDS = 12  # of the heuristic


@dataclass(frozen=True, eq=False)
class LinkedSolution:
    """A clustering that respects links and bounds, for fixed scores.

    Attributes
    ----------
    labels : (n,) ndarray of int64
        Cluster of every point.
    objective : float
        Total score, a maximum.
    bound : Bound or None
        Proved interval around the optimum; None from the heuristic.
    prices : (k,) ndarray
        Prices of the clusters' sizes: of the relaxation (5), or of the single points' last program.
    further_prices : mapping of str to (q,) ndarray
        Prices of further rows by name.
    status : Status
        Why the computation stopped; OPTIMAL only where `bound` is as near as was asked for.
    method : {"mip", "heuristic"}
        What computed it.
    seconds : float
        Wall time.
    raw_status, solver_version : str
        What the solver said of the last program that the exact method gave it, and the solver's version; empty from
        the heuristic.
    """

    labels: NDArray[np.int64]
    objective: float
    bound: Bound | None
    prices: NDArray[np.float64]
    status: Status
    method: Literal["mip", "heuristic"]
    seconds: float
    raw_status: str = ""
    solver_version: str = ""
    further_prices: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)


def solve_linked(
    model: AssignmentModel,
    links: Links,
    method: Literal["mip", "heuristic"] = "mip",
    *,
    gap: float | None = None,
    time_limit: float | None = None,
) -> LinkedSolution:
    """Assign points to clusters for fixed scores, under size bounds and links.

    Parameters
    ----------
    model : AssignmentModel
        Scores and bounds.
    links : Links
        Pairs that must or must not be together.
    method : {"mip", "heuristic"}
        Exact, or by prices.
    gap : float, optional
        How far the bound may be above the total score, in the unit of the scores, for the exact method to stop; by
        default as close as floating point comes, about 1e-9 of the largest loss of a block that matters.
    time_limit : float, optional
        Seconds. The exact method then returns the best clustering found and the bound that holds for it, the
        heuristic the best of the rounds that fit.

    Returns
    -------
    LinkedSolution
        Its labels were checked against bounds and links by counting.

    Raises
    ------
    InvalidInputError
        When an argument is not usable, or links name no points of the model.
    ContradictoryLinksError
        When nothing satisfies links and bounds together; ``pairs`` are a smallest set of given links of which one has
        to go.
    InfeasibleBoundsError
        When nothing is within the bounds, links or not.
    NotOptimalError
        When the time was too short to find any clustering.

    Notes
    -----
    The problem is NP-hard (colouring a graph is a special case). The exact method is fast where the relaxation is
    nearly whole, which is usual when most points carry no cannot-link. With weights, several size dimensions, shares or
    rows of one's own every point has to be whole, which is harder: give the exact method a ``time_limit``, or take
    the heuristic, which places the points near a wall of the relaxation by branch and bound and leaves the others.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import AssignmentModel, Links, PartitionPolytope
    >>> from partitope.solvers import solve_linked
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> model = AssignmentModel.lsa(X, X[[0, 3]], PartitionPolytope(4, 1, 3, n_clusters=2))
    >>> solve_linked(model, Links(4, must=[(2, 3)], cannot=[(0, 1)])).labels
    array([0, 1, 1, 1])
    """
    one_of(method, "method", ("mip", "heuristic"))
    if gap is not None:
        check_weight("gap", gap)
    deadline = Deadline(time_limit)
    try:
        program = LinkedAssignmentMIP(model, links)
    except ContradictoryLinksError as seen:
        raise contradiction(model, links, deadline, seen) from None
    if method == "mip":
        labels, bound, prices, status, word = solve_exactly(program, gap, deadline)
        native = word, package_version("highspy")
    else:
        if program.integral.all() or model.polytope.allowed is not None:
            placed = solve_nearly(program, deadline)
        else:
            placed = best_rounds(program, np.asarray(solve(model).prices), ROUNDS, deadline)
        if placed is None:  # the room is too narrow for placing one by one: any clustering the exact method finds
            labels, _, prices, *_ = solve_exactly(program, np.inf, deadline)
        else:
            labels, prices = placed
        bound, status, native = None, Status.TIME_LIMIT if deadline.missed else Status.CONVERGED, ("", "")
    if not (model.polytope.contains(labels) and links.satisfied(labels)):
        raise NotOptimalError("the solver's answer breaks a bound or a link: please report this instance")
    value = model.value(labels)
    if bound is not None:
        bound = Bound(value - rounding_of(program, labels), max(bound.upper, value), bound.proof)
    further = program.named(prices)
    first = further.pop(model.polytope.row_names[0])
    return LinkedSolution(labels, value, bound, first, status, method, deadline.elapsed, *native, further)
