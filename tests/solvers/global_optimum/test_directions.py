"""Cuts by lines: no clustering within the bounds exceeds the limit, and the bound gains by them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from partitope.base.deadline import Deadline
from partitope.base.status import Status
from partitope.models import LeastSquaresSDP, Links, PartitionPolytope
from partitope.solvers import solve_global
from partitope.solvers.global_optimum import directions

from ..relaxed_bound import relaxed_bound


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 6))])
def test_no_clustering_exceeds_a_limit(seed):
    rng = np.random.default_rng(seed)
    lower, upper = (3, 4) if seed % 2 else (np.array([2, 2, 3]), np.array([3, 4, 5]))
    polytope = PartitionPolytope(9, lower, upper, n_clusters=3)
    links = Links(9, must=[(0, 1)]) if seed % 3 == 2 else None
    X = rng.normal(size=(9, 2)) + 8.0 * (np.arange(9) < 5)[:, None]
    model = LeastSquaresSDP(X, polytope, links)
    Z = np.linalg.pinv(np.eye(len(model.masses)) + 0.05 * model.cost) / 2.0  # near points share more, sizes fit nothing
    rows, limits = directions.violated(model, Z, seed, Deadline(None))
    assert len(rows)
    assert (np.einsum("tb,bc,tc->t", rows, Z, rows) > limits).all()
    for labels in polytope.enumerate():
        if links is not None and not links.satisfied(labels):
            continue
        whole, sizes = np.zeros((len(rows), 3)), np.bincount(labels)
        first = np.unique(model.blocks, return_index=True)[1]  # rows are sums of binary fractions: no rounding
        for block, point in enumerate(first):
            whole[:, labels[point]] += rows[:, block]
        for t, limit in enumerate(limits):
            assert sum(Fraction(s) ** 2 / int(m) for s, m in zip(whole[t], sizes)) <= Fraction(limit)


def test_groups_that_no_sizes_fit(monkeypatch):
    """Two groups of 12 in three clusters of 8: one cluster takes of both, which pairs and triangles do not see.

    Lines see it, and boxes of centres close what is left.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 2)) + 30.0 * (np.arange(24) < 12)[:, None]
    model = LeastSquaresSDP(X, PartitionPolytope(24, 8, 8, n_clusters=3))
    with_lines = relaxed_bound(model, 8)
    monkeypatch.setattr(directions, "MOST", 0)
    assert with_lines > 5.0 * relaxed_bound(model, 8)
    larger = np.vstack([X, X + 0.1 * rng.normal(size=X.shape), rng.normal(size=(12, 2)) + 50.0])
    partition = solve_global(larger, PartitionPolytope(60, 18, 22, n_clusters=3), n_init=1)
    assert partition.bound.proof == "boxes of centres"
    assert partition.status is Status.OPTIMAL
