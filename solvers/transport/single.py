"""Scores in float32: what is multiplied and rounded, so that a matrix product decides where its error does not matter.

    gamma_ij = g_i . y_j + h_i     from  g_i (unit / scale),  h_i unit  and  y_j scale  in float32, times 1 / unit

``scale`` and ``unit`` are powers of two, so that multiplying by them does not round. With the largest |g_i| and |h_i|
a score of d coordinates is off by at most (d + 10) 2^-24 (max |g_i| |y_j| + max |h_i|).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Reals
from ...base.jit import njit

UNIT = 2.0**-24  # unit roundoff of float32
SMALL_MATRIX = 1 << 11  # numbers of a matrix up to which its products take less without the linear algebra library
SAMPLE = 1 << 10  # points whose size is looked at


def power_of_two(size: float) -> float:
    """The power of two that brings a size to between 1 / 2 and 1."""
    return float(2.0 ** -np.frexp(size)[1]) if 0.0 < size < np.inf else 1.0


def some_of(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    """Some of the points (n, d), whose size says by what to multiply so that most neither overflow nor underflow."""
    return rows[:: len(rows) // SAMPLE + 1]


def single_matrix(columns: Reals, offsets: Reals, scale: float, unit: float) -> NDArray[np.float32]:
    """Gradients, the columns of a matrix (d, k), and offsets (k,) as a float32 matrix (k, d + 1)."""
    matrix = np.empty((offsets.size, len(columns) + 1), np.float32)
    matrix[:, :-1], matrix[:, -1] = columns.T * (unit / scale), offsets * unit
    return matrix


def steepest_and_most(columns: Reals, offsets: Reals) -> tuple[float, float]:
    """The length of the longest gradient, and the largest absolute offset."""
    return float(np.sqrt((columns**2).sum(axis=0).max(initial=0.0))), float(np.abs(offsets).max())


# a product and a sum may become one instruction: the error bound holds for any order, and with fewer roundings
@njit(cache=True, fastmath={"contract"})
def write_single_scores(matrix, points, scores):
    """Write the scores (k, w) of points (d + 1, w), whose last coordinate is one, by a `single_matrix` (k, d + 1).

    With two clusters and four coordinates at a time, the processor multiplies more often than it reads and writes.
    Libraries first copy matrices into blocks, which with few clusters and coordinates takes longer than the product.
    """
    if matrix.size > SMALL_MATRIX:
        np.dot(matrix, points, scores)
        return
    k, d, w = matrix.shape[0], matrix.shape[1] - 1, points.shape[1]
    for i in range(0, k, 2):
        j = min(i + 1, k - 1)
        g, h, one, other = matrix[i], matrix[j], scores[i], scores[j]
        for r in range(w):
            one[r], other[r] = g[d], h[d]
        for f in range(d % 4):
            y, a, b = points[f], g[f], h[f]
            for r in range(w):
                s, t = one[r] + a * y[r], other[r] + b * y[r]
                one[r], other[r] = s, t
        for f in range(d % 4, d, 4):
            x, y, z, u = points[f], points[f + 1], points[f + 2], points[f + 3]
            a, b, c, e = g[f], g[f + 1], g[f + 2], g[f + 3]
            o, p, q, v = h[f], h[f + 1], h[f + 2], h[f + 3]
            for r in range(w):
                s = one[r] + a * x[r] + b * y[r] + c * z[r] + e * u[r]
                t = other[r] + o * x[r] + p * y[r] + q * z[r] + v * u[r]
                one[r], other[r] = s, t
