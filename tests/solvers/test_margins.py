"""Safety margins: for each the instance on which a narrower one would be wrong."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from partitope.cluster.further import Further
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.polytope.even import shares_around
from partitope.models.programs.program import Program
from partitope.solvers import solve
from partitope.solvers.linear_program import solve_linear
from partitope.solvers.transport.prices.margin_bounds import _rounded_up


@pytest.mark.parametrize("seed", range(8))
def test_a_known_assignment_excludes_no_pair_of_a_better_one(seed):
    """At .3 of the slack seven of these answers are not the best."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(5, 30, 9).astype(float)
    mean = weights.sum() / 3
    model = AssignmentModel(PartitionPolytope(9, 0.9 * mean, 1.1 * mean, weights, n_clusters=3).whole(),
                            rng.normal(size=(9, 3)))  # fmt: skip
    best, second = sorted(model.polytope.enumerate(), key=model.value)[-1:-3:-1]
    found = solve(model, start=second)
    assert found.objective == pytest.approx(model.value(best))
    assert found.bound.upper >= model.value(best) - 1e-12


def test_shares_of_three_groups_are_as_wide_as_said():
    groups = np.repeat(["a", "b", "c"], [10, 6, 4])
    _, lower, upper = shares_around(groups, 20, 0.1)
    assert lower == pytest.approx({"a": 0.4, "b": 0.2, "c": 0.1})
    assert upper == pytest.approx({"a": 0.6, "b": 0.4, "c": 0.3})


def test_shares_of_three_groups_bind_as_options_say():
    table = pd.DataFrame({"group": np.repeat(["a", "b", "c"], [15, 9, 6])})
    polytope = Further.of([], ["group"], "10%").on(PartitionPolytope(30, 10, 10, n_clusters=3), table)
    assert polytope.contains(np.arange(30) % 3)
    labels = np.repeat([0, 1, 2, 0, 1, 2, 1, 2], [6, 5, 4, 4, 2, 3, 3, 3])  # none of the third group is in cluster 0
    assert not polytope.contains(labels)


def test_float32_is_rounded_up():
    values = np.random.default_rng(0).lognormal(sigma=20.0, size=1000)
    assert (_rounded_up(values).astype(np.float64) >= values).all()


def test_tolerances_are_taken_off_the_bound_of_a_tree():
    rng = np.random.default_rng(0)
    costs, ones = rng.random(6), np.ones(6)
    program = Program(costs, sp.csc_array(np.ones((1, 6))), np.array([3.0]), np.array([3.0]), 0 * ones, ones, ones > 0)
    answer = solve_linear(program)
    best = np.sort(costs)[:3].sum()
    assert answer.bound < best < answer.bound + 1e-5
