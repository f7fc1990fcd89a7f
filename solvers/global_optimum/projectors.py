"""The nearest projector of the least-squares relaxation: (1) in `partitope.models.least_squares_sdp`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit

SPARSE_FROM = 250  # points from which Lanczos's method beats a full eigenvalue decomposition


def off_vector(matrix: NDArray[np.float64], unit: NDArray[np.float64]) -> NDArray[np.float64]:
    """P M P with P = I - q q' for a unit vector q."""
    rows = matrix @ unit
    half = rows - 0.5 * float(unit @ rows) * unit
    half = np.outer(half, unit)
    centred = matrix - half - half.T
    return 0.5 * (centred + centred.T)


def project_projectors(
    matrix: NDArray[np.float64],
    n_filled: tuple[int, int],
    guess: int | None = None,
    unit: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], int]:
    """Nearest matrix of (1) to a symmetric matrix (b, b), and its rank less one.

    ``unit`` is the vector v of (1) divided by its length; all entries equal when not given. With ``guess``, a rank
    expected, only about so many of the largest eigenvalues are computed, by Lanczos's method; all of them when they
    turn out not to be enough, or when that would cost more.
    """
    n = len(matrix)
    q = np.full(n, 1.0 / np.sqrt(n)) if unit is None else unit
    centred = off_vector(matrix, q)
    if guess is not None and n >= SPARSE_FROM and guess < n // 12:
        values, vectors = _largest(centred, guess + 6, q)
        weights = _capped(values, n_filled[0] - 1, n_filled[1] - 1)
        if weights.min(initial=1.0) == 0.0:  # so have all the smaller eigenvalues
            return _assembled(vectors, weights, q)
    values, vectors = np.linalg.eigh(centred)
    values[np.abs(q @ vectors).argmax()] = -np.inf  # q has its own eigenvalue, exactly one
    return _assembled(vectors, _capped(values, n_filled[0] - 1, n_filled[1] - 1), q)


def _assembled(
    vectors: NDArray[np.float64], weights: NDArray[np.float64], unit: NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    kept = weights > 0
    part = np.column_stack([vectors[:, kept] * np.sqrt(weights[kept]), unit])
    return part @ part.T, int(kept.sum())


def _largest(
    centred: NDArray[np.float64], count: int, unit: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ``count`` largest eigenvalues and vectors on the complement of q; none when the method gives up."""
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    n, far = len(centred), float(np.linalg.norm(centred))
    if not far > 0:
        return np.zeros(0), np.zeros((n, 0))
    operator = LinearOperator((n, n), matvec=lambda v: centred @ v - (far * float(unit @ v)) * unit, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=n)  # the same in every run
    try:
        return eigsh(operator, k=count, which="LA", tol=1e-7, v0=start, ncv=min(n, 3 * count + 10))
    except ArpackError:
        return np.zeros(0), np.zeros((n, 0))


@njit(cache=True)
def _capped(values: NDArray, low: float, high: float) -> NDArray:
    """Nearest point with entries in [0, 1] and a sum in [low, high]."""
    capped = np.minimum(np.maximum(values, 0.0), 1.0)
    total = capped.sum()
    if low <= total <= high:
        return capped
    target, left, right = high if total > high else low, -1.0, 0.0
    for value in values:
        if value > -np.inf:
            left, right = min(left, value - 1.0), max(right, value)
    for _ in range(100):
        middle, total = 0.5 * (left + right), 0.0
        for value in values:
            total += min(max(value - middle, 0.0), 1.0)
        if total > target:
            left = middle
        else:
            right = middle
    return np.minimum(np.maximum(values - 0.5 * (left + right), 0.0), 1.0)
