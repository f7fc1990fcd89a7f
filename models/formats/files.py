"""Instances of the assignment program as files: MPS and LP for other solvers (`solver_files`), JSON to read back.

A ``.json`` holds points and sites, or scores, and bounds: small, exact, every number with as many digits as make it
come back unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...base.checks import as_path
from ...base.errors import InvalidInputError
from ...base.record import Record
from ..polytope.records import polytope_of, polytope_record
from ..programs.linear_program import ExplicitProgram
from ..scores.scores import LinearScores
from .solver_files import SUFFIXES, check_suffix, program_lines

if TYPE_CHECKING:
    from ..programs.assignment import AssignmentModel

FORMAT, VERSION = "partitope.assignment", 1


def check_instance_name(path: str | Path) -> Path:
    """The path, refused unless it ends in ``.mps``, ``.lp`` or ``.json``."""
    return check_suffix(path, (*SUFFIXES, ".json"))


def instance_text(model: AssignmentModel, suffix: str) -> str:
    """The file of a model as text, for a suffix of `SUFFIXES` or ".json"."""
    if suffix == ".json":
        return json.dumps(_record(model), allow_nan=False) + "\n"
    program = ExplicitProgram.of(model)
    said = _said(program, model.polytope.row_names)
    return "\n".join(program_lines(program.bounded, said, suffix)) + "\n"


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
    if program.open_costs is not None:
        yield "open_I: 1 where cluster I is open; open_least_0, open_most_0: how many are."


def _record(model: AssignmentModel) -> dict[str, object]:
    source = model.score_source
    record: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "sense": "min" if model.minimised else "max",
        **polytope_record(model.polytope),
        "kind": model.kind,
        "sites": None if model.sites is None else model.sites.tolist(),
    }
    if isinstance(source, LinearScores) and model.kind is not None:
        return record | {"points": np.asarray(source.X, np.float64).tolist(), "origin": source.origin.tolist()}
    scores = source.dense()
    return record | ({"costs": (-scores).tolist()} if model.minimised else {"scores": scores.tolist()})


def _model(record: Record) -> AssignmentModel:
    from ..programs.assignment import AssignmentModel

    polytope = polytope_of(record)
    if record["kind"] == "csa":
        return AssignmentModel.csa(record["points"], record["sites"], polytope)
    if record["kind"] == "lsa":
        return AssignmentModel.lsa(record["points"], record["sites"], polytope, record["origin"])
    if record["sense"] == "min":
        return AssignmentModel.of_costs(polytope, record["costs"])
    return AssignmentModel(polytope, record["scores"])
