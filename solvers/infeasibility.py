"""Reasons why nothing is feasible, which are checked here whatever a solver says.

Of a linear program: multipliers y of its rows (Farkas). What y'Ax is at least, by the bounds of the rows, is above what
it is at most, by those of the columns, beyond all tolerances.

Of one in whole numbers: a tree of linear programs, in which whole columns have narrower and narrower bounds, and every
leaf has such multipliers. Before, the sides of rows of whole columns move to the next multiples of what divides all
coefficients.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..base.deadline import Deadline
from ..base.interruptible import interruptible
from ..models.programs.program import TOLERANCE, Program

if TYPE_CHECKING:
    import highspy

ITERATIONS = 50_000  # Simplex iterations that a tree may take.


def multipliers_exclude(highs: highspy.Highs, program: Program) -> bool:
    """Whether multipliers that HiGHS has prove that a linear program has no feasible point."""
    if highs.getOptionValue("solver")[1] == "pdlp":  # it has none
        return False
    _, there, ray = highs.getDualRay()
    for y in (ray, -ray) if there else ():
        bounds = np.where(y > 0, program.row_lower, program.row_upper)
        y = np.where(np.isfinite(bounds), y, 0.0)
        bounds, slopes = np.where(y != 0, bounds, 0.0), y @ program.matrix
        ends = np.where(slopes > 0, program.upper, program.lower)
        most = float((slopes * np.where(slopes != 0, ends, 0.0)).sum())
        reach = np.abs(y) @ abs(program.matrix) @ np.where(np.isfinite(ends), np.abs(ends), 0.0)
        if float(y @ bounds) - most > 2.0 * TOLERANCE * float(reach + np.abs(y) @ np.abs(bounds)):
            return True
    return False


def tree_excludes(program: Program, deadline: Deadline) -> tuple[bool, NDArray[np.float64] | None]:
    """Whether a tree of linear programs proves that a program in whole numbers, whose coefficients are of ordinary
    size, has no feasible point; or a point that it found, which is feasible up to rounding. Neither where it ends
    early."""
    import highspy

    assert program.integral is not None
    whole = np.flatnonzero(program.integral)
    program = replace(_of_multiples(program), integral=None, cost=np.zeros(program.cost.size))
    if (program.row_lower > program.row_upper).any():
        return True, None
    highs = program.to_highs(names=False, presolve="off", solver="simplex", small_matrix_value=1e-12)
    places, left = whole.astype(np.int32), ITERATIONS
    nodes = [(program.lower, program.upper)]
    while nodes:
        lower, upper = nodes.pop()
        highs.changeColsBounds(whole.size, places, lower[whole], upper[whole])
        highs.setOptionValue("simplex_iteration_limit", left)
        if deadline.left is not None:
            highs.setOptionValue("time_limit", highs.getRunTime() + deadline.left)
        interruptible(highs.run, highs.cancelSolve)
        left -= max(int(highs.getInfo().simplex_iteration_count), 1)
        status = highs.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            if not multipliers_exclude(highs, replace(program, lower=lower, upper=upper)):
                return False, None
            continue
        if status != highspy.HighsModelStatus.kOptimal or left <= 0:
            return False, None
        columns = np.array(highs.getSolution().col_value)
        away = np.abs(columns[whole] - np.rint(columns[whole]))
        if away.max() <= TOLERANCE:
            return False, columns
        c = whole[away.argmax()]
        below, above = upper.copy(), lower.copy()
        below[c], above[c] = np.floor(columns[c]), np.ceil(columns[c])
        nodes += [(lower, below), (above, upper)]
    return True, None


def _of_multiples(program: Program) -> Program:
    """The program with sides of rows at multiples of the common divisor of their coefficients, where all are whole."""
    matrix, lower, upper = program.matrix.tocsr(copy=True), program.row_lower.copy(), program.row_upper.copy()
    matrix.eliminate_zeros()
    assert program.integral is not None
    for r in range(lower.size):
        entries = slice(matrix.indptr[r], matrix.indptr[r + 1])
        values = np.abs(matrix.data[entries])
        if not values.size or not program.integral[matrix.indices[entries]].all():
            continue
        one = 2.0 ** (52 - np.frexp(values.max())[1])  # with it largest coefficients are whole, and below 2**53
        numbers = values * one
        if np.array_equal(numbers, np.rint(numbers)):
            step, slack = float(np.gcd.reduce(numbers.astype(np.int64))) / one, TOLERANCE * float(values.sum())
            lower[r], upper[r] = step * np.ceil((lower[r] - slack) / step), step * np.floor((upper[r] + slack) / step)
    return replace(program, row_lower=lower, row_upper=upper)
