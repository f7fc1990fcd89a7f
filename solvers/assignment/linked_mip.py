"""The assignment program under links, exactly: its linear relaxation, then branch and bound.

The duals of the relaxation give the bound (5) of `programs/linked_assignment.py`, which is evaluated, not read
from the solver. Where the relaxation is whole, (5) proves it optimal and no search is needed; otherwise HiGHS branches,
and the proof says whether (5) or its tree closed the gap. The tree's bound is HiGHS's word: its linear programs may be
infeasible in the dual by a tolerance, which is added for every column, of width one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import NotOptimalError
from ...base.status import Status
from ...models.objectives.bound import Bound
from ...models.polytope.links import ContradictoryLinksError, Links
from ...models.programs.linear_program import TOLERANCE, TOLERANCES, LinearProgram
from ...models.programs.linked_assignment import LinkedAssignmentMIP
from ..linear_program import LinearAnswer, solve_linear
from .linked_placement import best_rounds, free_points
from .solve import solve

MOST_NAMED = 200  # links beyond which the ones that clash are not singled out
NEAR = 0.05  # of all blocks, the ones nearest to a wall of the relaxation, are placed first by `solve_nearly`
WIDER = 4.0  # times as many when these leave no clustering
NEARLY = 1e-5  # gap at which it stops, in the relaxation's sum of what blocks stand to lose


def solve_exactly(
    program: LinkedAssignmentMIP, gap: float, deadline: Deadline
) -> tuple[NDArray[np.int64], Bound, NDArray[np.float64], Status, str]:
    """Labels (n,), a bound, prices (q,) of the rows (2), why it stopped, and HiGHS's word for that.

    Raises
    ------
    ContradictoryLinksError
        When nothing satisfies links and bounds together.
    NotOptimalError
        When the time was too short to find any clustering.
    """
    b, k = program.gains.shape
    scaled, scale = _scaled(program)
    relaxed = solve_linear(replace(scaled, integral=None), deadline=deadline)
    if relaxed.outcome is Status.INFEASIBLE:
        raise _contradiction(program, deadline)
    upper, prices, proof = program.trivial_bound, np.zeros(len(program.scales)), "best cluster of every block"
    if relaxed.outcome is Status.OPTIMAL and relaxed.columns is not None and relaxed.row_duals is not None:
        duals, proof = -relaxed.row_duals * scale, "dual of the relaxation"
        prices = duals[b : b + prices.size]
        upper = min(upper, program.dual_bound(prices, duals[b + prices.size :].reshape(-1, k)))
        shares = relaxed.columns.reshape(b, k)
        if shares.max(axis=1).min() > 1.0 - 1e-9:
            labels = shares.argmax(axis=1)[program.links.blocks]
            value = program.model.value(labels)
            if upper - value <= gap * _size(program, upper):
                return labels, Bound(value, upper, proof), prices, Status.OPTIMAL, relaxed.status
    searched = _branch_and_bound(scaled, gap, deadline)
    if searched.outcome is Status.INFEASIBLE:
        raise _contradiction(program, deadline)
    labels = _labels(program, searched, prices, deadline)
    value = program.model.value(labels)
    if upper - value > gap * _size(program, upper):
        tree = float(program.gains.max(axis=1).sum() - scale * (searched.bound - TOLERANCE * program.gains.size))
        tree += program.rounding
        if tree < upper:
            upper, proof = tree, "branch and bound (HiGHS)"
    return labels, Bound(value, max(upper, value), proof), prices, searched.outcome, searched.status


def solve_nearly(
    program: LinkedAssignmentMIP, deadline: Deadline
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """Labels (n,) and prices (q,) of a good clustering, where points have weights or there are further rows.

    Blocks that the relaxation leaves whole and far from a wall stay there, the others are placed by branch and bound,
    more of them when these leave no clustering. None when time ran out, ContradictoryLinksError when there is none.
    """
    (b, k), (scaled, scale) = program.gains.shape, _scaled(program)
    relaxed = solve_linear(replace(scaled, integral=None), deadline=deadline)
    if relaxed.outcome is Status.INFEASIBLE:
        raise _contradiction(program, deadline)
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
        found = _branch_and_bound(replace(scaled, lower=lower.ravel()), NEARLY, deadline)
        if found.columns is not None:
            labels = found.columns.reshape(b, k).argmax(axis=1)[program.links.blocks]
            return labels, -duals[b : b + len(program.scales)] * scale
        if found.outcome is not Status.INFEASIBLE:
            return None
        if not fixed.size:
            raise _contradiction(program, deadline)
        part *= WIDER


def _scaled(program: LinkedAssignmentMIP) -> tuple[LinearProgram, float]:
    """The program as a minimum of what blocks lose to their best cluster, in units of the largest loss; that unit."""
    scale = float(np.ptp(program.gains, axis=1).max(initial=0.0)) or 1.0
    cost = -(program.gains - program.gains.max(axis=1, keepdims=True)).ravel() / scale
    return replace(program.linear_program, cost=cost, maximise=False), scale


def _branch_and_bound(program: LinearProgram, gap: float, deadline: Deadline) -> LinearAnswer:
    answer = solve_linear(program, TOLERANCES | {"mip_rel_gap": 0.0 if gap <= 1e-9 else gap}, deadline)
    if answer.outcome is Status.TIME_LIMIT:
        deadline.missed = True
    return answer


def _size(program: LinkedAssignmentMIP, upper: float) -> float:
    return max(abs(upper), float(np.abs(program.gains).max(initial=0.0)))


def _labels(
    program: LinkedAssignmentMIP, answer: LinearAnswer, prices: NDArray[np.float64], deadline: Deadline
) -> NDArray[np.int64]:
    """Labels of what the search found: integral blocks as they are, the rest by one exact assignment program.

    Where it found nothing, one round of the heuristic at the prices of the relaxation.
    """
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


def _contradiction(program: LinkedAssignmentMIP, deadline: Deadline) -> ContradictoryLinksError:
    """Name links of which one has to go: those that, in time, could not be dropped without ending the clash."""
    links, polytope = program.links, program.model.polytope
    bounds = "size bounds" if polytope.is_plain else f"bounds ({', '.join(polytope.row_names)})"
    if program.integral.all() and not _possible(program, [], deadline):
        solve(program.model)  # names rows that cannot hold together
        return ContradictoryLinksError(
            "the bounds leave room for divided points only, but here points have to be whole: widen them by up to the "
            "largest coefficient of a point"
        )
    pairs = [("must", tuple(p)) for p in links.must.tolist()] + [("cannot", tuple(p)) for p in links.cannot.tolist()]
    if len(pairs) > MOST_NAMED:
        return ContradictoryLinksError(
            f"must ({len(links.must)} links) and cannot ({len(links.cannot)} links) admit no clustering within the "
            f"{bounds}: remove links or widen the bounds"
        )
    kept = list(pairs)
    for pair in pairs:
        fewer = [p for p in kept if p != pair]
        if deadline.allows() and not _possible(program, fewer, deadline):
            kept = fewer
    text = ", ".join(f"{name} {pair}" for name, pair in kept)
    return ContradictoryLinksError(
        f"{text} cannot hold together for {polytope.n_clusters} clusters with these {bounds}: remove one of them or "
        f"widen the bounds",
        tuple(pair for _, pair in kept),
    )


def _possible(program: LinkedAssignmentMIP, pairs: list, deadline: Deadline) -> bool:
    must, cannot = ([p for kind, p in pairs if kind == name] for name in ("must", "cannot"))
    try:
        fewer = LinkedAssignmentMIP(program.model, Links(program.links.n_points, must, cannot))
    except ContradictoryLinksError:
        return False
    nothing = replace(fewer.linear_program, cost=np.zeros(fewer.gains.size), maximise=False)
    return _branch_and_bound(nothing, 0.0, deadline).outcome is not Status.INFEASIBLE
