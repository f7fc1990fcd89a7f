"""The dual of a linear or semidefinite program, with the signs of our prices.

    max  c . x     row_lower <= A x <= row_upper,   x_c >= 0 or x_c <= 0 or free,   x[S] positive semidefinite
    min  sum of side_s y_s over the sides s of all rows
    (1)  y_s >= 0 at an upper side, y_s <= 0 at a lower side, y_s free at an equation
    (2)  (A'y)_c >= c_c  where x_c >= 0,   <= c_c  where x_c <= 0,   = c_c  where x_c is free
    (3)  A'y - Z = c     for the columns in S, with Z positive semidefinite; off its diagonal Z counts twice

Bounds of columns that are neither zero nor infinite are rows first; a column that is fixed at zero has no row. A
minimum is the maximum of -c, and its dual is written as a maximum. The dual of the assignment program is

    min  sum_i (u_i mu_i+ + l_i mu_i-) + sum_j eta_j     w_j (mu_i+ + mu_i-) + eta_j >= w_j gamma_ij,   mu- <= 0 <= mu+

so that its columns ``size_upper`` + ``size_lower`` are the prices mu = mu+ + mu- of a power diagram.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from ...base.errors import CapabilityError
from ..formats.arrays import Block, ProgramArrays, placed

Arrays = TypeVar("Arrays", bound=ProgramArrays)


def dual_of(program: Arrays) -> Arrays:
    """The dual. Its own dual has the same value, and the columns -x. O(entries of A)."""
    import scipy.sparse as sp

    if program.quadratic:
        raise CapabilityError("dualize() takes no quadratic rows: use a linear program, as over_net() gives")
    if program.integral is not None and program.integral.any():
        raise CapabilityError("dualize() takes no columns that have to be whole: use relaxed().dualize()")
    primal = _with_bounds_as_rows(program)
    # one column per side of a row: a row with two different sides has two
    low, up, blocks, taken, sides = primal.row_lower, primal.row_upper, list[Block](), [], []
    above, below = np.isfinite(up), np.isfinite(low)
    ranged, equal = above & below & (low != up), low == up
    least, most = np.where(above & ~equal, 0.0, -np.inf), np.where(below & ~above, 0.0, np.inf)
    signs = []
    for block, at in placed(primal.rows):
        for chosen, side, price_low, price_up, suffix in (
            ((above | below) & ~ranged, np.where(above, up, low), least, most, ""),
            (ranged, low, least - np.inf, np.minimum(most, 0.0), "_lower"),
            (ranged, up, least, most, "_upper"),
        ):
            places = np.flatnonzero(chosen[at])
            if places.size:
                blocks.append(block.taken(places, suffix))
                places = places + at.start
                taken.append(places)
                sides.append(side[places])
                signs.append((price_low[places], price_up[places]))
    count = np.concatenate([np.empty(0, np.int64), *taken])
    matrices = [primal.matrix.tocsr()[count].T]
    cost, lower, upper = (np.concatenate([np.empty(0), *part]) for part in (sides, *zip(*signs)))
    # one row per column, an equation where the column is free
    of_columns = primal.cost if program.maximise else -primal.cost
    row_lower = np.where(primal.upper == 0, -np.inf, of_columns)
    row_upper = np.where(primal.lower == 0, np.inf, of_columns)
    # a matrix of columns has a matrix of slacks
    semidefinite = []
    for square in program.semidefinite:
        i, h = np.triu_indices(len(square))
        entries, once = np.arange(i.size), np.where(i == h, -1.0, -2.0)
        matrices.append(sp.csc_array((once, (square[i, h], entries)), shape=(program.cost.size, i.size)))
        slacks = np.empty_like(square)
        slacks[i, h] = slacks[h, i] = cost.size + entries
        semidefinite.append(slacks)
        named = next(block.name for block, at in placed(program.columns) if square[0, 0] < at.stop)
        blocks.append(Block(f"{named}_slack", np.column_stack([i, h])))
        cost, free = np.append(cost, np.zeros(i.size)), np.full(i.size, np.inf)
        lower, upper = np.append(lower, -free), np.append(upper, free)
    # rows without a side belong to fixed columns
    matrix, bounded = sp.csr_array(sp.hstack(matrices)), np.isfinite(row_lower) | np.isfinite(row_upper)
    rows = [block.taken(np.flatnonzero(bounded[at])) for block, at in placed(primal.columns) if bounded[at].any()]
    return replace(
        program, cost=cost if program.maximise else -cost, matrix=sp.csc_array(matrix[bounded]),
        row_lower=row_lower[bounded], row_upper=row_upper[bounded], lower=lower, upper=upper, integral=None,
        maximise=not program.maximise, columns=tuple(blocks), rows=tuple(rows),
        semidefinite=tuple(semidefinite), name=f"{program.name}_dual".strip("_"),
    )  # fmt: skip


def _with_bounds_as_rows(program: Arrays) -> Arrays:
    """The same program with bounds of columns that are zero or infinite, and without any on columns of matrices."""
    import scipy.sparse as sp

    squared = np.zeros(program.cost.size, dtype=bool)
    squared[[column for square in program.semidefinite for column in square.ravel()]] = True
    low, up = ((np.isfinite(bound) & ((bound != 0) | squared)) for bound in (program.lower, program.upper))
    moved = np.flatnonzero(low | up)
    if not moved.size:
        return program
    where = (np.arange(moved.size), moved)
    rows = sp.csr_array((np.ones(moved.size), where), shape=(moved.size, program.cost.size))
    named = [block.taken(np.flatnonzero((low | up)[at]), "_bound") for block, at in placed(program.columns)]
    return replace(
        program, matrix=sp.csc_array(sp.vstack([program.matrix, rows])),
        row_lower=np.append(program.row_lower, np.where(low, program.lower, -np.inf)[moved]),
        row_upper=np.append(program.row_upper, np.where(up, program.upper, np.inf)[moved]),
        lower=np.where(low, -np.inf, program.lower), upper=np.where(up, np.inf, program.upper),
        rows=(*program.rows, *(block for block in named if block.size)),
    )  # fmt: skip
