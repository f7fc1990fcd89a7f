"""Cluster-sum polytopes known by name, and vertices against the assignment program."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from partitope.models import AssignmentModel, ClusterSumPolytope, PartitionPolytope
from partitope.solvers import solve


def test_unit_bounds_give_the_permutohedron():
    for n, edges in ((2, 1), (3, 6), (4, 36)):
        sums = ClusterSumPolytope(np.arange(1.0, n + 1)[:, None], PartitionPolytope(n, 1, 1, n_clusters=n))
        assert sums.dimension == n - 1
        assert len(sums.vertices) == sums.polytope.count()
        assert len(sums.edges) == edges
        assert sums.diameter == n * (n - 1) // 2
        for a, b in sums.edges:  # neighbours exchange two consecutive values
            moves = sums.exchange(a, b)
            assert len(moves) == 2
            assert abs(moves[0][0] - moves[1][0]) == 1


def test_two_clusters_on_a_line_give_a_segment():
    sums = ClusterSumPolytope(np.array([[1.0], [2], [4], [8]]), PartitionPolytope(4, 2, 2, n_clusters=2))
    assert sums.dimension == 1
    assert sums.diameter == 1
    assert sorted(sums.vertices[:, 0, 0]) == [3.0, 12.0]
    assert len(sums.clusterings) == comb(4, 2)


def test_zonotope_of_free_sizes():
    rng = np.random.default_rng(0)  # two clusters without bounds: a zonotope; generic directions in the plane
    n = 5
    sums = ClusterSumPolytope(rng.normal(size=(n, 2)), PartitionPolytope(n, n_clusters=2))
    assert sums.dimension == 2
    assert len(sums.vertices) == len(sums.edges) == 2 * n
    assert sums.diameter == n
    for a, b in sums.edges:
        assert len(sums.exchange(a, b)) == 1


@pytest.mark.parametrize("seed", range(2))
def test_vertices_are_the_optimal_clusterings_of_some_sites(seed):
    rng = np.random.default_rng(seed)
    n, k = 6 - seed % 2, 3
    X = rng.normal(size=(n, 1 + seed % 2))
    polytope = PartitionPolytope(n, 1, 3, n_clusters=k)
    sums = ClusterSumPolytope(X, polytope)
    vertices = sums.vertices.reshape(len(sums.vertices), -1)
    seen = set()
    for _ in range(100):
        sites = rng.normal(size=(k, X.shape[1]))
        labels = solve(AssignmentModel.csa(X, sites, polytope)).labels
        value = np.stack([X[labels == i].sum(axis=0) for i in range(k)]).ravel()
        distance = np.abs(vertices - value).max(axis=1)
        assert distance.min() < 1e-9
        seen.add(int(distance.argmin()))
    assert len(seen) > len(vertices) // 4
    for clustering, point in zip(sums.clusterings[:50], sums.sums[:50]):
        again = np.stack([X[clustering == i].sum(axis=0) for i in range(k)])
        assert np.allclose(again, point)


def test_equal_points_share_a_vertex():
    sums = ClusterSumPolytope(np.array([[0.0], [0], [1], [1]]), PartitionPolytope(4, 2, 2, n_clusters=2))
    assert len(sums.vertices) == 2
    assert [len(members) for members in sums.vertex_clusterings] == [1, 1]
    same = ClusterSumPolytope(np.ones((4, 2)), PartitionPolytope(4, 2, 2, n_clusters=2))
    assert (same.dimension, len(same.vertices), same.diameter) == (0, 1, 0)
    assert len(same.vertex_clusterings[0]) == 6
