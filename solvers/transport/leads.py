"""Every point's cluster, with a lower bound on its lead, carried from one set of scores to the next.

A point of cluster i with coordinates y, measured from the origin, leads by min_j (s_i - s_j)(y), where s are reduced
scores. When scores change from g.y + h to (g + dg).y + h + dh, the lead over cluster j falls by at most

    (dh_j - dh_i) + |dg_i - dg_j| |y|

so that a point whose bound, less the largest of these numbers over j, is still positive stays where it is without
being looked at. Points are cut into shells by |y|: one number for each cluster and shell serves all of them.

Points that have to be looked at are scored in float32, by the matrix product of the linear algebra library. Such a
score is off by at most

    E = (d + 8) 2^-24 (max_i |g_i| |y| + max_i |h_i|)

(Higham 2002, section 3.1, for sums of d + 1 products in any order, rounding of the factors included, and with room for
the rounding of the float64 scores that it stands for). Where the best leads the second best by more than 2 E, it is the
best in float64, too; all other points are scored in float64. So labels are bit for bit those of `rows.assign`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Reals
from ...base.blas import one_blas_thread
from ...base.jit import njit
from .rows import SERIAL_WORK, Data, is_small, score_row, share_blocks
from .single import UNIT, power_of_two, single_matrix, steepest_and_most
from .tiles import TILE

MOST_SHELLS = 16
TABLE_ENTRIES = 1 << 24  # of all tables of k x k numbers, one a shell, that are looked at for one step
SAMPLE = 1 << 10  # points whose distances choose the shells
ROUND_DOWN = np.float32(1.0 - 2.0**-22)  # factor for positive numbers that must not be rounded up
FLOAT64_SHARE = np.float32(2.0**-26)  # of E: what the rounding of float64 scores and of tables may change


@dataclass(frozen=True, eq=False)
class Shells:
    """The points of one set, cut by their distance from the origin.

    Attributes
    ----------
    of_point : (n,) ndarray of uint8
        Shell of every point.
    radii : (s,) ndarray
        Upper bounds on the distances in every shell.
    """

    of_point: NDArray[np.uint8]
    radii: NDArray[np.float64]

    @classmethod
    def of(cls, rows: NDArray[np.floating], origin: NDArray[np.float64], k: int) -> Shells:
        """The shells of the points (n, d), as many as pay with k clusters."""
        n = len(rows)
        some = np.linalg.norm(rows[:: -(-n // SAMPLE)] - origin, axis=1)
        count = int(np.clip(TABLE_ENTRIES // (k * k), 4, MOST_SHELLS))
        edges = np.quantile(some, np.arange(1, count) / count)
        shells, largest = np.empty(n, np.uint8), np.zeros(-(-n // TILE))

        def cut(start: int, stop: int) -> None:
            cut_some(rows, origin, edges, start, stop, shells, largest)

        cut(0, n) if n * origin.size * k < SERIAL_WORK else share_blocks(cut, n)
        return cls(shells, np.append(edges, max(largest.max(initial=0.0), some.max(initial=0.0))) * (1.0 + 1e-12))


@njit(cache=True, nogil=True)
def cut_some(rows, origin, edges, start, stop, shells, largest):
    """Write the shells of the points ``start`` to ``stop``, and the largest distance of every TILE of them."""
    for j in range(start, stop):
        square = 0.0
        for f in range(origin.size):
            square += (np.float64(rows[j, f]) - origin[f]) ** 2
        distance, s = np.sqrt(square), 0
        while s < edges.size and distance > edges[s]:
            s += 1
        shells[j] = s
        largest[j // TILE] = max(largest[j // TILE], distance)


@njit(cache=True)
def largest_two_single(scores, best, second, arg):
    """Largest and second largest of every column of the scores (k, TILE), and the row of the largest."""
    for r in range(TILE):
        best[r], second[r], arg[r] = np.float32(-np.inf), np.float32(-np.inf), 0
    for i in range(scores.shape[0]):
        row, place = scores[i], np.int32(i)
        for r in range(TILE):
            value, first, next_ = row[r], best[r], second[r]
            lower = first if first < value else value
            second[r] = lower if lower > next_ else next_
            arg[r] = place if value > first else arg[r]
            best[r] = value if value > first else first


@njit(cache=True)
def look(data, prices, filter_, errors, shells, index, count, room, labels, leads):
    """Write labels and leads of the points ``index[:count]``."""
    rows, _, _, origin = data
    matrix, scale, unit = filter_
    points, scores, best, second, arg, exact = room
    d = origin.size
    for f in range(d):
        along, zero = points[f], origin[f]
        for r in range(TILE):
            along[r] = np.float32((np.float64(rows[index[r], f]) - zero) * scale)
    np.dot(matrix, points, scores)
    largest_two_single(scores, best, second, arg)
    for r in range(count):
        j = index[r]
        doubt = np.float32(2.0) * errors[shells[j]]
        lead = (best[r] - second[r]) - doubt
        if lead > doubt * FLOAT64_SHARE and best[r] < np.inf:
            labels[j], leads[j] = arg[r], lead * ROUND_DOWN
            continue
        score_row(data, j, exact)
        top, next_, own = -np.inf, -np.inf, 0
        for i in range(exact.size):
            value = exact[i] - prices[i]
            if value > top:
                top, next_, own = value, top, i
            elif value > next_:
                next_ = value
        labels[j], leads[j] = own, np.float32((top - next_) * unit) * ROUND_DOWN - doubt * FLOAT64_SHARE


@njit(cache=True, nogil=True)
def refresh_some(data, prices, filter_, tables, shells, start, stop, before, labels, leads):
    """`Leads.refresh` for the points ``start`` to ``stop``."""
    falls, limit, errors = tables
    k, d = prices.size, data[3].size
    points = np.ones((d + 1, TILE), np.float32)  # the last coordinate is one
    single, arg = np.empty((2, TILE), np.float32), np.empty(TILE, np.int32)
    room = (points, np.empty((k, TILE), np.float32), single[0], single[1], arg, np.empty(k))
    index, j = np.empty(TILE, np.int64), start
    while j < stop:
        count = 0
        while j < stop and count < TILE:
            i, s = before[j], shells[j]
            lead = leads[j] - falls[i, s]
            lead -= (abs(lead) + abs(leads[j])) * np.float32(2.0**-22)
            if lead > limit + errors[s] * FLOAT64_SHARE:
                labels[j], leads[j] = i, lead
            else:
                index[count] = j
                count += 1
            j += 1
        if count:
            index[count:] = index[0]
            look(data, prices, filter_, errors, shells, index, count, room, labels, leads)


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
    labels : (n,) ndarray
        Best cluster of every point, or, where its bound is negative, any.
    bounds : (n,) ndarray of float32
        Lower bounds on the leads, in units of 1 / `unit`.
    unit : float
        Power of two by which scores are multiplied before they become float32.
    """

    def __init__(self, rows: NDArray[np.floating], shells: Shells, k: int) -> None:
        self.rows, self.shells, self.k = rows, shells, k
        self.labels = np.zeros(len(rows), dtype=np.int64)
        self.bounds = np.full(len(rows), -np.inf, dtype=np.float32)
        self.unit = 0.0
        self._scores: tuple[Reals, Reals] | None = None

    @cached_property
    def _scale(self) -> float:
        """Power of two by which coordinates are multiplied before they become float32."""
        return power_of_two(self.shells.radii[-1])

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
        self._scores = gradients, constants
        with np.errstate(over="ignore"):
            errors = (len(data[1]) + 8) * UNIT * (sizes * self.unit) + 2.0**-120  # and what underflows
            tables = (_rounded_up(falls * self.unit), np.float32(limit), _rounded_up(errors))
            matrix = single_matrix(data[1], constants, self._scale, self.unit)
        filter_, before = (matrix, self._scale, self.unit), self.labels
        self.labels = np.empty_like(before)

        def work(start: int, stop: int) -> None:
            refresh_some(
                data, prices, filter_, tables, self.shells.of_point, start, stop, before, self.labels, self.bounds
            )

        with one_blas_thread():
            work(0, len(before)) if is_small(data, self.k) else share_blocks(work, len(before))

    def lower(self, points: NDArray[np.int64], margins: Reals) -> None:
        """Set the bounds of some points to what float64 scores say, rounded down."""
        self.bounds[points] = (margins * self.unit).astype(np.float32) * ROUND_DOWN


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
    return np.stack([(shift + radius * steep).max(axis=1) for radius in radii], axis=1)
