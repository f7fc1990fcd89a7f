"""Near-degenerate points: those that lose less than a radius by going to another cluster, as candidates of the flow.

    key_j = (gamma_i - mu_i) - (gamma_j - mu_j) < radius        for a point whose best cluster is i

A product in float32 finds which clusters may be as near as that (`margin_bounds` gives its error); their keys are
computed in float64, rounded as by `rows.score_row`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Integers, Reals
from ....base.blas import one_blas_thread
from ....base.jit import njit
from ..passes.candidates import Candidates
from ..passes.rows import SERIAL_WORK, Data, linear_score, share_blocks
from ..passes.tiles import TILE
from .margin_bounds import ROUND_DOWN, MarginBounds

KEYS_PER_POINT = 8  # With more keys for every point within the radius, the engine costs less than a flow on these.


@njit(cache=True)
def near_some(data, prices, radius, single, norms, bound, index, labels, margins, points, pairs, keys, room):
    """Write bounds on margins (c,) of the points ``index`` (c,), and the candidates as places in the index and pairs i
    k + j. Entries beyond the room for them are counted but not written; returns their number."""
    (matrix, scale, unit, errors), (rows, _, _, origin) = single, data
    k, d, count = prices.size, origin.size, 0
    tile, scores = room  # the last coordinate of the tile (d + 1, TILE) is one
    for first in range(0, index.size, TILE):
        some = index[first : first + TILE]
        for r in range(some.size):
            for f in range(d):
                tile[f, r] = np.float32((np.float64(rows[some[r], f]) - origin[f]) * scale)
        np.dot(matrix, tile, scores)
        for r in range(some.size):
            j = some[r]
            home, least = np.int64(labels[j]), np.inf
            widest = bound + np.float32(2.0) * (errors[0] + errors[1] * norms[j])
            own, best = scores[home, r], linear_score(data, j, home) - prices[home]
            for i in range(k):
                if not own - scores[i, r] >= widest and i != home:  # what is infinite is evaluated, too
                    key = best - (linear_score(data, j, i) - prices[i])
                    least = min(least, key)
                    if key < radius:
                        if count < keys.size:
                            points[count], pairs[count], keys[count] = first + r, home * k + i, key
                        count += 1
            margins[first + r] = min(np.float32(least * unit), bound) * ROUND_DOWN
    return count


def near_degenerate_points(
    data: Data, prices: Reals, radius: float, index: Integers, known: MarginBounds
) -> tuple[Integers, Candidates | None, NDArray[np.float32]]:
    """Those of the points ``index`` (c,) that have keys below the radius, their candidates, None where too many, and
    bounds on margins (c,) up to it; for linear scores and prices to which the margins were just brought."""
    k, margins, bound = prices.size, np.empty(index.size, np.float32), known.rounded_up(np.array(radius))[()]
    parts: list[tuple[int, Integers, Integers, Reals]] = []
    counts: list[int] = []

    def work(start: int, stop: int) -> None:
        room = KEYS_PER_POINT * (stop - start)
        points, pairs, keys = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
        tile = np.ones((len(data[1]) + 1, TILE), np.float32), np.empty((k, TILE), np.float32)
        count = near_some(
            data, prices, radius, tuple(known.single), known.norms.of_point, bound, index[start:stop], known.labels,
            margins[start:stop], points, pairs, keys, tile,
        )  # fmt: skip
        counts.append(count - room)
        parts.append((start, start + points[:count], pairs[:count], keys[:count]))

    with one_blas_thread():
        work(0, index.size) if index.size * data[1].size < SERIAL_WORK else share_blocks(work, index.size)
    if max(counts) > 0:
        return index[:0], None, margins
    parts.sort(key=lambda part: part[0])  # whichever thread was first
    points, pairs, keys = (np.concatenate(column) for column in list(zip(*parts))[1:])
    chosen, which = np.unique(points, return_inverse=True)
    return index[chosen], Candidates(which, pairs, keys, np.full(k, radius), np.inf), margins
