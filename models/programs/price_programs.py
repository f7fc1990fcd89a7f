"""Prices as linear programs of their own: the dual of the assignment program, and the prices of largest margin.

Dual            min  sum_i (u_i up_i - l_i down_i) + sum_j eta_j
                (4)  w_j (up_i - down_i) + eta_j >= w_j gamma_ij      for all points j and clusters i
                     up_i, down_i >= 0,  eta_j free,  mu_i = up_i - down_i

Largest margin  max  eps
                (6)  mu_i - mu_l + eps |g_i - g_l| <= w_il            for all clusters i != l that hold points
                     eps >= 0,  sum_i mu_i = 0,  mu_i free

Both say what `partitope.solvers` computes without a linear-programming code: the first what every backend's prices
solve, the second what `PowerDiagram.max_margin` solves by a minimum-ratio cycle. They are stated here to be read,
extended and checked. (Dissertation, dual program and Theorem 4.1.21, with (4) for all pairs.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import cluster_numbers, finite_rows, finite_vector
from ..diagram.potentials import pairwise_distance
from ..diagram.power_diagram import PowerDiagram
from .linear_program import HasLinearProgram, LinearProgram

if TYPE_CHECKING:
    from .assignment import AssignmentModel


@dataclass(frozen=True, eq=False)
class PriceProgram(HasLinearProgram):
    """The dual of an assignment program, explicitly.

    Parameters
    ----------
    model : AssignmentModel
        The primal program.

    Notes
    -----
    2 k + n variables and n k constraints; there may be many optima. `optimal_prices` of
    `partitope.solvers.assignment.price_programs` finds one.
    """

    model: AssignmentModel

    @property
    def linear_program(self) -> LinearProgram:
        """The program as arrays: columns ``price_up``, ``price_down`` (k each), ``point_dual`` (n).

        Raises
        ------
        InfeasibleBoundsError
            When no assignment exists: the dual is then unbounded.
        CapabilityError
            When the polytope has masks or further rows.
        """
        import scipy.sparse as sp

        self.model.polytope.require_plain("the program over prices")
        self.model.polytope.check()
        polytope, w = self.model.polytope, self.model.point_weights
        n, k = polytope.n_points, polytope.n_clusters
        gamma = self.model.score_source.dense()
        clusters = sp.csr_array((np.repeat(w, k), (np.arange(n * k), np.tile(np.arange(k), n))), shape=(n * k, k))
        points = sp.csr_array((np.ones(n * k), (np.arange(n * k), np.repeat(np.arange(n), k))), shape=(n * k, n))
        matrix = sp.hstack([clusters, -clusters, points]).tocsc()
        upper = np.minimum(polytope.upper, polytope.total)
        names = [f"{side}[{i}]" for side in ("price_up", "price_down") for i in range(k)]
        return LinearProgram(
            cost=np.concatenate([upper, -polytope.lower, np.ones(n)]),
            matrix=matrix,
            row_lower=(w[:, None] * gamma).ravel(),
            row_upper=np.full(n * k, np.inf),
            lower=np.concatenate([np.zeros(2 * k), np.full(n, -np.inf)]),
            upper=np.full(2 * k + n, np.inf),
            column_names=(*names, *(f"point_dual[{j}]" for j in range(n))),
        )

    def prices(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """mu (k,) from the columns (2 k + n,) of `linear_program`; InvalidInputError when there are not as many."""
        k = self.model.polytope.n_clusters
        columns = finite_vector(columns, "columns", 2 * k + self.model.polytope.n_points, "column")
        return columns[:k] - columns[k : 2 * k]


@dataclass(frozen=True, eq=False)
class MarginProgram(HasLinearProgram):
    """The prices of largest margin for a clustering and its sites, as a linear program.

    Parameters
    ----------
    gaps : (m, m) ndarray
        Exchange gaps w of the clusters that hold points.
    distance : (m, m) ndarray
        |g_i - g_l|.

    Notes
    -----
    m + 1 variables, m (m - 1) constraints. `largest_margin_prices` of
    `partitope.solvers.assignment.price_programs` solves it.
    """

    gaps: NDArray[np.float64]
    distance: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        X: ArrayLike,
        labels: ArrayLike,
        sites: ArrayLike,
        kind: Literal["csa", "lsa"] = "csa",
        origin: ArrayLike | None = None,
    ) -> MarginProgram:
        """The program of points X (n, d), labels (n,) and sites (k, d), arguments as in `PowerDiagram.max_margin`.

        Raises
        ------
        InvalidInputError
            As `PowerDiagram.exchange_gaps`.
        """
        sites = finite_rows(sites, "sites")
        diagram = PowerDiagram(sites, np.zeros(len(sites)), kind, origin)  # type: ignore[arg-type]
        y = cluster_numbers(labels, "labels")
        gaps, filled = diagram.exchange_gaps(X, y), np.unique(y)
        inner = np.ix_(filled, filled)
        return cls(gaps[inner], pairwise_distance(diagram.gradients)[inner])

    @property
    def linear_program(self) -> LinearProgram:
        """The program as arrays: columns ``price[i]`` and ``margin``."""
        import scipy.sparse as sp

        m = len(self.gaps)
        i, l = np.nonzero(~np.eye(m, dtype=bool))
        matrix = np.zeros((len(i) + 1, m + 1))
        matrix[np.arange(len(i)), i] = 1.0
        matrix[np.arange(len(i)), l] -= 1.0
        matrix[:-1, m] = self.distance[i, l]
        matrix[-1, :m] = 1.0
        return LinearProgram(
            cost=np.append(np.zeros(m), -1.0),
            matrix=sp.csc_array(matrix),
            row_lower=np.append(np.full(len(i), -np.inf), 0.0),
            row_upper=np.append(self.gaps[i, l], 0.0),
            lower=np.append(np.full(m, -np.inf), 0.0),
            upper=np.full(m + 1, np.inf),
            column_names=(*(f"price[{c}]" for c in range(m)), "margin"),
        )
