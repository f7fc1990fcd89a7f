"""The global problems: equal to brute force where that is possible, and bounds that hold where it is not."""

from __future__ import annotations

from itertools import combinations

import numba
import numpy as np
import pytest
from sklearn.datasets import load_iris

from partitope.base.deadline import Deadline
from partitope.base.status import Status
from partitope.models import LeastSquaresSDP, Links, PartitionPolytope
from partitope.models.objectives.interval import objective_interval
from partitope.models.objectives.objectives import objective_value
from partitope.solvers import solve_global
from partitope.solvers.global_optimum import nodes
from partitope.solvers.global_optimum.bound_by_parts import bound_by_parts, divide_and_conquer_bound
from partitope.solvers.global_optimum.branch_and_bound import exhaustive_search
from partitope.solvers.global_optimum.directions import best_on_a_line
from partitope.solvers.global_optimum.integer_cuts import violated_integers
from partitope.solvers.global_optimum.low_dimension.cells import NONE, Priced
from partitope.solvers.global_optimum.low_dimension.columns import box_of, column_bound
from partitope.solvers.global_optimum.low_dimension.cones import direction_search
from partitope.solvers.global_optimum.low_dimension.pricing import search_centres
from partitope.solvers.global_optimum.norm_search import NormSearch
from partitope.solvers.global_optimum.projectors import project_projectors
from partitope.solvers.global_optimum.sum_boxes import box_search
from partitope.solvers.global_optimum.tree import SearchTree

from ..relaxed_bound import relaxed_bound


@pytest.mark.parametrize(("lower", "upper", "best"), [(10, 150, 78.8514), (40, 60, 79.0262), (50, 50, 81.2778)])
def test_iris_is_closed(lower, upper, best):
    polytope = PartitionPolytope(150, lower, upper, n_clusters=3)
    partition = solve_global(load_iris().data, polytope, gap=1e-4, time_limit=600)
    assert partition.objective == pytest.approx(best, abs=5e-5)
    assert partition.bound.gap <= 1e-4
    assert partition.status is Status.OPTIMAL
    assert partition.certificate.verified


@pytest.mark.parametrize(
    ("k", "best"),
    [(2, 152.347952), pytest.param(7, 34.298230, marks=pytest.mark.slow)],
)
def test_published_optima_of_iris_without_bounds(k, best):
    partition = solve_global(load_iris().data, PartitionPolytope(150, n_clusters=k), gap=1e-6, time_limit=600)
    assert partition.objective == pytest.approx(best, abs=1e-6)
    assert partition.bound.gap <= 1e-6


def test_two_proofs_agree():
    X = np.random.default_rng(3).normal(size=(24, 2))
    X = X - X.mean(axis=0)
    polytope = PartitionPolytope(24, 6, 10, n_clusters=3)
    start = solve_global(X, polytope, "csa").labels
    labels, finished = exhaustive_search(X, polytope.lower, polytope.upper, "csa", start)
    assert finished
    search = NormSearch(X, polytope, start, np.zeros((0, 2), dtype=np.int64), 1e-3, Deadline(None))
    upper = direction_search(search)
    exact = objective_value(X, labels, "csa")
    assert search.value <= exact * (1 + 1e-12)
    assert exact <= upper * (1 + 1e-12)


@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.5, 1.5, 1.0, 3.0, 2.5, 0.5]])
def test_cuts_by_whole_numbers_hold_for_every_clustering(weights):
    n, k = 8, 3
    total = n if weights is None else sum(weights)
    polytope = PartitionPolytope(n, 0.7 * total / k, 1.4 * total / k, weights, n_clusters=k)
    model = LeastSquaresSDP(np.random.default_rng(0).normal(size=(n, 2)), polytope, Links(n, must=[(0, 3)]))
    w, b = model.masses, len(model.masses)
    Z = (np.eye(b) + 0.1 * np.random.default_rng(1).normal(size=(b, b))) * k / w.sum()  # hardly any are together
    rows, slopes, limits = violated_integers(model, Z, 0, Deadline(None))
    assert slopes.max() > 1.0
    for labels in polytope.enumerate():
        if labels[0] == labels[3]:
            blocks = labels[np.unique(model.blocks, return_index=True)[1]]
            same = blocks[:, None] == blocks
            whole = same / (same @ w)[:, None]
            assert np.all(slopes * (rows @ np.diag(whole)) - ((rows @ whole) * rows).sum(axis=1) <= limits + 1e-12)


