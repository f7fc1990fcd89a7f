"""Does any power diagram induce given labels? What has to hold for sites and prices, and a proof that none do.

A power diagram with sites g_i and prices b_i separates the clusters strictly if every point beats every rival:

    (8)  (g_i - g_l) . x - (b_i - b_l) >= 1 - t       for all points x of cluster i and all clusters l != i

with t = 0; any positive margin can be scaled to one. min t over (8), t >= 0, is a linear program in k (d + 1) + 1
variables whose optimum is 0 or 1, never between. Its dual shares lambda(x, l) >= 0, with sum 1 when t = 1, satisfy

    (9)  sum of lambda (x, 1) that leaves cluster i  =  sum of lambda (x, 1) that enters it      for every i

so they are a fractional exchange of points after which every cluster has the same size and the same sum as before.
No sites and prices can be strictly better before than after: that is the proof, and it needs no solver to check.
At most k (d + 1) + 1 shares are positive. (A clustering is strictly separable by a power diagram if and only if its
vector of cluster sums is a vertex, attained by no other clustering, of the polytope that all fractional ones of the
same sizes span.)

`partitope.solvers.is_separable` solves the program; `Separation` checks either answer against all points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError, NotOptimalError
from ..diagram.power_diagram import PowerDiagram
from .program import Program

BALANCED = 1e-7  # The proof needs a residual of (9) below this fraction of the points' spread.


class ShareMove(NamedTuple):
    """A share of a point that goes from its source to its target cluster."""

    point: int
    source: int
    target: int
    share: float


@dataclass(frozen=True, eq=False)
class Separation:
    """The answer of `is_separable`; true when a power diagram exists.

    Attributes
    ----------
    diagram : PowerDiagram or None
        Cells that hold every point of their cluster strictly inside.
    margin : float
        Smallest distance of a point to a boundary of its cell, in units of the points; 0 when there is no diagram.
    exchange : tuple of ShareMove
        Without a diagram: shares, with sum 1, whose move changes no cluster's size and no cluster's sum.
    residual : float
        By how much the exchange fails to do so, relative to the spread of the points: rounding only.
    """

    diagram: PowerDiagram | None
    margin: float
    exchange: tuple[ShareMove, ...] = ()
    residual: float = 0.0

    @property
    def separable(self) -> bool:
        """Whether some power diagram induces the labels."""
        return self.diagram is not None

    def __bool__(self) -> bool:
        return self.separable

    @classmethod
    def by_diagram(
        cls,
        X: NDArray[np.float64],
        labels: NDArray[np.int64],
        sites: NDArray[np.float64],
        prices: NDArray[np.float64],
        origin: NDArray[np.float64],
    ) -> Self:
        """The checked diagram: prices of largest margin for the sites (k, d), or those given (k,); NotOptimalError when
        the margin is of the size of rounding errors."""
        try:
            diagram = PowerDiagram.max_margin(X, labels, sites, "csa", origin)
        except InvalidInputError:
            diagram = PowerDiagram(sites, prices, "csa", origin)
        margin = float(diagram.margin(X, labels).min())
        if margin <= 0 or not np.array_equal(diagram.predict(X), labels):
            raise NotOptimalError(
                "labels can be separated only by a margin of the size of rounding errors: move points apart or scale X"
            )
        return cls(diagram, margin)

    @classmethod
    def by_exchange(
        cls,
        X: NDArray[np.float64],
        labels: NDArray[np.int64],
        rows: NDArray[np.int64],
        shares: NDArray[np.float64],
    ) -> Self:
        """The checked exchange (9) of points X (n, d), each at most 1: rows (point, target) and their shares;
        NotOptimalError when it changes a size or a sum by more than rounding."""
        shares = np.where(shares > 1e-12, shares, 0.0)
        kept = np.flatnonzero(shares)
        shares = shares[kept] / shares[kept].sum()
        point, target = rows[kept, 0], rows[kept, 1]
        source = labels[point]
        lifted = np.column_stack([X[point], np.ones(len(point))]) * shares[:, None]
        balance = np.zeros((max(labels.max(), target.max()) + 1, X.shape[1] + 1))
        np.add.at(balance, target, lifted)
        np.subtract.at(balance, source, lifted)
        residual = float(np.abs(balance).max())
        if residual > BALANCED:
            raise NotOptimalError(
                f"labels can be neither separated nor proved inseparable: the exchange fails by {residual:.1e}; scale X"
            )
        order = np.lexsort((target, point))
        moves = zip(point[order].tolist(), source[order].tolist(), target[order].tolist(), shares[order].tolist())
        return cls(None, 0.0, tuple(ShareMove(*move) for move in moves), residual)


@dataclass(frozen=True, eq=False)
class SeparationProgram:
    """Minimise t over some of the constraints (8). Shapes: X (n, d), labels (n,), rows (m, 2)."""

    X: NDArray[np.float64]
    labels: NDArray[np.int64]
    n_clusters: int
    rows: NDArray[np.int64]

    @property
    def program(self) -> Program:
        """The program as arrays: columns g (k d), b (k), t, and one row a constraint, as -(8)."""
        import scipy.sparse as sp

        k, d, m = self.n_clusters, self.X.shape[1], len(self.rows)
        point, rival = self.rows.T
        own = self.labels[point]
        at, lines, value = np.repeat(np.arange(m), d), np.arange(m), self.X[point].ravel()
        columns = [(i[:, None] * d + np.arange(d)).ravel() for i in (own, rival)]
        entries = np.concatenate([-value, value, np.ones(m), -np.ones(2 * m)])
        place = (
            np.concatenate([at, at, lines, lines, lines]),
            np.concatenate([*columns, k * d + own, k * d + rival, np.full(m, k * d + k)]),
        )
        size = k * (d + 1) + 1
        return Program(
            cost=np.eye(size)[-1],
            matrix=sp.csc_array((entries, place), shape=(m, size)),
            row_lower=np.full(m, -np.inf),
            row_upper=-np.ones(m),
            lower=np.append(np.full(size - 1, -np.inf), 0.0),
            upper=np.full(size, np.inf),
        )

    def parts(self, columns: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Sites g (k, d), prices b (k,) and t from the columns of `program`."""
        k, d = self.n_clusters, self.X.shape[1]
        return columns[: k * d].reshape(k, d), columns[k * d : k * d + k], float(columns[-1])
