"""A bound for points on a line, in the plane or in space: column generation with few rows, any number of points.

For ANY function lambda of the points, with K the number of clusters and every cluster's mass within l..u,

    (1)  within-cluster sum of squares  >=  sum_j w_j lambda(x_j) + K min over clusters S, centres c of
                                             sum_{j in S} w_j ( |x_j - c|^2 - lambda(x_j) )

as the clusters of a clustering are K such S. `pricing` finds the minimum for certain, whatever lambda is. The best
lambda has a value for every point: that is the dual of choosing K clusters out of all, du Merle et al. (1999). Here

    (2)  lambda(x) = |x|^2 + sum_b eta_b phi_b(x)      phi_b the multilinear hats of a grid, and folds along the walls
                                                       between the clusters of a good clustering

which loses little, because where the clusters are the cells of a power diagram lambda is |x|^2 less a piecewise linear
function. So the master program has a row a hat or fold: sum over the chosen S of phi_b(S) = phi_b(all points). Its
prices eta are kept in a box about the best ones so far (boxstep), the columns come from `pricing`, first for a sample
of the points and a coarse grid, then for finer grids and all points, gathered into `cells` where there are very many.
The interval is from the last evaluations of (1), of all points.

Rounding. Coordinates are differences from a fixed point, each with an error of u of itself, so that the square root of
the optimum moves by at most u |P|; (1) is a sum of terms of known size.

References: Dantzig and Wolfe (1960); Marsten, Hogan and Blankenship, Oper. Res. 23 (1975), for the box; du Merle,
Hansen, Jaumard and Mladenovic, SIAM J. Sci. Comput. 21 (1999); Ryner, Kronqvist and Karlsson (2024) for low dimension
at scale."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations, product
from math import fsum, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline, clock
from ...models.linear_program import LinearProgram
from ...models.objective_interval import ROUNDOFF, power_of_two
from ...models.polytope import PartitionPolytope
from ..linear_program import small_simplex
from .cells import NONE, Cells
from .incumbent import iterate
from .pricing import column_at, search_centres

HIGHEST = 3  # dimension
GRIDS = {1: (9, 33, 65), 2: (5, 9, 17), 3: (3, 5, 9)}  # points of the grids along an axis
SAMPLES = (2_000, 20_000)
CELLS = (16_384, 65_536)  # into which points are gathered that are four times as many
SURE = 0.2  # over the root of a sample's size: no more is gained of it, whose optimum itself is less sure
EARLY, LATE = 0.12, 0.4  # of the time left, for each grid and sample, and for all points before the last cells
MOST = 200_000  # centres that a search evaluates
LOOK = 0.05  # seconds between looks at the time
FOLDED = 8  # clusters up to which there are folds, one a pair
KEPT = 30  # columns that a search of centres gives at most
PATIENCE = 20  # rounds that have to gain something


@dataclass(frozen=True, eq=False)
class _Points:
    """Points (n, d) in a box of binary fractions, with weights, size bounds of any cluster, and their number."""

    P: NDArray[np.float64]
    w: NDArray[np.float64]
    lower: float
    upper: float
    n_clusters: int
    unit: bool
    cells: Cells | None = None  # whose means the points are
    count: int = 0  # points that are in the cells

    def gathered(self, count: int) -> _Points:
        """The same points in so many cells."""
        cells = Cells.of(self.P, self.w, count)
        return replace(self, P=cells.means, w=cells.masses, unit=False, cells=cells, count=len(self.P))

    def sample(self, count: int) -> _Points:
        """So many points, drawn with their weights, and bounds in proportion."""
        total = float(self.w.sum())
        drawn = np.random.default_rng(0).choice(len(self.P), count, p=self.w / total)
        bounds = self.lower * count / total, self.upper * count / total
        return _Points(self.P[drawn], np.ones(count), *bounds, self.n_clusters, True)


@dataclass(frozen=True, eq=False)
class _Hats:
    """Multilinear hats of a grid with ``per`` points along each axis of a box, and folds along walls of a clustering.

    Columns (a, b) of ``walls`` (d + 1, k) are the clusters' functions a . x + b; there is a fold max(0, difference) for
    every pair of them, and one for the largest of all.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    per: int
    walls: NDArray[np.float64]

    def __len__(self) -> int:
        k = self.walls.shape[1]
        return self.per ** len(self.low) + (k * (k - 1) // 2 + 1 if k > 1 else 0)

    def _folds(self, P: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        scores = P @ self.walls[:-1] + self.walls[-1]
        pairs = combinations(range(scores.shape[1]), 2)
        folds = [np.maximum(scores[:, i] - scores[:, j], 0.0) for i, j in pairs]
        return [*folds, scores.max(axis=1) - scores[:, 0]] if folds else []

    def at(self, P: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Numbers and heights (n, ...) of the hats that are not zero at points, and of all folds."""
        places, heights = self._hats(P)
        folds = np.array(self._folds(P)).reshape(-1, len(P)).T
        first = self.per ** P.shape[1]
        numbers = np.broadcast_to(np.arange(first, first + folds.shape[1]), folds.shape)
        return np.column_stack([places, numbers]), np.column_stack([heights, folds])

    def _hats(self, P: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        d = P.shape[1]
        place = (P - self.low) / (self.high - self.low) * (self.per - 1)
        base = np.clip(place.astype(np.int64), 0, self.per - 2)
        rest = place - base
        corners = list(product((0, 1), repeat=d))
        heights = [np.where(corner, rest, 1.0 - rest).prod(axis=1) for corner in corners]
        numbers = [np.ravel_multi_index(tuple((base + corner).T), (self.per,) * d) for corner in corners]
        return np.column_stack(numbers).astype(np.int64), np.column_stack(heights)

    def sides(self, cells: Cells) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """For every axis the numbers and slopes (m, ...) of hats and folds about the means of cells, differences."""
        found = []
        for axis in np.eye(len(self.low)):
            step = (0.5 * cells.reach @ axis + 1e-3 * (self.high - self.low) @ axis)[:, None]
            (a, up), (b, down) = self.at(cells.means + step * axis), self.at(cells.means - step * axis)
            found.append((np.column_stack([a, b]), np.column_stack([up, -down]) / (2.0 * step)))
        return found

    def nodes(self) -> NDArray[np.float64]:
        """The points of the grid."""
        axes = [np.linspace(a, b, self.per) for a, b in zip(self.low, self.high)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))


@dataclass(eq=False)
class _Master:
    """The restricted master program of one grid and one set of points, and the best prices for them."""

    points: _Points
    places: NDArray[np.int64]
    heights: NDArray[np.float64]
    eta: NDArray[np.float64]
    width: float
    sides: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = field(default_factory=list)
    best: float = -np.inf
    seconds: float = 0.0  # of one evaluation of a centre
    known: set[bytes] = field(default_factory=set)
    program: Any = None

    def __post_init__(self) -> None:
        import scipy.sparse as sp

        b = len(self.eta)
        self.squares = (self.points.P**2).sum(axis=1)
        mass = np.bincount(self.places.ravel(), (self.points.w[:, None] * self.heights).ravel(), b)
        self.used = mass > 0
        rows = np.append(mass, float(self.points.n_clusters))
        more, less = sp.eye_array(b + 1, b, format="csc"), -sp.eye_array(b + 1, b, format="csc")
        matrix = sp.hstack([more, less], format="csc")
        program = LinearProgram(self._box(), matrix, rows, rows, np.zeros(2 * b), np.full(2 * b, np.inf))
        self.program = small_simplex(program)

    def _box(self) -> NDArray[np.float64]:
        return np.append(self.eta + self.width, -(self.eta - self.width))

    def prices(self, eta: NDArray[np.float64]) -> NDArray[np.float64]:
        """(2) at the points."""
        return self.squares + (eta[self.places] * self.heights).sum(axis=1)

    def evaluate(
        self, eta: NDArray[np.float64], box: tuple[NDArray, NDArray], tolerance: float, deadline: Deadline
    ) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """The right-hand side of (1), rounded down, and the centres that were looked at with their f."""
        p, prices = self.points, self.prices(eta)
        cells, scatter, size, count = NONE, 0.0, 0.0, len(p.P)
        if p.cells is not None:
            slopes = np.column_stack([(eta[places] * heights).sum(axis=1) for places, heights in self.sides])
            cells, count = (slopes, p.cells.reach, p.cells.spread), p.count
            scatter = fsum(p.w * np.trace(p.cells.spread, axis1=1, axis2=2)) * (1.0 - 1e-12)
            size = 4.0 * float(p.w.sum()) * float(np.abs(slopes).max()) * float(np.abs(box[0]).max())
        begun = clock()
        least, V, f = _stoppable(p.P, p.w, prices, p.lower, p.upper, p.unit, cells, *box, tolerance, deadline=deadline)
        self.seconds = (clock() - begun) / len(f)
        total = float(p.w.sum())
        far = float(((np.abs(p.P).max(axis=0) + np.abs(box[0]).max(axis=0)) ** 2).sum())
        # the sum of all |terms| of f, and more than u |v - e|^2
        size += (1.0 if p.cells is None else 4.0) * total * far + float(p.w @ np.abs(prices))
        lost = (count + 60) * ROUNDOFF * size
        value = fsum((p.w * prices).tolist()) + scatter + p.n_clusters * (least - lost)
        return value - 4.0 * ROUNDOFF * size, V, f

    def add(self, eta: NDArray[np.float64], V: NDArray[np.float64], f: NDArray[np.float64], deadline: Deadline) -> int:
        """Columns of the best centres of a search, each after a step to the mean of its cluster; how many are new."""
        import highspy

        p, prices, added = self.points, self.prices(eta), 0
        r, column, sums = np.zeros(len(p.P)), np.zeros(len(eta)), np.zeros(p.P.shape[1])
        for a in np.argsort(f)[: 2 * KEPT]:
            if not deadline.allows():
                break
            centre = V[a]
            for _ in range(2):
                mass = column_at(p.P, p.w, prices, centre, p.lower, p.upper, p.unit,
                                 self.places, self.heights, r, column, sums)  # fmt: skip
                centre = sums / mass if mass > 0 else centre
            key = np.round(np.append(sums, mass), 9).tobytes()
            if key in self.known:
                continue
            self.known.add(key)
            entries = np.append(column, 1.0)
            rows = np.flatnonzero(entries)
            cost = -float(sums @ sums) / mass if mass > 0 else 0.0  # the sum of squares less that of |x|^2
            self.program.addCol(cost, 0.0, highspy.kHighsInf, len(rows), rows.astype(np.int32), entries[rows])
            added += 1
            if added >= KEPT:
                break
        return added

    def improve(self, box: Any, tolerance: float, target: float, deadline: Deadline) -> Iterator[float]:
        """Rounds of the master program and the search of centres, until they agree or gain no more than a tolerance.

        Yields the best value so far after every search.
        """
        value, V, f = self.evaluate(self.eta, box, 4.0 * tolerance, deadline)
        self.best = value
        self.add(self.eta, V, f, deadline)
        cells, constant = self.points.cells, float(self.points.w @ self.squares)
        if cells is not None:
            constant += float(self.points.w @ np.trace(cells.spread, axis1=1, axis2=2))
        gained = [self.best]
        while len(gained) <= PATIENCE or self.best > gained[-PATIENCE] + tolerance:
            gained.append(self.best)
            yield self.best
            if self.best >= target or not deadline.allows(30.0 * self.seconds):
                return
            if deadline.left is not None:
                self.program.setOptionValue("time_limit", self.program.getRunTime() + deadline.left)
            self.program.run()
            duals = np.array(self.program.getSolution().row_dual)
            if len(duals) != len(self.eta) + 1:
                return  # numbers too hard for the master program: what is known stays
            eta, promised = duals[:-1], float(self.program.getInfo().objective_function_value) + constant
            if promised - self.best <= tolerance * self.points.n_clusters:
                bent = np.abs(eta - self.eta)[self.used].max() >= 0.999 * self.width
                if not bent:
                    return
                self.width *= 2.0
            else:
                value, V, f = self.evaluate(eta, box, max(tolerance, 0.05 * (promised - self.best)), deadline)
                better = value > self.best
                if better:
                    self.best, self.eta = value, eta
                if not (self.add(eta, V, f, deadline) or better) or not deadline.allows():
                    return
                if not better:
                    self.width = max(0.7 * self.width, tolerance / float(self.points.w.sum()))
            self._move()

    def _move(self) -> None:
        count = 2 * len(self.eta)
        self.program.changeColsCost(count, np.arange(count, dtype=np.int32), self._box())


def _stoppable(*arguments: Any, deadline: Deadline) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """`search_centres` in a thread, so that the end of the time and interrupts from the keyboard reach it."""
    stop = np.zeros(1, dtype=np.int64)
    P, w, prices, lower, *rest = arguments
    upper, unit, cells, *rest = rest
    first = tuple(a[:1] for a in cells)
    search_centres(
        P[:1], w[:1], prices[:1], 0 * lower, upper, unit, first, *rest, 0, stop
    )  # compiled before time is looked at
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(search_centres, *arguments, MOST, stop)
        try:
            while not wait([found], LOOK).done:
                stop[0] = deadline.left == 0.0
        finally:
            stop[0] = 1
        return found.result()


def of_given_points(bound: float, squares: NDArray[np.float64], unit: float) -> float:
    """A bound for points as given, from one for their differences from a fixed point, divided by a power of two.

    Each difference has an error of u of itself; their weighted squares (n,) say what that moves the optimum's root by.
    """
    root = sqrt(max(bound, 0.0)) * (1.0 - 4.0 * ROUNDOFF) - ROUNDOFF * sqrt(float(squares.sum()))
    return max(0.0, root) ** 2 * unit**2 * (1.0 - 4.0 * ROUNDOFF)


def column_bound(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    value: float,
    *,
    gap: float = 1e-3,
    deadline: Deadline,
    progress: Callable[[float, float], None] | None = None,
) -> float:
    """A certain lower bound on the within-cluster sum of squares of points (n, d), d <= 3.

    Parameters
    ----------
    X : (n, d) ndarray
        Points.
    polytope : PartitionPolytope
        Size bounds and weights; where they differ among clusters the widest count.
    value : float
        Value of a known clustering.
    gap : float
        Relative gap at which to stop.
    deadline : Deadline
        When to stop; the bound holds whenever it does.
    progress : callable, optional
        Called with (bound so far, seconds) after every search of centres.

    Notes
    -----
    A search of centres evaluates f some hundred (plane) to ten thousand times (space), O(n) each, or O(cells). What
    the bound lacks is the integrality gap of choosing clusters, what (2) loses, about the square of the grid's width,
    and likewise the cells.
    """
    if not value > 0.0:
        return 0.0
    weights = polytope.point_weights
    X, weights = X[weights > 0], weights[weights > 0]
    origin, unit = weights @ X / weights.sum(), power_of_two(X - X.mean(axis=0))
    P, slack = (X - origin) / unit, 2.0 * polytope.slack
    lower = max(float(polytope.lower.min()) - slack, 0.0)
    upper = min(float(polytope.upper.max()) + slack, float(weights.sum()) * (1.0 + 1e-9))
    whole = _Points(P, weights, lower, upper, polytope.n_clusters, polytope.weights is None)
    squares = weights * (P**2).sum(axis=1)

    def given(bound: float) -> float:
        return of_given_points(bound, squares, unit)

    def report(bound: float) -> None:
        if progress is not None:
            progress(given(bound), deadline.elapsed)

    return given(_by_stages(whole, value / unit**2, gap, deadline, report))


def _by_stages(whole: _Points, value: float, gap: float, deadline: Deadline, report: Callable[[float], None]) -> float:
    """(1) for all points, after samples and coarser grids have said about where the best prices are."""
    box, total, grids = box_of(whole.P), float(whole.w.sum()), GRIDS[whole.P.shape[1]]
    samples = [whole.sample(m) for m in SAMPLES if 4 * m <= len(whole.P)]
    cells = [whole.gathered(m) for m in CELLS if 4 * m <= len(whole.P)]
    samples = samples[:1] + cells if cells else [*samples, whole]
    stages = [(samples[0], per) for per in grids] + [(points, grids[-1]) for points in samples[1:]]
    width, hats, master, best, walls = 8.0 * value / total, None, None, -np.inf, _walls(samples[-2:][0], deadline)
    for points, per in stages:
        finer, seconds = _Hats(box[0].min(axis=0), box[0].max(axis=0), per, walls), 0.0
        eta = np.zeros(len(finer))
        if hats is not None and master is not None:
            places, heights = hats._hats(finer.nodes())
            eta[: len(places)] = (master.eta[places] * heights).sum(axis=1)
            eta[len(places) :] = master.eta[hats.per ** len(hats.low) :]
            seconds = master.seconds * len(points.P) / len(master.points.P)
        of_all = points is whole or points.cells is not None
        fine, part = of_all and per == grids[-1], value * float(points.w.sum()) / total
        sides = [] if points.cells is None else finer.sides(points.cells)
        hats, master = finer, _Master(points, *finer.at(points.P), eta, width, sides, seconds=seconds)
        share = 1.0 if (points, per) == stages[-1] else LATE if fine else EARLY
        left = Deadline(share * deadline.left) if deadline.left is not None and share < 1.0 else deadline
        tolerance = max(0.05 * gap, 1e-9 if fine else SURE / sqrt(len(points.P))) * part / whole.n_clusters
        for found in master.improve(box, tolerance, part * (1.0 - gap) if of_all else np.inf, left):
            best = max(best, found) if of_all else best
            report(best)
        if of_all:
            best = max(best, master.best)
            if best >= value * (1.0 - gap):
                break
        width = 8.0 * master.width if fine else 0.5 * value / total
    return best


def _walls(points: _Points, deadline: Deadline) -> NDArray[np.float64]:
    """The functions (d + 1, k) whose largest one says the cluster, of a good clustering of some points; or none."""
    P, k, share = points.P, points.n_clusters, len(points.P) / float(points.w.sum())
    if k > min(FOLDED, len(P)):
        return np.zeros((P.shape[1] + 1, 0))
    bounds = min(int(points.lower * share), len(P) // k), max(int(points.upper * share), -(-len(P) // k))
    left = Deadline(None if deadline.left is None else EARLY * deadline.left)
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
