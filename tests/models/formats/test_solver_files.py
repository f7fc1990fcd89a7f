"""MPS and LP files: one program to HiGHS, CBC and GLPK, whatever columns are called, and their answers read back."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

from partitope.base.errors import CapabilityError
from partitope.models import AssignmentModel, PartitionPolytope, WholeAssignmentMIP
from partitope.solvers import read_back, solve
from partitope.solvers.linear_program import solve_linear
from partitope.testing import random_model

NAMES = [
    ("size", "net sales", "net_sales"),
    ("2024", "65+", "x+y"),
    ("inf", "free", "e5"),
    ("size", "size_lower", "point"),
    ("assign[0,0]", "assign_0_0 1", "-inf"),
    ("a" * 300, "é" * 300, "naïve\nENDATA"),
    (">= 3", "st", "subject to"),
    ("\\*", "*", " end"),
    ("", "RHS", "OBJSENSE\n    MAX"),
    ("人口", "Größe (m²)", 'the "quoted", 100 %'),
]


def highs(file):
    import highspy

    program = highspy.Highs()
    program.setOptionValue("output_flag", False)
    assert program.readModel(str(file)) == highspy.HighsStatus.kOk
    program.run()
    program.writeSolution(f"{file}.sol", 0)
    return program.getInfo().objective_function_value


def cbc(file):
    if shutil.which("cbc") is None:
        pytest.skip("CBC is not installed")
    subprocess.run(["cbc", file, "solve", "solution", f"{file}.sol"], check=True, capture_output=True)
    with open(f"{file}.sol", encoding="utf-8") as lines:
        return float(next(lines).split()[-1])


def glpk(file):
    if shutil.which("glpsol") is None:
        pytest.skip("GLPK is not installed")
    form = "--freemps" if file.suffix == ".mps" else "--lp"
    subprocess.run(["glpsol", form, file, "--write", f"{file}.sol"], check=True, capture_output=True)
    with open(f"{file}.sol", encoding="utf-8") as lines:
        return float(next(line for line in lines if line.startswith("s ")).split()[-1])


READERS = [highs, cbc, glpk]


def program(names, seed=0):
    """12 points in 3 clusters: three size dimensions, a share, a row without terms, two pairs that are not allowed."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2))
    weights = np.column_stack([np.ones(12), rng.uniform(1, 3, 12), rng.uniform(10, 30, 12)])
    even, room = np.tile(weights.sum(0) / 3, (3, 1)), np.array([0.4, 0.05, 0.05])
    allowed = np.arange(36).reshape(12, 3) % 17 != 1
    polytope = PartitionPolytope(12, even * (1 - room), even * (1 + room), weights, names=names).allow(allowed)
    polytope = polytope.share(np.arange(12) % 2 == 0, 0.2, 0.7).add_rows("none", np.zeros((12, 3)), -1.0, 1.0)
    return AssignmentModel.lsa(X, X[:3], polytope)


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_every_reader_finds_the_optimum_whatever_columns_are_called(read, tmp_path):
    best = solve(program(NAMES[0]), "highs").objective
    for names in NAMES:
        model = program(names)
        for suffix in (".lp", ".mps"):
            file = model.write(tmp_path / f"m{suffix}")
            assert -read(file) == pytest.approx(best, rel=1e-8), names
            found = read_back(model, f"{file}.sol")
            assert found.objective == pytest.approx(best, rel=1e-8), names
            assert found.verify().verified, names


def test_names_are_told_in_comments_of_ascii(tmp_path):
    model = program(("people", "net sales", "Größe"))
    for suffix, mark in ((".lp", "\\"), (".mps", "*")):
        text = model.write(tmp_path / f"m{suffix}").read_text(encoding="ascii")
        assert f'{mark} rows1_lower_Q, rows1_upper_Q: bounds of "net sales"\n' in text
        assert max(map(len, text.splitlines())) < 80
        told = [line for line in text.splitlines() if line.startswith(mark)]
        assert ('"people"' in text, "Gr\\u00f6\\u00dfe" in " ".join(told)) == (True, True)
        assert text.count("net sales") == 1


