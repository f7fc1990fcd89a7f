"""Local logistic regressions between those learnt alone and that of all rows."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from partitope.base.errors import InvalidInputError
from partitope.classifiers import ConditionalMeanEncoder, LocalModelClassifier
from partitope.classifiers.linear.basis import LinearBasis
from partitope.classifiers.linear.pooled import PooledLogisticRegression
from partitope.model_files.state import from_state, state_of
from partitope.solvers import CAC, GeometricPartitioner


def crossed(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two classes told apart by opposite slopes left and right."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) + np.where(np.arange(n) % 2, 3.0, -3.0)[:, None] * [1.0, 0.0]
    return X, (X[:, 1] * np.sign(X[:, 0]) + 0.3 * rng.normal(size=n) > 0).astype(int)


def local(pooled: PooledLogisticRegression, k: int = 2, **options) -> LocalModelClassifier:
    strategy = GeometricPartitioner(k, objective="lsa", random_state=0)
    return LocalModelClassifier(strategy, pooled, random_state=0, **options)


def test_the_penalty_leads_from_one_model_to_one_a_cell():
    X, y = crossed()
    alone = PooledLogisticRegression(tol=1e-8).fit(X, y).predict_proba(X)
    stiff = local(PooledLogisticRegression(local_penalty=1e8, tol=1e-8)).fit(X, y)
    np.testing.assert_allclose(stiff.predict_proba(X), alone, atol=1e-5)
    loose = local(PooledLogisticRegression(local_penalty=1e-6, tol=1e-8)).fit(X, y)
    for i in range(2):
        rows = loose.apply(X) == i
        each = PooledLogisticRegression(penalty=1e-6, tol=1e-8).fit(X[rows], y[rows])
        np.testing.assert_allclose(loose.predict_proba(X[rows]), each.predict_proba(X[rows]), atol=1e-3)
    assert loose.score(X, y) > 0.9 > 0.7 > (alone.argmax(axis=1) == y).mean()


def test_a_cell_of_one_class_keeps_the_slopes_of_all_rows():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(50, 2)), rng.normal(size=(50, 2)) + np.array([20.0, 0.0])])
    y = np.where(np.arange(100) < 50, X[:, 1] > 0, True).astype(int)
    model = local(PooledLogisticRegression()).fit(X, y)
    pure = model.apply(np.array([[20.0, 0.0]]))[0]
    assert model.local_models_[pure] is not None
    assert 0.0 < model.predict_proba(np.array([[20.0, -1.0]]))[0, 0] < 0.5


def test_starts_are_averaged_and_the_best_lends_its_cells():
    X, y = crossed(200)
    model = local(PooledLogisticRegression(), 5, n_starts=3).fit(X, y)
    seeds = np.random.RandomState(0).randint(np.iinfo(np.int32).max, size=3)
    each = [
        LocalModelClassifier(clone(model.partitioner).set_params(random_state=int(seed)), PooledLogisticRegression())
        for seed in seeds
    ]
    for one in each:
        one.fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), np.mean([one.predict_proba(X) for one in each], axis=0))
    best = min(each, key=lambda one: one.partition_.objective)
    np.testing.assert_array_equal(model.apply(X), best.apply(X))
    assert model.partition_.objective == best.partition_.objective
    with pytest.raises(InvalidInputError, match="leave one of them out"):
        LocalModelClassifier(CAC(2), PooledLogisticRegression(), n_starts=2, scoring="accuracy").fit(X, y)


def mixed(n: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=n), "word": rng.choice(["x", "y", "z"], n), "b": rng.normal(size=n)})
    X.loc[4, "a"] = np.nan
    return X, np.array(["no", "yes"])[((X["word"] == "x") ^ (X["b"] > 0)).to_numpy().astype(int)]


def test_tables_of_words_and_gaps_and_a_readable_state():
    X, y = mixed()
    model = local(
        PooledLogisticRegression(local_penalty=1.0), 4, basis=LinearBasis("spline"), n_starts=3,
        encoder=ConditionalMeanEncoder(smoothing=0.0, cross_fit=0), train_on="cells",
    ).fit(X, y)  # fmt: skip
    assert model.score(X, y) > 0.9
    state = json.loads(json.dumps(state_of(model), allow_nan=False))
    again = from_state(state)
    new = mixed(60)[0]
    np.testing.assert_allclose(again.predict_proba(new), model.predict_proba(new), atol=1e-14)
    np.testing.assert_array_equal(again.predict(new), model.predict(new))
    np.testing.assert_array_equal(again.apply(new), model.apply(new))
    assert state_of(again) == state
