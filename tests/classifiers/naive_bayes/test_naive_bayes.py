"""Selective naive Bayes: formula, criterion, kernels, and what the weights are for."""

from __future__ import annotations

from math import comb, log

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

from partitope.classifiers import SelectiveNaiveBayes
from partitope.classifiers.naive_bayes.kernels import average_models


def test_probabilities_follow_the_formula():
    X, y = load_wine(return_X_y=True)
    model = SelectiveNaiveBayes().fit(X, y)
    rule = model.redescription_
    raw = np.tile(np.bincount(y) / len(y), (len(y), 1))
    for f, part in enumerate(rule.parts):
        codes = part.codes(X[:, f])
        raw *= np.exp(part.log_likelihood())[codes] ** model.weights_[f]
    np.testing.assert_allclose(model.predict_proba(X), raw / raw.sum(axis=1, keepdims=True), atol=1e-12)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), atol=1e-12)


def random_problem(seed: int, J: int = 3):
    rng = np.random.default_rng(seed)
    n, d, parts = 40, 3, 4
    codes = rng.integers(0, parts, (d, n))
    y = np.where(rng.random(n) < 0.6, codes[0] % J, rng.integers(0, J, n))
    tables = np.log(rng.dirichlet(np.ones(parts), size=(d, J)).transpose(0, 2, 1))
    return codes, np.ascontiguousarray(tables), y, np.log(np.full(J, 1 / J))


def test_averaging_follows_its_definition():
    """The search replayed with plain sets: same models, lengths and weights."""
    codes, tables, y, log_prior = random_problem(1)
    d, n = codes.shape

    def length(chosen: set[int]) -> float:
        raw = log_prior + sum((tables[f][codes[f]] for f in chosen), np.zeros((n, 3)))
        return prior[len(chosen)] + float(np.sum(np.log(np.exp(raw).sum(axis=1)) - raw[np.arange(n), y]))

    prior = np.array([log(d + 1) + log(comb(d + m - 1, m)) for m in range(d + 1)])
    null, orders = length(set()), np.array([[0, 1, 2], [2, 0, 1]])
    held, total, best, count = np.zeros(d), 0.0, null, 0
    for order in orders:
        chosen: set[int] = set()
        now, gained = null, True
        while gained:
            gained = False
            for adding in (True, False):
                for f in order:
                    if (f in chosen) == adding:
                        continue
                    trial = chosen | {f} if adding else chosen - {f}
                    weight = max(0.0, 1.0 - length(trial) / null)
                    held[list(trial)] += weight
                    total, count = total + weight, count + 1
                    if length(trial) < now - 1e-9:
                        chosen, now, gained = trial, length(trial), True
        best = min(best, now)
    found = average_models(codes, tables, y, log_prior, orders, prior, null)
    np.testing.assert_allclose(found[0], held, atol=1e-9)
    assert found[1] == pytest.approx(total, abs=1e-9)
    assert found[2] == pytest.approx(best, abs=1e-9)
    assert found[3] == count


def test_noise_gets_no_weight_and_no_gain():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 5)), np.arange(300) % 3 % 2
    model = SelectiveNaiveBayes().fit(X, y)
    assert model.gain_ == 0.0
    assert not model.weights_.any()
    np.testing.assert_allclose(model.predict_proba(X), np.tile([2 / 3, 1 / 3], (300, 1)))


def test_mixed_tables_with_missing_entries():
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b"], 400)
    table = pd.DataFrame({"x": rng.normal(size=400) + 2 * (y == "a"), "t": np.where(rng.random(400) < 0.8, y, "c")})
    table.loc[::7, "x"] = np.nan
    table.loc[::5, "t"] = None
    model = SelectiveNaiveBayes().fit(table, y)
    assert model.score(table, y) > 0.85
    assert set(model.predict(pd.DataFrame({"x": [np.nan], "t": ["never seen"]}))) <= {"a", "b"}
    assert model.report()["weight"].is_monotonic_decreasing


@pytest.mark.full
@pytest.mark.parametrize("repeats", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_weights_beat_plain_naive_bayes_on_duplicated_columns(repeats):
    """Fifty noisy copies of one column drown the others in plain naive Bayes; a 95 % interval says by how much."""
    rng = np.random.default_rng(0)
    n = 600
    y = rng.integers(0, 2, n)
    X = np.column_stack([rng.normal(size=n) + 1.2 * y for _ in range(6)])
    X = np.hstack([X, X[:, :1] + 0.3 * rng.normal(size=(n, 50))])
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=repeats, random_state=0)
    selective = cross_val_score(SelectiveNaiveBayes(), X, y, cv=folds)
    plain = cross_val_score(SelectiveNaiveBayes(selective=False), X, y, cv=folds)
    difference = selective - plain
    half = 2.0 * difference.std(ddof=1) / np.sqrt(5)
    assert difference.mean() - half > 0.03
