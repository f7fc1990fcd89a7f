"""``python -m benchmarks.backends``: what is measured, what is not believed, profiles, resuming, and the report."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.backends import instance, measure, run_bench
from benchmarks.backends.__main__ import app
from benchmarks.backends.figures import curve_figure, profile_figure, time_figure
from benchmarks.backends.measure import measure_backend
from benchmarks.backends.run import Bench
from benchmarks.backends.text import bench_report, findings
from partitope.cli import run
from partitope.output.html_pages import as_html
from partitope.output.report import as_record
from partitope.solvers import solve
from partitope.solvers.transport.backend import TransportBackend

QUICK = ("blobs:n=40,k=3", "ties:n=30,k=2")


def test_a_backend_is_measured_not_believed(monkeypatch):
    case = instance("blobs:n=40,k=3")
    honest = measure_backend(case, "transport", repeats=2)
    assert honest["objective"] == pytest.approx(solve(case.model).objective)
    assert honest["dual"] == pytest.approx(honest["objective"])
    assert honest["violation"] <= 1e-12
    assert honest["seconds"] == pytest.approx(honest["build_seconds"] + honest["solve_seconds"])
    true_solve = TransportBackend.solve

    def boast(self, model, **options):
        found = true_solve(self, model, **options)
        wrong = found.labels.copy()
        a, b = 0, int(np.flatnonzero(wrong != wrong[0])[0])
        wrong[[a, b]] = wrong[[b, a]]
        return replace(found, labels=wrong, objective=1e9)

    monkeypatch.setattr(TransportBackend, "solve", boast)
    lied = measure_backend(case, "transport", repeats=1)
    assert lied["objective"] < honest["objective"]
    bench = Bench(("x",), ("transport",), (), {("transport", "x"): lied}, {"x": (40, 3)})
    assert not bench.solved("transport", "x")
    assert bench.shortfall("transport", "x") > 1e-6


def test_backends_without_a_time_limit_are_left_out_of_large_instances(monkeypatch):
    monkeypatch.setattr(measure, "NO_LIMIT_SIZE", 50)
    cell = measure_backend(instance("blobs:n=40,k=3"), "networkx")
    assert "takes no time limit" in cell["note"]
    assert cell["seconds"] is None


def test_a_whole_comparison_and_its_pictures():
    bench = run_bench(
        QUICK, ["transport", "highs", "cvxpy-scs"], ["geometric-lsa", "global"], repeats=1, starts=3, time_limit=5
    )
    assert all(bench.solved(b, i) for b in ("transport", "highs") for i in QUICK)
    assert len(bench.table()) == 6
    assert len(bench.strategy_table()) == 4
    assert bench.strategy_table()["above best %"].min() == 0
    for picture in (profile_figure(bench), time_figure(bench), curve_figure(bench)):
        assert picture.startswith("<svg")
        assert "mathdefault" not in picture
    page = as_html(bench_report(bench))
    assert page.count("<img") == 3
    assert "$" not in page.split("</style>")[-1].split("base64")[0]
    assert "<script" not in page
    assert any("transport" in line for line in findings(bench))
    data = as_record(bench_report(bench))
    assert {row["solver"] for row in data["backends"]} == {"transport", "highs", "cvxpy-scs"}
    assert data["profiles"]["seconds"]["rho"]["transport"][-1] == 1.0


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = "blobs:n=40,k=3 -b transport -b scipy -m geometric-lsa --starts 2 --repeats 1 --cells cells"
    assert run(words.split(), application=app) == 0
    out = capsys.readouterr()
    assert "transport" in out.out
    assert "Fastest" in out.out
    assert run([*words.split(), "--json", "--report", "r.html"], application=app) == 0
    out = capsys.readouterr()
    assert out.err == ""
    assert json.loads(out.out)["format"] == "partitope.bench"
    assert (tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert run(["blobs:n=40,k=3", "-b", "none", "-m", "none"], application=app) == 2
    assert "nothing to run" in capsys.readouterr().err
