"""Searches of the flow, and what is between two looks at the clock."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra

from partitope.base.deadline import clock
from partitope.models.scores.scores import DenseScores
from partitope.solvers.transport.flow.dense_costs import dense_arcs
from partitope.solvers.transport.flow.dense_search import dense_paths
from partitope.solvers.transport.flow.dijkstra import no_paths, shortest_paths
from partitope.solvers.transport.flow.heaps import heaps_of
from partitope.solvers.transport.flow.nodes import nodes_at
from partitope.solvers.transport.flow.pieces import movable, whole_points
from partitope.solvers.transport.passes.candidates import Candidates
from partitope.solvers.transport.passes.rows import kernel_data
from partitope.solvers.transport.prices.first_prices import solve_flow
from partitope.solvers.transport.program import Program


def _state(seed, n, k, dense):
    """A matrix of scores, its nodes with all points in their best clusters, arcs, and reduced costs (k, k)."""
    scores, own = np.random.default_rng(seed).normal(size=(n, k)) * np.linspace(1.0, 5.0, k), np.arange(n)
    labels, prices = scores.argmax(axis=1), np.zeros(k)
    nodes = nodes_at(prices, np.bincount(labels, minlength=k).astype(float), np.full(k, n / k), np.full(k, n / k))
    differences = scores[own, labels][:, None] - scores
    cost = np.full((k, k), np.inf)
    np.minimum.at(cost, labels, differences)
    np.fill_diagonal(cost, np.inf)
    if dense:
        pieces = movable(whole_points(labels, None), k, split=False)
        return nodes, dense_arcs(kernel_data(DenseScores(scores)), pieces, k)[1], cost
    points, heads = np.nonzero(np.arange(k) != labels[:, None])
    found = Candidates(points, labels[points] * k + heads, differences[points, heads], np.full(k, np.inf), n / k)
    return nodes, heaps_of(prices, found), cost


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("most", [1, 4, 41])
def test_a_search_reaches_the_nearest_deficits_at_their_distances(dense, most):
    n, k = 400, 40
    nodes, heaps, cost = _state(3, n, k, dense)
    search = dense_paths if dense else shortest_paths
    exact = dijkstra(np.where(np.isfinite(cost), np.maximum(cost, 1e-300), 0.0))
    sources, sinks = np.flatnonzero(nodes.excess > 0), np.flatnonzero(nodes.excess < 0)
    nearest = exact[np.ix_(sources, sinks)].min(axis=0)
    paths = no_paths(k)
    found, end, short, settled = search(heaps, nodes, 0.5, 0.0, most, paths)
    assert short < 0
    assert found == min(most, sinks.size)
    assert settled <= k + 1
    np.testing.assert_allclose(end, np.sort(nearest)[found - 1], atol=1e-12)
    for v in paths.sinks[:found]:
        assert v in sinks
        np.testing.assert_allclose(paths.distance[v], nearest[sinks == v], atol=1e-12)
        while paths.parent[v] >= 0:
            v = paths.parent[v]
        assert v in sources


@pytest.mark.parametrize("weighted", [True, False])
def test_looks_at_the_clock_cut_no_search_short(weighted):
    rng = np.random.default_rng(5)
    n, k = 1500, 150
    X = np.exp(2.0 * rng.normal(size=(n, 3)))
    sites, weights = X[rng.choice(n, k, replace=False)], rng.integers(1, 4, n).astype(float) if weighted else None
    data = kernel_data(DenseScores(X @ sites.T - 0.5 * (sites**2).sum(axis=1)))
    total = float(n if weights is None else weights.sum())
    bounds = np.full(k, np.floor(0.9 * total / k)), np.full(k, np.ceil(1.1 * total / k))
    ends = [solve_flow(Program(data, *bounds, weights), None, deadline) for deadline in (np.inf, clock() + 1e6)]
    assert ends[0].searches == ends[1].searches
    assert ends[0].augmentations == ends[1].augmentations
    assert ends[0].augmentations > k
    np.testing.assert_array_equal(ends[0].prices, ends[1].prices)
