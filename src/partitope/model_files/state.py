"""A fitted model as plain JSON values, and back: one rule for all that partitope learns.

    None, truth values, numbers, texts, lists   themselves
    array     {"class": "array", "type": "<f8", "shape": [n, d], "entries": [...]}       row by row
    tuple     {"class": "tuple", "entries": [...]}
    dict      {"class": "dict", "entries": [[key, value], ...]}
    one of `KINDS`   {"class": name, attribute: value, ...}

Of a dataclass all fields are written; of an estimator what its class names in ``stored``, its classes and the columns
that it was fitted on. Nothing that is not in `KINDS` is built from a state, and no attribute that its class does not
name is set: reading runs no code of the state.
"""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..base.errors import CapabilityError, InvalidInputError

CLASSIFIERS = (
    "classifiers.clustering_classifier.ClusteringClassifier",
    "classifiers.linear.pooled.PooledLogisticRegression",
    "classifiers.local_models.LocalModelClassifier",
    "classifiers.naive_bayes.classifier.SelectiveNaiveBayes",
    "cluster.model.ClusterModel",
)
"""What a model file holds as a whole."""
PARTS = (
    "classifiers.cluster_values.ClusterValues",
    "classifiers.encoders.column_table.ColumnTable",
    "classifiers.encoders.conditional_mean.ConditionalMeanEncoder",
    "classifiers.encoders.roles.ColumnRole",
    "classifiers.encoders.table_cleaner.TableCleaner",
    "classifiers.encoders.weighting.LeastSquaresWeighting",
    "classifiers.linear.basis.LinearBasis",
    "classifiers.linear.pooled.PooledModel",
    "classifiers.local_collection.Collection",
    "cluster.further.Further",
    "cluster.table_encoder.TableEncoder",
    "models.diagram.power_diagram.PowerDiagram",
    "solvers.conditional.covariates.CovariateRules",
    "solvers.conditional.covariates.CovariateTable",
    "solvers.conditional.extension.Extension",
    "solvers.conditional.extension.FeatureMap",
    "solvers.conditional.residual.CovariateBasis",
    "solvers.cells.Cells",
    "solvers.cells.LiftedPoints",
    "solvers.cells.LinearEmbedding",
    "solvers.cells.WithAttributes",
    "solvers.predictive.log_likelihoods.LogLikelihoodEmbedding",
    "stats.modl.cuts_and_groups.Groups",
    "stats.modl.cuts_and_groups.Intervals",
)
"""What they are put together from."""
KINDS = {path.rpartition(".")[2]: f"partitope.{path}" for path in (*CLASSIFIERS, *PARTS)}
COMMON = ("classes_", "n_features_in_", "feature_names_in_")


def state_of(value: object) -> Any:
    """JSON values of a fitted model, or of a part of one."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return state_of(value.item())
    if isinstance(value, np.ndarray):
        entries = state_of(value.ravel().tolist())
        kind = "U" if value.dtype.kind == "U" else value.dtype.str  # texts have no largest length
        return {"class": "array", "type": kind, "shape": list(value.shape), "entries": entries}
    if isinstance(value, list):
        return [state_of(entry) for entry in value]
    if isinstance(value, tuple):
        return {"class": "tuple", "entries": [state_of(entry) for entry in value]}
    if isinstance(value, dict):
        return {"class": "dict", "entries": [[state_of(key), state_of(entry)] for key, entry in value.items()]}
    kind = type(value)
    if KINDS.get(kind.__name__) != f"{kind.__module__}.{kind.__qualname__}":
        raise CapabilityError(
            f"{kind.__name__} is not one of partitope's own learners, which model files are made of: store this model "
            f"with joblib.dump or skops.io.dump"
        )
    given = value.stored_parts() if hasattr(value, "stored_parts") else vars(value)
    return {"class": kind.__name__, **{name: state_of(given[name]) for name in _names(kind) if name in given}}


def from_state(state: Any) -> Any:
    """Inverse of `state_of`; InvalidInputError for anything else."""
    try:
        return _built(state)
    except InvalidInputError:
        raise
    except KeyError as error:
        raise InvalidInputError(f"the state lacks the entry {error}") from error
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        raise InvalidInputError(f"the state is damaged ({error})") from error


def _built(state: Any) -> Any:
    if isinstance(state, list):
        return [_built(entry) for entry in state]
    if not isinstance(state, dict):
        return state
    name = state["class"]
    if name == "array":
        dtype = np.dtype(state["type"])
        if dtype.kind not in "biufO" and dtype != np.dtype("U"):
            raise InvalidInputError(
                f"the state holds an array of {dtype.name}, expected numbers, truth values or texts"
            )
        return np.array(_built(state["entries"]), dtype=dtype).reshape(state["shape"])
    if name == "tuple":
        return tuple(_built(state["entries"]))
    if name == "dict":
        return {_built(key): _built(entry) for key, entry in state["entries"]}
    if name not in KINDS:
        raise InvalidInputError(f"the state names the class {name!r}, expected one of {', '.join(KINDS)}")
    module, _, _ = KINDS[name].rpartition(".")
    learner = getattr(import_module(module), name)
    parts = {key: _built(entry) for key, entry in state.items() if key != "class"}
    unknown = sorted(set(parts) - set(_names(learner)))
    if unknown:
        raise InvalidInputError(f"the state gives {name} the attribute {unknown[0]!r}, which it has not")
    if not issubclass(learner, BaseEstimator):
        return learner(**parts)
    made = learner()
    for key, part in parts.items():
        setattr(made, key, part)
    return made


def _names(kind: type) -> tuple[str, ...]:
    """Attributes that are written of one of `KINDS`."""
    if issubclass(kind, BaseEstimator):
        return (*kind.stored, *COMMON)  # type: ignore[attr-defined]
    return tuple(field.name for field in fields(kind) if field.init)
