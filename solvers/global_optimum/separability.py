"""Does any power diagram induce given labels? The program (8) of `partitope.models.programs.separability`, row by row.

One linear program with k (d + 1) + 1 variables and the constraints that ever were violated: those of some points first,
then those that the answer violates most, until none is left or t = 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array, checked_labels, finite_rows
from ...models.diagram.power_diagram import PowerDiagram
from ...models.programs.separability import Separation, SeparationProgram
from ..linear_program import solve_linear


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
    >>> from partitope.solvers import is_separable
    >>> is_separable([[0.0], [1.0], [5.0]], [0, 0, 1]).separable
    True
    >>> [tuple(move)[:3] for move in is_separable([[0.0], [1.0], [2.0]], [0, 1, 0]).exchange]
    [(0, 0, 1), (1, 1, 0), (2, 0, 1)]
    """
    points = finite_rows(X)
    given = as_array(labels, "labels")
    most = int(given.max(initial=0)) if given.dtype.kind in "biuf" and np.isfinite(given).all() else 0
    y = checked_labels(labels, len(points), most + 1)
    filled, inner = np.unique(y, return_inverse=True)
    centre = points.mean(axis=0) if len(points) else np.zeros(points.shape[1])
    spread = float(np.abs(points - centre).max(initial=0.0)) or 1.0
    scaled = (points - centre) / spread
    if len(filled) < 2:
        prices = np.ones(most + 1)  # of empty clusters, whose cells then hold nothing
        prices[filled] = 0.0
        return Separation(PowerDiagram(np.zeros((most + 1, points.shape[1])), prices, origin=centre), np.inf)
    program, columns, shares = _separate(scaled, inner, len(filled))
    if shares is not None:
        point, rival = program.rows.T
        return Separation.by_exchange(scaled, y, np.column_stack([point, filled[rival]]), shares)
    gradients, offsets, _ = program.parts(columns)
    sites = np.tile(gradients.mean(axis=0), (most + 1, 1))
    prices = np.full(most + 1, 1e3 * (np.abs(offsets * spread).max() + 1.0))
    sites[filled], prices[filled] = gradients, offsets * spread
    return Separation.by_diagram(points, y, sites, prices, centre)


def _separate(
    X: NDArray[np.float64], y: NDArray[np.int64], k: int
) -> tuple[SeparationProgram, NDArray[np.float64], NDArray[np.float64] | None]:
    """The last program, its solution, and its multipliers when t = 1."""
    n = len(X)
    order = np.random.default_rng(0).permutation(n)[: max(4000 // (k - 1), 1)]
    first = np.column_stack([np.repeat(order, k), np.tile(np.arange(k), len(order))])
    rows = first[y[first[:, 0]] != first[:, 1]]
    used = np.zeros((n, k), dtype=bool)
    while True:
        used[rows[:, 0], rows[:, 1]] = True
        program = SeparationProgram(X, y, k, rows)
        answer = solve_linear(program.program, {"solver": "simplex"})
        columns = answer.require_optimum("the separation program")
        gradients, offsets, t = program.parts(columns)
        if t > 0.5:
            assert answer.row_duals is not None
            return program, columns, -answer.row_duals
        scores = X @ gradients.T - offsets
        margins = scores[np.arange(n), y][:, None] - scores
        margins[np.arange(n), y] = np.inf
        wrong = np.argwhere((margins < 0.5) & ~used)
        if not len(wrong):
            return program, columns, None
        worst = np.argsort(margins[wrong[:, 0], wrong[:, 1]], kind="stable")[:4000]
        rows = np.concatenate([rows, wrong[worst]])
