"""Pictures of the reproductions: drawn from rows alone, and none where there is nothing to draw."""

from __future__ import annotations

import pytest

from studies.catalogue import STUDIES
from studies.census_sweep import CURVE, SHOWN, THRESHOLDS, sweep_rows
from studies.report.pictures_papers import pictures


@pytest.mark.parametrize("name", STUDIES)
def test_nothing_to_draw_draws_nothing(name):
    assert pictures(name, []) == []


def test_rows_of_the_roc_curve():
    measures = {"ACC": 0.8, "SENS": 0.6, "SPEC": 0.9, "AUC": 0.8, "positives": 50, "negatives": 150}
    roc = [i / (CURVE - 1) for i in range(CURVE)]
    result = {part: {"measures": [measures] * len(THRESHOLDS), "roc": roc} for part in ("train", "test")}
    rows = [row for row in sweep_rows(result, 500) if row["table"] == "Figure 6.5"]
    assert [row["ours"] for row in rows if row["part"] == "test"] == list(SHOWN)
    assert all(row["low"] <= row["ours"] <= row["high"] for row in rows)
