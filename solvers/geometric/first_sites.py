"""Rows of a table that are far apart, as starting sites: scikit-learn's greedy k-means++, on a sample of a large table.

A sample is what keeps the additional memory small: k-means++ reads measured rows, and those of the table are measured
from the origin, or turned into directions, as they are read. Where rows have weights, a sample is drawn in proportion.

References
----------
Arthur and Vassilvitskii (2007), k-means++: the advantages of careful seeding, *SODA*, with the greedy choice of
section 5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus

from ...base.blas import one_library_thread

SAMPLED = 1 << 19  # Coordinates of a sample: 8 MB.
ROWS_PER_SITE = 64  # Rows of a sample per site at least; with fewer, groups would be missed.


def unit_directions(sites: NDArray[np.float64], rng: np.random.RandomState) -> NDArray[np.float64]:
    """Unit vectors; a zero vector has no direction and gets a random one."""
    norms = np.linalg.norm(sites, axis=1, keepdims=True)
    zero = norms[:, 0] == 0
    if zero.any():
        sites = sites.copy()
        sites[zero] = rng.normal(size=(int(zero.sum()), sites.shape[1]))
        norms = np.linalg.norm(sites, axis=1, keepdims=True)
    return sites / norms


def random_rows(n: int, k: int, weights: NDArray[np.float64] | None, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Indices (k,) of n rows at random; heavy ones more often."""
    chance = None if weights is None or np.count_nonzero(weights) < k else weights / weights.sum()
    return rng.choice(n, k, replace=False, p=chance)


def spread_rows(
    X: NDArray[np.floating],
    origin: NDArray[np.float64],
    k: int,
    weights: NDArray[np.float64] | None,
    rng: np.random.RandomState,
    directions: bool,
) -> NDArray[np.float64]:
    """Rows (k, d) of X (n, d), measured from the origin (d,), that are far apart; with ``directions`` divided by their
    norms first, those at the origin excepted."""
    (n, d), share = X.shape, weights
    m = max(SAMPLED // max(d, 1), ROWS_PER_SITE * k)
    if n > m:
        chance = None if weights is None else weights / weights.sum()
        X, share = X[np.sort(rng.choice(n, m, replace=weights is not None, p=chance))], None
    rows: NDArray[np.float64] = np.subtract(X, origin, dtype=np.float64)
    if directions:
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        rows /= np.where(norms > 0, norms, 1.0)
    with one_library_thread():
        _, index = kmeans_plusplus(rows, min(k, len(rows)), sample_weight=share, random_state=rng)
    return rows[np.resize(index, k)]  # some more than once, where there are fewer rows than sites
