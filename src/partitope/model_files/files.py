"""Model files: a fitted model as JSON, for all that partitope learns; loading runs no code.

A file holds ``{"format": "partitope.model", "version": 1, "partitope": ..., "digest": ..., "model": state}`` with the
state of `state`: numbers, texts, lists and names of partitope's own classes. A file whose state is not the one
that its digest was taken of is refused. A digest shows changes, not their author.

Models that hold estimators of other libraries are stored by the tools made for it: joblib, or skops.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..base.errors import CapabilityError, InvalidInputError, PartitopeError
from ..base.version import __version__
from ..output.files import write_atomically
from .state import CLASSIFIERS, from_state, state_of

FORMAT, VERSION = "partitope.model", 1
WHOLE = tuple(path.rpartition(".")[2] for path in CLASSIFIERS)


def check_model_name(path: str | Path) -> Path:
    """The path, refused unless it ends in ``.json``."""
    file = Path(path)
    if file.suffix.lower() != ".json":
        raise InvalidInputError(f"{file.name} has the suffix {file.suffix!r}: name a model file .json")
    return file


def save_model(model: BaseEstimator, path: str | Path) -> Path:
    """Write a fitted model to a model file, whole or not at all."""
    return write_atomically(check_model_name(path), model_text(model))


def model_text(model: BaseEstimator) -> str:
    """What `save_model` writes, with its errors."""
    if type(model).__name__ not in WHOLE:
        raise CapabilityError(
            f"a {type(model).__name__} has no model file, expected one of {', '.join(WHOLE)}: store it with "
            f"joblib.dump or skops.io.dump"
        )
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)
    state = state_of(model)
    head = {"format": FORMAT, "version": VERSION, "partitope": __version__, "digest": _digest(state)}
    return json.dumps({**head, "model": state}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def load_model(path: str | Path) -> BaseEstimator:
    """The fitted model of a file that `save_model` has written."""
    file = Path(path)
    if not file.is_file():
        what = "is a folder" if file.is_dir() else "does not exist"
        raise InvalidInputError(f"{file} {what}: pass a model file written by partitope fit")
    document = _document(file)
    state = document.get("model")
    if document.get("digest") != _digest(state):
        raise InvalidInputError(f"{file} was changed after it was written: fit the model again")
    kind = state.get("class") if isinstance(state, dict) else None
    if kind not in WHOLE:
        raise InvalidInputError(f"{file} holds a {kind!r}, expected one of {', '.join(WHOLE)}")
    try:
        return from_state(state)
    except InvalidInputError as error:
        raise InvalidInputError(f"{file} is not a model that can be used: {error}") from error


@contextmanager
def using(path: Path) -> Iterator[None]:
    """The internal error of a model read from a file, in one line: its digest may belong to a changed state."""
    try:
        yield
    except (PartitopeError, OSError):
        raise
    except Exception as error:  # of a changed state, most likely; a fault of ours looks alike
        if os.environ.get("PARTITOPE_DEBUG"):
            raise
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise InvalidInputError(
            f"{path} holds no model that can be used here ({said}; PARTITOPE_DEBUG=1 shows where): fit the model again"
        ) from error


def _document(file: Path) -> dict[str, object]:
    """What a file holds, of this format and version."""
    try:
        document = json.loads(file.read_bytes().decode("utf-8"), parse_constant=_refuse_constant)
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        reason = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        raise InvalidInputError(f"{file} is not a model file ({reason}): write one with partitope fit") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InvalidInputError(f"{file} is JSON but no model of partitope: write one with partitope fit")
    if document.get("version") != VERSION or isinstance(document["version"], bool):
        raise InvalidInputError(
            f"{file} has version {document.get('version')!r} of the model format, this release reads {VERSION}: fit "
            f"the model again, or read it with partitope {document.get('partitope', 'of its time')}"
        )
    return document


def _digest(state: Any) -> str:
    text = json.dumps(state, sort_keys=True, ensure_ascii=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
