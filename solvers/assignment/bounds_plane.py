"""The plane of bounds: the optimum of the assignment program for fixed sites as a function of both common size bounds.

    V(l, u) = max sum_ij gamma_ij xi_ij   over  P(l, u):  l <= sum_j xi_ij <= u  for all clusters i

V is jointly concave and piecewise linear (as a maximum; a least-squares cost is convex), with slopes

    (1)  dV/dl = - sum_i mu_i^-  <= 0,        dV/du = sum_i mu_i^+  >= 0

Exact, by rows. The assignment at (l, n) walks to (l + 1, n), and a copy of it along u from its largest size, above
which nothing changes, down to n/k (`parametric_flow`). All whole pairs are met, without a solve from scratch.

Enclosed, for large tables. In each triangle of solved pairs p, whose prices give slopes g_p, concavity says

    (2)  interpolation of V between the corners  <=  V(l, u)  <=  min over p of  V_p + g_p . ((l, u) - p)

The largest distance of both surfaces in a triangle is a linear program in two weights. In every round the pairs have
a Delaunay triangulation, and triangles in which the distance is more than a given part of what equal sizes cost get one
more pair, in the middle of their longest edge.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import Delaunay

from ...base.checks import as_array, in_interval, instance_of, one_of, single_number
from ...base.errors import CapabilityError, InfeasibleBoundsError, InvalidInputError, NotOptimalError
from ...base.one_line import OneLine
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...output.style import axes_of
from ..solution import AssignmentSolution
from .bounds_path import WalkState
from .named_bounds_path import value_of
from .parametric_flow import Marks
from .solve import solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Shown = Literal["cost", "price_lower", "price_upper", "accuracy"]
TITLES = {
    "cost": "Price of balance",
    "price_lower": "Price of one more in l",
    "price_upper": "Price of one less in u",
    "accuracy": "Accuracy of majorities",
}


@dataclass(frozen=True, eq=False, repr=False)
class BoundsPlane(OneLine):
    """The optimum over the plane of common bounds l <= size <= u, for fixed scores.

    Attributes
    ----------
    model : AssignmentModel
        The program; its own size bounds play no part.
    table : pandas.DataFrame
        A row for every whole pair (l, u) of an exact plane, up to the largest size of a cluster, from which on an
        upper bound changes nothing, or for every pair that was solved: ``l``, ``u``, ``value`` (the cost of a model
        that has one, otherwise the sum of scores), ``cost`` (by how much that is worse than without bounds),
        ``price_lower`` and ``price_upper`` (what the next whole bound costs, or where pairs were solved the slopes of
        ``cost`` there), ``region`` (of ``regions``), with classes ``accuracy`` (the share of points that are of the
        largest class in their cluster), and ``clustering`` (a digest: equal for equal labels).
    regions : pandas.DataFrame
        The sets of bounds that hold with equality: clusters ``at_lower`` and ``at_upper``, in how many rows of the
        table they do, and between which l and u.
    gap : float
        Largest distance of the two surfaces, as a part of what equal sizes cost; 0 when the plane is exact.
    triangles : (m, 3) ndarray of int
        Rows of the table that enclose the others; none when the plane is exact.
    slopes : (rows, 2) ndarray
        Of the value in l and u at the pairs that were solved; none when the plane is exact.
    """

    model: AssignmentModel
    table: pd.DataFrame
    regions: pd.DataFrame
    gap: float
    triangles: NDArray[np.int64]
    slopes: NDArray[np.float64]

    def at(self, l: float, u: float) -> tuple[float, float]:
        """Two numbers that enclose the optimum at a pair: equal at the whole pairs of an exact plane.

        Parameters
        ----------
        l, u : float
            Common bounds with l <= n/k <= u; between whole numbers they are those of the linear program.

        Returns
        -------
        tuple of float

        Raises
        ------
        InfeasibleBoundsError
            When no assignment has such sizes.
        """
        l, u = self._pair(l, u)
        if self.gap == 0.0:
            whole = int(l) == l and int(u) == u
            value = self._exact[int(l)][int(u)] if whole else value_of(self.solve(l, u))
            return value, value
        corner = self._points[self.triangles]  # (m, 3, 2)
        edges = np.stack([corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]], axis=2)
        two = np.linalg.solve(edges, (np.array([l, u]) - corner[:, 0])[:, :, None])[:, :, 0]
        weights = np.column_stack([1.0 - two.sum(axis=1), two])
        inside = int(weights.min(axis=1).argmax())
        values: NDArray[np.float64] = self.table["value"].to_numpy()
        chord = float(weights[inside] @ values[self.triangles[inside]])
        planes: NDArray[np.float64] = values + ((np.array([l, u]) - self._points) * self.slopes).sum(axis=1)
        return (float(planes.max()), chord) if self.model.has_cost else (chord, float(planes.min()))

    def solve(self, l: float, u: float) -> AssignmentSolution:
        """The certified optimum at a pair, with its labels and prices; arguments and errors are those of `at`."""
        return _solved(self.model, *self._pair(l, u), None)

    def plot(self, of: Shown = "cost", ax: Axes | None = None) -> Axes:
        """Draw a column of the table over the plane, with contours of the cost or the boundaries of the regions.

        Parameters
        ----------
        of : {"cost", "price_lower", "price_upper", "accuracy"}
            What the colours show.
        ax : matplotlib.axes.Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        InvalidInputError
            When ``of`` is not a column that the table has.
        """
        one_of(of, "of", tuple(name for name in TITLES if name in self.table))
        axes, table, colours = axes_of(ax), self.table, "cividis" if of == "accuracy" else "viridis"
        if self.gap > 0.0:
            x, y, value = (table[name].to_numpy(float) for name in ("l", "u", of))
            drawn: Any = axes.tripcolor(
                x, y, value, triangles=self.triangles, shading="gouraud", cmap=colours, rasterized=True
            )
        else:
            # above the largest size of a row nothing changes: its last value goes on to the top of the picture
            grid = table.pivot(index="u", columns="l", values=of).ffill()
            walls = table.pivot(index="u", columns="l", values="region").ffill()
            drawn = axes.pcolormesh(grid.columns, grid.index, grid, shading="nearest", cmap=colours, rasterized=True)
            for region in np.unique(walls)[1:]:
                axes.contour(walls.columns, walls.index, walls == region, [0.5], colors="white", linewidths=0.5)
        axes.figure.colorbar(drawn, ax=axes)
        axes.margins(0)
        axes.set(xlabel="lower bound l", ylabel="upper bound u", title=TITLES[of])
        return axes

    def _pair(self, l: float, u: float) -> tuple[float, float]:
        """The pair as floats, with u no larger than matters."""
        l, u = (single_number(value, name) for value, name in ((l, "l"), (u, "u")))
        n, k = self.model.polytope.n_points, self.model.polytope.n_clusters
        if not 0 <= l <= n / k <= u:
            raise InfeasibleBoundsError(f"(l, u) = ({l:g}, {u:g}): sizes need 0 <= l <= n/k = {n / k:g} <= u")
        top = float(self._top[int(l)]) if self.gap == 0.0 else float(self.table["u"].max())
        return l, min(u, top)

    @cached_property
    def _points(self) -> NDArray[np.float64]:
        return self.table[["l", "u"]].to_numpy(np.float64)

    @cached_property
    def _exact(self) -> list[dict[int, float]]:
        return [dict(zip(rows["u"], rows["value"])) for _, rows in self.table.groupby("l")]

    @cached_property
    def _top(self) -> NDArray[np.int64]:
        return self.table.groupby("l")["u"].max().to_numpy()


def bounds_plane(model: AssignmentModel, classes: ArrayLike | None = None, gap: float | None = None) -> BoundsPlane:
    """The optimum for fixed scores over all pairs of common size bounds (l, u).

    Parameters
    ----------
    model : AssignmentModel
        The program. Its points have weight one and no masks, links or side constraints.
    classes : (n,) array_like, optional
        A class for every point: the table says how many points are of the largest class in their cluster.
    gap : float, optional
        None for all whole pairs, exactly. Otherwise pairs are solved until two surfaces enclose the optimum everywhere
        within this part of what equal sizes cost.

    Returns
    -------
    BoundsPlane

    Raises
    ------
    InvalidInputError
        If the model is not an `AssignmentModel`, classes are not one per point, or the gap is not between 0 and 1.
    CapabilityError
        When the polytope has weights, masks, links or side constraints.
    NotOptimalError
        When a walk stalls on rounding.

    Notes
    -----
    Exact up to rounding: about n^2 / k pairs, each in a few steps of O(k^2 + k log n); 16 000 pairs of 1000 points in
    ten clusters take less than a second. Enclosed: a certified solve for every pair, from the prices of the nearest
    one. The sites stay; with sites re-optimised at every bound the cost is lower.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import AssignmentModel, PartitionPolytope
    >>> from partitope.solvers import bounds_plane
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> plane = bounds_plane(AssignmentModel.lsa(X, [[1.0], [10.0]], PartitionPolytope(4, n_clusters=2)))
    >>> plane.at(1, 3), plane.at(2, 2)
    ((2.0, 2.0), (65.0, 65.0))
    """
    instance_of(model, "model", AssignmentModel)
    polytope = model.polytope
    n, k = polytope.n_points, polytope.n_clusters
    if not polytope.is_plain or polytope.weights is not None:
        raise CapabilityError(
            "the plane takes bounds on numbers of points alone, and the polytope has weights, masks, links or further "
            "rows: move one of its names with bounds_path"
        )
    codes = np.zeros(n, np.int64)
    if classes is not None:
        codes = np.unique(as_array(classes, "classes"), return_inverse=True)[1].ravel()
        if codes.size != n:
            raise InvalidInputError(f"classes has {codes.size} entries, the model {n} points: give one per point")
    if gap is not None:
        in_interval(gap, "gap", 0.0, 1.0)
    words = np.random.default_rng(0).integers(0, 2**63, (n, k)).astype(np.uint64)
    made = _Plane(model, codes, words, k, n / k)
    columns, tight, slopes, triangles, reached = made.by_rows() if gap is None else made.by_triangles(gap)
    if classes is None:
        del columns["accuracy"]
    sets, region = np.unique(tight, axis=0, return_inverse=True)
    table = pd.DataFrame({**columns, "region": region.ravel()})
    if gap is None:
        for name, side, step in (("price_lower", "l", 1), ("price_upper", "u", -1)):
            keys = table[["l", "u"]].assign(**{side: table[side] + step})
            table[name] = keys.merge(table, "left", on=["l", "u"])["cost"] - table["cost"]
    order = ["l", "u", "value", "cost", "price_lower", "price_upper", "region", "accuracy", "clustering"]
    return BoundsPlane(
        model, table[[c for c in order if c in table]], _regions(table, sets, k), reached, triangles, slopes
    )


def _regions(table: pd.DataFrame, sets: NDArray[np.bool_], k: int) -> pd.DataFrame:
    """A row for every set (2k,) of bounds that hold with equality."""
    groups = table.groupby("region")
    return pd.DataFrame({
        "at_lower": [tuple(np.flatnonzero(row[:k]).tolist()) for row in sets],
        "at_upper": [tuple(np.flatnonzero(row[k:]).tolist()) for row in sets],
        "pairs": groups.size().to_numpy(),
        **{f"{side}_{end}": getattr(groups[side], end)().to_numpy() for side in "lu" for end in ("min", "max")},
    })  # fmt: skip


def _solved(model: AssignmentModel, low: float, up: float, warm: NDArray[np.float64] | None) -> AssignmentSolution:
    """The optimum at a pair; weights of one are what bounds need that are not whole."""
    n, k = model.polytope.n_points, model.polytope.n_clusters
    weights = None if low == int(low) and up == int(up) else np.ones(n)
    return solve(replace(model, polytope=PartitionPolytope(n, low, up, weights, k)), warm_start=warm)


def _walked(state: WalkState, rates: tuple[float, float], units: int, marks: Marks | None = None) -> float:
    """The gain of a walk between bounds that admit an assignment; NotOptimalError when rounding ends it before."""
    times, gains = state.walk(*rates, float(units), marks=marks)
    if times[-1] < units - 1e-6:
        raise NotOptimalError(f"the walk along the bounds ended after {times[-1]:g} of {units} steps: use gap=")
    return float(gains[-1])


Made = tuple[dict[str, NDArray[np.generic]], NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64], float]


@dataclass(frozen=True, eq=False)
class _Plane:
    """What both ways to the plane start from."""

    model: AssignmentModel
    classes: NDArray[np.int64]  # (n,)
    words: NDArray[np.uint64]  # (n, k): Words of digests.
    k: int
    even: float

    def digest(self, labels: NDArray[np.int64]) -> np.uint64:
        """One word for labels (n,)."""
        return np.bitwise_xor.reduce(self.words[np.arange(labels.size), labels])

    def counts(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many points of each class every cluster has (k, C)."""
        most = int(self.classes.max()) + 1
        return np.bincount(labels * most + self.classes, minlength=self.k * most).reshape(self.k, most)

    def by_rows(self) -> Made:
        """All whole pairs, row by row."""
        n, last = len(self.classes), ceil(self.even)
        free = _solved(self.model, 0, n, None)
        state = WalkState.of(free, np.zeros(self.k), np.full(self.k, float(n)))
        parts: list[tuple[NDArray, ...]] = []
        worse = 0.0
        for low in range(int(self.even) + 1):
            if low:
                worse += _walked(state, (1.0, 0.0), 1)
            row = replace(state, share=state.share.copy(), sizes=state.sizes.copy(), lower=state.lower.copy())
            top = max(round(row.sizes.max()), last)
            row.upper, labels = np.full(self.k, float(top)), row.share.argmax(axis=1)
            units, table = top - last + 1, self.counts(labels)
            marks = Marks(1.0, labels, self.classes, table, self.words, np.zeros(units), np.zeros((units, self.k)),
                          np.full(units, self.digest(labels)), np.zeros(units, np.int64))  # fmt: skip
            marks.sizes[0], marks.hits[0] = row.sizes, table.max(axis=1).sum()
            _walked(row, (0.0, -1.0), units - 1, marks)
            up = top - np.arange(units)
            parts.append((np.full(units, low), up, worse + marks.gains, marks.sizes, marks.digests, marks.hits))
        lows, ups, gains, sizes, digests, hits = map(np.concatenate, zip(*parts))
        tight = np.hstack([np.abs(sizes - side[:, None]) < 1e-6 for side in (lows, ups)])
        value = value_of(free) - gains if self.model.has_cost else value_of(free) + gains
        columns = {"l": lows, "u": ups, "value": value, "cost": -gains, "clustering": digests, "accuracy": hits / n}
        return columns, tight, np.zeros((0, 2)), np.zeros((0, 3), np.int64), 0.0

    def by_triangles(self, gap: float) -> Made:
        """Solved pairs and triangles between them, until surfaces enclose the optimum."""
        n, free = len(self.classes), _solved(self.model, 0, len(self.classes), None)
        solved: dict[tuple[float, float], int] = {}
        prices: list[NDArray[np.float64]] = []
        objective: list[float] = []
        slopes: list[tuple[float, float]] = []
        rows: list[tuple[object, ...]] = []

        def add(pair: tuple[float, float]) -> None:
            if pair in solved:
                return
            known = np.array(list(solved)).reshape(-1, 2)
            near = prices[int(np.abs(known - pair).sum(axis=1).argmin())] if prices else None
            solution = _solved(self.model, *pair, near)
            labels, mu = solution.require_labels(), np.asarray(solution.prices)
            solved[pair] = len(solved)
            objective.append(solution.objective)
            prices.append(mu)
            slopes.append((np.minimum(mu, 0.0).sum(), np.maximum(mu, 0.0).sum()))
            sizes = np.bincount(labels, minlength=self.k)
            tight = np.concatenate([sizes == pair[0], sizes == pair[1]])
            rows.append((self.digest(labels), self.counts(labels).max(axis=1).sum() / n, tight))

        low, last = float(int(self.even)), float(ceil(self.even))
        top = max(float(np.bincount(free.require_labels(), minlength=self.k).max()), last + 1.0)
        for pair in ((low, last), (0.0, last), (0.0, top), (low, top)):
            add(pair)
        whole = abs(objective[0] - free.objective) or 1.0
        size, far, count = np.array([max(low, 1.0), top - last]), np.zeros(0), 0
        while len(solved) > count:
            pairs, count = np.array(list(solved)), len(solved)
            # any triangles between the pairs will do: interpolation is below V in all of them
            triangles = Delaunay(pairs / size).simplices.astype(np.int64)
            x, y = np.moveaxis(pairs[triangles[:, 1:]] - pairs[triangles[:, :1]], 1, 0)
            triangles = triangles[np.abs(x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]) > 0.5]  # corners are whole
            far = _distances(pairs[triangles], np.array(objective)[triangles], np.array(slopes)[triangles]) / whole
            for corner in pairs[triangles[far > gap]]:
                # new pairs at inner points would leave slivers
                others = corner[[1, 2, 0]]
                order = np.argsort(-np.abs((corner - others) / size).sum(axis=1), kind="stable")
                middles = np.round((corner + others) / 2.0)[order]
                # neighbours in whole numbers have none
                add(next((tuple(m) for m in middles if tuple(m) not in solved), tuple(corner[0])))
        pairs, reached = np.array(list(solved)), float(far.max(initial=0.0))
        sign = -1.0 if self.model.has_cost else 1.0
        gains = np.array(objective) - free.objective
        columns = {
            "l": pairs[:, 0].astype(int), "u": pairs[:, 1].astype(int), "value": value_of(free) + sign * gains,
            "cost": -gains, "price_lower": -np.array(slopes)[:, 0], "price_upper": np.array(slopes)[:, 1],
            "clustering": np.array([row[0] for row in rows]), "accuracy": np.array([row[1] for row in rows]),
        }  # fmt: skip
        return columns, np.array([row[2] for row in rows]), sign * np.array(slopes), triangles, max(reached, 1e-300)


