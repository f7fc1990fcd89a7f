"""Cluster values: what a cluster says about the class of its points.

For a cluster with n_i training points, n_i1 of them of the class:

    (1)  Bernoulli, maximum likelihood     f_i = n_i1 / n_i
    (2)  Beta(alpha, beta), a posteriori   f_i = (n_i1 + alpha - 1) / (n_i + alpha + beta - 2)

(2) with alpha = beta = 1 is (1). Rules where these are undefined: with n_i + alpha + beta <= 2 (an empty cluster
and no prior knowledge) f_i is the share of the class among all training points; with alpha < 1 or beta < 1 the
posterior can be largest at an end of [0, 1], which is then the value (dissertation, section 4.5). More than two
classes: one value per class, each against the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import as_array, checked_labels, finite_vector, whole_number
from ..base.errors import InvalidInputError
from ..solvers.cells import Cells


@dataclass(frozen=True, eq=False)
class ClusterValues:
    """Of k clusters, C classes: ``values`` f_i (k, C), whose rows sum to 1 without a prior, and ``counts`` (k, C) of
    training points, or sums of their weights, that they come from."""

    values: NDArray[np.float64]
    counts: NDArray[np.generic]

    @classmethod
    def fit(
        cls,
        labels: ArrayLike,
        y: ArrayLike,
        n_clusters: int,
        n_classes: int = 2,
        prior: tuple[float, float] | None = None,
        sample_weight: NDArray[np.float64] | None = None,
    ) -> ClusterValues:
        """Values from the clusters 0..k-1 and the classes 0..C-1 of training points (n,), which may have weights (n,);
        ``prior`` has the pseudo counts (alpha, beta) of a Beta prior, None is maximum likelihood."""
        clusters, classes = as_array(labels, "labels"), as_array(y, "y")
        if clusters.shape != classes.shape or clusters.ndim != 1 or not clusters.size:
            raise InvalidInputError(f"labels {clusters.shape} and y {classes.shape} must be equally long, not empty")
        tops = whole_number(n_clusters, "n_clusters"), whole_number(n_classes, "n_classes")
        for name, codes, top in zip(("labels", "y"), (clusters, classes), tops):
            if codes.dtype.kind not in "iub":
                raise InvalidInputError(f"{name} holds {codes.dtype} values, expected integers 0..{top - 1}")
            if codes.min() < 0 or codes.max() >= top:
                raise InvalidInputError(f"{name} must hold integers 0..{top - 1}, got {codes.min()}..{codes.max()}")
        flat = clusters.astype(np.int64) * n_classes + classes.astype(np.int64)
        weights = None if sample_weight is None else finite_vector(sample_weight, "sample_weight", flat.size, "point")
        counts = np.bincount(flat, weights, minlength=n_clusters * n_classes).reshape(n_clusters, n_classes)
        return cls(bernoulli_values(counts) if prior is None else beta_values(counts, *check_prior(prior)), counts)

    def score(self, labels: ArrayLike) -> NDArray[np.float64]:
        """Values (n, C) of points in the clusters named by labels (n,)."""
        clusters = as_array(labels, "labels")
        return self.values[checked_labels(clusters, clusters.size, len(self.values))]


def mean_scores(starts: Sequence[tuple[Cells, ClusterValues]], X: Any, covariates: Any = None) -> NDArray[np.float64]:
    """Scores (n, C) of rows X (n, d): the cluster values of their cells, averaged over several clusterings."""
    total = sum(values.score(cells.predict(X, covariates)) for cells, values in starts)
    return np.asarray(total / len(starts), dtype=np.float64)


def bernoulli_values(counts: NDArray[np.generic]) -> NDArray[np.float64]:
    """Maximum-likelihood values (1) from counts (k, C)."""
    return beta_values(counts, 1.0, 1.0)


def beta_values(counts: NDArray, alpha: float, beta: float) -> NDArray[np.float64]:
    """Maximum-a-posteriori values (2) from counts (k, C), the same prior for every cluster and class."""
    size = counts.sum(axis=1, keepdims=True) + (alpha + beta - 2.0)
    share = counts.sum(axis=0) / counts.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.clip((counts + (alpha - 1.0)) / size, 0.0, 1.0)
    return np.where(size > 0, values, share)


def check_prior(prior: Iterable[float | str]) -> tuple[float, float]:
    """The pair (alpha, beta) as positive floats; InvalidInputError otherwise."""
    try:
        alpha, beta = (float(value) for value in prior)
    except (TypeError, ValueError):
        alpha = beta = np.nan
    if not (0 < alpha < np.inf and 0 < beta < np.inf):
        raise InvalidInputError(f"prior={prior!r}: expected two positive numbers (alpha, beta), or None")
    return alpha, beta
