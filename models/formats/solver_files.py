"""Programs as MPS and LP files, which HiGHS, CBC, GLPK and others read alike: minimisations, in both.

    .mps   free MPS: CBC ignores the record OBJSENSE, GLPK stops at it
    .lp    CPLEX LP, one term per line: lines longer than 560 signs are cut by some

Of a program that maximises the negated objective is written. Names are ours in both: ``assign_J_I``, ``point_J``,
``size_lower_I``, ``rowsT_lower_Q``, ``open_I``. Names of columns in tables (``65+``, ``free``, ``net sales`` next to
``net_sales``) means something else to one reader or another; comments at the head have it, in ASCII. HiGHS's own
writer keeps 15 digits, Pyomo's writes OBJSENSE: the lines are written here, every number with as many digits as make it
come back unchanged.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...base.checks import as_path
from ...base.errors import CapabilityError, InvalidInputError
from .arrays import INSTEAD, ProgramArrays, names_of

if TYPE_CHECKING:
    import scipy.sparse as sp

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


def program_lines(program: ProgramArrays, said: Iterable[str], suffix: str) -> Iterator[str]:
    """The lines of a program as a minimisation, with one row per bound, for a suffix ".mps" or ".lp"."""
    mark, lines = ("*", _mps) if suffix == ".mps" else ("\\", _lp)
    if program.semidefinite or (program.quadratic and suffix == ".mps"):
        kind = "semidefinite matrices" if program.semidefinite else "quadratic rows"
        where = "use to_cvxpy(), or a name that ends in .json" if program.semidefinite else INSTEAD
        raise CapabilityError(f"{suffix} files hold no {kind}: {where}")
    for line in said:
        yield from textwrap.wrap(line, 72, initial_indent=f"{mark} ", subsequent_indent=f"{mark}   ")
    objective = program.objective
    if program.maximise:
        program, objective = replace(program, cost=-program.cost, maximise=False), f"minus_{objective}"
    columns = _safe(names_of(program.columns), "x")
    yield from lines(program, objective, columns, list(_one_sided(program)))


class _Row(NamedTuple):
    """A row as files have it: its number in the program, its name, E, G or L, and the right-hand side."""

    number: int
    name: str
    kind: str
    side: float


def _one_sided(program: ProgramArrays) -> Iterator[_Row]:
    """One row for every finite bound."""
    names = _safe(names_of(program.rows), "row")
    for r, (name, low, up) in enumerate(zip(names, program.row_lower.tolist(), program.row_upper.tolist())):
        if low == up:
            yield _Row(r, name, "E", low)
            continue
        both = low > -np.inf and up < np.inf
        if low > -np.inf:
            yield _Row(r, name + "_lower" * both, "G", low)
        if up < np.inf:
            yield _Row(r, name + "_upper" * both, "L", up)


def _safe(names: list[str], prefix: str) -> list[str]:
    """Names of letters, digits and underscores; numbered ones where two would become one."""
    plain = [re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") for name in names]
    usable = len(set(plain)) == len(names) and all(re.match(r"[A-DF-Za-df-z]", name) for name in plain)
    return plain if usable else [f"{prefix}_{number}" for number in range(len(names))]


def _mps(program: ProgramArrays, objective: str, columns: list[str], rows: list[_Row]) -> Iterator[str]:
    matrix: sp.csr_array = program.matrix.tocsr()[[row.number for row in rows]].tocsc()
    whole = np.zeros(len(program.cost), dtype=bool) if program.integral is None else program.integral
    yield f"NAME {program.name or 'program'}"
    yield f"ROWS\n N {objective}"
    yield from (f" {row.kind} {row.name}" for row in rows)
    yield "COLUMNS"
    starts, index, value = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()
    changes = set(np.flatnonzero(np.diff(whole.astype(int), prepend=0, append=0)).tolist())
    for c, (name, cost) in enumerate(zip(columns, program.cost.tolist())):
        if c in changes:
            yield f" MARKER_{c} 'MARKER' '{'INTORG' if whole[c] else 'INTEND'}'"
        yield f" {name} {objective} {cost!r}"
        yield from (f" {name} {rows[index[e]].name} {value[e]!r}" for e in range(starts[c], starts[c + 1]))
    if len(whole) in changes:
        yield f" MARKER_{len(whole)} 'MARKER' 'INTEND'"
    yield "RHS"
    yield from (f" RHS {row.name} {row.side!r}" for row in rows)
    yield "BOUNDS"
    for name, low, up in zip(columns, program.lower.tolist(), program.upper.tolist()):
        if low == up or (low == -np.inf and up == np.inf):
            yield f" FX BOUND {name} {up!r}" if low == up else f" FR BOUND {name}"
            continue
        if low:
            yield f" MI BOUND {name}" if low == -np.inf else f" LO BOUND {name} {low!r}"
        if up < np.inf:
            yield f" UP BOUND {name} {up!r}"
    yield "ENDATA"


def _lp(program: ProgramArrays, objective: str, columns: list[str], rows: list[_Row]) -> Iterator[str]:
    signs = {"E": "=", "G": ">=", "L": "<="}
    yield f"minimize\n {objective}:"
    yield from (f"{cost:+.17g} {name}" for name, cost in zip(columns, program.cost.tolist()))
    yield "subject to"
    matrix: sp.csr_array = program.matrix.tocsr()
    starts, index, value = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()
    for row in rows:
        entries = range(starts[row.number], starts[row.number + 1])
        terms = [f"{value[e]:+.17g} {columns[index[e]]}" for e in entries]
        yield f" {row.name}:"
        if row.number in program.quadratic:
            square = program.quadratic[row.number].tocoo()
            products = zip(square.row.tolist(), square.col.tolist(), square.data.tolist())
            terms.append("+ [")
            terms += [f"{v:+.17g} {columns[a]} * {columns[b]}" for a, b, v in products]
            terms.append("]")
        yield from terms or [f"+0 {columns[0]}"]  # a row needs at least one term
        yield f" {signs[row.kind]} {row.side!r}"
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
