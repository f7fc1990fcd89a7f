"""All clusterings of a polytope, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .polytope import PartitionPolytope


def clusterings(polytope: PartitionPolytope) -> Iterator[NDArray[np.int64]]:
    """Labels (n,) of every clustering in the polytope; see `PartitionPolytope.enumerate`."""
    n, k = polytope.n_points, polytope.n_clusters
    weights, slack = polytope.point_weights, polytope.slack
    rest = np.concatenate([np.cumsum(weights[::-1])[::-1], [0.0]])
    labels, load = np.zeros(n, dtype=np.int64), np.zeros(k)

    def descend(j: int) -> Iterator[NDArray[np.int64]]:
        if polytope.openings is None and np.maximum(polytope.lower - load, 0).sum() > rest[j] + slack:
            return
        if j == n:
            if polytope.is_plain or polytope.contains(labels):
                yield labels.copy()
            return
        for i in range(k):
            if polytope.allowed is not None and not polytope.allowed[j, i]:
                continue
            if load[i] + weights[j] <= polytope.upper[i] + slack:
                labels[j], load[i] = i, load[i] + weights[j]
                yield from descend(j + 1)
                load[i] -= weights[j]

    return descend(0)
