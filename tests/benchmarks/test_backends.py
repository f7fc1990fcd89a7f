"""``python -m benchmarks.backends``: what is measured, what is not believed, profiles, resuming, and the report."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.backends import instance, measure, performance_profile, run_bench
from benchmarks.backends.__main__ import app
from benchmarks.backends.figures import curve_figure, profile_figure, time_figure
from benchmarks.backends.measure import measure_backend, measure_strategy
from benchmarks.backends.run import Bench
from benchmarks.backends.text import bench_report, findings
from partitope.base.errors import InvalidInputError
from partitope.cli import run
from partitope.models import InfeasibleBoundsError
from partitope.output.pages import as_html
from partitope.output.report import as_record
from partitope.output.terminal import plain
from partitope.solvers import solve
from partitope.solvers.transport.backend import TransportBackend

QUICK = ("blobs:n=40,k=3", "ties:n=30,k=2")


def test_profile_of_the_definition():
    times = np.array([[1.0, 2.0, np.inf], [4.0, 2.0, 8.0], [np.nan, np.inf, np.inf]])
    tau, rho = performance_profile(times)
    assert tau.tolist() == [1.0, 2.0, 4.0]
    np.testing.assert_allclose(rho, np.array([[1, 1, 0], [2, 2, 0], [2, 2, 1]]) / 3)
    rng = np.random.default_rng(0)
    times = rng.lognormal(size=(20, 4))
    tau, rho = performance_profile(times)
    assert (np.diff(rho, axis=0) >= 0).all()
    assert rho[-1].tolist() == [1.0] * 4
    ratio = times / times.min(axis=1, keepdims=True)
    assert rho[0].sum() == pytest.approx((ratio == 1).mean(axis=0).sum())
    for wrong in ([1.0, 2.0], [[0.0]]):
        with pytest.raises(InvalidInputError, match="times"):
            performance_profile(wrong)


def test_instances_come_back_from_their_names():
    for name in ("iris", "blobs:n=50,k=3,seed=4", "uniform:n=20", "ties:n=30,k=2", "equal:n=31,k=4"):
        one, two = instance(name), instance(name)
        np.testing.assert_array_equal(one.points, two.points)
        np.testing.assert_array_equal(one.model.sites, two.model.sites)
        assert one.polytope.is_feasible
    assert instance("equal:n=31,k=4").polytope.lower.tolist() == [8, 8, 8, 7]
    assert not np.array_equal(instance("blobs:n=50,seed=1").points, instance("blobs:n=50,seed=2").points)
    for name in ("blob", "blobs:n", "blobs:n=x", "blobs:n=2,k=5", "blobs:m=3"):
        with pytest.raises(InvalidInputError, match="instance"):
            instance(name)


def test_exported_instances_are_instances(tmp_path):
    case = instance("blobs:n=30,k=3")
    path = str(case.model.write(tmp_path / "m.json"))
    same = instance(path)
    np.testing.assert_allclose(same.points, case.points)
    assert solve(same.model).objective == pytest.approx(solve(case.model).objective)


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


def test_strategies_leave_a_falling_trace():
    case = instance("uniform:n=60,k=4")
    cell = measure_strategy(case, "geometric-lsa", starts=5)
    seconds, values = np.array(cell["trace"]).T
    assert len(values) == 5
    assert (np.diff(seconds) > 0).all()
    assert (np.diff(values) <= 0).all()
    assert cell["objective"] == values[-1]
    small = instance("uniform:n=24,k=3")  # solved long before the limit, on slow machines too
    bounded = measure_strategy(small, "global", starts=5)
    assert bounded["objective"] <= measure_strategy(small, "geometric-lsa", starts=5)["objective"] * (1 + 1e-9)
    assert 0 < bounded["bounds"][-1][1] <= bounded["objective"]
    free = measure_strategy(instance("blobs:n=40,k=3"), "kmeans", starts=2)
    assert free["objective"] is None or free["trace"]


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


def test_finished_jobs_are_not_run_again(tmp_path, monkeypatch):
    first = run_bench(QUICK, ["highs"], [], repeats=1, folder=tmp_path)
    count = len(list(tmp_path.iterdir()))
    assert count == 2

    def interrupted(case, name, **options):
        if case.name == "iris":
            raise KeyboardInterrupt
        raise AssertionError("a finished job was run again")

    monkeypatch.setattr("benchmarks.backends.run.measure_backend", interrupted)
    again = run_bench(QUICK, ["highs"], [], repeats=1, folder=tmp_path)
    assert again.entries == first.entries
    with pytest.raises(KeyboardInterrupt):
        run_bench((*QUICK, "iris"), ["highs"], [], repeats=1, folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == count
    with pytest.raises(AssertionError, match="run again"):
        run_bench(QUICK, ["highs"], [], repeats=2, folder=tmp_path)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"instances": []}, "nothing to run"),
        ({"backends": [], "strategies": []}, "nothing to run"),
        ({"backends": ["gurobi"]}, "backend='gurobi' is not known"),
        ({"strategies": ["cac"]}, "needs a target"),
        ({"strategies": ["geometric"]}, "has variants"),
        ({"repeats": 0}, "repeats=0 is not usable"),
        ({"seed": -1}, "seed=-1 is not usable"),
        ({"time_limit": 0.0}, "time_limit=0.0 is not usable"),
        ({"accuracy": float("nan")}, "accuracy=nan is not usable"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_runs(arguments, words, monkeypatch):
    def forbidden(*given, **options):
        raise AssertionError("something ran")

    monkeypatch.setattr("benchmarks.backends.run.measure_backend", forbidden)
    with pytest.raises(InvalidInputError, match=words):
        run_bench(**{"instances": QUICK, **arguments})


def test_infeasible_instances_are_refused(tmp_path, monkeypatch):
    case = instance("blobs:n=30,k=3")
    text = case.model.write(tmp_path / "m.json").read_text()
    text = text.replace('"lower": [8.0, 8.0, 8.0]', '"lower": [12.0, 12.0, 12.0]')
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(InfeasibleBoundsError):
        run_bench([str(tmp_path / "bad.json")], ["highs"], [])


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = "blobs:n=40,k=3 -b transport -b scipy -m geometric-lsa --starts 2 --repeats 1 --cells cells"
    assert run(words.split(), application=app) == 0
    out = capsys.readouterr()
    assert "transport" in out.out
    assert "Fastest" in out.err
    assert run([*words.split(), "--json", "--report", "r.html"], application=app) == 0
    out = capsys.readouterr()
    assert out.err == ""
    assert json.loads(out.out)["format"] == "partitope.bench"
    assert (tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert run(["blobs:n=40,k=3", "-b", "none", "-m", "none"], application=app) == 2
    assert "nothing to run" in capsys.readouterr().err


def test_the_solver_comparison_says_the_word_and_the_solvers_own(monkeypatch):
    bench = run_bench(["blobs:n=20,k=2"], ["highs"], ["geometric-lsa", "global"], repeats=1, starts=2, time_limit=20)
    document = json.loads(json.dumps(plain(as_record(bench_report(bench)))))
    assert [cell["proof"] for cell in document["strategies"]] == ["step", "global"]
    assert document["backends"][0]["raw_status"] == "kOptimal"
    assert document["backends"][0]["solver_version"].startswith("highspy ")
    assert bench.strategy_table()["proof"].tolist() == ["step", "global"]
    assert ">step</td>" in as_html(bench_report(bench))
    monkeypatch.setattr("partitope.solvers.linear_program.STATUSES", {})
    cell = run_bench(["blobs:n=20,k=2"], ["highs"], [], repeats=1).entries["highs", "blobs:n=20,k=2"]
    assert "kOptimal" in cell["note"]
    assert "highspy" in cell["note"]
