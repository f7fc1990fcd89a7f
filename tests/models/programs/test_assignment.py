"""The assignment program: scores, values and costs, and how CSA and LSA agree and differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import solve
from partitope.testing import random_model

# the dissertation's Example 4.1.17: three points, sites (1 + lambda, 0) and (0, -1), all eight clusterings
POINTS = np.array([[1.0, 1.0], [-1.0, -1.0], [0.5, -0.5]])
CLUSTERINGS = [[0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1], [0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0]]
TABLE = {  # two LSA entries differ from the print (24 and 4), which they contradict by arithmetic
    2.0: ([1.5, 0.5, 5.5, -3.5, 4.5, -2.5, 0.5, 1.5], [28.5, 6.5, 12.5, 22.5, 6.5, 28.5, 22.5, 12.5]),
    -0.5: ([0.25, 0.5, 1.75, -1.0, 2.0, -1.25, 0.5, 0.25], [4.75, 6.5, 2.5, 8.75, 2.75, 8.5, 5.0, 6.25]),
}


@pytest.mark.parametrize("lam", [2.0, -0.5])
def test_example_of_different_assignments(lam):
    polytope = PartitionPolytope(3, 0, 3, n_clusters=2)
    sites = [[1 + lam, 0], [0, -1]]
    csa, lsa = AssignmentModel.csa(POINTS, sites, polytope), AssignmentModel.lsa(POINTS, sites, polytope)
    assert [csa.value(y) for y in CLUSTERINGS] == pytest.approx(TABLE[lam][0])
    assert [lsa.cost(y) for y in CLUSTERINGS] == pytest.approx(TABLE[lam][1])
    best = {"csa": [0, 1, 0], "lsa": [0, 1, 1]} if lam > 0 else {"csa": [0, 1, 1], "lsa": [0, 1, 0]}
    assert solve(csa).objective == pytest.approx(csa.value(best["csa"])) == max(TABLE[lam][0])
    assert lsa.cost(solve(lsa).labels) == pytest.approx(lsa.cost(best["lsa"])) == min(TABLE[lam][1])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 4), st.integers(1, 3))
def test_unit_sites_make_both_assignments_equal(seed, n, k, d):
    csa = random_model(seed, n, min(k, n), d, kind="csa")
    if not np.allclose(np.linalg.norm(csa.sites, axis=1), 1.0):
        return
    lsa = AssignmentModel.lsa(csa.scores.X, csa.sites, csa.polytope)
    one, two = solve(csa), solve(lsa)
    assert csa.value(two.labels) == pytest.approx(one.objective, abs=1e-9)
    assert lsa.cost(one.labels) == pytest.approx(lsa.cost(two.labels), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.sampled_from([None, 0.0, 7.5]))
def test_value_and_cost_differ_by_a_constant(seed, n, origin):
    rng = np.random.default_rng(seed)
    X, sites = rng.normal(size=(n, 2)), rng.normal(size=(3, 2))
    polytope = PartitionPolytope(n, 0, n, n_clusters=3, weights=rng.uniform(0.5, 2, n))
    model = AssignmentModel.lsa(X, sites, polytope, origin=None if origin is None else [origin, -origin])
    sums = []
    for _ in range(5):
        y = rng.integers(0, 3, n)
        direct = sum(w * ((x - sites[i]) ** 2).sum() for w, x, i in zip(polytope.weights, X, y))
        assert model.cost(y) == pytest.approx(direct)
        sums.append(model.value(y) + model.cost(y))
    assert sums == pytest.approx([sums[0]] * 5)


@pytest.mark.full
def test_far_from_zero_no_digit_is_lost():
    rng = np.random.default_rng(2)
    X, sites = rng.normal(size=(50, 2)), rng.normal(size=(3, 2))
    polytope = PartitionPolytope(50, 15, 18, n_clusters=3)
    near, far = (AssignmentModel.lsa(X + s, sites + s, polytope) for s in (0.0, 1e6))
    assert far.cost(solve(far).labels) == pytest.approx(near.cost(solve(near).labels), rel=1e-8)
