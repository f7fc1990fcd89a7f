"""Microaggregation: sizes, bounds and means against every partition of tiny tables."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from benchmarks.data.microdata import load_microdata
from partitope.base.errors import InfeasibleBoundsError, InvalidInputError
from partitope.cli import run
from partitope.solvers.exchange.reseeding import within_squares
from partitope.solvers.microaggregation import Microaggregation, bound
from partitope.solvers.microaggregation.bound import lower_bound
from partitope.solvers.microaggregation.partitioner import standardised
from partitope.solvers.microaggregation.search import mdav


def partitions(n, m):
    """All labels (n,) whose groups have at least m records."""

    def grow(labels, groups):
        if len(labels) == n:
            if min(np.bincount(labels)) >= m:
                yield np.array(labels)
            return
        for g in range(groups + 1):
            yield from grow([*labels, g], max(groups, g + 1))

    return grow([0], 1)


@pytest.mark.parametrize("m, n, seed", [(2, 8, 0), (3, 9, 1), (3, 9, 2), (4, 9, 3), (1, 6, 4)])
def test_optimum_of_tiny_tables_lies_between_bound_and_loss(m, n, seed):
    X = np.random.default_rng(seed).standard_t(2, (n, 2)).round(1)
    Z = standardised(X)
    least = min(within_squares(Z, labels) for labels in partitions(n, m))
    model = Microaggregation(m, n_iter=2000, random_state=0).fit(X)
    assert model.information_loss_ == pytest.approx(100 * least / (Z**2).sum(), abs=1e-9)
    assert model.bound_ <= model.information_loss_ * (1 + 1e-9)
    assert model.bound_ >= 0.9 * model.information_loss_


def test_large_groups_have_a_close_bound():
    X = np.random.default_rng(1).standard_t(2, (60, 3))
    model, fast = (Microaggregation(15, n_iter=3000, bound_iter=steps, random_state=0).fit(X) for steps in (6, 0))
    assert fast.bound_ < 0.7 * model.information_loss_  # prices say little of so many records
    assert 0.98 * model.information_loss_ <= model.bound_ <= model.information_loss_
    alone = Microaggregation(15, n_iter=0).fit(X[:20])  # one group is the only one
    assert alone.bound_ == pytest.approx(100.0)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 6))])
def test_a_weight_counts_in_the_loss_like_equal_records_and_not_in_their_number(seed):
    rng = np.random.default_rng(seed)
    X, w = rng.standard_t(2, (8, 2)).round(1), rng.integers(1, 5, 8) if seed else np.full(8, 3)
    Z = standardised(np.repeat(X, w, axis=0))
    losses = {tuple(y): 100 * within_squares(Z, np.repeat(y, w)) / (Z**2).sum() for y in partitions(8, 3)}
    model = Microaggregation(3, n_iter=3000, random_state=0).fit(X, sample_weight=0.7 * w)
    assert np.bincount(model.labels_).min() >= 3
    assert model.information_loss_ == pytest.approx(min(losses.values()))
    assert 0.0 < model.bound_ <= model.information_loss_ * (1 + 1e-9)
    with pytest.raises(InvalidInputError, match="sample_weight holds 0"):
        Microaggregation(2).fit(X, sample_weight=np.arange(8))
    with pytest.raises(InvalidInputError, match=r"whose ratio is 1.0e\+16, at most 1e12"):
        Microaggregation(2).fit(X, sample_weight=[1.0, 1e16, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    alike = Microaggregation(3, n_iter=300, random_state=0)
    plain = alike.fit(X).information_loss_
    for unit in (1e308, 1e-310):  # sums of weights may overflow
        assert alike.fit(X, sample_weight=np.full(8, unit)).information_loss_ == plain


def test_strata_are_never_in_one_group_and_losses_add_up():
    X, strata = np.random.default_rng(3).standard_t(2, (14, 2)).round(1), np.array(list("ab" * 7))
    Z = standardised(X)
    parts = [np.ascontiguousarray(Z[strata == name]) for name in "ab"]
    least = sum(min(within_squares(part, labels) for labels in partitions(7, 2)) for part in parts)
    model = Microaggregation(2, n_iter=4000, random_state=0).fit(X, strata=strata)
    assert pd.Series(strata).groupby(model.labels_).nunique().max() == 1
    assert np.bincount(model.labels_).min() >= 2
    assert model.information_loss_ == pytest.approx(100 * least / (Z**2).sum())
    assert 0.8 * model.information_loss_ <= model.bound_ <= model.information_loss_ * (1 + 1e-9)
    with pytest.raises(InfeasibleBoundsError, match="stratum 'c' has 1 records, fewer than minimum=2"):
        Microaggregation(2).fit(X, strata=["c", *strata[1:]])
    with pytest.raises(InvalidInputError, match=r"strata has shape \(3,\)"):
        Microaggregation(2).fit(X, strata=["a", "b", "a"])
    with pytest.raises(InvalidInputError, match="strata has no entry at 2 of 14 points, the first is 0"):
        Microaggregation(2).fit(X, strata=[None, np.nan, *strata[2:]])


@pytest.mark.parametrize("nodes", [300, 2])  # a search for the best group of a record that ends, or does not
def test_every_bound_on_the_way_is_valid(nodes, monkeypatch):
    monkeypatch.setattr(bound, "NODES", nodes)
    for seed in range(15):
        rng = np.random.default_rng(seed)
        m = 2 + seed % 3
        X = rng.standard_t(2, (8, 1 + seed % 3)).round(seed % 2)
        Z = standardised(X)
        least = min(within_squares(Z, labels) for labels in partitions(8, m))
        for steps in (0, 1, 30):
            model = Microaggregation(m, n_iter=0, bound_iter=steps).fit(X)
            assert model.bound_ <= 100 * least / (Z**2).sum() + 1e-9


@pytest.mark.parametrize("m", [1, 3, 7])
def test_sizes_seeds_and_means(m):
    X = np.random.default_rng(m).normal(size=(60, 3)) * [1.0, 1e6, 1e-6]
    X[:20] = X[0]  # equal records
    one, two = (Microaggregation(m, n_iter=3000, bound_iter=2, random_state=5).fit(X) for _ in range(2))
    sizes = np.bincount(one.labels_)
    assert sizes.min() >= m
    assert sizes.max() <= max(2 * m - 1, 1)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    released = one.aggregate(X)
    np.testing.assert_allclose(released.mean(axis=0), X.mean(axis=0))
    np.testing.assert_allclose(released[one.labels_ == 0], np.tile(X[one.labels_ == 0].mean(axis=0), (sizes[0], 1)))
    Z = standardised(X)
    assert one.information_loss_ <= 100 * within_squares(Z, mdav(Z, m)) / (Z**2).sum() + 1e-9


def test_time_ends_the_search():
    X = np.random.default_rng(0).normal(size=(50, 2))
    model = Microaggregation(3, time_limit=0.0).fit(X)
    assert model.n_iter_ == 0
    assert 0 < model.bound_ <= model.information_loss_
    # a step of the bound that is left in its middle proves nothing
    left, none = (SimpleNamespace(allows=iter(looks).__next__) for looks in ([True, False], [False]))
    assert lower_bound(X, 60.0, 3, 9, left) == lower_bound(X, 60.0, 3, 9, none)


def test_what_cannot_be_grouped_is_refused():
    X = np.arange(8.0).reshape(4, 2)
    with pytest.raises(InfeasibleBoundsError, match="minimum=5 exceeds the n_samples=4"):
        Microaggregation(5).fit(X)
    with pytest.raises(InvalidInputError, match="minimum"):
        Microaggregation(0).fit(X)
    model = Microaggregation(2, n_iter=10).fit(X)
    with pytest.raises(InvalidInputError, match="expected 4"):
        model.aggregate(X[:3])
    assert Microaggregation(2).fit(np.ones((5, 2))).information_loss_ == 0.0


@pytest.mark.data
@pytest.mark.parametrize("name, shape, known", [("census", (1080, 13), 5.692186), ("eia", (4092, 11), 0.482939)])
def test_mdav_of_the_reference_tables_is_that_of_the_literature(data_home, name, shape, known):
    Z = standardised(load_microdata(name).to_numpy(float))
    assert Z.shape == shape
    assert 100 * within_squares(Z, mdav(Z, 3)) / (Z**2).sum() == pytest.approx(known, abs=1e-6)


def test_command_releases_group_means_in_their_units(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X = pd.DataFrame({"income": [1.0, 2.0, 3.0, 50.0, 51.0, 55.0], "age": [20, 21, 22, 60, 61, 62]})
    X.to_csv("people.csv", index=False)
    assert run(["aggregate", "people.csv", "-o", "out.csv", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sizes"] == [{"size": 3, "groups": 2, "rows": 6}]
    assert 0 < told["bound"] <= told["information_loss"] * (1 + 1e-9)
    released = pd.read_csv("out.csv")
    np.testing.assert_allclose(released[["income", "age"]], [[2.0, 21.0]] * 3 + [[52.0, 61.0]] * 3)
    assert run(["aggregate", "people.csv", "-k", "9", "-o", "out.csv"]) != 0
    assert "--lower 9 is more than the 6 rows" in capsys.readouterr().err


def test_command_takes_categories_keeps_what_is_studied_and_tells_the_groups(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "name": [f"p{j}" for j in range(60)], "age": rng.integers(20, 80, 60), "sex": rng.choice(["f", "m"], 60),
        "diagnosis": rng.choice(["flu", "gout", "none"], 60),
    })  # fmt: skip
    frame.to_csv("people.csv", index=False)
    words = ["aggregate", "people.csv", "-k", "5", "--keep", "diagnosis", "-o", "out.csv", "--json"]
    assert run([*words, "--time-limit", "1"]) == run(words) == 0
    told, released = json.loads(capsys.readouterr().out.split("\n}\n")[1] + "}"), pd.read_csv("out.csv")
    assert released.columns.tolist() == ["age", "sex", "diagnosis", "group"]
    assert (released["diagnosis"] == pd.read_csv("people.csv")["diagnosis"].fillna("none")).mean() > 0.99
    assert released.groupby(["age", "sex"]).size().min() >= 5
    for _, rows in released.groupby("group"):
        own = frame.loc[rows.index]
        assert rows["age"].iloc[0] == pytest.approx(own["age"].mean())
        assert (own["sex"] == rows["sex"].iloc[0]).mean() >= 0.5
    one = (frame["diagnosis"].groupby(released["group"]).nunique() == 1).sum()
    assert told["one_value"] == {"diagnosis": one}
    words += ["--time-limit", "0.2"]
    assert run([*words, "--within", "sex", "--report", "page.html"]) == 0
    told, released = json.loads(capsys.readouterr().out), pd.read_csv("out.csv")
    assert (released["sex"] == frame["sex"]).all()
    assert released.groupby("group")["sex"].nunique().max() == 1
    assert told["k"] == released.groupby(["age", "sex"]).size().min() >= 5
    assert run([*words, "--within", "sex", "--lower", "50"]) == 2
    assert "rows, fewer than --lower 50" in capsys.readouterr().err
    kept = {"diagnosis": "unchanged", "sex": "stratum, unchanged"}
    losses = {line["column"]: line["loss %"] for line in told["columns"]}
    assert {line["column"]: line["released"] for line in told["columns"]} == {"age": "mean"} | kept
    assert losses["age"] == pytest.approx(100 * (frame["age"] - released["age"]).var(ddof=0) / frame["age"].var(ddof=0))
    frame.assign(w=np.arange(60) % 3 + 1).to_csv("people.csv", index=False)
    assert run([*words, "--weights", "w"]) == 0
    for _, rows in pd.read_csv("out.csv").groupby("group"):
        own = frame.loc[rows.index]
        assert rows["age"].iloc[0] == pytest.approx(np.average(own["age"], weights=rows["w"]))
        assert rows["w"].groupby(own["sex"]).sum()[rows["sex"].iloc[0]] >= 0.5 * rows["w"].sum()
    assert "k = " in Path("page.html").read_text()
    frame.assign(age=[np.nan, *frame["age"][1:]]).to_csv("people.csv", index=False)
    assert run(words) == 2
    assert "'age'" in capsys.readouterr().err


def test_least_number_of_clusters_that_upper_allows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"x": range(10), "y": [1, 2] * 5}).to_csv("t.csv", index=False)
    assert run(["cluster", "t.csv", "-k", "auto", "--upper", "4", "--starts", "1"]) == 0
    assert "-k auto: 3, the least number of clusters that --upper 4 allows" in capsys.readouterr().err
    assert run(["cluster", "t.csv", "-k", "auto", "--lower", "4"]) != 0
    assert "give --upper" in capsys.readouterr().err


def test_places_far_from_zero_lose_no_digits():
    rng = np.random.default_rng(0)
    whole = rng.integers(-(10**9), 10**9, (60, 2)).astype(float)  # exact, and so are sums with 2**60
    for away in (0.0, 2.0**40, -(2.0**52)):
        assert np.array_equal(standardised(whole + away), standardised(whole))
    nanoseconds = 1.7e18 + 2.0**10 * np.round(whole / 2.0**10)
    assert standardised(nanoseconds) == pytest.approx(standardised(2.0**10 * np.round(whole / 2.0**10)), abs=1e-14)