def test_files_hold_every_digit(tmp_path):
    import highspy

    weighted = AssignmentModel(
        PartitionPolytope(12, [3.0, 3.0, 2.0], [8.0, 7.0, 9.0], np.random.default_rng(2).uniform(0.5, 2.0, 12)),
        np.random.default_rng(3).normal(size=(12, 3)),
    )
    for model in (weighted, random_model(1, 20, 3, kind="csa"), program(NAMES[0])):
        sent = model.to_highs().getLp()
        for suffix in (".lp", ".mps"):
            highs = highspy.Highs()
            highs.setOptionValue("output_flag", False)
            assert highs.readModel(str(model.write(tmp_path / f"m{suffix}"))) == highspy.HighsStatus.kOk
            read = highs.getLp()
            np.testing.assert_array_equal(-np.array(read.col_cost_), sent.col_cost_)
            for side in ("row_lower_", "row_upper_", "col_lower_", "col_upper_", "col_names_", "row_names_"):
                np.testing.assert_array_equal(getattr(read, side), getattr(sent, side))
            assert sorted(read.a_matrix_.value_) == sorted(v for v in sent.a_matrix_.value_ if v)


@pytest.mark.parametrize("tool", ["pyomo", "cvxpy"])
def test_names_that_other_tools_cannot_hold_are_no_names_there(tool):
    import pyomo.environ as pyo

    model = program(("people", "net sales", "net_sales"))
    best = solve(model, "highs")
    again = solve(model, tool)
    assert again.verify().verified
    assert again.objective == pytest.approx(best.objective)
    if tool == "pyomo":
        rows = {part.name: part.doc for part in model.to_pyomo().component_objects(pyo.Constraint)}
        assert rows["rows1_lower"] == "net sales"
        assert rows["rows2_upper"] == "net_sales"


def whole_programs():
    """Whole points, groups together and clusters that may stay closed, maximised, and costs, minimised."""
    rng = np.random.default_rng(1)
    X, weights, groups = rng.normal(size=(12, 2)), rng.uniform(1, 3, 12), ["a", "a", "b", "b"] + [None] * 8
    third = weights.sum() / 3
    loads = PartitionPolytope(12, [0.7 * third] * 3, [1.2 * third] * 3, weights).whole()
    some = PartitionPolytope(12, [4.0] * 3, [8.0] * 3, np.append(weights[:-1], 0.0)).optional(least=2, cost=[3, 2, 1])
    return [
        AssignmentModel.lsa(X, X[:3], loads),
        AssignmentModel.lsa(
            X, X[:3], PartitionPolytope(12, 3, 5, n_clusters=3).together(groups).apart([1, None, 1] + 9 * [None])
        ),
        AssignmentModel.lsa(X, X[:3], some),
        AssignmentModel.of_costs(loads.together(groups), rng.uniform(1, 9, (12, 3))),
    ]


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_every_reader_keeps_points_whole(read, tmp_path):
    for model in whole_programs():
        best = solve(model)
        for suffix in (".lp", ".mps"):
            file = model.write(tmp_path / f"m{suffix}")
            assert -read(file) == pytest.approx(best.objective, rel=1e-7)
            if read is not glpk:  # GLPK's report is that of the relaxation
                assert read_back(model, f"{file}.sol").better == 0.0


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
def test_every_program_with_rows_can_be_written(suffix, tmp_path):
    X = np.random.default_rng(0).normal(size=(8, 2))
    model = AssignmentModel.lsa(X, X[:2], PartitionPolytope(8, 3, 5, n_clusters=2))
    linked = AssignmentModel(model.polytope.together([(0, 1)]).apart([(2, 3)]), model.score_source)
    for program in (WholeAssignmentMIP(model), WholeAssignmentMIP(linked)):
        written = program.program
        sign = -1.0 if written.maximise else 1.0
        assert sign * highs(written.write(tmp_path / f"m{suffix}")) == pytest.approx(solve_linear(written).value)


def test_networks_refuse_statements_by_name():
    for model, named in zip(whole_programs()[1:3], ("side constraints and groups", "weights and open clusters")):
        with pytest.raises(CapabilityError, match=named):
            model.to_networkx()
