"""Scores of anisotropic cells: minus a squared Mahalanobis distance, affine in the lifted point.

    gamma_ij = -(x_j - c_i)' A_i (x_j - c_i) - r_i = g_i . z_j + h_i

    y = x - o,   z = (y, y_p y_q for p <= q)                       d + d (d + 1) / 2 numbers, o the origin
    g_i = (2 A_i (c_i - o),  -A_pp,  -2 A_pq for p < q),   h_i = -(c_i - o)' A_i (c_i - o) - r_i

So a program over such scores is the assignment program of the lifted points, and its cells are a generalised balanced
power diagram: boundaries are quadrics. Lifted points are formed in blocks, never for all points. Errors of z are
those of one difference a factor and of one product: 3 units of rounding, relative to each number.

References
----------
Alpers, Brieden, Gritzmann, Lyckegaard and Poulsen (2015), Generalized balanced power diagrams for 3D representations
of polycrystals, *Philosophical Magazine* 95.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, refuse_masked
from ...base.errors import InvalidInputError
from .scores import AffineScores, LinearScores, dense_rows

SAME = 1e-9  # A matrix that differs from its transpose by a smaller fraction is symmetric up to rounding.


def lift(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lifted points (m, d + d (d + 1) / 2) of points (m, d): coordinates, then products of p <= q, row by row."""
    p, q = np.triu_indices(y.shape[1])
    return np.concatenate([y, y[:, p] * y[:, q]], axis=1)


def symmetric_matrices(value: Any, k: int, d: int) -> NDArray[np.float64]:
    """Matrices (k, d, d) of positive definite quadratic forms, checked."""
    matrices = np.array(as_floats(value, "matrices"))
    if matrices.shape != (k, d, d):
        raise InvalidInputError(f"matrices has shape {matrices.shape}, expected ({k}, {d}, {d}): one (d, d) a site")
    if not np.isfinite(matrices).all():
        raise InvalidInputError("matrices holds NaN or infinity: pass finite numbers")
    turned = matrices.transpose(0, 2, 1)
    off = np.abs(matrices - turned).max(axis=(1, 2), initial=0.0)
    for i in np.flatnonzero(off > SAME * np.abs(matrices).max(axis=(1, 2), initial=0.0)):
        raise InvalidInputError(f"matrices[{i}] is not symmetric: pass (A + A.T) / 2")
    matrices = (matrices + turned) / 2.0
    smallest = np.linalg.eigvalsh(matrices)[:, :1]
    for i in np.flatnonzero((smallest <= 0).any(axis=1)):
        raise InvalidInputError(f"matrices[{i}] is not positive definite: its smallest eigenvalue is {smallest[i, 0]}")
    return matrices


@dataclass(frozen=True, eq=False)
class QuadraticFunctions(AffineScores):
    """Scores of any point of space: k quadratic functions, as gradients (k, D) and offsets (k,) over lifted points."""

    @classmethod
    def of_cells(
        cls,
        sites: NDArray[np.float64],
        matrices: NDArray[np.float64],
        origin: NDArray[np.float64],
        penalties: NDArray[np.float64] | float = 0.0,
    ) -> QuadraticFunctions:
        """-(x - c_i)' A_i (x - c_i) - r_i for sites c_i - o (k, d), matrices (k, d, d), origin o and penalties r."""
        p, q = np.triu_indices(sites.shape[1])
        slopes = np.einsum("kpq,kq->kp", matrices, sites)
        bends = -np.where(p == q, 1.0, 2.0) * matrices[:, p, q]
        offsets = -np.einsum("kp,kp->k", sites, slopes) - penalties
        return cls(np.concatenate([2.0 * slopes, bends], axis=1), offsets, origin)

    def __call__(self, points: Any) -> NDArray[np.float64]:
        """Scores (m, k) of points (m, d)."""
        return lift(np.asarray(points, dtype=np.float64) - self.origin) @ self.gradients.T + self.offsets

    def on(self, X: NDArray[np.floating]) -> QuadraticScores:
        """The scores of points X (n, d), computed when asked for."""
        return QuadraticScores(X, self.gradients, self.offsets, self.origin)


@dataclass(frozen=True, eq=False)
class QuadraticScores(LinearScores):
    """Scores ``lift(X - origin) @ gradients.T + offsets`` with g_i and h_i of the module's formula: affine in lifted
    points that are formed block by block. X (n, d) may be a memory map; the nearer the origin to it, the more digits
    are kept."""

    coordinate_roundings: ClassVar[float] = 3.0

    @classmethod
    def of_cells(cls, X: ArrayLike, sites: Any, matrices: Any, origin: Any = None) -> QuadraticScores:
        """Scores -(x_j - c_i)' A_i (x_j - c_i) of points X (n, d) for sites (k, d) and matrices (k, d, d), symmetric
        and positive definite; ``origin`` (d,) is the mean of X when not given. InvalidInputError for other matrices."""
        refuse_masked(X, "X")
        points = X if isinstance(X, np.ndarray) and X.dtype in (np.float32, np.float64) else as_floats(X, "X")
        c = as_floats(sites, "sites")
        if points.ndim != 2 or c.ndim != 2 or c.shape[1] != points.shape[1]:
            raise InvalidInputError(f"X {points.shape} and sites {c.shape} do not fit: expected (n, d) and (k, d)")
        o = points.mean(axis=0, dtype=np.float64) if origin is None else as_floats(origin, "origin")
        if o.shape != (c.shape[1],) or not np.isfinite(o).all() or not np.isfinite(c).all():
            raise InvalidInputError(f"sites and origin must be finite, and origin of shape ({c.shape[1]},)")
        functions = QuadraticFunctions.of_cells(c - o, symmetric_matrices(matrices, *c.shape), o)
        return cls(points, functions.gradients, functions.offsets, o)

    @property
    def zero(self) -> NDArray[np.float64]:
        """Zeros: lifted points are measured from the origin already."""
        return np.zeros(self.gradients.shape[1])

    def coordinates(self, rows: slice | NDArray[np.int64]) -> NDArray[np.float64]:
        """Lifted points (m, d + d (d + 1) / 2) of the named rows."""
        return lift(dense_rows(self.X, rows) - self.origin)
