"""Every writer says one of the three words of `Proof`, and states the gap of a global one."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from partitope.commands.compare.report import comparison_report
from partitope.commands.fit.run import fit_classifier, summary
from partitope.compare.run import compare
from partitope.datasets.dataset import Dataset
from partitope.models import PartitionPolytope
from partitope.models.objectives.proof import Proof
from partitope.output.html_pages import as_html
from partitope.output.report import as_record
from partitope.output.terminal import plain, write_terminal
from partitope.solvers import solve_global


@cache
def table() -> Dataset:
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    X = pd.DataFrame({name: rng.normal(size=60) + y for name in ("a", "b")})
    return Dataset(X, np.array(["no", "yes"])[y], "table", "answer")


@cache
def comparison():
    """Rows of all three proofs: the last one is the first one's problem, solved globally."""
    found = compare(table(), 3, lower=15, upper=25, folds=2, starts=1, methods=["geometric-lsa", "cac", "kmeans"])
    best = solve_global(found.points, PartitionPolytope(60, 15, 25, n_clusters=3))
    row = found.rows[0]
    closed = replace(row, name="closed", partition=best)
    return replace(found, rows=(*found.rows, closed))


@pytest.mark.full
def test_a_comparison_says_the_word_in_json_table_and_report(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")  # a narrow terminal leaves columns out
    result = comparison()
    rows = {row["method"]: row for row in json.loads(json.dumps(plain(as_record(comparison_report(result)))))["rows"]}
    assert {name: row["proof"] for name, row in rows.items()} == {
        "geometric-lsa": "step", "cac": "none", "kmeans (no bounds)": "none", "closed": "global",
    }  # fmt: skip
    bound = result.rows[-1].partition.bound
    assert rows["closed"]["partition"]["bound"]["gap"] == bound.gap
    assert "moves and swaps" in rows["cac"]["claim"]
    write_terminal(comparison_report(result))
    said = capsys.readouterr().out
    html = as_html(comparison_report(result))
    for text in (said, html):
        assert f"global, gap {bound.gap:.1g}" in text
        assert "cac: local optimum of moves and swaps" in re.sub(r"\s+", " ", text)
    assert "<td>step</td>" in html
    assert "local optimum" in re.search(r"<li>Certified by linear[^<]*</li>", html)[0]
    assert "closed" not in re.search(r"<li>Certified by linear[^<]*</li>", html)[0]
    assert "proved" not in said.partition("Every method")[2]


def test_a_fitted_model_is_summed_up_with_the_word():
    data = table()
    model = fit_classifier(data, polytope=PartitionPolytope(len(data.y), 15, 25, n_clusters=3), starts=2)
    figures = json.loads(json.dumps(plain(summary(model, data))))
    assert figures["proof"] == "step"
    assert figures["claim"] == Proof.STEP.description
    assert "proved" not in figures
