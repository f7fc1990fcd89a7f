"""Kernels of the least-squares relaxation: projections and separation on symmetric (n, n) matrices.

A cut is a row (i, j, h) with W_ij + W_ih - W_jh - W_ii <= 0 (a triangle), or (i, j, -1) with W_ij - W_ii <= 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit

TRIANGLE, PAIR = 2.5, 1.5  # squared norms of the cuts' symmetric coefficient matrices


@njit(cache=True)
def shift_by_cuts(V: NDArray, cuts: NDArray, multipliers: NDArray, sign: float) -> None:
    """V += sign * sum_t multiplier_t A_t, in place."""
    for t in range(cuts.shape[0]):
        step = sign * multipliers[t]
        if step == 0.0:
            continue
        i, j, h = cuts[t]
        V[i, j] += 0.5 * step
        V[j, i] += 0.5 * step
        V[i, i] -= step
        if h >= 0:
            V[i, h] += 0.5 * step
            V[h, i] += 0.5 * step
            V[j, h] -= 0.5 * step
            V[h, j] -= 0.5 * step


@njit(cache=True)
def _clip(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


@njit(cache=True)
def ascend(
    V: NDArray, cuts: NDArray, multipliers: NDArray, diagonal: tuple[float, float], top: float, sweeps: int
) -> None:
    """Coordinate ascent (Hildreth) on the dual of projecting onto box and cuts; V and multipliers in place.

    On entry V is the point minus the cuts' part; on exit the projection is V clipped to the box.
    """
    low, high = diagonal
    for _ in range(sweeps):
        for t in range(cuts.shape[0]):
            i, j, h = cuts[t]
            value = _clip(V[i, j], 0.0, top) - _clip(V[i, i], low, high)
            norm = PAIR
            if h >= 0:
                value += _clip(V[i, h], 0.0, top) - _clip(V[j, h], 0.0, top)
                norm = TRIANGLE
            new = max(0.0, multipliers[t] + value / norm)
            step = new - multipliers[t]
            if step == 0.0:
                continue
            multipliers[t] = new
            V[i, j] -= 0.5 * step
            V[j, i] -= 0.5 * step
            V[i, i] += step
            if h >= 0:
                V[i, h] -= 0.5 * step
                V[h, i] -= 0.5 * step
                V[j, h] += 0.5 * step
                V[h, j] += 0.5 * step


@njit(cache=True)
def worst_cuts(W: NDArray, per_pair: int, threshold: float) -> tuple[NDArray, NDArray]:
    """For every ordered pair (i, j) its ``per_pair`` most violated cuts beyond ``threshold``.

    Returns
    -------
    third : (n, n, per_pair) int64
        h of the cut, -1 for the pair cut, -2 for none.
    violation : (n, n, per_pair) float64
    """
    n = W.shape[0]
    third = np.full((n, n, per_pair), -2, np.int64)
    violation = np.zeros((n, n, per_pair))
    for i in range(n):
        for j in range(n):
            if j == i or W[i, j] <= threshold:
                continue
            base = W[i, j] - W[i, i]
            if base > threshold:
                third[i, j, 0] = -1
                violation[i, j, 0] = base
            for h in range(j):
                if h == i:
                    continue
                value = base + W[i, h] - W[j, h]
                if value <= threshold or value <= violation[i, j, per_pair - 1]:
                    continue
                place = per_pair - 1
                while place > 0 and violation[i, j, place - 1] < value:
                    violation[i, j, place] = violation[i, j, place - 1]
                    third[i, j, place] = third[i, j, place - 1]
                    place -= 1
                violation[i, j, place] = value
                third[i, j, place] = h
    return third, violation
