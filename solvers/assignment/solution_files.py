"""Files with an answer to an assignment program: labels, or the values of its variables as solvers list them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError

_NAME = re.compile(r"assign[\[(_](\d+)[,_]\s*(\d+)[\])]?")
_WRAPPED = re.compile(r"(?m)^(\s*\d+ assign_\d+_\d+)\n\s+")  # GLPK's report: the values of long names follow below
_NUMBERED = re.compile(r"(?m)^j (\d+)(?: [a-z])? (\S+).*$")  # GLPK's raw file: columns by number, from 1
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def read_file(file: Path, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Shares (n, k), or labels (n,)."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{file} cannot be read ({error}): pass a solution file") from error
    text = _named(text, shape[1])
    return _labels(text, file) if _NAME.search(text) is None else _shares(text, shape, file)


def _labels(text: str, file: Path) -> NDArray:
    """Labels from JSON (a list, or an object with "labels"), or from lines whose last field is the label."""
    try:
        value = json.loads(text)
        return np.asarray(value.get("labels") if isinstance(value, dict) else np.atleast_1d(value))
    except ValueError:
        pass
    rows = [[field.strip() for field in line.split(",")] for line in text.splitlines() if line.strip()]
    column = -1
    if rows and not _NUMBER.fullmatch(rows[0][-1]):
        names = [name.strip('"').lower() for name in rows[0]]
        column = next((names.index(name) for name in ("label", "labels", "cluster") if name in names), -1)
        rows = rows[1:]
    try:
        return np.array([float(row[column]) for row in rows])
    except (ValueError, IndexError) as error:
        raise InvalidInputError(f"{file} holds neither labels nor values of assign_J_I ({error})") from error


def _named(text: str, k: int) -> str:
    """GLPK's files with the name and value of every variable."""
    if re.search(r"(?m)^s (bas|ipt|mip) \d", text) is None:
        return _WRAPPED.sub(r"\1 ", text)

    def line(found: re.Match[str]) -> str:
        j, i = divmod(int(found[1]) - 1, k)
        return f"assign_{j}_{i} {found[2]}"

    return _NUMBERED.sub(line, text)


def _shares(text: str, shape: tuple[int, int], file: Path) -> NDArray[np.float64]:
    """xi (n, k) from lines that name a variable and its value; the first value named counts, duals come later."""
    shares, seen = np.zeros(shape), np.zeros(shape, dtype=bool)
    with_duals = re.search(r"Primal\s+Dual", text) is not None
    for line in text.splitlines():
        name = _NAME.search(line)
        if name is None:
            continue
        j, i = int(name[1]), int(name[2])
        if j >= shape[0] or i >= shape[1]:
            raise InvalidInputError(
                f"{file} names {name[0]}, the model has {shape[0]} points and {shape[1]} clusters: "
                f"it solves another model"
            )
        value = _value(line[: name.start()], line[name.end() :], with_duals)
        if value is not None and not seen[j, i]:
            shares[j, i], seen[j, i] = min(max(value, 0.0), 1.0), True
    return shares


def _value(before: str, after: str, with_duals: bool) -> float | None:
    """The value on a variable's line: an XML attribute, the first number after the name, or in a column before it."""
    marked = re.search(r'value="([^"]*)"', after)
    found = _NUMBER.search(marked[1] if marked else after)
    if found is not None:
        return float(found[0])
    columns = _NUMBER.findall(before)  # HiGHS's pretty file: ..., primal, dual, name
    place = 2 if with_duals else 1
    return float(columns[-place]) if len(columns) >= place else None
