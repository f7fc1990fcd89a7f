"""The benchmark against other codes: cases, one process a code, tables that are those of the stored results."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import __main__ as program
from benchmarks import case as cases
from benchmarks import other_codes
from benchmarks.backends.instances import clouds
from benchmarks.case import Case, points_and_sites, run_case
from benchmarks.other_codes_text import full_table, measured_on, slopes

ROOT = Path(__file__).parents[2]
SMALL = Case("small", "one step, 60 x 3", "step", 60, 3, 2, ("transport", "highs-simplex", "argmax"), repeats=1)


def test_clouds_are_one_draw_whatever_the_blocks(monkeypatch):
    whole = clouds(50, 3, 2, np.random.default_rng(0), 2.0)
    monkeypatch.setitem(clouds.__globals__, "BLOCK", 7)
    np.testing.assert_array_equal(clouds(50, 3, 2, np.random.default_rng(0), 2.0), whole)


def test_codes_are_run_apart_and_measured_from_their_labels(monkeypatch):
    said = []
    found = run_case(SMALL, sys.executable, said.append)
    assert not found["failures"]
    assert len(said) == 3
    ours, highs, floor = (found["peers"][peer] for peer in SMALL.peers)
    assert ours["verified"] == 1.0
    assert ours["objective"] == pytest.approx(highs["objective"], rel=1e-9)
    assert floor["objective"] <= ours["objective"]
    assert floor["unbounded"] == 1.0
    assert all(one["seconds"] > 0 and one["peak"] > 0 for one in (ours, highs, floor))
    json.dumps(found)
    table = full_table([found])
    assert table.count("\n") == 4
    assert "no bounds" in table


def test_a_code_that_gives_no_answer_says_why():
    found = run_case(replace(SMALL, peers=("nobody", "argmax"), limit=60.0), sys.executable, lambda line: None)
    assert found["failures"] == {"nobody": "KeyError: 'nobody'"}
    slow = run_case(replace(SMALL, peers=("argmax",), limit=1e-3), sys.executable, lambda line: None)
    assert slow["failures"] == {"argmax": "> 0.001 s"}
    assert "> 0.001 s" in full_table([json.loads(json.dumps(slow))])


def test_objective_of_a_fit_is_that_of_the_means():
    z = points_and_sites(SMALL)
    labels = np.arange(60) % 3
    expected = sum(((z["X"][labels == i] - z["X"][labels == i].mean(axis=0)) ** 2).sum() for i in range(3))
    assert cases.objective(replace(SMALL, kind="fit"), z, labels) == pytest.approx(expected)


def test_cases_are_named_once_and_ours_come_first():
    every = program.all_cases()
    assert len({case.name for case in every}) == len(every) == 15
    for case in every:
        assert case.peers[0] in cases.OURS
        assert set(case.peers) <= set(other_codes.PEERS)
        assert case.full == (case.n >= 10**6)


def test_the_tables_of_the_documentation_are_those_of_the_stored_results(tmp_path):
    results = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    order = [case.name for case in program.all_cases()]
    done = [results["cases"][name] for name in order if name in results["cases"]]
    head = measured_on(results, done)
    name, text = "docs/engine-figures.md", f"{head}\n\n{full_table(done)}\n\n{slopes(done)}"
    assert f"{program.BEGIN}\n{text}\n{program.END}" in (ROOT / name).read_text()
    (tmp_path / "docs").mkdir()
    (tmp_path / name).write_text(f"before\n{program.BEGIN}\nold\n{program.END}\nafter\n")
    program.write_report(results, order, tmp_path)
    assert (tmp_path / name).read_text().startswith(f"before\n{program.BEGIN}\n{head}\n\n| case |")
    assert (tmp_path / name).read_text().endswith(f"{program.END}\nafter\n")
    bars = Path("docs") / "images" / "speed.svg"
    assert (tmp_path / bars).read_text() == (ROOT / bars).read_text()
    assert (tmp_path / "docs" / "images" / "engine.png").stat().st_size > 10_000
