"""The project's own exact backend: the assignment program contracted to k + 1 nodes.

The program has n k variables but only k sinks. Contracting every cluster to a node leaves k + 1 of them (one is
the slack between the bounds) with exchange arcs i -> j of cost w_ij = min over members x of i of
gamma_i(x) - gamma_j(x). Shortest paths on this small graph move one point an arc, and the k prices that they
leave are the dual certificate. The formulation and its invariant are in `flow.shortest_paths`.
"""

from __future__ import annotations

from time import perf_counter
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import clock
from ...base.record import Record
from ...base.status import Status
from ...base.version import __version__
from ...models.certificates.certificate import Split
from ...models.programs.assignment import AssignmentModel
from ..backend import Backend, Capabilities
from ..solution import AssignmentSolution, Objectives
from .flow.optimal_flow import Flow, evaluate_flow
from .flow.pieces import split_points
from .flow.repair import repaired
from .flow.shortest_paths import BLOCKED_BY_ROUNDING, DONE, PAUSED
from .options import DEFAULT, Options
from .passes.rows import Data, assign, evaluate, kernel_data, subset
from .prices.equal_points import EqualPoints, are_whole
from .prices.first_prices import solve_flow
from .prices.reoptimisation import Reoptimisation
from .program import Program

REPAIR_GAP = 1e-13  # A flow is repaired where the relative gap of the objectives is larger.
REPAIR_LOSS = 1e-12  # So it is where a point loses more, relative to its own scores and the prices.
_STATUS = {DONE: Status.OPTIMAL, BLOCKED_BY_ROUNDING: Status.OPTIMAL, PAUSED: Status.TIME_LIMIT}
_WORDS = {DONE: "done", BLOCKED_BY_ROUNDING: "no path", PAUSED: "paused"}


class TransportBackend(Backend):
    """Successive shortest paths on the contracted assignment problem.

    Notes
    -----
    Exact, up to rounding in the scores: the objective equals the dual value of the prices to about 1e-15 of
    the scores' total range. With real weights the vertex splits at most k - 1 points.
    One pass over the data costs O(n k d). The flow costs O(k) to O(k^2) for every point whose best cluster at
    the starting prices is not its final one; that number is of order sqrt(n k) when prices come from a sample,
    and near zero with a good ``warm_start``. Besides the data, memory is O(n) integers and the candidate heaps.
    Results do not depend on the number of threads.

    References
    ----------
    Ahuja, Magnanti and Orlin (1993), *Network Flows*, chapter 9 (successive shortest paths).
    """

    name: ClassVar[str] = "transport"
    capabilities: ClassVar[Capabilities] = Capabilities(
        exact=True, duals=True, warm_start=True, time_limit=True, weights=True
    )
    step_options: ClassVar[Record] = {"certify": False}

    def solve(
        self,
        model: AssignmentModel,
        *,
        warm_start: NDArray | None = None,
        time_limit: float | None = None,
        certify: bool = True,
        carried: Reoptimisation | None = None,
        merged: EqualPoints | None = None,
        options: Options = DEFAULT,
    ) -> AssignmentSolution:
        """Solve a feasible model; see `Backend.solve`.

        Parameters
        ----------
        model, warm_start, time_limit
            As there. Prices larger than the scores by a factor of a million are ignored. Seconds in which kernels are
            compiled do not count. When time runs out no assignment is returned, but the prices are a valid dual bound,
            which takes one more pass over the data, after the limit.
        certify : bool, default True
            Compute objectives and point duals, one more pass over the data. The assignment is as optimal
            without; `AssignmentSolution.verify` derives what is missing.
        carried : Reoptimisation, optional
            What other steps on the same points, without weights, have left; it serves this step and is brought up to
            it. It has no time limit then.
        merged : EqualPoints, optional
            Which points are equal, where that is known already.
        options : Options
            Where the engine changes its ways; none changes the optimum.

        Returns
        -------
        AssignmentSolution

        Raises
        ------
        CapabilityError
            When the polytope has masks or side constraints; `partitope.solvers.solve` takes another way for these.
        """
        started = perf_counter()
        polytope = model.polytope
        polytope.require_plain("backend 'transport'")
        data = kernel_data(model.score_source)
        deadline = np.inf if time_limit is None else clock() + time_limit
        built = perf_counter()
        # 1. a step of an alternation starts from what the one before has left
        if carried is not None:
            return self._step(model, data, carried, warm_start, started)
        # 2. equal points are one of integral weight
        if merged is None and are_whole(polytope):
            merged = EqualPoints.among(data[0])
        part, weights = (data, polytope.weights) if merged is None else (subset(data, merged.first), merged.counts)
        # 3. prices and the flow
        flow = solve_flow(Program(part, polytope.lower, polytope.upper, weights, options), warm_start, deadline)
        labels, splits = _labels(part, flow, weights, merged)
        done, value = flow.outcome != PAUSED, Objectives(np.nan, None, np.nan)
        # 4. the values of both sides; where rounding shows between them, negative cycles are cancelled
        if certify:
            value, precise = _objectives(model, data, flow, labels, splits, merged is None)
            if done and not precise:
                flow = repaired(part, flow, weights, deadline)
                labels, splits = _labels(part, flow, weights, merged)
                value, _ = _objectives(model, data, flow, labels, splits, False)
        return AssignmentSolution(
            model=model,
            labels=labels if done else None,
            prices=flow.prices,
            point_duals=value.point_duals,
            objective=value.primal if done else np.nan,
            dual_objective=value.dual,
            status=_STATUS[flow.outcome],
            seconds=perf_counter() - started,
            backend=self.name,
            splits=splits if done else (),
            build_seconds=built - started,
            iterations=flow.searches,
            raw_status=_WORDS[flow.outcome],
            solver_version=f"partitope {__version__}",
        )

    def _step(
        self, model: AssignmentModel, data: Data, carried: Reoptimisation, prices: NDArray | None, started: float
    ) -> AssignmentSolution:
        """A step of an alternation: labels and prices, without objectives."""
        built = perf_counter()
        lower, upper = (np.asarray(bound, dtype=np.float64) for bound in (model.polytope.lower, model.polytope.upper))
        found = carried.step(data, lower, upper, prices)
        return AssignmentSolution(
            model=model,
            labels=found.labels,
            prices=found.prices,
            point_duals=None,
            objective=np.nan,
            dual_objective=np.nan,
            status=Status.OPTIMAL,
            seconds=perf_counter() - started,
            backend=self.name,
            build_seconds=built - started,
            iterations=found.searches,
            raw_status=_WORDS[DONE],
            solver_version=f"partitope {__version__}",
        )


