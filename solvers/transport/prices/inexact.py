"""Prices near the optimal ones from a few points, and every point's best cluster at them.

Sizes are then near the bounds, not within them: a sample of m points leaves about sqrt(k / m) of all points to move.
The error of a sample lasts while few points change, so that its bounds can be shifted by the error that it had in the
step before: its sizes less the scaled sizes of all points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Reals
from ....models.polytope.polytope import scaled_bounds
from ..flow.nodes import total_excess
from ..passes.candidate_lists import LISTED, nearest_clusters
from ..passes.rows import Data, kernel_rows
from ..program import Program
from .entropic_dual import STEPS, entropic_prices, resumed_entropic_prices
from .first_prices import SAMPLE_RATIO, draw_sample, left_at, solve_flow
from .margin_bounds import MarginBounds, Norms
from .reoptimisation import LEAST_WORK, MOST_CLUSTERS

PER_CLUSTER = 32  # Points of the sample per cluster: more cost more than better prices save.
FAR = 0.33  # Prices are reused if they leave at most a third of a sample point per cluster to move.


class PointSample:
    """A sample, ``index`` (m,), of the points ``rows`` (n, d) without weights, for prices of k clusters."""

    def __init__(self, rows: NDArray[np.floating], k: int) -> None:
        self.n = len(rows)
        self.index = draw_sample(self.n, min(PER_CLUSTER * k, self.n // SAMPLE_RATIO), None)[0]
        self.rows = kernel_rows(np.take(rows, self.index, axis=0))

    @staticmethod
    def say_enough(n: int, d: int, k: int) -> bool:
        """Whether n points in d dimensions are enough that a few of them give prices for k clusters."""
        return k >= 2 and n * k * d >= LEAST_WORK and 4 * n >= SAMPLE_RATIO * PER_CLUSTER * k

    def error(self, labels: NDArray[np.integer], sizes: Reals) -> Reals:
        """Sizes (k,) of the sample less its share of those of all points, which have these labels (n,)."""
        return np.bincount(labels[self.index], minlength=sizes.size) - self.index.size / self.n * sizes

    def prices(self, data: Data, lower: Reals, upper: Reals, before: Reals | None, error: Reals | None) -> Reals:
        """Prices (k,) near the best ones of all points, from those of a step ``before`` and the ``error`` (k,) of the
        sample in it."""
        some = self._program(data, lower, upper, error)
        (m, k), low, high = some.shape, some.lower, some.upper
        start = np.zeros(k) if before is None else before
        lists = nearest_clusters(some.data, start, k if k <= MOST_CLUSTERS else LISTED)
        # with three times the steps of regime (B), since an exact solution of the sample would cost more
        if before is None:
            found = entropic_prices(some, start, np.inf, lists, True, steps=3 * STEPS)
        else:
            found = resumed_entropic_prices(some, before, lists, steps=3 * STEPS)
        if found is None:  # groups far apart: Newton's steps do not reach from one to the other
            low *= min(m / max(low.sum(), 1.0), 1.0)  # bounds that were clipped may have left no sizes between them
            high *= max(m / high.sum(), 1.0)
            return solve_flow(some._replace(lower=np.floor(low), upper=np.ceil(high)), before).prices
        return found[0]

    def better_prices(self, data: Data, lower: Reals, upper: Reals, before: Reals, error: Reals | None) -> Reals:
        """`prices`, or those of ``before`` where they leave little of the sample to move."""
        left = total_excess(left_at(self._program(data, lower, upper, error), before))
        return self.prices(data, lower, upper, before, error) if left > FAR * lower.size else before

    def _program(self, data: Data, lower: Reals, upper: Reals, error: Reals | None) -> Program:
        """The program of the sample, its bounds shifted by its error."""
        m, shift = self.index.size, 0.0 if error is None else error
        low, high = (np.clip(side + shift, 0.0, m) for side in scaled_bounds(lower, upper, m, self.n))
        return Program((self.rows, *data[1:]), low, high, None)


def best_clusters(data: Data, prices: Reals, norms: Norms) -> NDArray[np.integer]:
    """The cluster (n,) of the largest reduced score of every point, with norms about the origin of the scores."""
    known = MarginBounds(data[0], norms, prices.size)
    known.refresh(data, prices, 0.0)
    return known.labels
