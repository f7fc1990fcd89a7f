"""Weighted programs of the transport backend: they end, at a vertex, verified; and so they do from any start."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from partitope.base.status import Status
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import GeometricPartitioner, solve
from partitope.solvers.transport.flow import pieces as pieces_module
from partitope.solvers.transport.options import Options
from partitope.solvers.transport.passes.rows import kernel_data
from partitope.solvers.transport.prices import first_prices
from partitope.solvers.transport.program import Program

pytestmark = pytest.mark.usefixtures("costs_of_small_clusters")

WEIGHTS = {
    "uniform": lambda rng, n: rng.random(n),
    "lognormal 1": lambda rng, n: rng.lognormal(0.0, 1.0, n),
    "lognormal 3": lambda rng, n: rng.lognormal(0.0, 3.0, n),
    "Pareto 0.5": lambda rng, n: 1.0 + rng.pareto(0.5, n),
    "to 3": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "to 1e6": lambda rng, n: rng.integers(1, 10**6, n).astype(float),
    "to 1e9": lambda rng, n: rng.integers(1, 10**9, n).astype(float),
    "1 or 1e6": lambda rng, n: np.where(rng.random(n) < 0.5, 1.0, 1e6),
    "with zeros": lambda rng, n: rng.random(n) * (rng.random(n) < 0.6),
    "1e-12 to 1e3": lambda rng, n: 10.0 ** rng.uniform(-12, 3, n),
    "all light": lambda rng, n: np.full(n, 1e-9),
}
SCORES = {
    "normal": lambda rng, n, k: rng.normal(size=(n, k)),
    "ties": lambda rng, n, k: rng.integers(0, 3, (n, k)).astype(float),
    "duplicates": lambda rng, n, k: rng.normal(size=(n, k))[rng.integers(0, max(n // 20, 1), n)],
    "constant": lambda rng, n, k: np.zeros((n, k)),
    "offset": lambda rng, n, k: rng.normal(size=(n, k)) + 1e6,
}
BOUNDS = {
    "equal": lambda rng, share: (share, share),
    "tight": lambda rng, share: (0.99 * share, 1.01 * share),
    "loose": lambda rng, share: (0.8 * share, 1.2 * share),
    "infinite": lambda rng, share: (share * rng.random(share.size), np.full(share.size, np.inf)),
}


def _model(seed, n, k, weights, scores="normal", bounds="tight"):
    rng = np.random.default_rng(seed)
    w = WEIGHTS[weights](rng, n)
    w[0] = max(w[0], w.max(), 1e-9)
    share = rng.dirichlet(np.ones(k)) * w.sum() if seed % 2 else np.full(k, w.sum() / k)
    return AssignmentModel(PartitionPolytope(n, *BOUNDS[bounds](rng, share), w), SCORES[scores](rng, n, k))


def _check(model, solution):
    n, k = model.polytope.n_points, model.polytope.n_clusters
    certificate = solution.verify()
    assert certificate.verified
    assert abs(certificate.gap) <= max(1e-12, certificate.allowance)  # equal scores: relative to what may cancel
    shares = {}
    for point, cluster, share in solution.splits:
        shares.setdefault(point, {})[cluster] = share
    assert n + len(solution.splits) - len(shares) <= n + k - 1  # pieces
    for point, parts in shares.items():
        assert min(parts.values()) > 0
        assert sum(parts.values()) == pytest.approx(1.0, abs=4 * k * np.finfo(float).eps)
        assert parts[solution.labels[point]] == max(parts.values())
    return certificate


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 120),
    k=st.integers(1, 25),
    weights=st.sampled_from(sorted(WEIGHTS)),
    scores=st.sampled_from(sorted(SCORES)),
    bounds=st.sampled_from(sorted(BOUNDS)),
)
@example(seed=629601, n=13, k=13, weights="all light", scores="duplicates", bounds="tight")
def test_ends_at_a_verified_vertex(seed, n, k, weights, scores, bounds):
    model = _model(seed, n, min(k, n), weights, scores, bounds)
    _check(model, solve(model))


@pytest.mark.parametrize("weights", sorted(WEIGHTS))
@pytest.mark.parametrize("n, k", [(40, 7), (300, 10)])
def test_equals_an_independent_code(weights, n, k):
    for seed in range(2):
        model = _model(seed, n, k, weights)
        scale = _check(model, ours := solve(model)).magnitude
        other = solve(model, backend="highs")
        if other.has_point and other.verify().verified:
            assert abs(ours.objective - other.objective) <= 1e-9 * scale
        else:  # it gave up on weights that differ by many orders of magnitude
            assert weights in ("1e-12 to 1e3", "lognormal 3", "Pareto 0.5", "all light")


@pytest.mark.parametrize("scores", ["normal", "ties"])
@pytest.mark.parametrize("weights", ["uniform", "to 3", "Pareto 0.5"])
def test_pieces_are_a_forest(weights, scores):
    model = _model(1, 2_000, 30, weights, scores)
    polytope = model.polytope
    flow = first_prices.solve_flow(
        Program(kernel_data(model.score_source), polytope.lower, polytope.upper, polytope.weights)
    )
    points, clusters, amounts = pieces_module.listed(flow.pieces)
    assert len(points) <= 2_000 + 30 - 1
    assert len(set(zip(points.tolist(), clusters.tolist()))) == len(points)  # merged
    np.testing.assert_allclose(np.bincount(points, amounts), polytope.weights, rtol=1e-9, atol=1e-12 * polytope.total)
    assert pieces_module.closing_part(flow.pieces, np.empty(30, np.int64)) == pieces_module.NONE
    assert flow.augmentations < 20 * (2_000 + 30)  # fragments would take millions


def test_cycles_are_cancelled():
    rng = np.random.default_rng(0)
    cycle, root = np.empty((8, 3), np.int64), np.empty(7, np.int64)
    cancelled = 0
    for _ in range(300):
        n, k = 6, 7
        weights = rng.integers(1, 9, n).astype(float)
        labels = rng.integers(0, k, n)
        whole = pieces_module.whole_points(labels.astype(np.int64), weights)
        pieces = pieces_module.movable(whole, k, split=True)
        for _ in range(12):
            point = rng.integers(0, n)
            here = rng.choice([i for i in range(k) if pieces_module.find(pieces, point, i) != pieces_module.NONE])
            i = rng.integers(0, k)
            if i != here:
                part = pieces_module.find(pieces, point, here)
                held = pieces.amounts[point] if part == pieces_module.HOME else pieces.part_amounts[part]
                pieces_module.shift(pieces, point, here, i, held * rng.choice([0.5, 1.0]), 1e-14)
        before = np.bincount(*[pieces_module.listed(pieces)[j] for j in (1, 2)], minlength=k)
        while pieces_module.cancel_cycle(pieces, root, cycle, 1e-14):
            cancelled += 1
        points, clusters, amounts = pieces_module.listed(pieces)
        assert len(points) <= n + k - 1
        assert (amounts > 0).all()
        assert len(set(zip(points.tolist(), clusters.tolist()))) == len(points)
        np.testing.assert_allclose(np.bincount(clusters, amounts, minlength=k), before, atol=1e-12)
        np.testing.assert_allclose(np.bincount(points, amounts, minlength=n), weights, atol=1e-12)
    assert cancelled > 50


@pytest.mark.parametrize("weights", ["lognormal 3", "Pareto 0.5", "with zeros", "1 or 1e6"])
def test_samples_of_weighted_points(weights):
    rng = np.random.default_rng(0)
    w = WEIGHTS[weights](rng, 20_000)
    index, times = first_prices.draw_sample(20_000, 2_500, w)
    assert times.sum() == 2_500
    assert (w[index] > 0).all()
    expected = w[index] * 2_500 / w.sum()
    assert (np.abs(times - expected) < 2.0).all()  # one draw from every part of the weight
    model = _model(0, 4_000, 6, weights)
    _check(model, solve(model, options=Options(smallest_sample=16)))


@pytest.mark.parametrize("weights", [None, "uniform", "Pareto 0.5"])
def test_time_limit(weights):
    n, k = 40_000, 30
    rng = np.random.default_rng(0)
    scores, w = rng.normal(size=(n, k)), None if weights is None else WEIGHTS[weights](rng, n)
    share = (n if w is None else w.sum()) / k
    model = AssignmentModel(PartitionPolytope(n, 0.99 * share, 1.01 * share, w, n_clusters=k), scores)
    full = solve(model)
    for limit in (0.0, 1e-3, 60.0):
        solution = solve(model, time_limit=limit)
        slack = 1e-12 * full.verify().magnitude
        assert solution.dual_objective >= full.objective - slack
        assert (solution.status is Status.TIME_LIMIT) == (not solution.has_point)
        if limit == 0.0:
            assert solution.status is Status.TIME_LIMIT
        if limit == 60.0:
            assert abs(solution.objective - full.objective) <= slack


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [1e3, 1e9, 1e14, 1e16, 1e100, 1.7e308])
def test_any_start_is_harmless(size, weighted):
    rng = np.random.default_rng(0)
    n, k = 200, 4
    w = rng.random(n) if weighted else None
    share = n / k if w is None else w.sum() / k
    model = AssignmentModel(PartitionPolytope(n, 0.8 * share, 1.2 * share, w, n_clusters=k), rng.normal(size=(n, k)))
    scale = _check(model, cold := solve(model)).magnitude
    for signs in ([1, -1, 0, 1], [1, 1, 1, 1], [0, 0, -1, 0]):
        warm = solve(model, warm_start=size * np.array(signs, dtype=float))
        _check(model, warm)
        assert abs(warm.objective - cold.objective) <= 1e-12 * scale


def test_the_same_weights_in_another_unit():
    model = _model(3, 400, 9, "lognormal 1")
    p = model.polytope
    for unit in (2.0**-40, 2.0**40):
        scaled = PartitionPolytope(400, p.lower * unit, p.upper * unit, p.weights * unit)
        other = AssignmentModel(scaled, model.score_source)
        np.testing.assert_array_equal(solve(other).labels, solve(model).labels)


def test_weighted_fit():
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(1_500, 3)), rng.random(1_500)
    share = w.sum() / 20
    model = GeometricPartitioner(
        20, lower=0.95 * share, upper=1.05 * share, objective="lsa", whole=False, random_state=0
    )
    partition = model.fit(X, sample_weight=w).partition_
    assert partition.certificate.verified
    assert len({point for point, _, _ in partition.splits}) <= 19
