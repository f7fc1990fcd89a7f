"""Any program as a file: MPS and LP for solvers (`solver_files`), JSON with everything, to read again."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ...base.checks import as_path
from ...base.errors import InvalidInputError
from .arrays import Block, ProgramArrays
from .solver_files import SUFFIXES, check_suffix, program_lines

Arrays = TypeVar("Arrays", bound=ProgramArrays)
FORMAT = {"format": "partitope.program", "version": 1}


def write_program(program: ProgramArrays, path: str | Path) -> Path:
    """Write any program to a file ``.mps``, ``.lp`` or ``.json``."""
    file = check_suffix(path, (*SUFFIXES, ".json"))
    if file.suffix.lower() == ".json":
        text = json.dumps(FORMAT | {part.name: _plain(getattr(program, part.name)) for part in fields(program)})
    else:
        said = ["Minimise minus the objective, which is to be maximised."] if program.maximise else []
        text = "\n".join(program_lines(program, said, file.suffix.lower()))
    file.write_text(text + "\n", encoding="utf-8", newline="\n")
    return file


def read_as(path: str | Path, kind: type[Arrays]) -> Arrays:
    """The program of a ``.json``, of this class; InvalidInputError when the file cannot be read, or holds none."""
    file = as_path(path)
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        if any(record.pop(key) != value for key, value in FORMAT.items()):
            raise ValueError("another format or version")
        c, r = len(record["cost"]), len(record["row_lower"])
        record["matrix"] = _matrix(record["matrix"], (r, c))
        for name in ("cost", "row_lower", "row_upper", "lower", "upper"):
            record[name] = np.array(record[name], dtype=np.float64)
        for name in ("columns", "rows"):
            record[name] = tuple(Block(called, np.array(index, np.int64), doc) for called, index, doc in record[name])
        whole = record["integral"]
        record["integral"] = None if whole is None else np.array(whole, dtype=bool)
        record["semidefinite"] = tuple(np.array(square, dtype=np.int64) for square in record["semidefinite"])
        record["quadratic"] = {row: _matrix(entries, (c, c)) for row, entries in record["quadratic"]}
        if not all(np.isfinite(v).all() for v in (record["cost"], record["matrix"].data)):
            raise ValueError("costs and coefficients have to be finite numbers")
        return kind(**record)
    except (ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        raise InvalidInputError(f"{file} is not a partitope.program of version 1 ({error}): write it again") from error


def _plain(value: object) -> Any:
    """A field as JSON has it: sparse arrays by rows, columns and values of their entries; infinite numbers as texts."""
    if isinstance(value, Block):
        return [value.name, value.index.tolist(), value.doc]
    if isinstance(value, tuple | dict):
        return [_plain(part) for part in (value.items() if isinstance(value, dict) else value)]
    if isinstance(value, np.ndarray):
        return [v if np.isfinite(v) else str(v) for v in value.tolist()] if value.dtype.kind == "f" else value.tolist()
    if hasattr(value, "tocoo"):
        entries = value.tocoo()
        return [entries.row.tolist(), entries.col.tolist(), entries.data.tolist()]
    return value


def _matrix(entries: list[list[float]], shape: tuple[int, int]) -> Any:
    """Inverse of `_plain` for sparse arrays."""
    import scipy.sparse as sp

    row, column, value = entries
    where = (np.array(row, dtype=np.int64), np.array(column, dtype=np.int64))
    return sp.csc_array((np.array(value, dtype=np.float64), where), shape=shape)
