"""Assignment programs as MPS and LP files, which HiGHS, CBC, GLPK and others read alike.

    .mps   free MPS, a minimisation of the negated total score: CBC ignores the record OBJSENSE, GLPK stops at it
    .lp    CPLEX LP, a maximisation, one term a line: lines longer than 560 signs are cut by some

Names are ours in both: ``assign_J_I``, ``point_J``, ``size_lower_I``, ``size_upper_I``, ``rowsT_lower_Q``. What people
call their columns (``65+``, ``free``, ``net sales`` beside ``net_sales``) means something else to one reader or
another; it stands in comments at the head, in ASCII. HiGHS's own writer keeps 15 digits, Pyomo's writes OBJSENSE: the
lines are written here, every number with as many digits as make it come back unchanged.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..programs.linear_program import ExplicitProgram, LinearProgram


def solver_lines(program: ExplicitProgram, names: tuple[str, ...], suffix: str) -> Iterator[str]:
    """The lines of the file; ``names`` are what people call sizes and further rows, suffix is ".mps" or ".lp"."""
    mark, lines = ("*", _mps) if suffix == ".mps" else ("\\", _lp)
    for said in _said(program, names, suffix):
        yield from textwrap.wrap(said, 72, initial_indent=f"{mark} ", subsequent_indent=f"{mark}   ")
    yield from lines(program.with_split_rows())


def _said(program: ExplicitProgram, names: tuple[str, ...], suffix: str) -> Iterator[str]:
    """What the comments say: the sense, and which rows are whose."""
    if suffix == ".mps":
        yield "Minimise minus the total score: the least value here is minus the largest total score."
    yield "assign_J_I: share of point J in cluster I; point_J: its shares sum to 1."
    called = ["size"] + [f"rows{t}" for t in range(1, 1 + len(program.further))]
    for ours, name in zip(called, names):
        yield f"{ours}_lower_Q, {ours}_upper_Q: bounds of {json.dumps(name)}"


def _kind(low: float, up: float) -> tuple[str, float]:
    """Sense of a row of which one side is bounded, or both at the same number, and its right-hand side."""
    return ("E", low) if low == up else ("G", low) if np.isfinite(low) else ("L", up)


def _mps(program: LinearProgram) -> Iterator[str]:
    kinds = [_kind(low, up) for low, up in zip(program.row_lower.tolist(), program.row_upper.tolist())]
    rows, matrix = program.row_names, program.matrix
    yield "NAME assignment"
    yield "ROWS\n N minus_total_score"
    yield from (f" {kind} {name}" for name, (kind, _) in zip(rows, kinds))
    yield "COLUMNS"
    starts, index, value = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()
    for c, (name, cost) in enumerate(zip(program.column_names, (-program.cost).tolist())):
        yield f" {name} minus_total_score {cost!r}"
        yield from (f" {name} {rows[index[e]]} {value[e]!r}" for e in range(starts[c], starts[c + 1]))
    yield "RHS"
    yield from (f" RHS {name} {side!r}" for name, (_, side) in zip(rows, kinds))
    yield "BOUNDS"
    for name, up in zip(program.column_names, program.upper.tolist()):
        yield f" UP BOUND {name} {up!r}" if up > 0 else f" FX BOUND {name} 0"  # UP 0 frees the lower side for some
    yield "ENDATA"


def _lp(program: LinearProgram) -> Iterator[str]:
    signs, columns = {"E": "=", "G": ">=", "L": "<="}, program.column_names
    yield "maximize\n total_score:"
    yield from (f"{cost:+.17g} {name}" for name, cost in zip(columns, program.cost.tolist()))
    yield "subject to"
    matrix: Any = program.matrix.tocsr()
    starts, index, value = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()
    for r, (name, low, up) in enumerate(zip(program.row_names, program.row_lower.tolist(), program.row_upper.tolist())):
        kind, side = _kind(low, up)
        terms = [f"{value[e]:+.17g} {columns[index[e]]}" for e in range(starts[r], starts[r + 1])]
        yield f" {name}:"
        yield from terms or [f"+0 {columns[0]}"]  # a row without terms is no row
        yield f" {signs[kind]} {side!r}"
    yield "bounds"
    yield from (f" 0 <= {name} <= {up!r}" for name, up in zip(columns, program.upper.tolist()))
    yield "end"
