"""Inexact steps: prices of a few points leave little to move, and exact steps follow them."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.base.deadline import UNLIMITED, Deadline
from partitope.models import PartitionPolytope
from partitope.models.scores.scores import AffineScores
from partitope.solvers import GeometricPartitioner
from partitope.solvers.geometric.best_alternation import approached
from partitope.solvers.geometric.problem import GeometricProblem
from partitope.solvers.transport.flow.nodes import nodes_at, total_excess
from partitope.solvers.transport.passes.rows import kernel_data
from partitope.solvers.transport.prices import inexact
from partitope.solvers.transport.prices.inexact import PointSample, best_clusters
from partitope.solvers.transport.prices.margin_bounds import Norms


def _points(n, d=4, groups=12, seed=0):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(groups, 2.0))
    return rng.normal(scale=2.0, size=(groups, d))[rng.choice(groups, n, p=shares)] + rng.normal(size=(n, d))


def _program(n, k):
    X = _points(n)
    origin = X.mean(axis=0)
    sites = X[np.random.default_rng(1).choice(n, k, replace=False)] - origin
    gamma = (X - origin) @ (2.0 * sites.T) - (sites**2).sum(axis=1)
    return kernel_data(AffineScores.lsa(sites, origin).on(X)), gamma


@pytest.mark.parametrize(("n", "k"), [(40_000, 20), (40_000, 150)])
def test_prices_of_a_few_points_leave_little_to_move_and_less_once_their_error_is_known(n, k):
    data, gamma = _program(n, k)
    lower, upper = np.full(k, 0.9 * n / k), np.full(k, 1.1 * n / k)

    def left(prices):
        labels = (gamma - prices).argmax(axis=1)
        sizes = np.bincount(labels, minlength=k).astype(np.float64)
        return total_excess(nodes_at(prices, sizes, lower, upper)), labels, sizes

    few, nothing = PointSample(data[0], k), np.zeros(k)
    prices = few.prices(data, lower, upper, None, None)
    first, labels, sizes = left(prices)
    assert first < min(0.15 * n, 0.6 * left(nothing)[0])
    error = few.error(labels, sizes)
    assert error.sum() == pytest.approx(0.0, abs=1e-6)
    again = left(few.prices(data, lower, upper, prices, error))[0]
    assert again < 0.5 * first


def test_an_error_that_leaves_no_sizes_is_no_obstacle(monkeypatch):
    (data, gamma), n, k = _program(40_000, 150), 40_000, 150
    few, bound = PointSample(data[0], k), np.full(k, n / k)
    error = np.where(np.arange(k) < 100, -60.0, 120.0)  # of 32 points a cluster: bounds below zero are none
    for name in ("entropic_prices", "resumed_entropic_prices"):
        monkeypatch.setattr(inexact, name, lambda *_, **__: None)
    prices = few.prices(data, bound, bound, np.zeros(k), error)
    assert np.isfinite(prices).all()
    sizes = np.bincount((gamma[few.index] - prices).argmax(axis=1), minlength=k)
    assert sizes[:100].sum() < k  # ties
    assert np.abs(sizes[100:] - few.index.size / 50).max() < 10


@pytest.mark.parametrize("step", ["first", "later"])
def test_where_newton_stalls_the_few_points_are_solved_exactly(step, monkeypatch):
    (data, gamma), n, k = _program(40_000, 150), 40_000, 150
    few, bound = PointSample(data[0], k), np.full(k, n / k)
    before = None if step == "first" else np.random.default_rng(3).normal(size=k)
    for name in ("entropic_prices", "resumed_entropic_prices"):
        monkeypatch.setattr(inexact, name, lambda *_, **__: None)
    prices = few.prices(data, bound, bound, before, None)
    sizes = np.bincount((gamma[few.index] - prices).argmax(axis=1), minlength=k)
    assert total_excess(nodes_at(prices, sizes.astype(np.float64), *2 * [few.index.size * bound / n])) < k  # ties


def test_an_exact_step_starts_from_prices_of_a_few_points_where_those_before_leave_much_to_move(monkeypatch):
    calls, prices, n, k = [], PointSample.prices, 36_000, 500

    def noted(*arguments):
        calls.append(prices(*arguments))
        return calls[-1]

    monkeypatch.setattr(PointSample, "prices", noted)
    polytope = PartitionPolytope(n, n // k, n // k, n_clusters=k)
    problem = GeometricProblem.of(_points(n), polytope, "lsa")
    sites = problem.random_sites(np.random.RandomState(0))
    inexactly = problem.assign_inexactly(sites, None)
    first = problem.assign(sites, inexactly)
    second = problem.assign(sites, first)
    assert len(calls) == 2  # none before the second exact step: its prices are exact
    moved = problem.random_sites(np.random.RandomState(1))
    far = problem.assign(moved, second)
    assert len(calls) == 3
    exact = problem.assign(sites, None)
    assert first.solution.verify().verified
    assert far.solution.verify().verified
    assert problem.update(first, sites)[0] == pytest.approx(problem.update(exact, sites)[0], rel=1e-12)


@pytest.mark.parametrize("k", [2, 5, 90, 700])
def test_best_clusters_are_those_of_the_largest_reduced_score(k):
    data, gamma = _program(3000, k)
    prices = np.random.default_rng(2).normal(size=k)
    reduced = gamma - prices
    found = best_clusters(data, prices, Norms.of(data[0], data[3]))
    lost = reduced.max(axis=1) - reduced[np.arange(len(found)), found]
    assert lost.max() <= 1e-12 * np.abs(gamma).max()


@pytest.mark.full
@pytest.mark.parametrize(("n", "k", "objective"), [(120_000, 10, "lsa"), (40_000, 300, "csa"), (36_000, 500, "lsa")])
def test_a_fit_that_begins_inexactly_ends_with_a_certified_step_within_the_bounds(objective, n, k):
    X, most = _points(n), 6
    made = GeometricPartitioner(
        k, objective=objective, lower=int(0.9 * n / k), upper=int(1.1 * n / k), max_iter=most, random_state=0
    )
    partition = made.fit(X).partition_
    assert partition.n_iter <= most
    assert 1 <= len(partition.history["objective"]) < partition.n_iter
    assert partition.certificate.verified
    assert partition.sizes.min() >= int(0.9 * n / k)
    assert partition.sizes.max() <= int(1.1 * n / k)
    assert made.fit(X).partition_.objective == partition.objective


def test_who_takes_no_inexact_step():
    X = _points(120_000)
    n = len(X)

    def steps(polytope, points=X, max_iter=5, deadline=UNLIMITED):
        problem = GeometricProblem.of(points, polytope, "lsa")
        return approached(problem, points[: polytope.n_clusters] - problem.origin, max_iter, deadline)[2]

    plain = PartitionPolytope.within(n, 10, 0.1)
    assert 1 <= steps(plain) <= 4
    assert steps(plain, max_iter=2) == 1
    assert steps(plain, max_iter=1) == 0
    assert steps(plain, deadline=Deadline(0.0)) == 0
    assert steps(PartitionPolytope(n, 100, n, n_clusters=10, weights=np.linspace(1, 2, n))) == 0
    assert steps(PartitionPolytope.within(2000, 10, 0.1), X[:2000]) == 0
    assert steps(plain, np.repeat(X[: n // 100], 100, axis=0)) == 0
