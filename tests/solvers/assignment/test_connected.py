"""Connected clusters at given scores: against all clusterings, connected as networkx says."""

import networkx as nx
import numpy as np
import pytest
from scipy.spatial import Delaunay

from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.base.status import Status
from partitope.models import AssignmentModel, InfeasibleBoundsError, PartitionPolytope
from partitope.models.certificates.certificate import check_assignment
from partitope.solvers import evenest, read_back, solve


def planar(rng, n):
    """Edges of a random planar graph, which may be in pieces."""
    corners = Delaunay(rng.random((n, 2))).simplices
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    edges = np.unique(np.sort(edges, axis=1), axis=0)
    return edges[rng.random(len(edges)) < rng.choice([0.5, 0.7, 0.9])]


def model_of(seed):
    """A program with a random mix of statements, and its graph."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 8)), int(rng.integers(2, 4))
    edges, weights = planar(rng, n), [None, rng.integers(1, 6, n).astype(float), rng.lognormal(size=n)][seed % 3]
    mean, width = (n if weights is None else weights.sum()) / k, rng.choice([0.3, 0.6])
    low, up = mean * (1 - width), mean * (1 + width)
    low, up = (np.floor(low), np.ceil(up)) if weights is None else (low, up)
    polytope = PartitionPolytope(n, low, up, weights, n_clusters=k).connected(edges)
    if seed % 4 == 1:
        polytope = polytope.together([int(group) if group < 2 else None for group in rng.integers(0, 6, n)])
    if seed % 5 == 2:
        polytope = polytope.optional(1, k, cost=0.5)
    graph = nx.Graph(edges.tolist())
    graph.add_nodes_from(range(n))
    return AssignmentModel(polytope, rng.normal(size=(n, k))), graph


def best_of_all(model, graph):
    """The value of the best connected clustering, by enumeration."""
    values = [-np.inf]
    for labels in model.polytope.without("connected").enumerate():
        if all(nx.is_connected(graph.subgraph(np.flatnonzero(labels == i).tolist())) for i in np.unique(labels)):
            values.append(model.value(labels))
    return max(values)


@pytest.mark.parametrize("seed", range(24))
def test_the_best_of_all_connected_clusterings(seed):
    model, graph = model_of(seed)
    best = best_of_all(model, graph)
    if best == -np.inf:
        with pytest.raises(InfeasibleBoundsError):
            solve(model)
        return
    found = solve(model)
    assert model.polytope.contains(found.labels)
    assert found.objective == pytest.approx(best, abs=1e-9)
    assert found.bound.upper >= best - 1e-9
    assert found.verify().verdict


def test_why_there_is_none_is_said():
    star = PartitionPolytope(5, 2, 3, n_clusters=2).connected([[0, 1], [0, 2], [0, 3], [0, 4]])
    with pytest.raises(InfeasibleBoundsError, match="within size 2 to 3, but not to connected ones"):
        solve(AssignmentModel(star, np.zeros((5, 2))))


def test_what_cannot_keep_clusters_connected_refuses():
    path = PartitionPolytope(4, 2, 2, n_clusters=2).connected([[0, 1], [1, 2], [2, 3]])
    model = AssignmentModel(path, np.arange(8.0).reshape(4, 2) ** 2)
    with pytest.raises(CapabilityError, match="'scipy' does not support mip"):
        solve(model, "scipy")
    with pytest.raises(CapabilityError, match=r"evenest does not take connected clusters.*use solve"):
        evenest(path)
    with pytest.raises(InvalidInputError, match="is in 2 pieces"):
        check_assignment(model, [0, 1, 1, 0], np.zeros(2))
    assert read_back(model, [0, 0, 1, 1]).bound.upper >= model.value(np.array([0, 0, 1, 1]))


@pytest.mark.parametrize("seed", range(6))
def test_exports_state_connection_by_flows(seed):
    rng = np.random.default_rng(seed)
    n, k = 7, 3
    edges = [[i, i + 1] for i in range(n - 1)] + rng.integers(n, size=(3, 2)).tolist()
    polytope = PartitionPolytope(n, 0 if seed % 2 else 1, 5, n_clusters=k).connected(edges)
    model = AssignmentModel(polytope, rng.normal(size=(n, k)))
    explicit = model.to_highs()
    explicit.run()
    found = read_back(model, explicit)
    assert found.objective == pytest.approx(solve(model).objective, abs=1e-9)
    best = max(model.value(np.array(y)) for y in np.ndindex(*(k,) * n) if polytope.contains(y))
    assert found.objective == pytest.approx(best, abs=1e-9)
    assert found.status is Status.OPTIMAL
