"""Norm maximisation over the partition polytope as a mixed-integer program with a direction net.

    maximise sum_i |s_i|      s_i = sum_j xi_ij x_j, xi in the polytope (1)-(3)

For unit vectors b_1..b_m whose caps of angle theta cover the sphere,  |s| >= max_r b_r.s >= cos(theta) |s|. Hence

    T = max sum_i t_i
    (4)  t_i <= b_r . s_i + M_ir (1 - z_ir)      for every cluster i and direction r
    (5)  sum_r z_ir = 1,  z binary
    (6)  xi in the partition polytope, integer at the optimum

    T <= max sum_i |s_i| <= T / cos(theta)

M_ir = max_q over directions of |b_q - b_r| times the largest possible |s_i|, the sum of the u_i largest norms.
With a solver's bound T' >= T in place of T the right-hand side stays valid, so a stopped solver costs accuracy,
never truth. `refined` puts a finer net around the directions of the incumbent.

Rounding. HiGHS's bound on T is a number from its own search, whose linear programs are solved to a tolerance: a dual
solution that is infeasible by at most eps in a column errs by eps times the width of that column. So the points are
divided by a power of two of their size, and `NormMaximizationMIP.safe` adds to the solver's bound the tolerance for
every column and what coefficients that HiGHS drops can amount to, and takes eps off the cosine. That is a margin, not a
check: the duals of a search tree are not at hand. `partitope.solvers.solve_global` proves its intervals without this
program.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, checked_labels, finite_rows, finite_vector, single_number, whole_number
from ...base.errors import InvalidInputError
from ..objectives.interval import points_of, power_of_two, reach
from ..polytope.polytope import PartitionPolytope
from .linear_program import TOLERANCE, HasLinearProgram, LinearProgram


@dataclass(frozen=True, eq=False)
class DirectionNet:
    """Unit vectors (m, d) and the cosine of their covering angle.

    Parameters
    ----------
    vectors : (m, d) array_like
        Directions; normalised here.

    Raises
    ------
    InvalidInputError
        When the vectors do not surround the origin: their caps then cover the sphere for no angle below 90
        degrees and the net proves nothing.
    """

    vectors: NDArray[np.float64]

    def __post_init__(self) -> None:
        vectors = np.array(as_floats(self.vectors, "directions"))
        if vectors.ndim != 2 or not np.isfinite(vectors).all() or (np.linalg.norm(vectors, axis=1) == 0).any():
            raise InvalidInputError("directions must be a finite (m, d) array without zero rows")
        object.__setattr__(self, "vectors", vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
        if self.cosine <= 0:
            raise InvalidInputError(
                f"directions: {len(vectors)} vectors do not surround the origin: add directions on the empty side"
            )

    @classmethod
    def even(cls, m: int, d: int) -> DirectionNet:
        """About m directions spread evenly: exact for d = 1 and 2, a Fibonacci lattice for d = 3, else Sobol.

        Raises
        ------
        InvalidInputError
            When m or d is no whole number of at least 1, or m directions are too few.
        """
        whole_number(m, "m")
        whole_number(d, "d")
        if d == 1:
            return cls(np.array([[1.0], [-1.0]]))
        if d == 2:
            angle = 2.0 * np.pi * np.arange(m) / m
            return cls(np.column_stack([np.cos(angle), np.sin(angle)]))
        if d == 3:
            height = 1.0 - 2.0 * (np.arange(m) + 0.5) / m
            turn = np.pi * (1.0 + 5.0**0.5) * np.arange(m)
            radius = np.sqrt(1.0 - height**2)
            return cls(np.column_stack([radius * np.cos(turn), radius * np.sin(turn), height]))
        from scipy.stats import qmc

        sampler = qmc.MultivariateNormalQMC(np.zeros(d), rng=np.random.default_rng(0))
        sample = sampler.random(1 << (m - 1).bit_length())  # Sobol points are balanced in powers of two
        return cls(np.concatenate([sample, np.eye(d), -np.eye(d)]))

    @cached_property
    def cosine(self) -> float:
        """cos(theta) of the covering angle, from the facets of the vectors' convex hull."""
        d = self.vectors.shape[1]
        if d == 1:
            return 1.0 if len(np.unique(self.vectors)) == 2 else -1.0
        if d == 2:
            angles = np.sort(np.arctan2(self.vectors[:, 1], self.vectors[:, 0]))
            largest = np.diff(np.append(angles, angles[0] + 2.0 * np.pi)).max()
            return float(np.cos(0.5 * largest))
        from scipy.spatial import ConvexHull, QhullError

        try:
            # the direction farthest from all vectors is normal to a facet, at the facet's distance
            return float((-ConvexHull(self.vectors).equations[:, -1]).min())
        except QhullError:
            return -1.0

    def refined(self, around: ArrayLike, factor: int = 4) -> DirectionNet:
        """The net with ``factor`` extra directions about every given direction (r, d), closer by ``factor``.

        Raises
        ------
        InvalidInputError
            When a direction is none, or ``factor`` no whole number of at least 1.
        """
        whole_number(factor, "factor")
        centres = finite_rows(around, "around", n_columns=self.vectors.shape[1])
        spread = np.arccos(np.clip(self.cosine, -1.0, 1.0)) / factor
        rng = np.random.default_rng(0)
        noise = rng.normal(size=(len(centres), factor, centres.shape[1]))
        noise *= spread / np.linalg.norm(noise, axis=2, keepdims=True)
        units = centres / np.linalg.norm(centres, axis=1, keepdims=True)
        return DirectionNet(np.concatenate([self.vectors, units, (units[:, None] + noise).reshape(-1, units.shape[1])]))


