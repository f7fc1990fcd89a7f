"""Infeasible is said with a reason that is checked, by whatever solver, in any unit."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from partitope.base.deadline import Deadline
from partitope.base.errors import NotOptimalError
from partitope.base.status import Status
from partitope.models import AssignmentModel, InfeasibleBoundsError, PartitionPolytope
from partitope.models.formats.arrays import Block
from partitope.models.programs.program import Program
from partitope.solvers import BACKENDS, GeometricPartitioner, MedoidPartitioner, solve
from partitope.solvers.infeasibility import tree_excludes


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e8])
def test_whole_points_are_excluded_only_where_no_assignment_is_within_the_bounds(unit):
    rng, said = np.random.default_rng(0), set()
    for _ in range(12):
        weights = rng.integers(1, 30, 7) * 2.0 * unit
        mean, width = weights.sum() / 2, rng.choice([1e-6, 1.0, 3.0]) * unit
        polytope = PartitionPolytope(7, mean - width, mean + width, weights, n_clusters=2).whole()
        possible = any(polytope.contains(np.array(y)) for y in itertools.product((0, 1), repeat=7))
        try:
            solve(AssignmentModel(polytope, np.zeros((7, 2))))
            said.add(True)
            assert possible
        except InfeasibleBoundsError:
            said.add(False)
            assert not possible
    assert said == {True, False}


def test_a_tree_excludes_by_multiples_or_returns_a_point():
    once = (Block.grid("once", 1), sp.csr_array(np.ones((1, 2))), 1.0, 1.0)
    program = Program.of_blocks(
        np.zeros(2), [once], lower=np.zeros(2), upper=np.ones(2), integral=np.ones(2, dtype=bool)
    )
    excluded, point = tree_excludes(program, Deadline(None))
    assert not excluded
    np.testing.assert_allclose(np.sort(point), [0.0, 1.0])
    apart = replace(program, row_lower=np.array([1.5]), row_upper=np.array([1.7]))
    assert tree_excludes(apart, Deadline(None)) == (True, None)


@pytest.mark.parametrize("lower, infeasible", [(2e9 + 0.5, False), (5e9, True)])
@pytest.mark.parametrize("backend", ["scipy", "pyomo", "cvxpy"])
def test_what_a_solver_calls_infeasible_is_checked(backend, lower, infeasible, monkeypatch):
    """The solver's answer is replaced by its word that nothing is feasible."""
    sales = np.array([[1.0, 0], [1e9, 0], [1e9, 0], [1e9, 0]])
    polytope = PartitionPolytope(4, 0, 4, n_clusters=2).add_rows("sales", sales, lower=lower)
    model, kind = AssignmentModel(polytope, np.zeros((4, 2))), type(BACKENDS[backend]())
    answer = solve(model, backend)
    monkeypatch.setattr(kind, "solve", lambda *_, **__: replace(answer, status=Status.INFEASIBLE))
    assert solve(model, backend).status is (Status.INFEASIBLE if infeasible else Status.NUMERICAL)


def test_what_is_not_decided_is_not_called_infeasible(monkeypatch):
    monkeypatch.setattr("partitope.solvers.linear_program.tree_excludes", lambda *_: (False, None))
    polytope = PartitionPolytope(4, 5.5, 5.6, weights=[2.0, 4.0, 2.0, 3.1], n_clusters=2).whole()
    with pytest.raises(NotOptimalError, match="is not decided: HiGHS ends with kInfeasible"):
        solve(AssignmentModel(polytope, np.zeros((4, 2))))


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("miss", [5e-10, -5e-10])
def test_no_clustering_that_the_polytope_contains_is_called_infeasible_or_missed(unit, miss):
    weights, scores = unit * np.array([1.0, 3.0, 1e-4, 2.0, 1e4]), np.random.default_rng(1).normal(size=(5, 2))
    sizes = np.bincount([0, 1, 0, 1, 0], weights) + miss * weights.sum()
    plain = PartitionPolytope(5, sizes, sizes, weights, n_clusters=2)
    assert solve(AssignmentModel(plain, scores)).verify().verified
    for polytope in (plain.whole(), plain.together([0, None, 0, None, None]), plain.apart([None, 0, None, None, 0]),
                     plain.optional(), plain.whole().share([0, 1, 0, 1, 0], upper=1.0),
                     plain.connected([(0, 4), (2, 4), (1, 3), (3, 4)])):  # fmt: skip
        model = AssignmentModel(polytope, scores)
        every = [y for y in map(np.array, itertools.product((0, 1), repeat=5)) if polytope.contains(y)]
        assert solve(model).objective == pytest.approx(max(map(model.value, every)))


@pytest.mark.parametrize(
    "strategy, words",
    [
        (GeometricPartitioner(3, lower=0.4), "lower=0.4"),
        (MedoidPartitioner(3, lower=np.full(30, 0.4)), "lower="),
    ],
)
def test_messages_say_that_a_bound_below_one_was_read_as_a_share(strategy, words):
    with pytest.raises(InfeasibleBoundsError, match=rf"; {words}.*, below 1, was read as a share of the total 30"):
        strategy.fit(np.arange(60.0).reshape(30, 2))
