"""The Stiefel minimiser on problems whose solution is known."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from partitope.base.status import Status
from partitope.solvers.conditional.stiefel import minimise_stiefel, polar_factor, random_orthonormal


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), p=st.integers(2, 30), k=st.integers(1, 6))
def test_largest_eigenvalues(seed, p, k):
    k = min(k, p)
    rng = np.random.RandomState(seed)
    A = rng.normal(size=(p, p))
    A = A @ A.T / p
    start = random_orthonormal(p, k, rng)
    result = minimise_stiefel(
        lambda W: (-float(np.sum(W * (A @ W))), -2 * A @ W), start, xtol=1e-9, gtol=1e-8, ftol=1e-13
    )
    assert np.isclose(-result.value, np.linalg.eigvalsh(A)[-k:].sum(), rtol=1e-5)
    assert np.abs(result.point.T @ result.point - np.eye(k)).max() < 1e-12


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), m=st.integers(8, 30), p=st.integers(2, 7))
def test_orthogonal_procrustes(seed, m, p):
    """min |A W - B| over rotations W: the polar factor of A'B, when reached from the same component."""
    rng = np.random.RandomState(seed)
    A = rng.normal(size=(m, p))
    truth = random_orthonormal(p, p, rng)
    B = A @ truth + 0.01 * rng.normal(size=(m, p))
    start = polar_factor(truth + 0.2 * rng.normal(size=(p, p)))
    if np.linalg.det(start) * np.linalg.det(truth) < 0:
        start[:, 0] *= -1  # square orthonormal matrices have two components and a curve stays in one
    result = minimise_stiefel(
        lambda W: (float(((A @ W - B) ** 2).sum()), 2 * A.T @ (A @ W - B)), start, xtol=1e-9, gtol=1e-7, ftol=1e-13
    )
    left, _, right = np.linalg.svd(A.T @ B)
    best = ((A @ left @ right - B) ** 2).sum()
    assert result.value <= best * (1 + 1e-6) + 1e-9
    assert result.value >= best * (1 - 1e-9)


def test_polar_factor_keeps_signs():
    W = random_orthonormal(6, 3, np.random.RandomState(1))
    assert np.allclose(polar_factor(W * [2.0, 0.5, 1.0]), W, atol=1e-12)
    assert np.allclose(polar_factor(-W), -W, atol=1e-12)


def test_stationary_start_and_step_limit_are_reported():
    A = np.diag([3.0, 2.0, 1.0])

    def top(W):
        return -float(np.sum(W * (A @ W))), -2 * A @ W

    assert minimise_stiefel(top, np.eye(3, 1)).status is Status.CONVERGED
    assert minimise_stiefel(top, np.eye(3, 1)).n_iter == 0
    tilted = np.linalg.qr(np.ones((3, 1)))[0]
    assert minimise_stiefel(top, tilted, max_iter=1).status is Status.ITERATION_LIMIT
