"""Every point's cluster, with a lower bound on its margin, carried from one set of scores to the next.

The margin of a point of cluster i with coordinates y, measured from the origin, is min_j (s_i - s_j)(y), where s are
reduced scores. When scores change from g.y + h to (g + dg).y + h + dh, the margin over cluster j falls by at most

    (1)  (dh_j - dh_i) + |dg_i - dg_j| |y|   <=   a_i + b_i |y|,   a_i = max_j dh_j - dh_i,  b_i = max_j |dg_i - dg_j|

so that a point whose bound, less a_i + b_i |y|, is still positive is decided by the bound: it stays where it is without
being evaluated (Hamerly's idea for k-means, on reduced scores in place of distances).

Other points are scored in float32, by a matrix product (`single`), WIDTH of them at a time. Such a score is off by at
most

    E = (d + 8) 2^-24 (max_i |g_i| |y| + max_i |h_i|)

(Higham 2002, section 3.1, for sums of d + 1 products in any order, rounding of the factors included, and with room for
the rounding of the float64 scores that it stands for). Where its margin there is more than 2 E, it is the
best in float64, too; all other points are scored in float64. So labels are bit for bit those of `rows.assign`.

References
----------
Hamerly (2010), "Making k-means even faster", *SIAM International Conference on Data Mining*.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Reals
from ....base.blas import one_blas_thread
from ....base.jit import njit
from ..passes.rows import Data, is_small, score_row, share_blocks
from ..passes.single import UNIT, power_of_two, single_matrix, steepest_and_most

WIDTH = 256  # Points scored together: fewer make the product slow, more leave the processor's cache.
ROUND_DOWN = np.float32(1.0 - 2.0**-22)  # This is the factor for positive numbers that must not be rounded up.
FLOAT64_SHARE = np.float32(2.0**-26)  # The rounding of float64 scores and of tables may change this share of E.


class Norms(NamedTuple):
    """Upper bounds (n,) on the distances of the points from the origin, times ``scale``, and the largest distance."""

    of_point: NDArray[np.float32]
    largest: float
    scale: float  # A power of two, so that the bounds neither overflow nor underflow.

    @classmethod
    def of(cls, rows: NDArray[np.floating], origin: Reals) -> Norms:
        """The norms of the points (n, d)."""
        norms = np.empty(len(rows))
        step = max(WIDTH, WIDTH * WIDTH // max(rows.shape[1], 1))  # as many numbers stay in the cache
        for start in range(0, len(rows), step):
            y = rows[start : start + step] - origin
            norms[start : start + step] = np.sqrt(np.einsum("ij,ij->i", y, y))
        largest = float(norms.max(initial=0.0)) * (1.0 + 1e-12)  # and what rounding took off
        scale = power_of_two(largest)
        return cls(_rounded_up(norms * scale) + np.float32(2.0**-100), largest, scale)


class Single(NamedTuple):
    """Scores in float32, and what they may be off by: ``errors[0] + errors[1] |y| scale``, in units of 1 / ``unit``."""

    matrix: NDArray[np.float32]  # (k, d + 1)
    scale: float  # Scale of the coordinates.
    unit: float
    errors: NDArray[np.float32]  # (2,)


@njit(cache=True, borrowing=True)
def largest_two_single(scores, best, second, arg):
    """Largest and second largest of every column of the scores (k, WIDTH), and the row of the largest."""
    k = scores.shape[0]
    for r in range(WIDTH):
        best[r], second[r], arg[r] = scores[0, r], np.float32(-np.inf), 0
    for i in range(1, k, 2):  # two rows at a time: half as often are the results read and written
        one, other, place, next_place = scores[i], scores[min(i + 1, k - 1)], np.int32(i), np.int32(i + 1)
        if i + 1 == k:
            for r in range(WIDTH):
                value, first, next_ = one[r], best[r], second[r]
                lower = first if first < value else value
                second[r] = lower if lower > next_ else next_
                arg[r] = place if value > first else arg[r]
                best[r] = value if value > first else first
            break
        for r in range(WIDTH):
            a, b, first, next_ = one[r], other[r], best[r], second[r]
            value, less, where = b if b > a else a, a if b > a else b, next_place if b > a else place
            lower = first if first < value else value
            next_ = less if less > next_ else next_
            second[r] = lower if lower > next_ else next_
            arg[r] = where if value > first else arg[r]
            best[r] = value if value > first else first


@njit(cache=True)
def score_undecided(data, prices, single, norms, index, count, room, labels, margins, sizes):
    """Write labels and bounds of the points ``index[:count]``."""
    (matrix, scale, unit, errors), (rows, _, _, origin) = single, data
    points, scores, best, second, arg, exact = room
    for r in range(count):
        j = index[r]
        for f in range(origin.size):
            points[f, r] = np.float32((np.float64(rows[j, f]) - origin[f]) * scale)
    np.dot(matrix, points, scores)
    largest_two_single(scores, best, second, arg)
    for r in range(count):
        j = index[r]
        doubt = np.float32(2.0) * (errors[0] + errors[1] * norms[j])
        margin, own = (best[r] - second[r]) - doubt, int(arg[r])
        if margin > doubt * FLOAT64_SHARE and best[r] < np.inf:
            margins[j] = margin * ROUND_DOWN
        else:
            score_row(data, j, exact)
            top, next_, own = -np.inf, -np.inf, 0
            for i in range(exact.size):
                value = exact[i] - prices[i]
                if value > top:
                    top, next_, own = value, top, i
                elif value > next_:
                    next_ = value
            margins[j] = np.float32((top - next_) * unit) * ROUND_DOWN - doubt * FLOAT64_SHARE
        before = int(labels[j])
        if own != before:
            labels[j] = own
            sizes[before] -= 1
            sizes[own] += 1


@njit(cache=True)
def refresh_some(data, prices, single, norms, falls, limit, start, stop, labels, margins, sizes, workspace):
    """`MarginBounds.refresh` for the points ``start`` to ``stop``, with ``falls`` (2, k), a and b of (1); changes of
    sizes are added to ``sizes`` (k,)."""
    index, fresh, room = workspace
    waiting, little = np.int64(0), np.float32(2.0**-22)
    for first in range(start, stop, WIDTH):
        size = min(WIDTH, stop - first)
        bounds, homes = margins[first : first + size], labels[first : first + size]
        lengths = norms[first : first + size]
        for r in range(size):
            old, one, other = bounds[r], falls[0, homes[r]], falls[1, homes[r]] * lengths[r]
            margin = old - (one + other)
            fresh[r] = margin - (abs(margin) + abs(old) + abs(one) + other) * little
        for r in range(size):  # without branches, since the processor cannot predict whose bound decides
            index[waiting] = first + r
            waiting += not fresh[r] > limit
        for r in range(size):
            bounds[r] = fresh[r]
        if waiting >= WIDTH:
            score_undecided(data, prices, single, norms, index, WIDTH, room, labels, margins, sizes)
            waiting -= WIDTH
            for r in range(waiting):
                index[r] = index[WIDTH + r]
    score_undecided(data, prices, single, norms, index, waiting, room, labels, margins, sizes)


def _workspace(k: int, d: int) -> tuple[object, ...]:
    """Room for `refresh_some`: points that wait, new bounds, and what `score_undecided` writes."""
    points = np.ones((d + 1, WIDTH), np.float32)  # the last coordinate is one
    best, second, fresh = np.empty((3, WIDTH), np.float32)
    room = points, np.empty((k, WIDTH), np.float32), best, second, np.empty(WIDTH, np.int32), np.empty(k)
    return np.empty(2 * WIDTH, np.int64), fresh, room


class MarginBounds:
    """Best clusters ``labels`` (n,), any where a bound is negative, ``sizes`` (k,), and lower ``bounds`` (n,) on
    margins of points, in units of 1 / ``unit``, a power of two, at the scores and ``prices`` (k,) that they were last
    brought up to. ``norms`` are those of the points about the origin of the scores."""

    single: Single

    def __init__(self, rows: NDArray[np.floating], norms: Norms, k: int) -> None:
        self.rows, self.norms, self.k = rows, norms, k
        self.labels = np.zeros(len(rows), dtype=np.min_scalar_type(k - 1))
        self.sizes = np.zeros(k, dtype=np.int64)
        self.sizes[0] = len(rows)
        self.bounds = np.full(len(rows), -np.inf, dtype=np.float32)
        self.unit, self.prices = 0.0, np.zeros(k)
        self._scores: tuple[Reals, Reals] | None = None

    def refresh(self, data: Data, prices: Reals, limit: float) -> None:
        """Bring labels and bounds up to new scores and prices (k,); points are evaluated where their bound is at most
        ``limit``, at least 0."""
        gradients, constants, norms = data[1].T, data[2] - prices, self.norms
        steepest, most = steepest_and_most(data[1], constants)
        if not self.unit:
            self.unit = power_of_two(steepest * norms.largest + most)
        falls = np.zeros((2, self.k))
        if self._scores is not None:
            falls = _falls(gradients - self._scores[0], constants - self._scores[1])
        self._scores, self.prices = (gradients, constants), prices
        scale = norms.scale
        with np.errstate(over="ignore"):
            share = (len(data[1]) + 8) * UNIT * self.unit
            errors = _rounded_up(np.array([share * most + 2.0**-120, share * steepest / scale]))  # and what underflows
            # for the largest norm, at most 1 / scale
            least = np.float32(limit) + (errors[0] + errors[1]) * FLOAT64_SHARE
            falls_up = _rounded_up(falls * np.array([[self.unit], [self.unit / scale]]))
            self.single = Single(single_matrix(data[1], constants, scale, self.unit), scale, self.unit, errors)
        changes: list[NDArray[np.int64]] = []  # in any order: these are whole numbers

        def work(start: int, stop: int) -> None:
            change = np.zeros(self.k, np.int64)
            refresh_some(
                data, prices, tuple(self.single), norms.of_point, falls_up, least, start, stop,
                self.labels, self.bounds, change, _workspace(self.k, len(data[1])),
            )  # fmt: skip
            changes.append(change)

        with one_blas_thread():
            work(0, len(self.labels)) if is_small(data, self.k) else share_blocks(work, len(self.labels))
        self.sizes += sum(changes)

    def move(self, points: NDArray[np.int64], clusters: NDArray[np.int64]) -> None:
        """Put some points into other clusters than their best ones."""
        self.sizes += np.bincount(clusters, minlength=self.k) - np.bincount(self.labels[points], minlength=self.k)
        self.labels[points], self.bounds[points] = clusters, -np.inf

    def rounded_up(self, margins: Reals) -> NDArray[np.float32]:
        """Margins in units of the bounds, rounded up to float32."""
        with np.errstate(over="ignore"):
            return _rounded_up(margins * self.unit)


def _rounded_up(values: Reals) -> NDArray[np.float32]:
    single = values.astype(np.float32)
    return (single + np.abs(single) * np.float32(2.0**-22)).astype(np.float32)


def _falls(slopes: Reals, constants: Reals) -> Reals:
    """a and b (2, k) of (1), by which margins may fall when scores change by these slopes and constants."""
    squares = (slopes**2).sum(axis=1)
    both = squares[:, None] + squares[None, :]
    rounding = (4.0 * slopes.shape[1] + 16.0) * 2.0**-53 * both
    steep = np.sqrt(np.maximum(both - 2.0 * (slopes @ slopes.T), 0.0) + rounding)
    np.fill_diagonal(steep, 0.0)
    shift = constants[None, :] - constants[:, None]
    shift += 2.0**-50 * (np.abs(constants).max() + np.abs(shift))
    np.fill_diagonal(shift, -np.inf)
    return np.array([shift.max(axis=1), steep.max(axis=1)])
