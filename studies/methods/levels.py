"""Covariates as one known clustering, or as a kernel of its levels.

    K_C(i, j) = number of covariate columns in which i and j agree, or the kernel of `KCC` when any is real         (1)

Rows with equal covariates have equal rows in K_C, so that K_C = Z K Z' with the indicators Z (n, c) of the distinct
rows of the covariates and K (c, c). H K_C H, H = I - 11'/n, is Z K' Z' in the same way, and only K' is held.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partitope.base.errors import InvalidInputError
from partitope.solvers.conditional.covariates import CovariateEncoder

MOST_LEVELS = 0.5  # of n; more distinct rows are no clustering


def known_clusters(covariates: Any, n_points: int, method: str) -> NDArray[np.int64]:
    """Number (n,) of the combination of levels of every point, for a method that knows categories only."""
    representatives, codes = CovariateEncoder(covariates, "categorical", n_points).table.distinct()
    if len(representatives) > max(MOST_LEVELS * n_points, 2):
        raise InvalidInputError(
            f"covariates have {len(representatives)} distinct rows among {n_points} points, and {method} takes a known "
            "clustering: pass categories, cut numbers into classes, or use KCC with covariate_type='real'"
        )
    return codes


def level_kernel(encoder: CovariateEncoder) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """K (c, c) of (1) and the distinct row (n,) that every point has."""
    representatives, codes = encoder.table.distinct()
    anchors = encoder.table.take(representatives)
    if not anchors.reals.shape[1]:
        same = anchors.codes[:, None, :] == anchors.codes[None, :, :]
        return same.sum(axis=2).astype(np.float64), codes
    return encoder.kernel(anchors, anchors), codes


def centred_level_kernel(encoder: CovariateEncoder) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """K' (c, c) with Z K' Z' = H K_C H, and the distinct row (n,) that every point has."""
    K, codes = level_kernel(encoder)
    shares = np.bincount(codes, minlength=len(K)) / len(codes)
    means = K @ shares
    return K - means - means[:, None] + shares @ means, codes


def level_product(K: NDArray[np.float64], codes: NDArray[np.int64]) -> Callable[[NDArray], NDArray[np.float64]]:
    """V (n, m) -> Z K Z' V in O(n m + c^2 m)."""

    def product(V: NDArray) -> NDArray[np.float64]:
        sums = np.zeros((len(K), V.shape[1]))
        np.add.at(sums, codes, V)
        return (K @ sums)[codes]

    return product
