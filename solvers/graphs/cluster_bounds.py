"""What each cluster has to keep by itself: sums of its points, and the points that may be in it.

    low_ir <= sum_{j in cluster i} v_jr <= up_ir        for every cluster i and sum r
    j is in cluster i only where allowed_ji

The sums r are the sizes in all dimensions, the shares of groups, as sums of v_j = a_j - share * w_j, and all other rows
that speak of one cluster: of two points that stay apart, the sum is at most 1; of two that stay together, the
difference is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ...models.polytope.connection import Connection
from ...models.polytope.links import Together
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import relaxation


@dataclass(frozen=True, eq=False)
class ClusterBounds:
    """Bounds that allow for rounding, as `PartitionPolytope.contains` does; statements about several clusters are left
    out."""

    weights: NDArray[np.float64]  # (n, m)
    lower: NDArray[np.float64]  # (k, m)
    upper: NDArray[np.float64]
    allowed: NDArray[np.bool_]  # (n, k)
    is_all: bool  # Whether the polytope states nothing else but connected clusters.

    @classmethod
    def of(cls, polytope: PartitionPolytope) -> Self:
        """The bounds of a polytope: the first sum is its first size dimension."""
        n, k = polytope.n_points, polytope.n_clusters
        found = dict[bytes, tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]()
        beside = (part for part in polytope.statements if not isinstance(part, Connection | Together))
        is_all = all(relaxation(part, polytope) is not None for part in beside)
        for rows in polytope.all_rows:
            matrix = rows.matrix(k)
            for (a, b), least, most in zip(pairwise(matrix.indptr), rows.lower, rows.upper):
                points, clusters = np.divmod(matrix.indices[a:b], k)
                if np.unique(clusters).size > 1:
                    is_all = False
                    continue
                column, i = np.bincount(points, matrix.data[a:b], n).astype(np.float64), int(clusters.max(initial=0))
                _, low, up = found.setdefault(column.tobytes(), (column, np.full(k, -np.inf), np.full(k, np.inf)))
                low[i], up[i] = max(low[i], least), min(up[i], most)
        first = polytope.block_points[polytope.block_numbers]  # a point less the first one of its block: 0
        for j in np.flatnonzero(first != np.arange(n)).tolist():
            column = np.bincount([j, first[j]], [1.0, -1.0], n).astype(np.float64)
            found[column.tobytes()] = column, np.zeros(k), np.zeros(k)
        columns, lower, upper = map(np.column_stack, zip(*found.values()))
        room = 1e-9 * np.abs(columns).sum(axis=0)
        allowed = np.ones((n, k), dtype=bool) if polytope.allowed is None else polytope.allowed
        return cls(columns, lower - room, upper + room, allowed, is_all)

    @property
    def kinds(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """A cluster (g,) of every kind, whose bounds and points are the same, and the kind (k,) of every cluster."""
        stated = np.hstack([self.lower, self.upper, self.allowed.T])
        _, first, kind = np.unique(stated, axis=0, return_index=True, return_inverse=True)
        return first.astype(np.int64), kind.ravel().astype(np.int64)

    def fits(self, clusters: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether every set of points (q, n) may be every cluster (q, k)."""
        held = clusters.astype(np.float64)
        sums = held @ self.weights
        within = [((sums >= low) & (sums <= up)).all(axis=1) for low, up in zip(self.lower, self.upper)]
        return np.column_stack(within) & (held @ ~self.allowed == 0)

    def matched(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Labels (n,) of the same clusters, by the names under which they break least."""
        from scipy.optimize import linear_sum_assignment

        broken = self.excess(labels == np.arange(len(self.lower))[:, None])
        return np.asarray(linear_sum_assignment(broken)[1])[labels]

    def excess(self, clusters: NDArray[np.bool_]) -> NDArray[np.float64]:
        """By how much every set of points (q, n) breaks what every cluster (q, k) has to keep, as a part of all sums;
        each point that may not be there counts n."""
        held, n = clusters.astype(np.float64), len(self.allowed)
        sums, unit = held @ self.weights, np.maximum(np.abs(self.weights).sum(axis=0), 1e-300)
        over = np.maximum(np.maximum(self.lower - sums[:, None], sums[:, None] - self.upper), 0.0) / unit
        return over.sum(axis=2) + n * (held @ ~self.allowed)
