"""Power diagrams: cells, margins, and the max-margin prices against a linear program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from partitope.models import AssignmentModel, InvalidInputError, PartitionPolytope, PowerDiagram
from partitope.solvers import solve


def _random(seed: int):
    """Points labelled by a random diagram, so that separating prices exist."""
    rng = np.random.default_rng(seed)
    k, d = rng.integers(1, 7), rng.integers(1, 4)
    X = rng.normal(size=(rng.integers(k, 40), d))
    kind = "lsa" if seed % 2 else "csa"
    sites = rng.normal(size=(k, d))
    labels = PowerDiagram(sites, 0.3 * rng.normal(size=k), kind).predict(X)
    return X, labels, sites, kind


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_max_margin_equals_the_linear_program(seed):
    X, labels, sites, kind = _random(seed)
    diagram = PowerDiagram.max_margin(X, labels, sites, kind)
    margin = diagram.margin(X, labels).min()
    assert margin >= -1e-10
    gaps = diagram.exchange_gaps(X, labels)
    k = len(sites)
    arcs = [(i, j) for i in range(k) for j in range(k) if i != j and np.isfinite(gaps[i, j])]
    if len(np.unique(labels)) < 2:
        return
    rows = np.zeros((len(arcs), k + 1))
    for r, (i, j) in enumerate(arcs):
        rows[r, i], rows[r, j] = 1.0, -1.0
        rows[r, k] = np.linalg.norm(diagram.gradients[i] - diagram.gradients[j])
    objective = np.append(np.zeros(k), -1.0)
    best = linprog(objective, A_ub=rows, b_ub=[gaps[a] for a in arcs], bounds=(None, None))
    assert margin == pytest.approx(best.x[k], abs=1e-8)


@pytest.mark.parametrize("kind", ["csa", "lsa"])
def test_strictly_inside_whenever_a_strict_diagram_exists(kind):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, sites = rng.normal(size=(40, 2)), rng.normal(size=(4, 2))
        make = AssignmentModel.csa if kind == "csa" else AssignmentModel.lsa
        solution = solve(make(X, sites, PartitionPolytope(40, 8, 12, n_clusters=4)))
        diagram = PowerDiagram.max_margin(X, solution.labels, sites, kind)
        assert diagram.margin(X, solution.labels).min() > 0  # real data: the optimum is unique, so strict prices exist
        assert np.array_equal(diagram.predict(X), solution.labels)


def test_margin_is_the_distance_to_the_nearest_wall():
    diagram = PowerDiagram([[0.0, 0.0], [4.0, 0.0]], [0.0, 0.0], "lsa")
    assert diagram.margin([[1.0, 5.0], [3.0, -2.0]], [0, 0]).tolist() == [1.0, -1.0]


def test_both_kinds_describe_one_diagram():
    rng = np.random.default_rng(0)
    sites, prices, X = rng.normal(size=(3, 2)), rng.normal(size=3), rng.normal(size=(50, 2))
    linear = PowerDiagram(sites, prices, "csa")
    distances = ((X[:, None] - sites) ** 2).sum(axis=2) - linear.weights
    assert np.array_equal(linear.predict(X), distances.argmin(axis=1))
    squares = PowerDiagram(sites, prices, "lsa", origin=[3.0, -2.0])
    distances = ((X[:, None] - sites) ** 2).sum(axis=2) - squares.weights
    assert np.array_equal(squares.predict(X), distances.argmin(axis=1))


def test_ties_go_to_the_smallest_index():
    assert PowerDiagram([[1.0], [1.0]], [0.0, 0.0]).predict([[5.0]]).tolist() == [0]


def test_empty_clusters_and_single_cells():
    X = np.array([[0.0], [1.0], [9.0]])
    diagram = PowerDiagram.max_margin(X, [0, 0, 2], [[0.0], [5.0], [9.0]], "lsa")
    assert diagram.predict(X).tolist() == [0, 0, 2]
    assert np.isfinite(diagram.prices).all()
    assert PowerDiagram.max_margin(X, [1, 1, 1], [[0.0], [1.0]], "lsa").predict(X).tolist() == [1, 1, 1]
    assert np.isinf(PowerDiagram([[0.0]], [0.0]).margin(X, [0, 0, 0])).all()


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_scale_and_shift(scale):
    X, labels, sites, _ = _random(11)
    reference = PowerDiagram.max_margin(X, labels, sites, "lsa").margin(X, labels).min()
    moved = PowerDiagram.max_margin(scale * X + 5 * scale, labels, scale * sites + 5 * scale, "lsa")
    assert moved.margin(scale * X + 5 * scale, labels).min() / scale == pytest.approx(reference, rel=1e-6)


def test_a_clustering_that_an_exchange_improves_has_no_prices():
    with pytest.raises(InvalidInputError, match="not optimal for these sites"):
        PowerDiagram.max_margin([[0.0], [1.0]], [1, 0], [[0.0], [1.0]], "lsa")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.0]], [0.0, 1.0]), "do not fit"),
        (([[np.nan]], [0.0]), "must be finite"),
        (([[0.0]], [0.0], "voronoi"), "kind='voronoi'"),
        (([[0.0]], [0.0], "csa", [1.0, 2.0]), "origin has shape"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        PowerDiagram(*arguments)
