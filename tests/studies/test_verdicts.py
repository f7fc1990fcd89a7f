"""The page of verdicts is that of the record; what it rests on: bounds, uplifts, ranks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from studies.base.record import merged, read_record
from studies.cac_bounds import cluster_risk, log_loss_bounds
from studies.cac_uplift import uplift_rows
from studies.kcc_ranks import rank_rows
from studies.printed.kcc import KCC
from studies.verdict_items import ITEMS, PAPERS, Item
from studies.verdicts import PAGE, item_lines, page


def test_the_page_is_that_of_the_record():
    record = read_record()
    assert PAGE.read_text(encoding="utf-8") == page(record)
    assert {item.paper for item in ITEMS} == set(PAPERS)
    for item in ITEMS:
        rows = [row for name in item.studies for row in record["studies"].get(name, {"rows": ()})["rows"]]
        assert item.said or any(item.holds(row) for row in rows), item.where


def test_a_line_counts_verdicts_and_names_the_widest_gap():
    base = {"table": "1", "data": "toy", "method": "LR", "metric": "F1", "low": 0.0, "high": 1.0}
    rows = [
        base | {"paper": 0.5, "ours": 0.6, "difference": 0.1, "verdict": "missed"},
        base | {"paper": 0.5, "ours": 0.8, "difference": 0.3, "verdict": "missed", "data": "wide"},
        base | {"paper": 0.5, "ours": 0.5, "difference": 0.0, "verdict": "met", "preprocessing": "ours"},
        base | {"paper": None, "ours": 0.5, "difference": None, "verdict": "not printed"},
    ]
    item = Item("cac", "Table 1", "F1", ("cac",), {"table": "1"}, "Because.")
    printed, ours = item_lines(item, {"studies": {"cac": {"rows": rows}}})
    assert printed == "| Table 1 | F1 | 2 missed | wide, LR, F1: 0.5, 0.8 | Because. |"
    assert ours == "|  | our preprocessing | 1 met | toy, LR, F1: 0.5, 0.5 |  |"


@pytest.mark.parametrize("classes", [2, 3, 4])
def test_theorem_4_for_any_number_of_classes(classes):
    rng = np.random.default_rng(classes)
    X, y = rng.normal(size=(90, 3)), np.arange(90) % classes
    X[:, 0] += y
    model = LogisticRegression().fit(X, y)
    low, loss, high = log_loss_bounds(model, X, y)
    assert loss == pytest.approx(log_loss(y, model.predict_proba(X)))
    assert low <= loss <= high
    if classes == 2:  # as printed, means over the rows; the intercept is a column of ones
        scores = model.decision_function(X)
        c, means = np.abs(scores).max(), [scores[y == k].sum() / 2 / len(y) for k in (0, 1)]
        assert low == pytest.approx(np.log(2) - (means[1] - means[0]))
        assert high == pytest.approx(np.log1p(np.exp(c)) - c / 2 - (means[1] - means[0]))


def test_theorem_1_for_one_cluster_and_for_two():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), np.arange(200) % 2
    one = cluster_risk(X, y, np.zeros(200, dtype=int), 0.05)
    assert one["bound"] == pytest.approx(one["training loss"] + one["complexity"] + one["confidence"])
    assert one["training loss"] <= np.log(2)
    doubled = cluster_risk(np.vstack([X, X]), np.append(y, y), np.repeat([0, 1], 200), 0.05)
    assert doubled["training loss"] == pytest.approx(one["training loss"])
    assert doubled["confidence"] / one["confidence"] == pytest.approx(np.sqrt(np.log(2 / 0.05) / np.log(1 / 0.05)))


def test_printed_uplifts_and_ranks_follow_from_the_printed_figures():
    rows = [row for row in uplift_rows() if row["method"] == "printed F1"]
    uplifts = [row for row in rows if "uplift" in row["metric"]]
    assert len(uplifts) == 3 * 4 * 2
    assert sum(row["verdict"] == "checked" for row in uplifts) >= 20
    figures = [{"metric": f.metric, "data": f.data, "method": f.method, "ours": f.value} for f in KCC]
    ranks = rank_rows(figures)
    printed, ours = ([r["ours"] for r in ranks if r["data"] == source] for source in ("printed figures", "our figures"))
    assert printed == ours
    assert sum(r["verdict"] == "checked" for r in ranks if r["data"] == "printed figures") >= 36
    assert rank_rows(figures[:5])[0]["data"] == "printed figures"


def test_a_record_keeps_what_a_new_run_has_not():
    old = {"format": "partitope.reproductions", "quick": False, "studies": {
        "cac": {"rows": [{"ours": 1}], "commits": {"a": 1}},
        "german": {"rows": [{"ours": 2, "preprocessing": "printed"}, {"ours": 3, "preprocessing": "ours"}],
                   "commits": {"a": 2}},
    }}  # fmt: skip
    rows = [{"ours": 4, "preprocessing": "printed"}]
    new = old | {"studies": {"german": {"rows": rows, "commits": {"b": 1}}}}
    found = merged(old, new)["studies"]
    assert list(found) == ["german", "cac"]
    assert [row["ours"] for row in found["german"]["rows"]] == [4, 3]
    assert found["german"]["commits"] == {"a": 2, "b": 1}
