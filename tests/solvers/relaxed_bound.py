"""The semidefinite bound of a least-squares relaxation after some rounds, without a search."""

from __future__ import annotations

from partitope.base.deadline import UNLIMITED
from partitope.models import LeastSquaresSDP
from partitope.solvers.global_optimum.sdp import Iterates


def relaxed_bound(model: LeastSquaresSDP, rounds: int) -> float:
    """The best bound of so many rounds of 50 steps and a separation of cuts."""
    state, best = Iterates.start(model), 0.0
    for _ in range(rounds):
        state.advance(model, 50, UNLIMITED)
        best = max(best, model.safe(state.safe_bound(model)))
        state.separate(model, UNLIMITED)
    return best
