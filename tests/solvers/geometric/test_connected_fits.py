"""Fits whose clusters are connected."""

import networkx as nx
import numpy as np
import pytest

from partitope.cluster import BalancedKMeans
from partitope.models import InfeasibleBoundsError, PartitionPolytope
from partitope.solvers import GeometricPartitioner

GRID = nx.convert_node_labels_to_integers(nx.grid_2d_graph(6, 5), ordering="sorted")


@pytest.mark.parametrize("objective", ["lsa", "csa"])
@pytest.mark.parametrize("weighted", [False, True])
def test_fits_are_connected_and_within_all_bounds(objective, weighted):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 2))  # where a point lies says nothing of its neighbours
    weights = np.column_stack([np.ones(30), rng.integers(1, 9, 30)]) if weighted else np.ones(30)
    mean = weights.sum(axis=0) / 3
    polytope = (
        PartitionPolytope(30, np.tile(0.8 * mean, (3, 1)), np.tile(1.2 * mean, (3, 1)), weights)
        if weighted
        else (PartitionPolytope(30, 8, 12, n_clusters=3))
    )
    polytope = polytope.connected(GRID)
    model = GeometricPartitioner(3, objective=objective, random_state=0).fit(X, polytope=polytope)
    assert polytope.contains(model.labels_)
    for cluster in range(3):
        assert nx.is_connected(GRID.subgraph(np.flatnonzero(model.labels_ == cluster).tolist()))
    assert "no other assignment" in model.partition_.certificate.verdict


def test_groups_that_stay_together_are_connected_too():
    X = np.random.default_rng(5).normal(size=(30, 2))
    polytope = PartitionPolytope(30, 8, 12, n_clusters=3).connected(GRID).together([[0, 1], [7, 8]])
    labels = BalancedKMeans(3, random_state=0).fit(X, polytope=polytope).labels_
    assert polytope.contains(labels)


def test_what_cannot_be_connected_is_refused():
    star = nx.star_graph(5)
    with pytest.raises(InfeasibleBoundsError, match="not to connected ones"):
        BalancedKMeans(2, random_state=0).fit(
            np.eye(6, 2), polytope=PartitionPolytope(6, 3, 3, n_clusters=2).connected(star)
        )
