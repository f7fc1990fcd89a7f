"""The parts of the transport backend against plain NumPy, and the ways that only large problems take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve
from partitope.solvers.assignment.rounding import round_within
from partitope.solvers.transport.options import Options
from partitope.solvers.transport.passes import candidates
from partitope.solvers.transport.passes.candidate_lists import (
    moved_to,
    nearest_clusters,
)
from partitope.solvers.transport.passes.rows import kernel_data
from partitope.solvers.transport.prices import first_prices
from partitope.solvers.transport.prices.equal_points import EqualPoints


def _model(seed, n, k, d, tied=False, slack=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 2.0 * rng.normal(size=(k, d))[rng.integers(0, k, n)]
    X = np.round(X) if tied else X
    lower, upper = int((1 - slack) * n / k), int(np.ceil((1 + slack) * n / k))
    polytope = PartitionPolytope(n, lower, upper, n_clusters=k)
    return AssignmentModel.lsa(X, X[rng.choice(n, k, replace=False)], polytope)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 9_000), k=st.integers(1, 7), shared=st.booleans())
def test_candidates_are_the_points_below_their_cutoff(seed, n, k, shared):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=(n, k)), 1)
    prices, cutoff = rng.normal(size=k), rng.uniform(0.0, 1.5, k)
    data = kernel_data(AssignmentModel(PartitionPolytope(n, n_clusters=k), scores).score_source)
    labels = np.empty(n, np.int64)
    points, pairs, keys = candidates.collect_candidates(data, prices, cutoff, labels, 10.0, shared)
    reduced = scores - prices
    np.testing.assert_array_equal(labels, reduced.argmax(axis=1))
    gaps = reduced.max(axis=1, keepdims=True) - reduced
    others = np.arange(k) != labels[:, None]
    where = np.argwhere((gaps < cutoff[labels, None]) & others)
    np.testing.assert_array_equal(points, where[:, 0])
    np.testing.assert_array_equal(pairs, labels[where[:, 0]] * k + where[:, 1])
    np.testing.assert_array_equal(keys, gaps[where[:, 0], where[:, 1]])


def test_lists_of_all_clusters_are_in_their_order_with_nothing_outside():
    model = _model(4, 300, 30, 3)
    lists = nearest_clusters(kernel_data(model.score_source), np.linspace(-0.1, 0.1, 30), 30)
    np.testing.assert_array_equal(lists.clusters, np.tile(np.arange(30), (300, 1)))
    np.testing.assert_allclose(lists.values, model.score_source.dense(), rtol=1e-12, atol=1e-12)
    assert np.isneginf(lists.outside).all()
    assert moved_to(lists, np.zeros(30), np.ones(30)) is lists


@pytest.mark.parametrize("k", [40, 300])
def test_equal_points_are_merged_and_divided_again(k):
    rng = np.random.default_rng(k)
    X = rng.normal(size=(150, 2))[rng.integers(150, size=7_000)]
    model = AssignmentModel.lsa(
        X, rng.normal(size=(k, 2)), PartitionPolytope(7_000, 7_000 // k, -(-7_000 // k), n_clusters=k)
    )
    merged = EqualPoints.among(kernel_data(model.score_source)[0])
    assert merged is not None
    assert merged.counts.sum() == 7_000
    np.testing.assert_array_equal(np.repeat(X[merged.first], merged.counts.astype(int), axis=0), X[merged.order])
    solution = solve(model, backend="transport")
    assert solution.splits == ()
    assert solution.verify().verified


@pytest.mark.usefixtures("costs_of_small_clusters")
@settings(max_examples=120, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 400),
    k=st.integers(1, 20),
    tied=st.booleans(),
    slack=st.sampled_from([0.0, 0.1, 0.9]),
    weights=st.sampled_from([None, "real", "zeros"]),
    way=st.sampled_from(["many clusters", "many clusters, no prices", "samples of samples"]),
    per_point=st.sampled_from([0.0, 0.1, 2.0]),
)
@example(seed=0, n=384, k=2, tied=False, slack=0.0, weights="real", way="many clusters", per_point=0.0)
@example(seed=1, n=2, k=2, tied=True, slack=0.0, weights="zeros", way="many clusters", per_point=0.0)
def test_the_ways_of_large_problems_are_exact_for_small_ones(seed, n, k, tied, slack, weights, way, per_point):
    k = min(k, n)
    model = _model(seed, n, k, 2, tied, slack)
    if weights is not None:
        rng = np.random.default_rng(seed)
        w = rng.random(n) * (1.0 if weights == "real" else rng.random(n) < 0.7)
        w[0] = 1.0
        share = w.sum() / k
        polytope = PartitionPolytope(n, (1 - slack) * share, (1 + slack) * share, w, n_clusters=k)
        model = AssignmentModel(polytope, model.score_source)
    options = Options(many_clusters=2, most_per_point=per_point)
    if way == "samples of samples":
        options = Options(smallest_sample=8, sample_per_cluster=1, most_per_point=per_point)
    with pytest.MonkeyPatch.context() as patch:
        if way == "many clusters, no prices":
            patch.setattr(first_prices, "entropic_prices", lambda *arguments: None)
        solution = solve(model, options=options)
        again = [solve(model, warm_start=prices, options=options) for prices in (solution.prices, np.zeros(k))]
    for each in (solution, *again):
        certificate = each.verify()
        assert certificate.verified
        assert abs(certificate.gap) <= 1e-12


@pytest.mark.usefixtures("costs_of_small_clusters")
@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize("many", [64, 1_000])
@pytest.mark.parametrize("tied", [False, True])
def test_many_clusters(tied, many, table):
    options = Options(many_clusters=many)
    model = _model(7, 9_000, 150, 3, tied)
    if table:
        model = AssignmentModel(model.polytope, model.score_source.dense())
    solution = solve(model, options=options)
    assert solution.verify().verified
    assert abs(solution.verify().gap) <= 1e-12
    bare = solve(model, certify=False, warm_start=np.zeros(150), options=options)
    assert bare.point_duals is None
    assert abs(bare.verify().primal_objective - solution.objective) <= 1e-12 * solution.verify().magnitude


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 60), k=st.integers(2, 6), tied=st.booleans())
def test_rounding_states_by_how_much_it_breaks_the_bounds(seed, n, k, tied):
    rng = np.random.default_rng(seed)
    k = min(k, n)
    X, w = rng.normal(size=(n, 2)), rng.uniform(0.5, 3.0, n)
    X = np.round(X) if tied else X
    share = w.sum() / k
    polytope = PartitionPolytope(n, 0.98 * share, 1.02 * share, w, n_clusters=k)
    solution = solve(AssignmentModel.lsa(X, X[:k], polytope))
    split = {point for point, _, _ in solution.splits}
    assert len(split) <= k - 1
    whole = round_within(solution.labels, solution.splits, polytope)
    sizes = np.bincount(whole.labels, w, k)
    broken = np.maximum(sizes - polytope.upper, polytope.lower - sizes).max()
    assert whole.violation == pytest.approx(max(broken, 0.0), abs=1e-9)
    assert whole.violation <= w[list(split)].sum() + 1e-9 if split else whole.violation == 0.0
    untouched = np.setdiff1d(np.arange(n), list(split))
    np.testing.assert_array_equal(whole.labels[untouched], solution.labels[untouched])
    for point in split:
        assert whole.labels[point] in {cluster for p, cluster, _ in solution.splits if p == point}


def test_an_empty_cluster_whose_bound_is_infinite_gets_arcs_with_its_first_point():
    """Points on a few places, and more clusters than places: clusters without points look for arcs in vain at first."""
    options = Options(many_clusters=2, members=0)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(30, 90))
        n = int(rng.integers(2 * k, 4 * k))
        X = rng.integers(0, 4, size=(n, 1)).astype(float)
        sites = X[rng.choice(n, k, replace=False)] + 0.01 * rng.normal(size=(k, 1))
        polytope = PartitionPolytope(n, n // k, -(-n // k), n_clusters=k)
        solution = solve(AssignmentModel.lsa(X, sites, polytope), options=options)
        assert solution.verify().verified
