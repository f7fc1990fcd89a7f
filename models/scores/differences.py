"""Differences of squared distances, computed from differences of coordinates: near points keep their digits, whatever
lies far away.

    gamma_lj - gamma_ij = |x_j - a_i|^2 - |x_j - a_l|^2 = (a_l - a_i) . ((x_j - a_i) + (x_j - a_l))

Every factor is a difference of two numbers, rounded once, so that the error is a few roundings of

    (1)  L_lij = sum_d |a_ld - a_id| (|x_jd - a_id| + |x_jd - a_ld|)

which is what the point can lose there, and depends on no origin and no other site.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .scores import PART_NUMBERS, LinearScores, Scores


@dataclass(frozen=True, eq=False)
class SquaredDifferences:
    """Sites (k, d) measured from a zero (d,), from which points are measured, too."""

    sites: NDArray[np.float64]
    zero: NDArray[np.float64]

    @classmethod
    def of(cls, source: Scores, sites: NDArray[np.float64] | None = None) -> SquaredDifferences | None:
        """Those of scores that are least squares, g = 2 a and h = -|a|^2; of the sites in space where the scores were
        made of these, since sites may become equal when an origin is taken off."""
        if type(source) is not LinearScores:
            return None
        own = 0.5 * source.gradients
        if not np.array_equal(source.offsets, -(own**2).sum(axis=1)):
            return None
        if sites is not None and np.array_equal(sites - source.origin, own):
            return cls(sites, np.zeros(own.shape[1]))
        return cls(own, source.origin)

    def of_points(
        self, source: LinearScores, points: NDArray[np.int64], clusters: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """gamma_lj - gamma_ij (k, m) of points in clusters i (m,) against all clusters l, and (1)."""
        k, d = self.sites.shape
        found, sizes = np.empty((2, k, points.size))
        step = max(PART_NUMBERS // max(k * d, 1), 1)
        for start in range(0, points.size, step):
            here = slice(start, start + step)
            x, own = source.coordinates(points[here]), self.sites[clusters[here]]
            moved = x - self.zero
            part = moved - x
            lost = (x - (moved - part)) - (self.zero + part)  # what the subtraction rounds off (Knuth's two-sum)
            there, away = moved - own, moved - self.sites[:, None]
            between = self.sites[:, None] - own
            found[:, here] = (between * (there + away + 2.0 * lost)).sum(axis=2)
            sizes[:, here] = (np.abs(between) * (np.abs(there) + np.abs(away))).sum(axis=2)
        return found, sizes
