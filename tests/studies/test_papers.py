"""Tables of the papers: intervals, printed figures that agree with each other, quick runs of every study."""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import f as f_distribution
from scipy.stats import friedmanchisquare

from studies import cac_synthetic, hypotheses, pkm
from studies.base import ranks
from studies.base.agreement import partition_agreement
from studies.base.record import Reproduction, read_record, write_record
from studies.base.rows import BOUNDED, agreement_measures, as_row, fold_interval, paired, settled, split_interval
from studies.catalogue import STUDIES
from studies.printed.kcc import KCC, KCSSL
from studies.printed.pkm import PKM, PKM_PARTS
from studies.report.page import WORDS, documentation, reproduction_html
from studies.report.pictures_papers import PICTURES, pictures

ELSEWHERE = ("census", "german", "local", "cac", "kcc", "tables")
"""Studies that have tests of their own in which they run."""

STUDY_PAGE = (Path(__file__).parents[2] / "docs" / "study.md").read_text(encoding="utf-8")


def test_a_smaller_dependence_on_the_covariate_beats():
    assert as_row("2", "a", "b", "ACC", 0.5, (0.6, 0.55, 0.65))["verdict"] == "beaten"
    assert as_row("2", "a", "b", "JI", 0.5, (0.6, 0.55, 0.65))["verdict"] == "missed"
    assert as_row("2", "a", "b", "NMI_c", 0.5, (0.4, 0.35, 0.45))["verdict"] == "beaten"
    assert as_row("2", "a", "b", "ACC", None, (0.6, 0.55, 0.65))["verdict"] == "not printed"


@pytest.mark.parametrize(
    "paper, sd, ours, unit, method, expected",
    [
        (0.500, None, (0.509, 0.40, 0.60), 1.0, "KCC", "met"),
        (0.500, None, (0.510, 0.40, 0.60), 1.0, "KCC", "met"),  # the tolerance itself
        (0.500, None, (0.511, 0.40, 0.60), 1.0, "KCC", "undecided"),
        (0.500, 0.02, (0.511, 0.40, 0.60), 1.0, "KCC", "met"),
        (0.500, 0.0, (0.509, 0.40, 0.60), 1.0, "KCC", "met"),
        (50.0, None, (50.9, 40.0, 60.0), 100.0, "KCC", "met"),
        (50.0, None, (51.1, 40.0, 60.0), 100.0, "KCC", "undecided"),
        (0.500, None, (0.505, 0.501, 0.509), 1.0, "KCC", "beaten"),  # near, but the interval excludes it
        (0.500, None, (0.495, 0.491, 0.499), 1.0, "KM", "missed"),
        (0.500, None, (0.700, 0.650, 0.750), 1.0, "KM", "competitor better"),
        (None, None, (0.700, 0.650, 0.750), 1.0, "KM", "not printed"),
    ],
)
def test_met_needs_the_interval_and_the_tolerance_and_only_our_methods_beat(paper, sd, ours, unit, method, expected):
    row = as_row("2", "a", method, "ACC", paper, ours) | {"paper_sd": sd}
    found = settled(row, unit, ("KCC",))
    assert found["verdict"] == expected
    assert settled(found, unit, ("KCC",)) == found


@pytest.mark.parametrize(
    "ours, metric, expected", [(0.52, "ACC", "beaten"), (0.48, "ACC", "missed"), (0.52, "JI", "missed")]
)
def test_on_the_same_rows_nothing_is_undecided(ours, metric, expected):
    row = as_row("2", "a", "KCC", metric, 0.5, (ours, 0.4, 0.6))
    assert settled(row, 1.0, (), same_rows=True)["verdict"] == expected


def test_a_moved_threshold_is_neither_better_nor_worse():
    rows = [as_row("6", "a", "b", metric, 0.5, (value, value - 0.01, value + 0.01)) for metric, value in
            (("SENS", 0.6), ("SPEC", 0.4), ("ACC", 0.6))]  # fmt: skip
    assert [row["verdict"] for row in paired(rows)] == ["differs", "differs", "beaten"]
    assert [row["verdict"] for row in paired(rows[::2])] == ["beaten", "beaten"]


