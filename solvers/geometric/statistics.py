"""One pass over the points that yields all an iteration needs: cluster sums, sizes and squared distances.

    s_i = sum_j w_j xi_ij (x_j - c)     kappa_i = sum_j w_j xi_ij     q = sum_i sum_j w_j xi_ij |x_j - c - a_i|^2

The points are cut into a fixed number of parts that threads share and whose results are added in order: the
outcome does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit
from ...base.threads import share

PARTS = 16  # Parts of the points, each summed on its own, whatever the number of threads.
SERIAL_WORK = 1 << 19  # With fewer coordinates, waking other threads costs more than it saves.


@njit(cache=True, borrowing=True)
def add_parts(rows, origin, labels, weights, sites, first, last, sums, sizes, squares):
    """Entry p of ``sums`` (P, k, d), ``sizes`` (P, k), both 0 before, and ``squares`` (P,) is that of part p alone, for
    the parts from ``first`` to ``last``."""
    n, parts, d = labels.size, squares.size, origin.size
    for part in range(first, last):
        total = 0.0
        for j in range(part * n // parts, (part + 1) * n // parts):
            i = labels[j]
            weight = weights[j] if weights.size else 1.0
            square = 0.0
            for f in range(d):
                x = np.float64(rows[j, f]) - origin[f]
                sums[part, i, f] += weight * x
                square += (x - sites[i, f]) ** 2
            sizes[part, i] += weight
            total += weight * square
        squares[part] = total


def cluster_statistics(
    rows: NDArray[np.floating],
    origin: NDArray[np.float64],
    labels: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    sites: NDArray[np.float64],
    shared: bool = True,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Cluster sums (k, d) about ``origin`` (d,), sizes (k,), and squared distance to the ``sites`` (k, d) from there,
    of points (n, d) with labels (n,) and weights (n,) or none; by several threads if ``shared``, never in a pool."""
    k, d = sites.shape
    plain = np.asarray(rows).view()
    plain.setflags(write=False)
    shares = np.empty(0) if weights is None else weights
    sums, sizes, squares = np.zeros((PARTS, k, d)), np.zeros((PARTS, k)), np.zeros(PARTS)
    clusters = np.asarray(labels)

    def add(first: int, last: int) -> None:
        add_parts(plain, origin, clusters, shares, sites, first, last, sums, sizes, squares)

    share(add, PARTS) if shared and plain.size >= SERIAL_WORK else add(0, PARTS)
    return sums.sum(axis=0), sizes.sum(axis=0), float(squares.sum())
