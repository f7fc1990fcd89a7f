"""Weighted programs whose scores and weights differ by many orders of magnitude, and passes cut by the clock."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve
from partitope.solvers.transport.flow import optimal_flow
from partitope.solvers.transport.passes import rows
from partitope.solvers.transport.passes.candidates import collect_candidates

pytestmark = pytest.mark.usefixtures("costs_of_small_clusters")

WEIGHTS = (
    lambda rng, n: rng.random(n),
    lambda rng, n: rng.lognormal(0, rng.choice([1.0, 3.0]), n),
    lambda rng, n: 10.0 ** rng.uniform(-12, 3, n),
    lambda rng, n: rng.integers(1, 4, n).astype(float),
    lambda rng, n: 1 + rng.pareto(0.5, n),
)


def _program(seed):
    """Scores of every row in a unit of its own; bounds at, near or around the sizes of some assignment."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(20, 61)), int(rng.integers(3, 26))
    k = min(k, n)
    w = WEIGHTS[seed % 5](rng, n)
    style = rng.integers(0, 4)
    if style < 2:
        scores = rng.normal(size=(n, k))
    elif style == 2:
        scores = rng.integers(0, 3, (n, k)).astype(float)
    else:
        scores = rng.normal(size=(n, k))[rng.integers(0, max(n // 5, 1), n)]
    scores = scores * 10.0 ** rng.uniform(-8, 8, n)[:, None]
    if rng.random() < 0.2:
        scores = scores * 10.0 ** rng.uniform(-4, 4, k)
    kind = rng.integers(0, 3)
    if kind == 0:
        share = rng.dirichlet(np.ones(k)) * w.sum()
        bounds = 0.99 * share, 1.01 * share
    elif kind == 1:
        slack = rng.choice([0, 0.01, 0.2])
        bounds = tuple(np.full(k, w.sum() / k) * factor for factor in (1 - slack, 1 + slack))
    else:
        sizes = (w[:, None] * rng.dirichlet(np.full(k, 0.3), n)).sum(axis=0)
        bounds = sizes * rng.uniform(0.5, 1, k), sizes * rng.uniform(1, 1.5, k)
    return AssignmentModel(PartitionPolytope(n, *bounds, w), scores)


@pytest.mark.parametrize("seed", [2297, 7727, 8822, 9357, 9482, 11917, 14697, 15537])
def test_ties_that_are_coarser_than_some_rows_are_repaired(seed):
    model = _program(seed)
    solution = solve(model)
    assert solution.verify().verified
    assert abs(solution.verify().gap) <= 1e-12
    k = model.polytope.n_clusters
    split = {point for point, _, _ in solution.splits}
    assert len(split) <= k - 1
    assert len(solution.splits) - len(split) <= k - 1  # still a vertex: the shares are a forest


@pytest.mark.parametrize("weights", range(5))
def test_any_coarse_tie_is_repaired(weights, monkeypatch):
    monkeypatch.setattr(optimal_flow, "_score_rounding", lambda data: 0.1)
    refused = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        w = WEIGHTS[weights](rng, 200)
        share = w.sum() / 8
        polytope = PartitionPolytope(200, 0.9 * share, 1.1 * share, w, n_clusters=8)
        model = AssignmentModel(polytope, rng.normal(size=(200, 8)))
        refused += not solve(model, certify=False).verify().verified
        solution = solve(model)
        assert solution.verify().verified
        assert abs(solution.verify().gap) <= 1e-12
        split = {point for point, _, _ in solution.splits}
        assert len(solution.splits) - len(split) <= 7
    assert refused > 3


def test_rows_in_units_of_their_own():
    for seed in range(200):
        solution = solve(_program(seed))
        assert solution.verify().verified, seed
    for seed in range(0, 200, 20):
        model = _program(seed)
        other = solve(model, backend="highs")
        if other.has_point and other.verify().verified:
            proof = solve(model).verify()
            assert abs(proof.primal_objective - other.objective) <= 1e-8 * proof.magnitude


def _data(n=30_000, k=6, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    polytope = PartitionPolytope(n, 0.9 * n / k, 1.1 * n / k, n_clusters=k)
    return AssignmentModel.lsa(X, X[:k], polytope)


def test_a_deadline_changes_no_bit_of_a_pass(monkeypatch):
    model = _data()
    data, prices = rows.kernel_data(model.score_source), np.linspace(-0.1, 0.1, 6)
    cutoff = np.full(6, 0.05)
    results = []
    for work, deadline in [(1 << 24, np.inf), (1, np.finfo(float).max)]:
        monkeypatch.setattr(rows, "WORK_PER_LOOK", work)
        labels = np.empty(30_000, np.int64)
        found = collect_candidates(data, prices, cutoff, labels, 100.0, deadline=deadline)
        results.append((labels, *found))
    for one, other in zip(*results):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(rows.OutOfTime):
        collect_candidates(data, prices, cutoff, labels, 100.0, deadline=0.0)
