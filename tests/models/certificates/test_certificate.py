"""The certificate accepts what is optimal and fails on every kind of wrong answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from partitope.models import AssignmentModel, ExchangeGraph, PartitionPolytope, check_assignment
from partitope.solvers import solve
from partitope.testing import judge, random_model

KINDS = st.sampled_from(["csa", "lsa"])
SEEDS = st.integers(0, 2**32 - 1)


def _solved(seed, n=40, k=4, **options):
    model = random_model(seed, n, k, **options)
    return model, solve(model)


@settings(max_examples=40, deadline=None)
@given(SEEDS, KINDS, st.sampled_from(["equal", "free", "mixed"]))
def test_optimal_solutions_pass_and_the_independent_checker_agrees(seed, kind, shape):
    model, solution = _solved(seed, kind=kind, shape=shape)
    certificate = check_assignment(model, solution.labels, solution.prices)
    assert certificate.verified
    assert judge(solution).worst < 1e-12
    assert certificate.primal_objective == pytest.approx(model.value(solution.labels))


@settings(max_examples=60, deadline=None)
@given(SEEDS, KINDS)
def test_a_worse_labelling_fails(seed, kind):
    model, solution = _solved(seed, kind=kind)
    rng = np.random.default_rng(seed)
    wrong = solution.labels.copy()
    a, b = rng.choice(len(wrong), 2, replace=False)
    wrong[[a, b]] = wrong[[b, a]]  # sizes stay as they are
    loss = solution.objective - model.value(wrong)
    assume(loss > 1e-6 * check_assignment(model, solution.labels, solution.prices).magnitude)
    certificate = check_assignment(model, wrong, solution.prices)
    assert certificate.primal_feasible
    assert not certificate.verified
    assert certificate.gap * certificate.magnitude == pytest.approx(loss)


@settings(max_examples=60, deadline=None)
@given(SEEDS, KINDS, st.sampled_from(["equal", "mixed"]))
def test_wrong_prices_fail(seed, kind, shape):
    model, solution = _solved(seed, kind=kind, shape=shape)
    rng = np.random.default_rng(seed)
    wrong = rng.normal(size=4) * 10
    gamma = model.score_source.dense()
    loss = (gamma - wrong).max(axis=1) - (gamma - wrong)[np.arange(40), solution.labels]
    assume(loss.max() > 1e-3)
    certificate = check_assignment(model, solution.labels, wrong)
    assert not certificate.verified
    assert certificate.gap > 0


def test_a_price_of_the_wrong_sign_fails():
    # both clusters have room on both sides: any price but zero is wrong, whatever it does to the points
    model = AssignmentModel(PartitionPolytope(4, 0, 4, n_clusters=2), [[1, 0], [1, 0], [0, 1], [0, 1]])
    assert check_assignment(model, [0, 0, 1, 1], [0, 0]).verified
    for price in (0.5, -0.5):
        certificate = check_assignment(model, [0, 0, 1, 1], [price, 0])
        assert not certificate.complementary
        assert not certificate.verified


def test_a_certificate_prints_what_it_found():
    model, solution = _solved(0)
    certificate = check_assignment(model, solution.labels, solution.prices)
    assert repr(certificate).startswith("Certificate(verified=True, gap=")
    assert "optimal" not in repr(certificate)  # that is known after a rational check only, and then `verified` says it


def test_the_sign_convention():
    scores = [[3.0, 0.0], [2.0, 0.0], [1.0, 0.0]]
    full = solve(AssignmentModel(PartitionPolytope(3, 0, [1, 3]), scores))  # cluster 0 is full: it has a price
    assert full.prices[0] > 0
    short = solve(AssignmentModel(PartitionPolytope(3, [0, 2], 3), scores))  # cluster 1 is short: it is paid for
    assert short.prices[1] < 0 or short.prices[0] > 0
    assert full.verify().verified
    assert short.verify().verified


def test_networkx_finds_the_same_proof_in_the_exchange_graph():
    import networkx as nx

    def arcs(found, patience=0.0):
        where = np.argwhere(np.isfinite(found.lengths) & ~np.eye(len(found.lengths), dtype=bool))
        graph = nx.DiGraph()
        graph.add_weighted_edges_from((int(i), int(l), found.lengths[i, l] + patience) for i, l in where)
        return graph

    model, solution = _solved(4, n=30, k=4)
    best = ExchangeGraph.of(model, solution.labels)
    assert not nx.negative_edge_cycle(arcs(best, 1e-12 * best.scale))
    prices = best.prices()
    assert all(w >= prices[a] - prices[b] - 1e-9 for a, b, w in arcs(best).edges(data="weight") if max(a, b) < 4)
    wrong = solution.labels.copy()
    a, b = 0, int(np.flatnonzero(wrong != wrong[0])[0])
    wrong[[a, b]] = wrong[[b, a]]
    worse = ExchangeGraph.of(model, wrong)
    graph = arcs(worse)
    assert nx.path_weight(graph, nx.find_negative_cycle(graph, int(wrong[a])), "weight") < 0
    proof = worse.negative_cycle()
    assert model.value(proof.apply(wrong)) - model.value(wrong) == pytest.approx(proof.gain)
