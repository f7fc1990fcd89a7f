"""Cluster sums that follow the labels from step to step: only points that changed their cluster are read.

    s_i <- s_i + sum of the points that came - sum of the points that left
    q = sum_j |y_j - a_y|^2 = Q - 2 sum_i a_i . s_i + sum_i kappa_i |a_i|^2          Q = sum_j |y_j|^2

Every sum is two numbers, the second one what rounding took off the first (Knuth's two-sum; Dekker's product), so that
nothing builds up over the steps, and q keeps its digits where it is small beside Q. Points are cut into parts whose
sums are added in order: nothing depends on the number of threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Reals
from ...base.jit import njit
from ...base.threads import share
from .statistics import PARTS, SERIAL_WORK

POINTS_OF_PART = 1 << 12  # that move, at least, for one part more
GATHERED = 128  # points that are read before their sums are formed
SPLIT = 2.0**27 + 1.0  # cuts a float64 into halves whose products are exact


@njit(cache=True, inline="always")
def added(high, low, x):
    """The sum of ``high``, ``low`` and ``x``, as two numbers again."""
    total = high + x
    back = total - high
    return total, low + ((high - (total - back)) + (x - back))


@njit(cache=True, inline="always")
def product(a, b):
    """a b, and what rounding takes off it."""
    cut, other = SPLIT * a, SPLIT * b
    x, u = cut - (cut - a), other - (other - b)
    y, v, p = a - x, b - u, a * b
    return p, ((x * u - p) + x * v + y * u) + y * v


@njit(cache=True)
def add_to(high, low, value):
    """Add ``value`` (d,) to the sum of ``high`` and ``low``."""
    for f in range(high.size):
        high[f], low[f] = added(high[f], low[f], value[f])


@njit(cache=True, nogil=True)
def move_parts(rows, origin, points, before, after, first, last, high, low):
    """Move the ``points``, or all where there are none, in some parts from ``before`` (from nowhere) to ``after``."""
    n, parts, d = after.size, high.shape[0], origin.size
    some = np.empty((GATHERED, d))
    for part in range(first, last):
        stop = (part + 1) * n // parts
        for start in range(part * n // parts, stop, GATHERED):
            count = min(GATHERED, stop - start)
            for r in range(count):  # reading alone, so that the processor waits for many points at a time
                j = points[start + r] if points.size else start + r
                for f in range(d):
                    some[r, f] = np.float64(rows[j, f]) - origin[f]
            for r in range(count):
                i, x = after[start + r], some[r]
                add_to(high[part, i], low[part, i], x)
                if before.size:
                    i = before[start + r]
                    for f in range(d):
                        x[f] = -x[f]
                    add_to(high[part, i], low[part, i], x)


@njit(cache=True, nogil=True)
def square_parts(rows, origin, first, last, high, low):
    """Add the squares of the coordinates of some parts to ``high`` and ``low`` (parts, d)."""
    n, parts, d = rows.shape[0], high.shape[0], origin.size
    square = np.empty(d)
    for part in range(first, last):
        for j in range(part * n // parts, (part + 1) * n // parts):
            for f in range(d):
                x = np.float64(rows[j, f]) - origin[f]
                square[f], rest = product(x, x)
                low[part, f] += rest
            add_to(high[part], low[part], square)


@njit(cache=True)
def squared_distance(whole, rest, high, low, sites, sizes):
    """q of sums of squares ``whole`` + ``rest`` (d,) and of clusters whose sums are ``high`` + ``low`` (k, d)."""
    total, less = 0.0, 0.0
    for f in range(whole.size):
        total, less = added(total, less + rest[f], whole[f])
    for i in range(sizes.size):
        for f in range(whole.size):
            a = sites[i, f]
            square, off = product(a, a)
            most, more = product(sizes[i], square)
            total, less = added(total, less + (more + sizes[i] * off), most)
            most, more = product(-2.0 * a, high[i, f])
            total, less = added(total, less + (more - 2.0 * a * low[i, f]), most)
    return max(total + less, 0.0)


def sum_of_squares(rows: NDArray[np.floating], origin: Reals) -> tuple[Reals, Reals]:
    """Q of every column (d,), and what rounding took off it."""
    high, low = np.zeros((PARTS, origin.size)), np.zeros((PARTS, origin.size))

    def add(first: int, last: int) -> None:
        square_parts(rows, origin, first, last, high, low)

    share(add, PARTS) if rows.size >= SERIAL_WORK else add(0, PARTS)
    return _in_order(high, low)


class MovingSums:
    """Cluster sums of points without weights.

    Parameters
    ----------
    rows : (n, d) ndarray
        Points.
    origin : (d,) ndarray
        What they are measured from.
    squares : tuple of two (d,) ndarray
        `sum_of_squares` of the same points.
    """

    def __init__(self, rows: NDArray[np.floating], origin: Reals, squares: tuple[Reals, Reals]) -> None:
        self.rows, self.origin, self.squares = rows, origin, squares
        self.labels: NDArray[np.integer] = np.empty(0, dtype=np.int64)
        self.sizes: Reals = np.empty(0)
        self.high: Reals = np.empty((0, 0))
        self.low: Reals = np.empty((0, 0))

    def at(self, labels: NDArray[np.integer], sites: Reals) -> tuple[Reals, Reals, float]:
        """Sums (k, d), sizes (k,) and squared distance to the sites (k, d) of a clustering (n,)."""
        moved: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        before, after = self.labels.astype(labels.dtype, copy=False), labels
        if self.labels.size:
            moved = np.flatnonzero(self.labels != labels)
            before, after = self.labels[moved], labels[moved]
        parts = int(np.clip(after.size // POINTS_OF_PART, 1, PARTS))
        high, low = np.zeros((parts, *sites.shape)), np.zeros((parts, *sites.shape))
        if self.labels.size:
            high[0], low[0] = self.high, self.low
        counts = np.bincount(after, minlength=len(sites)) - np.bincount(before, minlength=len(sites))
        self.sizes = self.sizes + counts if self.labels.size else counts.astype(np.float64)

        def move(first: int, last: int) -> None:
            move_parts(self.rows, self.origin, moved, before, after, first, last, high, low)

        if after.size:
            share(move, parts) if after.size * self.origin.size >= SERIAL_WORK else move(0, parts)
        (self.high, self.low), self.labels = _in_order(high, low), labels.copy()
        squares = squared_distance(*self.squares, self.high, self.low, sites, self.sizes)
        return self.high + self.low, self.sizes, squares


def _in_order(high: Reals, low: Reals) -> tuple[Reals, Reals]:
    """The sum over the parts."""
    total, rest = high[0].copy(), low.sum(axis=0)
    for part in high[1:]:
        add_to(total.reshape(-1), rest.reshape(-1), part.reshape(-1))
    return total, rest
