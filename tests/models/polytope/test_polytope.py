"""The polytope: counting, enumeration, matrices, and errors that say how to repair bounds."""

from __future__ import annotations

import itertools
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.base.errors import InvalidInputError
from partitope.models import InfeasibleBoundsError, PartitionPolytope
from partitope.testing import random_bounds


def _all(n, lower, upper, weights=None):
    w = np.ones(n) if weights is None else np.asarray(weights, float)
    for labels in itertools.product(range(len(lower)), repeat=n):
        sizes = np.bincount(labels, weights=w, minlength=len(lower))
        if (sizes >= np.asarray(lower) - 1e-9).all() and (sizes <= np.asarray(upper) + 1e-9).all():
            yield labels


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 7), st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=3))
def test_count_and_enumerate_equal_brute_force(n, pairs):
    lower, upper = [min(p) for p in pairs], [max(p) for p in pairs]
    polytope = PartitionPolytope(n, lower, upper)
    expected = list(_all(n, lower, upper))
    assert polytope.count() == len(expected)
    assert [tuple(y.tolist()) for y in polytope.enumerate()] == expected
    assert polytope.is_feasible == bool(expected)


@pytest.mark.parametrize("unit", [1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9])
def test_bounds_may_clash_by_rounding_only_in_any_unit_of_weight(unit):
    weights = np.random.default_rng(0).random(1_000) * unit
    total, k = weights.sum(), 7
    for error in (1e-15, 1e-13):
        PartitionPolytope(1_000, (1 + error) * total / k, total, weights, n_clusters=k).check()
        PartitionPolytope(1_000, 0.0, (1 - error) * total / k, weights, n_clusters=k).check()
        PartitionPolytope(1_000, (1 + error) * total / k, total / k, weights, n_clusters=k).check()
    for error in (1e-7, 1e-6, 0.5):
        for lower, upper in ((1 + error, k), (0.0, 1 - error), (1 + error, 1.0)):
            polytope = PartitionPolytope(1_000, lower * total / k, upper * total / k, weights, n_clusters=k)
            assert not polytope.is_feasible


@pytest.mark.parametrize(
    "n, lower, upper, words",
    [
        (10, [5, 4, 3], [10, 10, 10], ["sum(lower)=12 exceeds n_points=10", "by 2 in all", "at most 3"]),
        (10, [0, 0, 0], [3, 3, 3], ["sum(upper)=9 is less than n_points=10", "by 1 in all", "at least 4"]),
        (10, [2, 6], [8, 5], ["lower[1]=6 exceeds upper[1]=5", "lower lower[1] to 5 or raise upper[1] to 6"]),
        (3, [4, 0], [9, 3], ["sum(lower)=4 exceeds n_points=3", "common lower bound of at most 1"]),
        (30, [50, 50], None, ["sum(lower)=100 exceeds n_points=30", "common lower bound of at most 15"]),
        (30, [1e300, 1e300], None, ["sum(lower)=2e+300 exceeds n_points=30: "]),
        (10, [7, 7, 0], [6, 6, 10], ["and 1 more clusters"]),
    ],
)
def test_infeasible_bounds_name_the_repair(n, lower, upper, words):
    polytope = PartitionPolytope(n, lower, upper)
    assert not polytope.is_feasible
    with pytest.raises(InfeasibleBoundsError) as caught:
        polytope.check()
    for word in words:
        assert word in str(caught.value)


def test_the_stated_repair_repairs():
    with pytest.raises(InfeasibleBoundsError):
        PartitionPolytope(10, 4, 10, n_clusters=3).check()
    PartitionPolytope(10, 3, 10, n_clusters=3).check()
    PartitionPolytope(10, 0, 4, n_clusters=3).check()


def test_weighted_bounds_are_sums_of_weights():
    polytope = PartitionPolytope(3, [0.5, 0.0], [1.0, 2.0], weights=[0.5, 0.5, 1.5])
    assert polytope.contains([0, 0, 1])
    assert not polytope.contains([0, 1, 0])
    assert not polytope.contains([0, 0, 5])
    assert polytope.total == 2.5
    with pytest.raises(InfeasibleBoundsError, match=r"sum\(upper\)=2 is less than sum\(weights\)=2.5"):
        PartitionPolytope(3, [0, 0], [1, 1], weights=[0.5, 0.5, 1.5]).check()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 4), st.booleans())
