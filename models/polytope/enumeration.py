"""All clusterings within bounds on sizes and a mask, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .stated_polytope import StatedPolytope


def clusterings(polytope: StatedPolytope) -> Iterator[NDArray[np.int64]]:
    """Labels (n,) of every clustering that keeps bounds on sizes and a mask; see `PartitionPolytope.enumerate`."""
    n, k = polytope.n_points, polytope.n_clusters
    weights, slack = polytope.point_weights, polytope.slack
    rest = np.concatenate([np.cumsum(weights[::-1])[::-1], [0.0]])
    labels, load = np.zeros(n, dtype=np.int64), np.zeros(k)

    j, forward = 0, True  # points before j have a label; whether j comes anew, or its label is tried no longer
    while j >= 0:
        if forward and (j == n or _falls_short(polytope, load, rest[j])):
            if not _falls_short(polytope, load, rest[j]):
                yield labels.copy()
            j, forward = j - 1, False
            continue
        if not forward:
            load[labels[j]] -= weights[j]
        fits = load + weights[j] <= polytope.upper + slack
        if polytope.allowed is not None:
            fits &= polytope.allowed[j]
        fits[: 0 if forward else labels[j] + 1] = False
        forward = bool(fits.any())
        if forward:
            labels[j] = fits.argmax()
            load[labels[j]] += weights[j]
        j += 1 if forward else -1


def _falls_short(polytope: StatedPolytope, load: NDArray[np.float64], rest: float) -> bool:
    """Whether what is left cannot fill all clusters to their lower bounds."""
    return polytope.openings is None and bool(np.maximum(polytope.lower - load, 0.0).sum() > rest + polytope.slack)
