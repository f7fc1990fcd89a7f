"""Cubic B-splines of the columns of a table, straight beyond their outer knots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def cubic_splines(found: NDArray[np.float64], knots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cubic splines of columns between their increasing knots (knots, columns), straight beyond them.

    Each column gives one more than it has knots: all its B-splines but the last, as they add up to one.
    """
    before = knots[0] - np.arange(3, 0, -1)[:, None] * (knots[1] - knots[0])
    behind = knots[-1] + np.arange(1, 4)[:, None] * (knots[-1] - knots[-2])
    spread, columns = np.vstack([before, knots, behind]), np.arange(knots.shape[1])
    x = np.clip(found, knots[0], knots[-1])
    piece = sum((x >= inner for inner in knots[1:-1]), start=np.zeros(x.shape, dtype=np.int64))
    t = [spread[piece + 1 + r, columns] for r in range(6)]  # x lies between t[2] and t[3]
    parts = [np.ones_like(x)]  # the B-splines of a degree that are not zero at x, by the recursion of Cox and de Boor
    slopes: list[NDArray[np.float64]] = []
    for degree in (1, 2, 3):
        rates = [part / (t[3 + r] - t[3 + r - degree]) for r, part in enumerate(parts)]
        falls = [(t[3 + r] - x) * rate for r, rate in enumerate(rates)]
        rises = [(x - t[3 + r - degree]) * rate for r, rate in enumerate(rates)]
        slopes = [degree * (up - down) for up, down in zip([0.0 * x, *rates], [*rates, 0.0 * x])]
        parts = [up + down for up, down in zip([0.0 * x, *rises], [*falls, 0.0 * x])]
    made = np.zeros((*x.shape, len(knots) + 2))
    for r in range(4):
        np.put_along_axis(made, (piece + r)[:, :, None], (parts[r] + (found - x) * slopes[r])[:, :, None], axis=2)
    return made[:, :, :-1].reshape(len(x), -1)
