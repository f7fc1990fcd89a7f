"""What each cluster has to keep by itself: sums of its points, and the points that may be in it.

    low_ir <= sum_{j in cluster i} v_jr <= up_ir        for every cluster i and sum r
    j is in cluster i only where allowed_ji

The sums r are the sizes in all dimensions, and the shares of groups, as sums of v_j = a_j - share * w_j.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ...models.polytope.polytope import PartitionPolytope


@dataclass(frozen=True, eq=False)
class ClusterBounds:
    """Bounds that allow for rounding, as `PartitionPolytope.contains` does; constraints of other kinds are left out."""

    weights: NDArray[np.float64]  # (n, m)
    lower: NDArray[np.float64]  # (k, m)
    upper: NDArray[np.float64]
    allowed: NDArray[np.bool_]  # (n, k)

    @classmethod
    def of(cls, polytope: PartitionPolytope) -> Self:
        """The bounds of a polytope: the first sum is its first size dimension."""
        n, k = polytope.n_points, polytope.n_clusters
        columns, low, up = list[NDArray[np.float64]](), list[NDArray[np.float64]](), list[NDArray[np.float64]]()
        for rows in polytope.all_rows:
            if rows.attributes is not None:
                kinds, kind = np.unique(rows.coefficients, axis=0, return_inverse=True)
                for number, coefficients in enumerate(kinds):
                    mine = kind.ravel() == number  # NumPy 2.0 gives it a second dimension
                    columns.append(rows.attributes @ coefficients)
                    low.append(np.full(k, -np.inf))
                    up.append(np.full(k, np.inf))
                    np.maximum.at(low[-1], rows.clusters[mine], rows.lower[mine])
                    np.minimum.at(up[-1], rows.clusters[mine], rows.upper[mine])
        weights = np.column_stack(columns)
        room = 1e-9 * np.abs(weights).sum(axis=0)
        allowed = np.ones((n, k), dtype=bool) if polytope.allowed is None else polytope.allowed
        return cls(weights, np.column_stack(low) - room, np.column_stack(up) + room, allowed)

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

        n, k = self.allowed.shape
        held = (labels == np.arange(k)[:, None]).astype(np.float64)
        sums, unit = held @ self.weights, np.maximum(np.abs(self.weights).sum(axis=0), 1e-300)
        over = np.maximum(np.maximum(self.lower - sums[:, None], sums[:, None] - self.upper), 0.0) / unit
        broken = over.sum(axis=2) + n * (held @ ~self.allowed)
        return np.asarray(linear_sum_assignment(broken)[1])[labels]
