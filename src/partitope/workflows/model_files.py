"""Model files: readable JSON where the model allows it, skops archives otherwise; loading runs no code.

A ``.json`` file holds ``{"format": "partitope.model", "version": 1, "partitope": ..., "model": state}`` with the
state that ``to_dict`` of `ClusteringClassifier` or `LocalModelClassifier` gives: numbers, texts, lists and nothing
else. A ``.skops`` file is an archive of skops, for models that hold scikit-learn's own estimators. On loading, only
types on a fixed list (partitope's estimators and results, and what skops itself trusts of NumPy and scikit-learn) are
built; a file that names any other type is refused before anything in it is used.

Both kinds carry a digest of their content. A file whose content was changed afterwards is refused; from an archive
without a digest, which this module did not write, no proof is taken over. A digest shows changes, not their author.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Collection
from copy import copy
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from .. import __version__
from ..base.errors import CapabilityError, InvalidInputError, one_line
from ..base.extras import import_extra
from ..base.status import Status
from ..output.files import write_atomically
from ..solvers.embedding import KINDS
from ..solvers.partition import Partition

FORMAT, VERSION = "partitope.model", 1
SUFFIXES = (".json", ".skops")
_ARCHIVE = b"PK\x03\x04"
_SEAL = "partitope.digest"  # the member of an archive that holds the digest of all others
_DATA_TYPES = (
    "classifiers.cluster_values.ClusterValues",
    "classifiers.clustering_classifier.ClusteringClassifier",
    "classifiers.encoders.column_table.ColumnTable",
    "classifiers.encoders.conditional_mean.ConditionalMeanEncoder",
    "classifiers.encoders.roles.ColumnRole",
    "classifiers.encoders.table_cleaner.TableCleaner",
    "classifiers.encoders.weighting.LeastSquaresWeighting",
    "classifiers.linear.basis.LinearBasis",
    "classifiers.linear.pooled.PooledLogisticRegression",
    "classifiers.linear.pooled.PooledModel",
    "classifiers.local_collection.Collection",
    "classifiers.local_models.LocalModelClassifier",
    "compare.methods.KMeansReference",
    "models.objectives.bound.Bound",
    "models.certificates.certificate.Certificate",
    "models.diagram.power_diagram.PowerDiagram",
    "solvers.embedding.Cells",
    "solvers.partition.Partition",
)


def trusted_types() -> set[str]:
    """Full names of the partitope types that a model file may name: data types and all of our strategies."""
    from ..solvers import STRATEGIES

    strategies = {STRATEGIES.entries[name].path.replace(":", ".") for name in STRATEGIES.own}
    return strategies | {f"partitope.{name}" for name in _DATA_TYPES} | set(KINDS.values())


def check_model_name(path: str | Path) -> Path:
    """The path, refused unless it ends in ``.json`` or ``.skops``."""
    file = Path(path)
    if file.suffix.lower() not in SUFFIXES:
        raise InvalidInputError(f"{file.name} has the suffix {file.suffix!r}: name a model file .json or .skops")
    if file.suffix.lower() == ".skops":
        _skops()
    return file


def check_readable_name(path: str | Path) -> Path:
    """The path, refused unless it ends in ``.json``: models that are plain data have no other kind of file."""
    file = Path(path)
    if file.suffix.lower() != ".json":
        raise InvalidInputError(f"{file.name} has the suffix {file.suffix!r}: name a model of clusters .json")
    return file


def _skops() -> Any:
    """The module that reads and writes archives."""
    return import_extra("skops.io", "skops", "model files that end in .skops need skops; .json files need nothing")


def save_model(model: Any, path: str | Path, *, trusted: Collection[str] = ()) -> Path:
    """Write a fitted classifier to a model file, whole or not at all.

    Parameters
    ----------
    model : estimator
        With ``to_dict`` for ``.json``; any estimator of partitope or scikit-learn for ``.skops``.
    path : str or Path
        The suffix decides the kind of file.
    trusted : collection of str, optional
        Full names of further types that the reader is going to trust.

    Returns
    -------
    Path

    Raises
    ------
    InvalidInputError
        When the suffix is neither, or the file cannot be written.
    CapabilityError
        When the model has no readable state (use ``.skops``), or holds types that `load_model` would refuse.
    MissingDependencyError
        When the suffix is ``.skops`` and skops is not installed.
    """
    file = check_model_name(path)
    if file.suffix.lower() == ".json":
        return write_atomically(file, _to_json(model))
    skops_io = _skops()
    archive = skops_io.dumps(_each_partition(model, lambda part: replace(part, status=part.status.name)))
    foreign = sorted(set(skops_io.get_untrusted_types(data=archive)) - trusted_types() - set(trusted))
    if foreign:
        raise CapabilityError(
            f"the model holds {', '.join(foreign)}, which partitope does not trust on loading: pass trusted="
        )
    return write_atomically(file, _with_seal(archive))


def _each_partition(thing: Any, change: Callable[[Any], Any]) -> Any:
    """A copy in which every partition is changed; skops stores no enumerations, so that its status must be."""
    if isinstance(thing, Partition):
        return change(thing)
    if isinstance(thing, (list, tuple)) and type(thing) in (list, tuple):
        return type(thing)(_each_partition(entry, change) for entry in thing)
    if type(thing) is dict:
        return {key: _each_partition(entry, change) for key, entry in thing.items()}
    if isinstance(thing, BaseEstimator):
        same = copy(thing)
        vars(same).update({key: _each_partition(entry, change) for key, entry in vars(thing).items()})
        return same
    return thing


def _to_json(model: Any) -> str:
    if not hasattr(model, "to_dict"):
        raise CapabilityError(f"{type(model).__name__} has no readable state: name the model file .skops")
    state = {"format": FORMAT, "version": VERSION, "partitope": __version__, "model": model.to_dict()}
    cleaner = getattr(model, "cleaner_", None)
    if cleaner is not None and "cleaner" not in state["model"]:  # made for columns that it cleaned
        state["table"] = cleaner.to_dict()
    state["digest"] = _digest_of_state(_sealed_part(state))
    return json.dumps(state, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def load_model(path: str | Path, *, trusted: Collection[str] = ()) -> Any:
    """The fitted classifier of a model file; the content decides the kind of file, not its name.

    Parameters
    ----------
    path : str or Path
        Written by `save_model`.
    trusted : collection of str, optional
        Full names of further types that an archive may hold, such as ``"sklearn.tree._tree.Tree"``, which skops
        does not trust because a forged one could crash the process. Name only what you know the source of.

    Raises
    ------
    InvalidInputError
        When the file is missing, damaged, of another format or version, or names a type that is not trusted.
    MissingDependencyError
        When the file is an archive and skops is not installed.
    """
    file = Path(path)
    if not file.is_file():
        what = "is a folder" if file.is_dir() else "does not exist"
        raise InvalidInputError(f"{file} {what}: pass a model file written by partitope fit")
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InvalidInputError(f"{file} cannot be read: {error.strerror}") from error
    return _from_archive(content, file, trusted) if content.startswith(_ARCHIVE) else _from_json(content, file)


def _from_json(content: bytes, file: Path) -> Any:
    try:
        document = json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = "too deeply nested" if isinstance(error, RecursionError) else str(error)
        raise InvalidInputError(f"{file} is not a model file ({reason}): write one with partitope fit") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InvalidInputError(f"{file} is JSON but no model of partitope: write one with partitope fit")
    if document.get("version") != VERSION or isinstance(document["version"], bool):
        raise InvalidInputError(
            f"{file} has version {document.get('version')!r} of the model format, this release reads {VERSION}: "
            f"fit the model again, or read it with partitope {document.get('partitope', 'of its time')}"
        )
    from ..classifiers import TableCleaner

    state = document.get("model")
    kind = state.get("format") if isinstance(state, dict) else None
    if "digest" in document and document["digest"] != _digest_of_state(_sealed_part(document)):
        raise InvalidInputError(f"{file} was changed after it was written: fit the model again")
    readers = _readers()
    if not isinstance(kind, str) or kind not in readers:
        raise InvalidInputError(f"{file} holds a {kind!r}, expected one of {', '.join(readers)}")
    try:
        model = readers[kind](state)
        if "table" in document:
            model.cleaner_ = TableCleaner.from_dict(document["table"])
            if list(model.cleaner_.get_feature_names_out()) != list(getattr(model, "feature_names_in_", ())):
                raise InvalidInputError("the columns of the table are not those that the model was fitted on")
        return model
    except InvalidInputError as error:
        raise InvalidInputError(f"{file} is no model that can be used: {error}") from error


def _readers() -> dict[str, Any]:
    """Formats of readable states, and what builds a model from each."""
    from ..classifiers import ClusteringClassifier, LocalModelClassifier
    from ..classifiers.clustering_state import FORMAT as CLUSTERING
    from ..classifiers.local_state import FORMAT as LOCAL
    from ..cluster.model import FORMAT as CLUSTERS
    from ..cluster.model import ClusterModel

    return {
        CLUSTERING: ClusteringClassifier.from_dict,
        CLUSTERS: ClusterModel.from_dict,
        LOCAL: LocalModelClassifier.from_dict,
    }


def _sealed_part(document: Any) -> Any:
    """What the digest of a readable file is taken of: the model, and the table where it stands beside it."""
    return document["model"] if "table" not in document else [document["model"], document["table"]]


def _digest_of_state(state: Any) -> str:
    text = json.dumps(state, sort_keys=True, ensure_ascii=True)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _digest_of_members(archive: zipfile.ZipFile) -> str:
    seal = blake2b(digest_size=16)
    for name in sorted(archive.namelist()):
        if name != _SEAL:
            seal.update(repr((name, blake2b(archive.read(name)).hexdigest())).encode())
    return seal.hexdigest()


def _with_seal(content: bytes) -> bytes:
    stream = BytesIO(content)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr(_SEAL, _digest_of_members(archive))
    return stream.getvalue()


def _is_sealed(content: bytes, file: Path) -> bool:
    """Whether an archive carries the digest of its content; refused when it carries another one."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        if _SEAL not in archive.namelist():
            return False
        if archive.read(_SEAL).decode() != _digest_of_members(archive):
            raise InvalidInputError(f"{file} was changed after it was written: fit the model again")
    return True


