"""Class separation against its definition, the log-loss bounds on random scores, the picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from studies.separation import class_separation, separation_bounds


def _blobs(rng, n=60, d=3, classes=2):
    y = rng.integers(classes, size=n)
    y[:classes] = np.arange(classes)
    return rng.normal(size=(n, d)) + y[:, None] * rng.normal(size=d), y


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(0.0, 30.0), weighted=st.booleans())
def test_log_loss_lies_between_its_bounds_for_every_score(seed, scale, weighted):
    rng = np.random.default_rng(seed)
    X, y = _blobs(rng, int(rng.integers(2, 50)), int(rng.integers(1, 6)))
    w = rng.uniform(0.1, 3.0, size=len(y)) if weighted else None
    coef, intercept = scale * rng.normal(size=X.shape[1]), float(rng.normal())
    bounds = separation_bounds(X, y, coef, intercept, sample_weight=w)
    room = 1e-9 * (1.0 + bounds.n_positive + bounds.n_negative) * (1.0 + bounds.largest_score)
    assert bounds.lower <= bounds.jensen + room
    assert bounds.jensen <= bounds.loss + room
    assert bounds.loss <= bounds.upper + room


def test_the_loss_is_scikit_learns():
    X, y = _blobs(np.random.default_rng(1))
    model = LogisticRegression().fit(X, y)
    bounds = separation_bounds(X, y, model.coef_, model.intercept_)
    assert bounds.loss == pytest.approx(log_loss(y, model.predict_proba(X), normalize=False), rel=1e-9)
    assert bounds.largest_score == pytest.approx(np.abs(model.decision_function(X)).max())


def test_scatter_is_within_plus_between():
    rng = np.random.default_rng(4)
    X, y = _blobs(rng, 80, 2, 3)
    labels, w = rng.integers(3, size=80), rng.uniform(size=80)
    found = class_separation(X, labels, y, sample_weight=w)
    for p in range(3):
        inside = labels == p
        within = 0.0
        for a in range(3):
            mine = inside & (y == a)
            within += w[mine] @ ((X[mine] - np.average(X[mine], axis=0, weights=w[mine])) ** 2).sum(axis=1)
        assert found.scatter[p] == pytest.approx(within + found.between[p])


def test_clusters_of_one_class_and_empty_ones_have_no_separation():
    found = class_separation([[0.0], [1.0], [5.0]], [0, 0, 2], ["a", "b", "a"], n_clusters=4)
    assert found.separation.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert found.weights.tolist() == [2.0, 0.0, 1.0, 0.0]
    assert found.total("unit") == 1.0
    assert found.objective(0.5) == pytest.approx(0.5 - 0.5 * 2.0)
