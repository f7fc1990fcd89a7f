"""A certain lower bound on a linear function of projectors, from one eigenvalue decomposition that is checked.

    (1)  min <S, Z>   over   Z 1 = 1,   0 <= Z <= I (as matrices),   low <= tr Z <= high

S is symmetric. For any vector a and number b, with B = S - a 1' - 1 a' + b 1 1' and because Z 1 = 1,

    (2)  <S, Z> = <B, Z> + 2 sum(a) - b n
         <B, Z> >= 1'B 1 / n + min sum_{i <= r} lambda_i(B) over low <= r + 1 <= high

(Fan 1949, and interlacing: the eigenvalues of B on the complement of 1 are not below those of B). With a the row means
and b n above all eigenvalues the second is an equality up to rounding. Eigenvalues are not trusted: for the computed
V and w, with | | the Frobenius norm,

    (3)  lambda_i(B) >= w_i - |V'V - I| |w_i| - |B - V diag(w) V'|

(Ostrowski's and Weyl's theorems; Horn and Johnson, Matrix Analysis, 4.5.9 and 4.3.1). Matrix products of floats err by
at most n u times the product of absolute values, sums by as much (Higham 2002, 3.5), which is added.
"""

from __future__ import annotations

from math import fsum, sqrt

import numpy as np
from numpy.typing import NDArray

from .objective_interval import ROUNDOFF, TINY, power_of_two


def fan_bound(matrix: NDArray[np.float64], low: int, high: int) -> float:
    """A float that is at most the minimum (1) for a symmetric matrix (n, n), all rounding counted; O(n^3)."""
    unit, n = power_of_two(matrix), len(matrix)
    S = 0.5 * (matrix / unit + (matrix / unit).T)
    a = S.mean(axis=1)
    a = a - 0.5 * a.mean()
    B = S - (a[:, None] + a[None, :])
    beyond = float(np.linalg.norm(B)) / n
    B += beyond
    # four roundings an entry; <E, Z> <= |E| |Z|, and |Z|^2 <= tr Z
    size = float(np.linalg.norm(S)) + 2.0 * sqrt(n) * float(np.linalg.norm(a)) + 2.0 * n * beyond
    error = 4.0 * ROUNDOFF * size * sqrt(high)
    mean, constant = float(B.sum(axis=1).sum()) / n, fsum([*(2.0 * a), -beyond * n])
    error += 2.0 * (n + 4) * ROUNDOFF * float(np.abs(B).sum()) / n
    error += 4.0 * ROUNDOFF * (2.0 * float(np.abs(a).sum()) + beyond * n)
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
