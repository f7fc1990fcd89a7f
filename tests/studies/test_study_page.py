"""The page on the study of size bounds says what the record says."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import mean, median

import pytest

from studies.base.record import read_record

PAGE = Path(__file__).parents[2] / "docs" / "study.md"
MEANS = ("ACC", "half-width", "stability", "told apart")


@pytest.fixture(scope="module")
def rows():
    return read_record()["studies"]["sizes"]["rows"]


def figure(row) -> str:
    return f"{row['ours']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"


def table(rows) -> list[str]:
    lines = []
    for width in (1.0, 0.5, 0.25, 0.1, 0.0):
        whole = {row["metric"]: row for row in rows if (row["table"], row["width"]) == ("all sets", width)}
        cells = [figure(whole[f"change of {name}"]) for name in ("ACC", "half-width", "stability", "told apart")]
        squares = median(single(rows, "squares", width).values())
        lines.append(f"| {100 * width:g} % | {' | '.join(cells)} | {100 * squares:+.1f} % |")
    return lines


def single(rows, name: str, width: float) -> dict[str, float]:
    asked = ("against no bound", f"change of {name}", width)
    return {row["data"]: row["ours"] for row in rows if (row["table"], row["metric"], row["width"]) == asked}


def test_the_table_of_the_page_is_that_of_the_record(rows):
    assert [line for line in PAGE.read_text(encoding="utf-8").splitlines() if re.match(r"\| \d", line)] == table(rows)


def test_what_the_page_says_in_words(rows):
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    free = [row for row in rows if row["table"] == "sizes" and row["width"] is None]
    means = [mean(row["ours"] for row in free if row["metric"] == m) for m in MEANS]
    first = ", ".join(f"{m:.3f}".lstrip("0") for m in means[:-1])
    assert f"Without bounds the means are {first} and {means[-1]:.2f}.".replace(" 0.", " .") in page
    assert len({row["data"] for row in free}) == 15
    assert all(row["verified"] == 1.0 for row in rows if row["table"] == "sizes")
    changes = [r for r in rows if (r["table"], r["metric"]) == ("against no bound", "change of ACC")]
    beyond = [(r["data"], r["width"]) for r in changes if r["low"] > 0 or r["high"] < 0]
    assert sorted(beyond) == [("census", 0.0), ("mushroom", 0.0), ("mushroom", 0.1), ("pendigits", 0.0)]
    assert sum(change < 0 for change in single(rows, "ACC", 0.0).values()) == 13
    assert sum(change < 0 for change in single(rows, "stability", 0.0).values()) == 14
    worst = single(rows, "squares", 0.0)
    assert max(worst, key=worst.get) == "titanic2201"
    assert round(1 + worst["titanic2201"]) == 24
    assert single(rows, "ACC", 0.0)["titanic2201"] == pytest.approx(-0.018, abs=0.0005)
    told = {row["width"]: row for row in rows if (row["table"], row["metric"]) == ("all sets", "change of told apart")}
    assert not [width for width, row in told.items() if row["high"] < 0]
    stable = {row["width"]: row for row in rows if (row["table"], row["metric"]) == ("all sets", "change of stability")}
    assert sorted(width for width, row in stable.items() if row["high"] < 0) == [0.0, 0.1, 0.25]
