"""Class separation against its definition, the log-loss bounds on random scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from partitope.base.errors import InvalidInputError
from partitope.stats import class_separation


def _blobs(rng, n=60, d=3, classes=2):
    y = rng.integers(classes, size=n)
    y[:classes] = np.arange(classes)
    return rng.normal(size=(n, d)) + y[:, None] * rng.normal(size=d), y


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(0.0, 30.0), weighted=st.booleans())
def test_log_loss_lies_between_its_bounds_for_every_score(seed, scale, weighted):
    rng = np.random.default_rng(seed)
    X, y = _blobs(rng, int(rng.integers(4, 50)), int(rng.integers(1, 6)))
    labels = rng.integers(2, size=len(y))
    w = rng.uniform(0.1, 3.0, size=len(y)) if weighted else None
    coef, intercept = scale * rng.normal(size=(labels.max() + 1, X.shape[1])), float(rng.normal())
    found = class_separation(X, labels, y, coef=coef, intercept=intercept, sample_weight=w)
    room = 1e-9 * (1.0 + found["weight"]) * (1.0 + 30.0 * np.abs(X).max())
    for p in range(len(found)):
        inside = labels == p
        if len(np.unique(y[inside])) < 2:
            assert np.isnan(found["loss"][p])
            continue
        assert found["lower"][p] <= found["loss"][p] + room[p]
        assert found["loss"][p] <= found["upper"][p] + room[p]


def test_the_loss_is_scikit_learns_and_the_lower_bound_its_tangent():
    X, y = _blobs(np.random.default_rng(1))
    model = LogisticRegression().fit(X, y)
    found = class_separation(X, np.zeros(60, dtype=int), y, coef=model.coef_, intercept=model.intercept_).iloc[0]
    assert found["loss"] == pytest.approx(log_loss(y, model.predict_proba(X), normalize=False), rel=1e-9)
    means = [model.decision_function(X[y == c]).mean() for c in (0, 1)]
    gain = (y.sum() * means[1] - (1 - y).sum() * means[0]) / 2
    assert found["lower"] == pytest.approx(60 * np.log(2) - gain)
    with pytest.raises(InvalidInputError, match="do not fit 1 clusters of 3 columns"):
        class_separation(X, np.zeros(60, dtype=int), y, coef=[1.0])
    with pytest.raises(InvalidInputError, match="y has 60 classes, expected two"):
        class_separation(X, np.zeros(60, dtype=int), np.arange(60), coef=[1.0, 0.0, 0.0])


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
        assert found["scatter"][p] == pytest.approx(within + found["between"][p])


def test_clusters_of_one_class_and_empty_ones_have_no_separation():
    found = class_separation([[0.0], [1.0], [5.0]], [0, 0, 2], ["a", "b", "a"])
    assert found["separation"].tolist() == [1.0, 0.0, 0.0]
    assert found["weight"].tolist() == [2.0, 0.0, 1.0]
