"""Scores in float32: what is multiplied and rounded, so that a matrix product decides where its error does not matter.

    gamma_ij = g_i . y_j + h_i     from  g_i (unit / scale),  h_i unit  and  y_j scale  in float32, times 1 / unit

``scale`` and ``unit`` are powers of two, so that multiplying by them does not round. With the largest |g_i| and |h_i|
a score of d coordinates is off by at most (d + 10) 2^-24 (max |g_i| |y_j| + max |h_i|).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Reals

UNIT = 2.0**-24  # Unit roundoff of float32.


def power_of_two(size: float) -> float:
    """The power of two that brings a size to between 1 / 2 and 1."""
    return float(2.0 ** -np.frexp(size)[1]) if 0.0 < size < np.inf else 1.0


def single_matrix(columns: Reals, offsets: Reals, scale: float, unit: float) -> NDArray[np.float32]:
    """Gradients, the columns of a matrix (d, k), and offsets (k,) as a float32 matrix (k, d + 1)."""
    matrix = np.empty((offsets.size, len(columns) + 1), np.float32)
    matrix[:, :-1], matrix[:, -1] = columns.T * (unit / scale), offsets * unit
    return matrix


def steepest_and_most(columns: Reals, offsets: Reals) -> tuple[float, float]:
    """The length of the longest gradient, and the largest absolute offset."""
    return float(np.sqrt((columns**2).sum(axis=0).max(initial=0.0))), float(np.abs(offsets).max())