def _distances(
    points: NDArray[np.float64], values: NDArray[np.float64], slopes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The largest distances (m,) of the planes (2) at the corners of triangles (m, 3, 2) from their interpolation."""
    # above[:, i, j]: how far the plane of corner i is above the value at corner j
    ways = points[:, None, :, :] - points[:, :, None, :]
    above = values[:, :, None] + (ways * slopes[:, :, None, :]).sum(axis=3) - values[:, None, :]
    scale = np.maximum(np.abs(above).max(axis=(1, 2)), 1e-300)
    above = above / scale[:, None, None]
    # max t, t <= above w, w >= 0, sum w = 1: at a vertex three of these six hold with equality
    planes = np.concatenate([above, -np.ones((len(above), 3, 1))], axis=2)
    rows = np.concatenate([planes, np.broadcast_to(np.eye(3, 4), planes.shape)], axis=1)
    best = np.zeros(len(above))
    for trio in combinations(range(6), 3):
        systems = np.concatenate([rows[:, trio], np.broadcast_to([[1.0, 1.0, 1.0, 0.0]], (len(above), 1, 4))], axis=1)
        regular = np.flatnonzero(np.abs(np.linalg.det(systems)) > 1e-12)
        right = np.broadcast_to(np.array([0.0, 0.0, 0.0, 1.0])[:, None], (regular.size, 4, 1))
        vertex = np.linalg.solve(systems[regular], right)[:, :, 0]
        w, t = vertex[:, :3], vertex[:, 3]
        below = (above[regular] @ w[:, :, None])[:, :, 0] - t[:, None]
        feasible = (w.min(axis=1) > -1e-9) & (below.min(axis=1) > -1e-9)
        best[regular[feasible]] = np.maximum(best[regular[feasible]], t[feasible])
    return best * scale
