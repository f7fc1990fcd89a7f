"""Size bounds as users write them: one rule for sizes and shares, the same in Python and on the command line."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from partitope.base.errors import InvalidInputError
from partitope.base.sizes import balanced_sizes, bound_sizes
from partitope.cluster import BalancedKMeans
from partitope.compare import compare
from partitope.datasets import load_dataset
from partitope.models import PartitionPolytope
from partitope.solvers import CAC, PKM, GeometricPartitioner


@pytest.mark.parametrize(
    ("value", "lower", "upper"),
    [
        (20, 20, 20),
        (20.0, 20, 20),
        (0, 0, 0),
        (1, 1, 1),
        ("1", 1, 1),
        (0.1, 10, 11),
        ("10%", 10, 11),
        ("0.1", 10, 11),
        (np.float32(0.25), 26, 27),
        ("100%", 105, 105),
    ],
)
def test_sizes_and_shares_of_105_points(value, lower, upper):
    assert bound_sizes(value, "lower", 105, 2).tolist() == [lower, lower]
    assert bound_sizes(value, "upper", 105, 2).tolist() == [upper, upper]


def test_one_entry_a_cluster():
    assert bound_sizes([0.2, 0.3], "lower", 10, 2).tolist() == [2, 3]
    assert bound_sizes(["20%", "30%"], "upper", 10, 2).tolist() == [2, 3]
    assert bound_sizes([0, 0.3], "lower", 10, 2).tolist() == [0, 3]
    assert bound_sizes(np.array([1.0, 1.0]), "lower", 10, 2).tolist() == [1, 1]
    assert bound_sizes([1.0], "lower", 10, 1).tolist() == [1]
    assert bound_sizes(None, "lower", 10, 2) is None


def test_a_number_below_1_next_to_weights_is_said_to_be_a_share():
    weights = np.full(30, 0.1)
    model = BalancedKMeans(2, lower=0.4, random_state=0)
    with pytest.warns(
        UserWarning, match=r"lower=0.4 is a share, .* 40 % of the sum of weights, which is 3; write '40%'"
    ):
        model.fit(np.arange(30.0)[:, None], sample_weight=weights)
    with pytest.warns(UserWarning, match="lower=0.3 is a share"):
        bound_sizes(np.float64(0.3), "lower", 2.0, 2, whole=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(lower="40%").fit(np.arange(30.0)[:, None], sample_weight=weights)
        model.set_params(lower=0.4).fit(np.arange(30.0)[:, None])


def test_shares_of_weights_are_not_rounded():
    assert bound_sizes(0.3, "lower", 2.5, 1, whole=False).tolist() == [0.75]


@pytest.mark.parametrize("value", [1.0, "1.0", np.float64(1.0)])
def test_one_point_or_all_points_is_refused(value):
    with pytest.raises(InvalidInputError, match=r"could be one point or all points: write 1 .* or '100%'"):
        bound_sizes(value, "upper", 10, 2)


@pytest.mark.parametrize("value", [[0.5, 20], [0.5, 1.0], ["10%", 3], "10%,20"])
def test_sizes_and_shares_are_not_mixed(value):
    with pytest.raises(InvalidInputError, match="mixes sizes and shares"):
        bound_sizes(value, "upper", 100, 2)


@pytest.mark.parametrize("value", ["120%", "-5%", -0.1, -3, "ten", True, float("nan"), [1, 2, 3], [], object()])
def test_what_is_no_size_is_refused_by_name(value):
    with pytest.raises(InvalidInputError, match="size_min"):
        bound_sizes(value, "lower", 100, 2, name="size_min")


@given(st.integers(1, 40), st.integers(1, 3000), st.floats(0, 3))
def test_shares_that_fit_and_balance_are_feasible_for_every_number_of_rows(k, n, balance):
    lower, upper = balanced_sizes(balance, n, k)
    assert PartitionPolytope(n, lower, upper).is_feasible
    assert (lower <= n / k).all()
    assert (upper >= n / k).all()
    if k > 1:
        share = 1.0 / k
        assert PartitionPolytope(n, bound_sizes(share, "lower", n, k), bound_sizes(share, "upper", n, k)).is_feasible


def test_balance_is_a_share_of_the_average():
    lower, upper = balanced_sizes(0.2, 100, 4)
    assert (lower.tolist(), upper.tolist()) == ([20] * 4, [30] * 4)
    lower, upper = balanced_sizes(0, 10, 4)
    assert (lower.tolist(), upper.tolist()) == ([2] * 4, [3] * 4)
    lower, upper = balanced_sizes("20%", 100, 4)
    assert (lower.tolist(), upper.tolist()) == ([20] * 4, [30] * 4)
    for wrong in (-0.1, "a", None, True, float("inf")):
        with pytest.raises(InvalidInputError, match="balance"):
            balanced_sizes(wrong, 10, 4)


def test_whoever_takes_bounds_takes_shares():
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    for strategy in (GeometricPartitioner(4, balance=0), PKM(4, lower="25%"), CAC(4, lower=0.25, upper="30%")):
        sizes = strategy.fit(X, y).partition_.sizes
        assert sizes.min() >= 10
        assert sizes.max() <= 12
    assert PartitionPolytope.asked_for(40, 4, "25%").describe() == "10 to 40"
    assert PartitionPolytope.asked_for(40, 4, balance=0.2).describe() == PartitionPolytope.within(40, 4).describe()
    found = compare(
        load_dataset("breast_cancer"), 3, lower="20%", upper=0.6, folds=2, starts=1, methods=["geometric-lsa"]
    )
    assert found.settings.polytope.lower.tolist() == [113] * 3
    assert found.settings.polytope.upper.tolist() == [342] * 3
