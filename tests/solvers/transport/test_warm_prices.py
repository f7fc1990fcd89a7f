"""Programs whose prices are near take the first step of a walk; the answer is that of the engine."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers.transport import backend
from partitope.solvers.transport.backend import TransportBackend
from partitope.solvers.transport.prices import warm_prices
from partitope.solvers.transport.prices.warm_prices import solve_from_warm_prices

N, D, K = 9000, 12, 40


def _points(kind, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D))
    if kind == "groups":
        X += 3.0 * rng.normal(size=(K, D))[rng.integers(K, size=N)]
    if kind == "ties":
        X = rng.integers(-1, 2, (N, D)).astype(np.float64)
    if kind == "heavy":
        X = rng.standard_t(1.2, size=(N, D))
    return X.astype(np.float32) if kind == "single" else X


def _means(X, steps):
    sites = X[np.random.default_rng(1).choice(len(X), K, replace=False)].astype(np.float64)
    for _ in range(steps):
        nearest = (X @ sites.T - 0.5 * (sites**2).sum(axis=1)).argmax(axis=1)
        sites = np.array([X[nearest == i].mean(axis=0) if (nearest == i).any() else sites[i] for i in range(K)])
    return sites


def _model(X, sites, slack=0.2, **options):
    low, high = int((1 - slack) * len(X) / K), int(np.ceil((1 + slack) * len(X) / K))
    return AssignmentModel.lsa(X, sites, PartitionPolytope(len(X), low, high, n_clusters=K, **options))


@pytest.fixture
def ways(monkeypatch):
    """What `solve_from_warm_prices` gave, solve by solve: True where the prices were near."""
    taken = []

    def noted(*arguments):
        flow = solve_from_warm_prices(*arguments)
        taken.append(flow is not None)
        return flow

    monkeypatch.setattr(backend, "solve_from_warm_prices", noted)
    return taken


def _by_engine(model, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(backend, "solve_from_warm_prices", lambda *arguments: None)
        return TransportBackend().solve(model)


@pytest.mark.parametrize("kind", ["normal", "single"])
def test_sites_at_centres_are_near(kind, ways, monkeypatch):
    X = _points(kind)
    model = _model(X, _means(X, 5))
    solution = TransportBackend().solve(model)
    assert ways == [True]
    assert solution.verify().verified
    assert solution.objective == pytest.approx(_by_engine(model, monkeypatch).objective, rel=1e-12)


def test_prices_of_a_solution_are_near_at_sites_that_move_a_little(ways):
    X, sites = _points("normal"), _means(_points("normal"), 0)
    first = TransportBackend().solve(_model(X, sites))
    again = TransportBackend().solve(_model(X, sites + 1e-3), warm_start=first.prices)
    too_large = TransportBackend().solve(_model(X, sites), warm_start=1e12 * (1.0 + np.arange(K)))
    assert ways == [False, True, False]
    assert again.verify().verified
    assert too_large.objective == pytest.approx(first.objective, rel=1e-12)


def test_other_programs_are_left_to_the_engine(ways):
    X = _points("normal")
    near, backend_ = _means(X, 5), TransportBackend()
    backend_.solve(_model(_points("heavy"), near))
    backend_.solve(_model(X, near)).verify()
    assert ways == [False, True]
    backend_.solve(_model(X, near), time_limit=60.0)
    backend_.solve(_model(X, near, weights=np.random.default_rng(0).random(N), slack=0.9))
    assert len(ways) == 2


@pytest.mark.parametrize("kind", ["normal", "groups", "ties", "heavy", "single"])
@pytest.mark.parametrize(("steps", "slack"), [(0, 0.0), (0, 0.1), (2, 0.3)])
def test_wherever_prices_are_the_answer_is_optimal(kind, steps, slack, monkeypatch):
    monkeypatch.setattr(warm_prices, "_are_near", lambda *arguments: True)
    X = _points(kind, seed=steps)
    model = _model(X, _means(X, steps), slack)
    solution = TransportBackend().solve(model)
    assert solution.verify().verified
    assert solution.objective == pytest.approx(_by_engine(model, monkeypatch).objective, rel=1e-11)
    assert solution.dual_objective == pytest.approx(solution.objective, rel=1e-11)
