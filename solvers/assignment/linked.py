"""The assignment program under must-links and cannot-links: exactly as a MIP, and by prices as a heuristic.

Exact. The linear relaxation of (1)-(3) in `partitope.models.links` comes first. Its duals mu of (2) and lam >= 0 of (3)
give, whatever the solver's accuracy, the bound

    (5)  V <= sum_c max_i ( G_ci - s_c mu_i - sum_{(a,b): c in (a,b)} lam_abi )
              + sum_i (mu_i^+ u_i - mu_i^- l_i) + sum_abi lam_abi

which is evaluated here, not read from the solver, with the forward error of its sums added. Where the relaxation is
whole, (5) proves it optimal and no search is needed; otherwise HiGHS branches, and the proof says whether (5) or its
tree closed the gap. The tree's bound is HiGHS's word: its linear programs may be infeasible in the dual by a tolerance,
which is added for every column, of width one.

Heuristic. Blocks are placed one by one, the most decided first, each where its score less the price of its size is
best among the clusters that have room and hold no enemy; the single points then follow by one exact assignment
program in the room that is left, whose prices steer the next round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import CapabilityError, InvalidInputError, NotOptimalError
from ...base.status import Status
from ...models.assignment import AssignmentModel
from ...models.bound import Bound
from ...models.linear_program import TOLERANCE, TOLERANCES
from ...models.links import ContradictoryLinksError, LinkedAssignmentMIP, Links
from ...models.objective_interval import ROUNDOFF
from ...models.polytope import PartitionPolytope
from ...models.scores import LinearScores
from ..backends.explicit import native_message, package_version
from ..backends.highs_ import STATUSES
from .solve import solve

ROUNDS = 12  # of the heuristic
RETRIES = 200  # blocks moved to the front of the queue because nothing was left for them
MOST_NAMED = 200  # links beyond which the ones that clash are not singled out


@dataclass(frozen=True, eq=False)
class LinkedSolution:
    """A clustering that respects links and bounds, for fixed scores.

    Attributes
    ----------
    labels : (n,) ndarray of int64
        Cluster of every point.
    objective : float
        Total score, a maximum.
    bound : Bound or None
        Proved interval around the optimum; None from the heuristic.
    prices : (k,) ndarray
        Prices of the clusters' sizes: of the relaxation (5), or of the single points' last program.
    status : Status
        Why the computation stopped.
    method : {"mip", "heuristic"}
        What computed it.
    seconds : float
        Wall time.
    raw_status, solver_version : str
        What the solver said of the last program that the exact method gave it, and the solver's version; empty from
        the heuristic.
    """

    labels: NDArray[np.int64]
    objective: float
    bound: Bound | None
    prices: NDArray[np.float64]
    status: Status
    method: Literal["mip", "heuristic"]
    seconds: float
    raw_status: str = ""
    solver_version: str = ""


def solve_linked(
    model: AssignmentModel,
    links: Links,
    method: Literal["mip", "heuristic"] = "mip",
    *,
    gap: float = 1e-9,
    time_limit: float | None = None,
) -> LinkedSolution:
    """Assign points to clusters for fixed scores, under size bounds and links.

    Parameters
    ----------
    model : AssignmentModel
        Scores and bounds.
    links : Links
        Pairs that must or must not be together.
    method : {"mip", "heuristic"}
        Exact, or by prices.
    gap : float, default 1e-9
        Relative gap at which the exact method stops.
    time_limit : float, optional
        Seconds. The exact method then returns the best clustering found and the bound that holds for it, the
        heuristic the best of the rounds that fit.

    Returns
    -------
    LinkedSolution
        Its labels were checked against bounds and links by counting.

    Raises
    ------
    ContradictoryLinksError
        When nothing satisfies links and bounds together; ``pairs`` are links of which one has to go.
    CapabilityError
        When points have weights and the heuristic is asked for.
    NotOptimalError
        When the time was too short to find any clustering.

    Notes
    -----
    The problem is NP-hard (colouring a graph is a special case). The exact method is fast where the relaxation is
    nearly whole, which is usual when most points carry no cannot-link.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import AssignmentModel, Links, PartitionPolytope
    >>> from partitope.solvers import solve_linked
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> model = AssignmentModel.lsa(X, X[[0, 3]], PartitionPolytope(4, 1, 3, n_clusters=2))
    >>> solve_linked(model, Links(4, must=[(2, 3)], cannot=[(0, 1)])).labels
    array([0, 1, 1, 1])
    """
    deadline = Deadline(time_limit)
    program = LinkedAssignmentMIP(model, links)
    if method == "mip":
        labels, bound, prices, status, native = _exact(program, gap, deadline)
    elif method == "heuristic":
        if model.polytope.weights is not None:
            raise CapabilityError("the heuristic does not support weights: use method='mip'")
        labels, prices = _by_prices(program, deadline)
        bound, status, native = None, Status.TIME_LIMIT if deadline.missed else Status.CONVERGED, ("", "")
    else:
        raise InvalidInputError(f"method={method!r} is not known: choose 'mip' or 'heuristic'")
    if not (model.polytope.contains(labels) and links.satisfied(labels)):
        raise NotOptimalError("the solver's answer breaks a bound or a link: please report this instance")
    value = model.value(labels)
    if bound is not None:
        bound = Bound(value - _rounding(program), max(bound.upper, value), bound.proof)
    return LinkedSolution(labels, value, bound, prices, status, method, deadline.elapsed, *native)


def _exact(
    program: LinkedAssignmentMIP, gap: float, deadline: Deadline
) -> tuple[NDArray[np.int64], Bound, NDArray[np.float64], Status, tuple[str, str]]:
    from scipy import sparse
    from scipy.optimize import linprog

    b, k = program.gains.shape
    scale = float(np.ptp(program.gains, axis=1).max(initial=0.0)) or 1.0
    cost = -(program.gains - program.gains.max(axis=1, keepdims=True)).ravel() / scale
    A, low, up = program.constraints()
    less, most = sparse.vstack([A[b:], -A[b : b + k]]), np.concatenate([up[b:], -low[b : b + k]])
    limit = {} if deadline.left is None else {"time_limit": deadline.left}
    relaxed = linprog(cost, less, most, A[:b], np.ones(b), bounds=(0.0, 1.0), method="highs", options=limit)
    if relaxed.status == 2:
        raise _contradiction(program, deadline)
    upper, prices = program.gains.max(axis=1).sum() + _rounding(program), np.zeros(k)  # every block where it is best
    if relaxed.status == 0:
        duals = -relaxed.ineqlin.marginals * scale
        m = len(program.links.conflicts) * k
        prices = duals[:k] - duals[k + m :]
        upper = min(upper, _bound(program, prices, duals[k : k + m].reshape(-1, k)))
        shares = relaxed.x.reshape(b, k)
        if shares.max(axis=1).min() > 1.0 - 1e-9:
            labels = shares.argmax(axis=1)[program.links.blocks]
            value = program.model.value(labels)
            if upper - value <= gap * _size(program, upper):
                native = native_message("linprog", relaxed), package_version("scipy")
                return labels, Bound(value, upper, "dual of the relaxation"), prices, Status.OPTIMAL, native
    answer, tree, status, word = _branch_and_bound(program, cost, gap, deadline)
    if status is Status.INFEASIBLE:
        raise _contradiction(program, deadline)
    if answer is None:
        placed = None if program.model.polytope.weights is not None else _rounds(program, prices, 1, deadline)
        if placed is None:
            raise NotOptimalError(
                f"no clustering was found in {deadline.seconds} seconds (HiGHS: {word}): allow more time_limit"
            )
        labels = placed[0]
    else:
        labels = _whole(program, answer)
    value = program.model.value(labels)
    proof = "dual of the relaxation" if relaxed.status == 0 else "best cluster of every block"
    if upper - value > gap * _size(program, upper):
        searched = float(program.gains.max(axis=1).sum() - scale * (tree - TOLERANCE * cost.size))
        searched += _rounding(program)
        if searched < upper:
            upper, proof = searched, "branch and bound (HiGHS)"
    return labels, Bound(value, max(upper, value), proof), prices, status, (word, package_version("highspy"))


def _branch_and_bound(
    program: LinkedAssignmentMIP, cost: NDArray[np.float64], gap: float, deadline: Deadline
) -> tuple[NDArray[np.float64] | None, float, Status, str]:
    """HiGHS's shares (b, k) or None, its lower bound on the minimum of the costs, and why it stopped, twice."""
    options = TOLERANCES | {"mip_rel_gap": 0.0 if gap <= 1e-9 else gap}
    answer = replace(program.linear_program, cost=cost, maximise=False).solve(options, deadline)
    status = STATUSES.get(answer.status, Status.UNKNOWN)
    if status is Status.TIME_LIMIT:
        deadline.missed = True
    shares = None if answer.columns is None else answer.columns.reshape(program.gains.shape)
    return shares, answer.bound, status, answer.status


