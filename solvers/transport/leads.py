"""Every point's cluster, with a lower bound on its lead, carried from one set of scores to the next.

A point of cluster i with coordinates y, measured from the origin, leads by min_j (s_i - s_j)(y), where s are reduced
scores. When scores change from g.y + h to (g + dg).y + h + dh, the lead over cluster j falls by at most

    (dh_j - dh_i) + |dg_i - dg_j| |y|

so that a point whose bound, less the largest of these numbers over j, is still positive stays where it is without
being looked at. Points are cut into shells by |y|: one number for each cluster and shell serves all of them.

Points that have to be looked at are scored in float32, by a matrix product (`single`), a tile of them at a time: a
tile of which more than a quarter has to be looked at as it lies, where `shells` holds it in float32; points of other
tiles together. Such a score is off by at most

    E = (d + 8) 2^-24 (max_i |g_i| |y| + max_i |h_i|)

(Higham 2002, section 3.1, for sums of d + 1 products in any order, rounding of the factors included, and with room for
the rounding of the float64 scores that it stands for). Where the best leads the second best by more than 2 E, it is the
best in float64, too; all other points are scored in float64. So labels are bit for bit those of `rows.assign`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Reals
from ...base.blas import one_blas_thread
from ...base.jit import njit
from .rows import Data, is_small, score_row, share_blocks
from .shells import WIDTH, Shells
from .single import UNIT, power_of_two, single_matrix, steepest_and_most, write_single_scores

ROUND_DOWN = np.float32(1.0 - 2.0**-22)  # factor for positive numbers that must not be rounded up
FLOAT64_SHARE = np.float32(2.0**-26)  # of E: what the rounding of float64 scores and of tables may change


@njit(cache=True)
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
def look(data, prices, matrix, points, tables, shells, index, count, room, labels, leads, sizes):
    """Write labels and leads of the points ``index[:count]``, whose coordinates in float32 are ``points``."""
    _, _, errors, unit = tables
    scores, best, second, arg, exact = room
    write_single_scores(matrix, points, scores)
    largest_two_single(scores, best, second, arg)
    for r in range(count):
        j = index[r]
        doubt = np.float32(2.0) * errors[shells[j]]
        lead, own = (best[r] - second[r]) - doubt, int(arg[r])
        if lead > doubt * FLOAT64_SHARE and best[r] < np.inf:
            leads[j] = lead * ROUND_DOWN
        else:
            score_row(data, j, exact)
            top, next_, own = -np.inf, -np.inf, 0
            for i in range(exact.size):
                value = exact[i] - prices[i]
                if value > top:
                    top, next_, own = value, top, i
                elif value > next_:
                    next_ = value
            leads[j] = np.float32((top - next_) * unit) * ROUND_DOWN - doubt * FLOAT64_SHARE
        before = int(labels[j])
        if own != before:
            labels[j] = own
            sizes[before] -= 1
            sizes[own] += 1


@njit(cache=True)
def look_apart(data, prices, matrix, scale, tables, shells, index, count, points, room, labels, leads, sizes):
    """`look` at points that lie in different tiles, after their coordinates are written into ``points``."""
    rows, _, _, origin = data
    for r in range(count):
        j = index[r]
        for f in range(origin.size):
            points[f, r] = np.float32((np.float64(rows[j, f]) - origin[f]) * scale)
    look(data, prices, matrix, points, tables, shells, index, count, room, labels, leads, sizes)


@njit(cache=True, nogil=True)
def refresh_some(data, prices, matrix, scale, tables, shells, single, start, stop, labels, leads, sizes):
    """`Leads.refresh` for the points ``start`` to ``stop``; changes of sizes are added to ``sizes`` (k,)."""
    falls, limit = tables[0], tables[1]
    k, d = prices.size, matrix.shape[1] - 1
    points = np.ones((d + 1, WIDTH), np.float32)  # the last coordinate is one
    single_, arg = np.empty((3, WIDTH), np.float32), np.empty(WIDTH, np.int32)
    room, fresh = (np.empty((k, WIDTH), np.float32), single_[0], single_[1], arg, np.empty(k)), single_[2]
    index, waiting = np.empty(2 * WIDTH, np.int64), np.int64(0)  # of one type from the start
    for first in range(start, stop, WIDTH):
        size, count = min(WIDTH, stop - first), waiting
        last = first + size
        bounds, homes, distances = leads[first:last], labels[first:last], shells[first:last]
        for r in range(size):
            old = bounds[r]
            lead = old - falls[homes[r], distances[r]]
            fresh[r] = lead - (abs(lead) + abs(old)) * np.float32(2.0**-22)
        for r in range(size):  # without branches, since the processor cannot predict whose bound decides
            index[count] = first + r
            count += not fresh[r] > limit
        if single.shape[0] and 4 * (count - waiting) > size:
            for r in range(size):
                index[waiting + r] = first + r
            tile = index[waiting:]
            look(data, prices, matrix, single[first // WIDTH], tables, shells, tile, size, room, labels, leads, sizes)
            continue
        for r in range(size):
            bounds[r] = fresh[r]
        waiting = count
        if waiting >= WIDTH:
            look_apart(data, prices, matrix, scale, tables, shells, index, WIDTH, points, room, labels, leads, sizes)
            waiting -= WIDTH
            for r in range(waiting):
                index[r] = index[WIDTH + r]
    look_apart(data, prices, matrix, scale, tables, shells, index, waiting, points, room, labels, leads, sizes)


class Leads:
    """Labels and lower bounds on leads of one set of points, at the scores that they were last brought up to.

    Parameters
    ----------
    rows : (n, d) ndarray
        Points.
    shells : Shells
        Of the same points, about the origin of the scores.
    k : int
        Clusters, at least 2.

    Attributes
    ----------
    labels : (n,) ndarray of uint8, or of uint16 where there are more clusters
        Best cluster of every point, or, where its bound is negative, any.
    sizes : (k,) ndarray of int64
        Points with every label.
    bounds : (n,) ndarray of float32
        Lower bounds on the leads, in units of 1 / `unit`.
    unit : float
        Power of two by which scores are multiplied before they become float32.
    prices : (k,) ndarray
        Those to which the bounds were last brought.
    single : tuple
        Scores in float32: their matrix, the scale of the coordinates, the unit, the shell of every point, and the
        errors in every shell.
    """

    def __init__(self, rows: NDArray[np.floating], shells: Shells, k: int) -> None:
        self.rows, self.shells, self.k = rows, shells, k
        self.labels = np.zeros(len(rows), dtype=np.min_scalar_type(k - 1))
        self.sizes = np.zeros(k, dtype=np.int64)
        self.sizes[0] = len(rows)
        self.bounds = np.full(len(rows), -np.inf, dtype=np.float32)
        self.unit, self.prices = 0.0, np.zeros(k)
        self._scores: tuple[Reals, Reals] | None = None

    def refresh(self, data: Data, prices: Reals, limit: float) -> None:
        """Bring labels and bounds up to new scores and prices.

        Parameters
        ----------
        data : Data
            Linear scores of the points.
        prices : (k,) ndarray
            mu.
        limit : float
            Points are looked at where their bound is at most this, at least 0.
        """
        gradients, constants = data[1].T, data[2] - prices
        steepest, most = steepest_and_most(data[1], constants)
        sizes = steepest * self.shells.radii + most
        if not self.unit:
            self.unit = power_of_two(float(sizes[-1]))
        falls = np.zeros((self.k, self.shells.radii.size))
        if self._scores is not None:
            falls = _falls(gradients - self._scores[0], constants - self._scores[1], self.shells.radii)
        self._scores, self.prices = (gradients, constants), prices
        with np.errstate(over="ignore"):
            errors = _rounded_up((len(data[1]) + 8) * UNIT * (sizes * self.unit) + 2.0**-120)  # and what underflows
            least = np.float32(limit) + errors.max() * FLOAT64_SHARE
            tables = (_rounded_up(falls * self.unit), least, errors, self.unit)
            matrix = single_matrix(data[1], constants, self.shells.scale, self.unit)
            self.single = matrix, self.shells.scale, self.unit, self.shells.of_point, errors
        changes: list[NDArray[np.int64]] = []  # in any order: these are whole numbers

        def work(start: int, stop: int) -> None:
            change, shells = np.zeros(self.k, np.int64), self.shells
            refresh_some(
                data, prices, matrix, shells.scale, tables, shells.of_point, shells.single, start, stop,
                self.labels, self.bounds, change,
            )  # fmt: skip
            changes.append(change)

        with one_blas_thread():
            work(0, len(self.labels)) if is_small(data, self.k) else share_blocks(work, len(self.labels))
        self.sizes += sum(changes)

    def move(self, points: NDArray[np.int64], clusters: NDArray[np.int64]) -> None:
        """Put some points into other clusters than their best ones."""
        self.sizes += np.bincount(clusters, minlength=self.k) - np.bincount(self.labels[points], minlength=self.k)
        self.labels[points], self.bounds[points] = clusters, -np.inf

    def rounded_up(self, leads: Reals) -> NDArray[np.float32]:
        """Leads in units of the bounds."""
        with np.errstate(over="ignore"):
            return _rounded_up(leads * self.unit)


def _rounded_up(values: Reals) -> NDArray[np.float32]:
    single = values.astype(np.float32)
    up = (single + np.abs(single) * np.float32(2.0**-22)).astype(np.float32)
    return up


def _falls(slopes: Reals, constants: Reals, radii: Reals) -> Reals:
    """By how much the leads of every cluster may fall in each shell (k, s) when scores change by these slopes."""
    squares = (slopes**2).sum(axis=1)
    both = squares[:, None] + squares[None, :]
    rounding = (4.0 * slopes.shape[1] + 16.0) * 2.0**-53 * both
    steep = np.sqrt(np.maximum(both - 2.0 * (slopes @ slopes.T), 0.0) + rounding)
    shift = constants[None, :] - constants[:, None]
    shift += 2.0**-50 * (np.abs(constants).max() + np.abs(shift))
    np.fill_diagonal(shift, -np.inf)
    falls = np.multiply.outer(steep, radii)  # the other cluster first: maxima over it become vector instructions
    falls += shift.T[:, :, None]
    return falls.max(axis=0)
