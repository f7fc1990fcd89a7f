"""The value of an answer to an explicit program, checked with the definition of `Program` alone.

    max or min  c.x   L <= A x + x'Qx <= U,   l <= x <= u,   x_j whole,   X >= 0

Values of the columns give an objective, and how far each of these conditions is broken. Duals y of the rows, of any
origin, bound the optimum of a linear program: for a maximum, with z = c - A'y,

    c.x  <=  max of y.r over L <= r <= U  +  max of z.x over l <= x <= u          for every feasible x

The bound holds for any y, and is infinite where a z points to an infinite side by more than rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..models.programs.program import Program

ROUNDING = 1e-9  # A z below this fraction of its terms has no reliable sign.


@dataclass(frozen=True)
class Verdict:
    """An objective, the largest violation relative to the terms of its row, and a bound on the optimum or nan."""

    value: float
    violation: float
    bound: float


def check_answer(program: Program, columns: NDArray[np.float64] | None, duals: NDArray[np.float64] | None) -> Verdict:
    """The verdict on columns (c,) and duals of the rows (r,)."""
    bound = np.nan if duals is None else _dual_bound(program, duals)
    if columns is None or columns.shape != program.cost.shape or not np.isfinite(columns).all():
        return Verdict(np.nan, np.inf, bound)
    rows = program.matrix @ columns
    terms = 1.0 + np.abs(program.matrix) @ np.abs(columns)
    for row, square in program.quadratic.items():
        rows[row] += columns @ (square @ columns)
        terms[row] += np.abs(columns) @ (np.abs(square) @ np.abs(columns))
    broken = [np.maximum(program.row_lower - rows, rows - program.row_upper) / terms]
    broken += [np.maximum(program.lower - columns, columns - program.upper) / (1.0 + np.abs(columns))]
    if program.integral is not None:
        broken += [np.abs(columns - np.round(columns))[program.integral]]
    for places in program.semidefinite:
        values = np.linalg.eigvalsh(columns[places])
        broken += [-values[:1] / (1.0 + np.abs(values).max())]
    worst = max((float(part.max()) for part in broken if part.size), default=0.0)
    return Verdict(float(program.cost @ columns), max(worst, 0.0), bound)


def _dual_bound(program: Program, duals: NDArray[np.float64]) -> float:
    """The bound of the module's head; nan where the program is not linear."""
    if program.semidefinite or program.quadratic or duals.shape != program.row_lower.shape:
        return np.nan
    sign = 1.0 if program.maximise else -1.0
    y, transposed = sign * duals, program.matrix.T
    z = sign * program.cost - transposed @ y
    z = np.where(np.abs(z) <= ROUNDING * (np.abs(program.cost) + np.abs(transposed) @ np.abs(y)), 0.0, z)
    return sign * sum(
        float((factor * np.where(factor > 0, up, np.where(factor < 0, low, 0.0))).sum())
        for factor, low, up in ((y, program.row_lower, program.row_upper), (z, program.lower, program.upper))
    )
