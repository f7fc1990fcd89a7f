"""Connected clusters at given scores: whole assignments without the demand, and cuts for what is in pieces.

1. Local search among connected clusterings (`graphs.local_search`) gives a first answer.
2. A whole assignment that need not be connected is solved (`whole`), whose bound holds for connected ones, too.
3. Where a cluster is in pieces, the inequalities of `graphs.separators` cut it off, for every cluster, and 2. is done
   again.

It ends: there are finitely many separators, and a connected assignment that is the best without the demand is the best.
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
from ...models.polytope.rows import SparseRows
from ...models.programs.assignment import AssignmentModel
from ...models.programs.reduction import losses
from ..graphs.local_search import searched
from ..graphs.separators import Separators
from ..solution import AssignmentSolution
from .whole import NODES, solve_whole

CUTS = "connection"


def solve_connected(model: AssignmentModel, deadline: Deadline, **options: Any) -> AssignmentSolution:
    """The best whole assignment with connected clusters; options and what prices and bound mean as in `solve_whole`."""
    stated = model.polytope
    assert stated.connection is not None
    free, cuts = stated.without_connection, _Cuts(stated)
    known, first, rounds = stated.known, None, 0
    while True:
        rounds += 1
        polytope = free if not cuts.rows else replace(free, further=(*free.further, cuts.as_rows()))
        try:
            found = solve_whole(replace(model, polytope=replace(polytope, known=known)), deadline, **options)
        except InfeasibleBoundsError:
            if first is None:
                raise
            raise InfeasibleBoundsError(_reason(stated)) from None
        first = found if first is None else first
        labels = found.require_labels()
        if cuts.of(labels) == 0:
            return _of_model(model, first, found, labels)
        if first is found and known is None:  # a fit has searched already
            known = _first_answer(model, labels, deadline)
        if known is not None and (options.get("nodes") is not None or not deadline.allows()):
            return _of_model(model, first, found, known)  # a fit goes on with what is connected
        if not deadline.allows() or (options.get("nodes") is not None and rounds >= NODES):
            raise NotOptimalError(
                "no connected assignment within the bounds was found in time, and none was excluded: widen the bounds, "
                "or allow more time_limit"
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


class _Cuts:
    """Separator inequalities of a polytope, for every cluster."""

    def __init__(self, polytope: PartitionPolytope) -> None:
        assert polytope.connection is not None
        self.n, self.k = polytope.n_points, polytope.n_clusters
        self.separators = Separators(polytope.connection, polytope.point_weights, float(polytope.upper.max()))
        self.rows: list[Any] = []

    def of(self, labels: NDArray[np.int64]) -> int:
        """Add those that a clustering (n,) breaks; how many."""
        import scipy.sparse as sp

        before = len(self.rows)
        for members, b, separator, _ in self.separators.between_pieces(labels):
            a = int(members[self.separators.weights[members].argmax()])
            needed = self.separators.needed(separator, a, b)
            points = np.concatenate([[a, b], needed])
            signs = np.where(np.arange(points.size) < 2, 1.0, -1.0)
            columns = points[None, :] * self.k + np.arange(self.k)[:, None]
            where = np.repeat(np.arange(self.k), points.size), columns.ravel()
            self.rows.append(sp.csr_array((np.tile(signs, self.k), where), shape=(self.k, self.n * self.k)))
        return len(self.rows) - before

    def as_rows(self) -> SparseRows:
        """All of them as further rows."""
        import scipy.sparse as sp

        matrix = sp.csr_array(sp.vstack(self.rows))
        return SparseRows(CUTS, matrix, np.full(matrix.shape[0], -np.inf), np.ones(matrix.shape[0]))


def _reason(polytope: PartitionPolytope) -> str:
    """Why there is no connected assignment where there are others, in one line."""
    bounds = f"{polytope.names[0]} {polytope.describe()}"
    more = "" if not polytope.further else f" and {', '.join(repr(rows.name) for rows in polytope.further[:3])}"
    return (
        f"whole points can be assigned to {polytope.n_clusters} clusters within {bounds}{more}, but not to connected "
        f"ones (branch and bound over all of them): widen the bounds, or add edges"
    )
