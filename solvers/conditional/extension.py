"""Kernel embeddings of new points: features of a kernel, and eigenvectors extended by them (Nystrom).

    phi(x) = k(W'x, anchors) F                        kernel features, F the identity or a Nystrom factor            (1)
    u(x, c) = (phi(x) T - mean) - q(c)' G             what the covariates c explain is taken out                     (2)

On the training points (2) is the embedding that a strategy learnt. Without covariates nothing but the mean is
subtracted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.checks import finite_rows
from ...stats.dependence.kernels import rbf_kernel
from ..cells import Embedding
from .cluster_images import unit_rows
from .residual import CovariateBasis, Residual, nystrom_factor

BLOCK_ROWS = 4096  # Points that are embedded at a time.


@dataclass(frozen=True, eq=False)
class FeatureMap(Embedding):
    """Kernel features (1) of projected points: columns of K, or Nystrom features when ``factor`` is given."""

    W: NDArray[np.float64] | None
    width: float
    anchors: NDArray[np.float64]
    factor: NDArray[np.float64] | None = None

    @property
    def n_columns(self) -> int:
        """Number p of columns of the points."""
        return self.anchors.shape[1] if self.W is None else self.W.shape[0]

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Features (m, r) of the rows of X (m, p); covariates are not used."""
        X = finite_rows(X, n_columns=self.n_columns)
        K = rbf_kernel(X if self.W is None else X @ self.W, self.anchors, self.width)
        return K if self.factor is None else K @ self.factor

    @classmethod
    def nystrom(
        cls,
        D: NDArray[np.float64],
        W: NDArray[np.float64] | None,
        width: float,
        n_landmarks: int,
        rng: np.random.RandomState,
    ) -> FeatureMap:
        """From landmarks drawn among the rows of D (n, p)."""
        rows = D[rng.choice(len(D), min(n_landmarks, len(D)), replace=False)]
        anchors = rows if W is None else rows @ W
        return cls(W, width, anchors, nystrom_factor(rbf_kernel(anchors, width=width)))


@dataclass(frozen=True, eq=False)
class Extension(Embedding):
    """The extension (2) of an embedding to new points."""

    features: FeatureMap  # The feature map phi.
    target: NDArray[np.float64]  # (r, k): T
    mean: NDArray[np.float64]  # (k,): Mean of phi T over the training points.
    basis: CovariateBasis | None = None  # The basis q; None for an embedding without covariates.
    explained: NDArray[np.float64] | None = None  # (b, k): G
    unit: bool = False  # Whether rows are scaled to length one in the end.

    @classmethod
    def of(
        cls,
        features: FeatureMap,
        Phi: NDArray[np.float64],
        residual: Residual,
        T: NDArray[np.float64],
        *,
        unit: bool = False,
    ) -> Extension:
        """From the training features Phi (n, r) and T (r, k)."""
        image = Phi @ T
        explained = residual.gains[:, None] * residual.project(image)
        return cls(features, T, image.mean(axis=0), residual.covariate_basis, explained, unit)

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Images (m, k) of X (m, p); without covariates nothing but the mean is subtracted."""
        rows, X = [], finite_rows(X, n_columns=self.features.n_columns)
        basis = None if covariates is None else self.basis
        table = None if basis is None else basis.encoder.transform(covariates, len(X))
        for start in range(0, len(X), BLOCK_ROWS):
            part = slice(start, start + BLOCK_ROWS)
            image = self.features(X[part]) @ self.target - self.mean
            if basis is not None and table is not None and self.explained is not None:
                image -= basis.coordinates(table.take(np.arange(len(X))[part])) @ self.explained
            rows.append(image)
        return unit_rows(np.vstack(rows)) if self.unit else np.vstack(rows)
