"""A certain lower bound on a linear function of projectors, from one eigenvalue decomposition that is checked.

    (1)  min <S, Z>   over   Z q = q,   0 <= Z <= I (as matrices),   low <= tr Z <= high

S is symmetric and q a vector, that of ones unless another is given. For any vector a and number b, with
B = S - a q' - q a' + b q q' and because Z q = q,

    (2)  <S, Z> = <B, Z> + 2 a'q - b q'q
         <B, Z> >= q'B q / q'q + min sum_{i <= r} lambda_i(B) over low <= r + 1 <= high

(Fan 1949, and interlacing: the eigenvalues of B on the complement of q are not below those of B). With a = S q / q'q
and b q'q above all eigenvalues the second is an equality up to rounding. Eigenvalues are not trusted: for the computed
V and w, with | | the Frobenius norm,

    (3)  lambda_i(B) >= w_i - |V'V - I| |w_i| - |B - V diag(w) V'|

(Ostrowski's and Weyl's theorems; Horn and Johnson, Matrix Analysis, 4.5.9 and 4.3.1). Matrix products of floats err by
at most n u times the product of absolute values, sums by as much (Higham 2002, 3.5), which is added. The entries of q
may be off by one rounding.
"""

from __future__ import annotations

from math import fsum, sqrt

import numpy as np
from numpy.typing import NDArray

from .interval import ROUNDOFF, TINY, power_of_two


def fan_bound(matrix: NDArray[np.float64], low: int, high: int, vector: NDArray[np.float64] | None = None) -> float:
    """A float that is at most the minimum (1) for a symmetric matrix (n, n), all rounding counted; O(n^3)."""
    unit, n = power_of_two(matrix), len(matrix)
    q = np.ones(n) if vector is None else vector
    S, mass, length = 0.5 * (matrix / unit + (matrix / unit).T), float(q @ q), float(np.linalg.norm(q))
    a = S @ q / mass
    a = a - q * (0.5 * float(a @ q) / mass)
    B = S - (np.outer(a, q) + np.outer(q, a))
    beyond = float(np.linalg.norm(B)) / mass
    B += beyond * np.outer(q, q)
    # ten roundings an entry, those of q among them; <E, Z> <= |E| |Z|, and |Z|^2 <= tr Z
    size = float(np.linalg.norm(S)) + 2.0 * length * float(np.linalg.norm(a)) + 2.0 * mass * beyond
    error = 6.0 * ROUNDOFF * size * sqrt(high)
    mean, constant = float(q @ (B @ q)) / mass, fsum([*(2.0 * a * q), -beyond * mass])
    error += (3.0 * n + 16) * ROUNDOFF * float(np.abs(q) @ (np.abs(B) @ np.abs(q))) / mass
    error += (n + 8) * ROUNDOFF * (2.0 * float(np.abs(a) @ np.abs(q)) + beyond * mass)
    value = mean + constant + float(_least_sums(B, high - 1)[low - 1 :].min())
    return unit * (value - error - 8.0 * ROUNDOFF * (abs(value) + abs(mean) + abs(constant)) - n * TINY)


def _least_sums(B: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Lower bounds on the sums of the 0, 1, ..., ``most`` smallest eigenvalues of a symmetric matrix, by (3)."""
    n = len(B)
    values, vectors = np.linalg.eigh(B)
    skew = float(np.linalg.norm(vectors.T @ vectors - np.eye(n))) * (1.0 + n * n * ROUNDOFF) + n * (n + 4) * ROUNDOFF
    rest = float(np.linalg.norm(B - (vectors * values) @ vectors.T)) * (1.0 + n * n * ROUNDOFF)
    rest += (n + 8) * ROUNDOFF * (1.0 + skew) * float(np.abs(values).sum()) + 2.0 * ROUNDOFF * float(np.linalg.norm(B))
    least = values[:most] - skew * np.abs(values[:most]) - rest
    sums = np.concatenate([[0.0], np.cumsum(least)])
    return sums - (most + 2) * ROUNDOFF * np.concatenate([[0.0], np.cumsum(np.abs(least))])
