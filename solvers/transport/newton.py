"""Prices from the smoothed dual by Newton's method: a start for the exact flow, never an answer.

The dual of the assignment program in the prices alone is convex and piecewise linear,

    D(mu) = sum_i (u_i mu_i^+ - l_i mu_i^-) + sum_j w_j max_i (gamma_ij - mu_i).

Replacing each maximum by eps log sum_i exp((gamma_ij - mu_i) / eps) makes the second sum smooth. Its gradient is
minus the sizes that clusters have when point j is shared in the ratio p_ij of these exponentials, its Hessian
(1 / eps) sum_j w_j (diag(p_j) - p_j p_j'). A few Newton steps for each eps of a falling sequence leave about k
points to move, where prices from a sample leave sqrt(n k). The kink of the bounds at mu_i = 0 is kept: a step
stays in the orthant that its gradient points into (two-metric projection).

Only the clusters of the largest reduced scores of every point are looked at; they are kept in lists.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from ...base.arrays import Reals
from ...base.blas import one_blas_thread
from ...base.deadline import clock
from ...base.jit import njit
from ...base.threads import share
from .rows import Data, parts_of_pass, score_row

CLUSTERS_PER_LIST = 32  # clusters in the list of every point
NEAR_EPS_RATIO = 16.0  # the first eps is divided by this when the starting prices are near the optimal ones
EPS_RATIO = 4.0  # every eps is the one before divided by this
STEPS_PER_EPS = 4  # Newton steps at most for one eps
STEP_TRIALS = 6  # step lengths that are tried at most, each a quarter of the one before
LARGEST_EXPONENT = 20.0  # terms below exp(-20) of the largest are left out of a sum


@njit(cache=True, nogil=True)
def nearest_of_some(data, prices, start, stop, values, clusters):
    """Write the scores and the clusters (n, size) of largest reduced score of the points from start to stop."""
    k, size = prices.size, values.shape[1]
    out, kept = np.empty(k), np.empty(size)
    for j in range(start, stop):
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
        count, norm, bar = 0, 0.0, best - LARGEST_EXPONENT * eps
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
        Whether these prices are near the optimal ones, so that the first, large values of eps are left out.
    deadline : float
        Value of `base.deadline.clock` at which to stop.

    Returns
    -------
    (k,) ndarray

    Raises
    ------
    OutOfTime
        When the deadline comes before the lists are made.
    """
    n, k = data[0].shape[0], prices.size
    size = min(k, CLUSTERS_PER_LIST)
    if n == 0 or size < 2:
        return prices
    values, clusters = np.empty((n, size)), np.empty((n, size), dtype=np.int32)
    for part in parts_of_pass(data, k, deadline):
        nearest_clusters((data[0][part], *data[1:]), prices, values[part], clusters[part])
    shares = np.empty(0) if weights is None else weights
    dual = _Dual(values, clusters, shares, lower, np.minimum(upper, n if weights is None else weights.sum()))
    eps = mean_margin(values, clusters, prices)
    last = eps * 0.5 * k / n
    eps = max(eps / NEAR_EPS_RATIO, last) if near else eps
    with one_blas_thread():  # systems of k equations are too small to be shared among threads
        while np.isfinite(eps) and eps > 0:
            prices = dual.minimise(prices, eps, deadline)
            if eps <= last or clock() > deadline:
                break
            eps = max(eps / EPS_RATIO, last)
    return prices


def nearest_clusters(
    data: Data, prices: NDArray[np.float64], values: NDArray[np.float64], clusters: NDArray[np.int32]
) -> None:
    """`nearest_of_some` for all points, shared among threads."""
    share(lambda start, stop: nearest_of_some(data, prices, start, stop, values, clusters), len(values))


class _Dual:
    """The smoothed dual over lists."""

    def __init__(self, values: Reals, clusters: NDArray[np.int32], weights: Reals, lower: Reals, upper: Reals) -> None:
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
        for _ in range(STEPS_PER_EPS):
            required_size = np.where(prices > 0, self.upper, self.lower)
            required_size = np.where(prices == 0, np.clip(sizes, self.lower, self.upper), required_size)
            gradient = required_size - sizes
            if np.abs(gradient).sum() <= self.total * (1e-3 + 0.5 / len(self.lists[0])) or clock() > deadline:
                break
            orthant = np.where(prices != 0, np.sign(prices), -np.sign(gradient))
            step = _newton_step(hessian, gradient, (prices != 0) | (gradient != 0), self.total / eps)
            length, before = 1.0, value
            for _ in range(STEP_TRIALS):
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
    """Solve H step = -gradient over the free clusters.

    A small multiple of the identity is added to H, since a common shift of all prices changes no soft size."""
    step = np.zeros_like(gradient)
    index = np.flatnonzero(free)
    if index.size == 0:
        return step
    matrix = hessian[np.ix_(index, index)]
    matrix[np.diag_indices(index.size)] += 1e-6 * scale / gradient.size
    try:
        step[index] = -cho_solve(cho_factor(matrix, overwrite_a=True, check_finite=False), gradient[index])
    except np.linalg.LinAlgError:  # the squares of such large scores overflow
        return step
    return step
