"""Every number of the exam questions, computed again with the library; several seeds."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from partitope.models import AssignmentModel, ExchangeGraph, PartitionPolytope, PowerDiagram, check_assignment
from partitope.solvers import solve
from partitope.stats.cluster_values.limits import comparing_distance_limits
from partitope.stats.cluster_values.test import cluster_value_test_counts

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
sys.path.insert(0, str(FOLDER))
import exam  # type: ignore[import-not-found]  # noqa: E402

sys.path.remove(str(FOLDER))


def even(scores, size) -> AssignmentModel:
    k, n = scores.shape
    return AssignmentModel(PartitionPolytope(n, size, size, n_clusters=k), scores.T.astype(float))


def counting(given, found):
    polytope = PartitionPolytope(given["n"], given["lower"], given["upper"], n_clusters=given["k"])
    assert polytope.count() == found["count"]
    assert polytope.rows()[0].shape[1] == found["variables"]
    assert found["rows"] == given["n"] + 2 * given["k"]


def by_hand(given, found):
    solution = solve(even(given["scores"], 3))
    assert solution.objective == found["value"]
    assert solution.labels.tolist() == list(found["labels"])
    for difference, right in [("low", True), ("high", True), (found["low"] - 1, False), (found["high"] + 1, False)]:
        price = float(found.get(difference, difference))
        assert check_assignment(solution.model, solution.labels, [price, 0.0]).verified == right


def certificate(given, found):
    model = even(given["scores"], 2)
    solution = solve(model)
    assert solution.objective == found["value"]
    assert check_assignment(model, solution.labels, given["prices"]).dual_objective == pytest.approx(found["dual"])


def wall(given, found):
    diagram = PowerDiagram(np.array(given["sites"])[:, None], given["prices"], kind="lsa")
    assert diagram.predict([[found["place"] - 1e-6], [found["place"] + 1e-6]]).tolist() == [0, 1]


def exchange(given, found):
    model, labels = even(given["scores"], 2), np.array(given["labels"])
    graph = ExchangeGraph.of(model, labels)
    clusters = graph.lengths[:3, :3].copy()
    np.fill_diagonal(clusters, 0)
    assert clusters.tolist() == found["arcs"]
    cycle = graph.negative_cycle()
    assert 0 < cycle.gain <= found["gain"] + 1e-9
    assert model.value(labels) == found["now"]
    assert found["now"] + found["gain"] <= solve(model).objective


def price_of_a_bound(given, found):
    x, sites, n = given["x"][:, None].astype(float), np.array(given["sites"], dtype=float)[:, None], len(given["x"])

    def cost(least):
        model = AssignmentModel.lsa(x, sites, PartitionPolytope(n, [0, least], [n, n]))
        solution = solve(model)
        return model.cost(solution.labels), solution

    free, asked = cost(0), cost(given["asked"])
    assert np.bincount(free[1].labels, minlength=2)[1] == found["near"]
    assert asked[0] - free[0] == pytest.approx(found["cost"])
    assert check_assignment(asked[1].model, asked[1].labels, [0.0, -float(found["last"])]).verified


def split_point(given, found):
    polytope = PartitionPolytope(5, found["half"], found["half"], given["weights"].astype(float), n_clusters=2)
    solution = solve(AssignmentModel(polytope, np.column_stack([given["lead"], np.zeros(5)])))
    shares = {(point, cluster): share for point, cluster, share in solution.splits}
    assert shares[found["point"], 0] == pytest.approx(found["share"])
    assert {point for point, _ in shares} == {found["point"]}


def two_objectives(given, found):
    X, polytope = given["X"].astype(float), PartitionPolytope(3, n_clusters=2)
    csa, lsa = (make(X, given["sites"], polytope) for make in (AssignmentModel.csa, AssignmentModel.lsa))
    for model, labels in zip((csa, lsa), found["labels"], strict=True):
        assert solve(model).labels.tolist() == list(labels)
    assert csa.value(found["labels"][0]) == pytest.approx(found["csa"])
    assert lsa.cost(found["labels"][1]) == pytest.approx(found["lsa"])


def one_step(given, found):
    X, y = given["X"].astype(float), np.array(given["labels"])
    sums = np.array([X[y == i].sum(axis=0) for i in (0, 1)])
    sites = sums / np.linalg.norm(sums, axis=1)[:, None]
    solution = solve(AssignmentModel.csa(X, sites, PartitionPolytope(4, 2, 2, n_clusters=2)))
    assert solution.labels.tolist() == list(found["labels"])
    after = sum(np.linalg.norm(X[solution.labels == i].sum(axis=0)) for i in (0, 1))
    assert (np.linalg.norm(sums, axis=1).sum(), after) == pytest.approx((found["before"], found["after"]))
    assert after > found["before"]


def value_limits(given, found):
    low, high = comparing_distance_limits(given["values"])
    assert (low[1], high[1]) == pytest.approx((found["lower"], found["upper"]))
    test = cluster_value_test_counts(given["values"], [20] * 3, [10, given["ones"], 10], method="exact")
    assert test.pvalue[1, 0] == pytest.approx(found["pvalue"])


@pytest.mark.parametrize("seed", range(6))
def test_every_number_is_computed_by_the_library_too(seed):
    for make, question in zip(exam.POOL, exam.sheet(seed), strict=True):
        globals()[make.__name__](question.given, question.found)


def test_a_seed_gives_its_sheet_and_another_seed_other_numbers():
    assert exam.page(exam.sheet(3)) == exam.page(exam.sheet(3))
    texts = [{question.text for question in exam.sheet(seed)} for seed in (3, 4)]
    assert not texts[0] & texts[1]
    assert [question.title for question in exam.sheet(0, [2, 1])] == ["By hand", "Counting"]