def _restored(partition: Partition, sealed: bool) -> Partition:
    """A partition as it was stored, without its proofs when nothing says that it is."""
    known = replace(partition, status=Status[partition.status])  # type: ignore[misc]  # stored by name
    return known if sealed else replace(known, certificate=None, bound=None)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _from_archive(content: bytes, file: Path, trusted: Collection[str]) -> Any:
    skops_io = _skops()
    from ..classifiers import ClusteringClassifier
    from ..classifiers.fitted_parts import check_fitted_parts

    try:
        allowed = trusted_types() | set(trusted)
        foreign = sorted(set(skops_io.get_untrusted_types(data=content)) - allowed)
        if foreign:
            raise InvalidInputError(f"{file} names types that partitope does not trust: {', '.join(foreign)}")
        sealed = _is_sealed(content, file)
        model = _each_partition(skops_io.loads(content, trusted=sorted(allowed)), partial(_restored, sealed=sealed))
    except InvalidInputError:
        raise
    except Exception as error:  # zipfile, json and skops raise what they like on damaged archives
        reason = one_line(error)[:200]
        raise InvalidInputError(f"{file} is a damaged archive ({reason}): fit the model again") from error
    if not (hasattr(model, "predict_proba") and hasattr(model, "classes_")):
        raise InvalidInputError(f"{file} holds a {type(model).__name__}, expected a fitted classifier")
    if isinstance(model, ClusteringClassifier) and hasattr(model, "cells_"):
        try:
            check_fitted_parts(model)
        except InvalidInputError as error:
            raise InvalidInputError(f"{file} is no model that can be used: {error}") from error
    return model
