"""Assignments under links against brute force; contradictions by name; the iteration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from partitope.models import AssignmentModel, InfeasibleBoundsError, Links, PartitionPolytope
from partitope.models.polytope.links import ContradictoryLinksError
from partitope.solvers import GeometricPartitioner, solve_linked


def _instance(seed, weighted=False):
    rng = np.random.default_rng([seed, 31])
    n, k = int(rng.integers(3, 9)), int(rng.integers(2, 4))
    X = np.round(rng.normal(size=(n, 2)), int(rng.integers(0, 6)))
    low = rng.integers(0, n // k + 1, k)
    weights = rng.integers(1, 4, n).astype(float) if weighted else None
    up = low + rng.integers(1, n, k) + (n if weighted else 0)
    pairs = rng.permutation([(a, b) for a in range(n) for b in range(a)])
    count = int(rng.integers(1, min(6, len(pairs)) + 1))
    split = int(rng.integers(0, count + 1))
    polytope = PartitionPolytope(n, low, up, weights)
    make = (AssignmentModel.csa, AssignmentModel.lsa)[seed % 2]
    return make(X, X[rng.choice(n, k, replace=False)], polytope), pairs[:split], pairs[split:count]


def _brute(model, must, cannot):
    best = -np.inf
    for y in product(range(model.polytope.n_clusters), repeat=model.polytope.n_points):
        if any(y[a] != y[b] for a, b in must) or any(y[a] == y[b] for a, b in cannot):
            continue
        labels = np.array(y)
        if model.polytope.contains(labels):
            best = max(best, model.value(labels))
    return best


@pytest.mark.parametrize("block", range(2))
def test_a_hundred_small_instances_equal_brute_force(block):
    solved = 0
    for seed in range(50 * block, 50 * block + 50):
        model, must, cannot = _instance(seed, weighted=seed % 5 == 4)
        if not model.polytope.is_feasible:
            continue
        expected = _brute(model, must, cannot)
        if expected == -np.inf:
            with pytest.raises(ContradictoryLinksError) as caught:
                solve_linked(model, Links(model.polytope.n_points, must, cannot))
            _really_clash(model, caught.value)
            continue
        solution = solve_linked(model, Links(model.polytope.n_points, must, cannot))
        size = max(abs(expected), 1.0)
        assert solution.objective == pytest.approx(expected, abs=1e-9 * size)
        assert solution.bound.upper >= expected - 1e-9 * size
        assert solution.bound.upper - solution.bound.lower <= 1e-6 * size
        solved += 1
        if model.polytope.weights is None:
            quick = solve_linked(model, Links(model.polytope.n_points, must, cannot), "heuristic")
            assert quick.objective <= expected + 1e-9 * size
            assert quick.bound is None
    assert solved > 15


def _really_clash(model, error):
    """The named pairs exist in the message, and without links the bounds are feasible."""
    assert error.pairs
    assert model.polytope.is_feasible
    assert "\n" not in str(error)


def test_contradictions_are_named():
    with pytest.raises(ContradictoryLinksError, match="0 - 2 - 4 are linked together") as caught:
        Links(5, must=[(0, 2), (2, 4)], cannot=[(0, 4)])
    assert set(caught.value.pairs) == {(0, 4), (0, 2), (2, 4)}
    X = np.arange(12.0).reshape(6, 2)
    model = AssignmentModel.lsa(X, X[:2], PartitionPolytope(6, 1, 3, n_clusters=2))
    with pytest.raises(ContradictoryLinksError, match=r"points 0, 1, 2, 3 together, of size 4.*upper=3"):
        solve_linked(model, Links(6, must=[(0, 1), (1, 2), (2, 3)]))
    with pytest.raises(ContradictoryLinksError, match="points 0, 1, 2 apart pairwise, which takes 3 clusters"):
        solve_linked(model, Links(6, cannot=[(0, 1), (1, 2), (0, 2)]))
    loose = AssignmentModel.lsa(X, X[:2], PartitionPolytope(6, n_clusters=2))
    with pytest.raises(ContradictoryLinksError, match=r"cannot \(0, 1\), .*cannot hold together") as caught:
        solve_linked(loose, Links(6, must=[(4, 5)], cannot=[(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)]))  # an odd cycle
    assert set(caught.value.pairs) == {(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)}
    with pytest.raises(InfeasibleBoundsError, match="sum"):
        solve_linked(AssignmentModel.lsa(X, X[:2], PartitionPolytope(6, 4, 6, n_clusters=2)), Links(6))


def _narrowed(seed):
    """`_instance` with a mask, a second size, a share and a row of one's own, some of which nothing satisfies."""
    model, must, cannot = _instance(seed)
    rng, polytope = np.random.default_rng([seed, 5]), model.polytope
    n, k = polytope.n_points, polytope.n_clusters
    area, units = rng.integers(1, 5, n), 10.0 ** rng.integers(-6, 7)
    low = np.column_stack([polytope.lower, np.full(k, rng.integers(0, 3)) * units])
    up = np.column_stack([polytope.upper, np.full(k, area.sum()) * units * rng.uniform(0.5, 1)])
    weights = np.column_stack([np.ones(n), area * units])
    polytope = PartitionPolytope(n, low, up, weights).allow(rng.random((n, k)) < 0.9 + (np.arange(k) == 0))
    if seed % 2:
        polytope = polytope.share(np.arange(n) % 2 == 0, 0.0, 0.8)
    coefficients = rng.integers(-1, 2, (2, n, k))
    polytope = polytope.add_rows("mine", coefficients, -2.0, 1.0)
    return AssignmentModel(polytope, model.score_source.dense()), must, cannot


