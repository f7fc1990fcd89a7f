"""KDAC: its objective and steps against dense twins, what it finds with and without its penalty, its refusals."""

from __future__ import annotations

import numpy as np
import pytest

from partitope.solvers.conditional.covariates import CovariateEncoder
from partitope.stats.dependence.kernels import centre, rbf_kernel
from studies.methods.kdac import KDAC, covariate_penalty

from ...solvers.kcc_data import accuracy, published, two_views


def dense(X, width, agreement, lam):
    """The matrix of the objective, written down anew."""
    K = rbf_kernel(X, width=width)
    degrees = np.diag(1.0 / np.sqrt(K.sum(axis=1)))
    return centre(degrees @ K @ degrees) - lam * centre(agreement.astype(float))


def test_kdac_finds_the_hidden_clusters_at_the_published_weight():
    X, group, hidden = two_views(240)
    free, between, penalised = (
        KDAC(3, lam=lam, n_init=10, random_state=0).fit(X, covariates=group) for lam in (0.0, 0.004, 0.01)
    )
    assert KDAC().lam == 0.01
    assert accuracy(penalised.labels_, hidden) > 0.95
    assert accuracy(penalised.labels_, group) < 0.6
    assert accuracy(free.labels_, hidden) < 0.8  # both structures are mixed
    assert (free.partition_.history["objective"][1:] > free.partition_.history["objective"][:-1]).all()
    same = group[:, None] == group

    def trace(model):
        U = model.embedding_
        return np.trace(U.T @ dense(X @ model.components_, model.width_, same, model.lam) @ U)

    for model in (free, between, penalised):
        assert model.partition_.objective == pytest.approx(trace(model), rel=1e-9)
        np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(3), atol=1e-9)
    leading = np.linalg.eigvalsh(dense(X @ between.components_, between.width_, same, 0.004))[-3:]
    assert between.partition_.objective == pytest.approx(leading.sum(), rel=1e-9)
    assert leading.max() < 1.0  # the scale that makes one weight fit sets of different sizes


def test_real_covariates_keep_their_kernel_and_bounds_hold():
    rng = np.random.default_rng(0)
    c, hidden = rng.normal(size=150), np.arange(150) % 2
    X = np.column_stack([6.0 * c, 5.0 * hidden]) + rng.normal(size=(150, 2)) * 0.4
    penalty = covariate_penalty(CovariateEncoder(c, "real", 150), 2.0)
    V = rng.normal(size=(150, 2))
    np.testing.assert_allclose(penalty(V), 2.0 * centre(rbf_kernel((c - c.mean()) / c.std())) @ V, atol=1e-9)
    model = KDAC(2, covariate_type="real", n_init=5, random_state=0).fit(X, covariates=c)
    assert accuracy(model.labels_, hidden) > 0.95
    X, group, _ = two_views(120)
    even = KDAC(3, lower=40, upper=40, n_init=3, random_state=0).fit(X, covariates=group)
    assert np.array_equal(even.partition_.sizes, [40, 40, 40])
    again = KDAC(3, lower=40, upper=40, n_init=3, random_state=0).fit(X, covariates=group)
    assert np.array_equal(again.labels_, even.labels_)
    assert even.predict(X[:5]).shape == (5,)


@pytest.mark.data
@pytest.mark.parametrize(("name", "printed"), [("simu1", 0.993), ("simu2", 1.0)])
def test_the_published_weight_reaches_the_printed_accuracy(data_home, name, printed):
    X, covariate, truth, k = published(data_home, name)
    labels = KDAC(k, n_init=5, random_state=0).fit(X, covariates=covariate).labels_
    assert accuracy(labels, truth) == pytest.approx(printed, abs=0.01)
