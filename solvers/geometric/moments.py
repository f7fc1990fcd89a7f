"""Sizes, means and covariances of clusters, over blocks of points and the shares of split ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...models.certificates.certificate import Split

BLOCK = 1 << 16  # Points whose products are held at a time.


@dataclass(frozen=True, eq=False)
class Moments:
    """Of k clusters ``sizes`` (k,), ``means`` (k, d) from the origin and ``covariances`` (k, d, d), the mean of
    (x - mean)(x - mean)'; both NaN for a cluster without weight."""

    sizes: NDArray[np.float64]
    means: NDArray[np.float64]
    covariances: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        X: NDArray[np.floating],
        origin: NDArray[np.float64],
        labels: NDArray[np.int64],
        n_clusters: int,
        weights: NDArray[np.float64] | None = None,
        splits: Sequence[Split] = (),
    ) -> Moments:
        """Moments of labels (n,) and splits, in two passes of O(n d^2): products are taken about the means."""
        k, d = n_clusters, X.shape[1]
        sizes, sums, products = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d))
        for x, y, w in _parts(X, origin, labels, weights, splits):
            sizes += np.bincount(y, w, minlength=k)
            for p in range(d):
                sums[:, p] += np.bincount(y, w * x[:, p], minlength=k)
        held = np.where(sizes > 0, sizes, np.nan)
        means = sums / held[:, None]
        for x, y, w in _parts(X, origin, labels, weights, splits):
            x -= means[y]
            for p in range(d):
                for q in range(p, d):
                    products[:, p, q] += np.bincount(y, w * x[:, p] * x[:, q], minlength=k)
        covariances = (products + np.triu(products, 1).transpose(0, 2, 1)) / held[:, None, None]
        return cls(sizes, means, covariances)


def _parts(
    X: NDArray[np.floating],
    origin: NDArray[np.float64],
    labels: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    splits: Sequence[Split],
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]]:
    """Points from the origin, clusters and amounts; a split point's amount is taken off its label, then shared out."""
    for start in range(0, len(labels), BLOCK):
        part = slice(start, start + BLOCK)
        y = labels[part]
        yield np.subtract(X[part], origin, dtype=np.float64), y, np.ones(len(y)) if weights is None else weights[part]
    if splits:
        whole = [(point, int(labels[point]), -1.0) for point in sorted({point for point, _, _ in splits})]
        points, clusters, shares = (np.array(column) for column in zip(*whole, *splits))
        amounts = shares if weights is None else shares * weights[points]
        yield np.subtract(X[points], origin, dtype=np.float64), clusters, amounts


def shape_matrices(covariances: NDArray[np.float64]) -> NDArray[np.float64]:
    """A = det(S)^(1/d) S^-1 (k, d, d): the matrices of determinant 1 that make tr(A S) smallest, for S (k, d, d)."""
    _, logs = np.linalg.slogdet(covariances)
    scale = np.exp(logs / covariances.shape[-1])
    inverse = np.linalg.inv(covariances)
    return scale[:, None, None] * (inverse + inverse.transpose(0, 2, 1)) / 2.0
