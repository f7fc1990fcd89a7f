"""Rows of a table that lie far apart, as starting sites: greedy k-means++ without a copy of the table.

The first row is drawn at random. Every further one is the best of 2 + log k rows drawn with chances proportional to the
weighted squared distance to the rows chosen so far; best is what leaves the smallest sum of these distances (Arthur
and Vassilvitskii 2007, with the greedy choice of their section 5). The draws are those of scikit-learn's
`kmeans_plusplus`, which needs the measured table whole; here rows are measured from the origin when they are read.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit

TILE = 64  # rows that are measured together, so that loops over them become vector instructions


def unit_directions(sites: NDArray[np.float64], rng: np.random.RandomState) -> NDArray[np.float64]:
    """Unit vectors; a zero vector has no direction and gets a random one."""
    norms = np.linalg.norm(sites, axis=1, keepdims=True)
    zero = norms[:, 0] == 0
    if zero.any():
        sites = sites.copy()
        sites[zero] = rng.normal(size=(int(zero.sum()), sites.shape[1]))
        norms = np.linalg.norm(sites, axis=1, keepdims=True)
    return sites / norms


def spread_rows(
    X: NDArray[np.floating],
    origin: NDArray[np.float64],
    k: int,
    weights: NDArray[np.float64] | None,
    rng: np.random.RandomState,
    directions: bool,
) -> NDArray[np.float64]:
    """Rows (k, d) of X, measured from the origin, that lie far apart.

    Parameters
    ----------
    X : (n, d) ndarray
        Points, of any floating type; a memory map is read in blocks.
    origin : (d,) ndarray
        What is subtracted from every row.
    k : int
        Number of rows.
    weights : (n,) ndarray or None
        Weights of the rows.
    rng : RandomState
        Source of the draws.
    directions : bool
        Whether rows are divided by their norms first; a row at the origin stays there.

    Returns
    -------
    (k, d) ndarray

    Notes
    -----
    A heuristic. O(n k d log k) time in 2 k passes over X; memory beside X is a few times n numbers.
    """
    n, trials = len(X), 2 + int(np.log(k))
    share = np.ones(n) if weights is None else weights
    plain = np.asarray(X).view()  # one compiled version, for memory maps too
    plain.setflags(write=False)
    measure = (plain, origin, lengths(plain, origin) if directions else np.empty(0))
    sites = np.empty((k, X.shape[1]))
    sites[0] = _measured(measure, rng.choice(n, size=1, p=share / share.sum()))[0]
    closest = np.full(n, np.inf)
    approach(*measure, sites[0], closest)
    total = float(closest @ share)
    for i in range(1, k):
        draws = rng.uniform(size=trials) * total
        candidates = _measured(measure, np.minimum(np.searchsorted(np.cumsum(share * closest), draws), n - 1))
        totals = totals_left(*measure, candidates, closest, share)
        best = int(totals.argmin())
        total, sites[i] = float(totals[best]), candidates[best]
        approach(*measure, sites[i], closest)
    return sites


def draw_spread(
    rows: Callable[[NDArray[np.int64]], NDArray[np.float64]],
    distances: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    k: int,
    share: NDArray[np.float64],
    rng: np.random.RandomState,
) -> NDArray[np.float64]:
    """The draws of `spread_rows` for points of which only products are cheap.

    Parameters
    ----------
    rows : callable
        Measured rows (m, d) of indices (m,).
    distances : callable
        Squared distances (n, c) of all measured rows from places (c, d).
    k : int
        Number of rows.
    share : (n,) ndarray
        Weights of the rows.
    rng : RandomState
        Source of the draws.

    Returns
    -------
    (k, d) ndarray
    """
    n, trials = len(share), 2 + int(np.log(k))
    first = rows(rng.choice(n, size=1, p=share / share.sum()))
    sites, closest = [first[0]], distances(first)[:, 0]
    total = float(closest @ share)
    for _ in range(1, k):
        draws = rng.uniform(size=trials) * total
        candidates = rows(np.minimum(np.searchsorted(np.cumsum(share * closest), draws), n - 1))
        left = np.minimum(distances(candidates), closest[:, None])
        totals = share @ left
        best = int(totals.argmin())
        total, closest = float(totals[best]), left[:, best]
        sites.append(candidates[best])
    return np.array(sites)


def _measured(measure: tuple[NDArray, NDArray, NDArray], index: NDArray[np.int64]) -> NDArray[np.float64]:
    rows, origin, scales = measure
    chosen = np.subtract(rows[index], origin, dtype=np.float64)
    return chosen / scales[index, None] if scales.size else chosen


@njit(cache=True)
def lengths(rows, origin):
    """Distances (n,) of the rows (n, d) from the origin (d,); 1 for a row that lies there and stays there."""
    n, d = rows.shape
    scales = np.ones(n)
    for j in range(n):
        square = 0.0
        for f in range(d):
            square += (np.float64(rows[j, f]) - origin[f]) ** 2
        if square > 0.0:
            scales[j] = np.sqrt(square)
    return scales


@njit(cache=True)
def read_tile(rows, origin, scales, start, tile):
    """Write the measured rows from ``start`` on into the columns of ``tile`` (d, TILE); return how many there are."""
    width = min(TILE, rows.shape[0] - start)
    for r in range(width):
        scale = scales[start + r] if scales.size else 1.0
        for f in range(origin.size):
            tile[f, r] = (np.float64(rows[start + r, f]) - origin[f]) / scale
    return width


@njit(cache=True)
def squared_distances(tile, site, out):
    """Write the squared distances of the columns of ``tile`` (d, TILE) from a site (d,) into ``out`` (TILE,)."""
    out[:] = 0.0
    for f in range(site.size):
        for r in range(out.size):
            gap = tile[f, r] - site[f]
            out[r] += gap * gap


@njit(cache=True)
def approach(rows, origin, scales, site, closest):
    """Reduce squared distances (n,), in place, to those from a further site (d,) where these are smaller."""
    tile, distance = np.zeros((origin.size, TILE)), np.empty(TILE)
    for start in range(0, rows.shape[0], TILE):
        width = read_tile(rows, origin, scales, start, tile)
        squared_distances(tile, site, distance)
        for r in range(width):
            closest[start + r] = min(closest[start + r], distance[r])


@njit(cache=True)
def totals_left(rows, origin, scales, sites, closest, share):
    """Weighted sums (c,) of the squared distances that each of the sites (c, d) would leave."""
    tile, distance, totals = np.zeros((origin.size, TILE)), np.empty(TILE), np.zeros(len(sites))
    for start in range(0, rows.shape[0], TILE):
        width = read_tile(rows, origin, scales, start, tile)
        for c in range(len(sites)):
            squared_distances(tile, sites[c], distance)
            left = 0.0
            for r in range(width):
                left += share[start + r] * min(closest[start + r], distance[r])
            totals[c] += left
    return totals
