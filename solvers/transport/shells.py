"""Points cut into shells by their distance from the origin, with a copy of them in float32 by tiles.

What depends on the length of a point is bounded for a shell at a time (`leads`); tiles are what matrix products read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit
from .rows import SERIAL_WORK, kernel_rows, share_blocks
from .single import power_of_two

WIDTH = 256  # points of a tile
MOST_SHELLS = 16
TABLE_ENTRIES = 1 << 24  # of all tables of k x k numbers, one a shell, that are looked at for one step
SAMPLE = 1 << 10  # points whose distances choose the shells
MOST_SINGLE = 1 << 26  # numbers that the copy in float32 may have
WIDER = 1.0 + 1e-12  # factor for distances that must not be too small


@dataclass(frozen=True, eq=False)
class Shells:
    """The points of one set, cut by their distance from the origin, and in float32.

    Attributes
    ----------
    origin : (d,) ndarray
        What coordinates are measured from.
    of_point : (n,) ndarray of uint8
        Shell of every point.
    radii : (s,) ndarray
        Upper bounds on the distances in every shell.
    scale : float
        Power of two by which coordinates are multiplied before they become float32.
    single : (tiles, d + 1, WIDTH) ndarray of float32
        Coordinates from the origin, times ``scale``, and ones; no tiles of points that are float32 already, possibly on
        disk, or that are too many.
    """

    origin: NDArray[np.float64]
    of_point: NDArray[np.uint8]
    radii: NDArray[np.float64]
    scale: float
    single: NDArray[np.float32]

    @classmethod
    def of(cls, rows: NDArray[np.floating], origin: NDArray[np.float64], k: int) -> Shells:
        """The shells of the points (n, d), as many as pay with k clusters."""
        some = np.linalg.norm(rows[:: -(-len(rows) // SAMPLE)] - origin, axis=1)
        count = int(np.clip(TABLE_ENTRIES // (k * k), 4, MOST_SHELLS))
        edges, most = np.quantile(some, np.arange(1, count) / count), float(some.max(initial=0.0))
        return cls.cut(rows, origin, np.append(edges, most), power_of_two(most), k)

    def again(self, rows: NDArray[np.floating], k: int) -> Shells:
        """Some of the same points, in the same shells."""
        return self.cut(rows, self.origin, self.radii, self.scale, k)

    @classmethod
    def cut(
        cls, rows: NDArray[np.floating], origin: NDArray[np.float64], radii: NDArray[np.float64], scale: float, k: int
    ) -> Shells:
        """The points in shells of these radii, the last of which grows as they need."""
        (n, d), tiles, rows = rows.shape, -(-len(rows) // WIDTH), kernel_rows(rows)
        shells, largest = np.empty(n, np.uint8), np.zeros(tiles)
        copied = rows.dtype == np.float64 and tiles * WIDTH * (d + 1) <= MOST_SINGLE
        single = np.empty((tiles if copied else 0, d + 1, WIDTH), np.float32)

        def work(start: int, stop: int) -> None:
            cut_some(rows, origin, radii[:-1], scale, start, stop, shells, largest, single)

        work(0, n) if n * d * k < SERIAL_WORK else share_blocks(work, n)
        radii = np.append(radii[:-1], max(largest.max(initial=0.0), radii[-1])) * WIDER
        return cls(origin, shells, radii, scale, single)


@njit(cache=True, nogil=True)
def cut_some(rows, origin, edges, scale, start, stop, shells, largest, single):
    """Write shells and float32 of the points ``start`` to ``stop``, and the largest distance of every WIDTH of them."""
    d = origin.size
    points, distance, index = np.empty((d + 1, WIDTH), np.float32), np.empty(WIDTH), np.empty(WIDTH, np.int64)
    for first in range(start, stop, WIDTH):
        size, tile = min(WIDTH, stop - first), first // WIDTH
        if single.shape[0]:
            points = single[tile]
        points[d] = np.float32(1.0)
        distance[:] = 0.0
        for f in range(d):
            along, zero = points[f], origin[f]
            for r in range(size):
                x = np.float64(rows[first + r, f]) - zero
                along[r] = np.float32(x * scale)
                distance[r] += x * x
            for r in range(size, WIDTH):
                along[r] = along[0]
        index[:] = 0
        for edge in edges:
            for r in range(WIDTH):
                index[r] += distance[r] > edge * edge
        for r in range(size):
            shells[first + r] = index[r]
            largest[tile] = max(largest[tile], distance[r])
        largest[tile] = np.sqrt(largest[tile])
