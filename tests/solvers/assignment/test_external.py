"""Answers from elsewhere: read, checked, certified or refuted, and made a Partition."""

from __future__ import annotations

import json

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.base.status import Status
from partitope.models import ExchangeGraph
from partitope.models.objectives.proof import Proof
from partitope.solvers import read_back, solve
from partitope.solvers.assignment.external import partition_of
from partitope.testing import judge, random_model


@pytest.mark.parametrize("style", [0, 1])
@pytest.mark.parametrize("suffix", ["mps", "lp"])
def test_solution_files_of_highs(style, suffix, tmp_path):
    import highspy

    model = random_model(4, 30, 3)
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.readModel(str(model.write(tmp_path / f"m.{suffix}")))
    highs.run()
    highs.writeSolution(str(tmp_path / "out.sol"), style)
    solution = read_back(model, tmp_path / "out.sol")
    assert solution.objective == pytest.approx(solve(model).objective, rel=1e-12)
    assert solution.status is Status.OPTIMAL
    assert solution.verify().verified
    assert judge(solution).worst < 1e-12


LINES = {
    "gurobi": "# Objective value = 1\nassign[{j},{i}] 1\n",
    "scip": "objective value: 1\nassign({j},{i})        1 \t(obj:2.5)\n",
    "cbc": "Optimal - objective value 1\n  0 assign[{j},{i}]   1   -0.25\n",
    "cplex": '<variables>\n<variable name="assign({j},{i})" index="7" value="1"/>\n',
}


@pytest.mark.parametrize("tool", LINES)
def test_formats_that_list_the_positive_variables(tool, tmp_path):
    model = random_model(5, 12, 3)
    labels = solve(model).labels
    head, line = LINES[tool].split("\n")[:2]
    text = "\n".join([head, *(line.format(j=j, i=i) for j, i in enumerate(labels.tolist()))])
    (tmp_path / "a.sol").write_text(text)
    np.testing.assert_array_equal(read_back(model, tmp_path / "a.sol").labels, labels)


def test_labels_in_three_dresses(tmp_path):
    model = random_model(6, 15, 3)
    labels = solve(model).labels
    texts = [
        json.dumps(labels.tolist()),
        json.dumps({"labels": labels.tolist()}),
        "point,label\n" + "".join(f"{j},{i}\n" for j, i in enumerate(labels)),
        "".join(f"{i}\n" for i in labels),
    ]
    for text in texts:
        (tmp_path / "labels").write_text(text)
        np.testing.assert_array_equal(read_back(model, tmp_path / "labels").labels, labels)


def test_a_worse_answer_is_kept_but_not_proved():
    model = random_model(7, 30, 3)
    best = solve(model)
    labels = best.labels.copy()
    a, b = 0, int(np.flatnonzero(labels != labels[0])[0])
    labels[[a, b]] = labels[[b, a]]
    solution = read_back(model, labels)
    assert solution.status is Status.UNKNOWN
    assert solution.better == pytest.approx(best.objective - solution.objective)
    assert solution.verify().verdict == f"not optimal, better by {solution.better:.6g}"
    assert not solution.verify().verified
    assert partition_of(solution).proof is Proof.NONE
    cycle = ExchangeGraph.of(model, labels).negative_cycle()
    assert model.value(cycle.apply(labels)) == pytest.approx(solution.objective + cycle.gain)


@pytest.mark.parametrize("kind", ["lsa", "csa"])
def test_partition_of_a_solution_predicts_its_labels(kind):
    model = random_model(8, 40, 3, kind=kind)
    solution = solve(model)
    partition = partition_of(solution)
    assert partition.proof is Proof.STEP
    assert model.polytope.contains(partition.labels)
    expected = model.cost(solution.labels) if kind == "lsa" else solution.objective
    assert partition.objective == pytest.approx(expected)
    margin = partition.power_diagram.margin(model.score_source.X, partition.labels)
    assert margin.min() >= -1e-9


def test_answers_to_another_model_are_refused(tmp_path):
    model = random_model(9, 10, 2, shape="equal")
    labels = solve(model).labels
    wrong = labels.copy()
    wrong[0] = 1 - wrong[0]
    with pytest.raises(InvalidInputError, match="this is not a solution of the model"):
        read_back(model, wrong)
    file = tmp_path / "a.sol"
    for text, words in [
        ("assign[10,0] 1\n", "names assign\\[10,0\\]"),
        ("assign[0,0] 1\n", "a total share of 0"),
        ("red\nblue\n", "neither labels nor values"),
    ]:
        file.write_text(text)
        with pytest.raises(InvalidInputError, match=words):
            read_back(model, file)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_back(model, tmp_path / "absent.sol")