def _labels(
    data: Data, flow: Flow, weights: NDArray[np.float64] | None, merged: EqualPoints | None
) -> tuple[NDArray[np.int64], tuple[Split, ...]]:
    """Cluster of every point, and the shares of the split ones."""
    pieces = flow.pieces
    if merged is not None:
        return merged.labels(pieces) if flow.outcome != PAUSED else np.zeros(merged.order.size, np.int64), ()
    if weights is None or flow.outcome == PAUSED:
        return pieces.labels, ()
    free = pieces.amounts <= 0.0  # points whose weight vanishes in the total: each goes to its best cluster
    labels = pieces.labels
    if free.any():
        best = np.empty_like(labels)
        assign(data, flow.prices, best, np.empty(labels.size))
        labels = np.where(free, best, labels)
    return split_points(pieces, labels)


def _objectives(
    model: AssignmentModel,
    data: Data,
    flow: Flow,
    labels: NDArray[np.int64],
    splits: tuple[Split, ...],
    same_points: bool,
) -> tuple[Objectives, bool]:
    """Values of the assignment and of its prices, and whether they prove it up to rounding. A few large scores may hide
    the rest, so every weighted point's loss is also compared with its own scores."""
    best, own, prices = np.zeros(len(data[0])), np.zeros(len(data[0])), flow.prices
    if same_points:
        evaluate_flow(data, flow, labels, best, own)
    else:
        evaluate(data, prices, labels, best, own)
    value = Objectives.of(model, labels, splits, prices, (best, own))
    precise = abs(value.dual - value.primal) <= REPAIR_GAP * max(abs(value.primal), abs(value.dual))
    if precise and model.polytope.weights is not None:
        scale = np.abs(best) + np.abs(own) + np.abs(prices).max()
        precise = not (best - own + prices[labels] > REPAIR_LOSS * scale).any()
    return value, precise
