"""Does any power diagram induce given labels? Sites and prices if so, a proof if not.

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
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.checks import checked_labels, finite_rows
from ..base.errors import InvalidInputError, NotOptimalError
from .power_diagram import PowerDiagram

FIRST_ROWS = 4000  # constraints of the first round; violated ones are added until none is left
BALANCED = 1e-7  # residual of (9), relative to the spread of the points, below which the proof is accepted


class ShareMove(NamedTuple):
    """A share of a point that changes its cluster.

    Parameters
    ----------
    point, source, target : int
        Which point goes from which cluster to which.
    share : float
        How much of it.
    """

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
        Smallest distance of a point to a wall of its cell, in units of the points; 0 when there is no diagram.
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


def is_separable(X: ArrayLike, labels: ArrayLike) -> Separation:
    """Whether some power diagram has every cluster strictly inside a cell of its own.

    Parameters
    ----------
    X : (n, d) array_like
        Points.
    labels : (n,) array_like of int
        Clusters 0, 1, ...; any labelling, however it was found.

    Returns
    -------
    Separation
        Sites and prices, those of largest margin for the sites; or the exchange that proves that none exist.

    Raises
    ------
    InvalidInputError
        When X is not a finite matrix, or the labels do not fit.
    NotOptimalError
        When neither a diagram nor a proof passes the check, because the margin is of the size of rounding errors.

    Notes
    -----
    Both answers are checked against all points, not taken from the solver. One linear program with k (d + 1) + 1
    variables and the constraints that ever were violated; every round is a pass of O(n k d).

    Examples
    --------
    >>> from partitope.models import is_separable
    >>> is_separable([[0.0], [1.0], [5.0]], [0, 0, 1]).separable
    True
    >>> [tuple(move)[:3] for move in is_separable([[0.0], [1.0], [2.0]], [0, 1, 0]).exchange]
    [(0, 0, 1), (1, 1, 0), (2, 0, 1)]
    """
    points = finite_rows(X)
    given = np.asarray(labels)
    most = int(given.max(initial=0)) if given.dtype.kind in "biuf" and np.isfinite(given).all() else 0
    y = checked_labels(labels, len(points), most + 1)
    filled, inner = np.unique(y, return_inverse=True)
    centre = points.mean(axis=0) if len(points) else np.zeros(points.shape[1])
    spread = float(np.abs(points - centre).max(initial=0.0)) or 1.0
    scaled = (points - centre) / spread
    if len(filled) < 2:
        return Separation(
            PowerDiagram(np.zeros((most + 1, points.shape[1])), np.zeros(most + 1), origin=centre), np.inf
        )
    gradients, offsets, rows, shares = _separate(scaled, inner, len(filled))
    if shares is None:
        return _diagram(points, y, filled, most + 1, (gradients, offsets * spread), centre)
    return _proof(scaled, inner, filled, rows, shares)


def _separate(
    X: NDArray[np.float64], y: NDArray[np.int64], k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.float64] | None]:
    """Gradients and offsets of (8), the rows (point, rival) used, and their multipliers when t = 1."""
    n, d = X.shape
    order = np.random.default_rng(0).permutation(n)[: max(FIRST_ROWS // (k - 1), 1)]
    first = np.column_stack([np.repeat(order, k), np.tile(np.arange(k), len(order))])
    rows = first[y[first[:, 0]] != first[:, 1]]
    used = np.zeros((n, k), dtype=bool)
    while True:
        used[rows[:, 0], rows[:, 1]] = True
        solution, t, multipliers = _program(X, y, k, rows)
        gradients, offsets = solution[: k * d].reshape(k, d), solution[k * d : k * d + k]
        if t > 0.5:
            return gradients, offsets, rows, multipliers
        scores = X @ gradients.T - offsets
        lead = scores[np.arange(n), y][:, None] - scores
        lead[np.arange(n), y] = np.inf
        wrong = np.argwhere((lead < 0.5) & ~used)
        if not len(wrong):
            return gradients, offsets, rows, None
        worst = np.argsort(lead[wrong[:, 0], wrong[:, 1]], kind="stable")[:FIRST_ROWS]
        rows = np.concatenate([rows, wrong[worst]])


def _program(
    X: NDArray[np.float64], y: NDArray[np.int64], k: int, rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    """Optimum of min t over the rows of (8), t, and the multipliers."""
    import scipy.sparse as sp
    from scipy.optimize import linprog

    d, m = X.shape[1], len(rows)
    point, rival = rows[:, 0], rows[:, 1]
    at = np.repeat(np.arange(m), d)
    own = (y[point, None] * d + np.arange(d)).ravel()
    other = (rival[:, None] * d + np.arange(d)).ravel()
    lines, value = np.arange(m), X[point].ravel()
    matrix = sp.csr_array(
        (
            np.concatenate([-value, value, np.ones(m), -np.ones(m), -np.ones(m)]),
            (
                np.concatenate([at, at, lines, lines, lines]),
                np.concatenate([own, other, k * d + y[point], k * d + rival, np.full(m, k * d + k)]),
            ),
        ),
        shape=(m, k * d + k + 1),
    )
    cost = np.zeros(k * d + k + 1)
    cost[-1] = 1.0
    bounds = [(None, None)] * (k * d + k) + [(0.0, None)]
    result = linprog(cost, A_ub=matrix, b_ub=-np.ones(m), bounds=bounds, method="highs-ds")
    if result.x is None:
        raise NotOptimalError(f"the separation program was not solved: {result.message}")
    return result.x, float(result.x[-1]), -result.ineqlin.marginals


def _diagram(
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    filled: NDArray[np.int64],
    k: int,
    affine: tuple[NDArray[np.float64], NDArray[np.float64]],
    centre: NDArray[np.float64],
) -> Separation:
    """The checked diagram: prices of largest margin for the sites found, or the program's own."""
    sites = np.tile(affine[0].mean(axis=0), (k, 1))
    sites[filled] = affine[0]
    try:
        diagram = PowerDiagram.max_margin(X, y, sites, "csa", centre)
    except InvalidInputError:
        prices = np.full(k, 1e3 * (np.abs(affine[1]).max() + 1.0))
        prices[filled] = affine[1]
        diagram = PowerDiagram(sites, prices, "csa", centre)
    margin = float(diagram.margin(X, y).min())
    if margin <= 0 or not np.array_equal(diagram.predict(X), y):
        raise NotOptimalError(
            "labels can be separated only by a margin of the size of rounding errors: move points apart or scale X"
        )
    return Separation(diagram, margin)


def _proof(
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    filled: NDArray[np.int64],
    rows: NDArray[np.int64],
    shares: NDArray[np.float64],
) -> Separation:
    """The checked exchange (9)."""
    shares = np.where(shares > 1e-12, shares, 0.0)
    kept = np.flatnonzero(shares)
    shares = shares[kept] / shares[kept].sum()
    point, target = rows[kept, 0], rows[kept, 1]
    source = y[point]
    lifted = np.column_stack([X[point], np.ones(len(point))]) * shares[:, None]
    balance = np.zeros((len(filled), X.shape[1] + 1))
    np.add.at(balance, target, lifted)
    np.subtract.at(balance, source, lifted)
    residual = float(np.abs(balance).max())
    if residual > BALANCED:
        raise NotOptimalError(
            f"labels can be neither separated nor proved inseparable: the exchange fails by {residual:.1e}; scale X"
        )
    order = np.lexsort((target, point))
    moves = [
        ShareMove(int(j), int(filled[a]), int(filled[b]), float(s))
        for j, a, b, s in zip(point[order], source[order], target[order], shares[order])
    ]
    return Separation(None, 0.0, tuple(moves), residual)
