"""Scores gamma_ij of points in clusters that are linear in the point, kept as factors.

    gamma_ij = g_i . (x_j - c) + h_i

    CSA, cluster sum assignment     g_i = a_i,           h_i = 0
    LSA, least-squares assignment   g_i = 2 (a_i - c),   h_i = -|a_i - c|^2

For LSA gamma_ij = |x_j - c|^2 - |x_j - a_i|^2: the origin c adds a constant to every point's scores, which no
clustering can change, and keeps the subtraction from losing digits when the data are far from zero.
The (n, k) matrix is never stored: `rows` computes a block of it. Points may be a sparse matrix of scipy in rows (CSR);
scores are then g_i . x_j + (h_i - g_i . c), and nothing of the size of the points is made.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.blas import one_blas_thread
from ...base.one_line import OneLine

if TYPE_CHECKING:
    import scipy.sparse as sp

Kind = Literal["csa", "lsa"]
BLOCK_ROWS = 65_536  # Points per block of a pass over all points.
SAMPLE = 1001  # Points of the sample that shows where most points are.
PART_NUMBERS = 1 << 17  # Coordinates or scores computed at a time: 1 MiB, which stays in the cache.


def is_sparse(X: ArrayLike) -> bool:
    """Whether X is a sparse matrix or array of scipy; looked at, so that no sparse package is loaded."""
    return hasattr(X, "nnz") and hasattr(X, "toarray")


def dense_rows(X: sp.csr_array, rows: slice | NDArray[np.int64]) -> NDArray[np.float64]:
    """The named rows of X (n, d), a slice or indices, as a new dense array of float64."""
    part = X[rows]
    return np.array(part.toarray() if is_sparse(part) else part, dtype=np.float64)


def near_origin(X: Any, mean: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """The mean (d,) of points (n, d); the median of a sample of them where few far points move the mean so far away
    from all others that these would lose their digits."""
    chosen = np.arange(X.shape[0]) if weights is None else np.flatnonzero(weights > 0)
    sample = dense_rows(X, chosen[np.linspace(0, chosen.size - 1, min(chosen.size, SAMPLE)).astype(np.int64)])
    middle = np.median(sample, axis=0)
    squares = ((sample - middle) ** 2).sum(axis=1)
    usual = float(np.median(squares[squares > 0])) if squares.any() else 0.0
    return middle if float(((mean - middle) ** 2).sum()) > 1e6 * usual > 0.0 else mean


@dataclass(frozen=True, eq=False)
class AffineScores:
    """Scores of any point of space: k affine functions. Shapes: gradients (k, d), offsets (k,), origin (d,)."""

    gradients: NDArray[np.float64]
    offsets: NDArray[np.float64]
    origin: NDArray[np.float64]

    @classmethod
    def csa(cls, sites: NDArray[np.float64], origin: NDArray[np.float64]) -> AffineScores:
        """Cluster sum assignment: g_i = a_i, h_i = 0."""
        return cls(sites, np.zeros(len(sites)), origin)

    @classmethod
    def lsa(cls, sites: NDArray[np.float64], origin: NDArray[np.float64]) -> AffineScores:
        """Least-squares assignment to sites (k, d) that are measured from the origin, a_i - c."""
        return cls(2.0 * sites, -(sites**2).sum(axis=1), origin)

    @classmethod
    def of(cls, kind: Kind, sites: NDArray[np.float64], origin: NDArray[np.float64]) -> AffineScores:
        """`csa` or `lsa`."""
        return cls.csa(sites, origin) if kind == "csa" else cls.lsa(sites, origin)

    def __call__(self, points: Any) -> NDArray[np.float64]:
        """Scores (m, k) of points (m, d), dense or sparse."""
        if is_sparse(points):
            return np.asarray(points @ self.gradients.T) + (self.offsets - self.gradients @ self.origin)
        with one_blas_thread(points.shape[0] * self.gradients.size):
            return (points - self.origin) @ self.gradients.T + self.offsets

    def less(self, prices: NDArray[np.float64]) -> AffineScores:
        """The reduced scores gamma_i - mu_i."""
        return replace(self, offsets=self.offsets - prices)

    def on(self, X: NDArray[np.floating]) -> LinearScores:
        """The scores of points X (n, d), computed when asked for."""
        return LinearScores(X, self.gradients, self.offsets, self.origin)


@dataclass(frozen=True, eq=False, repr=False)
class LinearScores(OneLine):
    """Scores ``(X - origin) @ gradients.T + offsets``.

    Parameters
    ----------
    X : (n, d) ndarray or sparse matrix in rows
        Points; float32 or float64, any memory layout, may be a memory map. Never changed.
    gradients : (k, d) ndarray
        g_i.
    offsets : (k,) ndarray
        h_i.
    origin : (d,) ndarray
        c.
    """

    X: NDArray[np.floating]
    gradients: NDArray[np.float64]
    offsets: NDArray[np.float64]
    origin: NDArray[np.float64]

    coordinate_roundings: ClassVar[float] = 0.0
    """Units of rounding in each of the `coordinates`, relative to it."""

    @property
    def shape(self) -> tuple[int, int]:
        """(n, k)."""
        return self.X.shape[0], self.gradients.shape[0]

    @property
    def zero(self) -> NDArray[np.float64]:
        """Where the `coordinates` are measured from: gamma_ij = g_i . (z_j - zero) + h_i."""
        return self.origin

    def coordinates(self, rows: slice | NDArray[np.int64]) -> NDArray[np.float64]:
        """The numbers z_j (m, g) of the named rows, a slice or indices, that scores are affine in; a new array."""
        return dense_rows(self.X, rows)

    def rows(self, start: int, stop: int) -> NDArray[np.float64]:
        """Scores (stop - start, k) of a block of points, in float64."""
        return np.ascontiguousarray(self.by_cluster(start, stop).T)

    def by_cluster(self, start: int, stop: int) -> NDArray[np.float64]:
        """Scores (k, stop - start) of the same block, one row per cluster; only parts of the points are measured."""
        if is_sparse(self.X):
            return AffineScores(self.gradients, self.offsets, self.origin)(self.X[start:stop]).T
        scores = np.empty((self.shape[1], stop - start))
        step = max(1, PART_NUMBERS // max(self.gradients.shape[1], 1))
        with one_blas_thread((stop - start) * self.gradients.size):
            for part in range(start, stop, step):
                centred = self.coordinates(slice(part, min(part + step, stop)))
                centred -= self.zero
                np.matmul(self.gradients, centred.T, out=scores[:, part - start : part - start + len(centred)])
        scores += self.offsets[:, None]
        return scores

    def dense(self) -> NDArray[np.float64]:
        """The whole (n, k) matrix."""
        return self.rows(0, self.shape[0])


@dataclass(frozen=True, eq=False)
class DenseScores:
    """Scores gamma (n, k) given as a ``matrix`` of float64."""

    matrix: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """(n, k)."""
        return self.matrix.shape[0], self.matrix.shape[1]

    def rows(self, start: int, stop: int) -> NDArray[np.float64]:
        """Scores (stop - start, k) of a block of points."""
        return self.matrix[start:stop]

    def by_cluster(self, start: int, stop: int) -> NDArray[np.float64]:
        """Scores (k, stop - start) of the same block, one row per cluster."""
        return self.matrix[start:stop].T

    def dense(self) -> NDArray[np.float64]:
        """The whole (n, k) matrix."""
        return self.matrix


Scores = LinearScores | DenseScores
