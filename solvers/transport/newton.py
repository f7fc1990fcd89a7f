"""Prices from the smoothed dual by Newton's method: a start for the exact flow, never an answer.

The dual of the assignment program in the prices alone is convex and piecewise linear,

    D(mu) = sum_i (u_i mu_i^+ - l_i mu_i^-) + sum_j w_j max_i (gamma_ij - mu_i).

Replacing each maximum by eps log sum_i exp((gamma_ij - mu_i) / eps) makes the second sum smooth. Its gradient is
minus the sizes that clusters have when point j is shared in the ratio p_ij of these exponentials, its Hessian
(1 / eps) sum_j w_j (diag(p_j) - p_j p_j'). A few Newton steps for each eps of a falling sequence leave about k
points to move, where prices from a sample leave sqrt(n k). The kink of the bounds at mu_i = 0 is kept: a step
stays in the orthant that its gradient points into (two-metric projection).

Every point only knows its clusters of largest reduced scores, kept in lists.
"""

from __future__ import annotations

from functools import cache
from time import perf_counter

import numpy as np
from numba import prange
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from threadpoolctl import ThreadpoolController

from ...base.jit import njit
from .rows import BLOCK, Data, score_row

LIST = 32  # clusters in the list of a point
NEAR = 16.0  # first eps is smaller by this factor for prices that are good already
FALL = 4.0  # ratio of one eps to the next
STEPS = 4  # Newton steps for one eps
HALVINGS = 6
CUT = 20.0  # exponents below -CUT count as nothing


