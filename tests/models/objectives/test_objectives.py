"""The objectives in floats: their definition, their exact enclosure, and which way is better."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models import AssignmentModel, PartitionPolytope, sum_of_squares
from partitope.models.objectives.interval import centred, objective_interval
from partitope.models.objectives.objectives import objective_value, sum_of_norms
from partitope.solvers import GeometricPartitioner, solve
from partitope.solvers.assignment.external import partition_of


@pytest.mark.parametrize("seed", range(4))
def test_sums_are_their_definition_and_lie_in_the_exact_interval(seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(30, 3)) + 1e6 * (seed % 2), rng.integers(0, 5, 30)
    labels[labels == 2] = 7  # numbers of clusters may have holes
    means = {i: X[labels == i].mean(axis=0) for i in np.unique(labels)}
    assert sum_of_squares(X, labels) == pytest.approx(sum(((x - means[i]) ** 2).sum() for x, i in zip(X, labels)))
    Y, slack = centred(X)
    assert sum_of_norms(Y, labels) == pytest.approx(
        sum(np.linalg.norm(Y[labels == i].sum(axis=0)) for i in np.unique(labels)), rel=1e-14
    )
    for objective, points, lost in (("lsa", X, 0.0), ("csa", Y, slack)):
        lower, upper = objective_interval(X, labels, objective)
        value = objective_value(points, labels, objective)
        error = 1e-8 * upper + lost  # the mean of points near 1e6 is rounded to 1e-10
        assert lower - error <= value <= upper + error


def test_equal_points_cost_nothing():
    assert sum_of_squares(np.full((7, 2), 0.1), np.zeros(7, dtype=np.int64)) == 0.0


@pytest.mark.parametrize(("objective", "sense"), [("csa", "max"), ("lsa", "min")])
def test_every_partition_says_which_objective_is_better(objective, sense):
    X = np.random.default_rng(0).normal(size=(8, 2))
    polytope = PartitionPolytope(8, 2, 4, n_clusters=3)
    model = getattr(AssignmentModel, objective)(X, X[:3], polytope)
    found = GeometricPartitioner(3, lower=2, upper=4, objective=objective, random_state=0).fit(X).partition_
    assert found.sense == partition_of(solve(model)).sense == sense
    values = [objective_value(centred(X)[0], y, objective) for y in polytope.enumerate()]
    assert min(values) - 1e-9 <= found.objective <= max(values) + 1e-9
