"""Norm maximisation: the clustering whose cluster sums are longest, as a program with reverse-convex rows.

Data        points x_j with weights w_j and weighted mean c, polytope P of assignments xi
Variables   xi in P, sums s_i in R^d, lengths y_i >= 0

    max  sum_i y_i
    (1)  s_i = sum_j w_j xi_ij (x_j - c)
    (2)  y_i^2 - |s_i|^2 <= 0

This is the maximum of sum_i |s_i| over P. The objective is convex in xi, so that a vertex of P solves it: with whole
bounds and points of weight one xi is whole without being asked to. (2) is not convex; solvers of non-convex programs
take it as it is. For the others the lengths can be measured along a net of unit vectors b_1, .., b_m:

    (3)  y_i <= b_r . s_i + M (1 - z_ir),    sum_r z_ir = 1,    z_ir in {0, 1},    M = sum_j w_j |x_j - c|

a mixed-integer linear program of value T with T <= maximum <= T / cos(a), where no direction is further than the
angle a from the net. (M suffices: all s_i sum to zero, so that none is longer than M / 2.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import finite_rows, instance_of
from ...base.errors import InvalidInputError
from ...base.one_line import OneLine
from ..formats.arrays import Block
from ..polytope.polytope import PartitionPolytope
from .assignment import AssignmentModel
from .program import Program


@dataclass(frozen=True, eq=False, repr=False)
class NormMaximisation(OneLine):
    """The program as numbers for a solver of non-convex, or of mixed-integer programs.

    Parameters
    ----------
    X : (n, d) array_like
        Points.
    polytope : PartitionPolytope
        Bounds, and whatever else it states.

    Raises
    ------
    InvalidInputError
        When the polytope is for another number of points, or a coordinate is missing.

    Notes
    -----
    NP-hard. `partitope.solvers.GeometricPartitioner` climbs to a local maximum by linear programs,
    `partitope.solvers.solve_global` encloses the maximum.

    Examples
    --------
    >>> from partitope.models import NormMaximisation, PartitionPolytope
    >>> model = NormMaximisation([[-1.0], [0.0], [1.0]], PartitionPolytope(3, 1, 2, n_clusters=2))
    >>> [block.name for block in model.program.columns], sorted(model.program.quadratic)
    (['assign', 'sum', 'norm'], [9, 10])
    """

    X: NDArray[np.float64]
    polytope: PartitionPolytope

    def __post_init__(self) -> None:
        instance_of(self.polytope, "polytope", PartitionPolytope)
        object.__setattr__(self, "X", finite_rows(self.X, n_rows=self.polytope.n_points))

    @property
    def moments(self) -> NDArray[np.float64]:
        """w_j (x_j - c), shape (n, d)."""
        weights = self.polytope.point_weights
        return weights[:, None] * (self.X - np.average(self.X, axis=0, weights=weights))

    @property
    def program(self) -> Program:
        """(1) and (2) below the rows of the polytope: columns ``assign``, ``sum`` (k, d) and ``norm`` (k,)."""
        import scipy.sparse as sp

        measured, k, d = self._measured, self.polytope.n_clusters, self.X.shape[1]
        c, r = measured.cost.size, measured.row_lower.size
        longer = Block.grid("longer", k), sp.csr_array((k, c)), -np.inf, 0.0
        squares = {}
        for i in range(k):
            at = np.append(c - k - k * d + i * d + np.arange(d), c - k + i)
            squares[r + i] = sp.csc_array((np.append(-np.ones(d), 1.0), (at, at)), shape=(c, c))
        return replace(measured.extended((), [longer]), quadratic=squares)

    def over_net(self, directions: ArrayLike) -> Program:
        """(1) and (3) for a net of directions (m, d) of any length: a mixed-integer linear program.

        Raises
        ------
        InvalidInputError
            When the directions have another dimension, or one has no length.
        """
        import scipy.sparse as sp

        k, d = self.polytope.n_clusters, self.X.shape[1]
        net = finite_rows(directions, "directions", n_columns=d)
        lengths, m = np.linalg.norm(net, axis=1, keepdims=True), len(net)
        if not lengths.all():
            raise InvalidInputError(f"directions[{int(lengths.argmin())}] has length 0: pass vectors other than zero")
        measured = self._measured
        c, longest = measured.cost.size, float(np.linalg.norm(self.moments, axis=1).sum())
        free, each = sp.csr_array((k * m, c - k - k * d)), sp.eye_array(k)
        lead = [sp.kron(each, -net / lengths), sp.kron(each, np.ones((m, 1))), longest * sp.eye_array(k * m)]
        ahead, one = sp.hstack([free, *lead]), sp.hstack([sp.csr_array((k, c)), sp.kron(each, np.ones((1, m)))])
        rows = [(Block.grid("ahead", k, m), ahead, -np.inf, longest), (Block.grid("one", k), one, 1.0, 1.0)]
        return measured.extended([Block.grid("pick", k, m)], rows, upper=1.0, integral=True)

    @property
    def _measured(self) -> Program:
        """The polytope with the columns s and y, (1), and sum_i y_i as objective."""
        import scipy.sparse as sp

        (n, d), k = self.X.shape, self.polytope.n_clusters
        program = AssignmentModel(self.polytope, np.zeros((n, k))).program
        c = program.cost.size
        # row i d + t of the sums from the moments (d, n), for every cluster
        sums = sp.kron(sp.csr_array(self.moments.T), sp.eye_array(k), format="csr")
        order = np.arange(d * k).reshape(d, k).T.ravel()
        parts = [sums[order], sp.csr_array((k * d, c - n * k)), -sp.eye_array(k * d), sp.csr_array((k * d, k))]
        program = program.extended([Block.grid("sum", k, d)], [], lower=-np.inf)
        program = program.extended([Block.grid("norm", k)], [(Block.grid("moment", k, d), sp.hstack(parts), 0.0, 0.0)])
        cost = np.append(program.cost[:-k], np.ones(k))
        return replace(program, cost=cost, maximise=True, name="norm_maximisation", objective="total_norm")