@njit(cache=True, parallel=True)
def nearest_clusters(data, prices, values, clusters):
    """Write the scores and the clusters (n, size) of largest reduced score of every point, in no order."""
    n, size = values.shape
    k = prices.size
    for block in prange((n + BLOCK // 8 - 1) // (BLOCK // 8)):
        out, kept = np.empty(k), np.empty(size)
        for j in range(block * (BLOCK // 8), min((block + 1) * (BLOCK // 8), n)):
            score_row(data, j, out)
            least, place = np.inf, 0
            for i in range(k):
                reduced = out[i] - prices[i]
                if i >= size:
                    if reduced <= least:
                        continue
                else:
                    place = i
                kept[place], values[j, place], clusters[j, place] = reduced, out[i], i
                if i >= size - 1:
                    least, place = kept[0], 0
                    for position in range(1, size):
                        if kept[position] < least:
                            least, place = kept[position], position


@njit(cache=True)
def smoothed(values, clusters, weights, prices, eps, sizes, hessian):
    """Sum of the smoothed maxima; writes soft sizes (k,) and, unless it is empty, the Hessian (k, k)."""
    n, size = values.shape
    total, reduced = 0.0, np.empty(size)
    share, member = np.empty(size), np.empty(size, np.int64)
    sizes[:] = 0.0
    hessian[:] = 0.0
    for j in range(n):
        best = -np.inf
        for position in range(size):
            reduced[position] = values[j, position] - prices[clusters[j, position]]
            best = max(best, reduced[position])
        count, norm, bar = 0, 0.0, best - CUT * eps
        for position in range(size):
            if reduced[position] >= bar:
                share[count] = np.exp((reduced[position] - best) / eps)
                norm += share[count]
                member[count] = clusters[j, position]
                count += 1
        weight = weights[j] if weights.size else 1.0
        total += weight * (best + eps * np.log(norm))
        if count == 1:
            sizes[member[0]] += weight
            continue
        for a in range(count):
            p = share[a] / norm
            sizes[member[a]] += weight * p
            if hessian.size:
                hessian[member[a], member[a]] += weight * p / eps
                for b in range(count):
                    hessian[member[a], member[b]] -= weight * p * share[b] / (norm * eps)
    return total


@njit(cache=True)
def mean_margin(values, clusters, prices):
    """Mean lead (over the points) of the best listed cluster over the second best."""
    total = 0.0
    for j in range(values.shape[0]):
        best, second = -np.inf, -np.inf
        for position in range(values.shape[1]):
            value = values[j, position] - prices[clusters[j, position]]
            if value > best:
                best, second = value, best
            elif value > second:
                second = value
        total += best - second
    return total / max(values.shape[0], 1)


def smooth_prices(
    data: Data,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    prices: NDArray[np.float64],
    near: bool = False,
    deadline: float = np.inf,
) -> NDArray[np.float64]:
    """Prices (k,) near the optimal ones, by Newton's method on lists taken at ``prices``.

    Parameters
    ----------
    data : Data
        Scores.
    lower, upper : (k,) ndarray
        Bounds.
    weights : (n,) ndarray or None
        Point weights.
    prices : (k,) ndarray
        Where to start.
    near : bool
        Whether they are good already: then only the last values of eps are worth a step.
    deadline : float
        Value of `perf_counter` at which to stop.

    Returns
    -------
    (k,) ndarray
    """
    n, k = data[0].shape[0], prices.size
    size = min(k, LIST)
    if n == 0 or size < 2:
        return prices
    values, clusters = np.empty((n, size)), np.empty((n, size), dtype=np.int32)
    nearest_clusters(data, prices, values, clusters)
    shares = np.empty(0) if weights is None else weights
    dual = _Dual(values, clusters, shares, lower, np.minimum(upper, n if weights is None else weights.sum()))
    eps = mean_margin(values, clusters, prices)
    last = eps * 0.5 * k / n
    eps = max(eps / NEAR, last) if near else eps
    with _blas().limit(limits=1, user_api="blas"):  # k x k systems are too small to share among threads
        while np.isfinite(eps) and eps > 0:
            prices = dual.minimise(prices, eps, deadline)
            if eps <= last or perf_counter() > deadline:
                break
            eps = max(eps / FALL, last)
    return prices


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


class _Dual:
    """The smoothed dual over lists."""

    def __init__(
        self,
        values: NDArray[np.float64],
        clusters: NDArray[np.int32],
        weights: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
    ) -> None:
        self.lists = values, clusters, weights
        self.lower, self.upper = lower, upper
        self.total = float(weights.sum()) if weights.size else float(len(values))

    def value(self, prices: NDArray[np.float64], eps: float, hessian: NDArray[np.float64]) -> tuple[float, NDArray]:
        """D and the soft sizes (k,); the Hessian is written."""
        sizes = np.empty_like(prices)
        points = smoothed(*self.lists, prices, eps, sizes, hessian)
        return points + float((prices * np.where(prices > 0, self.upper, self.lower)).sum()), sizes

    def minimise(self, prices: NDArray[np.float64], eps: float, deadline: float) -> NDArray[np.float64]:
        """A few projected Newton steps for one ``eps``, none after the deadline."""
        hessian = np.empty((prices.size, prices.size))
        value, sizes = self.value(prices, eps, hessian)
        for _ in range(STEPS):
            target = np.where(prices > 0, self.upper, self.lower)
            target = np.where(prices == 0, np.clip(sizes, self.lower, self.upper), target)
            gradient = target - sizes
            if np.abs(gradient).sum() <= self.total * (1e-3 + 0.5 / len(self.lists[0])) or perf_counter() > deadline:
                break
            orthant = np.where(prices != 0, np.sign(prices), -np.sign(gradient))
            step = _newton_step(hessian, gradient, (prices != 0) | (gradient != 0), self.total / eps)
            length, before = 1.0, value
            for _ in range(HALVINGS):
                trial = prices + length * step
                trial[trial * orthant < 0] = 0.0
                value, sizes = self.value(trial, eps, hessian)
                if value < before:
                    break
                length *= 0.25
            else:
                return prices
            prices = trial
        return prices


def _newton_step(
    hessian: NDArray[np.float64], gradient: NDArray[np.float64], free: NDArray[np.bool_], scale: float
) -> NDArray[np.float64]:
    """Solve H step = -gradient over the free clusters, with a ridge against the direction of equal prices."""
    step = np.zeros_like(gradient)
    index = np.flatnonzero(free)
    if index.size == 0:
        return step
    matrix = hessian[np.ix_(index, index)]
    matrix[np.diag_indices(index.size)] += 1e-6 * scale / gradient.size
    try:
        step[index] = -cho_solve(cho_factor(matrix, overwrite_a=True, check_finite=False), gradient[index])
    except np.linalg.LinAlgError:  # scores beyond what floating point can square
        return step
    return step
