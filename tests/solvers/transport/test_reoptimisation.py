"""Bounds on margins that are carried from step to step, and assignments that start from them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from partitope.models.scores.scores import AffineScores
from partitope.solvers.geometric.moving_sums import MovingSums
from partitope.solvers.transport.passes.rows import assign, kernel_data, kernel_rows
from partitope.solvers.transport.prices.first_prices import solve_flow
from partitope.solvers.transport.prices.margin_bounds import MarginBounds, Norms
from partitope.solvers.transport.prices.reoptimisation import Reoptimisation
from partitope.solvers.transport.program import Program


def _points(kind, n=3000, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if kind == "ties":
        return rng.integers(-2, 3, (n, d)).astype(np.float64)
    if kind == "apart":
        return 40.0 * rng.integers(0, 2, (n, 1)) + X
    if kind == "outlier":
        X[7] = 1e30
    return {"far": X + 1e9, "large": X * 1e60, "tiny": X * 1e-70}.get(kind, X)


def _scores(X, sites):
    return kernel_data(AffineScores.lsa(sites, X.mean(axis=0, dtype=np.float64)).on(X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["normal", "ties", "far", "large", "tiny", "outlier"])
def test_labels_are_those_of_float64_and_bounds_are_below_the_leads(kind, dtype):
    X = _points(kind)
    if np.abs(X).max() > 1e38 and dtype == np.float32:
        pytest.skip("float32 holds no such numbers")
    X, k = X.astype(dtype), 7
    scale, rng = float(np.median(np.abs(X - X.mean(axis=0)))), np.random.default_rng(1)
    leads = MarginBounds(kernel_rows(X), Norms.of(X, X.mean(axis=0, dtype=np.float64)), k)
    sites, prices = rng.normal(size=(k, 5)) * scale, np.zeros(k)
    labels, margins = np.empty(len(X), np.int64), np.empty(len(X))
    for step in range(6):
        data = _scores(X, sites)
        leads.refresh(data, prices, 0.0)
        assign(data, prices, labels, margins)
        np.testing.assert_array_equal(leads.labels, labels)
        assert (leads.bounds <= margins * leads.unit * (1 + 2.0**-22)).all()
        sites = sites + 0.3**step * scale * rng.normal(size=sites.shape)
        prices = prices + 0.3**step * scale**2 * rng.normal(size=k)


def test_points_whose_lead_is_larger_than_it_can_fall_are_not_looked_at():
    X = _points("normal")
    leads = MarginBounds(kernel_rows(X), Norms.of(X, X.mean(axis=0)), 3)
    sites = np.eye(3, 5)
    leads.refresh(_scores(X, sites), np.zeros(3), 0.0)
    before = leads.bounds.copy()
    hidden = (np.full_like(leads.rows, np.nan), *_scores(X, sites + 1e-6)[1:])  # whoever is looked at has no scores
    leads.refresh(hidden, np.zeros(3), 0.0)
    kept = np.isfinite(leads.bounds)
    assert kept.mean() > 0.99
    assert (leads.bounds[kept] < before[kept]).all()


@pytest.mark.parametrize(
    ("kind", "n", "k"),
    [
        ("normal", 3000, 8),
        ("outlier", 3000, 8),
        ("normal", 3000, 300),  # labels of two bytes
        ("normal", 30_000, 8),
        ("ties", 30_000, 8),
        ("apart", 30_000, 8),
    ],
)
def test_steps_that_follow_each_other_are_as_good_as_steps_from_scratch(kind, n, k):
    X = _points(kind, n)
    origin, rng = X.mean(axis=0), np.random.default_rng(2)
    walk = Reoptimisation(kernel_rows(X), Norms.of(X, origin), k)
    lower, upper = np.full(k, 0.9 * n // k), np.full(k, 1.1 * n // k)
    sites, prices = X[rng.choice(n, k, replace=False)] - origin, None
    for _ in range(4):
        data = _scores(X, sites)
        found, alone = walk.step(data, lower, upper, prices), solve_flow(Program(data, lower, upper))
        gamma = (X - origin) @ data[1] + data[2]
        sizes = np.bincount(found.labels, minlength=k)
        assert ((lower <= sizes) & (sizes <= upper)).all()
        value, best = (gamma[np.arange(n), labels].sum() for labels in (found.labels, alone.pieces.labels))
        dual = (gamma - found.prices).max(axis=1).sum() + (
            found.prices * np.where(found.prices > 0, upper, lower)
        ).sum()
        noise = 1e-14 * n * np.abs(gamma).max()
        assert abs(value - best) <= noise
        assert abs(dual - value) <= noise
        sites = np.array([X[found.labels == i].mean(axis=0) for i in range(k)]) - origin
        prices = found.prices


@pytest.mark.parametrize("spread", [1.0, 1e9])
def test_moving_sums_lose_nothing_over_many_moves(spread):
    """Clusters as far apart as `spread`: their sum of squares is 1e-18 of the sum about the origin."""
    rng, k = np.random.default_rng(3), 3
    group = rng.integers(0, k, 400)
    X = rng.normal(size=(400, 2)) + spread * group[:, None]
    origin = X.mean(axis=0)
    Y = [[Fraction(float(x)) for x in row] for row in X - origin]
    sums = MovingSums(X, origin)
    for step in range(20):
        labels = group if step == 19 else rng.integers(0, k, len(X))
        found, sizes, squares = sums.at(labels, np.zeros((k, 2)))
    exact = [[sum(Y[j][f] for j in np.flatnonzero(group == i)) for f in range(2)] for i in range(k)]
    np.testing.assert_allclose(found, np.array(exact, dtype=np.float64), rtol=1e-13)
    assert sizes.tolist() == np.bincount(group).tolist()
    sites = found / sizes[:, None]
    *_, squares = sums.at(group, sites)
    wanted = sum((Y[j][f] - Fraction(float(sites[group[j], f]))) ** 2 for j in range(len(X)) for f in range(2))
    assert squares == pytest.approx(float(wanted), rel=1e-12)


# by seeds whose prices cross zero in the flow, so that one of them ends as zero but for rounding
@pytest.mark.parametrize("seed, n, k", [(1, 201, 4), (89, 289, 11), (201, 401, 6), (231, 431, 9), (518, 218, 8)])
def test_a_price_that_is_zero_but_for_rounding_says_nothing_about_its_cluster(seed, n, k):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    origin, lower, upper = X.mean(axis=0), np.full(k, float(n // k)), np.full(k, float(-(-n // k)))
    walk, sites, prices = Reoptimisation(kernel_rows(X), Norms.of(X, origin), k), X[:k] - origin, None
    for _ in range(4):
        data = kernel_data(AffineScores.lsa(sites, origin).on(X))
        labels, prices, _ = walk.step(data, lower, upper, prices)
        sizes = np.bincount(labels, minlength=k)
        assert (sizes[prices > 0] == upper[prices > 0]).all()
        assert (sizes[prices < 0] == lower[prices < 0]).all()
        sites = np.array([(X[labels == i] - origin).mean(axis=0) for i in range(k)])
