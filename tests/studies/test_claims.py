"""Verdicts on statements of the papers: they follow the numbers."""

from __future__ import annotations

import pytest

from studies import claims
from studies.base.record import read_record


@pytest.mark.parametrize(
    ("values", "changes", "verdict"),
    [
        ([0.3, 0.2, 0.1], {}, "holds"),
        ([0.3, 0.2, -0.1], {}, "fails"),
        ([0.3, 0.2, -0.1], {"least": 0.6}, "holds"),
        ([0.3, 0.2, -0.1], {"tolerance": 0.1}, "holds"),
        ([0.3, 0.2, 0.1], {"kind": "mean"}, "undecided"),
        ([0.3, 0.29, 0.28], {"kind": "mean"}, "holds"),
        ([-0.3, -0.29, -0.28], {"kind": "mean", "least": 0.0}, "fails"),
        ([], {}, "fails"),
    ],
)
def test_a_verdict_changes_with_its_numbers(values, changes, verdict):
    claim = {"where": "1", "says": "it rises", "paper": "p", "source": "run", "tolerance": 0.0, "least": 1.0, **changes}
    row = claims.claim_row(claim, {f"set {i}": value for i, value in enumerate(values)})
    assert row["verdict"] == verdict


def test_the_page_is_that_of_the_record():
    rows = [{"note": "", **row} for row in read_record()["studies"]["claims"]["rows"]]
    assert [row["data"] for row in rows] == [claim["says"] for claim in claims.CLAIMS]
    assert claims.page(rows) == claims.PAGE.read_text(encoding="utf-8")
