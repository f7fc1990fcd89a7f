"""A certificate accepts what is optimal and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from partitope.models import AssignmentModel, PartitionPolytope, check_assignment
from partitope.solvers import solve


def _solved(seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2))
    model = AssignmentModel.lsa(X, rng.normal(size=(3, 2)), PartitionPolytope(30, 9, 11, n_clusters=3))
    return model, solve(model)


def test_an_optimum_is_verified():
    model, solution = _solved()
    certificate = check_assignment(model, solution.labels, solution.prices)
    assert certificate.verified
    assert certificate.gap <= 1e-12
    assert certificate.primal_objective == pytest.approx(model.value(solution.labels))


@pytest.mark.parametrize("seed", range(5))
def test_a_wrong_clustering_is_not(seed):
    model, solution = _solved(seed)
    a, b = np.flatnonzero(solution.labels == 0)[0], np.flatnonzero(solution.labels == 1)[0]
    labels = solution.labels.copy()
    labels[[a, b]] = 1, 0  # same sizes, another clustering
    certificate = check_assignment(model, labels, solution.prices)
    assert certificate.primal_feasible
    assert not certificate.verified


def test_wrong_prices_are_not():
    model, solution = _solved()
    for prices in (solution.prices + np.array([0.1, 0.0, 0.0]), -solution.prices, np.zeros(3)):
        assert not check_assignment(model, solution.labels, prices).verified


def test_sizes_outside_the_bounds_are_not():
    model, _ = _solved()
    best = model.score_source.dense().argmax(axis=1)
    certificate = check_assignment(model, best, np.zeros(3))
    assert not certificate.primal_feasible
    assert not certificate.verified


def test_point_duals_are_checked():
    model, solution = _solved()
    wrong = solution.point_duals.copy()
    wrong[3] -= 1.0
    assert not check_assignment(model, solution.labels, solution.prices, point_duals=wrong).dual_feasible
    assert not replace(solution, point_duals=wrong).verify().verified


def test_zero_objective_and_infinite_bounds():
    polytope = PartitionPolytope(4, 0, np.inf, n_clusters=2)
    certificate = check_assignment(AssignmentModel(polytope, np.zeros((4, 2))), [0, 0, 1, 1], [0.0, 0.0])
    assert certificate.verified
    assert certificate.gap == 0.0


def test_shapes_are_checked():
    model, solution = _solved()
    with pytest.raises(ValueError, match="do not fit the model"):
        check_assignment(model, solution.labels[:-1], solution.prices)
