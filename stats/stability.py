"""Is a partition stable? Bootstrap of the rows.

Each time n rows are drawn with replacement, clustered, and all rows are put into the clusters found. With the
partition C_1..C_k of all rows, and D of the b-th sample:

    (1)  agreement   adjusted Rand index of C and D on all rows
    (2)  cluster i   max_j |C_i n D_j| / |C_i u D_j|, on the rows of the sample: does the cluster come back?

By experience a cluster with a mean of (2) above .75 is stable, and one below .5 dissolves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import _safe_indexing

from ..base.checks import as_array, distinct, random_generator, same_length, whole_number
from ..base.errors import InvalidInputError
from ..base.one_line import OneLine

Cluster = Callable[[Any, int], Callable[[Any], NDArray]]


@dataclass(frozen=True, eq=False, repr=False)
class PartitionStability(OneLine):
    """Outcome of `partition_stability`.

    Attributes
    ----------
    agreement : (n_samples,) ndarray
        (1).
    cluster_recovery : (n_samples, k) ndarray
        (2), nan where a sample held no row of the cluster.
    labels : (n,) ndarray
        The partition of all rows.
    mean_agreement : float
        Mean of ``agreement``.
    mean_recovery : (k,) ndarray
        Mean of ``cluster_recovery`` for each cluster, in the order of the sorted labels.
    """

    agreement: NDArray[np.float64]
    cluster_recovery: NDArray[np.float64] = field(repr=False)
    labels: NDArray = field(repr=False)
    mean_agreement: float
    mean_recovery: NDArray[np.float64]


def partition_stability(
    cluster: Cluster, X: ArrayLike, n_samples: int = 100, *, random_state: int | None = 0
) -> PartitionStability:
    """Cluster bootstrap samples and compare with the partition of all rows.

    Parameters
    ----------
    cluster : callable
        ``cluster(rows, seed)`` clusters rows and returns a function that gives labels for rows, such as the ``predict``
        of a fitted estimator.
    X : (n, d) array_like or DataFrame
        Rows.
    n_samples : int
        Bootstrap samples, at least 1.
    random_state : int or None
        Seed of the samples, and of the seeds passed to ``cluster``; the partition of all rows and that of the first
        sample get different ones.

    Returns
    -------
    PartitionStability

    Raises
    ------
    InvalidInputError
        When ``cluster`` or what it returns cannot be called, X has no rows, ``n_samples`` is not a positive integer, or
        labels do not fit the rows.

    Notes
    -----
    As costly as ``n_samples + 1`` clusterings.

    References
    ----------
    Hennig (2007), Cluster-wise assessment of cluster stability.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from partitope.stats import partition_stability
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [9, 0], [0, 9]], 20, axis=0)
    >>> def cluster(rows, seed):
    ...     return KMeans(3, n_init=5, random_state=seed).fit(rows).predict
    >>> partition_stability(cluster, X, 20).mean_agreement
    1.0
    """
    from sklearn.metrics import adjusted_rand_score

    whole_number(n_samples, "n_samples")
    table, rng = checked_rows(cluster, X), random_generator(random_state)
    n = len(table)
    labels = labels_of(cluster(table, int(rng.integers(2**31))), table)
    names = distinct(labels, "labels")[0]
    agreement, recovery = np.empty(int(n_samples)), np.full((int(n_samples), len(names)), np.nan)
    for step in range(int(n_samples)):
        rows = rng.integers(0, n, n)
        found = labels_of(cluster(_safe_indexing(table, rows), int(rng.integers(2**31))), table)
        agreement[step] = adjusted_rand_score(labels, found)
        drawn = np.unique(rows)
        present = np.isin(names, labels[drawn])
        recovery[step, present] = cluster_jaccard(labels[drawn], found[drawn]).max(axis=1)
    return PartitionStability(agreement, recovery, labels, float(agreement.mean()), np.nanmean(recovery, axis=0))


def cluster_jaccard(first: NDArray, second: NDArray) -> NDArray[np.float64]:
    """Common points over points in either (k, q), of clusters of the first in rows, of the second in columns."""
    from sklearn.metrics.cluster import contingency_matrix

    table = contingency_matrix(first, second)
    return table / (table.sum(axis=1)[:, None] + table.sum(axis=0) - table)


def checked_rows(cluster: Cluster, X: ArrayLike) -> Any:
    """X as an array, or the DataFrame that it is; InvalidInputError without rows, or if ``cluster`` is not callable."""
    if not callable(cluster):
        raise InvalidInputError(f"cluster={cluster!r} is not usable: pass a function of rows and a seed")
    table: Any = X if hasattr(X, "iloc") else as_array(X, "X")
    if not same_length(X=table):
        raise InvalidInputError("X has no rows: pass at least one")
    return table


def labels_of(predict: Callable[[Any], NDArray], table: Any) -> NDArray:
    """Labels of the rows of a table; InvalidInputError unless ``predict`` is a function that gives one per row."""
    if not callable(predict):
        raise InvalidInputError(
            f"cluster gave {predict!r}, expected a function that gives labels for rows: its predict"
        )
    labels = as_array(predict(table), "labels")
    if labels.shape != (len(table),):
        raise InvalidInputError(
            f"cluster gave labels of shape {labels.shape} for {len(table)} rows, expected ({len(table)},)"
        )
    distinct(labels, "labels")  # none is missing
    return labels
