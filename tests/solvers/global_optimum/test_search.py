"""The global problems: equal to brute force where that is possible, and bounds that hold where it is not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from partitope.models import (
    DirectionNet,
    InvalidInputError,
    LeastSquaresSDP,
    NormMaximizationMIP,
    PartitionPolytope,
    Status,
)
from partitope.models.objectives import objective_value
from partitope.solvers import norm_mip_bound, sdp_bound, solve_global, solve_norm_mip
from partitope.solvers.global_optimum.branch_and_bound import exhaustive_search
from partitope.solvers.global_optimum.cones import direction_search
from partitope.solvers.global_optimum.parts import divide_and_conquer_bound, mirror_parts
from partitope.solvers.global_optimum.projectors import project_projectors


def _instance(seed: int, largest: int = 10):
    """Random small points, a third of them integer and tied, and feasible random bounds."""
    rng = np.random.default_rng(seed)
    k, d = rng.integers(1, 4), rng.integers(1, 4)
    n = rng.integers(max(2, k), largest + 1)
    while True:
        lower = rng.integers(0, n // k + 1, size=k)
        upper = np.minimum(lower + rng.integers(0, n + 1, size=k), n)
        polytope = PartitionPolytope(int(n), lower, upper)
        if polytope.is_feasible:
            break
    X = rng.normal(size=(n, d))
    X = np.round(2.0 * X) if seed % 3 == 0 else X
    return X - X.mean(axis=0), polytope


def _optimum(X, polytope, objective):
    values = [objective_value(X, labels, objective) for labels in polytope.enumerate()]
    return max(values) if objective == "csa" else min(values)


def _check_against_brute_force(seed: int, largest: int) -> None:
    X, polytope = _instance(seed, largest)
    for objective in ("csa", "lsa"):
        optimum = _optimum(X, polytope, objective)
        partition = solve_global(X, polytope, objective, n_init=3)
        assert polytope.contains(partition.labels)
        assert partition.status is Status.OPTIMAL
        assert partition.objective == pytest.approx(optimum, rel=1e-9, abs=1e-9)
        assert partition.bound.lower <= optimum + 1e-9
        assert partition.bound.upper >= optimum - 1e-9


@pytest.mark.parametrize("seed", range(40))
def test_equal_to_brute_force(seed):
    _check_against_brute_force(seed, largest=8)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1300))
def test_equal_to_brute_force_full(seed):
    _check_against_brute_force(seed, largest=10)


@pytest.mark.parametrize("seed", range(12))
def test_every_bound_encloses_the_optimum(seed):
    X, polytope = _instance(seed + 500, largest=8)
    first = next(polytope.enumerate())
    best = _optimum(X, polytope, "csa")
    labels, value, upper = direction_search(X, polytope, first, gap=1e-3, max_boxes=300)
    assert polytope.contains(labels)
    assert value <= best + 1e-9
    assert upper >= best - 1e-9
    mip = norm_mip_bound(NormMaximizationMIP(X, polytope, 14))
    assert mip.lower <= best + 1e-9
    assert mip.upper >= best - 1e-9
    smallest = _optimum(X, polytope, "lsa")
    assert sdp_bound(LeastSquaresSDP(X, polytope), smallest, max_rounds=4).lower <= smallest + 1e-9


def test_a_bound_needs_no_convergence():
    """(5) holds for any multipliers, also for absurd ones."""
    X, polytope = _instance(7, largest=8)
    smallest = _optimum(X, polytope, "lsa")
    relaxation = LeastSquaresSDP(X, polytope)
    rng = np.random.default_rng(0)
    for size in (0.0, 0.1, 10.0):
        M = -size * np.abs(rng.normal(size=(len(X), len(X))))  # prices Z >= 0 only: its support is 0
        M = M + M.T
        np.fill_diagonal(M, 0.0)
        assert relaxation.spectral_bound(M) <= smallest + 1e-9


@pytest.mark.parametrize(("lower", "upper", "best"), [(10, 150, 78.8514), (40, 60, 79.0262), (50, 50, 81.2778)])
def test_iris_is_closed(lower, upper, best):
    polytope = PartitionPolytope(150, lower, upper, n_clusters=3)
    partition = solve_global(load_iris().data, polytope, gap=1e-4, time_limit=600)
    assert partition.objective == pytest.approx(best, abs=5e-5)
    assert partition.bound.gap <= 1e-4
    assert partition.status is Status.OPTIMAL
    assert partition.certificate.verified


def test_wine_is_closed():
    polytope = PartitionPolytope(178, 48, 71, n_clusters=3)
    partition = solve_global(scale(load_wine().data), polytope, gap=1e-3, time_limit=600)
    assert partition.bound.gap <= 1e-3


@pytest.mark.parametrize("n", [30, 60])
def test_norm_maximisation_is_proved(n):
    X = np.random.default_rng(n).normal(size=(n, 2))
    partition = solve_global(X, PartitionPolytope(n, n // 3 - 2, n // 3 + 2, n_clusters=3), "csa", gap=1e-3)
    assert partition.bound.gap <= 1e-3
    assert partition.bound.lower == pytest.approx(partition.objective, rel=1e-12)


def test_two_proofs_agree():
    X = np.random.default_rng(3).normal(size=(24, 2))
    X = X - X.mean(axis=0)
    polytope = PartitionPolytope(24, 6, 10, n_clusters=3)
    start = solve_global(X, polytope, "csa").labels
    labels, finished = exhaustive_search(X, polytope.lower, polytope.upper, "csa", start)
    assert finished
    _, value, upper = direction_search(X, polytope, start, gap=1e-3)
    exact = objective_value(X, labels, "csa")
    assert value <= exact * (1 + 1e-12)
    assert exact <= upper * (1 + 1e-12)


def test_the_fast_projection_is_the_full_one():
    """Lanczos's method and the full decomposition project alike, and too small a guess falls back."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    square = (X**2).sum(axis=1)
    matrix = X @ X.T - 0.5 * (square[:, None] + square) + 0.1 * rng.normal(size=(300, 300))
    matrix = 0.5 * (matrix + matrix.T)
    full, rank = project_projectors(matrix, (4, 4))
    for guess in (1, 3, 20):
        fast, found = project_projectors(matrix, (4, 4), guess)
        assert found == rank
        np.testing.assert_allclose(fast, full, atol=1e-8)
    np.testing.assert_allclose(full.sum(axis=1), 1.0)
    assert np.trace(full) == pytest.approx(4.0)


