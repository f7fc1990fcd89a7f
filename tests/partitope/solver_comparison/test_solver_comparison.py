"""Solvers compared: answers are checked, not believed; all kinds of instances and solvers; profiles; the command."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.cli import run
from partitope.models import AssignmentModel, LeastSquaresSDP, PartitionPolytope
from partitope.output.html_pages import as_html
from partitope.solver_comparison import compare_solvers
from partitope.solver_comparison.check import check_answer
from partitope.solver_comparison.comparison import performance_profile
from partitope.solver_comparison.instances import Instance
from partitope.solver_comparison.report import comparison_report
from partitope.solvers import solve

LIAR = """
from dataclasses import replace
from partitope.solvers.transport.backend import TransportBackend

class Liar(TransportBackend):
    name = "liar"
    def solve(self, model, **options):
        found = super().solve(model, **options)
        labels = found.labels.copy()
        labels[:] = labels[::-1]
        return replace(found, labels=labels, objective=1e9, prices=None, point_duals=None)
"""


@pytest.fixture
def model():
    X = np.random.default_rng(0).normal(size=(12, 2))
    return AssignmentModel.lsa(X, X[:3], PartitionPolytope(12, 3, 5, n_clusters=3))


def test_profile_of_the_definition():
    times = np.array([[1.0, 2.0, np.inf], [4.0, 2.0, 8.0], [np.nan, np.inf, np.inf]])
    tau, rho = performance_profile(times)
    assert tau.tolist() == [1.0, 2.0, 4.0]
    np.testing.assert_allclose(rho, np.array([[1, 1, 0], [2, 2, 0], [2, 2, 1]]) / 3)


def test_instances_come_back_from_their_names(model, tmp_path):
    for name in ("iris", "blobs:n=50,k=3,seed=4", "uniform:n=20", "ties:n=30,k=2", "equal:n=31,k=4"):
        one, two = Instance.of(name), Instance.of(name)
        np.testing.assert_array_equal(one.program.cost, two.program.cost)
        assert one.model.polytope.is_feasible
    assert Instance.of("equal:n=31,k=4").model.polytope.lower.tolist() == [8, 8, 8, 7]
    for name in ("blob", "blobs:n", "blobs:n=x", "blobs:n=2,k=5", "blobs:m=3"):
        with pytest.raises(InvalidInputError, match="instance"):
            Instance.of(name)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        Instance.of(str(tmp_path / "none.json"))
    value = solve(model).objective
    for suffix, sign in ((".json", 1.0), (".mps", -1.0)):  # MPS minimises
        program = Instance.of(str(model.write(tmp_path / f"model{suffix}"))).program
        verdict = check_answer(program, np.eye(3)[solve(model).labels].ravel(), None)
        assert (verdict.value, verdict.violation) == (pytest.approx(sign * value), 0.0)


def test_the_check_believes_nothing(model):
    program, solution = model.program, solve(model)
    x = np.eye(3)[solution.labels].ravel()
    mu = solution.prices
    duals = np.concatenate([(model.score_source.dense() - mu).max(axis=1), np.minimum(mu, 0), np.maximum(mu, 0)])
    right = check_answer(program, x, duals)
    assert right.violation == 0.0
    assert right.bound == pytest.approx(right.value)
    rng = np.random.default_rng(1)
    for _ in range(20):  # any duals bound the optimum
        other = mu + rng.normal(size=3)
        wrong = np.concatenate(
            [(model.score_source.dense() - other).max(axis=1), np.minimum(other, 0), np.maximum(other, 0)]
        )
        assert check_answer(program, x, wrong).bound >= right.value - 1e-9
    assert check_answer(program, x, duals - 1.0).bound == np.inf
    assert check_answer(program, np.roll(x, 1), None).violation > 0.01
    assert check_answer(program, x[:-1], None).violation == np.inf
    half = check_answer(model.program.relaxed(), np.full(36, 1 / 3), None)
    assert half.violation < 1e-12
    whole = AssignmentModel.lsa(model.score_source.X, model.sites, model.polytope.whole()).program
    assert check_answer(whole, np.full(36, 1 / 3), None).violation == pytest.approx(1 / 3)


@pytest.mark.full
def test_any_model_any_solver_and_a_plugin_that_lies(model, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "liar_module.py").write_text(LIAR)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    model.program.dualize().write("dual.json")
    model.write("model.json")
    LeastSquaresSDP(model.score_source.X, model.polytope).program.write("sdp.json")
    solvers = ["transport", "highs", "cvxpy:clarabel", "pyomo:appsi_highs"]
    solvers += ["pyomo:cbc"] if shutil.which("cbc") else []
    found = compare_solvers(["model.json"], solvers, plugin="liar_module:Liar", time_limit=20)
    table = found.table.set_index("solver")
    assert table.drop("liar").verified.all()
    lied = table.loc["liar"]
    assert not lied.verified
    assert lied.gap > 1e-3 or lied.violation > 1e-6
    assert table.loc["highs", "gap to"] == "bound"
    assert (table["cpu s"] >= 0).all()
    dual = compare_solvers(["dual.json"], solvers[:4], time_limit=20).table.set_index("solver")
    assert dual.drop("transport").verified.all()
    assert dual.loc["transport", "status"] == "REFUSED"
    assert compare_solvers(["sdp.json"], ["cvxpy:clarabel"], time_limit=20).table.loc[0, "gap to"] == "best"
    assert "liar (0)" in " ".join(comparison_report(found).findings)
    assert as_html(comparison_report(found)).count("<figure>") == 1
    with pytest.raises(InvalidInputError, match="cannot be loaded"):
        compare_solvers(["iris"], ["highs"], plugin="nothing:Here")
    with pytest.raises(InvalidInputError, match="backend"):
        compare_solvers(["iris"], ["nothing"])
    words = "solvers model.json -b transport -b highs --csv t.csv --json --report r.html"
    assert run(words.split()) == 0
    out = capsys.readouterr()
    assert json.loads(out.out)["format"] == "partitope.solvers"
    assert (tmp_path / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert (tmp_path / "t.csv").read_text().startswith("instance,solver,value")
    assert (tmp_path / "t_profile.csv").read_text().startswith("tau,transport,highs")


def test_a_solution_has_processor_seconds(model):
    assert solve(model).cpu_seconds >= 0.0
