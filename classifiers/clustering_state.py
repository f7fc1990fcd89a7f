"""The fitted state of a clustering classifier as plain data, and back: what its model files hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from ..base.errors import CapabilityError, InvalidInputError
from ..solvers.embedding import Cells
from .cluster_values import ClusterValues, check_prior
from .encoders.conditional_mean import ConditionalMeanEncoder
from .encoders.weighting import LeastSquaresWeighting
from .state import check_format, feature_names, plain_labels, set_feature_names

if TYPE_CHECKING:
    from .clustering_classifier import ClusteringClassifier

FORMAT = "partitope.ClusteringClassifier"
STORED: dict[str, Any] = {"encoder": ConditionalMeanEncoder, "weighting": LeastSquaresWeighting}


def write_state(model: ClusteringClassifier) -> dict[str, Any]:
    """State of a fitted model; CapabilityError when a part of it cannot be written."""
    return {
        "format": FORMAT,
        "version": _version_of(model.cells_),
        "classes": plain_labels(model.classes_),
        "aggregate": model.aggregate,
        "threshold": float(model.threshold),
        "prior": None if model.prior is None else list(check_prior(model.prior)),
        "n_features": int(model.n_features_in_),
        "feature_names": feature_names(model),
        **({} if model.covariate_names_ is None else {"covariates": model.covariate_names_}),
        **{name: _stored(model, name) for name in STORED},
        "best": model.best_,
        "starts": [
            {"objective": float(objective), **cells.to_dict(), **values.to_dict()}
            for objective, cells, values in zip(model.objectives_, model.cells_, model.cluster_values_)
        ],
    }


def read_state(model: ClusteringClassifier, state: Mapping[str, Any]) -> None:
    """Set the parameters and the fitted attributes of a new model; InvalidInputError when the state does not fit."""
    check_format(state, FORMAT, 1, 2)
    starts = state["starts"]
    cells = [Cells.from_dict(start) for start in starts]
    check_format(state, FORMAT, _version_of(cells))
    prior = None if state["prior"] is None else check_prior(state["prior"])
    model.set_params(aggregate=state["aggregate"], n_starts=len(starts), prior=prior, threshold=state["threshold"])
    model._check_options()
    for name, stored in STORED.items():
        part = None if state[name] is None else stored.from_dict(state[name])
        setattr(model, name, None if part is None else clone(part))
        setattr(model, f"{name}_", part)
    if model.encoder_ is None and any(part.embedding is not None and part.embedding.reads_tables for part in cells):
        model.encoder = "auto"
    model.classes_ = np.array(state["classes"])
    model.n_features_in_ = int(state["n_features"])
    set_feature_names(model, state["feature_names"])
    model.cells_, model.covariate_names_ = cells, state.get("covariates")
    model.cluster_values_ = [ClusterValues.from_dict(start) for start in starts]
    model.objectives_ = np.array([start["objective"] for start in starts], dtype=np.float64)
    model.best_ = int(state["best"])
    _check_state(model)


def _check_state(model: ClusteringClassifier) -> None:
    """Refuse stored parts that do not fit together."""
    if not 0 <= model.best_ < len(model.cells_):
        raise InvalidInputError(f"best={model.best_} names none of the {len(model.cells_)} stored starts")
    for diagram, values in zip(model.diagrams_, model.cluster_values_):
        if values.values.shape != (diagram.n_clusters, len(model.classes_)):
            raise InvalidInputError(
                f"cluster values {values.values.shape} do not fit {diagram.n_clusters} cells and "
                f"{len(model.classes_)} classes"
            )


def _version_of(cells: Sequence[Cells]) -> int:
    """Version of the stored state: 2 where cells need more than their diagram, which version 1 holds alone."""
    return 1 if all(part.embedding is None for part in cells) else 2


def _stored(model: ClusteringClassifier, name: str) -> dict[str, Any] | None:
    part = getattr(model, f"{name}_")
    if part is not None and type(part) is not STORED[name]:
        raise CapabilityError(
            f"{name} is a {type(part).__name__}: only {STORED[name].__name__} has a readable state; "
            f"store this model with skops"
        )
    return None if part is None else part.to_dict()
