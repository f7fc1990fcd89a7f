"""The exchange graph of `exchange` in fractions: arcs, room between the bounds, prices from shortest paths."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from .exact_scores import ZERO

if TYPE_CHECKING:
    from ..programs.assignment import AssignmentModel

Arcs = dict[tuple[int, int], Fraction]  # arc lengths; node k is the room between the bounds


def shorten(arcs: Arcs, i: int, gamma: list[Fraction]) -> None:
    """Shorten the arcs out of cluster i by a point with scores gamma that may leave it."""
    for l, other in enumerate(gamma):
        loss = gamma[i] - other
        if l != i and ((i, l) not in arcs or loss < arcs[i, l]):
            arcs[i, l] = loss


def with_room(arcs: Arcs, sizes: list[Fraction], lower: list[Fraction], upper: list[Fraction]) -> Arcs:
    """The graph with the arcs that say which cluster may grow, and which may shrink."""
    k = len(sizes)
    grow = {(i, k): ZERO for i in range(k) if sizes[i] < upper[i]}
    return arcs | grow | {(k, i): ZERO for i in range(k) if sizes[i] > lower[i]}


def potentials(arcs: Arcs, start: list[Fraction]) -> list[Fraction] | None:
    """Shortest-path prices (k,) from near ones, or None when a cycle is negative (Bellman and Ford)."""
    potential = [*start, ZERO]
    for _ in range(len(potential) + 1):
        shorter = {(i, l): w for (i, l), w in arcs.items() if potential[l] + w < potential[i]}
        if not shorter:
            return [value - potential[-1] for value in potential[:-1]]
        for (i, l), w in shorter.items():
            potential[i] = min(potential[i], potential[l] + w)
    return None


def bounds_met(
    model: AssignmentModel, sizes: list[Fraction], tolerance: float
) -> tuple[list[Fraction], list[Fraction], Fraction]:
    """Lower and upper bounds, moved to sizes of weights that miss them by rounding; the largest relative excess."""
    polytope = model.polytope
    total = sum(sizes, ZERO) or Fraction(1)
    near = ZERO if polytope.weights is None else Fraction(tolerance) * total
    lower = [Fraction(value) for value in polytope.lower.tolist()]
    upper = [min(Fraction(value), total) if np.isfinite(value) else total for value in polytope.upper.tolist()]
    excess = max(max(s - u, l - s, ZERO) for s, l, u in zip(sizes, lower, upper)) / total
    lower, upper = ([s if abs(s - b) <= near else b for s, b in zip(sizes, side)] for side in (lower, upper))
    return lower, upper, excess
