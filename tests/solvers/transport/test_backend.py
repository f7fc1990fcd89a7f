"""The transport backend: equal to brute force, and certified, on degenerate input of every kind."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve
from partitope.solvers.transport.options import Options
from partitope.solvers.transport.passes.rows import kernel_data, largest_score
from partitope.solvers.transport.prices.equal_points import EqualPoints

pytestmark = pytest.mark.usefixtures("costs_of_small_clusters")


def _check(solution, gap=1e-12):
    certificate = solution.verify()
    assert certificate.verified, certificate
    assert abs(certificate.gap) <= gap + certificate.allowance  # scores and prices are rounded where they are large
    largest = largest_score(kernel_data(solution.model.score_source))  # the sum of these may cancel
    scale = max(certificate.magnitude, abs(certificate.primal_objective), largest)
    assert abs(solution.objective - certificate.primal_objective) <= 1e-12 * scale
    assert abs(solution.dual_objective - certificate.dual_objective) <= 1e-12 * scale
    return certificate


def _bounds(rng, n, k, shape):
    if shape == "equal":
        sizes = rng.multinomial(n, np.ones(k) / k)
        return sizes, sizes
    if shape == "free":
        return np.zeros(k, int), np.full(k, n)
    sizes = rng.multinomial(n, rng.dirichlet(np.ones(k)))
    return np.maximum(sizes - rng.integers(0, 3, k), 0), sizes + rng.integers(0, 3, k)


@settings(max_examples=250, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 7),
    k=st.integers(1, 3),
    shape=st.sampled_from(["equal", "free", "mixed"]),
    levels=st.sampled_from([0, 1, 2, 5]),
)
def test_equals_brute_force(seed, n, k, shape, levels):
    rng = np.random.default_rng(seed)
    lower, upper = _bounds(rng, n, k, shape)
    scores = rng.integers(0, levels, (n, k)) if levels > 1 else rng.normal(size=(n, k)) * levels
    model = AssignmentModel(PartitionPolytope(n, lower, upper), scores)
    solution = solve(model)
    _check(solution)
    everything = np.indices((k,) * n).reshape(n, -1).T
    sizes = (everything[:, :, None] == np.arange(k)).sum(axis=1)
    within = ((sizes >= lower) & (sizes <= upper)).all(axis=1)
    best = scores[np.arange(n), everything[within]].sum(axis=1).max()
    assert solution.objective == pytest.approx(best, abs=1e-12)
    assert model.polytope.contains(solution.labels)


@settings(max_examples=120, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 400),
    d=st.integers(1, 4),
    k=st.integers(1, 12),
    shape=st.sampled_from(["equal", "free", "mixed"]),
    kind=st.sampled_from(["csa", "lsa"]),
    data=st.sampled_from(["normal", "integers", "duplicates", "zero columns", "constant", "offset"]),
    layout=st.sampled_from(["C", "F", "float32", "strided", "read-only"]),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_every_solution_is_certified(seed, n, d, k, shape, kind, data, layout, scale):
    rng = np.random.default_rng(seed)
    k = min(k, n)
    X = rng.normal(size=(n, d))
    if data == "integers":
        X = rng.integers(-2, 3, (n, d)).astype(float)
    elif data == "duplicates":
        X = X[rng.integers(0, max(n // 20, 1), n)]
    elif data == "zero columns":
        X[:, rng.integers(0, d)] = 0.0
    elif data == "constant":
        X[:] = 1.5
    elif data == "offset":
        X += 1000.0
    X *= scale
    if layout == "F":
        X = np.asfortranarray(X)
    elif layout == "float32":
        X = X.astype(np.float32)
    elif layout == "strided":
        X = np.repeat(X, 2, axis=0)[::2]
    elif layout == "read-only":
        X.setflags(write=False)
    before = X.copy()
    sites = np.array(X[rng.choice(n, k, replace=False)], dtype=float)
    lower, upper = _bounds(rng, n, k, shape)
    polytope = PartitionPolytope(n, lower, upper)
    model = AssignmentModel.csa(X, sites, polytope) if kind == "csa" else AssignmentModel.lsa(X, sites, polytope)
    cold = solve(model)
    _check(cold)
    assert polytope.contains(cold.labels)
    warm = solve(model, warm_start=cold.prices + rng.normal(size=k) * 0.1 * scale**2)
    scale = _check(warm).magnitude
    assert abs(warm.objective - cold.objective) <= 1e-12 * scale
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n, k", [(30_000, 3), (20_000, 60), (40_000, 9)])
def test_through_samples_and_candidates(n, k, tied):
    rng = np.random.default_rng(n + k)
    X = rng.normal(size=(n, 3)) + 8.0 * rng.normal(size=(4, 3))[np.sort(rng.integers(0, 4, n))]
    X = np.round(X) if tied else X
    lower, upper = rng.multinomial(int(0.8 * n), np.ones(k) / k), np.full(k, -(-2 * n // k))
    model = AssignmentModel.lsa(X, X[rng.choice(n, k, replace=False)], PartitionPolytope(n, lower, upper))
    solution = solve(model)
    _check(solution)
    zero = solve(model, warm_start=np.zeros(k))  # no sample: everything is left to the flow
    assert abs(zero.objective - solution.objective) <= 1e-12 * _check(zero).magnitude


@pytest.mark.parametrize("n", [40, 2_000, 20_000])
def test_prices_that_fit_worse_than_none_cost_nothing(n):
    X = np.random.default_rng(n).normal(size=(n, 3))
    model = AssignmentModel.lsa(X, X[:8], PartitionPolytope(n, n // 8, -(-n // 8), n_clusters=8))
    cold = solve(model)
    off = solve(model, warm_start=cold.prices + 30.0 * np.arange(8))  # nearly all points in one cluster
    assert abs(off.objective - cold.objective) <= 1e-12 * _check(off).magnitude
    assert off.iterations <= cold.iterations + 8
    assert solve(model, warm_start=cold.prices).iterations <= 8


def test_equal_points_move_in_bulk():
    X = np.ones((20_000, 2))
    model = AssignmentModel.csa(X, np.eye(2), PartitionPolytope(20_000, [4_000, 9_000], [12_000, 11_000]))
    solution = solve(model, warm_start=[0.0, 0.0])
    _check(solution)
    assert solution.iterations < 1_000


def test_result_does_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(50_000, 3)), 1)
    model = AssignmentModel.lsa(X, X[:12], PartitionPolytope(50_000, 4_000, 4_300, n_clusters=12))
    before = numba.get_num_threads()
    try:
        solutions = []
        for threads in {1, before}:
            numba.set_num_threads(threads)
            solutions.append(solve(model))
    finally:
        numba.set_num_threads(before)
    np.testing.assert_array_equal(solutions[0].labels, solutions[-1].labels)
    np.testing.assert_array_equal(solutions[0].prices, solutions[-1].prices)


def test_memory_map(tmp_path):
    rng = np.random.default_rng(2)
    X = np.memmap(tmp_path / "points", dtype=np.float32, mode="w+", shape=(5_000, 3))
    X[:] = rng.normal(size=X.shape)
    polytope = PartitionPolytope(5_000, 900, 1_100, n_clusters=5)
    from_disk = solve(AssignmentModel.lsa(X, X[:5], polytope))
    in_memory = solve(AssignmentModel.lsa(np.array(X), X[:5], polytope))
    _check(from_disk)
    np.testing.assert_array_equal(from_disk.labels, in_memory.labels)


@pytest.mark.parametrize("kind", ["equal", "heavy", "both"])
def test_points_that_fill_more_clusters_than_a_list_has(kind):
    rng, n, k = np.random.default_rng(3), 1700, 170
    X, weights = rng.normal(size=(n, 3)), None
    if kind != "heavy":
        X[rng.permutation(n)[: n // 8]] = X[0]
    if kind != "equal":
        weights = rng.lognormal(0.0, 3.0, n)
    total = n if weights is None else weights.sum()
    polytope = PartitionPolytope(n, 0.9 * total // k, 1.1 * total // k + 1, n_clusters=k, weights=weights)
    model = AssignmentModel.lsa(X, X[rng.choice(n, k, replace=False)], polytope)
    assert solve(model, options=Options(many_clusters=100)).verify().verified


def test_points_are_equal_whatever_the_sign_of_their_zeros():
    X = np.random.default_rng(0).integers(-1, 2, (900, 3)) * np.float64(0.5)
    signed = np.where(X == 0.0, -0.0, X)
    signed[::2] = X[::2]
    merged = EqualPoints.among(signed)
    assert merged is not None
    assert merged.first.size == 27
