"""Assignments under links against brute force; contradictions by name; the iteration."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from partitope.base.errors import InvalidInputError
from partitope.models import AssignmentModel, InfeasibleBoundsError, Links, PartitionPolytope
from partitope.models.polytope.links import ContradictoryLinksError
from partitope.solvers import GeometricPartitioner, solve


def _linked(model, must=(), cannot=()):
    return solve(replace(model, polytope=model.polytope.together(must).apart(cannot)))


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
                _linked(model, must, cannot)
            _really_clash(model, caught.value)
            continue
        solution = _linked(model, must, cannot)
        size = max(abs(expected), 1.0)
        assert solution.objective == pytest.approx(expected, abs=1e-9 * size)
        assert solution.bound.upper >= expected - 1e-9 * size
        assert solution.bound.upper - solution.bound.lower <= 1e-6 * size
        solved += 1
    assert solved > 15


def _really_clash(model, error):
    """The named pairs exist in the message, and without links the bounds are feasible."""
    assert error.pairs
    assert model.polytope.is_feasible
    assert "\n" not in str(error)


def test_contradictions_are_named():
    with pytest.raises(ContradictoryLinksError, match="0 - 2 - 4 are linked together") as caught:
        PartitionPolytope(5, n_clusters=2).together([(0, 2), (2, 4)]).apart([(0, 4)])
    assert set(caught.value.pairs) == {(0, 4), (0, 2), (2, 4)}
    X = np.arange(12.0).reshape(6, 2)
    model = AssignmentModel.lsa(X, X[:2], PartitionPolytope(6, 1, 3, n_clusters=2))
    with pytest.raises(ContradictoryLinksError, match=r"points 0, 1, 2, 3 together, of size 4.*upper=3"):
        _linked(model, [(0, 1), (1, 2), (2, 3)])
    with pytest.raises(ContradictoryLinksError, match=r"cannot \(0, 1\), cannot \(0, 2\), cannot \(1, 2\) cannot hold"):
        _linked(model, (), [(0, 1), (1, 2), (4, 5), (0, 2)])
    loose = AssignmentModel.lsa(X, X[:2], PartitionPolytope(6, n_clusters=2))
    with pytest.raises(ContradictoryLinksError, match=r"cannot \(0, 1\), .*cannot hold together") as caught:
        _linked(loose, [(4, 5)], [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)])  # an odd cycle
    assert set(caught.value.pairs) == {(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)}
    with pytest.raises(InfeasibleBoundsError, match="sum"):
        _linked(AssignmentModel.lsa(X, X[:2], PartitionPolytope(6, 4, 6, n_clusters=2)), [(0, 1)])


def test_rows_and_masks_that_leave_no_room_are_named():
    X = np.arange(12.0).reshape(6, 2)
    mask = np.ones((6, 2), dtype=bool)
    mask[0, 0] = mask[1, 1] = False
    with pytest.raises(ContradictoryLinksError, match="points 0, 1 together, but the mask leaves no cluster") as caught:
        _linked(AssignmentModel.lsa(X, X[:2], PartitionPolytope(6, n_clusters=2).allow(mask)), [(0, 1)])
    assert caught.value.pairs == ((0, 1),)
    polytope = PartitionPolytope(6, n_clusters=2).add_rows("mine", np.ones((6, 2)), upper=5)
    with pytest.raises(InfeasibleBoundsError, match="keeps the rows 'mine'"):
        _linked(AssignmentModel.lsa(X, X[:2], polytope), [(0, 1)])


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
    polytope = PartitionPolytope(n, 0.95 * n / k, 1.05 * n / k, n_clusters=k).together(must).apart(cannot)
    solution = solve(AssignmentModel.lsa(X, centres, polytope), gap=1e-4, time_limit=300)
    assert Links(n, must, cannot).satisfied(solution.labels)
    assert polytope.contains(solution.labels)
    assert solution.bound.upper - solution.bound.lower <= 1e-3


@pytest.mark.parametrize("objective", ["csa", "lsa"])
def test_the_iteration_respects_links_and_never_gets_worse(objective):
    X, _, must, cannot = _mixture(120, 3, 60)
    partitioner = GeometricPartitioner(
        3, lower=30, upper=50, must_link=must, cannot_link=cannot, objective=objective, n_init=2, random_state=0
    )
    labels = partitioner.fit_predict(X)
    assert Links(120, must, cannot).satisfied(labels)
    assert ((partitioner.partition_.sizes >= 30) & (partitioner.partition_.sizes <= 50)).all()
    change = np.diff(partitioner.partition_.history["objective"])
    assert (change >= 0).all() if objective == "csa" else (change <= 0).all()
    assert partitioner.partition_.certificate.whole
    assert partitioner.partition_.certificate.gap <= 1e-3
    assert partitioner.partition_.certificate.belongs_to(labels)
    assert partitioner.predict(X[:5]).shape == (5,)


def test_pairs_and_groups_go_together_and_their_contradictions_are_named_at_once():
    polytope = PartitionPolytope(5, n_clusters=3)
    both = polytope.together([(0, 1)]).together(["a", None, "a", None, None]).together(np.empty((0, 2), int))
    assert both.blocks.tolist() == [0, 0, 0, 1, 2]
    assert both.without_links.blocks.tolist() == [0, 1, 0, 2, 3]
    for order in (lambda: both.apart([(2, 1)]), lambda: polytope.apart([(2, 1)]).together(["a", "a", "a", "b", "c"])):
        with pytest.raises(ContradictoryLinksError, match="points 2 and 1 have to be apart, but groups keep") as caught:
            order()
        assert caught.value.pairs == ((2, 1),)
    with pytest.raises(ContradictoryLinksError, match="0 - 1 are linked together"):
        polytope.apart([(1, 0)]).together([(0, 1)])
    for wrong in ([[0, 1, 2]], [[0, 9]], [[3, 3]], [[0.5, 1.0]]):
        with pytest.raises(InvalidInputError):
            polytope.together(wrong)
