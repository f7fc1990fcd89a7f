"""Cells of every strategy: one prediction, and model files from which it comes back."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from partitope.base.errors import InvalidInputError
from partitope.classifiers import ClusteringClassifier
from partitope.model_files.state import from_state, state_of
from partitope.solvers import (
    KCC,
    KCSSL,
    PKM,
    GeometricPartitioner,
)
from partitope.solvers.predictive.log_likelihoods import LogLikelihoodEmbedding

N = 90
GROUP, HIDDEN = np.arange(N) % 3, np.arange(N) % 2


def points(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(N, 2)) * 0.4 + np.column_stack([6.0 * GROUP, 2.0 * HIDDEN])


def table(seed: int = 0) -> pd.DataFrame:
    X = points(seed)
    colour = np.where(HIDDEN == 1, "red", "blue").astype(object)
    colour[::11] = None
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "colour": colour, "group": np.array(["x", "y", "z"])[GROUP]})


STRATEGIES = [
    GeometricPartitioner(2, random_state=0),
    PKM(3, random_state=0),
    KCC(2, n_init=3, random_state=0),
    KCC(2, n_init=3, max_exact=40, n_landmarks=30, lower=40, upper=50, random_state=0),
    KCSSL(2),
]


def fitted(strategy):
    given = {"covariates": GROUP} if strategy.needs.covariates == "required" else {}
    y = np.where(np.arange(N) < 12, HIDDEN, -1) if strategy.needs.target == "partial" else HIDDEN
    return strategy.fit(points(), y, **given), given


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda s: f"{type(s).__name__}-{s.get_params().get('max_exact')}")
def test_cells_survive_json_and_are_what_predict_uses(strategy):
    """The cells alone say where rows belong, before and after JSON; training rows find their own clusters again."""
    model, given = fitted(strategy)
    again = from_state(json.loads(json.dumps(state_of(model.partition_.cells), allow_nan=False)))
    new = points(1)
    with_covariates = [{}, given] if given else [{}]
    for known in with_covariates:
        expected = model.predict(new, **known)
        np.testing.assert_array_equal(model.partition_.predict(new, known.get("covariates")), expected)
        np.testing.assert_array_equal(again.predict(new, known.get("covariates")), expected)
    if strategy.lower is None:
        np.testing.assert_array_equal(model.predict(points(), **given), model.labels_)


def test_tables_go_to_a_strategy_that_takes_them_as_they_are():
    """The classifier's cells are those of PKM on the table; weights have no columns to act on."""
    X, strategy = table(), PKM(3)
    model = ClusteringClassifier(strategy, n_starts=1, random_state=0).fit(X, HIDDEN)
    assert model.encoder_ is None
    assert isinstance(model.cells_[0].embedding, LogLikelihoodEmbedding)
    with pytest.raises(InvalidInputError, match="PKM reads the table itself"):
        ClusteringClassifier(strategy, weighting="least-squares").fit(X, HIDDEN)
