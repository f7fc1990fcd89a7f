"""KCC: its parts against closed forms and differences, its results against the published ones."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.base.errors import CapabilityError, InvalidInputError
from partitope.solvers import KCC
from partitope.solvers.conditional.covariates import CovariateEncoder
from partitope.solvers.conditional.residual import ExplainedAwayWarning, automatic_eps, residual_of
from partitope.solvers.conditional.subspace import BLOCK, leading_eigenvectors, pair_forces, subspace_objective
from partitope.stats import hsic
from partitope.stats.dependence.kernels import centre, rbf_kernel

from ..kcc_data import accuracy, real_view, two_views


def _residual(covariates, kind="categorical", eps=1e-8, max_exact=2000, n_landmarks=300):
    encoder = CovariateEncoder(covariates, kind, len(covariates))
    rng = np.random.RandomState(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExplainedAwayWarning)
        return encoder, residual_of(encoder, encoder.table, eps, max_exact, n_landmarks, rng)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(5, 25), p=st.integers(2, 6), k=st.integers(1, 3))
def test_gradient_against_central_differences(seed, n, p, k):
    rng = np.random.default_rng(seed)
    D, V = rng.normal(size=(n, p)), rng.normal(size=(n, 2))
    W = np.linalg.qr(rng.normal(size=(p, min(k, p))))[0]
    f = subspace_objective(D, V @ V.T, 1.3)
    gradient = f(W)[1]
    numeric = np.empty_like(W)
    for index in np.ndindex(*W.shape):
        step = np.zeros_like(W)
        step[index] = 1e-5
        numeric[index] = (f(W + step)[0] - f(W - step)[0]) / 2e-5
    assert np.abs(gradient - numeric).max() <= 1e-6 * max(1.0, np.abs(gradient).max())


@pytest.mark.parametrize("n", [1, 30, BLOCK, 2 * BLOCK + 45])
def test_pair_forces_against_numpy(n):
    rng = np.random.default_rng(0)
    L, Z = rng.normal(size=(n, n)), rng.normal(size=(n, 3))
    L = L + L.T
    T = L * rbf_kernel(Z, width=0.8)
    total, forces = pair_forces(L, Z, 0.5 / 0.8**2)
    assert total == pytest.approx(T.sum())
    assert np.allclose(forces, T.sum(axis=1)[:, None] * Z - T @ Z)


@pytest.mark.parametrize("eps", [1e-8, 1.0])
@pytest.mark.parametrize("kind", ["categorical", "real", "mixed"])
def test_residual_is_the_dense_one(kind, eps):
    """P against H - M of the full Gram matrix, also with repeated rows, and without an n x n inverse."""
    rng = np.random.default_rng(1)
    levels, numbers = rng.integers(0, 4, 80), np.round(rng.normal(size=80), 1)
    covariates, types = {
        "categorical": (levels, "categorical"),
        "real": (numbers, "real"),
        "mixed": (pd.DataFrame({"a": levels.astype(str), "b": numbers}), ["categorical", "real"]),
    }[kind]
    encoder, residual = _residual(covariates, types, eps)
    K = centre(encoder.kernel(encoder.table, encoder.table))
    A = np.linalg.solve(K + eps * np.eye(80), K)
    M = A @ A.T
    V = rng.normal(size=(80, 5))
    assert np.allclose(residual.apply(V), V - V.mean(axis=0) - M @ V, atol=1e-5 if eps < 1e-3 else 1e-10)
    assert residual.explained == pytest.approx(np.trace(M), abs=1e-3)
    assert len(residual.anchors) < 80


def test_categorical_covariates_subtract_group_means():
    group = np.repeat([0, 1, 2], [50, 120, 130])
    _, residual = _residual(group)
    V = np.random.default_rng(2).normal(size=(300, 4))
    means = np.array([V[group == g].mean(axis=0) for g in range(3)])
    assert np.abs(residual.apply(V) - (V - means[group])).max() < 1e-8
    assert residual.basis.shape == (3, 2)


def test_landmarks_approach_the_exact_residual():
    _, covariates, _ = real_view(2, 400)
    encoder, exact = _residual(covariates, "real", 1e-2)
    _, close = _residual(covariates, "real", 1e-2, max_exact=100, n_landmarks=200)
    V = np.random.default_rng(3).normal(size=(400, 3))
    assert close.indicator is None
    assert close.basis.shape[1] <= 200
    assert np.abs(exact.apply(V) - close.apply(V)).max() < 1e-3
    q = close.coordinates(encoder.table)
    assert np.allclose(q[:, -5:], close.basis[:, -5:], atol=1e-8)


def test_eigenvectors_by_both_routes():
    X, group, _ = two_views(450)
    _, residual = _residual(group)
    K = rbf_kernel(X)
    values, U = leading_eigenvectors(K, residual, 3)
    full = np.linalg.eigvalsh(residual.both_sides(K))[::-1]
    assert np.allclose(values, full[:3])
    assert np.allclose(U.T @ U, np.eye(3), atol=1e-10)
    few, _ = leading_eigenvectors(K[:60, :60], _residual(group[:60])[1], 3)
    assert np.allclose(few, np.linalg.eigvalsh(_residual(group[:60])[1].both_sides(K[:60, :60]))[::-1][:3])


def test_clusters_beyond_a_categorical_covariate():
    X, group, hidden = two_views()
    model = KCC(3, n_init=10, random_state=0).fit(X, covariates=group)
    assert accuracy(model.labels_, hidden) > 0.98
    assert (np.diff(model.partition_.history["objective"]) > 0).all()
    assert np.allclose(model.components_.T @ model.components_, np.eye(3), atol=1e-12)
    # the objective is HSCONIC of the projected points and the embedding, given the covariate
    measured = hsic(
        X @ model.components_,
        model.embedding_,
        group,
        kernel_x=lambda a, b: rbf_kernel(a, b, model.width_),
        kernel_y="linear",
        kernel_z="categorical",
    )
    assert measured.statistic * 299**2 == pytest.approx(model.partition_.objective, rel=1e-6)


def test_prediction_with_and_without_covariates():
    X, group, hidden = two_views(400)
    train, test = np.arange(250), np.arange(250, 400)
    names = np.array(["red", "green", "blue"])[group]
    model = KCC(3, n_init=10, random_state=0).fit(X[train], covariates=names[train])
    assert np.array_equal(model.predict(X[train], names[train]), model.labels_)
    assert accuracy(model.predict(X[test], names[test]), hidden[test]) > 0.97
    assert accuracy(model.predict(X[test]), hidden[test]) > 0.95
    cells = model.partition_.power_diagram
    assert np.array_equal(cells.predict(X[test]), model.predict(X[test]))
    unseen = model.predict(X[test][:5], np.array(["violet"] * 5))  # a level without a mean of its own
    assert unseen.shape == (5,)


def test_size_bounds():
    X, group, hidden = two_views(300)
    free = KCC(3, n_init=5, random_state=0).fit(X, covariates=group)
    bound = KCC(3, lower=95, upper=105, n_init=5, random_state=0).fit(X, covariates=group)
    assert bound.partition_.sizes.min() >= 95
    assert bound.partition_.sizes.max() <= 105
    assert bound.partition_.certificate.verified
    assert accuracy(bound.labels_, hidden) > accuracy(free.labels_, hidden) - 0.05
    assert np.array_equal(bound.predict(X, group), bound.labels_)


@pytest.mark.parametrize("q", [2, 10])
def test_automatic_eps_for_real_covariates(q):
    X, covariates, hidden = real_view(q, 600)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ExplainedAwayWarning)
        model = KCC(3, covariate_type="real", eps="auto", n_init=5, random_state=0).fit(X, covariates=covariates)
    assert accuracy(model.labels_, hidden) >= 0.99
    if q > 2:
        with pytest.warns(ExplainedAwayWarning, match="eps='auto'"):
            KCC(3, covariate_type="real", n_init=1, max_iter=1, random_state=0).fit(X, covariates=covariates)


def test_automatic_eps_leaves_levels_alone_and_keeps_the_strongest_direction():
    assert _residual(np.arange(60) % 20, eps="auto")[1].eps == 1e-8
    assert automatic_eps(np.array([1.0, 1.0]), 1000) == 1e-8
    values = 2.0 ** -np.arange(400.0) * 100
    assert (((values / (values + automatic_eps(values, 400))) ** 2).sum()) <= 8
    assert automatic_eps(np.full(300, 10.0), 300) == 0.5


def test_landmarks_above_max_exact():
    X, group, hidden = two_views(3000)
    model = KCC(3, n_init=5, max_exact=400, n_landmarks=150, random_state=0).fit(X, covariates=group)
    assert accuracy(model.labels_, hidden) > 0.97
    assert np.array_equal(model.predict(X, group), model.labels_)
    X, covariates, hidden = real_view(2, 2000)
    model = KCC(3, covariate_type="real", eps="auto", n_init=5, max_exact=400, n_landmarks=150, random_state=0)
    model.fit(X, covariates=covariates)
    assert accuracy(model.labels_, hidden) > 0.97
    assert np.mean(model.predict(X, covariates) == model.labels_) > 0.999


def test_more_clusters_than_columns_and_one_cluster():
    X, group, _ = two_views(60)
    assert KCC(5, n_init=2, random_state=0).fit(X[:, :3], covariates=group).components_.shape == (3, 3)
    one = KCC(1, n_init=1, random_state=0).fit(X, covariates=group)
    assert (one.labels_ == 0).all()


def test_constant_points_and_covariates_that_cannot_be_used():
    for covariates, kind, message in [
        (np.ones(20), "categorical", "covariate column 0 is constant"),
        (np.r_[np.nan, np.arange(19.0)], "real", "missing in row 0, column 0"),
        (np.array(["a", "b"] * 10), "real", "declared 'real'"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            KCC(2, covariate_type=kind, n_init=1).fit(np.eye(20, 3), covariates=covariates)
    with pytest.raises(InvalidInputError, match="all rows of X are equal"):
        KCC(2, n_init=1).fit(np.ones((20, 2)), covariates=np.arange(20) % 2)
    with pytest.raises(CapabilityError, match="covariates"):
        KCC(2, n_init=1).fit(np.ones((20, 2)))
    X, group, _ = two_views(60)
    model = KCC(2, n_init=1, random_state=0).fit(X, covariates=group)
    with pytest.raises(InvalidInputError, match="2 column"):
        model.predict(X, np.column_stack([group, group]))
    with pytest.raises(InvalidInputError, match="59 rows"):
        model.predict(X, group[:59])
