"""The readable state of local models: those that `LocalModelSearch` makes, from number to number.

Stored are the encoder and the basis, and for every start the cells and the coefficients of the model in each of them.
Other estimators in the cells have no readable state: skops stores them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import CapabilityError, InvalidInputError
from ..solvers.embedding import Cells
from .encoders.conditional_mean import ConditionalMeanEncoder
from .fitted_parts import check_columns, check_probe
from .gates import cells_of
from .linear.basis import LinearBasis
from .linear.pooled import PooledModel
from .local_collection import Collection
from .state import (
    check_format,
    check_labels,
    feature_names,
    plain_labels,
    set_feature_names,
    stored_numbers,
    stored_whole,
)

if TYPE_CHECKING:
    from .local_models import LocalModelClassifier

FORMAT = "partitope.LocalModelClassifier"
VIEWS: dict[str, tuple[Any, ...]] = {"encoder": (ConditionalMeanEncoder, LinearBasis), "basis": (LinearBasis,)}


def write_state(model: LocalModelClassifier) -> dict[str, Any]:
    """Plain lists, numbers and texts; CapabilityError when a part has no readable state."""
    starts = model.starts_ if model.n_starts > 1 else (model,)
    if model.assignment != "nearest" or not all(isinstance(part, PooledModel) for part in model.local_models_):
        raise CapabilityError(
            "only local models of PooledLogisticRegression with assignment='nearest' have a readable state: "
            "name the model file .skops"
        )
    return {
        "format": FORMAT,
        "version": 1,
        "classes": plain_labels(model.classes_),
        "n_features": int(model.n_features_in_),
        "feature_names": feature_names(model),
        **{name: _view(model, name) for name in VIEWS},
        "best": next(i for i, start in enumerate(starts) if start._collection is model._collection),
        "starts": [
            {
                **(start.cells_ or cells_of(start.partitioner_)).to_dict(),
                "coefficients": [part.coefficients.tolist() for part in start.local_models_],
                "shares": start.class_shares_.tolist(),
            }
            for start in starts
        ],
    }


def _view(model: LocalModelClassifier, name: str) -> dict[str, Any] | None:
    part = getattr(model, f"{name}_")
    if part is not None and not isinstance(part, VIEWS[name]):
        raise CapabilityError(f"{name} is a {type(part).__name__}, which has no readable state: name the file .skops")
    return None if part is None else part.to_dict()


def read_state(model: LocalModelClassifier, state: Mapping[str, Any]) -> None:
    """Fill a fresh classifier with what `write_state` has written."""
    check_format(state, FORMAT, 1)
    model.classes_ = check_labels(state["classes"])
    model.n_features_in_ = stored_whole(state, "n_features")
    set_feature_names(model, state["feature_names"])
    for name, kinds in VIEWS.items():
        known = {kind().__class__.__name__: kind for kind in kinds}
        stored = state[name]
        kind = None if stored is None else known.get(str(stored["format"]).rpartition(".")[2])
        if stored is not None and kind is None:
            raise InvalidInputError(f"the {name} of the state is a {stored['format']!r}, expected {' or '.join(known)}")
        setattr(model, name, None if kind is None else kind())
        setattr(model, f"{name}_", None if kind is None else kind.from_dict(stored))
    starts = [_read_start(model, start) for start in state["starts"]]
    if not stored_whole(state, "best") < len(starts):
        raise InvalidInputError(f"best={state['best']} names none of the {len(starts)} stored starts")
    best = starts[state["best"]]
    model.n_starts = len(starts)
    for name in ("cells_", "_collection", "round_", "round_scores_"):
        setattr(model, name, getattr(best, name))
    model.starts_ = tuple(starts)
    check_columns(model, [model.encoder_, model.basis_, getattr(model.basis_, "encoder_", None)])
    check_probe(model)


def _read_start(model: LocalModelClassifier, state: Mapping[str, Any]) -> LocalModelClassifier:
    start = type(model)()
    start.classes_, start.encoder_, start.basis_ = model.classes_, None, None
    start.cells_ = Cells.from_dict(state)
    start.round_, start.round_scores_ = None, None
    k, C = start.cells_.diagram.n_clusters, len(model.classes_)
    wide = None if model.basis_ is None else len(model.basis_.means_) + 1
    coefficients = stored_numbers(state["coefficients"], "coefficients", k, wide, C)
    shares = stored_numbers(state["shares"], "shares", k, C)
    if (shares < 0).any() or not np.allclose(shares.sum(axis=1), 1.0, rtol=0, atol=1e-9):
        raise InvalidInputError("shares of the classes in a cell must be at least 0 and add up to 1")
    models = tuple(PooledModel(part, model.classes_) for part in coefficients)
    start._collection = Collection(models, shares, model.classes_)
    return start
