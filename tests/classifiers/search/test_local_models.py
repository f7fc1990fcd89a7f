"""The search over local models: cells where they help out of fold, logistic regression where they do not."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from partitope.classifiers import ConditionalMeanEncoder, LocalModelSearch
from partitope.classifiers.linear.basis import LinearBasis
from partitope.classifiers.linear.pooled import PooledLogisticRegression
from partitope.classifiers.search.out_of_fold import (
    BASES,
    FLOOR,
    LOCAL_PENALTIES,
    Candidate,
    Fold,
    cell_answers,
    descend,
    score_all_rows,
)
from partitope.model_files.state import from_state, state_of
from partitope.models import PartitionPolytope
from partitope.solvers import GeometricPartitioner


def checkers(n: int = 600, seed: int = 0, side: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Squares of a board; if it is larger than two times two, neither curves nor products separate them."""
    X = np.random.default_rng(seed).uniform(-1.0, 1.0, size=(n, 2))
    return X, (np.floor(side / 2 * (X + 1.0)).sum(axis=1) % 2).astype(int)


def straight(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (X @ [1.0, -1.0, 0.5, 0.0] + rng.logistic(size=n) > 0).astype(int)


@pytest.mark.full
def test_cells_are_chosen_where_one_model_fails():
    search = LocalModelSearch().fit(*checkers())
    assert search.best_candidate_.n_clusters > 1
    new, classes = checkers(500, seed=1)
    assert search.score(new, classes) > 0.9
    single = [choice for choice in search.tried_ if choice.candidate.n_clusters == 1]
    assert max(choice.accuracy for choice in single) < 0.7
    sizes = search.partition_.sizes
    polytope = PartitionPolytope.within(600, len(sizes), *search.best_candidate_.bounds)
    assert polytope.contains(search.partition_.labels)
    assert search.partition_.power_diagram is not None


@pytest.mark.full
def test_logistic_regression_is_kept_where_it_is_the_truth():
    X, y = straight()
    search = LocalModelSearch(random_state=0).fit(X, y)
    chosen = search.best_candidate_
    assert chosen.n_clusters == 1
    assert not search.apply(X).any()
    basis = clone(BASES[chosen.basis]).set_params(informative=chosen.informative)
    alone = PooledLogisticRegression(chosen.penalty, precision="single").fit(basis.fit_transform(X, y), y)
    np.testing.assert_allclose(search.predict_proba(X), alone.predict_proba(basis.transform(X)), atol=1e-12)


def test_the_only_row_of_a_class_is_learnt_from_and_never_held_out():
    X, y = straight(90)
    y = y.copy()
    y[7] = 5
    search = LocalModelSearch().fit(X, y)
    assert search.classes_.tolist() == [0, 1, 5]
    assert search.predict_proba(X).shape == (90, 3)
    folds = search._folds(X, np.unique(y, return_inverse=True)[1])
    held = np.concatenate([fold.every_code[fold.test] for fold in folds])
    assert np.bincount(held).tolist() == np.bincount(y)[:2].tolist()
    assert all((fold.codes == 2).sum() == 1 for fold in folds)


@pytest.mark.full
def test_columns_of_noise_are_left_out_where_they_harm():
    """Ten classes around twenty centres in four columns: twelve idle ones hide the products from the models."""
    rng = np.random.default_rng(0)
    centre, centres = rng.integers(20, size=1600), 1.5 * rng.normal(size=(20, 4))
    X, y = np.hstack([centres[centre] + rng.normal(size=(1600, 4)), rng.normal(size=(1600, 12))]), centre % 10
    search = LocalModelSearch().fit(X[:800], y[:800])
    assert search.best_candidate_.informative
    told = search.best_estimator_.basis_.numeric_
    assert set(range(4)) <= set(told.tolist())
    assert len(told) <= 6
    basis = LinearBasis("products").fit(X[:800])
    every = PooledLogisticRegression(30.0).fit(basis.transform(X[:800]), y[:800])
    assert search.score(X[800:], y[800:]) > every.score(basis.transform(X[800:]), y[800:]) + 0.05
    again = from_state(json.loads(json.dumps(state_of(search.best_estimator_))))
    np.testing.assert_array_equal(again.predict_proba(X), search.predict_proba(X))


def test_held_out_losses_written_out():
    X, y = checkers(200, side=2)
    train, test = np.arange(150), np.arange(150, 200)
    parts = BASES | {"means": ConditionalMeanEncoder(smoothing=0.0, cross_fit=0)}
    fold = Fold(X, y, 2, train, test, parts)
    alone = min(score_all_rows([fold], "linear"), key=lambda one: one.candidate.penalty)
    basis = LinearBasis().fit(X[train])
    P = PooledLogisticRegression(alone.candidate.penalty, tol=1e-2).fit(basis.transform(X[train]), y[train])
    true = P.predict_proba(basis.transform(X[test]))[np.arange(50), y[test]]
    # two ways to the same minimum, each to a hundredth of the gradient
    np.testing.assert_allclose(alone.losses, -np.log((1 - FLOOR) * true + FLOOR / 2), atol=0.02)
    polytope = PartitionPolytope.within(150, 4, 0.5, 1.5)
    common = alone.candidate._replace(n_clusters=4, space="means", bounds=(0.5, 1.5))

    def strategy(k: int, bounds: PartitionPolytope, seed: int) -> GeometricPartitioner:
        np.testing.assert_array_equal(bounds.lower, polytope.lower)
        return GeometricPartitioner(k, objective="lsa", lower=bounds.lower, upper=bounds.upper, random_state=seed)

    answers = cell_answers(fold, common, strategy, 1, LOCAL_PENALTIES)
    scored = descend([answers], [fold], [common._replace(local_penalty=s) for s in LOCAL_PENALTIES])
    assert [one.candidate.local_penalty for one in scored] == sorted(
        (one.candidate.local_penalty for one in scored), reverse=True
    )
    assert all(isinstance(one.candidate, Candidate) and len(one.losses) == 50 for one in scored)
    assert min(one.loss for one in scored) < alone.loss


def test_no_time_is_logistic_regression_and_says_so():
    search = LocalModelSearch(time_limit=0.0).fit(*checkers(200))
    assert search.best_candidate_.n_clusters == 1
    assert search.stopped_
    assert not LocalModelSearch().fit(*checkers(200)).stopped_


def test_words_gaps_and_three_classes():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=240), "word": rng.choice(["x", "y"], 240), "b": rng.normal(size=240)})
    y = np.array(["low", "mid", "top"])[(X["a"] > 0).astype(int) + ((X["word"] == "x") & (X["b"] > 0))]
    X.loc[::17, "a"] = np.nan
    search = LocalModelSearch().fit(X, y)
    assert list(search.classes_) == ["low", "mid", "top"]
    assert search.score(X, y) > 0.85
    new = pd.DataFrame({"a": [np.nan, 1.0], "word": ["unseen", None], "b": [0.0, np.nan]})
    np.testing.assert_allclose(search.predict_proba(new).sum(axis=1), 1.0)


@pytest.mark.full
def test_the_search_says_what_cells_add_and_keeps_one_cell_on_a_linear_truth():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = rng.random(400) < 1.0 / (1.0 + np.exp(-2.0 * X.sum(axis=1)))
    search = LocalModelSearch().fit(X, y)
    assert search.best_candidate_.n_clusters == 1
    assert search.comparison_.loss_gain == (0.0, 0.0, 0.0)


def test_regimes_are_found_and_their_gain_is_named():
    """Four linear regimes by the signs of two columns: no single linear model, and cells that look at the class."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 6))
    slopes = rng.normal(size=(4, 6))
    regime = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    y = rng.random(600) < 1.0 / (1.0 + np.exp(-2.0 * (X * slopes[regime]).sum(axis=1)))
    search = LocalModelSearch().fit(X[:400], y[:400])
    assert search.best_candidate_.strategy == "clusterwise regression"
    gain, low, _ = search.comparison_.loss_gain
    assert 0.0 < low < gain
    assert search.score(X[400:], y[400:]) > 0.7
