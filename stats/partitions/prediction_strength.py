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
    """Outcome of `prediction_strength`.

    Attributes
    ----------
    strength : float
        (2).
    standard_error : float
        Of that mean over the splits.
    splits : (s,) ndarray
        (1) of every split.
    """

    strength: float
    standard_error: float
    splits: NDArray[np.float64] = field(repr=False)


def prediction_strength(
    cluster: Cluster, X: ArrayLike, n_splits: int = 10, *, random_state: int | None = 0
) -> PredictionStrength:
    """Cluster random halves of the rows, and measure how well the cells of one predict the clusters of the other.

    Parameters
    ----------
    cluster : callable
        ``cluster(rows, seed)`` clusters rows and returns a function that gives labels for rows, as for
        `partition_stability`.
    X : (n, d) array_like or DataFrame
        At least four rows.
    n_splits : int
        Random splits, at least 1; each half predicts the other.
    random_state : int or None
        Seed of the splits, and of the seeds passed to ``cluster``.

    Returns
    -------
    PredictionStrength

    Raises
    ------
    InvalidInputError
        When ``cluster`` or what it returns cannot be called, there are fewer than four rows, or labels do not fit the
        rows.

    Notes
    -----
    A cluster of one row has no pairs and is left out of (1); a split without any pair counts 0. As costly as
    ``2 n_splits`` clusterings of half of the rows.

    References
    ----------
    Tibshirani and Walther (2005), Cluster validation by prediction strength.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from partitope.stats.partitions.prediction_strength import prediction_strength
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
    >>> def cluster(k):
    ...     return lambda rows, seed: KMeans(k, n_init=5, random_state=seed).fit(rows).predict
    >>> [bool(prediction_strength(cluster(k), X).strength > 0.8) for k in (3, 5)]
    [True, False]
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
    _, i = np.unique(own, return_inverse=True)
    _, j = np.unique(others, return_inverse=True)
    table = np.bincount(i * (j.max() + 1) + j, minlength=(i.max() + 1) * (j.max() + 1)).reshape(i.max() + 1, -1)
    sizes = table.sum(axis=1).astype(np.float64)
    kept, pairs = (table * (table - 1.0)).sum(axis=1), sizes * (sizes - 1.0)
    return float((kept[pairs > 0] / pairs[pairs > 0]).min(initial=1.0)) if (pairs > 0).any() else 0.0
