"""A bound for points on a line, in the plane or in space: column generation with few rows, any number of points.

For ANY function lambda of the points, with K the number of clusters and every cluster's mass within l..u,

    (1)  within-cluster sum of squares  >=  sum_j w_j lambda(x_j) + K min over clusters S, centres c of
                                             sum_{j in S} w_j ( |x_j - c|^2 - lambda(x_j) )

as the clusters of a clustering are K such S. `pricing` finds the minimum for certain, whatever lambda is. The best
lambda has a value for every point: that is the dual of choosing K clusters out of all, du Merle et al. (1999). Here

    (2)  lambda(x) = |x|^2 + sum_b eta_b phi_b(x)      phi_b multilinear on a grid, and folds along the boundaries
                                                       between the clusters of a good clustering

which loses little, because where the clusters are the cells of a power diagram lambda is |x|^2 less a piecewise linear
function. So the master program has a row per function or fold: sum over the chosen S of phi_b(S) = phi_b(all points).
Its prices eta are kept in a box about the best ones so far (boxstep), the columns come from `pricing`, first for a
coarse grid, then for finer ones, of all points, which are gathered into `cells` where there are very many.

Rounding. Coordinates are differences from a fixed point, each with an error of u of itself, so that the square root of
the optimum moves by at most u |P|; (1) is a sum of terms of known size.

References: Dantzig and Wolfe (1960); Marsten, Hogan and Blankenship, Oper. Res. 23 (1975), for the box; du Merle,
Hansen, Jaumard and Mladenovic, SIAM J. Sci. Comput. 21 (1999); Ryner, Kronqvist and Karlsson (2024) for low dimension
at scale."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ....base.deadline import Deadline
from ....models.objectives.interval import ROUNDOFF, power_of_two
from ....models.polytope.polytope import PartitionPolytope
from ..incumbent import iterate
from .column_master import Master, Points
from .piecewise_linear_basis import PiecewiseLinearBasis

HIGHEST = 3  # Highest dimension that is handled.
GRIDS = {1: (9, 33, 65), 2: (5, 9, 17), 3: (3, 5, 9)}  # Points of the grids along an axis, by dimension.
CELLS = (16_384, 65_536)  # Numbers of cells into which four times as many points are gathered.
EARLY, LATE = 0.12, 0.4  # Fractions of the remaining time for each coarser grid and for the finest grid.
FOLDED = 8  # Largest number of clusters with folds, of which there is one per pair.


def of_given_points(bound: float, squares: NDArray[np.float64], unit: float) -> float:
    """A bound for points as given, from one for their differences from a fixed point, divided by a power of two."""
    root = sqrt(max(bound, 0.0)) * (1.0 - 4.0 * ROUNDOFF) - ROUNDOFF * sqrt(float(squares.sum()))
    return max(0.0, root) ** 2 * unit**2 * (1.0 - 4.0 * ROUNDOFF)


def column_bound(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    value: float,
    *,
    gap: float = 1e-3,
    deadline: Deadline,
    progress: Callable[[float], object] | None = None,
) -> float:
    """A certain lower bound on the within-cluster sum of squares of points (n, d), d <= 3."""
    if not value > 0.0:
        return 0.0
    weights = polytope.point_weights
    X, weights = X[weights > 0], weights[weights > 0]
    origin, unit = weights @ X / weights.sum(), power_of_two(X - X.mean(axis=0))
    P, slack = (X - origin) / unit, 2.0 * polytope.slack
    lower = max(float(polytope.lower.min()) - slack, 0.0)
    upper = min(float(polytope.upper.max()) + slack, float(weights.sum()) * (1.0 + 1e-9))
    whole = Points(P, weights, lower, upper, polytope.n_clusters, polytope.weights is None)
    squares = weights * (P**2).sum(axis=1)

    def given(bound: float) -> float:
        return of_given_points(bound, squares, unit)

    def report(bound: float) -> None:
        if progress is not None:
            progress(given(bound))

    return given(_by_stages(whole, value / unit**2, gap, deadline, report))


def _by_stages(whole: Points, value: float, gap: float, deadline: Deadline, report: Callable[[float], None]) -> float:
    """(1) for all points, after coarser grids and fewer cells have said about where the best prices are."""
    box, total, grids = box_of(whole.P), float(whole.w.sum()), GRIDS[whole.P.shape[1]]
    gathered = [whole.gathered(m) for m in CELLS if 4 * m <= len(whole.P)] or [whole]
    stages = [(gathered[0], per) for per in grids] + [(points, grids[-1]) for points in gathered[1:]]
    tolerance = max(0.05 * gap, 1e-9) * value / whole.n_clusters
    width, basis, master, best, walls = 8.0 * value / total, None, None, -np.inf, _walls(gathered[0], deadline)
    for points, per in stages:
        finer, seconds = PiecewiseLinearBasis(box[0].min(axis=0), box[0].max(axis=0), per, walls), 0.0
        eta = np.zeros(len(finer))
        # the best prices so far, at the points of the finer grid; folds are the same in all stages
        if basis is not None and master is not None:
            places, heights = basis.functions_at(finer.nodes())
            eta[: len(places)] = (master.eta[places] * heights).sum(axis=1)
            eta[len(places) :] = master.eta[basis.per ** len(basis.low) :]
            seconds = master.seconds * len(points.P) / len(master.points.P)
        fine = per == grids[-1]
        sides = [] if points.cells is None else finer.sides(points.cells)
        basis, master = finer, Master(points, *finer.at(points.P), eta, width, sides, seconds=seconds)
        # the last stage may use all the time that is left: those before it only prepare it
        share = 1.0 if (points, per) == stages[-1] else LATE if fine else EARLY
        left = deadline.share(share) if share < 1.0 else deadline
        for found in master.improve(box, tolerance, value * (1.0 - gap), left):
            best = max(best, found)
            report(best)
        best = max(best, master.best)
        if best >= value * (1.0 - gap):
            break
        # prices of a fine grid are near those of the next: its box is about as wide as the last one ended
        width = 8.0 * master.width if fine else 0.5 * value / total
    return best


def _walls(points: Points, deadline: Deadline) -> NDArray[np.float64]:
    """Functions (d + 1, k) of a good clustering, the largest of which names the cluster; (d + 1, 0) if k is large."""
    P, k, share = points.P, points.n_clusters, len(points.P) / float(points.w.sum())
    if k > min(FOLDED, len(P)):
        return np.zeros((P.shape[1] + 1, 0))
    bounds = min(int(points.lower * share), len(P) // k), max(int(points.upper * share), -(-len(P) // k))
    left = deadline.share(EARLY)
    diagram = iterate(P, PartitionPolytope(len(P), *bounds, n_clusters=k), "lsa", n_init=5, deadline=left).power_diagram
    if diagram is None:
        return np.zeros((P.shape[1] + 1, 0))
    sites = diagram.sites - diagram.origin
    gradients, offsets = 2.0 * sites, -(sites**2).sum(axis=1) - diagram.prices - 2.0 * sites @ diagram.origin
    walls = np.column_stack([gradients, offsets]).T
    return walls / (float(np.abs(P @ walls[:-1] + walls[-1]).max()) or 1.0)


def box_of(P: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A box of binary fractions about all points, cut into simplices: corners (m, d) and their numbers (d!, d + 1)."""
    low, high = P.min(axis=0), P.max(axis=0)
    step = power_of_two(high - low) / 16.0
    low, high = np.floor(low / step) * step, np.ceil(high / step) * step
    high = np.maximum(high, low + step)
    d = P.shape[1]
    corners = np.array(list(product(*zip(low, high))))
    simplices = [np.cumsum([0, *(2 ** (d - 1 - axis) for axis in order)]) for order in permutations(range(d))]
    return corners, np.array(simplices, dtype=np.int64)
