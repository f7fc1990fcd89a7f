"""Cluster sums that follow the labels from step to step: only points that changed their cluster are read.

    s_i <- s_i + sum of the points that came - sum of the points that left
    q = sum_j |y_j - a_y|^2 = Q - 2 sum_i a_i . s_i + sum_i kappa_i |a_i|^2          Q = sum_j |y_j|^2

Every sum is two numbers, the second one what rounding took off the first (Knuth's two-sum; Dekker's product), so that
nothing builds up over the steps, and q keeps its digits where it is small beside Q. Points are cut into parts whose
sums are added in order: nothing depends on the number of threads.
"""

from __future__ import annotations

from math import fsum

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Reals
from ...base.jit import njit
from ...base.threads import share
from .statistics import PARTS, SERIAL_WORK

POINTS_OF_PART = 1 << 12  # that move, at least, for one part more
GATHERED = 128  # points that are read before their sums are formed
SPLIT = 2.0**27 + 1.0  # cuts a float64 into halves whose products are exact


@njit(cache=True)
def add_to(high, low, value):
    """Add ``value`` (d,) to the sum of ``high`` and ``low``."""
    for f in range(high.size):
        old, x = high[f], value[f]
        total = old + x
        back = total - old
        low[f] += (old - (total - back)) + (x - back)
        high[f] = total


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
                cut = SPLIT * x
                head = cut - (cut - x)
                tail = x - head
                square[f] = x * x
                low[part, f] += ((head * head - square[f]) + 2.0 * head * tail) + tail * tail
            add_to(high[part], low[part], square)


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
        return self.high + self.low, self.sizes, self._squares(sites, self.sizes)

    def _squares(self, sites: Reals, sizes: Reals) -> float:
        """q: products are kept with what rounding takes off them, and summed exactly."""
        square, rest = _product(sites, sites)
        most, more = _product(np.broadcast_to(sizes[:, None], sites.shape), square)
        beside, less = _product(-2.0 * sites, self.high)
        parts = (most, more, sizes[:, None] * rest, beside, less, -2.0 * sites * self.low)
        return max(fsum(np.concatenate([part.ravel() for part in (*parts, *self.squares)]).tolist()), 0.0)


def _in_order(high: Reals, low: Reals) -> tuple[Reals, Reals]:
    """The sum over the parts."""
    total, rest = high[0].copy(), low.sum(axis=0)
    for part in high[1:]:
        add_to(total.reshape(-1), rest.reshape(-1), part.reshape(-1))
    return total, rest


def _product(a: Reals, b: Reals) -> tuple[Reals, Reals]:
    """a b and what rounding takes off it."""
    p, (x, y), (u, v) = a * b, _halves(a), _halves(b)
    return p, ((x * u - p) + x * v + y * u) + y * v


def _halves(a: Reals) -> tuple[Reals, Reals]:
    head = SPLIT * a
    head = head - (head - a)
    return head, a - head
