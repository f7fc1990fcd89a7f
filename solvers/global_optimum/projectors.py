"""The nearest projector of the least-squares relaxation: (1) in `partitope.models.programs.least_squares_sdp`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from ...base.jit import njit

PARTIAL_FROM = 250  # Number of points from which some eigenvectors are quicker to compute than all.


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
    rough: bool = False,
) -> tuple[NDArray[np.float64], int]:
    """Nearest matrix of (1) to a symmetric matrix (b, b), and its rank less one."""
    n = len(matrix)
    q = np.full(n, 1.0 / np.sqrt(n)) if unit is None else unit
    centred = off_vector(matrix, q)
    if guess is not None and n >= PARTIAL_FROM and guess < n // (3 if rough else 12):
        values, vectors = _largest(centred, guess + 6, q, np.float32 if rough else np.float64)
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
    centred: NDArray[np.float64], count: int, unit: NDArray[np.float64], kind: type
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ``count`` largest eigenvalues and vectors on the complement of q; none when the method gives up."""
    n = len(centred)
    below = centred - np.outer(float(np.linalg.norm(centred)) * unit, unit)  # q comes last
    try:
        values, vectors = eigh(below.astype(kind), subset_by_index=(n - count, n - 1))
    except (np.linalg.LinAlgError, ValueError):  # the latter for entries that are not finite
        return np.zeros(0), np.zeros((n, 0))
    return values.astype(np.float64), vectors.astype(np.float64)


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
