"""Points gathered into cells: what is proved with them holds for the points, and loses little."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from partitope.base.deadline import Deadline
from partitope.models import PartitionPolytope
from partitope.solvers import solve_global
from partitope.solvers.global_optimum.bound_by_parts import boxes
from partitope.solvers.global_optimum.low_dimension import columns
from partitope.solvers.global_optimum.low_dimension.cells import Cells, Priced, Shape, cheapest_of_cells
from partitope.solvers.global_optimum.low_dimension.columns import box_of, column_bound
from partitope.solvers.global_optimum.low_dimension.pricing import search_centres


def _instance(seed, n, d, count):
    rng = np.random.default_rng(seed)
    P, w = rng.normal(size=(n, d)), rng.integers(1, 3, n).astype(float) if seed % 2 else np.ones(n)
    cells = Cells.of(P, w, count)
    prices = (cells.means**2).sum(axis=1) + rng.normal(size=len(cells.means))
    slopes, of_points = rng.normal(size=cells.means.shape), np.empty(n)
    for q, rows in enumerate(boxes(P, np.arange(n), max(1, n // count))):
        g = prices[q] - cells.means[q] @ cells.means[q]
        of_points[rows] = (P[rows] ** 2).sum(axis=1) + g + (P[rows] - cells.means[q]) @ slopes[q]
    return P, w, cells, prices, slopes, of_points


@pytest.mark.full
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_no_cluster_is_cheaper(seed, d):
    """All sets of ten points, at fixed centres and at their own ones; with a cell a point nothing is lost."""
    lower, upper = ((0.0, 99.0), (4.0, 6.0), (9.0, 10.0), (1.0, 2.0))[seed // 2]
    for count in (1, 3, 10):
        P, w, cells, prices, slopes, of_points = _instance(seed, 10, d, count)
        sets = [np.array(s, dtype=int) for m in range(11) for s in combinations(range(10), m)]
        sets = [s for s in sets if lower <= w[s].sum() <= upper]
        centre, work = np.random.default_rng(seed).normal(size=d), np.zeros((3, len(prices)))
        priced = Priced(cells.means, cells.masses, prices, lower, upper, False)
        own = Shape(slopes, cells.reach, cells.spread)
        found = cheapest_of_cells(priced, own, centre, work)
        r = w * (((P - centre) ** 2).sum(axis=1) - of_points)
        least = min(r[s].sum() for s in sets)
        assert found <= least + 1e-9
        if count == 10 and seed % 2 == 0:
            assert found >= least - 0.02 * np.abs(r).sum()
        bound, _, _ = search_centres(priced, own, *box_of(P), 1e-2, 10_000, np.zeros(1, np.int64))
        assert bound <= _cheapest_at_its_centre(P, w, of_points, sets) + 1e-9


def _cheapest_at_its_centre(P, w, prices, sets):
    costs = []
    for s in sets:
        mean = np.average(P[s], axis=0, weights=w[s]) if len(s) else np.zeros(P.shape[1])
        costs.append(float((w[s] * (((P[s] - mean) ** 2).sum(axis=1) - prices[s])).sum()))
    return min(costs)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(6))
def test_bounds_from_cells_hold(seed, monkeypatch):
    """Small instances whose optimum is known, gathered into few cells."""
    monkeypatch.setattr(columns, "CELLS", (2 + seed % 3, 4))
    rng, d = np.random.default_rng(seed), 1 + seed % 3
    X = rng.normal(size=(16, d)) + 1e3 * (seed % 2) + 4.0 * rng.integers(0, 2, size=(16, 1))
    polytope = PartitionPolytope(16, 4, 12, n_clusters=2)
    optimum = solve_global(X, polytope).objective
    assert column_bound(X, polytope, optimum, gap=1e-3, deadline=Deadline(None)) <= optimum