def _rounding(program: LinkedAssignmentMIP) -> float:
    """What the total score of any clustering can be off by: forward errors of the scores and of their sum."""
    source, d = program.model.score_source, 0
    if isinstance(source, LinearScores):
        d = source.gradients.shape[1]
        moved = np.abs(np.asarray(source.X, dtype=np.float64) - source.origin)
        size = (moved @ np.abs(source.gradients).T + np.abs(source.offsets)).max(axis=1)
    else:
        size = np.abs(source.dense()).max(axis=1)
    return (source.shape[0] + 2 * d + 12) * ROUNDOFF * float((program.model.point_weights * size).sum())


def _size(program: LinkedAssignmentMIP, upper: float) -> float:
    return max(abs(upper), float(np.abs(program.gains).max(initial=0.0)))


def _bound(program: LinkedAssignmentMIP, mu: NDArray[np.float64], lam: NDArray[np.float64]) -> float:
    """The right-hand side of (5); any mu and any lam >= 0 give a valid bound."""
    polytope, lam = program.model.polytope, np.maximum(lam, 0.0)
    net = program.gains - program.sizes[:, None] * mu
    for side in (0, 1):
        np.subtract.at(net, program.links.conflicts[:, side], lam)
    used = (mu * np.where(mu > 0, np.minimum(polytope.upper, polytope.total), polytope.lower))[mu != 0]
    terms = float(np.abs(net).max(axis=1).sum() + np.abs(used).sum() + 4.0 * lam.sum())
    terms += polytope.total * float(np.abs(mu).max(initial=0.0))
    error = _rounding(program) + (len(net) + len(mu) + lam.size + 8) * ROUNDOFF * terms
    return float(net.max(axis=1).sum() + used.sum() + lam.sum()) + error