def test_a_budget_ends_the_search_honestly():
    X = np.random.default_rng(0).normal(size=(60, 3))
    X = X - X.mean(axis=0)
    start = np.arange(60) % 3
    labels, finished = exhaustive_search(X, np.full(3, 15.0), np.full(3, 25.0), "lsa", start, budget=1000)
    assert not finished
    assert objective_value(X, labels, "lsa") <= objective_value(X, start, "lsa")


def test_divide_and_conquer():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 2)) + np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[np.arange(150) % 3]
    X = X - X.mean(axis=0)
    polytope = PartitionPolytope(150, 40, 60, n_clusters=3)
    best = solve_global(X, polytope, gap=1e-3, time_limit=20)
    parts = mirror_parts(X, best.labels, 3)
    assert sorted(np.concatenate(parts)) == list(range(150))
    bound = divide_and_conquer_bound(X, polytope, best.labels, part=50, time_limit=20)
    assert bound <= best.objective
    assert bound >= 0.9 * best.objective


def test_nets_cover_what_they_say():
    rng = np.random.default_rng(0)
    for m, d in ((2, 1), (12, 2), (60, 3), (40, 4)):
        net = DirectionNet.even(m, d)
        vectors = rng.normal(size=(2000, d))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        assert (vectors @ net.vectors.T).max(axis=1).min() >= net.cosine - 1e-12
        assert net.refined(net.vectors[:1]).cosine >= net.cosine - 1e-12
    with pytest.raises(InvalidInputError, match="do not surround the origin"):
        DirectionNet([[1.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize("d", [2, 3])
def test_a_net_that_shrinks_around_the_incumbent(d):
    X = np.random.default_rng(d).normal(size=(10, d))
    X = X - X.mean(axis=0)
    polytope = PartitionPolytope(10, 3, 7, n_clusters=2)
    coarse = NormMaximizationMIP(X, polytope, 5 if d == 2 else 10)
    labels, top, _ = solve_norm_mip(coarse)
    value = objective_value(X, labels, "csa")
    fine = coarse.refined(labels)
    better, higher, _ = solve_norm_mip(fine)
    assert higher >= max(top, value) * (1 - 1e-6)  # the incumbent's own directions see its whole norm
    best = _optimum(X, polytope, "csa")
    assert objective_value(X, better, "csa") <= best + 1e-9
    assert norm_mip_bound(fine).upper >= best - 1e-9
    assert fine.net.cosine >= coarse.net.cosine - 1e-12


def test_what_is_not_supported_is_refused():
    X = np.zeros((4, 1))
    weighted = PartitionPolytope(4, 0, 4, weights=[1, 2, 1, 1], n_clusters=2)
    for call in (
        lambda: solve_global(X, weighted),
        lambda: LeastSquaresSDP(X, weighted),
        lambda: NormMaximizationMIP(X, weighted),
    ):
        with pytest.raises(InvalidInputError, match="weights"):
            call()
    with pytest.raises(InvalidInputError, match="objective='both'"):
        solve_global(X, PartitionPolytope(4, n_clusters=2), "both")
