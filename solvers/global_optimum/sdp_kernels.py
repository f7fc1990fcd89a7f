"""Kernels of the least-squares relaxation: projections and separation on symmetric (b, b) matrices Y = D Z D.

A cut is a row (b, c, e, f, g) of blocks, -1 where there is none, and says with T = {c, e, f, g}, see (3)-(5) of
`partitope.models.programs.least_squares_sdp`,

    sum_{c in T} Z_bc - sum_{c < e in T} Z_ce - Z_bb <= 0

``inverse`` (b,) holds the inverse square roots of the masses: Z_bc = Y_bc inverse_b inverse_c.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit

WIDTH = 5  # Blocks in the largest cut.
CHUNK = 32  # Blocks that are compared at a time.


@njit(cache=True)
def _shift(V: NDArray, cut: NDArray, inverse: NDArray, step: float) -> None:
    """V += step times the symmetric coefficient matrix of one cut."""
    b = cut[0]
    V[b, b] -= step * inverse[b] * inverse[b]
    for p in range(1, cut.shape[0]):
        c = cut[p]
        if c < 0:
            break
        part = 0.5 * step * inverse[b] * inverse[c]
        V[b, c] += part
        V[c, b] += part
        for q in range(1, p):
            e = cut[q]
            part = 0.5 * step * inverse[c] * inverse[e]
            V[c, e] -= part
            V[e, c] -= part


@njit(cache=True)
def shift_by_cuts(V: NDArray, cuts: NDArray, multipliers: NDArray, inverse: NDArray, sign: float) -> None:
    """V += sign * sum_t multiplier_t A_t, in place."""
    for t in range(cuts.shape[0]):
        if multipliers[t] != 0.0:
            _shift(V, cuts[t], inverse, sign * multipliers[t])


@njit(cache=True)
def _entry(V: NDArray, low: NDArray, high: NDArray, inverse: NDArray, b: int, c: int) -> float:
    return min(max(V[b, c], low[b, c]), high[b, c]) * inverse[b] * inverse[c]


@njit(cache=True)
def ascend(
    V: NDArray, cuts: NDArray, multipliers: NDArray, low: NDArray, high: NDArray, inverse: NDArray, sweeps: int
) -> None:
    """Coordinate ascent (Hildreth) on the dual of projecting onto box and cuts; V and multipliers in place."""
    for _ in range(sweeps):
        for t in range(cuts.shape[0]):
            cut = cuts[t]
            b = cut[0]
            value = -_entry(V, low, high, inverse, b, b)
            norm = inverse[b] ** 4
            for p in range(1, cut.shape[0]):
                c = cut[p]
                if c < 0:
                    break
                value += _entry(V, low, high, inverse, b, c)
                norm += 0.5 * (inverse[b] * inverse[c]) ** 2
                for q in range(1, p):
                    value -= _entry(V, low, high, inverse, c, cut[q])
                    norm += 0.5 * (inverse[c] * inverse[cut[q]]) ** 2
            new = max(0.0, multipliers[t] + value / norm)
            if new != multipliers[t]:
                _shift(V, cut, inverse, multipliers[t] - new)
                multipliers[t] = new


@njit(cache=True)
def _shift_square(V: NDArray, row: NDArray, support: NDArray, slope: float, inverse: NDArray, step: float) -> None:
    """V += step times the coefficient matrix of a cut (6), where the slope is zero, or (7)."""
    sign = step if slope == 0.0 else -step
    for b in support:
        V[b, b] += step * slope * row[b] * inverse[b]
        for c in support:
            V[b, c] += sign * row[b] * row[c]


@njit(cache=True)
def shift_by_squares(
    V: NDArray, rows: NDArray, slopes: NDArray, multipliers: NDArray, inverse: NDArray, sign: float
) -> None:
    """V += sign * sum_t multiplier_t A_t, in place, for the cuts (6) and (7) with rows v inverse."""
    for t in range(len(rows)):
        if multipliers[t] != 0.0:
            _shift_square(V, rows[t], np.flatnonzero(rows[t]), slopes[t], inverse, sign * multipliers[t])


@njit(cache=True)
def ascend_squares(
    V: NDArray, rows: NDArray, slopes: NDArray, limits: NDArray, multipliers: NDArray,
    low: NDArray, high: NDArray, inverse: NDArray,
) -> None:  # fmt: skip
    """One sweep of `ascend` for the cuts (6), where the slope is zero, and (7)."""
    for t in range(len(rows)):
        support, slope = np.flatnonzero(rows[t]), slopes[t]
        sign, value, squares, norm = 1.0 if slope == 0.0 else -1.0, -limits[t], 0.0, 0.0
        for b in support:
            f = rows[t, b]
            beside = slope * f * inverse[b]
            value += beside * min(max(V[b, b], low[b, b]), high[b, b])
            squares += f * f
            norm += beside * (beside + 2.0 * sign * f * f)
            for c in support:
                value += sign * f * rows[t, c] * min(max(V[b, c], low[b, c]), high[b, c])
        new = max(0.0, multipliers[t] + value / max(norm + squares * squares, 1e-300))
        if new != multipliers[t]:
            _shift_square(V, rows[t], support, slope, inverse, multipliers[t] - new)
            multipliers[t] = new


@njit(cache=True)
def worst_cuts(Z: NDArray, first: int, last: int, per_pair: int, threshold: float) -> tuple[NDArray, NDArray]:
    """The ``per_pair`` most violated pair and triangle cuts of every pair (b, c), and one clique about them.
    Shapes: -> cuts (m, WIDTH), violation (m,)."""
    n, most = Z.shape[0], 1024
    cuts, violation = np.full((most, WIDTH), -1, np.int64), np.zeros(most)
    third, best, clique = np.zeros(per_pair, np.int64), np.zeros(per_pair), np.zeros(WIDTH, np.int64)
    gains, places, m = np.zeros(n), np.zeros(n, np.int64), 0
    for b in range(first, min(last, n)):
        for c in range(n):
            # blocks that are hardly together violate no cut of this pair
            if c == b or Z[b, c] <= threshold:
                continue
            # how many cuts there are is known in the end only: room doubles
            if m + per_pair + 2 > most:
                most *= 2
                wider, longer = np.full((most, WIDTH), -1, np.int64), np.zeros(most)
                wider[:m], longer[:m] = cuts[:m], violation[:m]
                cuts, violation = wider, longer
            # the pair cut itself, Z_bc <= Z_bb, before those with a third block
            base = Z[b, c] - Z[b, b]
            if base > threshold:
                cuts[m, 0], cuts[m, 1], violation[m] = b, c, base
                m += 1
            best[:] = threshold
            # most chunks hold no better third block: their largest difference says so without a branch an entry
            for start in range(0, c, CHUNK):
                stop = min(start + CHUNK, c)
                if base + _largest_difference(Z[b], Z[c], start, stop) <= best[per_pair - 1]:
                    continue
                for e in range(start, stop):
                    value = base + (Z[b, e] - Z[c, e])
                    if e == b or value <= best[per_pair - 1]:
                        continue
                    # a short list in falling order, by insertion
                    place = per_pair - 1
                    while place > 0 and best[place - 1] < value:
                        best[place], third[place] = best[place - 1], third[place - 1]
                        place -= 1
                    best[place], third[place] = value, e
            for place in range(per_pair):
                if best[place] > threshold:
                    cuts[m, 0], cuts[m, 1], cuts[m, 2], violation[m] = b, c, third[place], best[place]
                    m += 1
            # one larger clique a pair: many of them would be nearly the same cut
            size, value = _grow(Z, b, c, clique, gains, places)
            if size > 3 and value > threshold:
                cuts[m, :size], violation[m] = clique[:size], value
                cuts[m, 1:size].sort()
                m += 1
    return cuts[:m], violation[:m]


@njit(cache=True, fastmath={"nnan", "nsz", "reassoc"})
def _largest_difference(x: NDArray, y: NDArray, start: int, stop: int) -> float:
    """Largest x - y between two places; the order in which numbers are compared does not matter."""
    most = -np.inf
    for e in range(start, stop):
        most = max(most, x[e] - y[e])
    return most


@njit(cache=True)
def _grow(Z: NDArray, b: int, c: int, clique: NDArray, gains: NDArray, places: NDArray) -> tuple[int, float]:
    """The clique cut of b and c to which the block that adds most is added again and again: its size and violation."""
    clique[0], clique[1], size, count = b, c, 2, 0
    value = Z[b, c] - Z[b, b]
    for e in range(Z.shape[0]):
        gain = Z[b, e] - Z[c, e]
        gains[count], places[count] = gain, e  # no branch: it would go either way
        count += int(gain > 0.0) & int(e != b) & int(e != c)
    while size < clique.shape[0] and count:
        chosen = 0
        for p in range(1, count):
            if gains[p] > gains[chosen]:
                chosen = p
        added = places[chosen]
        value += gains[chosen]
        clique[size] = added
        size += 1
        left = 0
        for p in range(count):
            gain = gains[p] - Z[added, places[p]]
            if gain > 0.0 and p != chosen:
                gains[left], places[left] = gain, places[p]
                left += 1
        count = left
    return size, value
