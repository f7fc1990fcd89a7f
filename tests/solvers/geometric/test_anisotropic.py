"""Ellipsoids within size bounds."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from partitope.solvers import AnisotropicPartitioner
from partitope.solvers.geometric.moments import Moments, shape_matrices


def bars(seed=0, n=60, d=2):
    rng = np.random.default_rng(seed)
    long = np.diag([6.0] + [0.5] * (d - 1))
    return np.concatenate([rng.normal(size=(n, d)) @ long + 4.0 * i * np.eye(d)[1] for i in range(3)])


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_objective_never_increases_and_the_last_step_is_proved(d, weighted):
    X = bars(d=max(d, 2))[:, :d]
    weights = np.random.default_rng(1).uniform(0.5, 1.5, len(X)) if weighted else None
    model = AnisotropicPartitioner(3, whole=False, balance=0.1, n_init=2, random_state=0).fit(X, sample_weight=weights)
    partition = model.partition_
    history = partition.history["objective"]
    assert (np.diff(history) <= 1e-12 * history[0]).all()
    assert partition.certificate.verified
    whole = np.setdiff1d(np.arange(len(X)), [point for point, _, _ in partition.splits])
    assert (model.predict(X) == model.labels_)[whole].all()
    np.testing.assert_allclose(np.linalg.det(model.cluster_matrices_), 1.0, rtol=1e-9)


def test_the_objective_is_that_of_the_definition():
    X, blur = bars(), 1e-3
    partition = AnisotropicPartitioner(3, balance=0.0, blur=blur, random_state=0, max_iter=50).fit(X).partition_
    total, variance = 0.0, blur * X.var(axis=0).mean()
    for i in range(3):
        own = X[partition.labels == i]
        spread = np.cov(own.T, bias=True) + variance * np.eye(2)
        metric = np.linalg.det(spread) ** 0.5 * np.linalg.inv(spread)
        away = own - own.mean(axis=0)
        total += np.einsum("jp,pq,jq->", away, metric, away) + len(own) * variance * np.trace(metric)
    assert partition.objective == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize(("offset", "unit"), [(1e5, 1.0), (0.0, 1e-5), (0.0, 1e5)])
def test_offset_and_unit_change_nothing_but_the_unit(offset, unit):
    X = np.round(bars() * 64) / 64  # so that the offset is added without rounding
    plain = AnisotropicPartitioner(3, balance=0.1, random_state=0).fit(X).partition_
    other = AnisotropicPartitioner(3, balance=0.1, random_state=0).fit(unit * X + offset).partition_
    assert other.objective == pytest.approx(unit**2 * plain.objective, rel=1e-7)
    assert other.certificate.verified


def test_bars_are_found_where_round_clusters_cut_them():
    X, truth = bars(), np.repeat(np.arange(3), 60)
    labels = AnisotropicPartitioner(3, balance=0.0, n_init=5, random_state=0).fit(X).labels_
    assert max((np.array(p)[labels] == truth).mean() for p in permutations(range(3))) > 0.98


def test_clusters_of_few_distinct_points_keep_a_metric():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]], 4, axis=0)
    model = AnisotropicPartitioner(3, lower=4, upper=4, random_state=0).fit(X)
    assert np.isfinite(model.cluster_matrices_).all()
    assert (np.linalg.eigvalsh(model.cluster_matrices_) > 0).all()
    assert sorted(np.bincount(model.labels_)) == [4, 4, 4]


def test_shape_matrices_are_the_best_of_determinant_one():
    rng = np.random.default_rng(0)
    S = np.cov(rng.normal(size=(3, 20)) * [[5.0], [1.0], [0.2]])
    best = np.trace(shape_matrices(S[None])[0] @ S)
    for _ in range(50):
        turned = rng.normal(size=(3, 3))
        A = turned @ turned.T
        assert np.trace(A @ S) / np.linalg.det(A) ** (1 / 3) >= best * (1 - 1e-12)


def test_moments_count_shares():
    X = np.array([[0.0, 0.0], [4.0, 2.0], [8.0, 0.0]])
    weights, splits = np.array([1.0, 2.0, 1.0]), ((1, 0, 0.5), (1, 1, 0.5))
    halves = Moments.of(X, np.zeros(2), np.array([0, 0, 1]), 2, None, splits)
    np.testing.assert_allclose(halves.means, [[4.0 / 3.0, 2.0 / 3.0], [20.0 / 3.0, 2.0 / 3.0]])
    moments = Moments.of(X, np.zeros(2), np.array([0, 0, 1]), 2, weights, splits)
    np.testing.assert_allclose(moments.sizes, [2.0, 2.0])
    np.testing.assert_allclose(moments.means, [[2.0, 1.0], [6.0, 1.0]])
    np.testing.assert_allclose(moments.covariances[0], [[4.0, 2.0], [2.0, 1.0]], atol=1e-12)
