"""The polytope: matrices, feasibility in words, counting and enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.models import InfeasibleBoundsError, InvalidInputError, PartitionPolytope


def _random(seed: int, n_max: int, k_max: int) -> PartitionPolytope:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, k_max + 1))
    n = int(rng.integers(1, n_max + 1))
    lower = rng.integers(0, n + 1, size=k)
    return PartitionPolytope(n, lower, lower + rng.integers(0, n + 1, size=k))


@pytest.mark.parametrize("block", range(6))
def test_count_and_enumeration_equal_brute_force(block):
    for seed in range(50 * block, 50 * block + 50):
        polytope = _random(seed, n_max=7, k_max=4)
        n, k = polytope.n_points, polytope.n_clusters
        everything = [y for y in product(range(k), repeat=n) if polytope.contains(np.array(y))]
        assert [tuple(y) for y in polytope.enumerate()] == everything
        assert polytope.count() == len(everything)
        assert polytope.is_feasible == bool(everything)


def test_counts_are_exact_integers_of_any_size():
    assert PartitionPolytope(200, n_clusters=3).count() == 3**200
    assert PartitionPolytope(6, 2, 2, n_clusters=3).count() == 90


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_constraints_describe_the_clusterings(seed):
    polytope = _random(seed, n_max=6, k_max=3)
    A, low, up = polytope.constraints()
    n, k = polytope.n_points, polytope.n_clusters
    assert A.shape == (n + k, n * k)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        labels = rng.integers(0, k, n)
        value = A @ np.eye(k)[labels].ravel()
        assert bool(np.all((value >= low) & (value <= up))) == polytope.contains(labels)


def test_the_matrix_is_totally_unimodular_on_a_small_case():
    A = PartitionPolytope(3, 1, 2, n_clusters=2).constraints()[0].toarray()
    rng = np.random.default_rng(0)
    for _ in range(400):
        size = rng.integers(1, 6)
        rows, columns = rng.choice(5, size, replace=False), rng.choice(6, size, replace=False)
        assert round(abs(np.linalg.det(A[np.ix_(rows, columns)])), 9) in (0.0, 1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lower": [60, 60]}, r"sum\(lower\)=120 exceeds n_points=100: lower the bounds by 20 .* at most 50"),
        ({"upper": [30, 30]}, r"sum\(upper\)=60 is less than n_points=100: raise the bounds by 40 .* at least 50"),
        ({"lower": [70, 0], "upper": [60, 100]}, r"lower\[0\]=70 exceeds upper\[0\]=60: lower lower\[0\] to 60"),
        ({"lower": [120, 0]}, r"lower\[0\]=120 exceeds upper\[0\]=100"),
    ],
)
def test_infeasible_bounds_say_the_smallest_repair(arguments, message):
    polytope = PartitionPolytope(100, **arguments, n_clusters=2)
    assert not polytope.is_feasible
    with pytest.raises(InfeasibleBoundsError, match=message):
        polytope.check()


def test_the_stated_repair_repairs():
    PartitionPolytope(100, [50, 50], n_clusters=2).check()
    PartitionPolytope(100, upper=[50, 50], n_clusters=2).check()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_points": 0, "n_clusters": 2}, "n_points=0"),
        ({"n_points": 3}, "n_clusters is missing"),
        ({"n_points": 3, "lower": [1, 1], "upper": [1, 1, 1]}, "disagree on the number of clusters"),
        ({"n_points": 3, "lower": -1, "n_clusters": 2}, "lower=-1 is negative"),
        ({"n_points": 3, "lower": np.nan, "n_clusters": 2}, "lower holds NaN"),
        ({"n_points": 3, "lower": "x", "n_clusters": 2}, "lower='x'"),
        ({"n_points": 3, "weights": [1, 2], "n_clusters": 2}, r"weights has shape \(2,\)"),
        ({"n_points": 3, "weights": [1, -2, 1], "n_clusters": 2}, "weights must be finite"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        PartitionPolytope(**arguments)


def test_weighted_bounds():
    polytope = PartitionPolytope(3, [2.5, 0.5], [3.5, 1.0], weights=[1.0, 2.0, 0.5])
    assert polytope.total == 3.5
    assert [y.tolist() for y in polytope.enumerate()] == [[0, 0, 1], [1, 0, 0]]
    with pytest.raises(InvalidInputError, match="enumerate"):
        polytope.count()
    with pytest.raises(InfeasibleBoundsError, match=r"sum\(weights\)=3\.5"):
        PartitionPolytope(3, 2.0, weights=[1.0, 2.0, 0.5], n_clusters=2).check()


def test_arrays_are_copied_and_frozen():
    lower = np.array([1, 1])
    polytope = PartitionPolytope(4, lower, 3)
    lower[:] = 99
    assert polytope.lower.tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="read-only"):
        polytope.lower[0] = 2
