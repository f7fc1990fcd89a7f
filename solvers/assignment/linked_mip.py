"""The assignment program under links, exactly: its linear relaxation, then branch and bound.

The duals of the relaxation give the bound (5) of `programs/linked_assignment.py`, which is evaluated, not read
from the solver. Where the relaxation is whole, (5) proves it optimal and no search is needed; otherwise HiGHS branches,
and the proof says whether (5) or its tree closed the gap. The tree's bound is HiGHS's word: its linear programs may be
infeasible in the dual by a tolerance, which is added for every column, of width one. That tolerance and the gap at
which the search stops are parts of the largest loss of a block, so a clustering that is found bars the places that lose
more than it does in all (`programs/reduction.py`), and while this makes the largest loss smaller the search is
repeated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import NotOptimalError
from ...base.status import Status
from ...models.objectives.bound import Bound
from ...models.polytope.magnitudes import powers_of_two
from ...models.programs.linear_program import TOLERANCE, TOLERANCES, LinearProgram
from ...models.programs.linked_assignment import LinkedAssignmentMIP, rounding_within
from ...models.programs.reduction import reduced
from ..backends.highs_ import MIP_GAP
from ..linear_program import LinearAnswer, solve_linear
from .clash import contradiction
from .linked_placement import best_rounds, free_points

NEAR = 0.05  # of all blocks, the ones nearest to a wall of the relaxation, are placed first by `solve_nearly`
WIDER = 4.0  # times as many when these leave no clustering
NEARLY = 1e-5  # of what all blocks lose in the relaxation: gap at which it stops


class Found(NamedTuple):
    """Labels (n,), a bound, prices (q,) of the rows (2), why it stopped, and HiGHS's word for that."""

    labels: NDArray[np.int64]
    bound: Bound
    prices: NDArray[np.float64]
    status: Status
    word: str


def solve_exactly(program: LinkedAssignmentMIP, gap: float | None, deadline: Deadline) -> Found:
    """A clustering with a bound that is at most ``gap`` above its value, in the unit of the scores, where in time."""
    found, smaller = _solved(program, gap, deadline), program
    while found.status is Status.OPTIMAL:
        model = reduced(smaller.model, found.labels)
        if model is None or (gap is not None and found.bound.upper - found.bound.lower <= gap):
            break
        before, smaller = _scaled(smaller)[1], LinkedAssignmentMIP(model, program.links)
        if powers_of_two(_scaled(smaller)[1]) >= powers_of_two(before):
            break
        again = _solved(smaller, gap, deadline)
        value, least = program.model.value(again.labels), smaller.model.value(again.labels)
        rounding = 2.0 * rounding_within(program, model.polytope.allowed) + smaller.rounding  # of values and of -c_ij
        bound = Bound(value, value + max(again.bound.upper - least, 0.0) + rounding, again.bound.proof)
        found = again._replace(bound=bound)
    return found


def _solved(program: LinkedAssignmentMIP, gap: float | None, deadline: Deadline) -> Found:
    """`solve_exactly` without repetition; as OPTIMAL counts what reaches the gap but for the solver's tolerance."""
    b, k = program.gains.shape
    scaled, scale = _scaled(program)
    relaxed = solve_linear(replace(scaled, integral=None), deadline=deadline)
    if relaxed.outcome is Status.INFEASIBLE:
        raise contradiction(program.model, program.links, deadline)
    upper, prices, proof = program.trivial_bound, np.zeros(len(program.scales)), "best cluster of every block"
    small = MIP_GAP * scale if gap is None else gap
    if relaxed.outcome is Status.OPTIMAL and relaxed.columns is not None and relaxed.row_duals is not None:
        duals, proof = -relaxed.row_duals * scale, "dual of the relaxation"
        prices = duals[b : b + prices.size]
        upper = min(upper, program.dual_bound(prices, duals[b + prices.size :].reshape(-1, k)))
        shares = relaxed.columns.reshape(b, k)
        if shares.max(axis=1).min() > 1.0 - 1e-9:
            labels = shares.argmax(axis=1)[program.links.blocks]
            value = program.model.value(labels)
            if upper - value <= small + 2.0 * program.rounding:
                return Found(labels, Bound(value, upper, proof), prices, Status.OPTIMAL, relaxed.status)
    searched = _branch_and_bound(scaled, small / scale, deadline)
    if searched.outcome is Status.INFEASIBLE:
        raise contradiction(program.model, program.links, deadline)
    labels = _labels(program, searched, prices, deadline)
    value, tolerance = program.model.value(labels), scale * TOLERANCE * program.gains.size
    if upper - value > small:
        best = float(program.permitted(program.gains).max(axis=1).sum())
        tree = best - scale * searched.bound + tolerance + program.rounding
        if tree < upper:
            upper, proof = tree, "branch and bound (HiGHS)"
    status = searched.outcome
    if status is Status.OPTIMAL and not upper - value <= small + 2.0 * (tolerance + program.rounding):
        status = Status.NUMERICAL
    return Found(labels, Bound(value, max(upper, value), proof), prices, status, searched.status)


