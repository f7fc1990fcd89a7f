"""Connected clusters, and constraints that are stated by cuts: whole assignments without them, and cuts.

1. For connected clusters local search among them (`graphs.local_search`) gives a first answer.
2. A whole assignment without these statements is solved (`whole`), whose bound holds with them, too.
3. Where it breaks one, inequalities (`cuts`) cut it off, and 2. is done again.

It ends: every round excludes a clustering, and one that keeps everything and is the best without is the best.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, NotOptimalError
from ...base.status import Status
from ...models.certificates.certificate import check_assignment
from ...models.objectives.bound import Bound
from ...models.polytope.connection import Connection
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.programs.reduction import losses
from ..graphs.local_search import searched
from ..solution import AssignmentSolution
from .cuts import Cuts
from .statements_in_conflict import statements_in_conflict
from .whole import NODES, solve_whole


def solve_by_cuts(model: AssignmentModel, deadline: Deadline, **options: Any) -> AssignmentSolution:
    """The best whole assignment that keeps what is stated by cuts, too; options, prices and bound as in
    `solve_whole`."""
    stated = model.polytope
    cuts = Cuts(stated)
    known, first, rounds = stated.known, None, 0
    while True:
        rounds += 1
        try:
            found = solve_whole(replace(model, polytope=replace(cuts.polytope, known=known)), deadline, **options)
        except InfeasibleBoundsError:
            if first is None:
                raise
            if cuts.by_cuts:
                raise statements_in_conflict(stated, deadline) from None
            raise InfeasibleBoundsError(_reason(stated)) from None
        first = found if first is None else first
        labels = found.require_labels()
        if cuts.of(labels) == 0:
            return _of_model(model, first, found, labels)
        if first is found and known is None and stated.connection is not None:  # a fit has searched already
            known = _first_answer(model, labels, deadline)
        if known is not None and (options.get("nodes") is not None or not deadline.allows()):
            return _of_model(model, first, found, known)  # a fit goes on with what is connected
        if not deadline.allows() or (options.get("nodes") is not None and rounds >= NODES):
            raise NotOptimalError(
                f"no {'connected ' if stated.connection is not None else ''}assignment within the bounds was found in "
                f"time, and none was excluded: widen the bounds, or allow more time_limit"
            )


def _first_answer(model: AssignmentModel, labels: NDArray[np.int64], deadline: Deadline) -> NDArray[np.int64] | None:
    """A connected clustering (n,) by local search from labels (n,); None where it finds none."""
    polytope = model.polytope
    assert polytope.connection is not None
    lost = losses(replace(model, polytope=polytope.without_connection))
    connection, smaller = polytope.connection, polytope
    if polytope.blocks is not None:
        connection = Connection.of(polytope.blocks[connection.edges], int(polytope.blocks.max()) + 1)
        smaller = polytope.contracted
        lost = np.array([np.bincount(polytope.blocks, column) for column in lost.T]).T
        labels = labels[polytope.block_points]
    found = searched(lost, connection, smaller, labels, np.random.default_rng(0), deadline)
    if found is not None and polytope.blocks is not None:
        found = found[polytope.blocks]
    return found if found is not None and polytope.contains(found) else None


def _of_model(
    model: AssignmentModel, first: AssignmentSolution, last: AssignmentSolution, labels: NDArray[np.int64]
) -> AssignmentSolution:
    """The answer: labels, prices of the program without cuts, and the bound of the last one with them."""
    value = model.value(labels)
    assert first.prices is not None
    assert last.bound is not None
    certificate = check_assignment(model, labels, first.prices, further_prices=first.further_prices)
    most, width = last.bound.upper, last.bound.upper - last.bound.lower
    bound = Bound(min(last.bound.lower, value), max(most, value), last.bound.proof)
    optimal = labels is last.labels or most <= value + width
    return replace(
        last, model=model, labels=labels, prices=first.prices, further_prices=first.further_prices, objective=value,
        dual_objective=certificate.dual_objective, bound=bound,
        status=last.status if optimal else Status.ITERATION_LIMIT,
    )  # fmt: skip


def _reason(polytope: PartitionPolytope) -> str:
    """Why there is no connected assignment where there are others, in one line."""
    bounds = f"{polytope.names[0]} {polytope.describe()}"
    more = "" if not polytope.further else f" and {', '.join(repr(rows.name) for rows in polytope.further[:3])}"
    return (
        f"whole points can be assigned to {polytope.n_clusters} clusters within {bounds}{more}, but not to connected "
        f"ones (branch and bound over all of them): widen the bounds, or add edges"
    )
