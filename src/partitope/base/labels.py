"""One check of cluster labels for everything that takes them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidInputError


def checked_labels(labels: ArrayLike, n_points: int, n_clusters: int) -> NDArray[np.int64]:
    """Labels (n_points,) as integers, each of 0..n_clusters-1.

    Raises
    ------
    InvalidInputError
        When the length is wrong, a label is not a whole number, or it names no cluster.
    """
    y = np.asarray(labels)
    if y.shape != (n_points,):
        raise InvalidInputError(f"labels has shape {y.shape}, expected ({n_points},): pass one label a point")
    whole = y.astype(np.int64) if y.dtype.kind in "biuf" and np.isfinite(y).all() else None
    if whole is None or (whole != y).any():
        raise InvalidInputError("labels must be whole numbers: number the clusters 0, 1, ...")
    if y.size and (whole.min() < 0 or whole.max() >= n_clusters):
        raise InvalidInputError(
            f"labels runs from {whole.min()} to {whole.max()}, expected 0..{n_clusters - 1}: name existing clusters"
        )
    return whole
