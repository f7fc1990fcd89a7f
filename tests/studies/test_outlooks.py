"""Outlooks of the dissertation: edges of the polytope, and thresholds by variance."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from partitope.models.polytope.polytope import PartitionPolytope
from studies import edges, variance_threshold


@pytest.mark.parametrize("seed", range(20))
def test_the_largest_mean_cycle_is_that_of_an_enumeration(seed):
    rng = np.random.default_rng(seed)
    weights = np.where(rng.random((4, 4)) < 0.5, rng.normal(size=(4, 4)), -np.inf)
    np.fill_diagonal(weights, -np.inf)
    cycles = [c for length in (2, 3, 4) for c in permutations(range(4), length)]
    best = max(np.mean([weights[a, b] for a, b in zip(c, c[1:] + c[:1])]) for c in cycles)
    assert edges.largest_mean_cycle(weights)[0] == pytest.approx(best)


def test_edges_and_neighbours_end_where_they_say():
    X = np.random.default_rng(0).normal(size=(60, 3))
    X -= X.mean(axis=0)
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    polytope = PartitionPolytope(60, lower=[10] * 4, upper=[20] * 4)
    first = edges.programs(X, polytope, np.eye(4, 3) - np.eye(4, 3, -3), 1)[0]
    labels, steps = edges.along_edges(X, polytope, first)
    assert steps > 0
    assert edges.norms(X, labels, 4) > edges.norms(X, first, 4)
    sites = edges.directions(X, labels, 4)  # no program at its sites is better
    again = edges.programs(X, polytope, sites, 1)[0]
    assert np.sum(X * sites[again]) == pytest.approx(np.sum(X * sites[labels]))
    last = edges.with_neighbours(X, squares, polytope, sites)[0]
    f = edges.norms(X, last, 4)
    assert f >= edges.norms(X, labels, 4) - 1e-9
    for p, q in permutations(range(60), 2):
        other = last.copy()
        other[[p, q]] = other[[q, p]]
        assert edges.norms(X, other, 4) <= f + 1e-9
    assert edges.best_of(np.array([1.0, 2.0, 4.0]), 2) == pytest.approx((2 + 4 + 4) / 3)


def test_thresholds_by_variance():
    f, positive = np.array([0.1, 0.2, 0.4, 0.8, 0.9]), np.array([False, False, True, True, True])
    assert variance_threshold.two_groups(f) == pytest.approx(0.6)
    assert variance_threshold.most_accurate(f, positive) == pytest.approx(0.3)
    v = np.full(5, 0.04)
    said = variance_threshold.decisions((f, v), (np.array([0.35, 0.65]), v[:2]), positive)
    assert [said[rule].tolist() for rule in ("half", "lower limit", "upper limit", "two groups", "tuned")] == [
        [False, True], [False, False], [True, True], [False, True], [True, True]
    ]  # fmt: skip
