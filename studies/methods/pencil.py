"""Directions of much gain and little dependence on covariates, as a generalised eigenproblem.

    gain w = theta cost w,   w' cost w = 1                                                                        (1)

The dependence enters the cost through C, the centred kernel of the covariates, scaled to a largest eigenvalue of 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from partitope.base.errors import InvalidInputError
from partitope.solvers.conditional.covariates import CovariateEncoder

from .levels import centred_level_kernel, level_product


def scaled_dependence(encoder: CovariateEncoder, max_exact: int) -> Callable[[NDArray], NDArray[np.float64]]:
    """V (n, m) -> C V, with C of (1)."""
    K, codes = centred_level_kernel(encoder)
    if len(K) > max_exact:
        raise InvalidInputError(
            f"covariates have {len(K)} distinct rows, max_exact={max_exact}: use KCC or raise max_exact"
        )
    root = np.sqrt(np.bincount(codes).astype(np.float64))
    largest = float(np.linalg.eigvalsh(root[:, None] * K * root)[-1])
    return level_product(K / largest, codes)


def leading_pencil(
    gain: NDArray[np.float64], cost: NDArray[np.float64], d: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The d largest theta (d,), falling, and vectors (n, d) with gain w = theta cost w and w' cost w = 1."""
    n = len(gain)
    values, vectors = eigh(0.5 * (gain + gain.T), 0.5 * (cost + cost.T), subset_by_index=(n - d, n - 1))
    values, vectors = values[::-1], vectors[:, ::-1]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(d)]
    return values.copy(), vectors * np.where(largest < 0, -1.0, 1.0)
