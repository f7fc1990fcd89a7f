"""Whole points: a restricted mixed-integer program beside the linear relaxation, until reduced costs prove it enough.

1. The relaxation, with divided points, gives prices and the bound U on every whole assignment.
2. The reduced cost of a pair of block and cluster is what its choice alone costs at these prices. The pairs of least
   reduced cost are free, all other blocks stay in their cluster of the relaxation, and branch and bound (HiGHS) solves
   this restricted program. While it is infeasible more pairs become free.
3. A clustering of value V proves that no better one uses a pair of reduced cost beyond U - V (reduced-cost fixing).
   When all other pairs are free, the restricted program is the program; otherwise more pairs become free and V rises.

It ends: the set of free pairs grows until it holds all that (3) leaves, which shrink as V rises.

References
----------
Crowder, Johnson and Padberg (1983), Solving large-scale zero-one linear programming problems, Operations Research 31,
for reduced-cost fixing; Wolsey (2020), Integer Programming, 2nd ed., chapters 7 and 12.
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
from ...models.programs.assignment import AssignmentModel
from ...models.programs.program import TOLERANCE, TOLERANCES, Program
from ...models.programs.whole_assignment import WholeAssignmentMIP, rounding_of
from ..backends.explicit import package_version
from ..linear_program import LinearAnswer, solve_linear
from ..solution import AssignmentSolution
from .statements_in_conflict import statements_in_conflict

FEWEST = 1000  # pairs that are free at first, or FREE times as many as the relaxation divides
FREE = 8
GAP = 1e-4  # of the objective of a fit: what a whole assignment may lose there, and what an improvement has to exceed
NODES = 20  # of every search tree in a step of a fit
WIDER = 4  # times as many pairs are free in the next restricted program


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
) -> AssignmentSolution:
    """The best whole assignment, to within an absolute gap or so many nodes of every tree; prices and dual value are
    those of the relaxation."""
    started = perf_counter()
    program = WholeAssignmentMIP(model)
    relaxed = _relaxation(program, deadline, warm_start)
    built = perf_counter()
    search = Search(program, relaxed, deadline, gap, nodes)
    search.run(search.costs.size if all_pairs else max(FEWEST, FREE * relaxed.divided))
    if search.best is None:
        spent = f"{nodes} nodes of every search tree" if deadline.seconds is None else f"{deadline.seconds} seconds"
        raise NotOptimalError(
            f"no assignment of whole points was found in {spent}: widen the bounds, or allow more time_limit"
        )
    labels = search.best if model.polytope.blocks is None else search.best[model.polytope.blocks]
    value = model.value(labels)
    certificate = check_assignment(model, labels, relaxed.prices, further_prices=relaxed.further)
    error = rounding_of(model, labels) + certificate.allowance * certificate.magnitude
    bound = Bound(value - error, value + max(search.open, 0.0) + error, search.proof)
    return AssignmentSolution(
        model, labels, relaxed.prices, None, value, certificate.dual_objective, search.status, perf_counter() - started,
        "transport", further_prices=dict(relaxed.further), build_seconds=built - started, iterations=search.nodes,
        raw_status=search.word, solver_version=package_version("highspy"), bound=bound,
    )  # fmt: skip


def _relaxation(program: WholeAssignmentMIP, deadline: Deadline, warm_start: Any) -> Relaxed:
    """The linear relaxation: by the engine, or by HiGHS where clusters may be closed."""
    from .solve import solve

    polytope = program.contracted.polytope
    if polytope.openings is None:
        relaxed = program.relaxed_model()
        if isinstance(warm_start, Mapping) and relaxed.polytope.is_plain:
            warm_start = warm_start[polytope.row_names[0]]
        try:
            found = solve(relaxed, warm_start=warm_start, time_limit=deadline.left)
        except InfeasibleBoundsError:
            if program.model.polytope.linked is None:
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


class Search:
    """The loop of the module's head, and what it has found so far."""

    def __init__(
        self, program: WholeAssignmentMIP, relaxed: Relaxed, deadline: Deadline, gap: float | None, nodes: int | None
    ) -> None:
        self.program, self.relaxed, self.deadline, self.gap = program, relaxed, deadline, gap
        self.most_nodes = nodes
        model = program.contracted
        charges = PricedOutRows.of(model.polytope, relaxed.further)
        net = net_scores(model, relaxed.prices, charges, 0, model.polytope.n_points)
        self.costs = (net.max(axis=1, keepdims=True) - net).ravel()
        """(b k,): reduced costs of the pairs, infinite where a pair is not allowed."""
        self.preferred = net.argmax(axis=1)  # (b,): the cluster of reduced cost zero
        others = np.isfinite(self.costs)
        others[np.arange(len(net)) * net.shape[1] + self.preferred] = False
        self.order = np.flatnonzero(others)[np.argsort(self.costs[others], kind="stable")]
        self.best: NDArray[np.int64] | None = None  # labels (b,)
        self.open = np.inf  # by how much an assignment better than ``best`` could be better
        self.slack = np.inf  # the same by the relaxation alone
        self.proof, self.status, self.word, self.nodes = "dual of the relaxation", Status.TIME_LIMIT, "", 0

    def run(self, count: int) -> None:
        """Solve restricted programs with more and more free pairs, ``count`` at first."""
        k, first = self.program.losses.shape[1], count
        # where nothing is divided the relaxation has the answer; elsewhere any known one cuts off pairs
        if not self.relaxed.divided and self._is_within(self.relaxed.labels):
            self._take(self.relaxed.labels)
        known = self.program.contracted.polytope.known
        if self.best is None and known is not None and self._is_within(known):
            self._take(known)
        if self.program.contracted.polytope.openings is not None:
            self._open_the_fullest()
            if self.most_nodes is not None and self.best is not None:
                self.status = Status.ITERATION_LIMIT
                return
        while True:
            # pairs of a larger reduced cost than this are in no better assignment (3)
            needed = int(np.searchsorted(self.costs[self.order], self.slack, side="right"))
            if self.best is not None and (not needed or self.open <= self._enough(self._largest(needed))):
                self.status = Status.OPTIMAL
                return
            count = min(count, needed)
            free = np.union1d(self.order[:count], self._kept(self.order[:count], k))
            points, clusters = np.divmod(free, k)
            # blocks without a free pair stay in the best clustering, once there is one
            labels = self.relaxed.labels if self.best is None else self.best
            linear = self.program.over_pairs(points, clusters, labels)
            scale = float(linear.cost.max(initial=0.0)) or 1.0
            start = None if self.best is None else self.program.columns_of(self.best, points, clusters)
            answer = self._searched(linear, scale, start, final=count == needed)
            if answer.outcome is Status.INFEASIBLE and self.best is None:
                if self.most_nodes is not None and count >= WIDER**2 * first:
                    return  # a fit goes on with divided points, rather than search for long
                if count == self.order.size:
                    raise statements_in_conflict(self.program.model.polytope, self.deadline)
                count *= WIDER
                continue
            if self.best is None and answer.columns is None and count == self.order.size:
                return  # stopped by the time limit, or by numbers that HiGHS cannot tell apart
            # HiGHS keeps rows to a tolerance: what it found is held against the polytope itself
            improved = answer.columns is not None and self._read(answer, points, clusters, labels)
            if count == needed:
                if self.best is not None:
                    self._close(answer, linear.cost, self.program.columns_of(self.best, points, clusters))
                # better labels leave fewer pairs and smaller numbers: once more where that says something new
                again = int(np.searchsorted(self.costs[self.order], self.slack, side="right"))
                if answer.outcome is not Status.OPTIMAL or self._largest(again) > 0.5 * scale or not improved:
                    small = self._enough(scale) + 2.0 * scale * TOLERANCE * (points.size + k)
                    self.status = answer.outcome
                    if answer.outcome is Status.OPTIMAL and not self.open <= small:
                        self.status = Status.NUMERICAL
                    return
            elif not self.deadline.allows():
                return
            count *= WIDER

    def _open_the_fullest(self) -> None:
        """Take the best clustering with the m clusters open that the relaxation fills most, over all allowed m."""
        model = self.program.contracted
        polytope, openings = model.polytope, model.polytope.openings
        assert openings is not None
        load = np.bincount(self.relaxed.labels, polytope.point_weights, polytope.n_clusters)
        fullest = np.argsort(-load, kind="stable")
        for m in range(openings.least, openings.most + 1):
            opened = np.zeros(load.size, dtype=bool)
            opened[fullest[:m]] = True
            fixed = polytope.with_open(opened)
            if not fixed.is_feasible or not self.deadline.allows():
                continue
            try:
                found = solve_whole(replace(model, polytope=fixed), self.deadline, gap=self.gap, nodes=self.most_nodes)
            except (InfeasibleBoundsError, NotOptimalError):
                continue
            labels = found.require_labels()
            if self._is_within(labels) and (self.best is None or self._value(labels) > self._value(self.best)):
                self._take(labels)

    def _kept(self, pairs: NDArray[np.int64], k: int) -> NDArray[np.int64]:
        """Pairs of these pairs' blocks with the clusters that they are in now, and those of reduced cost zero."""
        blocks = np.unique(pairs // k)
        labels = self.relaxed.labels if self.best is None else self.best
        return np.concatenate([blocks * k + labels[blocks], blocks * k + self.preferred[blocks]])

    def _largest(self, count: int) -> float:
        """The largest loss among the first pairs."""
        return float(self.program.losses.ravel()[self.order[:count]].max(initial=0.0))

    def _enough(self, largest: float) -> float:
        """The gap at which the search stops."""
        return TOLERANCE * largest if self.gap is None else self.gap

    def _searched(self, linear: Program, scale: float, start: NDArray[np.float64] | None, final: bool) -> LinearAnswer:
        """HiGHS's answer to a restricted program of costs up to ``scale``; in half of the time unless it is final."""
        limit = self.deadline if final else self.deadline.share(0.5)
        nodes = {} if self.most_nodes is None else {"mip_max_nodes": self.most_nodes}
        answer = solve_linear(linear, TOLERANCES | nodes, limit, start, gap=self._enough(scale))
        self.word, self.nodes = answer.status, self.nodes + answer.steps["mip"]
        return answer

    def _read(
        self, answer: LinearAnswer, points: NDArray[np.int64], clusters: NDArray[np.int64], labels: NDArray[np.int64]
    ) -> bool:
        """Take the clustering that HiGHS found where it is within all bounds and better; whether it was."""
        assert answer.columns is not None
        chosen = answer.columns[: points.size] > 0.5
        found = labels.copy()
        found[points[chosen]] = clusters[chosen]
        if not self._is_within(found):
            return False
        if self.best is not None and not self._value(found) > self._value(self.best):
            return False
        self._take(found)
        return True

    def _take(self, labels: NDArray[np.int64]) -> None:
        """Keep a clustering, and what the relaxation says of it."""
        model, relaxed = self.program.contracted, self.relaxed
        certificate = check_assignment(model, labels, relaxed.prices, further_prices=relaxed.further)
        self.best = labels
        self.slack = self.open = max((certificate.gap + certificate.rounding) * certificate.magnitude, 0.0)
        self.proof = "dual of the relaxation"

    def _close(self, answer: LinearAnswer, cost: NDArray[np.float64], best: NDArray[np.float64]) -> None:
        """The bound of the search tree, where all pairs that could be better were free."""
        if not np.isfinite(answer.bound):
            return
        tree = max(float(cost[: best.size] @ best) - answer.bound, 0.0)
        if tree < self.open:
            self.open, self.proof = tree, "branch and bound (HiGHS)"

    def _is_within(self, labels: NDArray[np.int64]) -> bool:
        return self.program.contracted.polytope.contains(labels)

    def _value(self, labels: NDArray[np.int64]) -> float:
        return self.program.contracted.value(labels)