def solve_nearly(
    program: LinkedAssignmentMIP, deadline: Deadline
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """Labels (n,) and prices (q,) of a good clustering, where points have weights or there are further rows."""
    (b, k), (scaled, scale) = program.gains.shape, _scaled(program)
    relaxed = solve_linear(replace(scaled, integral=None), deadline=deadline)
    if relaxed.outcome is Status.INFEASIBLE:
        raise contradiction(program.model, program.links, deadline)
    if relaxed.columns is None or relaxed.row_duals is None:
        return None
    duals, shares = relaxed.row_duals, relaxed.columns.reshape(b, k)
    reduced = np.reshape(scaled.cost - duals @ scaled.matrix, (b, k))
    reduced = np.where(scaled.upper.reshape(b, k) > 0, reduced, np.inf)
    own = shares.argmax(axis=1)
    lead = np.partition(reduced, 1, axis=1)[:, 1] if k > 1 else np.full(b, np.inf)
    lead[shares.max(axis=1) < 1.0 - 1e-9] = -np.inf
    order, part = np.argsort(lead, kind="stable"), NEAR
    while True:
        fixed = order[max(int(np.ceil(part * b)), min(b, 50)) :]
        lower = np.zeros((b, k))
        lower[fixed, own[fixed]] = 1.0
        found = _branch_and_bound(replace(scaled, lower=lower.ravel()), NEARLY * relaxed.value, deadline)
        if found.columns is not None:
            labels = found.columns.reshape(b, k).argmax(axis=1)[program.links.blocks]
            return labels, -duals[b : b + len(program.scales)] * scale
        if found.outcome is not Status.INFEASIBLE:
            return None
        if not fixed.size:
            raise contradiction(program.model, program.links, deadline)
        part *= WIDER


def _scaled(program: LinkedAssignmentMIP) -> tuple[LinearProgram, float]:
    """The program as a minimum of what blocks lose to their best cluster, in units of the largest loss; that unit."""
    lost = np.where(np.isfinite(program.losses), program.losses, 0.0)
    scale = float(lost.max(initial=0.0)) or 1.0
    return replace(program.linear_program, cost=lost.ravel() / scale, maximise=False), scale


def _branch_and_bound(program: LinearProgram, gap: float, deadline: Deadline) -> LinearAnswer:
    """HiGHS's answer, to within an absolute gap in the unit of the program."""
    answer = solve_linear(program, TOLERANCES | {"mip_rel_gap": 0.0, "mip_abs_gap": gap}, deadline)
    if answer.outcome is Status.TIME_LIMIT:
        deadline.missed = True
    return answer


def _labels(
    program: LinkedAssignmentMIP, answer: LinearAnswer, prices: NDArray[np.float64], deadline: Deadline
) -> NDArray[np.int64]:
    """Labels of what the search found: integral blocks as they are, the rest by one exact assignment program."""
    if answer.columns is None:
        placed = None if program.integral.all() else best_rounds(program, prices, 1, deadline)
        if placed is None:
            raise NotOptimalError(
                f"no clustering was found in {deadline.seconds} seconds (HiGHS: {answer.status}): allow more time_limit"
            )
        return placed[0]
    shares, fixed = answer.columns.reshape(program.gains.shape), program.integral
    labels = shares.argmax(axis=1)
    if fixed.all() or shares.max(axis=1).min() > 1.0 - 1e-6:
        return labels[program.links.blocks]
    return free_points(program, np.where(fixed, labels, -1))[0]
