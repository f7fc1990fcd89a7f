"""Pictures of the reproductions: drawn from rows alone, and none where there is nothing to draw."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from studies.base.record import read_record
from studies.catalogue import STUDIES
from studies.census_sweep import CURVE, SHOWN, THRESHOLDS, sweep_rows
from studies.report.pictures_papers import PICTURES, pictures


@pytest.fixture(scope="module")
def record():
    return read_record()


def texts(svg: str) -> list[str]:
    """What is written in a picture: letters are outlines there, and each text stands before them as a comment."""
    ET.fromstring(svg)
    return re.findall(r"<!-- (.+?) -->", svg)


@pytest.mark.parametrize("name", STUDIES)
def test_a_full_study_has_its_pictures(record, name):
    found = pictures(name, record["studies"][name]["rows"])
    assert len(found) == len(PICTURES.get(name, ("one",)))
    for svg, caption in ((picture.svg, picture.caption) for picture in found):
        assert caption.endswith(".")
        assert texts(svg)
        assert not [text for text in texts(svg) if "$" in text or "nan" in text.lower().split()]


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
