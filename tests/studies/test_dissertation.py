"""The dissertation's tables of Census Income and German Credit: printed figures, verdicts, quick runs that resume."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.metrics import log_loss

from studies import census, fingerprint, german, local, readings
from studies.base.record import read_record
from studies.base.rows import DISSERTATION, interval, measure, verdict
from studies.catalogue import STUDIES
from studies.census_pairs import PairLogOdds
from studies.census_sweep import SWEEP
from studies.printed import places
from studies.printed.dissertation import CENSUS, GERMAN
from studies.printed.tests import VALUES
from studies.report.page import findings
from studies.report.pictures_papers import census_figure
from studies.starts import start_rows


def test_printed_figures_agree_with_each_other():
    positive = {"train": 7508 / 30162, "test": 3700 / 15060}
    cells: dict[tuple, dict[str, float]] = {}
    for f in CENSUS:
        cells.setdefault((f.table, f.weighting, f.k, f.classifier, f.part), {})[f.metric] = f.value
    assert len(cells) == 8 + 20
    misprinted = {("6.5", "weighted", 250, "mean", "test"), ("6.4", "weighted", 29, "mean", "test")}
    for key, printed in cells.items():
        if {"ACC", "SENS", "SPEC"} <= set(printed) and key not in misprinted:
            share = positive[key[4]]
            implied = share * printed["SENS"] + (1 - share) * printed["SPEC"]
            assert printed["ACC"] == pytest.approx(implied, abs=0.04), key
    for part in ("train", "test"):
        printed = {f.metric: f.value for f in GERMAN if f.part == part}
        assert printed["ACC"] == pytest.approx(0.7 * printed["SENS"] + 0.3 * printed["SPEC"], abs=0.25)


def test_measures_against_counting():
    rng = np.random.default_rng(0)
    truth, scores = rng.random(200) < 0.4, rng.integers(0, 5, 200) / 4
    found = measure(truth, scores)
    called = scores >= 0.5
    assert found["ACC"] == pytest.approx(np.mean(called == truth))
    assert found["SENS"] == pytest.approx((called & truth).sum() / truth.sum())
    assert found["SPEC"] == pytest.approx((~called & ~truth).sum() / (~truth).sum())
    pairs = scores[truth][:, None] - scores[~truth][None, :]
    assert found["AUC"] == pytest.approx((pairs > 0).mean() + 0.5 * (pairs == 0).mean())


@pytest.mark.parametrize("metric, n", [("ACC", 100), ("SENS", 60), ("SPEC", 40)])
def test_interval_of_a_share_is_wilsons(metric, n):
    low, high = interval(metric, 0.85, 60, 40)
    reference = binomtest(round(0.85 * n), n).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((reference.low, reference.high), abs=1e-12)


def test_verdicts():
    assert verdict(85.0, 85.1, 86.0) == "beaten"
    assert verdict(85.5, 85.1, 86.0) == "met"
    assert verdict(86.1, 85.1, 86.0) == "missed"
    assert verdict(np.nan, 85.1, 86.0) == "not printed"


def test_thresholds_as_printed_agree_with_each_other():
    share = {"train": 7508 / 30162, "test": 3700 / 15060}
    cells: dict[tuple, dict[str, float]] = {}
    for f in SWEEP:
        cells.setdefault((f.part, f.classifier), {})[f.metric] = f.value
    assert len(cells) == 18
    for (part, name), printed in cells.items():
        implied = share[part] * printed["SENS"] + (1 - share[part]) * printed["SPEC"]
        assert printed["ACC"] == pytest.approx(implied, abs=0.06), (part, name)


def test_places():
    assert places.place(places.CENSUS, 85.98) == 1
    assert places.place(places.CENSUS, 85.90) == 2
    assert places.place(places.GERMAN_SECOND, 75.48) == 1
    assert (len(places.GERMAN_FIRST), len(places.GERMAN_SECOND), len(places.CENSUS)) == (17, 16, 15)
    row = {"ours": 85.6, "low": 85.0, "high": 86.1, "table": "6.5", "paper": 85.98, "verdict": "met"}
    found = places.place_row("6.8", places.CENSUS, row)
    assert (found["ours"], found["low"], found["high"], found["verdict"]) == (3, 1, 7, "missed")


def test_candidates_are_put_together_while_the_log_loss_of_their_mean_falls():
    y = np.random.default_rng(0).random(400) < 0.4
    right = np.where(y, 0.8, 0.2)
    first, second = np.where(np.arange(400) % 2, right, 0.5), np.where(np.arange(400) % 2, 0.45, right)
    a, b, c = (local.Candidate(local.BASIS, 30.0, k) for k in (8, 12, 20))
    assert local.best_together({a: 1 - right, b: second, c: first}, y)[0] == [b, c]
    chosen, losses = local.best_together({a: right, b: first}, y)
    assert chosen == [a]
    assert losses == [pytest.approx(-np.log(0.8)), pytest.approx(log_loss(y, (right + first) / 2))]


def test_pairs_of_columns_tell_what_single_columns_do_not():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"age": rng.integers(20, 80, 3000), "sex": rng.choice(["f", "m"], 3000)})
    X["capital-gain"] = rng.choice([0, 7], 3000)
    y = (X["sex"] == "f") != (X["capital-gain"] > 0)
    pairs = PairLogOdds()
    inside, told = pairs.fit_transform(X[:2000], y[:2000]), pairs.transform(X[2000:])
    assert list(pairs.ends_) == ["age"]
    assert len(pairs.ends_["age"]) == 4
    assert inside.shape[1] == told.shape[1] == 1
    np.testing.assert_array_equal(told[:, 0] > told[:, 0].mean(), y[2000:])


@pytest.mark.data
def test_local_models_of_census_and_german_credit(data_home, monkeypatch):
    monkeypatch.setattr(local, "N_FOLDS", 2)
    report = STUDIES["local"].run(quick=True, cache=None)
    best = report[report["metric"] == "ACC"].set_index("data")
    assert best.loc["census", "ours"] > best.loc["census", "paper"] == 85.98
    certified, starts = re.search(r"cells of (\d+) of (\d+) starts certified", best.loc["census", "note"]).groups()
    assert certified == starts
    assert best.loc["german", "low"] < best.loc["german", "paper"] == 75.48
    assert "chosen: k=" in best.loc["german", "note"]


@pytest.mark.data
def test_quick_census_runs_and_resumes(data_home, tmp_path, monkeypatch):
    seen = []
    report = STUDIES["census"].run(
        quick=True, n_starts=2, cache=tmp_path, capital="values",
        progress=lambda done, total, text: seen.append((done, total, text)),
    )  # fmt: skip
    assert tuple(report.columns[: len(DISSERTATION)]) == DISSERTATION
    assert seen == [(1, 2, "census unweighted"), (2, 2, "census weighted thresholds=True")]
    sweep = report[report["scenario"] == "thresholds"]
    half = sweep[(sweep["part"] == "test") & (sweep["classifier"] == "mean at 0.5")].set_index("metric")["ours"]
    same = report[(report["scenario"] == "weighted") & (report["part"] == "test") & (report["classifier"] == "mean")]
    pd.testing.assert_series_equal(half, same.set_index("metric")["ours"][list(half.index)])
    wide = sweep[(sweep["part"] == "test") & (sweep["metric"] == "SENS")]["ours"]
    assert wide.is_monotonic_decreasing
    assert len(wide) == 9
    place = report[report["table"] == "6.8"].iloc[0]
    assert place["low"] <= place["ours"] <= place["high"]
    report_all, report = report, report[report["table"].isin(["6.3", "6.4"])]
    printed = report[report["verdict"] != "not printed"]
    assert len(printed) == sum(f.k == 29 for f in CENSUS)
    ours = report[(report.metric == "ACC") & (report.part == "test") & (report.classifier == "mean")]
    assert (ours["ours"] > 84.5).all()
    assert ((report["low"] <= report["ours"]) & (report["ours"] <= report["high"])).all()
    assert (report["low"] < report["high"]).all()
    monkeypatch.setattr(census, "census_classifier", None)  # finished jobs are read, not computed
    pd.testing.assert_frame_equal(
        report_all, STUDIES["census"].run(quick=True, n_starts=2, cache=tmp_path, capital="values")
    )


def test_census_as_printed_comes_first_and_is_what_the_headline_counts():
    record = read_record()
    rows = pd.DataFrame(record["studies"]["census"]["rows"])
    kinds = list(dict.fromkeys(rows["preprocessing"]))
    assert kinds[0] == "printed"
    assert "ours" in kinds
    parts = {kind: rows[rows["preprocessing"] == kind].reset_index(drop=True) for kind in kinds}
    (line,) = (line for line in findings(record) if line.startswith("census"))
    assert line.startswith("census: preprocessing as printed ")
    for text, part in zip(line.split("; "), parts.values(), strict=True):
        for word, count in part["verdict"].value_counts().items():
            assert word == "not printed" or f"{count} {word}" in text
    picture = census_figure(rows.to_dict("records"), ())
    assert picture == census_figure(parts["printed"].to_dict("records"), ())
    assert picture != census_figure(parts["ours"].to_dict("records"), ())


def test_readings_are_told_apart_by_the_printed_clusters():
    n, f = np.array([row[:2] for row in VALUES[5]]).T
    sizes, ones = n.astype(int), np.rint(n * f / 100).astype(int)
    assert fingerprint.distance(sizes, ones) < 3  # shares are printed with two digits
    moved = sizes + np.array([10, 0, 0, 0, -10])
    assert fingerprint.distance(moved, ones) == pytest.approx(fingerprint.distance(sizes, ones) + 10, abs=1.0)
    assert len(set(readings.readings())) == len(readings.readings())
    rows = read_record()["studies"]["readings"]["rows"]
    assert [row["ours"] for row in rows] == sorted(row["ours"] for row in rows)
    assert {readings.Reading.of(one.settings()).name for one in readings.readings()} == {row["method"] for row in rows}
    assert readings.closest().name == rows[0]["method"]


def test_rank_correlations_and_steps_of_starts():
    one = {"objectives": [1, 2, 3, 4, 5], "accuracies": {"train": [0.1, 0.2, 0.3, 0.5, 0.4]}, "steps": 12, "n": 100}
    claim, bound = start_rows([one | {"d": 2}], "weighted", 3)
    assert claim["ours"] == pytest.approx(0.9)
    assert bound["paper"] == pytest.approx(8 * np.log10(40 * np.e * 900), abs=0.05)
    assert bound["verdict"] == "checked"


@pytest.mark.data
def test_quick_german_runs(data_home, tmp_path):
    report = STUDIES["german"].run(quick=True, n_starts=1, cache=tmp_path)
    accuracy = report[(report.metric == "ACC") & (report.part == "test") & (report.classifier == "mean")].iloc[0]
    assert accuracy["table"] == "5.4"
    assert accuracy["paper"] == 75.48
    assert 68.0 < accuracy["ours"] < 80.0
    assert np.isnan(accuracy["sd"])
    places = report[report["metric"].str.startswith("place")]
    assert places["table"].tolist() == ["5.5", "5.6"]
    assert len(list(tmp_path.glob("*.json"))) == 1
    stored = json.loads(next(tmp_path.glob("*.json")).read_text(encoding="utf-8"))
    assert stored["result"]["preprocessing"] == {"text": 10}


@pytest.mark.data
def test_preprocessing_is_chosen_on_the_training_rows(data_home, monkeypatch):
    seen = []
    original = german.choose_preprocessing

    def spy(X, y, *rest):
        seen.append(set(X.index))
        return "text"

    monkeypatch.setattr(german, "choose_preprocessing", spy)
    monkeypatch.setattr(german, "N_CLUSTERS", 3)
    data = german.load_dataset("german")
    german.german_job({"preprocessing": "chosen", "n_starts": 1, "random_state": 0, "repetition": 0})
    assert [len(rows) for rows in seen] == [900] * 10
    assert set.intersection(*seen) == set()  # every row is left out once
    monkeypatch.setattr(german, "INNER_STARTS", 1)
    monkeypatch.setattr(german, "INNER_FOLDS", 2)
    assert original(data.X, data.y, 0) in german.CANDIDATES
