"""The explicit programs: the same numbers in every tool, names that a person can read, files that come back."""

from __future__ import annotations

import json

import numpy as np
import pytest

from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.programs.instances import read_instance
from partitope.solvers import solve
from partitope.testing import random_model


def _models():
    weights = np.random.default_rng(2).uniform(0.5, 2.0, 12)
    polytope = PartitionPolytope(12, [3.0, 3.0, 2.0], [8.0, 7.0, 9.0], weights)
    scores = np.random.default_rng(3).normal(size=(12, 3))
    return [random_model(0, 20, 3), random_model(1, 20, 3, kind="csa"), AssignmentModel(polytope, scores)]


@pytest.mark.parametrize("which", range(3))
def test_pyomo(which):
    import pyomo.environ as pyo

    model = _models()[which]
    explicit = model.to_pyomo()
    assert explicit.assign[2, 1].name == "assign[2,1]"
    assert explicit.size_lower[1].name == "size_lower[1]"
    assert explicit.size_upper[2].name == "size_upper[2]"
    labels = solve(model).labels
    for (j, i), variable in explicit.assign.items():
        variable.value = float(labels[j] == i)
    assert pyo.value(explicit.total_score) == pytest.approx(model.value(labels))
    assert pyo.value(explicit.size_lower[0].body) == pytest.approx(model.polytope.sizes(labels)[0])
    assert pyo.value(explicit.size_lower[0].lower) == model.polytope.lower[0]
    pyo.SolverFactory("appsi_highs").solve(explicit)
    assert pyo.value(explicit.total_score) == pytest.approx(solve(model).objective)


def test_networkx():
    import networkx as nx

    X = np.random.default_rng(0).integers(0, 9, (15, 3)).astype(float)
    model = AssignmentModel(PartitionPolytope(15, [3, 4, 5], [6, 6, 7]), X)
    graph = model.to_networkx()
    assert graph.edges[("point", 2), ("cluster", 1)]["name"] == "assign[2, 1]"
    assert -nx.min_cost_flow_cost(graph) == solve(model).objective
    with pytest.raises(CapabilityError, match="weights"):
        _models()[2].to_networkx()


def test_wrong_files_are_refused(tmp_path):
    model = _models()[0]
    with pytest.raises(InvalidInputError, match=r"suffix '\.xlsx'"):
        model.write(tmp_path / "m.xlsx")
    for text, words in [("{", "cannot be read as JSON"), ("{}", "is not a partitope.assignment")]:
        (tmp_path / "bad.json").write_text(text, encoding="utf-8")
        with pytest.raises(InvalidInputError, match=words):
            read_instance(tmp_path / "bad.json")
    record = json.loads(model.write(tmp_path / "m.json").read_text(encoding="utf-8"))
    without = {name: value for name, value in record.items() if name != "sites"}
    for damaged in (without, record | {"weights": 2**70}):
        (tmp_path / "bad.json").write_text(json.dumps(damaged), encoding="utf-8")
        with pytest.raises(InvalidInputError, match="damaged"):
            read_instance(tmp_path / "bad.json")
