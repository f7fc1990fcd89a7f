"""The fitted state of a clustering classifier as plain data, and back: what its model files hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from ..base.errors import CapabilityError
from ..solvers.embedding import Cells
from .cluster_values import ClusterValues, check_prior
from .encoders.conditional_mean import ConditionalMeanEncoder
from .encoders.table_cleaner import TableCleaner
from .encoders.weighting import LeastSquaresWeighting
from .fitted_parts import check_fitted_parts
from .state import (
    check_format,
    check_labels,
    checked_names,
    feature_names,
    plain_labels,
    set_feature_names,
    stored_numbers,
    stored_text,
    stored_whole,
)

if TYPE_CHECKING:
    from .clustering_classifier import ClusteringClassifier

FORMAT, VERSION = "partitope.ClusteringClassifier", 1
STORED: dict[str, Any] = {
    "cleaner": TableCleaner,
    "encoder": ConditionalMeanEncoder,
    "weighting": LeastSquaresWeighting,
}
MOST_THRESHOLD = float(np.nextafter(1.0, 2.0))
"""Scores end at 1: what lies above is never reached, and stored as this."""


def write_state(model: ClusteringClassifier) -> dict[str, Any]:
    """State of a fitted model; CapabilityError when a part of it cannot be written."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "classes": plain_labels(model.classes_),
        "aggregate": model.aggregate,
        "threshold": float(np.clip(model.threshold, 0.0, MOST_THRESHOLD)),
        "prior": None if model.prior is None else list(check_prior(model.prior)),
        "n_features": int(model.n_features_in_),
        "feature_names": feature_names(model),
        "target": model.target_name_,
        "rows": model.rows_digest_,
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
    check_format(state, FORMAT, VERSION)
    starts = state["starts"]
    cells = [Cells.from_dict(start) for start in starts]
    prior = None if state["prior"] is None else check_prior(state["prior"])
    model.set_params(aggregate=state["aggregate"], n_starts=len(starts), prior=prior, threshold=state["threshold"])
    model._check_options()
    for name, stored in STORED.items():
        part = None if state[name] is None else stored.from_dict(state[name])
        setattr(model, name, None if part is None else clone(part))
        setattr(model, f"{name}_", part)
    if model.encoder_ is None and any(part.embedding is not None and part.embedding.reads_tables for part in cells):
        model.encoder = "auto"
    model.classes_ = check_labels(state["classes"])
    model.n_features_in_ = stored_whole(state, "n_features")
    set_feature_names(model, state["feature_names"])
    covariates = state.get("covariates")
    model.covariate_names_ = None if covariates is None else checked_names(covariates, "covariates")
    model.target_name_, model.rows_digest_ = stored_text(state, "target"), stored_text(state, "rows") or ""
    model.cells_ = cells
    model.cluster_values_ = [ClusterValues.from_dict(start) for start in starts]
    model.objectives_ = stored_numbers([start["objective"] for start in starts], "objectives", None)
    model.best_ = stored_whole(state, "best")
    check_fitted_parts(model)


def _stored(model: ClusteringClassifier, name: str) -> dict[str, Any] | None:
    part = getattr(model, f"{name}_")
    if part is not None and type(part) is not STORED[name]:
        raise CapabilityError(
            f"{name} is a {type(part).__name__}: only {STORED[name].__name__} has a readable state; "
            f"store this model with skops"
        )
    return None if part is None else part.to_dict()
