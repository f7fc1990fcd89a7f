"""Equal points as one point of integral weight: the transportation problem with supplies above one.

Where few points differ, every wall between two clusters runs through many equal ones, and a flow that moves them one
at a time meets nothing but ties. Merged, they are one point whose weight is their number. All bounds and weights are
integers then, so that the flow moves integers, and its pieces say how many of the equal points lie in which cluster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.arrays import Integers, Reals
from ...models.polytope import PartitionPolytope
from .pieces import Pieces, listed
from .rows import Data, subset

SAMPLE = 1 << 9  # rows that are compared first
FEWEST_CLUSTERS = 32  # with fewer, ties cost the flow little
LEAST_ENTRIES = 1 << 18  # scores of a program below which it is over before merging pays
MOST_DIFFERENT = 0.5  # share of the points that may differ
MOST_POINTS = 1 << 21  # points above which sorting the rows takes as long as what it saves


class EqualPoints(NamedTuple):
    """Scores of the points that differ, how many there are of each, and which one every point is equal to (n,)."""

    data: Data
    counts: Reals
    which: Integers

    def labels(self, pieces: Pieces) -> Integers:
        """Clusters (n,) of all points, from pieces whose amounts are numbers of equal points."""
        points, clusters, amounts = listed(pieces)
        order = np.argsort(points, kind="stable")
        labels = np.empty(self.which.size, dtype=np.int64)
        labels[np.argsort(self.which, kind="stable")] = np.repeat(clusters[order], np.rint(amounts[order]).astype(int))
        return labels


def equal_points(data: Data, polytope: PartitionPolytope) -> EqualPoints | None:
    """The points merged where many are equal; None where few are, where it would not pay, or with weights."""
    rows, n, k = data[0], len(data[0]), polytope.n_clusters
    if polytope.weights is not None or k < FEWEST_CLUSTERS or n * k < LEAST_ENTRIES or n > MOST_POINTS:
        return None
    if any((np.floor(bound) != bound).any() for bound in (polytope.lower, polytope.upper)):
        return None
    some = rows[np.random.default_rng(n).choice(n, min(SAMPLE, n), replace=False)]
    if len(np.unique(some, axis=0)) == len(some):
        return None
    _, first, which, counts = np.unique(rows, axis=0, return_index=True, return_inverse=True, return_counts=True)
    if len(first) > MOST_DIFFERENT * n:
        return None
    return EqualPoints(subset(data, first), counts.astype(np.float64), which.ravel())
