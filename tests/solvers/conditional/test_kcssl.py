"""KCSSL: its start and optimum, induction, bounds, errors, and the published accuracies."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.models import InfeasibleBoundsError
from partitope.solvers import KCSSL
from partitope.solvers.conditional.kcssl import maximise_labels

from ..kcc_data import two_views


def _few(hidden: np.ndarray, share: float, seed: int = 0) -> np.ndarray:
    """Labels of a random share of the rows, every class among them; -1 elsewhere."""
    rng = np.random.default_rng(seed)
    while True:
        shown = rng.choice(len(hidden), round(share * len(hidden)), replace=False)
        if len(np.unique(hidden[shown])) == len(np.unique(hidden)):
            break
    y = np.full(len(hidden), -1)
    y[shown] = hidden[shown]
    return y


def test_labels_beyond_a_covariate():
    X, group, hidden = two_views()
    y = _few(hidden, 0.1)
    model = KCSSL(3).fit(X, y, covariates=group)
    free = y < 0
    assert (model.labels_[free] == hidden[free]).mean() > 0.97
    assert np.array_equal(model.labels_[~free], hidden[~free])
    assert np.allclose(model.scores_[free].T @ model.scores_[free], np.eye(3), atol=1e-10)
    assert np.array_equal(KCSSL(3, random_state=5).fit(X, y, covariates=group).labels_, model.labels_)


def test_the_optimum_is_stationary_and_better_than_its_start():
    rng = np.random.RandomState(0)
    A = rng.normal(size=(40, 12))
    G = A @ A.T
    given = np.where(np.arange(40) < 6, np.arange(40) % 3, -1)
    Y, result = maximise_labels(lambda V: G @ V, given, 3, 5000)
    free = given < 0
    L = Y[free].T @ (G @ Y)[free]
    assert np.abs(L - L.T).max() < 1e-2 * np.abs(L).max()
    assert np.abs((G @ Y)[free] - Y[free] @ L).max() < 1e-2 * np.abs(L).max()
    others = []
    for seed in range(20):
        Z = Y.copy()
        Z[free] = np.linalg.qr(np.random.RandomState(seed).normal(size=(34, 3)))[0]
        others.append(np.vdot(Z, G @ Z))
    assert np.vdot(Y, G @ Y) > max(others)
    assert result.n_iter > 0


def test_induction_equals_transduction_on_the_training_points():
    X, group, hidden = two_views(500, seed=3)
    train, test = np.arange(300), np.arange(300, 500)
    y = _few(hidden[train], 0.1)
    model = KCSSL(3).fit(X[train], y, covariates=group[train])
    free = y < 0
    assert np.mean(model.predict(X[train], group[train])[free] == model.labels_[free]) > 0.99
    scores = model.decision_function(X[train], group[train])[free]
    assert np.abs(scores - model.scores_[free]).max() < 0.02 * np.abs(model.scores_[free]).max()
    assert (model.predict(X[test], group[test]) == hidden[test]).mean() > 0.95
    assert model.predict(X[test]).shape == (200,)


def test_landmarks_above_max_exact():
    X, group, hidden = two_views(1500)
    y = _few(hidden, 0.05)
    exact = KCSSL(3).fit(X, y, covariates=group)
    close = KCSSL(3, max_exact=500, n_landmarks=200, random_state=0).fit(X, y, covariates=group)
    assert np.mean(exact.labels_ == close.labels_) > 0.98
    assert np.mean(close.predict(X, group)[y < 0] == close.labels_[y < 0]) > 0.99


def test_size_bounds_keep_the_given_labels():
    X, group, hidden = two_views(300)
    y = _few(hidden, 0.1)
    model = KCSSL(3, lower=100, upper=100).fit(X, y, covariates=group)
    assert np.array_equal(model.partition_.sizes, [100, 100, 100])
    assert np.array_equal(model.labels_[y >= 0], y[y >= 0])
    assert model.partition_.certificate.verified
    with pytest.raises(InfeasibleBoundsError, match="carry the label"):
        KCSSL(3, lower=0, upper=[1, 300, 300]).fit(X, y, covariates=group)


def test_classes_of_any_name_and_few_free_rows():
    X, group, hidden = two_views(60)
    y = np.array([7, 3, 12])[hidden]
    y[:20] = -1
    model = KCSSL(3).fit(X, y, covariates=group)
    assert np.array_equal(model.classes_, [3, 7, 12])
    assert np.array_equal(model.transduction_, model.classes_[model.labels_])
    y = hidden.copy()
    y[:2] = -1  # fewer than classes: no orthonormal columns
    assert np.array_equal(KCSSL(3).fit(X, y, covariates=group).labels_[2:], hidden[2:])
    full = KCSSL(3).fit(X, hidden, covariates=group)
    assert np.array_equal(full.labels_, hidden)
    assert full.predict(X, group).shape == (60,)


@pytest.mark.parametrize(
    "y, message",
    [
        (np.full(30, -1), "no label"),
        (np.r_[np.zeros(3, int), np.full(27, -1)], "one label only"),
        (np.r_[[0, 1, 2], np.full(27, -1)], "n_clusters=2, but y holds 3 classes"),
        (np.r_[np.nan, np.zeros(29)], "NaN"),
    ],
)
def test_one_clear_line_for_unusable_labels(y, message):
    X = np.random.default_rng(0).normal(size=(30, 4))
    with pytest.raises(InvalidInputError, match=message) as caught:
        KCSSL(2).fit(X, y, covariates=np.arange(30) % 2)
    assert "\n" not in str(caught.value)
