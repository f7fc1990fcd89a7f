"""Corrections of a finished flow from its exact exchange gaps, where rounding on the way there was too coarse.

While the flow runs, reduced costs below one common rounding bound count as zero (`shortest_paths`), and the largest
score of the program sets this bound. Points whose scores are smaller by many orders of magnitude may then be in the
wrong cluster, and prices may have lost digits. Both are corrected here from the exchange gaps

    w_ij = min over the pieces of cluster i of gamma_i - gamma_j

of the final assignment, each of which is as precise as the scores of its own point. An assignment is optimal when no
cycle of exchanges has a negative total, and prices are then shortest distances on the contracted graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import fsum

import numpy as np
from numpy.typing import NDArray

from ....base.deadline import clock
from ....models.diagram.max_margin_prices import shortest_potentials
from ..passes.rows import Data, exchange_gaps, scores_by_cluster, subset
from .nodes import normalised_prices, smallest_amount
from .optimal_flow import Flow
from .pieces import HOME, Pieces, cancel_cycle, find, listed, movable, shift

ROUNDING = 8 * float(np.finfo(np.float64).eps)  # A sum of scores errs by this share of them.
SEARCHES = 4  # Negative cycles are looked for so often, every time after as many rounds as there are nodes.
CYCLES_PER_CLUSTER = 64  # Negative cycles cancelled per cluster at most, so that the repair ends.


def repaired(data: Data, flow: Flow, weights: NDArray[np.float64] | None, deadline: float = np.inf) -> Flow:
    """The same flow with the negative cycles of exchanges that are left cancelled until the ``deadline``, one a pass,
    and prices computed at the end; changes the pieces. Totals of cycles are sums without rounding (`math.fsum`); those
    within the rounding error of their scores are left alone. Without ``weights`` there are none."""
    pieces, nodes = flow.pieces, flow.nodes
    k, tolerance = nodes.required_size.size, smallest_amount(weights)
    for _ in range(CYCLES_PER_CLUSTER * k if weights is not None else 0):
        gains = (_gain(data, pieces, cycle, k) for cycle in _negative_cycles(_lengths(data, flow, tolerance)))
        arcs, points = next((gain for gain in gains if gain is not None), ([], []))
        if not arcs or clock() > deadline:
            break
        if pieces.first_part.size == 0:
            pieces = movable(pieces, k, split=True)
            flow = replace(flow, pieces=pieces)
        _exchange(flow, arcs, points, tolerance)
    potentials, _ = shortest_potentials(_lengths(data, flow, tolerance), cycles=False)
    return replace(flow, prices=normalised_prices(potentials[:k] - potentials[k], nodes, tolerance))


def _lengths(data: Data, flow: Flow, tolerance: float) -> NDArray[np.float64]:
    """Costs (k + 1, k + 1) of moving from one cluster to another; the last node is the freedom between the bounds."""
    nodes, k = flow.nodes, flow.nodes.required_size.size
    lengths = np.full((k + 1, k + 1), np.inf)
    points, labels, amounts = listed(flow.pieces)
    lengths[:k, :k] = exchange_gaps(subset(data, points), labels, amounts, k)
    lengths[:k, k][nodes.upper - nodes.required_size > tolerance] = 0.0
    lengths[k, :k][nodes.required_size - nodes.lower > tolerance] = 0.0
    np.fill_diagonal(lengths, 0.0)
    return lengths


def _negative_cycles(lengths: NDArray[np.float64]) -> Iterator[list[int]]:
    """Cycles whose total is negative in floating point. Distances shrink for ever along one, so that the arcs which
    shorten them come to contain it."""
    m = len(lengths)
    nodes, potentials, following = np.arange(m), np.zeros(m), np.full(m, -1)
    for rounds in range(1, SEARCHES * m + 1):
        through = lengths + potentials
        best = through.argmin(axis=1)
        shorter = through[nodes, best]
        changed = potentials - shorter > ROUNDING * (np.abs(potentials) + np.abs(lengths[nodes, best]))
        if not changed.any():
            return
        potentials[changed], following[changed] = shorter[changed], best[changed]
        if rounds % m == 0:
            yield from _cycles(following)


def _cycles(following: NDArray[np.int64]) -> list[list[int]]:
    """The cycles of a graph in which every node has one arc, to ``following``, or none (-1)."""
    visit, cycles = np.full(following.size, -1), []
    for start in range(following.size):
        node, path = start, []
        while node >= 0 and visit[node] < 0:
            visit[node] = start
            path.append(node)
            node = int(following[node])
        if node >= 0 and visit[node] == start and node in path:
            cycles.append(path[path.index(node) :])
    return cycles


def _gain(data: Data, pieces: Pieces, cycle: list[int], k: int) -> tuple[list[tuple[int, int]], list[int]] | None:
    """Arcs of the cycle, and the points that its arcs between clusters move; None where moving them gains nothing."""
    arcs = list(zip(cycle, cycle[1:] + cycle[:1]))
    exchanged = [_cheapest_piece(data, pieces, i, j, k) for i, j in arcs if i < k and j < k]
    terms = [term for _, own, other in exchanged for term in (own, -other)]
    if fsum(terms) >= -ROUNDING * fsum(map(abs, terms)):
        return None
    return arcs, [point for point, _, _ in exchanged]


def _cheapest_piece(data: Data, pieces: Pieces, i: int, j: int, k: int) -> tuple[int, float, float]:
    """The piece of cluster i that loses least by moving to cluster j: its point and its scores in both."""
    points, clusters, amounts = listed(pieces)
    members = points[(clusters == i) & (amounts > 0)]
    own, other = scores_by_cluster(data, members, np.array([0, members.size])).reshape(k, members.size)[[i, j]]
    place = int((own - other).argmin())
    return int(members[place]), float(own[place]), float(other[place])


def _room(flow: Flow, arcs: list[tuple[int, int]], points: list[int]) -> Iterator[float]:
    """The amount that every arc of the cycle may carry."""
    pieces, nodes, k, moved = flow.pieces, flow.nodes, flow.nodes.required_size.size, iter(points)
    for i, j in arcs:
        if j == k:
            yield nodes.upper[i] - nodes.required_size[i]
        elif i == k:
            yield nodes.required_size[j] - nodes.lower[j]
        else:
            point = next(moved)
            part = find(pieces, point, i)
            yield pieces.amounts[point] if part == HOME else pieces.part_amounts[part]


def _exchange(flow: Flow, arcs: list[tuple[int, int]], points: list[int], tolerance: float) -> None:
    """Move as much as possible along a cycle; ``points`` are those of its arcs between clusters, in their order."""
    pieces, nodes, k, moved = flow.pieces, flow.nodes, flow.nodes.required_size.size, iter(points)
    amount = min(_room(flow, arcs, points))
    for i, j in arcs:
        if j == k:
            nodes.required_size[i] += amount
        elif i == k:
            nodes.required_size[j] -= amount
        else:
            shift(pieces, next(moved), i, j, amount, tolerance)
    root, cycle = np.empty(k, dtype=np.int64), np.empty((k + 1, 3), dtype=np.int64)
    while cancel_cycle(pieces, root, cycle, tolerance):
        pass
