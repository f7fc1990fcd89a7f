"""One conformance suite that every backend in the table passes by itself."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models import AssignmentModel, CapabilityError, InfeasibleBoundsError, PartitionPolytope, Status
from partitope.solvers import BACKENDS, solve

BACKEND = [pytest.param(name, marks=pytest.mark.backend(name)) for name in BACKENDS]


def instance(seed: int, n_max: int = 10, k_max: int = 3, kind: str = "real", weighted: bool = False):
    """A random feasible model: real, integer-tied or degenerate data, random own bounds, both objectives."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, k_max + 1))
    n, d = int(rng.integers(k, n_max + 1)), int(rng.integers(1, 4))
    weights = np.round(rng.uniform(0.0, 2.0, n), 3) + 1e-3 if weighted else None
    while True:
        lower = rng.integers(0, n // k + 1, size=k).astype(float)
        upper = np.minimum(lower + rng.integers(0, n + 1, size=k), n)
        if weighted:
            lower, upper = 0.95 * lower * weights.sum() / n, 1.05 * upper * weights.sum() / n
        polytope = PartitionPolytope(n, lower, upper, weights)
        if polytope.is_feasible:
            break
    X, sites = rng.normal(size=(n, d)), rng.normal(size=(k, d))
    if kind == "tied":
        X, sites = np.round(X), np.round(sites)
    elif kind == "degenerate":
        X = X[rng.integers(0, max(1, n // 3), n)]
        sites[-1] = sites[0]
    make = AssignmentModel.csa if seed % 2 else AssignmentModel.lsa
    return make(X, sites, polytope)


def brute_force(model: AssignmentModel) -> float:
    return max(model.value(labels) for labels in model.polytope.enumerate())


def check(solution, expected: float | None = None) -> None:
    """Independent of every solver: feasible, certified, the price signs as documented, the value as expected."""
    capabilities = BACKENDS[solution.backend].capabilities
    model = solution.model
    tolerance = max(1e-9, capabilities.accuracy)
    certificate = solution.verify(tolerance=tolerance)
    assert certificate.verified, certificate
    if not solution.splits:
        assert model.polytope.contains(solution.labels)
        assert abs(solution.objective - model.value(solution.labels)) <= 1e-12 * certificate.magnitude
    if expected is not None:
        assert abs(solution.objective - expected) <= tolerance * certificate.magnitude
    if capabilities.exact and not solution.splits:
        sizes, slack = model.polytope.sizes(solution.labels), 1e-9
        dust = 1e-9 * np.abs(solution.prices).max(initial=0.0)
        assert (sizes[solution.prices > dust] >= model.polytope.upper[solution.prices > dust] - slack).all()
        assert (sizes[solution.prices < -dust] <= model.polytope.lower[solution.prices < -dust] + slack).all()


@pytest.mark.parametrize("kind", ["real", "tied", "degenerate"])
@pytest.mark.parametrize("name", BACKEND)
def test_equal_to_brute_force(name, kind):
    for seed in range(12):
        model = instance(seed, n_max=7, kind=kind)
        check(solve(model, name), brute_force(model))


@pytest.mark.parametrize("name", BACKEND)
def test_infeasible_bounds_raise_the_same_error_before_solving(name, monkeypatch):
    monkeypatch.setattr(BACKENDS[name], "solve", lambda *a, **o: pytest.fail("the solver was called"))
    for lower, upper, message in [(3, 4, r"sum\(lower\)=6"), (0, 1, r"sum\(upper\)=2"), (3, 2, r"lower\[0\]=3")]:
        model = AssignmentModel(PartitionPolytope(4, lower, upper, n_clusters=2), np.zeros((4, 2)))
        with pytest.raises(InfeasibleBoundsError, match=message):
            solve(model, name)


@pytest.mark.parametrize("name", BACKEND)
def test_fixed_sizes_one_cluster_and_one_point_a_cluster(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 2))
    for k, lower, upper in [(3, 2, 2), (1, 6, 6), (6, 1, 1), (2, 0, 6)]:
        model = AssignmentModel.lsa(X, rng.normal(size=(k, 2)), PartitionPolytope(6, lower, upper, n_clusters=k))
        check(solve(model, name), brute_force(model))


@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("name", BACKEND)
def test_units_and_origin_do_not_matter(name, scale):
    rng = np.random.default_rng(1)
    X, sites = rng.normal(size=(40, 2)), rng.normal(size=(3, 2))
    polytope = PartitionPolytope(40, 10, 16, n_clusters=3)
    reference = solve(AssignmentModel.lsa(X, sites, polytope), name)
    moved = AssignmentModel.lsa(scale * (X + 7.0), scale * (sites + 7.0), polytope)
    solution = solve(moved, name)
    check(solution)
    tolerance = max(1e-9, BACKENDS[name].capabilities.accuracy)
    expected = reference.model.cost(reference.labels)
    assert moved.cost(solution.labels) / scale**2 == pytest.approx(expected, rel=tolerance)


@pytest.mark.parametrize("name", BACKEND)
def test_weighted_points(name):
    if not BACKENDS[name].capabilities.weights:
        with pytest.raises(CapabilityError, match="weights"):
            solve(instance(3, weighted=True), name)
        return
    for seed in range(8):
        model = instance(seed, n_max=20, weighted=True)
        solution = solve(model, name)
        check(solution, solve(model, "transport").objective)
        if BACKENDS[name].capabilities.exact:
            assert len({point for point, _, _ in solution.splits}) <= max(0, model.polytope.n_clusters - 1)


@pytest.mark.parametrize("name", BACKEND)
def test_warm_start(name):
    model = instance(4, n_max=40, k_max=4)
    cold = solve(model, name)
    if not BACKENDS[name].capabilities.warm_start:
        with pytest.raises(CapabilityError, match="transport"):
            solve(model, name, warm_start=cold.prices)
        return
    for prices in (cold.prices, np.zeros_like(cold.prices), 100.0 * cold.prices + 1.0):
        check(solve(model, name, warm_start=prices), cold.objective)


@pytest.mark.parametrize("name", BACKEND)
def test_time_limit(name):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 3))
    model = AssignmentModel.lsa(X, X[:20], PartitionPolytope(3000, 150, 150, n_clusters=20))
    if not BACKENDS[name].capabilities.time_limit:
        with pytest.raises(CapabilityError, match="time_limit"):
            solve(model, name, time_limit=1e-6)
        return
    solution = solve(model, name, time_limit=1e-6)
    assert solution.status in (Status.TIME_LIMIT, Status.OPTIMAL)
    if not solution.has_point:
        assert solution.labels is None


@pytest.mark.parametrize("block", range(10))
def test_fifty_small_instances_equal_brute_force(block):
    for seed in range(50 * block, 50 * block + 50):
        model = instance(seed, n_max=10, k_max=3, kind=("real", "tied")[seed // 2 % 2])
        check(solve(model), brute_force(model))


def _agree(seed: int, n: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + 2.0 * rng.normal(size=(k, 3))[rng.integers(0, k, n)]
    X = np.round(X) if seed % 3 == 0 else X
    sites = X[rng.choice(n, k, replace=False)]
    lower = rng.integers(0, n // k + 1)
    polytope = PartitionPolytope(n, lower, lower + -(-n // k), n_clusters=k)
    model = (AssignmentModel.csa if seed % 2 else AssignmentModel.lsa)(X, sites, polytope)
    solutions = [solve(model, name) for name in ("transport", "highs", "scipy")]
    magnitude = solutions[0].verify().magnitude
    for solution in solutions:
        assert solution.verify().verified
        assert abs(solution.objective - solutions[0].objective) <= 1e-9 * magnitude


@pytest.mark.parametrize("seed", range(12))
def test_backends_agree(seed):
    _agree(seed, n=int(50 + 20 * seed), k=2 + seed % 6)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_backends_agree_full(seed):
    _agree(seed, n=int(np.random.default_rng(seed).integers(200, 2001)), k=2 + seed % 19)
