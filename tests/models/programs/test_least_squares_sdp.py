"""The semidefinite relaxation in a modelling language."""

import numpy as np
import pytest

from partitope.models import LeastSquaresSDP, Links, PartitionPolytope, sum_of_squares

from ...solvers.relaxed_bound import relaxed_bound


def test_cvxpy_solves_the_relaxation():
    X = np.array([[0.0], [1.0], [9.0], [10.0], [10.5], [0.5]])
    relaxation = LeastSquaresSDP(X, PartitionPolytope(6, 3, 3, n_clusters=2), Links(6, must=[(2, 3)]))
    problem = relaxation.program.to_cvxpy()
    problem.solve(solver="CLARABEL")
    best = sum_of_squares(X, np.array([0, 0, 1, 1, 1, 0]))
    assert problem.value == pytest.approx(best, rel=1e-5)  # tight here


@pytest.mark.parametrize("seed", range(2))
def test_clusters_that_may_stay_closed(seed):
    rng = np.random.default_rng(seed)
    X = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], 3, axis=0) + rng.normal(size=(9, 2))
    filled = PartitionPolytope(9, 2, 3, n_clusters=4)
    groupings = [[0]]  # every grouping once
    for _ in range(8):
        groupings = [[*y, g] for y in groupings for g in range(max(y) + 2) if y.count(g) < 3]
    bounds, optima = [], []
    for polytope in (filled, filled.optional()):  # three groups of three are better than four groups
        within = [np.array(y) for y in groupings if max(y) < 4 and polytope.contains(np.array(y))]
        optima.append(min(sum_of_squares(X, labels) for labels in within))
        bounds.append(relaxed_bound(LeastSquaresSDP(X, polytope), 6))
        assert 0.4 * optima[-1] <= bounds[-1] <= optima[-1] * (1 + 1e-12)
    assert optima[1] < bounds[0]