def test_intervals_end_where_the_measure_ends():
    wide = settled(as_row("2", "a", "b", "F1", 0.2, (0.24, -0.07, 1.2)))
    assert (wide["low"], wide["high"], wide["verdict"]) == (0.0, 1.0, "undecided")
    signed = settled(as_row("2", "a", "b", "difference of F1", None, (-0.2, -0.3, -0.1)))
    assert (signed["low"], signed["high"]) == (-0.3, -0.1)
    single = settled(as_row("2", "a", "b", "ACC", 20.0, (24.0, -np.inf, np.inf)), 100.0)
    assert (single["low"], single["high"]) == (0.0, 100.0)


def test_the_kept_record_is_settled():
    for name, study in read_record()["studies"].items():
        kind = STUDIES[name]
        for row in study["rows"]:
            assert settled(row, kind.unit, kind.own) == row
            if row["metric"] in BOUNDED and row.get("low") is not None:
                assert 0.0 <= row["low"] <= row["ours"] <= row["high"] <= kind.unit
            if row["verdict"] == "beaten":
                assert not kind.own or row["method"].startswith(kind.own)


def test_fold_interval_is_wider_than_one_that_takes_folds_for_independent():
    values = np.array([0.7, 0.72, 0.68, 0.75, 0.71])
    mean, low, high = fold_interval(values, 0.25)
    assert mean == pytest.approx(values.mean())
    naive = 2.7764451051977987 * values.std(ddof=1) / np.sqrt(5)
    assert (high - low) / 2 == pytest.approx(naive * np.sqrt(1 + 5 * 0.25))
    assert fold_interval([0.5], 0.25)[1:] == (-np.inf, np.inf)


def test_split_interval_covers():
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(300):
        rows = rng.random(400) < 0.8  # one table, read by 20 splits that hide half of its rows each
        values = [rows[rng.permutation(400)[:200]].mean() for _ in range(20)]
        _, low, high = split_interval(values, 400)
        hits += low <= 0.8 <= high
    assert 0.92 <= hits / 300 <= 1.0


@pytest.mark.parametrize("seed", range(3))
def test_jackknife_by_cells_is_the_jackknife_by_points(seed):
    rng = np.random.default_rng(seed)
    truth, labels = rng.integers(0, 3, 40), rng.integers(0, 3, 40)
    value, low, high = agreement_measures(labels, truth, None)["NMI_g"]
    parts = [
        partition_agreement(np.delete(labels, i), np.delete(truth, i), average="max").mutual_information
        for i in range(40)
    ]
    half = 1.959963984540054 * np.sqrt(39 / 40 * ((np.array(parts) - np.mean(parts)) ** 2).sum())
    assert (low, high) == pytest.approx((max(0.0, value - half), min(1.0, value + half)), abs=1e-12)


def test_tables_of_the_papers_are_typed_once_and_are_shares():
    for figures in (KCC, KCSSL):
        keys = [(f.table, f.data, f.method, f.metric) for f in figures]
        assert len(keys) == len(set(keys))
        assert all(0.0 <= f.value <= 1.0 for f in figures)
    # eleven methods; on simu3 COALA, ADFT and OC are not printed, nor is any dependence on its real covariate
    assert len(KCC) == 2 * (8 * 11 - 3) + 2 * 7 * 11


def test_weighted_auc_leaves_out_classes_without_rows():
    y, classes = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 2])
    shares = np.array([[0.8, 0.2, 0.0], [0.3, 0.6, 0.1], [0.4, 0.5, 0.1], [0.1, 0.8, 0.1], [0.2, 0.1, 0.7]])
    first = np.mean([a > b for a in (0.8, 0.3) for b in (0.4, 0.1, 0.2)])
    second = np.mean([a > b for a in (0.5, 0.8, 0.1) for b in (0.2, 0.6)])
    assert pkm.weighted_auc(y, shares, classes) == pytest.approx(0.4 * first + 0.6 * second)


def test_shares_of_clusters_add_up():
    for data in {f.data for f in PKM_PARTS}:
        parts = [f.value for f in PKM_PARTS if f.data == data and "robust" not in f.metric]
        assert sum(parts) == pytest.approx(100.0, abs=0.01)
    assert len(PKM) == 2 * 8 * 6


def test_synthetic_classes_lie_as_far_apart_as_asked():
    rng = np.random.default_rng(0)
    X, y = cac_synthetic.clusters_of_two_classes(2.0, 3.0, 2, rng)
    side = X[:, np.argmax(X.var(axis=0))] > 0  # two corners of a cube of side 6 in spread .5
    apart = [
        np.linalg.norm(X[side == s][y[side == s] == 1].mean(0) - X[side == s][y[side == s] == 0].mean(0))
        for s in (0, 1)
    ]
    np.testing.assert_allclose(apart, 2.0, atol=0.35)
    assert y.mean() == pytest.approx(1 / 11, abs=0.03)


