"""Programs as MPS and LP files, which HiGHS, CBC, GLPK and others read alike: minimisations, in both.

    .mps   free MPS: CBC ignores the record OBJSENSE, GLPK stops at it
    .lp    CPLEX LP, one term a line: lines longer than 560 signs are cut by some

Of a program that maximises the negated objective is written. Names are ours in both: ``assign_J_I``, ``point_J``,
``size_lower_I``, ``rowsT_lower_Q``, ``open_I``. What people call their columns (``65+``, ``free``, ``net sales`` beside
``net_sales``) means something else to one reader or another; it stands in comments at the head, in ASCII. HiGHS's own
writer keeps 15 digits, Pyomo's writes OBJSENSE: the lines are written here, every number with as many digits as make it
come back unchanged.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...base.checks import as_path
from ...base.errors import InvalidInputError
from ..programs.linear_program import ExplicitProgram, LinearProgram

SUFFIXES = (".mps", ".lp")


def check_suffix(path: str | Path, suffixes: tuple[str, ...]) -> Path:
    """The path, refused unless it ends in one of the suffixes."""
    file = as_path(path)
    if file.suffix.lower() not in suffixes:
        raise InvalidInputError(
            f"{file.name} has the suffix {file.suffix!r}: name a model file {', '.join(suffixes[:-1])} "
            f"or {suffixes[-1]}"
        )
    return file


def write_program(program: LinearProgram, path: str | Path) -> Path:
    """Write any program to a file ``.mps`` or ``.lp``."""
    file = check_suffix(path, SUFFIXES)
    said = ["Minimise minus the objective, which is to be maximised."] if program.maximise else []
    lines = program_lines(_one_sided(program), "objective", said, file.suffix.lower())
    file.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return file


def solver_lines(program: ExplicitProgram, names: tuple[str, ...], suffix: str) -> Iterator[str]:
    """The lines of an assignment program; ``names`` are what people call sizes and further rows, suffix ".mps" or
    ".lp"."""
    return program_lines(program.written(), program.objective, _said(program, names), suffix)


def program_lines(program: LinearProgram, objective: str, said: Iterable[str], suffix: str) -> Iterator[str]:
    """The lines of a program with rows of one side, safe names and what the comments say."""
    mark, lines = ("*", _mps) if suffix == ".mps" else ("\\", _lp)
    for line in said:
        yield from textwrap.wrap(line, 72, initial_indent=f"{mark} ", subsequent_indent=f"{mark}   ")
    if program.maximise:
        program, objective = replace(program, cost=-program.cost, maximise=False), f"minus_{objective}"
    yield from lines(program, objective)


def _said(program: ExplicitProgram, names: tuple[str, ...]) -> Iterator[str]:
    """What the comments say: the sense, and which rows are whose."""
    if program.maximise:
        yield "Minimise minus the total score: the least value here is minus the largest total score."
    yield "assign_J_I: share of point J in cluster I; point_J: its shares sum to 1."
    called = ["size"] + [f"rows{t}" for t in range(1, 1 + len(program.further))]
    for ours, name in zip(called, names):
        yield f"{ours}_lower_Q, {ours}_upper_Q: bounds of {json.dumps(name)}"
    if program.blocks is not None:
        yield "together_J_I: point J lies in cluster I if the first point of its group does."
    if program.openings is not None:
        yield "open_I: 1 where cluster I is open; open_least_0, open_most_0: how many are."


def _one_sided(program: LinearProgram) -> LinearProgram:
    """The program with one row for every finite bound, and names that all readers take."""
    import scipy.sparse as sp

    rows, columns = program.matrix.shape
    low, up, matrix = program.row_lower, program.row_upper, program.matrix.tocsr()
    equal = low == up
    keep = [np.flatnonzero(np.isfinite(low)), np.flatnonzero(np.isfinite(up) & ~equal)]
    names = _safe(program.row_names, "row", rows)
    both = np.isfinite(low) & np.isfinite(up) & ~equal
    ends = [[names[r] + end * bool(both[r]) for r in part] for part, end in zip(keep, ("_lower", "_upper"))]
    return replace(
        program,
        matrix=sp.csc_array(sp.vstack([matrix[part] for part in keep])),
        row_lower=np.append(low[keep[0]], np.full(keep[1].size, -np.inf)),
        row_upper=np.append(np.where(equal, up, np.inf)[keep[0]], up[keep[1]]),
        row_names=(*ends[0], *ends[1]),
        column_names=_safe(program.column_names, "x", columns),
    )


def _safe(names: tuple[str, ...], prefix: str, count: int) -> tuple[str, ...]:
    """Names of letters, digits and underscores; numbered ones where there are none, or two would become one."""
    plain = tuple(re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") for name in names)
    usable = len(set(plain)) == count and all(re.match(r"[A-DF-Za-df-z]", name) for name in plain)
    return plain if usable else tuple(f"{prefix}_{number}" for number in range(count))


def _kind(low: float, up: float) -> tuple[str, float]:
    """Sense of a row of which one side is bounded, or both at the same number, and its right-hand side."""
    return ("E", low) if low == up else ("G", low) if np.isfinite(low) else ("L", up)


def _mps(program: LinearProgram, objective: str) -> Iterator[str]:
    kinds = [_kind(low, up) for low, up in zip(program.row_lower.tolist(), program.row_upper.tolist())]
    rows, matrix = program.row_names, program.matrix
    whole = np.zeros(len(program.cost), dtype=bool) if program.integral is None else program.integral
    yield f"NAME {program.name or 'program'}"
    yield f"ROWS\n N {objective}"
    yield from (f" {kind} {name}" for name, (kind, _) in zip(rows, kinds))
    yield "COLUMNS"
    starts, index, value = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()
    changes = set(np.flatnonzero(np.diff(whole.astype(int), prepend=0, append=0)).tolist())
    for c, (name, cost) in enumerate(zip(program.column_names, program.cost.tolist())):
        if c in changes:
            yield f" MARKER_{c} 'MARKER' '{'INTORG' if whole[c] else 'INTEND'}'"
        yield f" {name} {objective} {cost!r}"
        yield from (f" {name} {rows[index[e]]} {value[e]!r}" for e in range(starts[c], starts[c + 1]))
    if len(whole) in changes:
        yield f" MARKER_{len(whole)} 'MARKER' 'INTEND'"
    yield "RHS"
    yield from (f" RHS {name} {side!r}" for name, (_, side) in zip(rows, kinds))
    yield "BOUNDS"
    for name, low, up in zip(program.column_names, program.lower.tolist(), program.upper.tolist()):
        if low == up or (low == -np.inf and up == np.inf):
            yield f" FX BOUND {name} {up!r}" if low == up else f" FR BOUND {name}"
            continue
        if low:
            yield f" MI BOUND {name}" if low == -np.inf else f" LO BOUND {name} {low!r}"
        if up < np.inf:
            yield f" UP BOUND {name} {up!r}"
    yield "ENDATA"


def _lp(program: LinearProgram, objective: str) -> Iterator[str]:
    signs, columns = {"E": "=", "G": ">=", "L": "<="}, program.column_names
    yield f"minimize\n {objective}:"
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
    for name, low, up in zip(columns, program.lower.tolist(), program.upper.tolist()):
        if low == -np.inf and up == np.inf:
            yield f" {name} free"
        else:
            yield f" {low!r} <= {name}" + (f" <= {up!r}" if up < np.inf else "")
    if program.integral is not None and program.integral.any():
        yield "general"
        yield from (f" {columns[c]}" for c in np.flatnonzero(program.integral).tolist())
    yield "end"
