"""Linked blocks placed one by one by prices, and single points by one exact assignment program: a heuristic.

The most decided blocks come first, each goes where its score less the price of its size is best among the clusters that
have room and hold no enemy; the single points then follow in the room that is left. Their prices steer the next round.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.programs.linked_assignment import LinkedAssignmentMIP
from .solve import solve


def free_points(
    program: LinkedAssignmentMIP, placed: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Labels (n,) and prices when the blocks (b,) with ``placed >= 0`` stay and single points fill up exactly."""
    polytope, k = program.model.polytope, program.model.polytope.n_clusters
    free = placed < 0
    load = np.bincount(placed[~free], program.sizes[~free], k)
    whole = placed.copy()
    prices = np.zeros(k)
    if free.any():
        allowed = None if program.allowed is None else program.allowed[free]
        low, up = np.maximum(polytope.lower - load, 0.0), polytope.upper - load
        rest = PartitionPolytope(int(free.sum()), low, up, allowed=allowed)
        solution = solve(AssignmentModel(rest, program.gains[free]))
        whole[free], prices = solution.require_labels(), np.asarray(solution.prices)
    return whole[program.links.blocks], prices


def best_rounds(
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
        labels, new = free_points(program, placed)
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
    for _ in range(200):  # blocks moved to the front because nothing was left for them
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
