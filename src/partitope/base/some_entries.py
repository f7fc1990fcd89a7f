"""Some entries of a column, by which it is seen what all of them may be before all are read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEW = 500
"""Entries that are all looked at; of more of them about so many are."""


def evenly(n: int, count: int = FEW) -> NDArray[np.int64]:
    """All places from 0 to n - 1 where these are at most ``count``, else so many of them, evenly spaced (m,)."""
    return np.arange(n, dtype=np.int64) if n <= count else np.linspace(0, n - 1, count).astype(np.int64)
