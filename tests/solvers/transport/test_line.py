from __future__ import annotations

import numpy as np
import pytest

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve
from partitope.solvers.transport.passes.rows import kernel_data
from partitope.solvers.transport.prices.line import line_of, line_prices


def instance(seed):
    """Points on a line, with ties, gaps, equal sites, and every kind of whole bounds."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 60)), int(rng.integers(1, 12))
    x = [rng.normal(size=n), rng.integers(0, 5, n), rng.exponential(size=n) ** 4, np.full(n, 3.0)][seed % 4]
    sites = np.where(rng.random(k) < 0.3, x[0], rng.normal(size=k) * 2)
    sizes = rng.multinomial(n, rng.dirichlet(np.ones(k)))
    lower = np.where(rng.random(k) < 0.3, 0, np.maximum(sizes - rng.integers(0, 4, k), 0))
    upper = np.where(rng.random(k) < 0.3, np.inf, sizes + rng.integers(0, 4, k))
    return x[:, None].astype(float), sites[:, None], lower.astype(float), upper


@pytest.mark.parametrize("seed", range(40))
def test_prices_of_a_line_are_optimal(seed):
    X, sites, lower, upper = instance(seed)
    model = AssignmentModel.lsa(X, sites, PartitionPolytope(len(X), lower, upper))
    prices = line_prices(line_of(kernel_data(model.scores)), lower, upper, None)
    gamma = model.scores.dense()
    bounds = np.where(prices > 0, np.minimum(upper, len(X)), lower)
    dual = (gamma - prices).max(axis=1).sum() + prices @ bounds
    assert dual == pytest.approx(solve(model, backend="highs").objective, abs=1e-9 * np.abs(gamma).sum())


@pytest.mark.parametrize("whole", [True, False])
def test_weights_on_a_line_leave_little_to_move(whole):
    rng = np.random.default_rng(0)
    X, sites = rng.normal(size=(2_000, 1)), rng.normal(size=(40, 1)) * 3
    weights = rng.integers(1, 5, 2_000).astype(float) if whole else rng.random(2_000)
    share = weights.sum() / 40
    solution = solve(
        AssignmentModel.lsa(X, sites, PartitionPolytope(2_000, [0.95 * share] * 40, 1.05 * share, weights))
    )
    assert solution.verify().verified
    assert solution.iterations < 80  # 15 000 from zeros
