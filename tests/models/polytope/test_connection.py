"""The demand that clusters are connected: how edges are read, what is within, and what is refused with which reason."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from partitope.base.errors import CapabilityError, InfeasibleBoundsError, InvalidInputError
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.programs.instances import read_instance

PATH = [[0, 1], [1, 2], [2, 3], [3, 4]]


def test_edges_are_pairs_a_graph_or_an_adjacency():
    graph = nx.path_graph(5)
    graph.add_edge(2, 2)
    given = [[*PATH, [1, 0], [3, 3]], graph, nx.to_scipy_sparse_array(graph), sp.csr_matrix(nx.to_numpy_array(graph))]
    for edges in given:
        connection = PartitionPolytope(5, n_clusters=2).connected(edges).connection
        assert connection.edges.tolist() == connection.written == PATH
        assert connection.weights.tolist() == [1.0] * len(PATH)


def test_every_form_of_a_graph_has_weights():
    weighted = [[3, 4, 0.5], [1, 0, 3.0], [2, 1, 2.0], [2, 3, 4.0]]
    graph = nx.Graph()
    graph.add_weighted_edges_from(weighted)
    one_way = sp.coo_array(([row[2] for row in weighted], tuple(zip(*[row[:2] for row in weighted]))), shape=(5, 5))
    both_ways = nx.to_scipy_sparse_array(graph, nodelist=range(5))
    for edges in (weighted, [*weighted, [0, 1, 3.0]], graph, nx.MultiGraph(graph), both_ways, one_way):
        connection = PartitionPolytope(5, n_clusters=2).connected(edges).connection
        assert connection.written == [[0, 1, 3.0], [1, 2, 2.0], [2, 3, 4.0], [3, 4, 0.5]]
        assert connection.arc_weights.tolist() == [3.0, 3.0, 2.0, 2.0, 4.0, 4.0, 0.5, 0.5]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([[0, 5]], r"edges holds \[0, 5\], expected points from 0 to 4"),
        ([[0, 1, 2, 3]], r"edges has shape \(1, 4\)"),
        ([[0, 0.5, 2]], r"edges has shape \(1, 3\)"),
        ([[0.5, 1.0]], "whole numbers"),
        (nx.path_graph(4), "graph of 4 nodes, expected nodes 0 to 4"),
        (sp.csr_array((4, 4)), r"expected \(5, 5\)"),
    ],
)
def test_bad_edges_are_refused(edges, message):
    with pytest.raises(InvalidInputError, match=message):
        PartitionPolytope(5, n_clusters=2).connected(edges)


def test_what_is_within_is_counted_by_hand():
    path = PartitionPolytope(5, 1, 4, n_clusters=2).connected(PATH)
    assert len(list(path.enumerate())) == 8  # four places to cut, two ways to name the parts
    assert path.is_discrete
    assert path.whole_points
    assert repr(path).endswith("whole points, connected clusters (4 edges)>")
    with pytest.raises(InvalidInputError, match="call connected"):
        path.connected(PATH)


@pytest.mark.parametrize(
    ("polytope", "edges", "message"),
    [
        (PartitionPolytope(5, 2, 3, n_clusters=2), PATH[:3], "component of the graph, with points 4, has size 1"),
        (
            PartitionPolytope(5, 1, 3, n_clusters=2),
            PATH[:1],
            "4 components of the graph need 4 clusters, but there are 2",
        ),
        (
            PartitionPolytope(5, 2, 5, n_clusters=2).fix([0], [0]),
            [[0, 1], [2, 3]],
            "component of the graph, with points 4, has size 1",
        ),
        (PartitionPolytope(4, 2, 3, [1, 1, 1, 3], n_clusters=2), [[0, 1], [1, 2], [0, 2]], None),
        (PartitionPolytope(4, 4, 6, [1, 3, 5, 1], n_clusters=2), PATH[:3], None),
        (
            PartitionPolytope(3, 4, 6, [3, 4, 3], n_clusters=2),
            PATH[:2],
            "point 0 has size 3, and its neighbours are too",
        ),
        (PartitionPolytope.even(3, 2, 0.2, people=[3, 4, 3]), PATH[:2], "point 0 has people 3, and its neighbours are"),
        (
            PartitionPolytope(3, 1, 6, [1, 7, 3], n_clusters=2),
            PATH[:2],
            "point 1 has size 7, more than any upper bound",
        ),
    ],
)
def test_what_cannot_be_served_is_refused_with_the_reason(polytope, edges, message):
    connected = polytope.connected(edges)
    if message is None:
        connected.check()
        return
    assert not list(connected.enumerate())
    with pytest.raises(InfeasibleBoundsError, match=message):
        connected.check()


def test_closed_clusters_need_no_component():
    PartitionPolytope(4, 2, 4, n_clusters=3).optional().connected([[0, 1], [2, 3]]).check()
    with pytest.raises(InfeasibleBoundsError, match="need 2 clusters, but there are 1"):
        PartitionPolytope(4, 2, 4, n_clusters=3).optional(most=1).connected([[0, 1], [2, 3]]).check()


def test_it_is_written_read_and_refused_by_what_cannot_keep_it(tmp_path):
    model = AssignmentModel(PartitionPolytope(5, 2, 3, n_clusters=2).connected(PATH), np.eye(5, 2))
    again = read_instance(model.write(tmp_path / "model.json"))
    assert again.polytope.connection.edges.tolist() == PATH
    weighted = AssignmentModel(PartitionPolytope(3, n_clusters=2).connected([[0, 1, 2.5], [2, 1, 1.0]]), np.eye(3, 2))
    again = read_instance(weighted.write(tmp_path / "weighted.json"))
    assert again.polytope.connection.written == [[0, 1, 2.5], [1, 2, 1.0]]
    with pytest.raises(CapabilityError, match="network of integer flows cannot hold the connected clusters"):
        model.to_networkx()
