"""Local models against the same thing written out: k-means or CAC, then one classifier a cluster."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.classifiers import LocalModelClassifier, SelectiveNaiveBayes
from partitope.solvers import CAC, PKM, GeometricPartitioner


def _moons(n=240, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=n)
    centre = rng.normal(size=(2 * classes, 3)) * 3
    return rng.normal(size=(n, 3)) + centre[2 * y + rng.integers(2, size=n)], y


class Strips(ClusterMixin, BaseEstimator):
    """Clusters x <= 1, 1 < x <= 8 and x > 8."""

    def fit(self, X, y=None):
        self.labels_ = self.predict(X)
        return self

    def predict(self, X):
        return np.searchsorted([1.0, 8.0], np.asarray(X)[:, 0])


def test_nearest_is_a_classifier_a_cluster():
    X, y = _moons(classes=3)
    model = LocalModelClassifier(CAC(3, alpha=0.2, random_state=0)).fit(X, y)
    fresh = _moons(seed=1)[0]
    cells = CAC(3, alpha=0.2, random_state=0).fit(X, y).predict(fresh)
    labels = model.partitioner_.labels_
    for i in range(3):
        local = LogisticRegression(max_iter=1000).fit(X[labels == i], y[labels == i])
        rows = cells == i
        assert np.array_equal(model.predict(fresh[rows]), local.predict(fresh[rows]))
        expected = np.zeros((rows.sum(), 3))
        expected[:, local.classes_] = local.predict_proba(fresh[rows])
        np.testing.assert_allclose(model.predict_proba(fresh[rows]), expected)
    np.testing.assert_array_equal(model.apply(fresh), cells)


CELLS = {
    "KMeans": KMeans(2, n_init=1, random_state=0),
    "CAC": CAC(2, alpha=0.1, n_init=1, random_state=0),
    "Geometric": GeometricPartitioner(2, lower=60, n_init=1, random_state=0),
}


@pytest.mark.parametrize(
    "cells, estimator",
    [
        ("KMeans", LogisticRegression()),
        ("CAC", LinearSVC()),
        ("Geometric", LinearDiscriminantAnalysis()),
        ("KMeans", Perceptron()),
        ("CAC", RandomForestClassifier(10, random_state=0)),
        ("Geometric", KNeighborsClassifier(5)),
        ("KMeans", SGDClassifier(random_state=0)),
        ("CAC", RidgeClassifier()),
    ],
)
def test_every_classifier_of_the_paper_with_a_strategy(cells, estimator):
    X, y = _moons()
    partitioner = CELLS[cells]
    model = LocalModelClassifier(partitioner, estimator).fit(X, y)
    assert model.score(X, y) > 0.8
    assert hasattr(model, "predict_proba") == hasattr(estimator, "predict_proba")


def test_clusters_of_one_class_answer_it_and_empty_ones_the_common_shares():
    X = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2], [9.3]])
    y = np.array(["a", "a", "a", "a", "b", "a", "b"])
    model = LocalModelClassifier(Strips()).fit(X, y)
    assert [local is None for local in model.local_models_] == [True, True, False]
    np.testing.assert_allclose(model.class_shares_, [[1.0, 0.0], [5 / 7, 2 / 7], [0.5, 0.5]])
    np.testing.assert_allclose(model.predict_proba([[0.05], [5.0]]), [[1.0, 0.0], [5 / 7, 2 / 7]])
    assert model.predict([[0.05], [5.0]]).tolist() == ["a", "a"]


def test_train_on_cells_takes_the_rows_that_lie_there():
    X, y = _moons(seed=3)
    start = np.arange(len(y)) % 2
    strategy = CAC(2, alpha=30.0, init=start, max_iter=1)
    by_label = LocalModelClassifier(strategy).fit(X, y)
    by_cell = LocalModelClassifier(strategy, train_on="cells").fit(X, y)
    cells = by_cell.apply(X)
    assert np.any(cells != by_label.labels_)
    local = LogisticRegression(max_iter=1000).fit(X[cells == 0], y[cells == 0])
    np.testing.assert_allclose(by_cell.local_models_[0].coef_, local.coef_)


@pytest.mark.parametrize("fraction", [0.3, 0.0])
def test_the_best_round_by_the_users_metric(fraction):
    X, y = _moons(seed=6)
    strategy = CAC(3, alpha=1.5, init="random", random_state=2)
    model = LocalModelClassifier(
        strategy, scoring="neg_log_loss", validation_fraction=fraction, random_state=np.random.RandomState(3)
    ).fit(X, y)
    assert model.round_scores_.argmax() == model.round_
    assert len(model.round_scores_) == model.partition_.n_iter + 1 > 2
    rows = np.arange(len(y))
    if fraction:
        out = train_test_split(rows, test_size=72, stratify=y, random_state=np.random.RandomState(3))[1]
        rows, train = np.sort(out), np.setdiff1d(rows, out)
        assert len(model.labels_) == len(train)
    assert -log_loss(y[rows], model.predict_proba(X[rows])) == pytest.approx(max(model.round_scores_), rel=1e-9)
    labels, diagram = model.partitioner_.rounds_[model.round_]
    assert np.array_equal(model.labels_, labels)
    assert np.array_equal(model.apply(X), diagram.predict(X))


def test_tables_go_to_strategies_that_take_them():
    rng = np.random.default_rng(8)
    table = pd.DataFrame({"c": rng.choice(["u", "v", None], size=200), "x": rng.normal(size=200)})
    y = np.where((table["x"] > 0) ^ (table["c"] == "u"), "yes", "no")
    model = LocalModelClassifier(PKM(3, random_state=0), SelectiveNaiveBayes()).fit(table, y)
    assert model.score(table, y) > 0.7
    np.testing.assert_allclose(model.predict_proba(table).sum(axis=1), 1.0)


def test_weights_reach_the_strategy_and_the_estimators():
    X, y = _moons(seed=9)
    w = np.random.default_rng(10).uniform(0.2, 2.0, size=len(y))
    model = LocalModelClassifier(CAC(2, alpha=0.1, random_state=0)).fit(X, y, sample_weight=w)
    labels = CAC(2, alpha=0.1, random_state=0).fit(X, y, sample_weight=w).labels_
    assert np.array_equal(model.labels_, labels)
    local = LogisticRegression(max_iter=1000).fit(X[labels == 1], y[labels == 1], sample_weight=w[labels == 1])
    np.testing.assert_allclose(model.local_models_[1].coef_, local.coef_)
    assert model.class_shares_[0, 1] == pytest.approx(w[(labels == 0) & (y == 1)].sum() / w[labels == 0].sum())


def test_seed_and_number_of_workers():
    X, y = _moons(seed=12)
    models = [LocalModelClassifier(CAC(3, init="random"), random_state=5, n_jobs=jobs).fit(X, y) for jobs in (None, 2)]
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    np.testing.assert_allclose(models[0].predict_proba(X), models[1].predict_proba(X))


def test_refusals_of_weights_covariates_and_one_class():
    X, y = _moons(60)
    with pytest.raises(CapabilityError, match="KNeighborsClassifier takes none"):
        LocalModelClassifier(CAC(2), KNeighborsClassifier()).fit(X, y, sample_weight=np.arange(60.0))
    for options, message in [
        ({"partitioner": KMeans(2), "scoring": "f1"}, "does not keep"),
        ({"estimator": LinearSVC(), "n_starts": 2}, "LinearSVC has not"),
        ({"partitioner": DBSCAN()}, "cannot predict"),
    ]:
        with pytest.raises(CapabilityError, match=message):
            LocalModelClassifier(**options).fit(X, y)
    for strategy in (CAC(2), KMeans(2, n_init=1)):
        with pytest.raises(CapabilityError, match=r"no use for them|does not support covariates"):
            LocalModelClassifier(strategy).fit(X, y, covariates=y)
    with pytest.raises(InvalidInputError, match="one class only"):
        LocalModelClassifier().fit(X, np.zeros(60, dtype=int))
