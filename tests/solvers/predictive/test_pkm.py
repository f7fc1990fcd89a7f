"""Predictive k-means: re-description, start, bounds, mixed tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

from partitope.solvers import PKM
from partitope.solvers.predictive.log_likelihoods import LogLikelihoodEmbedding
from partitope.solvers.predictive.pkm import kpp_r


def mixed_table(seed: int = 0, n: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.array(["no", "yes", "maybe"])[rng.integers(0, 3, n)]
    number = rng.normal(size=n) + 2.0 * (y == "yes")
    number[rng.random(n) < 0.1] = np.nan
    colour = np.where(rng.random(n) < 0.7, np.where(y == "maybe", "blue", "red"), "green")
    table = pd.DataFrame({"number": number, "colour": colour, "noise": rng.normal(size=n), "flag": y == "no"})
    table.loc[rng.random(n) < 0.05, "colour"] = None
    return table, y


def test_redescription_holds_log_likelihoods_of_the_parts():
    table, y = mixed_table()
    codes = np.unique(y, return_inverse=True)[1]
    rule = LogLikelihoodEmbedding.fit(table, codes, 3)
    assert [rule.names[f] for f in rule.informative] == ["number", "colour", "flag"]
    Z, parts = rule.transform(table), rule.codes(table)
    assert Z.shape == (400, 9)
    e = 1.0 / 401.0
    for block, f in enumerate(rule.informative):
        for j in range(3):
            held = np.array([np.sum((parts[:, f] == part) & (codes == j)) for part in parts[:, f]])
            expected = np.log((held + e) / (np.sum(codes == j) + rule.parts[f].n_parts * e))
            np.testing.assert_allclose(Z[:, 3 * block + j], expected, rtol=0, atol=1e-12)


def test_start_takes_the_class_means_then_spreads():
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(60, 4)), np.arange(60) % 3
    sites = kpp_r(Z, y, 3, 5, np.random.RandomState(0))
    np.testing.assert_allclose(sites[:3], [Z[y == j].mean(axis=0) for j in range(3)])
    assert all((site == Z).all(axis=1).any() for site in sites[3:])
    same = kpp_r(np.zeros((5, 2)), np.array([0, 0, 1, 1, 1]), 2, 4, np.random.RandomState(0))
    np.testing.assert_array_equal(same, np.zeros((4, 2)))


def test_without_bounds_it_is_k_means_of_the_new_space():
    table, y = mixed_table(1)
    model = PKM().fit(table, y)
    Z = model.partition_.cells.embedding(table)
    start = np.array([Z[y == c].mean(axis=0) for c in model.classes_])
    reference = KMeans(3, init=start, n_init=1, algorithm="lloyd", tol=0.0).fit(Z)
    # sums of n d squares, each rounded; labels may differ where a point is as near to two centres
    rounding = 2 * Z.size * np.finfo(float).eps * (Z**2).sum()
    assert model.partition_.objective == pytest.approx(reference.inertia_, rel=0, abs=rounding)
    own = sum(((Z[model.labels_ == i] - Z[model.labels_ == i].mean(axis=0)) ** 2).sum() for i in range(3))
    assert own == pytest.approx(reference.inertia_, rel=0, abs=rounding)
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    assert np.all(np.diff(model.partition_.history["objective"]) < 0)


def test_bounds_hold_on_mixed_tables_and_cost_something():
    table, y = mixed_table(2)
    free, bounded = PKM().fit(table, y), PKM(lower=120, upper=140).fit(table, y)
    assert not 120 <= free.partition_.sizes.min() <= free.partition_.sizes.max() <= 140
    assert bounded.partition_.sizes.min() >= 120
    assert bounded.partition_.sizes.max() <= 140
    assert bounded.partition_.objective >= free.partition_.objective
    assert bounded.partition_.certificate.verified


def test_predicts_new_and_damaged_rows():
    table, y = mixed_table(3)
    model = PKM(n_clusters=5, random_state=0).fit(table, y)
    new = pd.DataFrame(
        {"number": ["1.5", None], "colour": ["mauve", None], "noise": [0.0, np.nan], "flag": [True, None]}
    )
    assert set(model.predict(new)) <= set(range(5))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(new[["colour", "number", "noise", "flag"]])


def test_a_table_that_says_nothing_is_one_point():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    model = PKM(lower=30, upper=30).fit(X, y)
    assert model.partition_.cells.embedding.informative.size == 0
    assert model.partition_.objective == 0.0
    assert model.partition_.sizes.tolist() == [30, 30]
    assert set(model.predict(X)) == {0}
