"""Cluster sums that follow the labels from step to step: only points that changed their cluster are read.

With r the sites of the step before, s_i the sums and kappa_i the sizes,

    s_i <- s_i + sum of the points that came - sum of the points that left
    q_r <- q_r + sum of |y_j - r_new|^2 - sum of |y_j - r_old|^2                    over these points
    q_a  = q_r + sum_i kappa_i |a_i - r_i|^2 - 2 (a_i - r_i) . (s_i - kappa_i r_i)  at the next sites a

All terms are as large as clusters are wide, not as they are apart, so that q keeps its digits. Where it falls far below
what it once was, and after steps in which most points move, everything is summed afresh.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Reals
from .statistics import cluster_statistics

LOST = 2.0**-10  # Squares that fall to this share of the largest that went into them are summed afresh.


class MovingSums:
    """Cluster sums of the points (n, d), without weights, measured from the origin (d,)."""

    def __init__(self, rows: NDArray[np.floating], origin: Reals) -> None:
        self.rows, self.origin = rows, origin
        self.labels: NDArray[np.integer] = np.empty(0, dtype=np.int64)

    def at(self, labels: NDArray[np.integer], sites: Reals) -> tuple[Reals, Reals, float]:
        """Sums (k, d), sizes (k,) and squared distance to the sites (k, d) of a clustering (n,)."""
        moved = np.flatnonzero(self.labels != labels) if self.labels.size else np.arange(labels.size)
        if 2 * moved.size > labels.size or not self._followed(labels, moved, sites):
            self.state = cluster_statistics(self.rows, self.origin, labels.astype(np.int64), None, sites)
            self.largest = self.state[2]
        self.labels, self.sites = labels.copy(), sites
        return self.state

    def _followed(self, labels: NDArray[np.integer], moved: NDArray[np.int64], sites: Reals) -> bool:
        """Bring the state up to new labels by the points that moved; False where the squares would lose digits."""
        rows, (sums, sizes, squares) = np.take(self.rows, moved, axis=0), self.state
        came, left = (
            cluster_statistics(rows, self.origin, of[moved].astype(np.int64), None, self.sites)
            for of in (labels, self.labels)
        )
        sums, sizes, step = sums + (came[0] - left[0]), sizes + (came[1] - left[1]), sites - self.sites
        self.largest = max(self.largest, squares + came[2])
        squares += came[2] - left[2]
        squares += float((step * (sizes[:, None] * (step + 2.0 * self.sites) - 2.0 * sums)).sum())
        self.state = sums, sizes, squares
        return squares >= LOST * self.largest
