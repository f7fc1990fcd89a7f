"""Whole points: a restricted mixed-integer program next to the linear relaxation, until reduced costs prove it enough.

`solvers.restricted_search` for the pairs of block and cluster. The relaxation, with divided points, gives prices and
the bound; the reduced cost of a pair is what its choice alone costs at these prices. Blocks without a free pair stay in
their cluster. Connected clusters and constraints that are stated by cuts (`cuts`) are not in the relaxation, whose
bound holds with them, too: what breaks them is cut off. Local search (`graphs.local_search`) gives a first connected
answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, NotOptimalError
from ...base.status import Status
from ...models.certificates.certificate import check_assignment
from ...models.certificates.priced_out_rows import PricedOutRows, net_scores
from ...models.objectives.bound import Bound
from ...models.polytope.connection import Connection
from ...models.polytope.constraint import Constraint
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import relaxation
from ...models.programs.assignment import AssignmentModel
from ...models.programs.program import TOLERANCE, TOLERANCES
from ...models.programs.whole_assignment import WholeAssignmentMIP, rounding_of
from ..backends.explicit import package_version
from ..graphs.cluster_bounds import ClusterBounds
from ..graphs.local_search import searched
from ..linear_program import solve_linear
from ..restricted_search import Reading, Restricted, RestrictedSearch
from ..solution import AssignmentSolution
from .by_backend import by_backend, chosen_backend
from .cuts import Cuts
from .statements_in_conflict import statements_in_conflict

FEWEST = 100  # Free pairs at first, or FREE times the number of points that the relaxation divides.
FREE = 8  # Free pairs at first per point that the relaxation divides.
GAP = 1e-4  # Relative gap at which a whole assignment in a fit is accepted; improvements must exceed it.
NODES = 20  # Node limit of each search tree in a step of a fit.


class Relaxed(NamedTuple):
    """Labels (b,) and prices of the relaxation over blocks, and how many pairs it divides."""

    labels: NDArray[np.int64]
    prices: NDArray[np.float64]
    further: Mapping[str, NDArray[np.float64]]
    divided: int


def solve_whole(
    model: AssignmentModel,
    deadline: Deadline,
    *,
    gap: float | None = None,
    nodes: int | None = None,
    all_pairs: bool = False,
    warm_start: Any = None,
    start: NDArray[np.int64] | None = None,
) -> AssignmentSolution:
    """The best whole assignment, to within an absolute gap or this many nodes of every tree, from known labels (n,);
    prices and dual value are those of the relaxation."""
    started, cuts = perf_counter(), Cuts(model.polytope)
    program = WholeAssignmentMIP(replace(model, polytope=cuts.free))
    relaxed = _relaxation(program, deadline, warm_start)
    built = perf_counter()
    search = WholeSearch(model, program, cuts, relaxed, deadline, gap, nodes)
    if search.begin(None if start is None else start[model.polytope.block_points]):
        search.run(search.costs.size if all_pairs else max(FEWEST, FREE * relaxed.divided))
    if search.best is None:
        kind = "connected assignment" if model.polytope.connection is not None else "assignment of whole points"
        if search.status is Status.NUMERICAL:
            raise NotOptimalError(
                f"whether any {kind} exists is not decided: HiGHS ends with {search.word}, which could not be checked; "
                f"widen the bounds a little"
            )
        spent = f"{nodes} nodes of every search tree" if deadline.seconds is None else f"{deadline.seconds} seconds"
        raise NotOptimalError(
            f"no {kind} was found in {spent}, and none was excluded: widen the bounds, or allow more time_limit"
        )
    labels = model.polytope.of_points(search.best)
    value = model.value(labels)
    certificate = check_assignment(model, labels, relaxed.prices, further_prices=relaxed.further)
    error = rounding_of(model, labels) + certificate.allowance * certificate.magnitude
    bound = Bound(value - error, value + max(search.open, 0.0) + error, search.proof)
    return AssignmentSolution(
        model, labels, relaxed.prices, None, value, certificate.dual_objective, search.status, perf_counter() - started,
        "transport", further_prices=dict(relaxed.further), build_seconds=built - started, iterations=search.explored,
        raw_status=search.word, solver_version=package_version("highspy"), bound=bound,
    )  # fmt: skip


def _relaxation(program: WholeAssignmentMIP, deadline: Deadline, warm_start: Any) -> Relaxed:
    """The linear relaxation: by the engine, or by HiGHS where clusters may be closed."""
    polytope = program.contracted.polytope
    if not polytope.may_close:
        relaxed = replace(program.contracted, polytope=polytope.relaxed)
        if isinstance(warm_start, Mapping) and relaxed.polytope.is_plain:
            warm_start = warm_start[polytope.row_names[0]]
        try:
            backend = chosen_backend("transport", relaxed.polytope)
            found = by_backend(relaxed, backend, warm_start, Deadline(deadline.left), {})
        except InfeasibleBoundsError:
            stated = program.model.polytope
            if not stated.relaxes_statements:
                raise
            raise statements_in_conflict(program.model.polytope, deadline) from None
        if found.prices is None or found.labels is None:
            raise NotOptimalError(f"the relaxation was not solved: {found.status}; allow more time_limit")
        return Relaxed(found.require_labels(), found.prices, found.further_prices, len(found.splits))
    linear = program.program
    answer = solve_linear(replace(linear, integral=None), TOLERANCES, deadline)
    if answer.outcome is Status.INFEASIBLE:
        raise statements_in_conflict(program.model.polytope, deadline)
    b, k = program.losses.shape
    columns, duals = answer.columns, answer.row_duals
    if columns is None or duals is None:  # any prices give a bound: those of zero
        columns, duals = np.zeros(linear.cost.size), np.zeros(linear.row_lower.size)
        columns[np.arange(b) * k + program.losses.argmin(axis=1)] = 1.0
    shares = columns[: b * k].reshape(b, k)
    prices, further = program.prices(duals)
    return Relaxed(shares.argmax(axis=1), prices, further, int(np.count_nonzero((shares > 1e-9) & (shares < 1 - 1e-9))))


class WholeSearch(RestrictedSearch):
    """`RestrictedSearch` over the pairs of block and cluster."""

    best: NDArray[np.int64] | None = None  # labels (b,)
    slack = np.inf  # by how much a better assignment could be better, by the relaxation alone

    def __init__(
        self, stated: AssignmentModel, program: WholeAssignmentMIP, cuts: Cuts, relaxed: Relaxed, deadline: Deadline,
        gap: float | None, nodes: int | None,
    ) -> None:  # fmt: skip
        super().__init__(deadline, nodes)
        self.stated, self.program, self.cuts, self.relaxed, self.gap = stated, program, cuts, relaxed, gap
        self.model = program.contracted  # without what cuts state
        self.proof = self.of_relaxation = f"dual of the relaxation{_without(stated.polytope)}"
        charges = PricedOutRows.of(self.model.polytope, relaxed.further)
        net = net_scores(self.model, relaxed.prices, charges, 0, self.model.polytope.n_points)
        self.costs = (net.max(axis=1, keepdims=True) - net).ravel()
        """(b k,): reduced costs of the pairs, infinite where a pair is not allowed."""
        self.preferred = net.argmax(axis=1)  # (b,): the cluster of reduced cost zero
        others = np.isfinite(self.costs)
        others[np.arange(len(net)) * net.shape[1] + self.preferred] = False
        self.order = np.flatnonzero(others)[np.argsort(self.costs[others], kind="stable")]
        self.part = np.empty((2, 0), dtype=np.int64)  # blocks and clusters of the last restricted program
        self.rest = relaxed.labels  # (b,): where blocks that are not in it stay

    def begin(self, start: NDArray[np.int64] | None) -> bool:
        """Take an answer (b,) that is known; whether there is anything to search for."""
        polytope = self.model.polytope
        # where nothing is divided the relaxation has it; elsewhere any known one cuts off pairs
        for labels in (None if self.relaxed.divided else self.relaxed.labels, start):
            if self.best is None and labels is not None and self._is_within(labels):
                self._take(labels)
        if not polytope.may_close:
            return True
        self._open_the_fullest()
        self.status = Status.ITERATION_LIMIT
        return self.nodes is None or self.best is None

    @property
    def has_answer(self) -> bool:
        """Whether an assignment is known."""
        return self.best is not None

    @property
    def is_proved(self) -> bool:
        """Whether no pair is left that could be better, or the gap is small enough."""
        needed = self.needed()
        return self.best is not None and (not needed or self.open <= self._enough(self._largest(needed)))

    def needed(self) -> int:
        """Pairs of a larger reduced cost than the slack are in no better assignment."""
        return int(np.searchsorted(self.costs[self.order], self.slack, side="right"))

    def restricted(self, count: int) -> Restricted:
        """The program over this many pairs, and their blocks with the clusters they are in or prefer."""
        k, pairs = self.model.polytope.n_clusters, self.order[:count]
        # blocks without a free pair stay in the best clustering, once there is one
        self.rest, blocks = self.relaxed.labels if self.best is None else self.best, np.unique(pairs // k)
        kept = [blocks * k + self.rest[blocks], blocks * k + self.preferred[blocks]]
        self.part = np.array(np.divmod(np.unique(np.concatenate([pairs, *kept])), k))
        linear = self._with_cuts.over_pairs(self.part[0], self.part[1], self.rest)
        scale = float(linear.cost.max(initial=0.0)) or 1.0
        start = None if self.best is None else self.program.columns_of(self.best, self.part[0], self.part[1])
        return Restricted(linear, start, scale, gap=self._enough(scale))

    @property
    def _with_cuts(self) -> WholeAssignmentMIP:
        """The program with the rows that were broken so far."""
        if not self.cuts.rows:
            return self.program
        return WholeAssignmentMIP(replace(self.stated, polytope=self.cuts.polytope))

    def read(self, columns: NDArray[np.float64]) -> Reading:
        """HiGHS keeps rows to a tolerance: what it found is held against the polytope itself."""
        blocks, clusters = self.part
        chosen = columns[: blocks.size] > 0.5
        found = self.rest.copy()
        found[blocks[chosen]] = clusters[chosen]
        is_first = not self.cuts.rows
        if self.cuts.of(self.stated.polytope.of_points(found)):
            if is_first and self.best is None and self.stated.polytope.connection is not None:
                self._search_connected(found)
            return Reading.CUT_OFF
        if not self._is_within(found) or (
            self.best is not None and not self.model.value(found) > self.model.value(self.best)
        ):
            return Reading.NOTHING
        self._take(found)
        return Reading.BETTER

    def close(self, bound: float, part: Restricted) -> None:
        """The bound of a search tree, where all pairs that could be better were free."""
        if self.best is not None:
            best = self.program.columns_of(self.best, self.part[0], self.part[1])
            value = float(part.program.cost[: best.size] @ best)
            if value - bound < self.open:
                self.open, self.proof = max(value - bound, 0.0), "branch and bound (HiGHS)"

    def infeasible(self) -> Exception:
        """The statements that cannot hold together."""
        stated = self.stated.polytope
        if self.cuts.rows and self.cuts.by_cuts == [stated.connection]:
            return InfeasibleBoundsError(_reason(stated))
        return statements_in_conflict(stated if self.cuts.rows else self.program.model.polytope, self.deadline)

    def _open_the_fullest(self) -> None:
        """Take the best clustering with the m clusters open that the relaxation fills most, over all allowed m."""
        polytope, (least, most) = self.model.polytope, self.model.polytope.open_numbers
        load = np.bincount(self.relaxed.labels, polytope.point_weights, polytope.n_clusters)
        fullest = np.argsort(-load, kind="stable")
        for m in range(least, most + 1):
            opened = np.zeros(load.size, dtype=bool)
            opened[fullest[:m]] = True
            fixed = polytope.with_open(opened)
            if not fixed.is_feasible or not self.deadline.allows():
                continue
            try:
                found = solve_whole(replace(self.model, polytope=fixed), self.deadline, gap=self.gap, nodes=self.nodes)
            except (InfeasibleBoundsError, NotOptimalError):
                continue
            labels = found.require_labels()
            if self._is_within(labels) and (
                self.best is None or self.model.value(labels) > self.model.value(self.best)
            ):
                self._take(labels)

    def _search_connected(self, labels: NDArray[np.int64]) -> None:
        """Take a connected clustering that local search from labels (b,) finds."""
        polytope = self.stated.polytope
        graph = polytope.connection
        assert graph is not None
        if polytope.blocks is not None:
            graph = Connection.of(polytope.blocks[graph.edges], labels.size)
        bounds = ClusterBounds.of(self.model.polytope)
        found = searched(self.program.losses, graph, bounds, labels, np.random.default_rng(0), self.deadline)
        if found is not None and self._is_within(found):
            self._take(found)

    def _largest(self, count: int) -> float:
        """The largest loss among the first pairs."""
        return float(self.program.losses.ravel()[self.order[:count]].max(initial=0.0))

    def _enough(self, largest: float) -> float:
        """The gap at which the search stops."""
        return TOLERANCE * largest if self.gap is None else self.gap

    def _take(self, labels: NDArray[np.int64]) -> None:
        """Keep a clustering, and what the relaxation says of it."""
        relaxed = self.relaxed
        certificate = check_assignment(self.model, labels, relaxed.prices, further_prices=relaxed.further)
        self.best = labels
        self.slack = self.open = max((certificate.gap + certificate.rounding) * certificate.magnitude, 0.0)
        self.proof = self.of_relaxation

    def _is_within(self, labels: NDArray[np.int64]) -> bool:
        return self.stated.polytope.contains(self.stated.polytope.of_points(labels))


def _without(polytope: PartitionPolytope) -> str:
    """The custom constraints that the relaxation leaves out, in words."""
    own = (part for part in polytope.statements if part.kind == Constraint.kind)
    free = [str(part) for part in own if relaxation(part, polytope) is None]
    return f", which leaves out {', '.join(free)}" if free else ""


def _reason(polytope: PartitionPolytope) -> str:
    """Reason, in one line, why no assignment is connected although others exist."""
    bounds = f"{polytope.names[0]} {polytope.describe()}"
    more = "" if not polytope.further else f" and {', '.join(repr(rows.name) for rows in polytope.further[:3])}"
    return (
        f"whole points can be assigned to {polytope.n_clusters} clusters within {bounds}{more}, but not to connected "
        f"ones (branch and bound over all of them): widen the bounds, or add edges"
    )
