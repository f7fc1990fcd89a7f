"""Instances of the assignment program that were written as JSON, read back.

A ``.json`` holds points and sites, or scores, and bounds: small, exact, every number with as many digits as make it
come back unchanged.
"""

from __future__ import annotations

import json
from pathlib import Path

from ...base.checks import as_path
from ...base.errors import InvalidInputError
from ...base.record import Record
from ..polytope.records import polytope_of
from .assignment import FORMAT, VERSION, AssignmentModel


def read_instance(path: str | Path) -> AssignmentModel:
    """The model of a ``.json`` instance.

    Parameters
    ----------
    path : str or Path
        Written by `AssignmentModel.write`.

    Raises
    ------
    InvalidInputError
        When the file cannot be read, or is not an instance of this version.
    """
    file = as_path(path)
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{file} cannot be read as JSON ({error}): write it anew with .write()") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT or record.get("version") != VERSION:
        raise InvalidInputError(f"{file} is not a {FORMAT} of version {VERSION}: pass a file of AssignmentModel.write")
    try:
        return _model(record)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InvalidInputError(f"{file} is damaged ({error}): write it again") from error


def _model(record: Record) -> AssignmentModel:
    polytope = polytope_of(record)
    if record["kind"] == "csa":
        return AssignmentModel.csa(record["points"], record["sites"], polytope)
    if record["kind"] == "lsa":
        return AssignmentModel.lsa(record["points"], record["sites"], polytope, record["origin"])
    if record["sense"] == "min":
        return AssignmentModel.of_costs(polytope, record["costs"])
    return AssignmentModel(polytope, record["scores"])
