"""Size-bounded k-means on record."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.base.status import Status
from partitope.solvers import GeometricPartitioner
from partitope.solvers.geometric.recorded import recorded_k_means


def test_every_step_is_recorded_and_optimal():
    X = np.random.default_rng(0).normal(size=(50, 3))
    path = recorded_k_means(X, 4, lower=10, upper=15, random_state=1)
    assert path.status is Status.CONVERGED
    assert np.array_equal(path.path[-1], path.path[-2])
    assert np.array_equal(path.path[-1], path.labels)
    sizes = np.array([np.bincount(labels, minlength=4) for labels in path.path])
    assert sizes.min() >= 10
    assert sizes.max() <= 15
    within = [sum(((X[y == i] - X[y == i].mean(axis=0)) ** 2).sum() for i in range(4)) for y in path.path]
    assert (np.diff(within) <= 1e-9).all()
    model = GeometricPartitioner(4, lower=10, upper=15, objective="lsa", n_init=1, init=X[path.site_rows])
    assert model.fit(X).partition_.objective == pytest.approx(within[-1])


def test_clusters_that_exist_are_found_and_confirmed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2)) + 9.0 * np.repeat([[0, 0], [1, 0], [0, 1]], 30, axis=0)
    found = [
        recorded_k_means(X, 3, lower=30, upper=30, random_state=seed).test(covariance=1.0).pvalue for seed in range(4)
    ]
    assert np.median(found) < 1e-6
    loose = recorded_k_means(X, 3, random_state=0).test((0, 2))
    assert any("estimated" in note for note in loose.notes)
    assert loose.pvalue < 0.05
