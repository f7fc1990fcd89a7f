"""Penalised multinomial models of many groups: against scikit-learn's, and by their gradients written out here."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from partitope.classifiers.linear.pooled import as_group, fit_all_rows, with_intercept
from partitope.stats.multinomial import Group, fit_groups, softmax


def rows(n: int, p: int, classes: int, seed: int) -> Group:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    codes = (X @ rng.normal(size=(p, classes)) + rng.gumbel(size=(n, classes))).argmax(axis=1)
    codes[:classes] = np.arange(classes)
    return Group(X, np.eye(classes)[codes], 0.5 * rng.normal(size=(n, classes)), rng.uniform(0.5, 2.0, n))


def gradient(group: Group, V: np.ndarray, penalty: float) -> np.ndarray:
    P = softmax(group.scores + group.X @ V)
    return group.X.T @ (group.weights[:, None] * (P - group.Y)) + penalty * V


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_all_rows_are_scikit_learns_logistic_regression(classes):
    group = rows(200, 4, classes, classes)
    codes = group.Y.argmax(axis=1)
    theirs = LogisticRegression(C=0.5, tol=1e-10, max_iter=10_000).fit(group.X, codes)
    ours = fit_all_rows(as_group(with_intercept(group.X), codes, classes), [2.0], 1e-9)[0]
    if classes == 2:  # theirs penalises the difference of the two columns, ours both: half of it each
        ours = fit_all_rows(as_group(with_intercept(group.X), codes, classes), [4.0], 1e-9)[0]
    np.testing.assert_allclose(softmax(with_intercept(group.X) @ ours), theirs.predict_proba(group.X), atol=1e-5)


def test_every_group_and_penalty_ends_where_its_gradient_vanishes():
    groups = [rows(n, 12, 3, n) for n in (5, 9, 40, 41, 300)]  # fewer rows than columns, and sizes far apart
    penalties = [100.0, 3.0, 0.1]
    found = fit_groups(groups, penalties, tol=1e-8)
    assert found.shape == (3, 5, 12, 3)
    for t, penalty in enumerate(penalties):
        for group, V in zip(groups, found[t]):
            start = np.abs(gradient(group, np.zeros_like(V), penalty)).max()
            assert np.abs(gradient(group, V, penalty)).max() <= 1e-6 * start


def test_a_path_of_penalties_is_each_of_them_alone():
    groups = [rows(60, 5, 4, 1), rows(80, 5, 4, 2)]
    path = fit_groups(groups, [30.0, 1.0], tol=1e-10)
    alone = fit_groups(groups, [1.0], tol=1e-10)
    np.testing.assert_allclose(path[1], alone[0], atol=1e-7)


def test_an_empty_group_deviates_nowhere_and_separable_rows_end():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    Y = np.eye(2)[[0, 0, 1, 1]]
    full = Group(X, Y, np.zeros((4, 2)), np.ones(4))
    empty = Group(*(part[:0] for part in full))
    found = fit_groups([empty, full], [1e-3])
    assert not found[0, 0].any()
    assert np.isfinite(found).all()
    assert (softmax(X @ found[0, 1]).argmax(axis=1) == [0, 0, 1, 1]).all()