def test_threads_change_no_bound():
    model = LeastSquaresSDP(np.random.default_rng(0).normal(size=(80, 3)), PartitionPolytope(80, 24, 30, n_clusters=3))
    threads, values = numba.get_num_threads(), []
    try:
        for count in (1, threads):
            numba.set_num_threads(count)
            values.append(relaxed_bound(model, 4))
    finally:
        numba.set_num_threads(threads)
    assert values[0] == values[1]


def test_the_fast_projection_is_the_full_one():
    """Some eigenvectors and the full decomposition project alike, and too small a guess falls back."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    square = (X**2).sum(axis=1)
    matrix = X @ X.T - 0.5 * (square[:, None] + square) + 0.1 * rng.normal(size=(300, 300))
    matrix = 0.5 * (matrix + matrix.T)
    full, rank = project_projectors(matrix, (4, 4))
    for guess in (1, 3, 20):
        fast, found = project_projectors(matrix, (4, 4), guess)
        assert found == rank
        np.testing.assert_allclose(fast, full, atol=1e-8)
    rough, _ = project_projectors(matrix, (4, 4), 20, rough=True)
    np.testing.assert_allclose(rough, full, atol=1e-4)  # single precision, spread over 300 rows
    np.testing.assert_allclose(full.sum(axis=1), 1.0)
    assert np.trace(full) == pytest.approx(4.0)


def test_a_budget_ends_the_search_honestly():
    X = np.random.default_rng(0).normal(size=(60, 3))
    X = X - X.mean(axis=0)
    start = np.arange(60) % 3
    labels, finished = exhaustive_search(X, np.full(3, 15.0), np.full(3, 25.0), "lsa", start, budget=1000)
    assert not finished
    assert objective_value(X, labels, "lsa") <= objective_value(X, start, "lsa")


@pytest.mark.full
def test_the_time_left_is_used_for_larger_parts():
    labels = np.arange(640) % 2
    X = np.random.default_rng(7).normal(size=(640, 4)) + 9.0 * labels[:, None]
    polytope, value = PartitionPolytope(640, 300, 340, n_clusters=2), objective_interval(X, labels, "lsa")[1]
    known = divide_and_conquer_bound(X, polytope, labels)
    found = [0.0]
    bound_by_parts(X, polytope, labels, target=value, deadline=Deadline(1e6), progress=lambda b, _: found.append(b))
    assert known < max(found) <= value


@pytest.mark.full
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize(("lower", "upper"), [(0, 9), (3, 5), (4, 4)])
def test_the_cheapest_cluster_is_found(d, lower, upper):
    """The search of centres against all clusters, at prices that are not of any clustering."""
    rng = np.random.default_rng(10 * d + upper)
    P, prices = rng.normal(size=(9, d)), rng.normal(size=9)
    costs = [0.0] if lower == 0 else []
    for size in range(max(lower, 1), upper + 1):
        for chosen in map(list, combinations(range(9), size)):
            costs.append(((P[chosen] - P[chosen].mean(axis=0)) ** 2).sum() - prices[chosen].sum())
    go_on, box = np.zeros(1, np.int64), box_of(P)
    priced = Priced(P, np.ones(9), prices, lower, upper, True)
    least, _, values = search_centres(priced, NONE, *box, 1e-3, 100_000, go_on)
    assert min(costs) - 1e-3 - 1e-12 <= least <= min(costs) + 1e-12
    assert values.min() >= min(costs) - 1e-12
    heavy = Priced(P, np.full(9, 2.0), prices, 2 * lower, 2 * upper, False)
    doubled = search_centres(heavy, NONE, *box, 2e-3, 100_000, go_on)[0]
    assert doubled == pytest.approx(2.0 * min(costs), abs=2.1e-3)  # mass at the cut may be split, even masses are not


@pytest.mark.full
@pytest.mark.parametrize(("d", "weighted"), [(1, True), (2, False)])
def test_many_points_in_low_dimension(d, weighted):
    """Three overlapping groups: a bound within a few per cent without a limit of time, whatever the offset."""
    rng = np.random.default_rng(d)
    X = rng.normal(size=(2600, d)) + 1e5 + 2.0 * rng.integers(0, 2, size=(2600, 1))
    weights = rng.integers(1, 4, 2600).astype(float) if weighted else None
    total = 2600.0 if weights is None else weights.sum()
    polytope = PartitionPolytope(2600, np.floor(0.27 * total), np.ceil(0.4 * total), weights, n_clusters=3)
    partition = solve_global(X, polytope, n_init=2, gap=0.06)
    assert partition.bound.gap <= 0.06
    assert partition.bound.proof == "column generation"


RUSPINI_LIKE = np.random.default_rng(4).normal(size=(60, 2)) + 4.0 * np.random.default_rng(5).integers(0, 3, (60, 2))


def test_the_tree_closes_what_the_root_does_not():
    """Points without clear clusters, a poor first clustering, and a gap that the relaxation alone leaves open."""
    X, polytope = RUSPINI_LIKE, PartitionPolytope(60, 5, 20, n_clusters=5)
    partition = solve_global(X, polytope, gap=1e-6, time_limit=120)
    assert partition.status is Status.OPTIMAL
    assert partition.bound.gap <= 1e-6
    assert (np.diff(partition.history["bound"]) >= 0).all()
    assert (np.diff(partition.history["objective"]) <= 0).all()
    model = LeastSquaresSDP(X, polytope)
    poor = np.sort(np.arange(60) % 5)
    tree = SearchTree.start(model, poor, objective_interval(X, poor, "lsa")[1], 1e-6)
    seen = []

    def improve(Z, links):
        seen.append(links)
        return partition.labels, partition.objective

    tree.run(improve, Deadline(120))
    assert seen
    assert tree.value == partition.objective
    assert partition.objective * (1 - 1.1e-6) <= tree.lower <= partition.objective


@pytest.mark.parametrize("seed", range(2))
def test_points_on_a_line_take_a_shortest_path(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=9).round(1) * 10.0 ** rng.integers(-6, 7) + rng.choice([0.0, 1e6])
    polytope = PartitionPolytope(9, [0, 2, 3], [9, 4, 3]) if seed % 2 else PartitionPolytope(9, 2, 4, n_clusters=3)
    labels, bound = best_on_a_line(x, polytope, Deadline(None))
    values = [objective_interval(x[:, None], y, "lsa")[1] for y in polytope.enumerate()]
    assert bound <= min(values)
    assert objective_interval(x[:, None], labels, "lsa")[1] == min(values)
    many = np.column_stack([np.full(400, 7.0), rng.normal(size=400)])
    partition = solve_global(many, PartitionPolytope(400, [50, 120, 10], [80, 200, 300]), gap=1e-9, n_init=1)
    assert partition.bound.proof == "shortest path"
    assert partition.bound.gap <= 1e-9


def test_the_gap_asked_for_is_reached_for_norms_in_space():
    X = np.random.default_rng(110).normal(size=(60, 5)) + 4.0 * np.eye(3, 5)[np.arange(60) % 3]
    links = Links(60, must=[(0, 3)])
    assert solve_global(X, PartitionPolytope(60, 16, 24, n_clusters=3), "csa", gap=0.02, links=links).bound.gap <= 0.02


@pytest.mark.parametrize(
    ("lower", "upper", "scaled"), [(20, 30, False), pytest.param(40, 60, True, marks=pytest.mark.full)]
)
def test_norms_of_iris_are_closed_by_boxes_of_sums(lower, upper, scaled):
    X = load_iris().data if scaled else load_iris().data[::2]
    X = X / X.std(axis=0) if scaled else X
    polytope, gap = PartitionPolytope(len(X), lower, upper, n_clusters=3), 1e-3 if scaled else 2e-3
    partition = solve_global(X, polytope, "csa", gap=gap, time_limit=600)
    assert partition.bound.gap <= gap
    assert partition.bound.proof == "boxes of cluster sums"
    assert partition.objective == pytest.approx(objective_value(X - X.mean(axis=0), partition.labels, "csa"), rel=1e-12)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(2, 20))])
def test_boxes_of_sums_enclose_the_optimum_of_all_clusterings(seed):
    """From a bad start, closed or stopped early; bounds of sizes, masses and conflicts of all kinds."""
    for number in range(10):
        rng = np.random.default_rng([seed, number])
        n, d, k = int(rng.integers(8, 13)), int(rng.integers(1, 6)), int(rng.integers(2, 4))
        X = rng.normal(size=(n, d)) * rng.uniform(0.1, 3.0, d)
        weights = rng.integers(1, 4, n).astype(float) if number % 3 == 2 else np.ones(n)
        lower = rng.uniform(0.0, 0.8, k if number % 2 else 1) * np.ones(k) * weights.sum() / k
        polytope = PartitionPolytope(n, lower, np.full(k, 1.5 * weights.sum() / k), weights)
        X = X - weights @ X / weights.sum()
        conflicts = np.array([[0, 1]]) if number % 4 == 1 else np.zeros((0, 2), dtype=np.int64)
        labels = np.indices((k,) * n).reshape(n, -1).T
        inside = (labels[:, conflicts[:, 0]] != labels[:, conflicts[:, 1]]).all(axis=1)
        norms = np.zeros(len(labels))
        for i in range(k):
            sizes = (labels == i) @ weights
            inside &= (polytope.lower[i] <= sizes) & (sizes <= polytope.upper[i])
            norms += np.linalg.norm((labels == i) @ (weights[:, None] * X), axis=1)
        first, best = labels[np.flatnonzero(inside)[0]], norms[inside].max()
        for boxes in (5, 100):
            search = NormSearch(X, polytope, first, conflicts, 1e-9, Deadline(None), boxes)
            upper = box_search(search)
            assert search.value <= best * (1 + 1e-9)
            assert best <= upper * (1 + 1e-12), (seed, number)


def test_links_tighten_the_direction_cones():
    X = load_iris().data[:, :2]
    links = Links(150, must=[(0, 60), (1, 120)], cannot=[(3, 4), (70, 80)])
    bounds = PartitionPolytope(150, 40, 60, n_clusters=3)
    linked = solve_global(X, bounds, "csa", links=links, gap=2e-3)
    assert links.satisfied(linked.labels)
    assert linked.bound.gap <= 2e-3
    assert linked.bound.upper < solve_global(X, bounds, "csa", gap=2e-3).objective


def test_far_points_leave_no_gap():
    """Units of the far points do not reach the relaxation of the others: pairs that cost too much are apart."""
    X = np.random.default_rng(0).normal(size=(105, 3)) + 6.0 * (np.arange(105) < 50)[:, None]
    near = solve_global(X, PartitionPolytope(105, n_clusters=2), gap=1e-6, n_init=1)
    far = np.concatenate([X, [[1e9, 0.0, 0.0], [0.0, -1e5, 0.0]]])
    partition = solve_global(far, PartitionPolytope(107, n_clusters=4), gap=1e-6, n_init=1)
    assert max(partition.bound.gap, near.bound.gap) <= 1e-6
    assert partition.objective == pytest.approx(near.objective, rel=1e-5)


def test_links_that_leave_too_few_blocks():
    """The relaxation bounds the empty set, and no node of a tree is left."""
    polytope, links = PartitionPolytope(4, 1, 4, n_clusters=3), Links(4, must=[(0, 1), (1, 2)])
    model = LeastSquaresSDP(np.arange(4.0)[:, None], polytope, links)
    assert model.n_filled == (2, 2)
    assert np.isfinite(relaxed_bound(model, 2))
    tree = SearchTree.start(model, np.array([0, 1, 1, 2]), 0.5, 1e-6)
    tree.run(lambda Z, links: (tree.labels, np.inf), Deadline(None), max_nodes=20)
    assert not tree.nodes.open
    assert tree.value == 0.5


def test_a_node_whose_links_clash_holds_nothing_better(monkeypatch):
    X, labels = np.random.default_rng(0).normal(size=(12, 2)), np.arange(12) % 3
    value = objective_interval(X, labels, "lsa")[1]
    monkeypatch.setattr(nodes, "_fixed", lambda *_: Links(12, must=[(0, 1), (1, 2)], cannot=[(0, 2)]))
    tree = SearchTree.start(LeastSquaresSDP(X, PartitionPolytope(12, n_clusters=3)), labels, value, 1e-6)
    tree.run(lambda Z, links: (labels, np.inf), Deadline(None), max_nodes=20)
    assert not tree.nodes.open
    assert tree.lower == value * (1.0 - 1e-6)


def test_column_generation_reports_and_can_be_interrupted():
    X, calls = np.random.default_rng(0).normal(size=(60, 2)), []

    def report(bound):
        calls.append(bound)
        if len(calls) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        column_bound(X, PartitionPolytope(60, 18, 22, n_clusters=3), 60.0, deadline=Deadline(None), progress=report)
    assert calls == sorted(calls)
