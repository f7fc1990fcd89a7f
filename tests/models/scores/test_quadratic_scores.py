"""Quadratic scores: the numbers, their proofs in floats and fractions, and diagrams with matrices."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.model_files.state import from_state, state_of
from partitope.models import AssignmentModel, PartitionPolytope, PowerDiagram, check_assignment
from partitope.models.certificates.exact import check_exactly
from partitope.models.certificates.exact_rows import exact_scores
from partitope.models.plots.lifted import lifted_heights
from partitope.models.scores.quadratic import QuadraticScores
from partitope.solvers import solve
from partitope.solvers.cells import Cells


def random_matrices(rng, k, d):
    turned = rng.normal(size=(k, d, d))
    return turned @ turned.transpose(0, 2, 1) + 0.2 * np.eye(d)


def random_scores(seed, n=60, k=4, d=2, offset=0.0, unit=1.0):
    rng = np.random.default_rng(seed)
    X, sites = unit * rng.normal(size=(n, d)) + offset, unit * rng.normal(size=(k, d)) + offset
    return QuadraticScores.of_cells(X, sites, random_matrices(rng, k, d) / unit**2), sites


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_scores_are_minus_squared_mahalanobis_distances(d):
    rng = np.random.default_rng(d)
    X, sites, matrices = rng.normal(size=(40, d)), rng.normal(size=(3, d)), random_matrices(rng, 3, d)
    scores = QuadraticScores.of_cells(X, sites, matrices)
    away = X[:, None] - sites
    expected = -np.einsum("jip,ipq,jiq->ji", away, matrices, away)
    size = float(np.abs(expected).max())
    assert scores.shape == (40, 3)
    np.testing.assert_allclose(scores.dense(), expected, atol=1e-13 * size)
    np.testing.assert_allclose(scores.rows(7, 20), expected[7:20], atol=1e-13 * size)
    model = AssignmentModel(PartitionPolytope(40, n_clusters=3), scores)
    exact = np.array([[float(value) for value in row] for row in exact_scores(model)])
    np.testing.assert_allclose(exact, expected, atol=1e-13 * size)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_engine_and_highs_agree_and_the_answer_is_proved(seed, weighted):
    n, k, d = 70, 5, 1 + seed % 3
    scores, _ = random_scores(seed, n, k, d)
    weights = np.random.default_rng(seed).uniform(0.5, 2.0, n) if weighted else None
    total = n if weights is None else weights.sum()
    polytope = PartitionPolytope(n, [total // k - 1] * k, [total / k + 0.5] * k, weights)
    model = AssignmentModel(polytope, scores)
    ours, theirs = solve(model), solve(model, "highs")
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-9)
    assert ours.verify().verified
    if not weighted:
        assert check_exactly(model, ours.labels, ours.prices).verified


def test_compiled_passes_give_the_optimum_of_many_points():
    n = 6000
    scores, _ = random_scores(3, n, 12, 3)
    solution = solve(AssignmentModel(PartitionPolytope(n, n // 12 - 3, n // 12 + 4, n_clusters=12), scores))
    assert solution.verify().verified


@pytest.mark.parametrize(("offset", "unit"), [(0.0, 1.0), (1e6, 1.0), (0.0, 1e-6), (-3e3, 1e3)])
def test_a_worse_assignment_is_refused_wherever_the_points_lie_and_in_any_unit(offset, unit):
    scores, _ = random_scores(5, 80, 3, 2, offset, unit)
    model = AssignmentModel(PartitionPolytope(80, 20, 30, n_clusters=3), scores)
    solution = solve(model)
    assert solution.verify().verified
    labels = solution.labels.copy()
    gamma = scores.dense()
    moved = int((gamma.max(axis=1) - gamma.min(axis=1)).argmax())
    partner = int(np.flatnonzero(labels == gamma[moved].argmin())[0])
    labels[moved], labels[partner] = labels[partner], labels[moved]
    assert not check_assignment(model, labels, solution.prices).verified


def test_a_diagram_with_matrices_predicts_draws_and_goes_through_a_state():
    scores, sites = random_scores(2, 300, 5, 2)
    matrices = random_matrices(np.random.default_rng(2), 5, 2)
    scores = QuadraticScores.of_cells(scores.X, sites, matrices)
    labels = solve(AssignmentModel(PartitionPolytope(300, 60, 60, n_clusters=5), scores)).labels
    diagram = PowerDiagram.max_margin(scores.X, labels, sites, "lsa", matrices=matrices)
    assert (diagram.predict(scores.X) == labels).all()
    assert (diagram.margin(scores.X, labels) > 0).all()
    assert (diagram.margin(scores.X, (labels + 1) % 5) < 0).all()
    assert (lifted_heights(diagram, scores.X).argmin(axis=1) == labels).all()
    back = from_state(state_of(Cells(None, diagram)))
    assert (back.predict(scores.X) == labels).all()
    axes = diagram.plot(X=scores.X, labels=labels)
    assert len(axes.collections) > 10  # a filled cell and a wall each, and the points
    axes.figure.clear()


def test_unit_matrices_give_the_cells_of_a_power_diagram():
    rng = np.random.default_rng(8)
    X, sites, prices = rng.normal(size=(200, 3)), rng.normal(size=(6, 3)), rng.normal(size=6)
    flat, same = (PowerDiagram(sites, prices, "lsa", matrices=m) for m in (None, [np.eye(3)] * 6))
    labels = flat.predict(X)
    assert (same.predict(X) == labels).all()
    near = flat.margin(X, labels)  # the lead is linear, so that its first order is all of it
    np.testing.assert_allclose(same.margin(X, labels), near, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("matrices", "words"),
    [
        (np.ones((2, 2)), "shape"),
        ([np.eye(2), [[1.0, 2.0], [0.0, 1.0]]], "not symmetric"),
        ([np.eye(2), -np.eye(2)], "not positive definite"),
        ([np.eye(2), np.full((2, 2), np.nan)], "NaN"),
    ],
)
def test_matrices_that_are_no_metric_are_refused(matrices, words):
    with pytest.raises(InvalidInputError, match=words):
        PowerDiagram(np.zeros((2, 2)), np.zeros(2), "lsa", matrices=matrices)
    with pytest.raises(InvalidInputError, match=words):
        QuadraticScores.of_cells(np.zeros((3, 2)), np.zeros((2, 2)), matrices)
