"""Sizes as even as possible: against all clusterings."""

import numpy as np
import pytest

from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.solvers import AnisotropicPartitioner, GeometricPartitioner, evenest, solve


@pytest.mark.parametrize("seed", range(12))
def test_no_clustering_is_more_even(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 8)), int(rng.integers(2, 4))
    load = rng.integers(1, 20, n).astype(float) if seed % 2 else rng.lognormal(size=n)
    load *= (1.0, 1e9, 1e-10)[seed % 3]
    polytope = PartitionPolytope(n, [[1, 0]] * k, [[n, load.sum()]] * k, np.column_stack([np.ones(n), load]),
                                 names=["count", "load"])  # fmt: skip
    if seed % 3 == 0:
        polytope = polytope.together([1, 1, *[None] * (n - 2)])
    if seed % 4 == 0:
        polytope = polytope.apart([None, 1, 1, *[None] * (n - 3)])
    deviations = [
        np.abs(np.bincount(labels, load, k) - load.sum() / k).max() for labels in polytope.whole().enumerate()
    ]
    even, bound, found = evenest(polytope, "load")
    assert bound.upper == pytest.approx(min(deviations), abs=1e-9 * load.sum())
    assert bound.lower == pytest.approx(min(deviations), abs=1e-6 * load.sum())
    assert bound.lower <= min(deviations) + 1e-15 * load.sum()
    assert even.contains(found)
    labels = solve(AssignmentModel(even, rng.normal(size=(n, k)))).labels
    assert np.abs(np.bincount(labels, load, k) - load.sum() / k).max() <= bound.upper + 1e-8 * load.sum()


def test_several_dimensions_are_even_in_parts_of_their_means():
    rng = np.random.default_rng(0)
    weights = np.column_stack([np.ones(6), rng.lognormal(size=6)])
    polytope = PartitionPolytope(6, weights=weights, n_clusters=2, names=["count", "load"])
    values = [
        max(np.abs(np.bincount(y, column, 2) / (column.sum() / 2) - 1).max() for column in weights.T)
        for y in polytope.whole().enumerate()
    ]
    assert evenest(polytope)[1].upper == pytest.approx(min(values))


def test_what_has_no_even_sizes_is_refused():
    polytope = PartitionPolytope(4, n_clusters=2)
    with pytest.raises(InvalidInputError, match="names='age' is not a size dimension: choose from size"):
        evenest(polytope, "age")
    with pytest.raises(CapabilityError, match="evenest does not take open clusters"):
        evenest(polytope.optional())


def test_thousands_of_whole_weights_are_proved_even_by_their_unit():
    rng = np.random.default_rng(0)
    mask = rng.random((2000, 10)) < 0.5
    mask[:, 0] = True
    polytope = PartitionPolytope(2000, weights=rng.integers(1, 60, 2000).astype(float), n_clusters=10).allow(mask)
    bound = evenest(polytope, time_limit=60.0)[1]
    assert bound.upper == bound.lower < 1.0


def test_counting_knows_a_clustering_too():
    for polytope in (PartitionPolytope(5, n_clusters=2), PartitionPolytope(7, [0, 3, 0], [9, 9, 2])):
        even, _, found = evenest(polytope)
        assert even.contains(found)


def test_a_fit_begins_with_the_clustering_that_was_found():
    rng = np.random.default_rng(0)
    even, _, found = evenest(PartitionPolytope(20, weights=rng.lognormal(size=20), n_clusters=4), time_limit=0.5)
    fitted = GeometricPartitioner(4, n_init=1, random_state=0).fit(rng.normal(size=(20, 2)), polytope=even, start=found)
    assert even.contains(fitted.labels_)
    with pytest.raises(CapabilityError, match="does not support start: leave it out or use geometric"):
        AnisotropicPartitioner(4).fit(rng.normal(size=(20, 2)), start=found)
