"""The project's own exact backend: the assignment program contracted to k + 1 nodes.

The program has n k variables but only k sinks. Contracting every cluster to a node leaves k + 1 of them (one is
the slack between the bounds) with exchange arcs i -> j of cost w_ij = min over members x of i of
gamma_i(x) - gamma_j(x). Shortest paths on this small graph move one point an arc, and the k prices that they
leave are the dual certificate. The formulation and its invariant are in `flow`.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ... import __version__
from ...base.status import Status
from ...models.assignment import AssignmentModel
from ...models.certificate import Split
from ..backend import Backend, Capabilities
from ..solution import AssignmentSolution, Objectives
from .engine import Flow, polished, smallest_amount, solve_flow
from .flow import DONE, NO_PATH, PAUSED
from .rows import Data, assign, evaluate, pack
from .splits import split_points

POLISH = 1e-13  # relative gap above which prices are computed anew from the final assignment
_STATUS = {DONE: Status.OPTIMAL, NO_PATH: Status.OPTIMAL, PAUSED: Status.TIME_LIMIT}
_WORDS = {DONE: "done", NO_PATH: "no path", PAUSED: "paused"}


class TransportBackend(Backend):
    """Successive shortest paths on the contracted assignment problem.

    Notes
    -----
    Exact, up to rounding in the scores: the objective equals the dual value of the prices to about 1e-15 of
    the scores' total range. With real weights the vertex splits at most k - 1 points, and scores that differ by less
    than rounding of the largest ones count as equal.
    One pass over the data costs O(n k d). The flow costs O(k) to O(k^2) for every point whose best cluster at
    the starting prices is not its final one; that number is of order sqrt(n k) when prices come from a sample,
    and near zero with a good ``warm_start``. Memory is O(n) integers beside the data, and the candidate heaps.
    Results do not depend on the number of threads.

    References
    ----------
    Ahuja, Magnanti and Orlin (1993), *Network Flows*, chapter 9 (successive shortest paths).
    """

    name: ClassVar[str] = "transport"
    capabilities: ClassVar[Capabilities] = Capabilities(
        exact=True, duals=True, warm_start=True, time_limit=True, weights=True
    )
    step_options: ClassVar[dict[str, Any]] = {"certify": False}

    def solve(
        self,
        model: AssignmentModel,
        *,
        warm_start: NDArray | None = None,
        time_limit: float | None = None,
        certify: bool = True,
    ) -> AssignmentSolution:
        """Solve a feasible model; see `Backend.solve`.

        Parameters
        ----------
        model : AssignmentModel
            The linear program.
        warm_start : (k,) ndarray, optional
            Prices near the optimal ones; ignored when larger than the scores by a factor of a million.
        time_limit : float, optional
            Seconds, kept but for passes over the data that have begun. When they run out there is no assignment, but
            the prices are a valid dual bound.
        certify : bool, default True
            Compute objectives and point duals, one more pass over the data. The assignment is as optimal
            without; `AssignmentSolution.verify` derives what is missing.

        Returns
        -------
        AssignmentSolution
        """
        started = perf_counter()
        polytope = model.polytope
        data = pack(model.score_source)
        deadline = np.inf if time_limit is None else started + time_limit
        built = perf_counter()
        flow = solve_flow(data, polytope.lower, polytope.upper, polytope.weights, warm_start, deadline)
        labels, splits = _labels(data, flow, polytope.weights)
        done, prices = flow.outcome != PAUSED, flow.prices
        value = Objectives(np.nan, None, np.nan)
        if certify:
            prices, value = _proof(model, data, flow, labels, splits)
        return AssignmentSolution(
            model=model,
            labels=labels if done else None,
            prices=prices,
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


def _proof(
    model: AssignmentModel, data: Data, flow: Flow, labels: NDArray[np.int64], splits: tuple[Split, ...]
) -> tuple[NDArray[np.float64], Objectives]:
    """Prices, computed anew where they lost digits, and the values that go with them."""
    best, own, prices = np.empty(labels.size), np.empty(labels.size), flow.prices
    evaluate(data, prices, labels, best, own)
    value = Objectives.of(model, labels, splits, prices, (best, own))
    if flow.outcome != PAUSED and abs(value.dual - value.primal) > POLISH * max(abs(value.primal), abs(value.dual)):
        prices = polished(data, flow, smallest_amount(model.polytope.weights))
        evaluate(data, prices, labels, best, own)
        value = Objectives.of(model, labels, splits, prices, (best, own))
    return prices, value


def _labels(data: Data, flow: Flow, weights: NDArray[np.float64] | None) -> tuple[NDArray[np.int64], tuple[Split, ...]]:
    """Cluster of every point, and the shares of the split ones."""
    pieces = flow.pieces
    if weights is None:
        return pieces.labels, ()
    free = pieces.amounts <= 0.0  # to their best cluster: their weight is nothing beside the total
    labels = pieces.labels
    if free.any():
        best = np.empty_like(labels)
        assign(data, flow.prices, best, np.empty(labels.size))
        labels = np.where(free, best, labels)
    return split_points(pieces, labels)
