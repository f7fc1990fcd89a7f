"""The routes to one optimum: brute force on small instances, every backend on larger ones."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import BACKENDS, solve
from partitope.testing import DATA, SHAPES, brute_force, judge, random_bounds, random_model


def test_small_instances_equal_brute_force():
    equal, total = 0, 500
    for seed in range(total):
        rng = np.random.default_rng([seed, 77])
        n, k = int(rng.integers(1, 11)), int(rng.integers(1, 4))
        data, kind = DATA[seed % len(DATA)], ("csa", "lsa")[seed % 2]
        model = random_model(seed, n, k, int(rng.integers(1, 4)), data, SHAPES[seed % 3], kind)
        solution = solve(model)
        best = brute_force(model)
        scale = max(abs(best), solution.verify().magnitude)
        equal += abs(solution.objective - best) <= 1e-12 * scale and judge(solution).worst <= 1e-12
    assert equal == total


def _large(seed, n, k):
    rng = np.random.default_rng([seed, 5])
    d = int(rng.integers(1, 6))
    X = rng.normal(size=(n, d)) if seed % 3 else rng.integers(-3, 4, (n, d)).astype(float)
    sites = rng.normal(size=(k, d)) if seed % 3 else rng.integers(-3, 4, (k, d)).astype(float)
    polytope = PartitionPolytope(n, *random_bounds(rng, n, k, SHAPES[seed % 3]))
    if seed % 2:
        return AssignmentModel.lsa(X, sites, polytope)
    return AssignmentModel.csa(X, sites / np.maximum(np.linalg.norm(sites, axis=1, keepdims=True), 1e-12), polytope)


def _agree(model):
    solutions = [solve(model, name) for name in ("transport", "highs", "scipy")]
    reference = solutions[0].objective
    for solution in solutions:
        certificate = solution.verify()
        assert certificate.verified, (solution.backend, certificate)
        scale = abs(reference) or certificate.magnitude
        assert abs(solution.objective - reference) <= 1e-9 * scale, solution.backend


@pytest.mark.parametrize("seed", range(20))
def test_three_backends_agree(seed):
    rng = np.random.default_rng([seed, 1])
    _agree(_large(seed, int(rng.integers(20, 400)), int(rng.integers(2, 10))))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_three_backends_agree_up_to_full_size(seed):
    rng = np.random.default_rng([seed, 2])
    n, k = (2000, 20) if seed < 10 else (int(rng.integers(100, 2001)), int(rng.integers(2, 21)))
    _agree(_large(seed, n, k))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("kind", ["csa", "lsa"])
def test_scaled_shifted_permuted_data_give_the_same_value(scale, kind):
    rng = np.random.default_rng(3)
    X, sites = rng.normal(size=(150, 3)), rng.normal(size=(5, 3))
    lower, upper = random_bounds(rng, 150, 5, "mixed")
    rows, columns, shift = rng.permutation(150), rng.permutation(5), rng.normal(size=3) * 10
    plain = PartitionPolytope(150, lower, upper)
    mixed = PartitionPolytope(150, lower[columns], upper[columns])
    for backend in ("transport", "highs", "scipy"):
        if kind == "lsa":
            before = AssignmentModel.lsa(X, sites, plain)
            after = AssignmentModel.lsa(scale * (X + shift)[rows], scale * (sites + shift)[columns], mixed)
            factor = scale**2
        else:
            before = AssignmentModel.csa(X, sites, plain)
            after = AssignmentModel.csa(scale * X[rows], sites[columns], mixed)
            factor = scale
        one, two = solve(before, backend), solve(after, backend)
        assert two.objective == pytest.approx(factor * one.objective, rel=1e-9)
        if kind == "lsa":
            assert after.cost(two.labels) == pytest.approx(factor * before.cost(one.labels), rel=1e-9)


def _disagreement(seed):
    """Largest distance of any backend's optimum from the engine's, in units of the accuracy that it declares."""
    rng = np.random.default_rng([seed, 9])
    n, k = int(rng.integers(2, 60)), int(rng.integers(1, 7))
    model = random_model(
        seed, n, k, int(rng.integers(1, 5)), DATA[seed % 5], SHAPES[seed % 4], ("csa", "lsa")[seed % 2]
    )
    reference = solve(model)
    scale = max(abs(reference.objective), reference.verify().magnitude)
    worst = 0.0
    for name in BACKENDS.available():
        solution, accuracy = solve(model, name), BACKENDS[name].capabilities.accuracy
        worst = max(worst, abs(solution.objective - reference.objective) / (scale * accuracy))
        worst = max(worst, judge(solution).worst / accuracy)
    return worst


@pytest.mark.parametrize("seed", range(20))
def test_every_backend_has_the_same_optimum(seed):
    assert _disagreement(seed) <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_every_backend_has_the_same_optimum_full(seed):
    assert _disagreement(seed) <= 1.0
