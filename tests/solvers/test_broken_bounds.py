"""A bound that labels break is named with cluster, amount and unit, whichever strategy broke it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from partitope.base.errors import BrokenBoundsWarning
from partitope.cluster import BalancedKMeans
from partitope.models import PartitionPolytope
from partitope.models.polytope.broken_bounds import broken_bounds, in_words
from partitope.solvers import GeometricPartitioner

RATING = np.arange(1400.0, 1851.0, 50.0)
"""Ten players; two even teams of them exist."""


def teams():
    weights, even = np.column_stack([np.ones(10), RATING]), RATING.sum() / 2
    return PartitionPolytope(10, [[5, even - 25]] * 2, [[5, even + 25]] * 2, weights, names=["players", "rating"])


def test_whole_points_keep_bounds_that_can_be_kept():
    for strategy in (GeometricPartitioner(2, random_state=0), BalancedKMeans(2, random_state=0)):
        partition = strategy.fit(RATING[:, None], polytope=teams()).partition_
        assert teams().contains(partition.labels)
        assert partition.violation == 0.0
        assert partition.proof.name == "STEP"


def test_labels_that_break_a_bound_say_so():
    strategy = GeometricPartitioner(2, whole=False, random_state=0)
    with pytest.warns(
        BrokenBoundsWarning, match=r"cluster \d has rating \d+, [\d.]+ (more|less) than its (upper|lower) b"
    ):
        partition = strategy.fit(RATING[:, None], polytope=teams()).partition_
    sums = np.bincount(partition.labels, RATING)
    assert partition.violation > 0
    assert partition.violation == pytest.approx(np.abs(sums - sums.mean()).max() - 25)
    assert partition.violations == {"players": 0.0, "rating": partition.violation}


def test_nothing_is_said_where_all_bounds_are_kept():
    X = np.random.default_rng(0).normal(size=(40, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        partition = GeometricPartitioner(3, lower=10, random_state=0).fit(X).partition_
        assert partition.violation == 0.0
        weighted = BalancedKMeans(2, random_state=0).fit(X, sample_weight=1.0 + np.arange(40) % 2)
        assert weighted.partition_.violation == 0.0


def test_a_point_heavier_than_a_bound_leaves_a_cluster_short():
    X, heavy = np.array([[0.0], [0.0], [0.0], [10.0], [10.1]]), [1, 1, 1, 50, 1]
    with pytest.warns(BrokenBoundsWarning, match="cluster . has weight 3, 17 less than its lower bound of 20"):
        model = BalancedKMeans(2, lower=20, random_state=0).fit(X, sample_weight=heavy)
    assert model.partition_.violation == 17.0
    with pytest.warns(BrokenBoundsWarning, match="1 of n_clusters=3 clusters hold no point, the first is cluster"):
        BalancedKMeans(3, random_state=0).fit(np.array([[0.0], [0.0], [9.0]]), sample_weight=[1, 2, 2])


def test_weights_beside_a_dask_array_are_looked_at_too():
    dask = pytest.importorskip("dask.array")
    X = np.array([[0.0], [0.0], [0.0], [10.0], [10.1]])
    model = GeometricPartitioner(2, lower=20, objective="lsa", random_state=0)
    with pytest.warns(BrokenBoundsWarning, match="has weight 3, 17 less"):
        model.fit(dask.from_array(X, chunks=2), sample_weight=np.array([1, 1, 1, 50, 1]))
    assert model.partition_.violation == 17.0


def test_shares_and_rows_of_ones_own_are_told_in_their_units():
    labels = np.array([0, 0, 0, 1, 1, 1])
    polytope = PartitionPolytope(6, 4, 6, n_clusters=2).share(["a", "a", "b", "b", "b", "b"], {"a": 0.1}, {"a": 0.5})
    found = broken_bounds(polytope, labels)
    assert [str(bound) for bound in found] == [
        "cluster 0 has 3 points, 1 less than its lower bound of 4",
        "cluster 1 has 3 points, 1 less than its lower bound of 4",
        "cluster 1 has 0 % of share[a], 0.3 points less than its lower bound of 10 %",
        "cluster 0 has 66.6667 % of share[a], 0.5 points more than its upper bound of 50 %",
    ]
    assert in_words(found).endswith("; and 1 more")
    first = np.zeros((1, 12))
    first[0, [0, 2]] = 1.0  # the first two points in cluster 0
    own = PartitionPolytope(6, n_clusters=2).add_rows("apart", first.reshape(1, 6, 2), upper=[1.0])
    assert [str(bound) for bound in broken_bounds(own, labels)] == [
        "row 0 has apart 2, 1 more than its upper bound of 1"
    ]


def test_a_closed_cluster_breaks_no_bound_in_any_dimension():
    weights = np.column_stack([np.ones(6), np.arange(1.0, 7.0)])
    polytope = PartitionPolytope(6, [[2, 5]] * 3, [[6, 21]] * 3, weights, names=["count", "load"]).optional(most=2)
    labels = np.array([0, 0, 0, 2, 2, 2])
    assert polytope.contains(labels)
    assert broken_bounds(polytope, labels) == ()
