"""What the tests of the package k-means-constrained ask of its class, asked of ours.

Written anew from the ideas of its test-suite, part of which goes back to scikit-learn's tests of KMeans; where our
answer differs on purpose, the test says so, as does the page "Coming from k-means-constrained".
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import v_measure_score

from partitope.cluster import BalancedKMeans

CENTRES = np.array([[0.0, 5.0, 0.0, 0.0, 0.0], [1.0, 1.0, 4.0, 0.0, 0.0], [1.0, 0.0, 0.0, 5.0, 1.0]])
X, GROUPS = make_blobs(100, centers=CENTRES, cluster_std=1.0, random_state=42)
FEW = np.array([[0, 0], [1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0], [3, 0], [4, 4]])


def test_one_assignment_to_given_centres_respects_bounds_and_without_them_takes_the_nearest():
    centres = np.array([[0.0, 0.0], [4.0, 4.0]])
    model = BalancedKMeans(2, init=centres, max_iter=1).fit(FEW)
    nearest = ((FEW[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    distance = np.sort(((FEW[:, None] - centres) ** 2).sum(axis=2), axis=1)
    clear = distance[:, 0] < distance[:, 1]
    assert (model.labels_ == nearest)[clear].all()
    bounded = BalancedKMeans(2, init=centres, max_iter=1, size_min=4, size_max=5).fit(FEW)
    assert np.bincount(bounded.labels_).min() >= 4


@pytest.mark.parametrize("init", ["k-means++", "random", CENTRES, lambda X, k, random_state: CENTRES])
def test_every_way_to_start_finds_the_groups(init):
    kept = CENTRES.copy()
    model = BalancedKMeans(3, init=init, random_state=42).fit(X)
    assert v_measure_score(GROUPS, model.labels_) == 1.0
    assert model.cluster_centers_.shape == (3, 5)
    assert model.inertia_ > 0
    assert (kept == CENTRES).all()
    assert not np.shares_memory(model.cluster_centers_, CENTRES)
    with pytest.raises(ValueError, match="n_samples=1"):
        model.fit([[0.0, 1.0]])


def test_the_automatic_number_of_starts_is_ten():
    runs = [BalancedKMeans(4, n_init=n, init="random", random_state=3).fit(X).inertia_ for n in ("auto", 10)]
    assert runs[0] == runs[1]
    with pytest.raises(ValueError, match="n_init='many'"):
        BalancedKMeans(4, n_init="many").fit(X)


def test_equal_points_and_poor_centres():
    points = np.array([[0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]])
    start = np.array([[0, 1, 0, 0], [0.2, 0, 0.2, 0.2], [0, 0, 0, 0]])
    model = BalancedKMeans(3, init=start, max_iter=10)
    for _ in range(2):
        assert model.fit(points).labels_.tolist() == [1, 2, 0, 2, 2, 0]
        assert model.inertia_ == 0.0


def test_centres_of_a_local_optimum_stay_where_they_are():
    iris = load_iris().data
    first = BalancedKMeans(3, size_min=50, random_state=0).fit(iris)
    again = BalancedKMeans(3, size_min=50, init=first.cluster_centers_).fit(iris)
    np.testing.assert_allclose(again.cluster_centers_, first.cluster_centers_, rtol=1e-12)
    with pytest.raises(ValueError, match="init has shape"):
        BalancedKMeans(2, init=first.cluster_centers_).fit(iris)


def test_costs_are_not_rounded_to_whole_numbers():
    """Scaled by a millionth, rounded costs would all be equal; ours give the same clusters in every unit."""
    rng = np.random.default_rng(3)
    points, start = rng.normal(size=(60, 2)), rng.normal(size=(4, 2))
    labels = [
        BalancedKMeans(4, size_min=15, size_max=15, init=unit * start).fit(unit * points).labels_
        for unit in (2.0**-20, 1.0, 2.0**20)
    ]
    assert (labels[0] == labels[1]).all()
    assert (labels[1] == labels[2]).all()
