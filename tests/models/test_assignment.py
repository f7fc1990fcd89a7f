"""The assignment program's data: the dissertation's Example 4.1.17 and the relation of the two objectives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.models import AssignmentModel, InvalidInputError, PartitionPolytope

X = np.array([[1.0, 1.0], [-1.0, -1.0], [0.5, -0.5]])
CLUSTERINGS = [[0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize(
    ("lam", "csa", "lsa"),
    [
        # the sixth LSA values are printed as 24 and 4 in the source; they are 28.5 and 8.5
        (2.0, [1.5, 0.5, 5.5, -3.5, 4.5, -2.5, 0.5, 1.5], [28.5, 6.5, 12.5, 22.5, 6.5, 28.5, 22.5, 12.5]),
        (-0.5, [0.25, 0.5, 1.75, -1, 2, -1.25, 0.5, 0.25], [4.75, 6.5, 2.5, 8.75, 2.75, 8.5, 5, 6.25]),
    ],
)
def test_example_4_1_17(lam, csa, lsa):
    sites = np.array([[1.0 + lam, 0.0], [0.0, -1.0]])
    polytope = PartitionPolytope(3, 0, 3, n_clusters=2)
    linear = AssignmentModel.csa(X, sites, polytope)
    squares = AssignmentModel.lsa(X, sites, polytope)
    assert [linear.value(labels) for labels in CLUSTERINGS] == pytest.approx(csa)
    assert [squares.cost(labels) for labels in CLUSTERINGS] == pytest.approx(lsa)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_value_and_cost_add_up_to_a_constant(seed):
    rng = np.random.default_rng(seed)
    n, k, d = rng.integers(1, 9), rng.integers(1, 4), rng.integers(1, 4)
    points, weights = rng.normal(size=(n, d)), rng.uniform(0.1, 2.0, n)
    model = AssignmentModel.lsa(points, rng.normal(size=(k, d)), PartitionPolytope(n, weights=weights, n_clusters=k))
    totals = [model.value(y) + model.cost(y) for y in rng.integers(0, k, size=(5, n))]
    constant = float(weights @ ((points - points.mean(axis=0)) ** 2).sum(axis=1))
    assert totals == pytest.approx([constant] * 5)


def test_unit_sites_make_both_objectives_one():
    rng = np.random.default_rng(0)
    points, sites = rng.normal(size=(7, 2)), rng.normal(size=(3, 2))
    sites /= np.linalg.norm(sites, axis=1, keepdims=True)
    polytope = PartitionPolytope(7, 1, 4, n_clusters=3)
    linear, squares = AssignmentModel.csa(points, sites, polytope), AssignmentModel.lsa(points, sites, polytope)
    clusterings = list(polytope.enumerate())
    best = max(clusterings, key=linear.value)
    assert squares.cost(best) == pytest.approx(min(map(squares.cost, clusterings)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: AssignmentModel(p, np.zeros((3, 3))), r"scores has shape \(3, 3\)"),
        (lambda p: AssignmentModel(p, np.full((3, 2), np.nan)), "scores holds NaN"),
        (lambda p: AssignmentModel.csa(X, [[1.0, 2.0, 3.0]] * 2, p), "sites has 3 features, X has 2"),
        (lambda p: AssignmentModel.lsa(np.full((3, 2), np.inf), np.zeros((2, 2)), p), "X holds NaN or infinity"),
        (lambda p: AssignmentModel.csa(X, np.zeros((2, 2)), p).cost([0, 0, 1]), r"use value\(\) instead"),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make(PartitionPolytope(3, n_clusters=2))


def test_scores_come_in_blocks_and_from_float32():
    points = np.asfortranarray(np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32))
    points.setflags(write=False)
    model = AssignmentModel.lsa(points, points[:2], PartitionPolytope(20, n_clusters=2))
    source = model.score_source
    assert source.rows(5, 9).dtype == np.float64
    assert np.array_equal(np.concatenate([source.rows(0, 7), source.rows(7, 20)]), source.dense())
