"""Starting sites: the draws of scikit-learn's k-means++, on a sample of many points, without a copy of them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.cluster import kmeans_plusplus

from partitope.base.errors import InvalidInputError
from partitope.models import PartitionPolytope
from partitope.solvers import GeometricPartitioner
from partitope.solvers.geometric import first_sites as starts
from partitope.solvers.geometric.partitioner import problem_of


def _points(seed, n, d):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) + rng.normal(size=d), rng.uniform(0.0, 2.0, n)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("directions", [False, True])
def test_draws_are_those_of_scikit_learn(seed, directions):
    n, d, k = 50 + 17 * seed, 2 + seed % 5, 1 + seed % 9
    X, weights = _points(seed, n, d)
    weights = weights if seed % 2 else None
    origin = X.mean(axis=0)
    whole = X - origin
    if directions:
        whole /= np.linalg.norm(whole, axis=1, keepdims=True)
    expected, _ = kmeans_plusplus(whole, k, sample_weight=weights, random_state=np.random.RandomState(seed))
    found = starts.spread_rows(X, origin, k, weights, np.random.RandomState(seed), directions)
    # the same rows, each measured with a rounding error of one subtraction and one quotient
    assert np.abs(found - expected).max() <= (d + 4) * np.finfo(float).eps * np.abs(expected).max()


def test_rows_at_the_origin_and_equal_rows():
    X = np.zeros((6, 2))
    for directions in (False, True):
        assert (starts.spread_rows(X, np.zeros(2), 3, None, np.random.RandomState(0), directions) == 0).all()
        assert (starts.spread_rows(X + 7.0, np.full(2, 7.0), 6, None, np.random.RandomState(0), directions) == 0).all()


def test_directions_of_the_unit_sphere_are_uniform_and_know_nothing_of_the_points():
    X, _ = _points(0, 3000, 3)
    problem = problem_of(X, PartitionPolytope.asked_for(3000, 2000, None, None), "csa")
    sites = problem.first_sites("sphere", np.random.RandomState(5))
    moved = problem_of(X[::-1] ** 3, problem.polytope, "csa").first_sites("sphere", np.random.RandomState(5))
    assert (sites == moved).all()
    assert np.allclose(np.linalg.norm(sites, axis=1), 1.0)
    # each coordinate of a uniform direction in three dimensions is uniform on [-1, 1]
    assert all(kstest(column, "uniform", args=(-1.0, 2.0)).pvalue > 0.001 for column in sites.T)
    with pytest.raises(InvalidInputError, match="init='sphere' is not known for objective 'lsa'"):
        GeometricPartitioner(2, init="sphere").fit(X)


@pytest.mark.parametrize("weighted", [False, True])
def test_of_a_large_table_a_sample_in_proportion_to_the_weights_is_read(weighted, monkeypatch):
    monkeypatch.setattr(starts, "SAMPLED", 64)
    monkeypatch.setattr(starts, "ROWS_PER_SITE", 4)
    X, _ = _points(3, 900, 4)
    weights = np.where(np.arange(900) % 30 == 0, 5.0, 0.0) if weighted else None
    found = starts.spread_rows(X, X[0], 6, weights, np.random.RandomState(0), False)
    rows = [int(np.flatnonzero((X - X[0] == site).all(axis=1))[0]) for site in found]
    assert len(set(rows)) == 6
    assert not weighted or all(row % 30 == 0 for row in rows)


@pytest.mark.full
@pytest.mark.parametrize(
    ("objective", "weighted", "init"),
    [("csa", False, "k-means++"), ("lsa", False, "random"), ("lsa", True, "k-means++")],
)
def test_a_fit_never_copies_the_points(tmp_path, monkeypatch, objective, weighted, init):
    """float32 points in memory and on disk: the largest memory in use stays far below a copy of them."""
    n, d = 48_000, 400  # so many that samples and blocks of a fixed size do not count
    X = np.lib.format.open_memmap(tmp_path / "points.npy", "w+", np.float32, (n, d))
    X[:] = np.random.default_rng(0).normal(size=(n, d))
    weights = np.random.default_rng(1).uniform(0.5, 1.5, n) if weighted else None
    bounds = {} if weighted else {"lower": n // 5, "upper": n // 3}
    model = GeometricPartitioner(4, objective=objective, init=init, random_state=0, max_iter=2, **bounds)
    for points in (np.load(tmp_path / "points.npy", mmap_mode="r"), np.array(X)):
        largest = np.inf
        for _ in range(5):  # a fit that compiles a kernel takes memory of its own: some fit does not
            model.fit(points, sample_weight=weights)
            tracemalloc.start()
            try:
                model.fit(points, sample_weight=weights)
                largest = min(largest, tracemalloc.get_traced_memory()[1])
            finally:
                tracemalloc.stop()
            if largest < X.nbytes / 2:
                break
        assert largest < X.nbytes / 2
