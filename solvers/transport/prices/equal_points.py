"""Equal points as one point of integral weight: the transportation problem with supplies above one.

Where few points differ, every boundary between two clusters meets many equal ones, and a flow that moves them one
at a time meets nothing but ties. Merged, they are one point whose weight is their number. All bounds and weights are
integers then, so that the flow moves integers, and its pieces say how many of the equal points are in which cluster.
Rows are hashed to 64 bits of their coordinates, and rows to be merged are then compared in full.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ....base.arrays import Integers, Reals
from ....models.polytope.polytope import PartitionPolytope
from ..flow.pieces import Pieces, listed
from ..passes.rows import FEW

MOST_DIFFERENT = 0.5  # Where more than this share of the points differ, merging saves less than it costs.
ODD = np.uint64(0x9E3779B97F4A7C15)  # Odd multiplier (golden ratio): a product modulo 2^64 is a bijection.


class EqualPoints(NamedTuple):
    """Points that differ (m,), how many there are of each, and all points (n,) in the order of those they equal."""

    first: Integers
    counts: Reals
    order: Integers

    @classmethod
    def among(cls, rows: NDArray[np.floating]) -> Self | None:
        """The points (n, d) merged where many are equal; None where few are."""
        n = len(rows)
        drawn = np.sort(np.random.default_rng(n).integers(n, size=FEW)) if n > FEW else np.arange(n)
        some = np.sort(_mixed(rows[drawn[np.diff(drawn, prepend=-1) > 0]]))  # sorting is faster than np.unique
        if (some[1:] != some[:-1]).all():  # where none of these are equal, few of all are
            return None
        mixed = _mixed(rows)
        order = np.argsort(mixed, kind="stable")
        mixed = mixed[order]
        starts = np.append(0, 1 + np.flatnonzero(mixed[1:] != mixed[:-1]))
        if len(starts) > MOST_DIFFERENT * n:
            return None
        first, counts = order[starts], np.diff(starts, append=n)
        if any((np.repeat(column[first], counts) != column[order]).any() for column in rows.T):
            return None
        return cls(first, counts.astype(np.float64), order)

    def labels(self, pieces: Pieces) -> Integers:
        """Clusters (n,) of all points, from pieces whose amounts are numbers of equal points."""
        points, clusters, amounts = listed(pieces)
        order = np.argsort(points, kind="stable")
        labels = np.empty(self.order.size, dtype=np.int64)
        labels[self.order] = np.repeat(clusters[order], np.rint(amounts[order]).astype(int))
        return labels


def divided(rows: NDArray[np.floating], labels: Integers) -> int:
    """How many of the points (n, d) have an equal one in another cluster."""
    mixed = _mixed(rows)
    order = np.argsort(mixed, kind="stable")
    starts = np.append(0, 1 + np.flatnonzero(np.diff(mixed[order])))
    lowest, highest = (extreme.reduceat(labels[order], starts) for extreme in (np.minimum, np.maximum))
    return int(np.diff(starts, append=len(rows))[lowest != highest].sum())


def are_whole(polytope: PartitionPolytope) -> bool:
    """Whether points without weights have integral bounds, so that merged ones come apart again."""
    bounds = (polytope.lower, polytope.upper)
    return polytope.weights is None and not any((np.floor(bound) != bound).any() for bound in bounds)


def _mixed(rows: NDArray[np.floating]) -> NDArray[np.uint64]:
    """A number (n,) for each row that follows from its bits, where -0 is 0."""
    whole, found = np.uint32 if rows.dtype == np.float32 else np.uint64, np.zeros(len(rows), dtype=np.uint64)
    for column in rows.T:
        found = (found ^ (column + 0.0).view(whole)) * ODD
        found ^= found >> np.uint64(32)
    return found
