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
