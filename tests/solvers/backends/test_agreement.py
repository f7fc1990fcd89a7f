"""The routes to one optimum: brute force on small instances, every backend on larger ones."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.solvers import BACKENDS, solve
from partitope.testing import DATA, SHAPES, judge, random_model


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
    for name in BACKENDS:
        solution, accuracy = solve(model, name), BACKENDS[name].capabilities.accuracy
        worst = max(worst, abs(solution.objective - reference.objective) / (scale * accuracy))
        worst = max(worst, judge(solution).worst / accuracy)
    return worst


@pytest.mark.parametrize("seed", range(20))
def test_every_backend_has_the_same_optimum(seed):
    assert _disagreement(seed) <= 1.0
