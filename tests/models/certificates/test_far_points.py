"""Few points far from all others, each with a site of its own: what is verified is optimal for the near ones, too."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from partitope.base.status import Status
from partitope.cluster import BalancedKMeans
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.certificates.certificate import check_assignment
from partitope.solvers import solve
from partitope.solvers.geometric.problem import ClusterStatistics


def _costs(X, sites):
    """Squared distances (n, k) as fractions."""
    pairs = [[zip(map(Fraction, x), map(Fraction, a)) for a in sites.tolist()] for x in X.tolist()]
    return [[sum((x - a) ** 2 for x, a in pair) for pair in row] for row in pairs]


def _optimum(costs, lower, upper, weights, allowed):
    """The least total cost, by a network code in whole numbers."""
    unit, graph = max(c.denominator for row in costs for c in row), nx.DiGraph()
    for j, row in enumerate(costs):
        graph.add_node(("point", j), demand=-int(weights[j]))
        for i in np.flatnonzero(allowed[j]).tolist():
            graph.add_edge(("point", j), i, weight=int(row[i] * unit), capacity=int(weights[j]))
    for i, (low, up) in enumerate(zip(lower, upper)):
        graph.add_node(i, demand=int(low))
        graph.add_edge(i, "rest", weight=0, capacity=int(up - low))
    graph.add_node("rest", demand=int(sum(weights) - sum(lower)))
    return Fraction(nx.network_simplex(graph)[0], unit)


def _cost(costs, labels, splits, weights):
    held = {j: {i: Fraction(1)} for j, i in enumerate(labels.tolist())}
    for j in {j for j, _, _ in splits}:
        held[j] = {i: Fraction(share) for point, i, share in splits if point == j}
        held[j] = {i: share / sum(held[j].values()) for i, share in held[j].items()}
    return sum(int(weights[j]) * share * costs[j][i] for j in held for i, share in held[j].items())


def _instance(seed):
    rng = np.random.default_rng(seed)
    d, k, n, far = rng.integers(1, 6), rng.integers(2, 4), rng.integers(8, 15), rng.integers(1, 4)
    unit, ratio = 10.0 ** rng.uniform(-3, 3), 10.0 ** rng.uniform(6.5, 13)
    centres = 5.0 * rng.normal(size=(k, d))
    near = unit * (centres[rng.integers(k, size=n)] + 0.3 * rng.normal(size=(n, d)))
    sites = unit * (centres + 0.1 * rng.normal(size=(k, d)))
    if seed % 5 == 0:  # sites that become equal when the mean is taken off
        sites[1] = sites[0] + 1e-3 * unit * rng.normal(size=d)
    away = rng.normal(size=(far, d))
    away *= unit * ratio / np.linalg.norm(away, axis=1, keepdims=True)
    if far > 1 and seed % 3 == 0:  # two of them near each other
        away[1] = away[0] + 10.0 * unit * rng.normal(size=d)
    X, sites = rng.permutation(np.vstack([near, away])), rng.permutation(np.vstack([sites, away]))
    weights = rng.integers(1, 5, len(X)) if seed % 4 == 0 else np.ones(len(X), dtype=int)
    lower = np.full(len(sites), seed % 2)
    upper = np.full(len(sites), int(weights.sum() / k * rng.uniform(1, 1.4)) + 2)
    allowed = np.ones((len(X), len(sites)), dtype=bool)
    if seed % 7 == 0:
        allowed = rng.random(allowed.shape) < 0.85
        allowed[np.arange(len(X)), ((X[:, None] - sites) ** 2).sum(axis=2).argmin(axis=1)] = allowed[:, 0] = True
    return X, sites, weights, lower, upper, allowed


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_what_is_verified_is_optimal_for_the_near_points(start):
    verified = 0
    for seed in range(start, start + 10):
        X, sites, weights, lower, upper, allowed = _instance(seed)
        polytope = PartitionPolytope(len(X), lower, upper, None if (weights == 1).all() else weights)
        model = AssignmentModel.lsa(X, sites, polytope if allowed.all() else polytope.allow(allowed))
        solution, costs = solve(model), _costs(X, sites)
        best = _optimum(costs, lower, upper, weights, allowed)
        right = _cost(costs, solution.labels, solution.splits, weights) <= best * (1 + Fraction(1, 10**9))
        assert right or not solution.verify().verified
        assert right or solution.status is Status.NUMERICAL
        verified += right and solution.verify().verified
    assert verified >= 8


@pytest.mark.parametrize("far", [1e9, 1e10, 1e11, 1e12])
def test_a_code_for_missing_values_does_not_hide_what_near_points_lose(far):
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0, 0.1, 10), rng.normal(5, 0.1, 10), far][:, None]
    sites, truth = np.array([[0.0], [5.0], [far]]), np.repeat([0, 1, 2], [10, 10, 1])
    polytope = PartitionPolytope(21, 1, 10, n_clusters=3)
    solution = solve(AssignmentModel.lsa(X, sites, polytope))
    assert solution.labels.tolist() == truth.tolist()
    assert solution.verify().verified
    assert solution.verify(exact=True).verified
    fit = BalancedKMeans(3, lower=1, upper=10, random_state=0).fit(X)
    assert fit.inertia_ == pytest.approx(solution.cost, rel=0.2)
    assert fit.partition_.certificate.verified
    # an origin far from all digits of the near points: the right answer, and a wrong one is not verified
    model = AssignmentModel.lsa(X, sites, polytope, origin=far / 20)
    wrong = truth.copy()
    wrong[[0, 10]] = wrong[[10, 0]]
    for labels in (truth, wrong):
        assert check_assignment(model, labels, solution.prices).verified == (labels is truth)


@pytest.mark.parametrize("away", [1e9, 3e10, 1e12])
def test_the_objective_of_sites_far_away_is_no_zero_that_ends_an_alternation(away):
    X, site = np.array([0.0, 2.0]), np.array([[away]])
    step = ClusterStatistics(np.array([[2.0]]), np.array([2.0]), float(((X - away) ** 2).sum()))
    value, centres = step.improve("lsa", site)
    assert centres.tolist() == [[1.0]]
    assert value >= 2.0  # what it is at the mean
