"""The curve of data sets on which the selective test compares, and the law of its parameter.

With a known covariance S the curve is a line, (3) of `selective`. Without it S must not enter, so the test conditions
on what would estimate it, as Hotelling's does. Let Z (m + 1, d) be the rows of the two clusters less their common
mean, W = Z'Z, u = nu / |nu|. If all these rows have the same law N(m, S), every rotation of the rows that leaves their
mean in place leaves their joint law and W as they are. The data are moved by such rotations only:

    (8)   X(theta) = F + sin(theta) G + cos(theta) K,   X(theta_0) = X,   |G| = |K|
    (9)   tan(theta_0) = T / (|nu| sqrt(q)),   T with S replaced by the scatter within the two clusters over q
    (10)  density of theta proportional to sin(theta)^(p - 1) cos(theta)^(q' - 1), that is
          tan(theta)^2 q' / p ~ F(p, q')

whatever m and S are, and independent of what stays fixed:

    any S          p = d, q = m - 1, q' = m - d     one direction r = Z W^-1 D of the row space turns towards u
    S = s^2 I      p = d, q = q' = (m - 1) d        between and within scatter are exchanged

With t = tan(theta / 2) and both sides multiplied by 1 + t^2, (8) is a polynomial like the line:
X(t) (1 + t^2) = (F + K) + 2 t G + t^2 (F - K). Squares of it have degree four.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError
from .truncated import log_mass, log_mass_of_angles

REACH = 40.0  # Standard deviations beyond which no mass is left.
WIDTH = 1e-10  # Shortest interval, in standard deviations.


@dataclass(frozen=True, eq=False)
class Curve:
    """Moved data as a polynomial in a parameter t, and the law of t."""

    points: NDArray[np.float64]  # (2 or 3, n, d): Coefficients of 1, t, t^2 of the moved rows times ``unit``.
    unit: NDArray[np.float64]  # (2 or 3,): Coefficients of the positive polynomial 1 or 1 + t^2.
    here: float  # Value of t at the data.
    ends: tuple[float, float]  # (float, float): Range of t.
    width: float  # Differences of t below this do not matter.
    statistic: float  # The statistic T, greater than 0.
    scale: float  # |nu|
    degrees: tuple[int, int] | None  # The numbers (p, q') of (10); None for a known covariance.
    spread: float  # Value of sqrt(q) in (9).
    n_features: int  # Degrees of freedom of the chi law of a known covariance.

    def statistics(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """The T of values of t."""
        if self.degrees is None:
            return t + self.statistic
        return self.scale * self.spread * np.tan(2.0 * np.arctan(t))

    def pvalue(self, intervals: NDArray[np.float64]) -> float:
        """P(T at least that of the data | t in the intervals (m, 2))."""
        if self.degrees is None:
            z, size = (intervals + self.statistic) / self.scale, self.statistic / self.scale
        else:
            z, size = 2.0 * np.arctan(intervals), 2.0 * float(np.arctan(self.here))
        tail = np.column_stack([np.maximum(z[:, 0], size), z[:, 1]])
        tail = tail[tail[:, 1] > tail[:, 0]]
        whole = self._log_mass(z)
        part = self._log_mass(tail) if len(tail) else -np.inf
        return float(min(1.0, np.exp(part - whole))) if np.isfinite(whole) else 1.0

    def naive_pvalue(self) -> float:
        """P(T at least that of the data) as if the clusters had been known beforehand."""
        from scipy.stats import chi, f

        size = self.statistic / self.scale
        if self.degrees is not None:
            p, q = self.degrees
            return float(f.sf((size / self.spread) ** 2 * q / p, p, q))
        return float(chi.sf(size, self.n_features))

    def _log_mass(self, z: NDArray[np.float64]) -> float:
        if self.degrees is not None:
            return log_mass_of_angles(z, *self.degrees)
        return log_mass(z, self.n_features)


def line(points: NDArray[np.float64], nu: NDArray[np.float64], S: NDArray[np.float64]) -> Curve:
    """(3): the data moved along a line, for a known covariance S (d, d)."""
    D = points.T @ nu
    scale = float(np.sqrt(nu @ nu))
    T = _something(float(np.sqrt(D @ np.linalg.solve(S, D))))
    moved = np.stack([points, np.outer(nu / (nu @ nu), D / T)])
    return Curve(moved, np.array([1.0, 0.0]), 0.0, (-T, REACH * scale), WIDTH * scale, T, scale, None, 1.0, len(D))


def circle(points: NDArray[np.float64], nu: NDArray[np.float64], structure: Literal["spherical"] | None) -> Curve:
    """(8): the data turned on a circle, for a covariance of which nothing, or only its shape, is known."""
    own = nu != 0.0
    rows, d, length = int(own.sum()), points.shape[1], float(np.sqrt(nu @ nu))
    u = nu / length
    Z = np.where(own[:, None], points - points[own].mean(axis=0), 0.0)
    build = _turned_spherical if structure == "spherical" else _turned_any
    needed = d + 2 if structure is None else 3
    if rows < needed:
        raise InvalidInputError(
            f"the two clusters hold {rows} rows, expected at least {needed}: fewer cannot tell the covariance "
            f"of {d} columns; pass covariance=, or covariance='spherical' if all columns vary alike and independently"
        )
    G, K, angle, degrees, spread = build(Z, u)
    F = points - np.sin(angle) * G - np.cos(angle) * K
    here = float(np.tan(0.5 * angle))
    width = max(WIDTH * np.cos(angle), 4 * np.finfo(float).eps)
    T = length * spread * float(np.tan(angle))
    return Curve(
        np.stack([F + K, 2.0 * G, F - K]), np.array([1.0, 0.0, 1.0]), here, (0.0, 1.0), width, T, length, degrees,
        spread, d,
    )  # fmt: skip


def _turned_any(Z, u):
    """G, K, theta_0, (p, q') and sqrt(q) for an unknown covariance."""
    d, m = Z.shape[1], int((u != 0.0).sum()) - 1
    _something(float(np.abs(Z.T @ u).max()))
    basis, root = _orthonormal(Z)
    z = basis.T @ u
    size = float(np.linalg.norm(z))
    turned, p = basis @ (z / size), root.T @ (z / size)
    inner = turned - u * (u @ turned)
    inner -= u * (u @ inner)
    rest = _something_varies(float(np.linalg.norm(inner)), 1.0)
    return np.outer(u, p), np.outer(inner / rest, p), float(np.arctan2(size, rest)), (d, m - d), float(np.sqrt(m - 1))


def _turned_spherical(Z, u):
    """The same for a covariance s^2 I of unknown s."""
    d, m = Z.shape[1], int((u != 0.0).sum()) - 1
    D, q = Z.T @ u, (m - 1) * d
    within = Z - np.outer(u, D)
    rest = _something_varies(float(np.linalg.norm(within)), float(np.linalg.norm(Z)))
    size = _something(float(np.linalg.norm(D)))
    radius = float(np.hypot(size, rest))
    G, K = radius * np.outer(u, D / size), radius / rest * within
    return G, K, float(np.arctan2(size, rest)), (d, q), float(np.sqrt(q))


def _orthonormal(Z):
    """Z = basis @ root with orthonormal columns of basis (n, d), or an error if columns depend on each other."""
    sizes = np.linalg.norm(Z, axis=0)
    if (sizes > 0).all():
        left, values, right = np.linalg.svd(Z / sizes, full_matrices=False)
        if values[-1] > len(Z) * np.finfo(float).eps * values[0]:
            return left, values[:, None] * right * sizes
    raise InvalidInputError(
        "columns of X depend linearly on each other within the two clusters, so that their covariance has no inverse: "
        "leave such columns out, or pass covariance="
    )


def _something(T):
    if T == 0.0:
        raise InvalidInputError("the two cluster means are equal: there is nothing to test")
    return T


def _something_varies(size, whole=0.0):
    if not size > 1e-14 * whole:
        raise InvalidInputError(
            "all rows of each cluster are equal: no covariance can be told from them, pass covariance="
        )
    return size