def test_links_with_further_rows_equal_brute_force():
    solved = 0
    for seed in range(40):
        model, must, cannot = _narrowed(seed)
        if not model.polytope.is_feasible:
            continue
        expected = _brute(model, must, cannot)
        for method in ("mip", "heuristic"):
            if expected == -np.inf:
                with pytest.raises(InfeasibleBoundsError):
                    solve_linked(model, Links(model.polytope.n_points, must, cannot), method)
                continue
            solution = solve_linked(model, Links(model.polytope.n_points, must, cannot), method)
            if method == "mip":
                size = max(abs(expected), 1.0)
                assert solution.objective == pytest.approx(expected, abs=1e-9 * size)
                assert expected - 1e-9 * size <= solution.bound.upper <= expected + 1e-6 * size
            assert solution.objective <= expected + 1e-9 * max(abs(expected), 1.0)
            assert {"size", *solution.further_prices} == set(model.polytope.row_names)
            solved += 1
    assert solved > 20


def test_rows_and_masks_that_leave_no_room_are_named():
    X = np.arange(12.0).reshape(6, 2)
    mask = np.ones((6, 2), dtype=bool)
    mask[0, 0] = mask[1, 1] = False
    with pytest.raises(ContradictoryLinksError, match="points 0, 1 together, but the mask leaves no cluster") as caught:
        solve_linked(AssignmentModel.lsa(X, X[:2], PartitionPolytope(6, n_clusters=2).allow(mask)), Links(6, [(0, 1)]))
    assert caught.value.pairs == ((0, 1),)
    polytope = PartitionPolytope(6, n_clusters=2).add_rows("mine", np.ones((6, 2)), upper=5)
    with pytest.raises(InfeasibleBoundsError, match="mine <= 5"):
        solve_linked(AssignmentModel.lsa(X, X[:2], polytope), Links(6, [(0, 1)]))
    polytope = PartitionPolytope(3, [[1, 3], [1, 3]], [[2, 3], [2, 3]], [[1, 2], [1, 2], [1, 2]])
    with pytest.raises(InfeasibleBoundsError, match="divided points only"):
        solve_linked(AssignmentModel.lsa(X[:3], X[:2], polytope), Links(3))


def _mixture(n, k, n_links, seed=0):
    rng = np.random.default_rng(seed)
    centres = 4.0 * rng.normal(size=(k, 3))
    true = rng.integers(0, k, n)
    X = centres[true] + rng.normal(size=(n, 3))
    must, cannot = [], []
    while len(must) + len(cannot) < n_links:
        a, b = rng.choice(n, 2, replace=False)
        (must if true[a] == true[b] else cannot).append((int(a), int(b)))
    return X, centres, must, cannot


def test_many_links():
    n, k = 600, 5
    X, centres, must, cannot = _mixture(n, k, 240)
    model = AssignmentModel.lsa(X, centres, PartitionPolytope(n, 0.95 * n / k, 1.05 * n / k, n_clusters=k))
    links = Links(n, must, cannot)
    solution = solve_linked(model, links, gap=1e-4, time_limit=300)
    assert links.satisfied(solution.labels)
    assert model.polytope.contains(solution.labels)
    assert solution.bound.gap <= 1e-4
    quick = solve_linked(model, links, "heuristic")
    assert quick.objective <= solution.bound.upper * (1 + 1e-12)
    assert quick.objective >= solution.objective - 0.1 * abs(solution.objective)


@pytest.mark.parametrize("objective", ["csa", "lsa"])
@pytest.mark.parametrize("assignment", ["mip", "heuristic"])
def test_the_iteration_respects_links_and_never_gets_worse(objective, assignment):
    X, _, must, cannot = _mixture(120, 3, 60)
    partitioner = GeometricPartitioner(
        3, lower=30, upper=50, must_link=must, cannot_link=cannot, objective=objective, assignment=assignment,
        n_init=2, random_state=0,
    )  # fmt: skip
    labels = partitioner.fit_predict(X)
    assert Links(120, must, cannot).satisfied(labels)
    assert ((partitioner.partition_.sizes >= 30) & (partitioner.partition_.sizes <= 50)).all()
    change = np.diff(partitioner.partition_.history["objective"])
    assert (change >= 0).all() if objective == "csa" else (change <= 0).all()
    assert partitioner.predict(X[:5]).shape == (5,)