@dataclass(frozen=True, eq=False)
class NormMaximizationMIP(HasLinearProgram):
    """The program (4)-(6) for given points, bounds and directions.

    Parameters
    ----------
    X : (n, d) array_like
        Points, centred by the caller where the dissertation's Algorithm 5 is meant.
    polytope : PartitionPolytope
        Size bounds and weights: s_i = sum_j w_j xi_ij x_j.
    directions : int, (m, d) array_like or DirectionNet
        The net; a number asks for an even one of about that size.

    Raises
    ------
    InvalidInputError
        When shapes disagree, a coordinate exceeds 1e150, or the directions do not surround the origin.

    Notes
    -----
    n k + k m integer variables. The bound of a solved program is loose by a factor 1 / cos(theta) at most; for
    d = 2 that is below 0.1 % from m = 71 on. `partitope.solvers.norm_mip_bound` solves the program;
    `partitope.solvers.solve_global` closes gaps faster by branching on directions. This is the explicit statement.
    """

    X: NDArray[np.float64]
    polytope: PartitionPolytope
    directions: int | ArrayLike | DirectionNet = 16

    def __post_init__(self) -> None:
        X = points_of(self.X, self.polytope, "the program")
        net = self.directions
        if isinstance(net, (int, np.integer)):
            net = DirectionNet.even(int(net), X.shape[1])
        elif not isinstance(net, DirectionNet):
            net = DirectionNet(net)  # type: ignore[arg-type]
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "directions", net)

    @cached_property
    def weighted(self) -> NDArray[np.float64]:
        """Points times their weights (n, d)."""
        return self.polytope.point_weights[:, None] * self.X

    @property
    def net(self) -> DirectionNet:
        """The directions as a net."""
        return self.directions  # type: ignore[return-value]

    def refined(self, labels: ArrayLike, factor: int = 4) -> NormMaximizationMIP:
        """The program with a net that shrinks around an incumbent: finer about the directions of its cluster sums.

        Parameters
        ----------
        labels : (n,) array_like of int
            A clustering within the bounds, for example that of `solve_norm_mip`.
        factor : int
            New directions about each cluster sum, and by how much closer they lie.

        Returns
        -------
        NormMaximizationMIP
            Its optimum T is at least the old one, and at least |s| of the incumbent: the incumbent's own directions
            are in the net.

        Raises
        ------
        InvalidInputError
            When the labels do not fit the points, or ``factor`` is no whole number of at least 1.
        """
        whole_number(factor, "factor")
        y = checked_labels(labels, len(self.X), self.polytope.n_clusters)
        sums = np.array([self.weighted[y == i].sum(axis=0) for i in np.unique(y)])
        sums = sums[np.linalg.norm(sums, axis=1) > 0]
        return self if not len(sums) else NormMaximizationMIP(self.X, self.polytope, self.net.refined(sums, factor))

    @property
    def linear_program(self) -> LinearProgram:
        """(4)-(6) of the points divided by `unit`, over the columns (xi, t, z)."""
        n, k = self.polytope.n_points, self.polytope.n_clusters
        matrix, row_lower, row_upper = self._rows()
        size, sums = matrix.shape[1], slice(n * k, n * k + k)  # the columns t
        cost, lower, upper, integral = np.zeros(size), np.zeros(size), np.ones(size), np.ones(size, dtype=bool)
        cost[sums], lower[sums], upper[sums], integral[sums] = 1.0, -self._reach(), self._reach(), False
        return LinearProgram(cost, matrix.tocsc(), row_lower, row_upper, lower, upper, integral, maximise=True)

    def labels(self, columns: NDArray[np.float64]) -> NDArray[np.int64]:
        """Cluster (n,) of every point in a solution of `linear_program`; InvalidInputError when it is none."""
        n, k = self.polytope.n_points, self.polytope.n_clusters
        columns = finite_vector(columns, "columns", n * k + k + k * len(self.net.vectors), "column")
        return columns[: n * k].reshape(n, k).argmax(axis=1)

    def safe(self, top: float) -> float:
        """A bound on max sum_i |s_i|, X as given, from a solver's bound on T, with the margin for its tolerances."""
        top, k, m = single_number(top, "top", finite=False), self.polytope.n_clusters, len(self.net.vectors)
        widths = len(self.X) * k + k * m + 2.0 * float(self._reach().sum())
        dropped = 2.0 * k * len(self.X)
        upper = top + TOLERANCE * (widths + dropped) * self.unit
        return min(reach(self.weighted), upper / (self.net.cosine - TOLERANCE))

    @cached_property
    def unit(self) -> float:
        """The power of two by which the points are divided for the solver."""
        return power_of_two(self.weighted)

    def _reach(self) -> NDArray[np.float64]:
        """Largest possible |s_i| / unit of every cluster (k,)."""
        norms = np.concatenate([[0.0], np.cumsum(np.sort(np.linalg.norm(self.weighted / self.unit, axis=1))[::-1])])
        if self.polytope.weights is not None:  # any number of points may be light
            return np.full(self.polytope.n_clusters, norms[-1])
        return norms[np.minimum(self.polytope.upper, self.polytope.n_points).astype(int)]

    def _rows(self):
        """(6), (4), (5) as a sparse matrix over the columns xi_ij, t_i and z_ir, i fastest, with row bounds."""
        import scipy.sparse as sp

        k, (m, _) = self.polytope.n_clusters, self.net.vectors.shape
        A, low, up = self.polytope.constraints()
        projections = (self.weighted / self.unit) @ self.net.vectors.T  # (n, m)
        projections[np.abs(projections) < TOLERANCE] = 0.0  # HiGHS would drop them itself
        distance = np.linalg.norm(self.net.vectors[:, None] - self.net.vectors, axis=2).max(axis=1)
        big = np.outer(distance, self._reach()).ravel()
        each, every = sp.eye_array(k), np.ones((m, 1))
        matrix = sp.block_array(
            [
                [A, None, None],
                [-sp.kron(sp.csr_array(projections.T), each), sp.kron(every, each), sp.diags_array(big)],
                [None, None, sp.kron(every.T, each)],
            ]
        )
        row_low = np.concatenate([low, np.full(k * m, -np.inf), np.ones(k)])
        return matrix, row_low, np.concatenate([up, big, np.ones(k)])
