"""Exchange gaps: what it costs at least to move a point of cluster i to cluster l.

    w_il = min over points x of cluster i of gamma_i(x) - gamma_l(x)

They bound the differences of prices, mu_i - mu_l <= w_il, and are the arcs of the exchange graph (`exchange`). The
compiled twin for scores in memory is `exchange_gaps` of `partitope.solvers.transport.passes.rows`; in fractions they
are taken by `exact`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..scores.scores import BLOCK_ROWS, Scores


@dataclass(frozen=True, eq=False)
class ExchangeGaps:
    """Exchange gaps of a clustering, and the points that attain them."""

    lengths: NDArray[np.float64]  # (k, k): Gaps w_il; infinite rows for clusters without points.
    points: NDArray[np.int64]  # (k, k): The first point that attains w_il, -1 where there is none.
    scale: float  # What rounding errors are measured against.

    @classmethod
    def of(cls, scores: Scores, labels: NDArray[np.int64], weights: NDArray[np.float64] | None = None) -> ExchangeGaps:
        """The gaps of labels (n,), in one pass of O(n k); points of weight 0 do not count."""
        n, k = scores.shape
        lengths, points, scale = np.full((k, k), np.inf), np.full((k, k), -1), 0.0
        conceded = largest = 0.0
        for start in range(0, n, BLOCK_ROWS):
            gamma = scores.by_cluster(start, min(start + BLOCK_ROWS, n))
            block = labels[start : start + BLOCK_ROWS]
            scale = max(scale, float((gamma.max(axis=0) - gamma.min(axis=0)).max()))
            own = gamma[block, np.arange(len(block))]
            margins = own - gamma
            conceded -= float(margins.min(axis=0).sum())
            largest = max(largest, float(np.abs(own).max()))
            movable = np.ones(len(block), dtype=bool) if weights is None else weights[start : start + len(block)] > 0
            for i in np.unique(block):
                members = np.flatnonzero((block == i) & movable)
                shorten(lengths[i], points[i], margins[:, members], members + start)
        return cls(lengths, points, min(scale, conceded + largest))

    @property
    def closed(self) -> NDArray[np.float64]:
        """The gaps (k, k) with 0 on the diagonal, also for clusters without points."""
        return np.where(np.eye(len(self.lengths), dtype=bool), 0.0, self.lengths)


def shorten(row: NDArray[np.float64], points: NDArray[np.int64], margins: NDArray, members: NDArray) -> None:
    """Lower a row of gaps (k,), and note who attains them, by the margins (k, m) of members (m,) of its cluster."""
    if members.size:
        best = margins.argmin(axis=1)
        value = margins[np.arange(len(row)), best]
        better = value < row
        row[better], points[better] = value[better], members[best][better]
