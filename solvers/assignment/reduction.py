"""Solve again without the pairs that an answer shows to be useless, until it is proved or none is left.

Solvers work to tolerances relative to the largest cost. Where that belongs to a pair that is never used they hide what
matters, so every backend's answer passes here: see `programs/reduction.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InfeasibleBoundsError, NotOptimalError
from ...base.status import Status
from ...models.certificates.priced_out_rows import PricedOutRows, net_scores
from ...models.programs.assignment import AssignmentModel
from ...models.programs.reduction import reduced, restricted_to
from ..backends.explicit import exchange_prices
from ..solution import AssignmentSolution, Objectives


def proved_or_reduced(
    solution: AssignmentSolution, again: Callable[[AssignmentModel], AssignmentSolution]
) -> AssignmentSolution:
    """An answer with prices: verified, or the best that smaller programs gave, which then is not called optimal."""
    model, needed = solution.model, np.zeros(solution.model.score_source.shape, dtype=bool)
    program: AssignmentModel | None = model
    while solution.status is Status.OPTIMAL and not _verified(solution):
        assert solution.labels is not None
        program = reduced(model, solution.labels, solution.splits, needed)
        if program is None or (answer := _priced_out(model, program, needed, again)) is None:
            return _by_exchange(solution)
        if not _verified(answer) and not answer.objective > solution.objective:
            return _by_exchange(answer if answer.objective == solution.objective else solution)
        solution = answer
    return solution


def _priced_out(
    model: AssignmentModel,
    program: AssignmentModel,
    needed: NDArray[np.bool_],
    again: Callable[[AssignmentModel], AssignmentSolution],
) -> AssignmentSolution | None:
    """The answer to a smaller program, in which pairs come back that are better at its prices; None without one."""
    while True:
        try:
            answer, kept = again(program), program.polytope.allowed
        except (InfeasibleBoundsError, NotOptimalError):  # this proves nothing about the pairs that were left out
            return None
        if answer.labels is None or answer.prices is None or answer.status is not Status.OPTIMAL:
            return None
        assert kept is not None
        more = _better_outside(model, kept, answer.prices, answer.further_prices)
        answer = _restated(model, answer)
        if not more.any() or _verified(answer):
            return answer
        needed |= more
        program = restricted_to(model, kept | more)


def _verified(solution: AssignmentSolution) -> bool:
    return solution.labels is not None and solution.prices is not None and _certificate_holds(solution)


def _certificate_holds(solution: AssignmentSolution) -> bool:
    certificate = solution.verify()
    return certificate.verified or not certificate.decidable  # what floating point cannot tell is left as it is


def _restated(model: AssignmentModel, answer: AssignmentSolution) -> AssignmentSolution:
    """The answer to a smaller program as one to the whole model."""
    value = Objectives.of(model, answer.labels, answer.splits, answer.prices, further_prices=answer.further_prices)
    return replace(
        answer, model=model, objective=value.primal, dual_objective=value.dual, point_duals=value.point_duals
    )


def _by_exchange(solution: AssignmentSolution) -> AssignmentSolution:
    """The same labels with prices from shortest paths, if those prove them; else not called optimal."""
    if not solution.model.polytope.further and solution.labels is not None:
        prices: NDArray[np.float64] | None = exchange_prices(solution.model, solution.labels, None, solution.splits)
        if prices is not None:
            other = _restated(solution.model, replace(solution, prices=prices))
            if _verified(other):
                return other
    return replace(solution, status=Status.NUMERICAL)


def _better_outside(
    model: AssignmentModel,
    kept: NDArray[np.bool_],
    prices: NDArray[np.float64],
    further_prices: Mapping[str, NDArray[np.float64]],
) -> NDArray[np.bool_]:
    """Pairs (n, k) outside a mask that are better at these prices than the pairs of their points within."""
    charges = PricedOutRows.of(model.polytope, further_prices)
    net = net_scores(model, prices, charges, 0, model.polytope.n_points)
    best = np.where(kept, net, -np.inf).max(axis=1, keepdims=True)
    return np.asarray(~kept & (net > best))
