"""Groups that are alike: equal to all labels where these are few, bounds that hold, statements that are kept."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from partitope.base.deadline import UNLIMITED
from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.models import PartitionPolytope
from partitope.solvers import AlikePartitioner
from partitope.solvers.anticlustering.bounds import _frank_wolfe
from partitope.solvers.anticlustering.search import distances, spread_columns, value_of

CRITERIA = ("kplus", "variance", "diversity", "dispersion")
HALVES = PartitionPolytope(8, 4, 4, n_clusters=2)
STATED = {
    "plain": HALVES,
    "uneven": PartitionPolytope(8, [2, 1, 2], [4, 3, 5]),
    "linked": PartitionPolytope(8, 2, 3, n_clusters=3).together([(0, 1)]).apart([(2, 3), (3, 4)]),
    "shared": HALVES.share(np.arange(8) < 4, 0.5, 0.5),
    "masked": HALVES.allow((np.arange(8)[:, None] + 3 * np.arange(2)) % 5 > 0),
}


def alike(X, polytope, criterion="kplus"):
    model = AlikePartitioner(polytope.n_clusters, criterion=criterion, random_state=0)
    return model.fit(X, polytope=polytope).partition_


@cache
def everyone(polytope):
    n, k = polytope.n_points, polytope.n_clusters
    return [y for y in map(np.array, product(range(k), repeat=n)) if polytope.contains(y)]


def value(X, polytope, criterion, labels):
    if criterion == "dispersion":
        D = distances(X)
        return D[np.triu(labels[:, None] == labels, 1)].min()
    far = criterion == "diversity"
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    table = distances(X) if far else spread_columns(X) if criterion == "kplus" else standard
    return value_of(table, polytope, far, labels)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("stated", STATED)
def test_tiny_tables_against_all_labels(criterion, stated):
    X = np.random.default_rng(CRITERIA.index(criterion)).normal(size=(8, 2)).round(2)
    polytope = STATED[stated]
    values = [value(X, polytope, criterion, y) for y in everyone(polytope)]
    best = min(values) if criterion in CRITERIA[:2] else max(values)
    found = alike(X, polytope, criterion)
    assert polytope.contains(found.labels)
    assert found.objective == pytest.approx(value(X, polytope, criterion, found.labels), abs=1e-12)
    assert found.objective == pytest.approx(best, rel=1e-9, abs=1e-12)
    if found.bound is not None:
        assert found.bound.lower - 1e-12 <= best <= found.bound.upper + 1e-12
    if criterion == "dispersion" or stated != "linked":
        assert found.bound.encloses(best)


def test_what_masks_forbid_is_bounded_from_below():
    X = np.sort(np.random.default_rng(0).normal(size=(12, 1)), axis=0)
    barred = np.ones((12, 2), dtype=bool)
    barred[9:, 1] = False
    polytope = PartitionPolytope(12, 6, 6, n_clusters=2).allow(barred)
    table = (X - X.mean(axis=0)) / X.std(axis=0)
    best = min(value_of(table, polytope, False, y) for y in everyone(polytope))
    bound = _frank_wolfe(table, polytope.relaxed, UNLIMITED)
    assert 0.2 * best < bound <= best


def test_eigenvalues_bound_the_diversity_of_equal_groups():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    found = alike(X, PartitionPolytope(60, 10, 10, n_clusters=6), "diversity")
    assert found.objective <= found.bound.upper <= 1.05 * found.objective


def test_categories_links_and_even_sizes():
    rng = np.random.default_rng(1)
    X, sex = rng.normal(size=(101, 3)), np.where(rng.random(101) < 0.4, "f", "m")
    model = AlikePartitioner(4, must_link=[(0, 1)], cannot_link=[(2, 3)], categories=sex, random_state=0).fit(X)
    counts = np.array([(sex[model.labels_ == i] == "f").sum() for i in range(4)])
    assert set(model.partition_.sizes) == {25, 26}
    assert np.ptp(counts) <= 1
    assert model.labels_[0] == model.labels_[1]
    assert model.labels_[2] != model.labels_[3]
    assert model.partition_.objective < 0.01
    again = AlikePartitioner(4, must_link=[(0, 1)], cannot_link=[(2, 3)], categories=sex, random_state=0).fit(X)
    assert (again.labels_ == model.labels_).all()


def test_many_rows_in_sampled_exchanges():
    X = np.random.default_rng(2).lognormal(size=(2500, 4))
    first = AlikePartitioner(10, random_state=0).fit(X).partition_
    assert first.objective < 1e-4
    assert set(first.sizes) == {250}
    assert (first.labels != AlikePartitioner(10, random_state=1).fit(X).labels_).mean() > 0.5


def test_refusals_say_what_to_do():
    X, polytope = np.zeros((4, 2)), PartitionPolytope(4, n_clusters=2)
    with pytest.raises(InvalidInputError, match="criterion='range'"):
        alike(X, polytope, "range")
    with pytest.raises(CapabilityError, match="leave it out"):
        alike(X, polytope.optional())
    with pytest.raises(InvalidInputError, match="categories has shape"):
        AlikePartitioner(2, categories=[1, 2]).fit(X)
