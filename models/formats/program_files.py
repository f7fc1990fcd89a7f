"""Any program as a file: MPS and LP for solvers (`solver_files`), JSON with everything, to read again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ...base.checks import as_path
from ...base.errors import InvalidInputError
from ..programs.program import Block, Program
from .solver_files import SUFFIXES, check_suffix, program_lines

FORMAT, BLOCKS = "partitope.program", ("columns", "rows")
SIDES = {"row_lower": -np.inf, "row_upper": np.inf, "lower": -np.inf, "upper": np.inf}


def write_program(program: Program, path: str | Path) -> Path:
    """Write any program to a file ``.mps``, ``.lp`` or ``.json``."""
    file = check_suffix(path, (*SUFFIXES, ".json"))
    if file.suffix.lower() == ".json":
        text = json.dumps(_record(program), allow_nan=False)
    else:
        said = ["Minimise minus the objective, which is to be maximised."] if program.maximise else []
        text = "\n".join(program_lines(program, said, file.suffix.lower()))
    file.write_text(text + "\n", encoding="utf-8", newline="\n")
    return file


def read_program(path: str | Path) -> Program:
    """The program of a ``.json`` that `Program.write` wrote.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    InvalidInputError
        When the file cannot be read, or holds no program.
    """
    file = as_path(path)
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        if record["format"] != FORMAT or record["version"] != 1:
            raise ValueError(f"its format is {record['format']!r}, version {record['version']}")
        return _program(record)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise InvalidInputError(
            f"{file} is no {FORMAT} of version 1 ({error}): pass a file of Program.write"
        ) from error


def _record(program: Program) -> dict[str, Any]:
    """Bounds that are infinite become null, matrices their entries."""
    sides = {name: [v if np.isfinite(v) else None for v in getattr(program, name).tolist()] for name in SIDES}
    blocks = {
        name: [[block.name, block.index.tolist(), block.doc] for block in getattr(program, name)] for name in BLOCKS
    }
    return {
        "format": FORMAT, "version": 1, "name": program.name, "objective": program.objective,
        "maximise": program.maximise, "cost": program.cost.tolist(), "matrix": _entries(program.matrix), **sides,
        "integral": None if program.integral is None else program.integral.tolist(), **blocks,
        "semidefinite": [square.tolist() for square in program.semidefinite],
        "quadratic": [[int(row), _entries(square)] for row, square in program.quadratic.items()],
    }  # fmt: skip


def _program(record: dict[str, Any]) -> Program:
    """Inverse of `_record`."""
    c, r = len(record["cost"]), len(record["row_lower"])
    sides: dict[str, Any] = {
        name: np.array([infinite if v is None else v for v in record[name]], dtype=np.float64)
        for name, infinite in SIDES.items()
    }
    blocks: dict[str, Any] = {
        name: tuple(Block(called, np.array(index, np.int64), doc) for called, index, doc in record[name])
        for name in BLOCKS
    }
    whole = record["integral"]
    return Program(
        np.array(record["cost"], dtype=np.float64), _matrix(record["matrix"], (r, c)), **sides,
        integral=None if whole is None else np.array(whole, dtype=bool), maximise=bool(record["maximise"]), **blocks,
        semidefinite=tuple(np.array(square, dtype=np.int64) for square in record["semidefinite"]),
        quadratic={row: _matrix(square, (c, c)) for row, square in record["quadratic"]},
        name=record["name"], objective=record["objective"],
    )  # fmt: skip


def _entries(matrix: Any) -> list[list[float]]:
    """Rows, columns and values of the entries."""
    found = matrix.tocoo()
    return [found.row.tolist(), found.col.tolist(), found.data.tolist()]


def _matrix(entries: list[list[float]], shape: tuple[int, int]) -> Any:
    """Inverse of `_entries`."""
    import scipy.sparse as sp

    row, column, value = entries
    where = (np.array(row, dtype=np.int64), np.array(column, dtype=np.int64))
    return sp.csc_array((np.array(value, dtype=np.float64), where), shape=shape)
