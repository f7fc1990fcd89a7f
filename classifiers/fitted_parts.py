"""Do the parts of a classifier that was read from a file fit each other? Every number and name against the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.errors import InvalidInputError, one_line
from .cluster_values import bernoulli_values, beta_values, check_prior
from .encoders.table_cleaner import TableCleaner
from .state import check_labels, feature_names, plain_labels


def check_fitted_parts(model: Any) -> None:
    """Refuse a `ClusteringClassifier` whose fitted parts contradict each other.

    Raises
    ------
    InvalidInputError
        In one line that names the first contradiction.
    """
    check_labels(plain_labels(model.classes_))
    count = len(model.cells_)
    if not count or not len(model.cluster_values_) == len(model.objectives_) == count:
        raise InvalidInputError(
            f"{count} cells, {len(model.cluster_values_)} cluster values and {len(model.objectives_)} objectives: "
            f"expected as many of each, at least one"
        )
    if not 0 <= model.best_ < count:
        raise InvalidInputError(f"best={model.best_} names none of the {count} stored starts")
    if not np.isfinite(model.objectives_).all() or model.objectives_[model.best_] not in (
        model.objectives_.min(), model.objectives_.max()
    ):  # fmt: skip
        raise InvalidInputError(f"start {model.best_} is called the best, but its objective is neither end of all")
    if not -1.0 <= model.threshold <= 2.0:
        raise InvalidInputError(f"threshold={model.threshold!r} is no score: expected a number between 0 and 1")
    for cells, values in zip(model.cells_, model.cluster_values_):
        _check_values(model, cells.diagram.n_clusters, values)
    check_columns(model, [model.cleaner_, model.encoder_])
    totals = np.array([values.counts.sum(axis=0) for values in model.cluster_values_])
    if not np.allclose(totals, totals[0], rtol=1e-9):
        raise InvalidInputError("the starts count different training rows: expected the same in all of them")
    check_probe(model)


def check_columns(model: Any, parts: Sequence[Any]) -> None:
    """Names and numbers of columns from the table through its parts, and the classes that encoders know.

    Parts that are None are left out; a `TableCleaner` gives those behind it other columns than the table's.
    """
    names, count = feature_names(model), model.n_features_in_
    if names is not None and (len(set(names)) < len(names) or len(names) != count):
        raise InvalidInputError(f"{len(names)} feature names do not fit {count} features")
    for part in (part for part in parts if part is not None):
        own = feature_names(part)
        if part.n_features_in_ != count or (names is not None and own not in (None, names)):
            raise InvalidInputError(f"the columns of the {type(part).__name__} are not those that it is given")
        if isinstance(part, TableCleaner):
            names = [str(name) for name in part.get_feature_names_out()]
            count = len(names)
        classes = getattr(part, "classes_", model.classes_)
        if classes is None or not np.array_equal(classes, model.classes_):
            raise InvalidInputError(f"the encoder knows other classes than {plain_labels(model.classes_)}")


def _check_values(model: Any, n_clusters: int, values: Any) -> None:
    """Values that follow from the counts and the prior."""
    if values.values.shape != (n_clusters, len(model.classes_)) or values.counts.shape != values.values.shape:
        raise InvalidInputError(
            f"cluster values {values.values.shape} do not fit {n_clusters} cells and {len(model.classes_)} classes"
        )
    if (values.counts < 0).any() or not values.counts.any():
        raise InvalidInputError("counts of training rows must be at least 0, and not all 0")
    prior = None if model.prior is None else check_prior(model.prior)
    expected = bernoulli_values(values.counts) if prior is None else beta_values(values.counts, *prior)
    if not np.allclose(values.values, expected, rtol=0, atol=1e-12):
        raise InvalidInputError("cluster values are not those that the counts of training rows give")


def check_probe(model: Any) -> None:
    """One row, of nothing but gaps where an encoder takes them, else of zeros, goes all the way through."""
    named = hasattr(model, "feature_names_in_")
    probe: Any = np.zeros((1, model.n_features_in_))
    probe = pd.DataFrame(probe, columns=list(model.feature_names_in_)) if named else probe
    gaps = [probe * np.nan] if named and model.encoder is not None else []
    scores = _scores_of_first([*gaps, probe], model)
    if scores.shape != (1, len(model.classes_)) or not np.isfinite(scores).all():
        raise InvalidInputError("the model gives a row no finite scores: its parts do not fit each other")


def _scores_of_first(probes: Sequence[Any], model: Any) -> NDArray[np.float64]:
    """Scores (1, C) of the first row that the model takes; InvalidInputError with its word on the first when none."""
    errors: list[Exception] = []
    for probe in probes:
        try:
            with np.errstate(all="ignore"):
                return np.asarray(model.predict_proba(probe))
        except Exception as error:  # whatever a contradiction between the parts leads to
            errors.append(error)
    reason = one_line(errors[0])[:200]
    raise InvalidInputError(f"the parts of the model do not fit each other ({reason})") from errors[0]
