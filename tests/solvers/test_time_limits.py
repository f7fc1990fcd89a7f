"""Time limits: hard instances end soon after their limit, with a feasible answer and bounds that hold."""

from __future__ import annotations

from time import perf_counter

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.base.status import Status
from partitope.models import AssignmentModel, LeastSquaresSDP, PartitionPolytope
from partitope.models.objectives.interval import objective_interval
from partitope.solvers import BACKENDS, solve, solve_global

from .relaxed_bound import relaxed_bound

LIMIT, PATIENCE = 0.5, 10.0  # the machine may be busy: what is tested is that a limit is one
PROBLEMS = [(90, 8, 6, "lsa"), (1200, 6, 5, "lsa"), (4000, 3, 6, "lsa"), (90, 6, 6, "csa"), (300, 3, 8, "csa")]


def _cloud(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def _problem(n, d, k):
    return _cloud(n, d), PartitionPolytope(n, n // k - 2, n // k + 4, n_clusters=k)


@pytest.fixture(scope="module", autouse=True)
def _compiled():
    """What numba compiles once on a machine does not belong to any limit."""
    for *shape, objective in PROBLEMS:
        solve_global(*_problem(*shape), objective, time_limit=LIMIT)


@pytest.mark.parametrize(("n", "d", "k", "objective"), PROBLEMS)
def test_global_problems(n, d, k, objective):
    X, polytope = _problem(n, d, k)
    started = perf_counter()
    partition = solve_global(X, polytope, objective, time_limit=LIMIT)
    assert perf_counter() - started < PATIENCE
    assert polytope.contains(partition.labels)
    assert partition.status is Status.TIME_LIMIT
    lower, upper = objective_interval(X, partition.labels, objective)
    assert partition.bound.lower <= upper
    assert partition.bound.upper >= lower
    assert np.isfinite(partition.bound.upper)


def _colouring(n, k, links, seed=0):
    """Points whose cannot-links are edges of a random graph with a colouring hidden in it."""
    rng = np.random.default_rng(seed)
    hidden, pairs = rng.integers(0, k, n), rng.integers(0, n, (4 * links, 2))
    pairs = pairs[hidden[pairs[:, 0]] != hidden[pairs[:, 1]]][:links]
    return _cloud(n, 3, seed), [tuple(pair) for pair in pairs.tolist()]


def test_linked_assignments():
    n, k = 260, 6
    X, cannot = _colouring(n, k, 900)
    model = AssignmentModel.lsa(X, X[:k], PartitionPolytope(n, 0, 80, n_clusters=k).apart(cannot))
    started = perf_counter()
    try:
        solution = solve(model, time_limit=LIMIT)
    except Exception as error:
        assert "allow more time_limit" in str(error)  # noqa: PT017 - the other outcome is as good
    else:
        assert model.polytope.contains(solution.labels)
        assert solution.bound.lower <= solution.objective <= solution.bound.upper
    assert perf_counter() - started < PATIENCE


LIMITED = [name for name in BACKENDS if BACKENDS[name].capabilities.time_limit and name != "transport"]


@pytest.mark.parametrize("name", LIMITED)
def test_backends(name):
    n, k = 6000, 20
    X = _cloud(n, 3)
    model = AssignmentModel.lsa(X, X[:k], PartitionPolytope(n, n // k, n // k, n_clusters=k))
    solve(AssignmentModel.lsa(X[:40], X[:k], PartitionPolytope(40, 2, 2, n_clusters=k)), name)  # imports
    started = perf_counter()
    solution = solve(model, name, time_limit=LIMIT)
    assert perf_counter() - started < PATIENCE
    best = solve(model).objective
    if solution.has_point:
        assert solution.objective <= best * (1 + 1e-9) + 1e-9 * abs(best)
    if solution.prices is not None:
        assert solution.dual_objective >= best - 1e-9 * abs(best)


def test_squares_that_overflow_are_refused_in_one_line():
    X, polytope = _cloud(8, 2) * 1e200, PartitionPolytope(8, 1, 6, n_clusters=3)
    for call in (solve_global, LeastSquaresSDP):
        with pytest.raises(InvalidInputError, match="square overflows"):
            call(X, polytope)
    assert relaxed_bound(LeastSquaresSDP(X * 1e-106, polytope), 2) > 0.0