def test_matrix_says_the_same_as_contains(seed, n, k, weighted):
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.5, 2, n) if weighted else None
    lower, upper = random_bounds(rng, n, k, "mixed")
    polytope = PartitionPolytope(n, lower, upper, weights)
    if seed % 2:
        polytope = polytope.add_rows("own", rng.normal(size=(n, k)), lower=0.0)
    A, low, up = polytope.rows()
    assert A.shape == (n + k + seed % 2, n * k)
    for _ in range(10):
        labels = rng.integers(0, k, n)
        xi = np.zeros((n, k))
        xi[np.arange(n), labels] = 1
        rows = A @ xi.ravel()
        inside = bool((rows >= low - 1e-9).all() and (rows <= up + 1e-9).all())
        assert inside == polytope.contains(labels)
        np.testing.assert_allclose(rows[n : n + k], polytope.sizes(labels))


def test_matrix_is_totally_unimodular_on_a_small_case():
    A = PartitionPolytope(3, 0, 3, n_clusters=2).rows()[0].toarray()
    for size in range(1, 5):
        for rows in itertools.combinations(range(A.shape[0]), size):
            for columns in itertools.combinations(range(A.shape[1]), size):
                assert round(float(np.linalg.det(A[np.ix_(rows, columns)]))) in (-1, 0, 1)


def test_fractional_and_infinite_bounds_mean_the_integers_inside():
    polytope = PartitionPolytope(10, [2.4, 0], [np.inf, 4.9])
    assert polytope.lower.tolist() == [3, 0]
    assert polytope.upper.tolist() == [10, 4]


def test_bounds_near_the_average_are_rounded_outwards_but_not_by_round_off():
    around = PartitionPolytope.within(100, 10, 0.9, 1.1)  # 1.1 * 10 = 11.000000000000002 in floating point
    assert (around.lower.tolist(), around.upper.tolist()) == ([9.0] * 10, [11.0] * 10)
    assert PartitionPolytope.within(100, 3).describe() == "26 to 40"


ROOM, WEIGHTS = [[0, 0], [9, 9]], np.ones((6, 2))


def test_the_program_is_said_in_one_line():
    polytope = PartitionPolytope(6, "10%", 0.7, n_clusters=2).allow(np.ones((6, 2), dtype=bool))
    polytope = polytope.share([True] * 3 + [False] * 3, "30%", name="old").add_rows("mine", np.ones((6, 2)), upper=9)
    text = repr(polytope)
    assert text == "<PartitionPolytope: 6 points, 2 clusters, size 0 to 5, pairs not allowed, rows 'old', rows 'mine'>"
    named = PartitionPolytope(6, None, ROOM, pd.DataFrame(WEIGHTS, columns=["people", "votes"]))
    assert named.row_names == ("people", "votes")
    assert PartitionPolytope(6, 1, 5, n_clusters=2, names="people").row_names == ("people",)


def test_pairs_and_points_are_taken_in_usual_forms():
    plain, mask = PartitionPolytope(6, 1, 5, n_clusters=2), np.arange(12).reshape(6, 2) % 3 > 0
    assert (plain.allow(sp.csr_array(mask)).allowed == mask).all()
    first = np.arange(6) < 2
    assert (plain.fix(first, 1).allowed == plain.fix([0, 1], [1, 1]).allowed).all()
    assert plain.fix([3], [0]).fix([3], [0]).allowed[3].tolist() == [True, False]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda p: p.fix([0, 1], [1, 1, 0]), r"clusters has shape \(3,\), points \(2,\)"),
        (lambda p: p.fix([2], [0]).fix([2], [1]), "point 2 cannot be fixed in cluster 1"),
        (lambda p: p.share(["a", None, "a", "b", "b", "b"], 0.1), "no entry at 1 of 6 points, the first is 1"),
        (lambda p: p.share(np.arange(6) / 7, 0.1), "6 different numbers for 6 points, expected groups"),
        (lambda p: p.share([1, 1, 1, 2, 2, 2]), "the share 'share' has no bound"),
        (lambda p: p.add_rows("mine", np.ones((6, 2))), "rows 'mine' have no bound"),
        (lambda p: PartitionPolytope(6, 1, 5, n_clusters=2, names=["a", "b"]), "does not name the one size dimension"),
        (lambda p: PartitionPolytope(6, "10%", ROOM, WEIGHTS), "is a share, of which of 2 dimensions"),
    ],
)
def test_what_a_program_cannot_be_is_said_in_one_line(build, message):
    with pytest.raises((InvalidInputError, InfeasibleBoundsError), match=message):
        build(PartitionPolytope(6, 1, 5, n_clusters=2))


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1.0, 1e9])
def test_clusterings_within_bounds_do_not_depend_on_the_unit_of_weights(unit):
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    polytope = PartitionPolytope(4, [4 * unit, 4 * unit], [6 * unit, 6 * unit], weights * unit)
    whole = {tuple(labels) for labels in polytope.enumerate()}
    expected = {labels for labels in product(range(2), repeat=4) if 4 <= weights[np.array(labels) == 0].sum() <= 6}
    assert whole == expected
    assert all(polytope.contains(labels) == (labels in expected) for labels in product(range(2), repeat=4))
