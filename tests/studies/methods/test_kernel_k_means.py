"""The relatives of conditional clustering: what they find, what they do not, and their bounds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles
from sklearn.semi_supervised import LabelPropagation

from partitope.base.errors import InvalidInputError
from partitope.stats.dependence.kernels import rbf_kernel
from studies.methods.kernel_k_means import KernelKMeans, OrthogonalProjection
from studies.methods.semi_supervised import SemiSupervised

from ...solvers.kcc_data import accuracy, two_views


def test_kernel_k_means_minimises_the_kernel_objective():
    X, _, _ = two_views(120)
    model = KernelKMeans(3, random_state=0).fit(X)
    K = rbf_kernel(X, width=model.width_)
    within = sum(K[i, i] for i in range(120))
    for cluster in range(3):
        members = np.flatnonzero(model.labels_ == cluster)
        within -= K[np.ix_(members, members)].sum() / len(members)
    assert model.partition_.objective == pytest.approx(within, rel=1e-6)
    assert np.array_equal(model.predict(X), model.labels_)
    worse = [np.random.default_rng(s).integers(0, 3, 120) for s in range(5)]
    for labels in worse:
        other = 120 - sum(K[np.ix_(labels == c, labels == c)].sum() / max((labels == c).sum(), 1) for c in range(3))
        assert other > within


def test_kernel_k_means_separates_what_k_means_cannot():
    X, truth = make_circles(200, factor=0.1, noise=0.03, random_state=0)
    assert accuracy(KernelKMeans(2, width=0.35, n_init=20, random_state=0).fit(X).labels_, truth) > 0.95
    assert accuracy(KMeans(2, n_init=5, random_state=0).fit(X).labels_, truth) < 0.8


def test_landmarks_and_bounds_of_kernel_k_means():
    X, _, _ = two_views(300)
    exact = KernelKMeans(3, random_state=0).fit(X)
    close = KernelKMeans(3, max_exact=120, random_state=0).fit(X)
    assert accuracy(close.labels_, exact.labels_) > 0.95
    even = KernelKMeans(3, lower=100, upper=100, n_init=3, random_state=0).fit(X)
    assert np.array_equal(even.partition_.sizes, [100, 100, 100])
    with pytest.raises(InvalidInputError, match="width"):
        KernelKMeans(2, width=-1.0).fit(X)


@pytest.mark.parametrize("bounds", [{}, {"lower": 95, "upper": 105}])
def test_orthogonal_projection(bounds):
    X, group, hidden = two_views(300)
    model = OrthogonalProjection(3, random_state=0, n_init=5, **bounds).fit(X, covariates=group)
    assert accuracy(model.labels_, hidden) > 0.85
    A = model.removed_
    means = np.array([X[group == g].mean(axis=0) for g in range(3)])
    assert A.shape == (4, 2)
    assert np.allclose(A @ A.T @ (means - means[0]).T, (means - means[0]).T)  # the levels' differences are removed
    assert np.array_equal(model.predict(X), model.labels_)  # cells in the space of X
    with pytest.raises(InvalidInputError, match="all 2 directions"):
        OrthogonalProjection(3).fit(X[:, :2], covariates=group)


@pytest.mark.parametrize("method", ["propagation", "spreading", "self-training"])
def test_semi_supervised_adapter(method):
    rng = np.random.default_rng(0)
    truth = np.arange(150) % 3
    X = rng.normal(size=(150, 2)) + 6.0 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    y = np.where(np.arange(150) < 15, np.array([5, 6, 9])[truth], -1)
    model = SemiSupervised(3, method=method).fit(X, y)
    assert (model.labels_ == truth).mean() > 0.97
    assert np.array_equal(model.transduction_, np.array([5, 6, 9])[model.labels_])
    assert (model.predict(X) == truth).mean() > 0.97
    even = SemiSupervised(3, method=method, lower=50, upper=50).fit(X, y)
    assert np.array_equal(even.partition_.sizes, [50, 50, 50])
    assert even.partition_.certificate.verified
    assert np.array_equal(even.labels_[:15], truth[:15])


def test_propagation_on_the_full_gaussian_kernel_is_scikit_learns():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.full(60, -1)
    X[30:] += 3.0
    y[[0, 30]] = 0, 1
    model = SemiSupervised(2, method="propagation", graph="gaussian").fit(X, y)
    width = np.median(pdist(X))
    other = LabelPropagation("rbf", gamma=0.5 / width**2).fit(X, y)
    np.testing.assert_allclose(model.scores_, other.label_distributions_, atol=1e-6)
