"""The semidefinite relaxation in a modelling language."""

import numpy as np
import pytest

from partitope.models import LeastSquaresSDP, Links, PartitionPolytope, sum_of_squares


def test_cvxpy_solves_the_relaxation():
    X = np.array([[0.0], [1.0], [9.0], [10.0], [10.5], [0.5]])
    relaxation = LeastSquaresSDP(X, PartitionPolytope(6, 3, 3, n_clusters=2), Links(6, must=[(2, 3)]))
    problem = relaxation.program.to_cvxpy()
    problem.solve(solver="CLARABEL")
    best = sum_of_squares(X, np.array([0, 0, 1, 1, 1, 0]))
    assert problem.value == pytest.approx(best, rel=1e-5)  # tight here
