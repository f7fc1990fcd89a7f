"""Points near walls: those that lose less than a limit T by going to another cluster, and what they lose.

    key_j = (gamma_i - mu_i) - (gamma_j - mu_j) < T        for a point whose best cluster is i

A product in float32 finds which clusters may be as near as that (`margin_bounds` gives its error); their keys are
computed in float64, rounded as by `rows.score_row`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Integers, Reals
from ....base.blas import one_blas_thread
from ....base.jit import njit
from ..passes.rows import SERIAL_WORK, Data, linear_score, share_blocks
from ..passes.tiles import TILE
from .margin_bounds import ROUND_DOWN, MarginBounds

ROOM = 2  # There is room for so many keys of a point at first; a second pass is made where that is too little.


class NearDegenerate(NamedTuple):
    """Points near walls, with their keys at the prices of a pass."""

    labels: Integers  # (m,) best clusters
    starts: Integers  # (m + 1,) the entries of every point
    clusters: Integers  # (e,) the other cluster of every entry,
    keys: Reals  # (e,) and its key
    radius: float  # T: what is not listed has a key of at least this

    @property
    def points(self) -> Integers:
        """The point (e,) of every entry."""
        return np.repeat(np.arange(self.labels.size), np.diff(self.starts))


@njit(cache=True, nogil=True)
def near_some(data, prices, cutoff, single, norms, bound, index, labels, margins, points, near, clusters, keys):
    """Write what is found among the points ``index``: margins (c,), points with keys (m,), and their entries (e,).

    ``points`` takes their places in the index, ``near`` their clusters and the ends of their entries. Entries beyond
    the room for them are counted but not written. Returns m and e.
    """
    (matrix, scale, unit, errors), (rows, _, _, origin) = single, data
    k, d, found, written = prices.size, origin.size, 0, 0
    tile, scores = np.ones((d + 1, TILE), np.float32), np.empty((k, TILE), np.float32)
    for first in range(0, index.size, TILE):
        some = index[first : first + TILE]
        for r in range(some.size):
            for f in range(d):
                tile[f, r] = np.float32((np.float64(rows[some[r], f]) - origin[f]) * scale)
        np.dot(matrix, tile, scores)
        for r in range(some.size):
            j = some[r]
            home, least, before = labels[j], np.inf, written
            widest = bound + np.float32(2.0) * (errors[0] + errors[1] * norms[j])
            own, best = scores[home, r], linear_score(data, j, home) - prices[home]
            for i in range(k):
                if not own - scores[i, r] >= widest and i != home:  # what is infinite is looked at
                    key = best - (linear_score(data, j, i) - prices[i])
                    least = min(least, key)
                    if key < cutoff:
                        if written < keys.size:
                            clusters[written], keys[written] = i, key
                        written += 1
            margins[first + r] = min(np.float32(least * unit), bound) * ROUND_DOWN
            if written > before:
                points[found], near[found, 0], near[found, 1] = first + r, home, written
                found += 1
    return found, written


def near_degenerate_points(
    data: Data, prices: Reals, cutoff: float, index: Integers, leads: MarginBounds
) -> tuple[Integers, NearDegenerate, NDArray[np.float32]]:
    """Those of the points ``index`` (c,) that have keys below the cutoff, these keys, and bounds on leads (c,).

    For linear scores and prices to which the ``leads`` were just brought. The bounds are no larger than the cutoff.
    """
    margins, bound = np.empty(index.size, np.float32), leads.rounded_up(np.array(cutoff))[()]
    parts: list[tuple[int, Integers, NDArray[np.int64], Integers, Reals]] = []

    def work(start: int, stop: int) -> None:
        size = stop - start
        room = needed = ROOM * size
        points, near = np.empty(size, np.int64), np.empty((size, 2), np.int64)
        while needed >= room:
            room = needed + 1
            clusters, keys = np.empty(room, np.int64), np.empty(room)
            found, needed = near_some(
                data, prices, cutoff, tuple(leads.single), leads.norms.of_point, bound, index[start:stop], leads.labels,
                margins[start:stop],
                points, near, clusters, keys,
            )  # fmt: skip
        parts.append((start, start + points[:found], near[:found], clusters[:needed], keys[:needed]))

    with one_blas_thread():
        work(0, index.size) if index.size * data[1].size < SERIAL_WORK else share_blocks(work, index.size)
    parts.sort(key=lambda part: part[0])
    before = np.cumsum([0] + [part[4].size for part in parts])
    starts = np.concatenate([[0], *(part[2][:, 1] + shift for part, shift in zip(parts, before))])
    _, *columns = zip(*parts)
    points, near, clusters, keys = (column[0] if len(parts) == 1 else np.concatenate(column) for column in columns)
    radius = float(keys.max(initial=0.0))
    return index[points], NearDegenerate(near[:, 0], starts, clusters, keys, radius), margins