def _whole(program: LinkedAssignmentMIP, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Labels of a MIP answer: integral blocks as they are, the rest by one exact assignment program."""
    labels = shares.argmax(axis=1)
    fixed = program.integral
    if fixed.all() or shares.max(axis=1).min() > 1.0 - 1e-6:
        return labels[program.links.blocks]
    placed = np.where(fixed, labels, -1)
    return _free_points(program, placed)[0]


def _free_points(
    program: LinkedAssignmentMIP, placed: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Labels (n,) and prices when the blocks (b,) with ``placed >= 0`` stay and single points fill up exactly."""
    polytope, k = program.model.polytope, program.model.polytope.n_clusters
    free = placed < 0
    load = np.bincount(placed[~free], program.sizes[~free], k)
    whole = placed.copy()
    prices = np.zeros(k)
    if free.any():
        rest = PartitionPolytope(int(free.sum()), np.maximum(polytope.lower - load, 0.0), polytope.upper - load)
        solution = solve(AssignmentModel(rest, program.gains[free]))
        whole[free], prices = solution.require_labels(), np.asarray(solution.prices)
    return whole[program.links.blocks], prices


def _by_prices(program: LinkedAssignmentMIP, deadline: Deadline) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    best = _rounds(program, np.asarray(solve(program.model).prices), ROUNDS, deadline)
    if best is None:  # the room is too narrow for placing one by one: any clustering the exact method finds
        labels, _, prices, *_ = _exact(program, 0.05, deadline)
        return labels, prices
    return best


def _rounds(
    program: LinkedAssignmentMIP, prices: NDArray[np.float64], most: int, deadline: Deadline
) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """Labels (n,) and prices of the best of at most so many rounds, None when the first finds no room."""
    best: tuple[float, NDArray[np.int64], NDArray[np.float64]] | None = None
    enemies: list[list[int]] = [[] for _ in program.sizes]
    for a, b in program.links.conflicts.tolist():
        enemies[a].append(b)
        enemies[b].append(a)
    for _ in range(most):
        if best is not None and not deadline.allows():
            break
        placed = _place(program, prices, enemies, deadline)
        if placed is None:
            break
        labels, new = _free_points(program, placed)
        value = program.model.value(labels)
        if best is not None and value <= best[0]:
            break
        best = (value, labels, prices)
        prices = 0.5 * (prices + new)
    return None if best is None else best[1:]


def _place(
    program: LinkedAssignmentMIP, prices: NDArray[np.float64], enemies: list[list[int]], deadline: Deadline
) -> NDArray[np.int64] | None:
    """Clusters (b,) of the integral blocks, -1 for single points; None when some block or bound is left over."""
    polytope, k = program.model.polytope, program.model.polytope.n_clusters
    worth = program.gains - program.sizes[:, None] * prices
    blocks = np.flatnonzero(program.integral)
    two = np.sort(worth[blocks], axis=1)
    regret = two[:, -1] - two[:, -2] if k > 1 else two[:, -1]
    queue = blocks[np.lexsort((-regret, -program.sizes[blocks]))].tolist()
    free_points = float(program.sizes[~program.integral].sum())
    for _ in range(RETRIES):
        placed = np.full(len(program.sizes), -1, dtype=np.int64)
        load, stuck = np.zeros(k), -1
        for c in queue:
            taken = {int(placed[e]) for e in enemies[c] if placed[e] >= 0}
            options = [i for i in range(k) if i not in taken and load[i] + program.sizes[c] <= polytope.upper[i]]
            if not options:
                stuck = c
                break
            here = max(options, key=lambda i: worth[c, i])
            placed[c] = here
            load[here] += program.sizes[c]
        if stuck < 0:
            return placed if np.maximum(polytope.lower - load, 0.0).sum() <= free_points else None
        queue.remove(stuck)
        queue.insert(0, stuck)
        if not deadline.allows():
            break
    return None


def _contradiction(program: LinkedAssignmentMIP, deadline: Deadline) -> ContradictoryLinksError:
    """Name links of which one has to go: those that, in time, could not be dropped without ending the clash."""
    links, polytope = program.links, program.model.polytope
    pairs = [("must", tuple(p)) for p in links.must.tolist()] + [("cannot", tuple(p)) for p in links.cannot.tolist()]
    if len(pairs) > MOST_NAMED:
        return ContradictoryLinksError(
            f"must ({len(links.must)} links) and cannot ({len(links.cannot)} links) admit no clustering within the "
            f"size bounds: remove links or widen the bounds"
        )
    kept = list(pairs)
    for pair in pairs:
        fewer = [p for p in kept if p != pair]
        if deadline.allows() and not _possible(program, fewer, deadline):
            kept = fewer
    text = ", ".join(f"{name} {pair}" for name, pair in kept)
    return ContradictoryLinksError(
        f"{text} cannot hold together for {polytope.n_clusters} clusters with these size bounds: remove one of them or "
        f"widen the bounds",
        tuple(pair for _, pair in kept),
    )


def _possible(program: LinkedAssignmentMIP, pairs: list, deadline: Deadline) -> bool:
    must, cannot = ([p for kind, p in pairs if kind == name] for name in ("must", "cannot"))
    try:
        fewer = LinkedAssignmentMIP(program.model, Links(program.links.n_points, must, cannot))
    except ContradictoryLinksError:
        return False
    return _branch_and_bound(fewer, np.zeros(fewer.gains.size), 0.0, deadline)[2] is not Status.INFEASIBLE
