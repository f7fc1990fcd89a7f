"""Fits of many small clusters: low, within bounds, certified, and not above what stricter programs reach."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models import PartitionPolytope
from partitope.models.objectives.objectives import sum_of_squares
from partitope.solvers import GeometricPartitioner
from partitope.solvers.geometric.best_alternation import best_alternation
from partitope.solvers.geometric.problem import GeometricProblem


@pytest.mark.parametrize("lower, upper", [(8, 8), (4, 12), pytest.param(0, 160, marks=pytest.mark.full)])
def test_neighbours_are_divided_anew_within_the_bounds(lower, upper):
    X = np.random.default_rng(lower).random((160, 2))
    model = GeometricPartitioner(20, lower=lower, upper=upper, random_state=0).fit(X)
    part, polytope = model.partition_, PartitionPolytope(160, lower, upper, n_clusters=20)
    assert polytope.contains(part.labels)
    assert part.certificate.verified
    assert part.objective == pytest.approx(sum_of_squares(X, part.labels))
    assert (np.diff(part.history["objective"]) < 0).all()
    # ten alternations from other starts do not reach it, nor do two more fits by more than 1 %
    problem = GeometricProblem.of(X, polytope, "lsa")
    assert part.objective < best_alternation(problem, np.random.RandomState(1), n_init=10).value
    others = [GeometricPartitioner(20, lower=lower, upper=upper, random_state=s).fit(X) for s in (1, 2)]
    assert part.objective <= 1.01 * min(other.partition_.objective for other in others)


def test_a_stricter_program_is_not_below():
    X = np.random.default_rng(3).random((200, 2))
    strict = GeometricPartitioner(25, lower=8, upper=8, random_state=0).fit(X).partition_.objective
    free = GeometricPartitioner(25, lower=4, upper=12, random_state=0).fit(X).partition_.objective
    assert free < strict


def test_what_ends_before_it_converges_is_left_as_it_is():
    X = np.random.default_rng(0).random((160, 2))
    short = GeometricPartitioner(20, lower=8, upper=8, max_iter=1, random_state=0).fit(X)
    assert short.n_iter_ == 1
