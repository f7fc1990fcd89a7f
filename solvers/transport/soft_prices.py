"""Prices of a few points from the smoothed dual over all scores, by Newton's method: a start, never an answer.

The function is that of `smoothed`, here without lists: with few points and clusters all scores are at hand, and a
Newton step is one system of k equations. Steps are taken in float32, in units of the median lead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ...base.arrays import Reals
from ...base.blas import one_blas_thread
from .nodes import nodes_at, total_excess
from .rows import Data

FIRST_EPS = 0.5  # in units of the median lead
EPS_RATIO = 4.0  # every eps is the one before divided by this
STEPS = 12  # Newton steps at most
SHORTER = 0.4  # factor on a step that does not make D fall
SHORTEST = 0.05  # in units of a whole step
SOFT_EXCESS = 0.5  # soft sizes that miss the required ones by this share of what may be left end an eps
RIDGE = 1e-3  # added to the Hessian's diagonal, in units of n / k
ROUNDED = (0.5, 2.0)  # prices up to this many eps may be zeros: of clusters between their bounds
LEAST_EXPONENT = np.float32(-40.0)  # smaller shares count as much as this one: subnormal numbers take very long
POINTS_FOR_UNIT = 1 << 8  # points whose leads the median is taken of


class SoftPoint(NamedTuple):
    """D at some prices, with its gradient and what its Hessian is made of."""

    value: float
    gradient: Reals  # (k,)
    diagonal: Reals  # (k,)
    shares: NDArray[np.float32]  # (k, n) of the points in the clusters

    def newton_step(self, eps: float) -> Reals:
        """What Newton's method adds to the prices (k,)."""
        hessian = np.diag(self.diagonal) - (self.shares @ self.shares.T).astype(np.float64)  # times eps
        return np.asarray(np.linalg.solve(hessian, -eps * self.gradient), dtype=np.float64)


def soft_prices(data: Data, lower: Reals, upper: Reals, prices: Reals, enough: float) -> Reals:
    """Prices (k,) that leave little to move; of those met on the way the best.

    Parameters
    ----------
    data : Data
        Linear scores of few points.
    lower, upper : (k,) ndarray
        Bounds.
    prices : (k,) ndarray
        Where to start.
    enough : float
        Number of points to move with which the search ends.
    """
    rows, columns, offsets, origin = data
    with one_blas_thread(), np.errstate(all="ignore"):
        scores = columns.T @ np.subtract(rows.T, origin[:, None], order="C")  # of rows, products take twice as long
        scores += (offsets - prices)[:, None]
        scores -= scores.max(axis=0)
        some = scores[:, :: max(len(rows) // POINTS_FOR_UNIT, 1)]
        unit = -float(np.median(np.partition(some, -2, axis=0)[-2]))
        if not 0.0 < unit < np.inf:
            return prices
        dual = SoftDual((scores / unit).astype(np.float32), lower, upper, prices / unit)
        return prices + unit * dual.lowest(enough)


class SoftDual:
    """D over scores (k, n) whose largest of every point is zero at some prices (k,), as a function of what is added."""

    def __init__(self, scores: NDArray[np.float32], lower: Reals, upper: Reals, start: Reals) -> None:
        self.scores, self.start = scores, start
        self.lower, self.upper = lower, upper
        self.room = np.minimum(upper, scores.shape[1]) - lower

    def lowest(self, enough: float) -> Reals:
        """What to add to the prices (k,): the first that leaves at most ``enough`` to move, or the best one met."""
        shift, eps = np.zeros(self.start.size), FIRST_EPS
        least, best = np.inf, shift
        here = self.at(shift, eps)
        for _ in range(STEPS):
            step, length = here.newton_step(eps), 1.0
            there = self.at(shift + step, eps)
            while not there.value <= here.value + 1e-4 * length * (here.gradient @ step) and length > SHORTEST:
                length *= SHORTER
                there = self.at(shift + length * step, eps)
            if not np.isfinite(there.value):
                break
            shift, here = shift + length * step, there
            if 0.5 * np.abs(here.gradient).sum() > SOFT_EXCESS * enough:
                continue
            for most in ROUNDED:
                rounded = np.where(np.abs(self.start + shift) < most * eps, -self.start, shift)
                excess = self.excess(rounded)
                if excess <= enough:
                    return rounded
                if excess < least:
                    least, best = excess, rounded
            eps /= EPS_RATIO
            here = self.at(shift, eps)
        nothing = np.zeros(self.start.size)
        return best if least < self.excess(nothing) else nothing

    def at(self, shift: Reals, eps: float) -> SoftPoint:
        """D after a shift of the prices."""
        n = self.scores.shape[1]
        shares = self._reduced(shift)
        best = shares.max(axis=0)
        shares -= best
        shares *= np.float32(1.0 / eps)
        np.exp(np.maximum(shares, LEAST_EXPONENT, out=shares), out=shares)
        sums = shares.sum(axis=0)
        shares /= sums
        sizes, prices = shares.sum(axis=1, dtype=np.float64), self.start + shift
        s = expit(prices / eps)
        value = best.sum(dtype=np.float64) + eps * np.log(sums).sum(dtype=np.float64)
        value += self.lower @ prices + eps * (self.room @ np.logaddexp(0.0, prices / eps))
        diagonal = sizes + self.room * s * (1.0 - s) + RIDGE * n / sizes.size
        return SoftPoint(float(value), self.lower + self.room * s - sizes, diagonal, shares)

    def excess(self, shift: Reals) -> float:
        """Points that have to move where every point takes its best cluster."""
        scores = self._reduced(shift)
        sizes = np.count_nonzero(scores == scores.max(axis=0), axis=1).astype(np.float64)
        sizes *= scores.shape[1] / sizes.sum()  # a tie counts for each of its clusters
        return total_excess(nodes_at(self.start + shift, sizes, self.lower, self.upper))

    def _reduced(self, shift: Reals) -> NDArray[np.float32]:
        return self.scores - shift.astype(np.float32)[:, None]
