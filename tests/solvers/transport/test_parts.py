"""The parts of the transport backend against plain NumPy, and the ways that only large problems take."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st

from partitope.base.errors import InvalidInputError
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import GeometricPartitioner, solve
from partitope.solvers.assignment.rounding import round_fractional
from partitope.solvers.geometric.statistics import cluster_statistics
from partitope.solvers.transport import auction, candidates, engine, first_prices
from partitope.solvers.transport.auction import Bids, auctioned
from partitope.solvers.transport.deficits import fill_deficits
from partitope.solvers.transport.equal_points import EqualPoints
from partitope.solvers.transport.heaps import fill_rows, heaps_of, with_more_arcs
from partitope.solvers.transport.lists import (
    Lists,
    evaluate_listed,
    keep_largest,
    list_filter,
    moved_to,
    nearest_clusters,
)
from partitope.solvers.transport.nodes import total_excess
from partitope.solvers.transport.pieces import movable, shift, whole_points, write_home
from partitope.solvers.transport.refine import refine as engine_refine
from partitope.solvers.transport.rows import evaluate, kernel_data, scores_of
from partitope.solvers.transport.smoothed import smoothed_prices


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
    prices, cutoff = rng.normal(size=k), rng.uniform(0.0, 1.5, (k, k))
    np.fill_diagonal(cutoff, -np.inf)
    data = kernel_data(AssignmentModel(PartitionPolytope(n, n_clusters=k), scores).score_source)
    labels, margins = np.empty(n, np.int64), np.empty(n)
    points, pairs, keys = candidates.collect_candidates(data, prices, cutoff, labels, margins, 10.0, shared)
    reduced = scores - prices
    np.testing.assert_array_equal(labels, reduced.argmax(axis=1))
    gaps = reduced.max(axis=1, keepdims=True) - reduced
    where = np.argwhere(gaps < cutoff[labels])
    np.testing.assert_array_equal(points, where[:, 0])
    np.testing.assert_array_equal(pairs, labels[where[:, 0]] * k + where[:, 1])
    np.testing.assert_array_equal(keys, gaps[where[:, 0], where[:, 1]])
    if k > 1:
        np.testing.assert_array_equal(margins, np.sort(gaps, axis=1)[:, 1])


def test_cutoff_is_an_order_statistic():
    model = _model(0, 500, 4, 3)
    data = kernel_data(model.score_source)
    gamma = model.score_source.dense()
    labels = gamma.argmax(axis=1)
    lead = gamma.max(axis=1, keepdims=True) - gamma
    third = candidates.smallest_keys(data, np.zeros(4), 3)
    for i in range(4):
        members = np.sort(lead[labels == i], axis=0)
        np.testing.assert_allclose(third[i], members[2], rtol=1e-12, atol=1e-12)


def test_capped_cutoff_is_finite_for_near_pairs_and_never_longer():
    model = _model(3, 4_000, 12, 3)
    data, prices = kernel_data(model.score_source), np.zeros(12)
    prices[5] = 1e6  # an empty cluster: its pairs have no keys
    free = candidates.sampled_cutoffs(data, prices, 40.0, cap=False)
    capped = candidates.sampled_cutoffs(data, prices, 40.0, cap=True)
    assert not np.isnan(capped).any()
    assert (capped == np.minimum(free, capped.max())).all()
    assert np.isposinf(free[5][np.arange(12) != 5]).all()
    assert np.isfinite(capped[5][np.arange(12) != 5]).all()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 900), split=st.booleans(), arcs=st.booleans())
def test_filled_heaps_hold_the_smallest_keys_of_all_members(seed, n, split, arcs):
    rng, k = np.random.default_rng(seed), 5
    model, prices = _model(seed, max(n, k), k, 3), rng.normal(size=k)
    n, data, scores = max(n, k), kernel_data(model.score_source), model.score_source.dense()
    labels = (scores - prices).argmax(axis=1)
    margins = np.diff(np.sort(scores - prices, axis=1)[:, -2:]).ravel()
    none = np.empty(0, np.int64)
    cutoff = np.full((k, k if arcs else 1), -np.inf)  # all pairs have arcs, or none
    found = candidates.Candidates(none, none, np.empty(0), cutoff, 10.0)
    heaps = heaps_of(prices, found)
    pieces = movable(whole_points(labels.copy(), margins, None), k, split)
    pieces, heaps = engine._with_order(pieces, heaps, found)
    moved, homes = rng.choice(n, n // 4, replace=False), rng.integers(0, k, n)
    lies_in = labels[:, None] == np.arange(k)
    for point in moved:
        if not split:
            write_home(pieces, point, homes[point])
            lies_in[point] = np.arange(k) == homes[point]
        elif labels[point] != homes[point] and pieces.counts[0] < k:
            shift(pieces, point, labels[point], homes[point], 0.5, 0.0)
            lies_in[point, homes[point]] = True
    heaps.dry[:] = True
    heaps.exhausted[:] = heaps.heads != np.repeat(np.arange(k), k) if arcs else False
    heaps.n_fills[:] = 2  # no margin is too large
    heaps.wanted[:] = -np.inf if arcs else np.inf
    for i in range(k):
        heaps = heaps if arcs else with_more_arcs(heaps, i)
    fill_rows(data, pieces, heaps, 0, k)
    assert not heaps.dry.any()
    for i in range(k):
        row = slice(heaps.row_starts[i], heaps.row_starts[i] + heaps.row_counts[i])
        members = np.flatnonzero(lies_in[:, i])
        for j in range(k):
            keys = np.sort(scores[members, i] - scores[members, j])
            a = np.flatnonzero((heaps.heads[row] == j) & (j != i)) + row.start
            if a.size == 0:
                assert j == i or members.size == 0 or arcs
                continue
            kept = np.sort(heaps.keys[a[0], : heaps.counts[a[0]]])
            np.testing.assert_allclose(kept, keys[: kept.size], rtol=1e-9, atol=1e-9)
            assert kept.size == keys.size or kept.size >= heaps.keys.shape[1] // 2
            assert kept.size == keys.size or keys[kept.size] >= heaps.thresholds[a[0]] - 1e-9
            assert heaps.costs[a[0]] == (kept[0] if kept.size else heaps.thresholds[a[0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", range(1, 10))  # of residues
def test_the_largest_entries_are_kept_and_the_others_are_below_the_bound(rows, dtype):
    classes, size, width = 64, 12, 64 * rows
    k = width - 5
    row = np.full(width, -np.inf, dtype)
    row[:k] = np.random.default_rng(rows).normal(size=k)
    kept, places = np.empty(size, dtype), np.empty(size, np.int64)
    beyond = keep_largest(row, k, dtype(-1e30), np.empty(classes, dtype), kept, places)
    order = np.sort(row[:k])[::-1]
    np.testing.assert_array_equal(kept, order[:size])
    np.testing.assert_array_equal(row[places], kept)
    assert order[size] <= beyond <= order[size - 1]


def test_lists_hold_the_best_clusters():
    model = _model(1, 700, 9, 3)
    prices = np.linspace(-1.0, 1.0, 9)
    values, clusters, outside = nearest_clusters(kernel_data(model.score_source), prices, 4)
    gamma = model.score_source.dense()
    np.testing.assert_allclose(values, np.take_along_axis(gamma, clusters.astype(int), axis=1), atol=1e-10)
    best = np.sort(gamma - prices, axis=1)
    np.testing.assert_allclose(np.sort(values - prices[clusters], axis=1), best[:, -4:], atol=1e-10)
    assert (outside >= best[:, -5]).all()  # a bound that float32 scores give
    np.testing.assert_allclose(outside, best[:, -5], atol=1e-5 * np.abs(best).max())


def test_auction_prices_leave_little_to_move():
    model = _model(2, 6_000, 40, 4)
    polytope, data = model.polytope, kernel_data(model.score_source)

    def excess(prices):
        sizes = np.bincount((model.score_source.dense() - prices).argmax(axis=1), minlength=40)
        return np.maximum(sizes - polytope.upper, polytope.lower - sizes).clip(min=0).sum()

    start, terms = np.zeros(40), (data, polytope.lower, polytope.upper, None)
    found = auctioned(*terms, start, np.inf, nearest_clusters(data, start, 12), fine=True)
    assert excess(found.prices) < 0.1 * excess(start)
    assert found.labels is not None
    sizes, scores = np.bincount(found.labels, minlength=40), model.score_source.dense()
    assert (sizes >= polytope.lower).all()
    assert (sizes <= polytope.upper).all()
    gain = (scores - found.prices).max(axis=1) - (scores - found.prices)[np.arange(6_000), found.labels]
    assert gain.max() < 1e-3 * np.ptp(scores, axis=1).mean()
    better = smoothed_prices(*terms, start, np.inf, nearest_clusters(data, start, 12), relist=True)
    assert better is not None
    assert excess(better[0]) < 0.1 * excess(start)


@pytest.mark.parametrize("kind", ["near", "far", "nothing"])
def test_given_prices_of_large_clusters_become_near_on_samples(kind, monkeypatch):
    starts, found = [], first_prices._near_prices

    def noted(*arguments):
        starts.append(found(*arguments))
        return starts[-1]

    monkeypatch.setattr(first_prices, "_near_prices", noted)
    rng, n, k = np.random.default_rng(0), 80_000, 300
    model = _model(0, n, k, 6)
    best, scale = solve(model, "transport"), {"near": 0.02, "far": 1.0, "nothing": 1e3}[kind]
    assert starts == []
    again = solve(model, "transport", warm_start=best.prices + scale * rng.normal(size=k))
    assert again.verify().verified
    assert again.objective == pytest.approx(best.objective, rel=1e-12)
    assert len(starts) == 1
    if kind == "nothing":
        assert starts == [None]
        return
    polytope = model.polytope
    program = first_prices.Program(kernel_data(model.score_source), polytope.lower, polytope.upper, None, True)
    assert total_excess(first_prices.left_at(program, starts[0])) < first_prices.SAMPLE_NOISE * np.sqrt(4 * k * n)


@pytest.mark.parametrize("listed", [12, 3])
def test_prices_that_fall_fill_clusters_that_lack_points(listed):
    """Groups far apart: clusters of fewer than 92 points get them from far away, where points may not list them."""
    rng, k, n = np.random.default_rng(5), 20, 2_000
    sites = 20.0 * rng.normal(size=(k, 8))
    X = sites[rng.integers(k, size=n)] + rng.normal(size=(n, 8))
    lower, upper, zeros = np.full(k, 92.0), np.full(k, 108.0), np.zeros(k)
    data = kernel_data(AssignmentModel.lsa(X, sites, PartitionPolytope(n, lower, upper)).score_source)
    lists, market = nearest_clusters(data, zeros, listed), auction._market(zeros, n)
    eps = 0.01 * auction.mean_lead(lists, zeros)
    assert auction.assign_points(data, list_filter(data, zeros), lists, np.empty(0), lower, upper, market) > 0
    assert not fill_deficits(data, lists, lower, market, eps, 1)
    assert fill_deficits(data, lists, lower, market, eps, 400 * n)
    sizes = np.bincount(market.labels, minlength=k)
    assert (sizes >= lower).all()
    np.testing.assert_array_equal(sizes - market.required, market.excess[:-1])
    assert market.prices.max() == 0
    own = scores_of(data, slice(None))[np.arange(n), market.labels] - market.prices[market.labels]
    best = (lists.values - market.prices[lists.clusters]).max(axis=1)
    assert (best <= own + 1.001 * eps).all()  # nobody gains more than eps in a cluster of the list


@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_candidates_and_objectives_from_lists_are_those_of_all_scores(shift):
    model, prices = _model(4, 3_000, 30, 3), np.linspace(-0.1, 0.1, 30)
    data, before = kernel_data(model.score_source), prices + shift * np.cos(np.arange(30))
    lists = moved_to(nearest_clusters(data, before, 12), before, prices)  # taken at other prices
    reduced = model.score_source.dense() - prices
    listed = np.zeros((3_000, 30), bool)
    np.put_along_axis(listed, lists.clusters.astype(int), True, axis=1)
    assert (lists.outside >= np.where(listed, -np.inf, reduced).max(axis=1)).all()
    labels, margins, found = candidates.listed_candidates(data, prices, None, lists, 4.0)
    lost = reduced.max(axis=1, keepdims=True) - reduced
    np.testing.assert_array_equal(labels, reduced.argmax(axis=1))
    assert (margins <= np.partition(lost, 1, axis=1)[:, 1] + 1e-12).all()
    known = np.zeros((3_000, 30), bool)
    known[found.points, found.pairs % 30] = True
    assert known.sum() > 3_000
    others = np.arange(30) != labels[:, None]
    assert (known | ~others | (lost >= found.cutoff[labels] - 1e-12)).all()  # whoever is left out loses the cutoff
    values = np.empty((2, 2, 3_000))
    evaluate(data, prices, np.arange(3_000) % 30, *values[0])
    evaluate_listed(data, prices, np.arange(3_000) % 30, lists, *values[1])
    np.testing.assert_array_equal(*values)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.usefixtures("heaps_of_candidates")
def test_refined_prices_prove_labels_of_a_coarse_auction(tied, monkeypatch):
    monkeypatch.setattr(first_prices, "MANY_CLUSTERS", 2)
    monkeypatch.setattr(first_prices, "POINTS_PER_PAIR", np.inf)
    monkeypatch.setattr(first_prices, "PATIENCE", np.inf)
    monkeypatch.setattr(auction, "FINE_EPS", 4.0)  # so coarse that cycles have to be cancelled
    outcomes = []

    def refined(*arguments):
        outcomes.append(engine_refine(*arguments))
        return outcomes[-1]

    monkeypatch.setattr(engine, "refine", refined)
    solution = solve(_model(3, 4_000, 40, 3, tied))
    assert outcomes
    assert solution.verify().verified
    assert abs(solution.verify().gap) <= 1e-12


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


def _bad_bids(data, lower, upper, weights, prices, eps, lists, *_):
    bad = 1e3 * np.arange(len(lower))
    return Bids(bad, 1.0, None, moved_to(lists, prices, bad))


@settings(max_examples=120, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 400),
    k=st.integers(1, 20),
    tied=st.booleans(),
    slack=st.sampled_from([0.0, 0.1, 0.9]),
    weights=st.sampled_from([None, "real", "zeros"]),
    way=st.sampled_from(["many clusters", "many clusters, bad prices", "samples of samples"]),
    neighbours=st.sampled_from([0, 1, 16]),
)
@example(seed=0, n=384, k=2, tied=False, slack=0.0, weights="real", way="many clusters", neighbours=0)
def test_the_ways_of_large_problems_are_exact_for_small_ones(seed, n, k, tied, slack, weights, way, neighbours):
    k = min(k, n)
    model = _model(seed, n, k, 2, tied, slack)
    if weights is not None:
        rng = np.random.default_rng(seed)
        w = rng.random(n) * (1.0 if weights == "real" else rng.random(n) < 0.7)
        w[0] = 1.0
        share = w.sum() / k
        polytope = PartitionPolytope(n, (1 - slack) * share, (1 + slack) * share, w, n_clusters=k)
        model = AssignmentModel(polytope, model.score_source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "UNCAPPED_PER_CLUSTER", neighbours)
        if way == "samples of samples":
            patch.setattr(first_prices, "SMALLEST_SAMPLE", 8)
            patch.setattr(first_prices, "SAMPLE_PER_CLUSTER", 1)
        else:
            patch.setattr(first_prices, "MANY_CLUSTERS", 2)
            patch.setattr(first_prices, "POINTS_PER_PAIR", np.inf)
            patch.setattr(first_prices, "MOST_PER_POINT", neighbours / 8)
        if way == "many clusters, bad prices":
            patch.setattr(first_prices, "auctioned", _bad_bids)
        solution = solve(model)
        again = [solve(model, warm_start=prices) for prices in (solution.prices, np.zeros(k))]
    for each in (solution, *again):
        certificate = each.verify()
        assert certificate.verified
        assert abs(certificate.gap) <= 1e-12


@pytest.mark.parametrize("table", [False, True])
@pytest.mark.parametrize("many", [64, 1_000])
@pytest.mark.parametrize("tied", [False, True])
def test_many_clusters(tied, many, table, monkeypatch):
    monkeypatch.setattr(first_prices, "MANY_CLUSTERS", many)
    monkeypatch.setattr(first_prices, "POINTS_PER_PAIR", np.inf)
    model = _model(7, 9_000, 150, 3, tied)
    if table:
        model = AssignmentModel(model.polytope, model.score_source.dense())
    solution = solve(model)
    assert solution.verify().verified
    assert abs(solution.verify().gap) <= 1e-12
    bare = solve(model, certify=False, warm_start=np.zeros(150))
    assert bare.point_duals is None
    assert abs(bare.verify().primal_objective - solution.objective) <= 1e-12 * solution.verify().magnitude


def test_bounds_that_are_not_felt_cost_one_pass(monkeypatch):
    monkeypatch.setattr(first_prices, "MANY_CLUSTERS", 2)
    monkeypatch.setattr(first_prices, "POINTS_PER_PAIR", np.inf)
    scores = _model(7, 300, 4, 3, False).score_source
    loose = AssignmentModel(PartitionPolytope(300, 0, 300, n_clusters=4), scores)
    best = solve(loose)
    monkeypatch.setattr(first_prices, "_bids", lambda *given: pytest.fail("lists were made"))
    again = solve(loose, warm_start=np.zeros(4))
    assert again.labels.tolist() == best.labels.tolist()
    assert again.verify().gap == 0.0


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 300),
    d=st.integers(0, 4),
    dtype=st.sampled_from([np.float32, np.float64]),
    order=st.sampled_from(["C", "F"]),
    weighted=st.booleans(),
)
def test_tally_equals_numpy(seed, n, d, dtype, order, weighted):
    rng = np.random.default_rng(seed)
    k, X = 3, np.array(rng.normal(size=(n, d)), dtype=dtype, order=order)
    X.setflags(write=False)
    labels, origin, sites = rng.integers(0, k, n), rng.normal(size=d), rng.normal(size=(k, d))
    weights = rng.random(n) if weighted else None
    w = np.ones(n) if weights is None else weights
    sums, sizes, squares = cluster_statistics(X, origin, labels, weights, sites)
    one_hot = np.eye(k)[labels] * w[:, None]
    np.testing.assert_allclose(sums, one_hot.T @ (X.astype(float) - origin), atol=1e-10)
    np.testing.assert_allclose(sizes, one_hot.sum(axis=0), atol=1e-10)
    assert squares == pytest.approx(w @ ((X.astype(float) - origin - sites[labels]) ** 2).sum(axis=1), abs=1e-9)


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
    whole = round_fractional(solution.labels, solution.splits, w, polytope.lower, polytope.upper)
    sizes = np.bincount(whole.labels, w, k)
    broken = np.maximum(sizes - polytope.upper, polytope.lower - sizes).max()
    assert whole.violation == pytest.approx(max(broken, 0.0), abs=1e-9)
    assert whole.violation <= w[list(split)].sum() + 1e-9 if split else whole.violation == 0.0
    untouched = np.setdiff1d(np.arange(n), list(split))
    np.testing.assert_array_equal(whole.labels[untouched], solution.labels[untouched])
    for point in split:
        assert whole.labels[point] in {cluster for p, cluster, _ in solution.splits if p == point}


def test_partitioner_rounds_on_request():
    rng = np.random.default_rng(3)
    X, w = rng.normal(size=(50, 2)), rng.uniform(0.5, 3.0, 50)
    share = w.sum() / 4
    bounds = {"lower": share, "upper": share, "objective": "lsa", "random_state": 0}
    kept = GeometricPartitioner(4, **bounds).fit(X, sample_weight=w).partition_
    whole = GeometricPartitioner(4, splits="round", **bounds).fit(X, sample_weight=w).partition_
    assert kept.splits
    assert kept.violation == 0.0
    assert not whole.splits
    np.testing.assert_allclose(whole.sizes, np.bincount(whole.labels, w, 4))
    assert whole.violation == pytest.approx(np.abs(whole.sizes - share).max())
    with pytest.raises(InvalidInputError, match="splits='half'"):
        GeometricPartitioner(2, splits="half").fit(X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_partitioner_on_a_memory_map(tmp_path, dtype):
    X = np.memmap(tmp_path / "points", dtype=dtype, mode="w+", shape=(3_000, 3))
    X[:] = np.random.default_rng(4).normal(size=X.shape)
    X.flush()
    mapped = np.memmap(tmp_path / "points", dtype=dtype, mode="r", shape=X.shape)
    model = GeometricPartitioner(4, lower=700, upper=800, objective="lsa", random_state=0)
    from_disk = model.fit(mapped).partition_
    in_memory = model.fit(np.array(mapped)).partition_
    assert from_disk.certificate.verified
    assert from_disk.objective == in_memory.objective
    np.testing.assert_array_equal(from_disk.labels, in_memory.labels)


def test_sparse_points_are_taken_by_the_strategy_and_refused_by_a_model_of_dense_ones():
    X = sp.random_array((20, 3), density=0.5, rng=0).tocsr()
    assert GeometricPartitioner(2, random_state=0).fit(X).partition_.certificate.verified
    with pytest.raises(InvalidInputError, match=r"sparse"):
        AssignmentModel.lsa(X, np.zeros((2, 3)), PartitionPolytope(20, n_clusters=2))


@pytest.mark.usefixtures("heaps_of_candidates")
@pytest.mark.parametrize("in_space", [False, True])
def test_lists_serve_points_that_do_not_lie_together(in_space):
    k, n = 200, 200 * first_prices.LOCAL_POINTS
    rng = np.random.default_rng(3)
    X, sites = rng.random((n, 1)), rng.random((k, 1))
    model = AssignmentModel.lsa(
        np.sort(X, axis=0) if in_space else X, sites, PartitionPolytope(n, n // k, n // k, n_clusters=k)
    )
    even = np.full(k, float(n // k))
    program = first_prices.Program(kernel_data(model.score_source), even, even, None)
    assert first_prices._has_many_clusters(program) != in_space
    assert solve(model, backend="transport").verify().verified


@pytest.mark.usefixtures("heaps_of_candidates")
def test_an_empty_cluster_whose_bound_is_infinite_gets_arcs_with_its_first_point(monkeypatch):
    """Points on a few places, and more clusters than places: clusters without points look for arcs in vain at first."""
    monkeypatch.setattr(first_prices, "MANY_CLUSTERS", 2)
    monkeypatch.setattr(first_prices, "POINTS_PER_PAIR", np.inf)
    monkeypatch.setattr(first_prices, "TABLE_CLUSTERS", 1)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(30, 90))
        n = int(rng.integers(2 * k, 4 * k))
        X = rng.integers(0, 4, size=(n, 1)).astype(float)
        sites = X[rng.choice(n, k, replace=False)] + 0.01 * rng.normal(size=(k, 1))
        solution = solve(AssignmentModel.lsa(X, sites, PartitionPolytope(n, n // k, -(-n // k), n_clusters=k)))
        assert solution.verify().verified


@pytest.mark.parametrize("slack", [0.0, 0.1])
@pytest.mark.usefixtures("heaps_of_candidates")
def test_an_auction_that_costs_too_much_leaves_the_rest_to_tables(slack, monkeypatch):
    model, ends = _model(8, 3_000, 200, 3, slack=slack), []

    def watched(*arguments):
        ends.append(auctioned(*arguments))
        return ends[-1]

    monkeypatch.setattr(first_prices, "auctioned", watched)
    patient = solve(model)
    assert all(found.ended for found in ends)
    ends.clear()
    monkeypatch.setattr(first_prices, "PATIENCE", -1.0)  # none at all
    solution = solve(model)
    assert [found.ended for found in ends] == [False]
    assert solution.verify().verified
    assert abs(solution.objective - patient.objective) <= 1e-12 * solution.verify().magnitude


def _ends(program, k, works):
    """Whether auctions that may work so much come to their end."""
    data, lower, upper, _ = program.terms
    lists = nearest_clusters(data, np.zeros(k), min(k, 12))
    copies = (Lists(*(part.copy() for part in lists)) for _ in works)
    return [
        auctioned(data, lower, upper, None, np.zeros(k), np.inf, some, True, work).ended
        for work, some in zip(works, copies)
    ]


def test_looks_at_points_that_wait_are_work_of_an_auction():
    k = 12  # lists hold all clusters, so that none is ever taken anew
    model = _model(6, 2_000, k, 2)
    program = first_prices.Program(kernel_data(model.score_source), model.polytope.lower, model.polytope.upper, None)
    assert _ends(program, k, [1e4, np.inf]) == [False, True]


def test_an_auction_near_its_end_goes_on(monkeypatch):
    rng, n, k = np.random.default_rng(4), 3_000, 150
    X = 20.0 * rng.normal(size=(k, 4))[rng.integers(k, size=n)] + rng.normal(size=(n, 4))
    model = AssignmentModel.lsa(X, X[:k], PartitionPolytope(n, n // k, n // k, n_clusters=k))
    program = first_prices.Program(kernel_data(model.score_source), model.polytope.lower, model.polytope.upper, None)
    works = list(np.geomspace(1e6, 1e10, 25))
    going_on = _ends(program, k, works)
    monkeypatch.setattr(auction, "FALLING", 0.0)
    giving_up = _ends(program, k, works)
    assert not going_on[0]
    assert giving_up[-1]
    assert sum(going_on) > sum(giving_up)


@pytest.mark.parametrize("n, k", [(4_400, 200), (4_400, 1_100)])
def test_few_points_far_from_the_sites_take_prices_of_a_quarter_of_them(n, k, monkeypatch):
    rng = np.random.default_rng(9)
    X = rng.normal(size=(n, 2))
    sites = X[np.argsort(X[:, 0])[: 2 * k : 2]]  # all at one end
    model = AssignmentModel.lsa(X, sites, PartitionPolytope(n, n // k, n // k, n_clusters=k))
    data, polytope = kernel_data(model.score_source), model.polytope
    program = first_prices.Program(data, polytope.lower, polytope.upper, None)
    some = first_prices._few_but_far(program)
    assert some is not None
    assert some.shape == (n // 4, k)
    near = program._replace(lower=np.zeros(k), upper=np.full(k, float(n)))
    assert first_prices._few_but_far(near) is None
    monkeypatch.setattr(first_prices, "PATIENCE", -1.0)
    monkeypatch.setattr(first_prices, "BRIEF_PATIENCE", -1.0)
    assert solve(model).verify().verified
    best = solve(model).prices
    unasked = first_prices.coarse_prices(program, best, np.inf, lambda *_: pytest.fail("good prices need no sample"))
    np.testing.assert_array_equal(unasked, best)


def test_auctions_of_very_many_small_clusters_leave_the_rest_to_tables_too(monkeypatch):
    monkeypatch.setattr(first_prices, "MEMBERS", 2)
    monkeypatch.setattr(first_prices, "BRIEF_SCORES", 0)
    k = first_prices.TABLE_CLUSTERS + 2
    n, rng = 2 * k, np.random.default_rng(4)
    X = rng.normal(size=(n, 2)) * np.where(rng.random((n, 1)) < 0.05, 10.0, 1.0)
    model = AssignmentModel.lsa(X, X[rng.choice(n, k, replace=False)], PartitionPolytope(n, 1, 3, n_clusters=k))
    data, polytope = kernel_data(model.score_source), model.polytope
    program = first_prices.Program(data, polytope.lower, polytope.upper, None)
    zeros, wide = np.zeros(k), program._replace(lower=np.zeros(9 * k), upper=np.ones(9 * k))
    lists = nearest_clusters(data, zeros, 12)
    assert 0.0 < first_prices._patience(program, program, zeros, lists) < np.inf
    unbound = program._replace(lower=zeros, upper=np.full(k, float(n)))  # no point is to move
    assert first_prices._patience(program, unbound, zeros, lists) == 0.0
    assert 0.0 < first_prices._patience(program, unbound, zeros, None) < np.inf  # prices that are near
    assert first_prices._patience(wide, program, zeros, lists) == np.inf
    ended, hold = engine.solve_flow(*program.terms), first_prices.auctioned
    monkeypatch.setattr(first_prices, "auctioned", lambda *a: hold(*a)._replace(ended=False))
    tables = engine.solve_flow(*program.terms)
    assert ended.lists is not None
    assert tables.lists is None
    scores, every = scores_of(data, slice(None)), np.arange(n)
    values = [scores[every, found.pieces.labels].sum() for found in (ended, tables)]
    np.testing.assert_allclose(*values, rtol=1e-12)
