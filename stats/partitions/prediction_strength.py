"""How many clusters does the data support? Prediction strength (Tibshirani and Walther 2005).

The rows are split into two halves A and B, and each is clustered by itself. A gives cells, B gives clusters:

    (1)  strength of a split   min over clusters C of B of the share of pairs in C that one cell of A holds
    (2)  prediction strength   mean of (1) over random splits

It is 1 where the cells of one half never divide a cluster of the other, and falls where there are more clusters than
groups. The authors take the largest k whose strength is at least 0.8 or 0.9.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import random_generator, whole_number
from ...base.errors import InvalidInputError
from .stability import Cluster, checked_rows, labels_of, take_rows


@dataclass(frozen=True, eq=False)
class PredictionStrength:
    """Outcome of `prediction_strength`."""

    strength: float  # The strength (2).
    standard_error: float  # Standard error of the mean over the splits.
    splits: NDArray[np.float64] = field(repr=False)  # (s,): Strength (1) of every split.


def prediction_strength(
    cluster: Cluster, X: ArrayLike, n_splits: int = 10, *, random_state: int | None = 0
) -> PredictionStrength:
    """Cluster random halves of the rows X (n, d); measure how well the cells of one predict the clusters of the other.

    ``cluster(rows, seed)`` clusters rows and returns a function that gives labels for rows, as for
    `partition_stability`. A cluster of one row has no pairs and is left out of (1); a split without any pair counts 0.
    """
    whole_number(n_splits, "n_splits")
    table, rng = checked_rows(cluster, X), random_generator(random_state)
    n = len(table)
    if n < 4:
        raise InvalidInputError(f"X has {n} rows, expected at least 4: each half needs a pair")
    strengths = np.empty((int(n_splits), 2))
    for split in range(int(n_splits)):
        rows = rng.permutation(n)
        halves = [take_rows(table, np.sort(part)) for part in (rows[: n // 2], rows[n // 2 :])]
        cells = [cluster(half, int(rng.integers(2**31))) for half in halves]
        for one in range(2):
            own, others = labels_of(cells[one], halves[one]), labels_of(cells[1 - one], halves[one])
            strengths[split, one] = _kept_pairs(own, others)
    means = strengths.mean(axis=1)
    error = float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else 0.0
    return PredictionStrength(float(means.mean()), error, means)


def _kept_pairs(own: NDArray, others: NDArray) -> float:
    """(1) from the clusters of the rows and the cells that hold them, counted in a table of both."""
    from sklearn.metrics.cluster import contingency_matrix

    table = contingency_matrix(own, others)
    sizes = table.sum(axis=1).astype(np.float64)
    kept, pairs = (table * (table - 1.0)).sum(axis=1), sizes * (sizes - 1.0)
    return float((kept[pairs > 0] / pairs[pairs > 0]).min(initial=1.0)) if (pairs > 0).any() else 0.0