def test_ranks_against_friedmans_test_and_the_printed_quantiles():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(14, 4)) + np.array([0.0, 0.3, 0.3, 1.0])
    ranking = ranks.rank_methods(scores)
    chi2 = friedmanchisquare(*scores.T).statistic
    assert ranking.pvalue == pytest.approx(f_distribution.sf(13 * chi2 / (14 * 3 - chi2), 3, 39))
    assert ranking.critical_difference == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=2e-3)  # Demsar's table
    np.testing.assert_allclose(ranking.ranks.sum(), 4 * 5 / 2)
    assert ranks.alike([1.0, 1.5, 2.4, 4.0], 1.0) == [(0, 1), (1, 2)]
    assert ranks.alike([1.0, 3.0], 1.0) == []
    with pytest.raises(ValueError, match="at least two"):
        ranks.rank_methods([[1.0, 2.0]])


def test_the_printed_clusters_test_as_printed():
    for k in (5, 10):
        rows = hypotheses._printed_clusters(k)
        assert len(rows) == 4 * k
        assert {row["verdict"] for row in rows} == {"checked"}
        assert max(row["high"] - row["low"] for row in rows if "limit" in row["metric"]) < 1.0


@pytest.mark.data
@pytest.mark.parametrize("name", [name for name in STUDIES if name not in ELSEWHERE])
def test_quick_studies_run(data_home, tmp_path, monkeypatch, name):
    monkeypatch.setitem(STUDIES, name, replace(STUDIES[name], quick_sets=STUDIES[name].quick_sets[:1]))
    done = Reproduction(quick=True)
    frame = done.run(name, n_starts=1, cache=tmp_path)
    assert len(frame)
    assert frame["ours"].notna().any()
    assert set(frame["verdict"]) <= {*WORDS, "not printed", "holds", "fails"}
    finite = frame[frame["ours"].notna() & frame["low"].notna()]
    assert (finite["low"] <= finite["ours"] + 1e-9).all()
    assert (finite["ours"] <= finite["high"] + 1e-9).all()
    place = tmp_path / "record.json"
    done.save(place)
    record = read_record(place)
    assert json.loads(json.dumps(record)) == done.as_dict()
    write_record(record, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == place.read_text()
    page = reproduction_html(record)
    assert page.count("<section id=") == 1
    assert "http" not in page.replace("http://www.w3.org", "")


def test_the_run_that_comes_with_the_package_becomes_a_page_and_a_table_of_the_documentation(monkeypatch):
    record = read_record()
    assert not record["quick"]
    assert {"numpy", "scikit-learn", "processor", "python"} <= set(record["machine"])
    assert set(record["studies"]) <= set(STUDIES)
    for study in record["studies"].values():
        assert all(row.get("verdict") for row in study["rows"])
        assert study["commits"]
        assert all(number > 0 for number in study["commits"].values())
    drawn = {name: pictures(name, study["rows"]) for name, study in record["studies"].items()}
    for name, found in drawn.items():
        assert len(found) == len(PICTURES.get(name, ("one",)))
        for picture in found:
            if picture.svg is None:  # statements that are counted have no axis in common
                assert name == "claims"
                continue
            ET.fromstring(picture.svg)
            texts = re.findall(r"<!-- (.+?) -->", picture.svg)  # letters are outlines, each text a comment before them
            assert texts
            assert not [text for text in texts if "$" in text or "nan" in text.lower().split()]
            assert picture.caption.endswith(".")
    monkeypatch.setattr("studies.report.page.pictures", lambda name, rows: drawn[name])  # drawn once
    files = documentation(record)
    assert {name for name in files if name.endswith(".svg")} == set(re.findall(r"\]\((.+?\.svg)\)", STUDY_PAGE))
    table = list(csv.DictReader(io.StringIO(files["papers-tables.csv"])))
    assert len(table) == sum(len(study["rows"]) for study in record["studies"].values())
    row, census = next(one for one in table if one["study"] == "census"), record["studies"]["census"]["rows"][0]
    assert [float(row[name]) for name in ("paper", "ours")] == [census[name] for name in ("paper", "ours")]
    html = reproduction_html(record)
    assert html.count("<section id=") == len(record["studies"])
