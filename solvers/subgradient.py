"""Subgradient steps up a concave piecewise linear function f, towards a value T that it cannot exceed.

    x  <-  x + s (min(T, 1.1 max f) - f(x)) / (g'Cg) C g

with g the subgradient, of which a part of the direction before may be kept (it damps the zigzag), C a diagonal scale of
the coordinates and s a length that becomes shorter where steps gain nothing. Kernels that run inside a box or a sphere
(`global_optimum.low_dimension.centre_boxes`, `global_optimum.directions`) step by rules of their own.

References
----------
Held, Wolfe and Crowder (1974), Validation of subgradient optimization, Mathematical Programming 6; Camerini, Fratta and
Maffioli (1975), On improving relaxation methods by modified gradient techniques, Mathematical Programming Study 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Oracle = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]] | None]


class StepRule(NamedTuple):
    """The length of steps, and how it changes."""

    length: float  # First value of s.
    shorter: float  # Factor by which s shrinks.
    patience: int  # Steps without a gain before s shrinks and the best point is taken up again.
    memory: float = 0.0  # Fraction of the last direction that is kept.


def subgradient(
    oracle: Oracle, start: NDArray[np.float64], target: float, steps: int, rule: StepRule,
    scale: NDArray[np.float64] | float = 1.0,
) -> float:  # fmt: skip
    """Take up to this many steps from a point (c,), and return the length at which they end. The oracle gives value and
    subgradient (c,) at a point, or None once the time is up; it keeps what it wants of the best point."""
    point, best, top, climb = start, -np.inf, start, np.zeros_like(start)
    length, since, way = rule.length, 0, np.zeros_like(start)
    for _ in range(steps):
        if (answer := oracle(point)) is None:
            break
        here, gradient = answer
        since += 1
        way = rule.memory * way + (1.0 - rule.memory) * gradient if way.any() else gradient
        if here > best:
            since = 0 if not here - best <= 1e-5 * abs(here) else since
            best, top, climb = here, point, gradient
        if since >= rule.patience:
            length, since, here, point, way = rule.shorter * length, 0, best, top, climb
        norm = float((scale * way**2).sum())
        if norm <= 1e-12 * float(np.mean(scale)) or length < 1e-3 or best >= target - 1e-9 * abs(target):
            break
        reach = min(target, best + 0.1 * (abs(best) or 1.0))
        point = point + length * max(reach - here, 0.0) / norm * scale * way
    return length
