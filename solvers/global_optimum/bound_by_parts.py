"""Divide and conquer: a bound for many points from parts that mirror the whole.

Give every part t weights w_jt >= 0 that sum to at most the weight w_j of every point. Then

    (1)  opt(w) >= sum_t opt(w_.t)      without lower bounds on sizes in the parts

since the optimal clustering costs in the parts what it costs in all, and centres of its own only make a part cheaper.
Upper bounds stay: a cluster in a part is at most as large as in the whole. Parts that resemble the whole lose little:

    every cluster of a good clustering is cut into boxes of as many neighbours as there are parts, and every part gets
    one point of each box, so that the optima of the parts are alike;
    points of a box change places between parts until the means of every cluster are alike in all parts;
    where a box has fewer points than there are parts, some are shared: a point in m parts weighs w_j / m in each. A box
    of one point is in all of them: points of small clusters, and those that are farthest from their centres, without
    which a part would use a centre elsewhere.

So the points of two parts match one by one, the multipliers of one part's relaxation are nearly right for the next,
and most parts need one eigenvalue decomposition and a few steps. What is lost falls with the size of the parts: after a
first pass over small ones, others over larger ones use the time that is left. Equal points are one heavy point, unless
an upper bound on sizes could divide them.

References: Croella, Piccialli and Sudoso (2025), arXiv 2502.08397, for parts with swaps within a cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ...base.blas import one_blas_thread
from ...base.deadline import Deadline
from ...base.threads import share
from ...models.objectives.interval import ROUNDOFF, objective_interval
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from ..exchange.local_search import local_search, placed
from ..exchange.neighbourhood import TOTALS, Neighbourhood
from .incumbent import projected_centres
from .sdp import Iterates, too_large

PART, MOST = 160, 1000  # Points per part of divide and conquer, at first and at most.
LEAST_GAP = 1e-9  # Smallest relative gap asked of a part or a tree, since rounding keeps bounds from closing.
SHARE = 0.6  # Fraction of the remaining time that a larger part may take, judging by the first parts.
ROUNDS, STEPS = 400, 10  # Rounds per part at most, and steps per round.
FEWEST = 22  # Points per cluster in the first parts, on average.
FIRST = 6  # Rounds with little gain that the first part may have; each later part has half of them.
SMALL = 8  # A cluster with fewer points per part has all its points in every part.


def bound_by_parts(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    *,
    target: float,
    deadline: Deadline,
    links: Links | None = None,
    progress: Callable[[float, int], object] = lambda bound, count: None,
) -> NDArray[np.int64]:
    """Tell a lower bound and the number of parts that prove it, again and again with parts as large as the time left
    allows. Returns the best labels (n,) that the parts' relaxations led to."""
    items = Items.of(X, polytope, labels, links)
    largest = min(MOST, max(len(items.X) // 2, 1))
    part = float(min(max(PART, FEWEST * polytope.n_clusters), largest))
    last = False
    while True:
        started, goal = deadline.elapsed, target if last else None
        found, took = _pass(items, part, goal, deadline, progress, 1 + last), deadline.elapsed - started
        items = items.improved()
        larger = largest if deadline.left is None else min(part * sqrt(SHARE * deadline.left / took), largest)
        # a last pass that took less time than expected leaves some for another one
        if (last and larger < 1.1 * part) or not deadline.allows() or found >= target:
            return items.labels
        # slightly larger parts bring nothing new: continue with the same parts for more rounds
        part, last = larger if last or larger >= 1.5 * part else part, larger < 3.0 * part or larger == largest


def divide_and_conquer_bound(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    *,
    part: int = PART,
    links: Links | None = None,
    target: float | None = None,
    time_limit: float | None = None,
) -> float:
    """A lower bound on the within-cluster sum of squares of many points. Shapes: X (n, d), labels (n,)."""
    return _pass(Items.of(X, polytope, labels, links), part, target, Deadline(time_limit))


@dataclass(eq=False)
class Items:
    """What is dealt to parts: points, equal points as one, or groups that must-links keep together, at their means."""

    points: NDArray[np.float64]
    polytope: PartitionPolytope
    labels: NDArray[np.int64]
    links: Links | None
    members: list[NDArray[np.int64]]  # Points of every item; the first of equal points.
    X: NDArray[np.float64]  # (m, d)
    masses: NDArray[np.float64]
    clusters: NDArray[np.int64]
    plain: bool  # Whether all masses are one.
    centres: NDArray[np.float64] | None = None  # Best centres that a part's relaxation led to.
    cost: float = np.inf

    @classmethod
    def of(
        cls, X: NDArray[np.float64], polytope: PartitionPolytope, labels: NDArray[np.int64], links: Links | None
    ) -> Items:
        """Items of some weight."""
        weights, n = polytope.point_weights, len(X)
        if links is not None:
            group = links.blocks
        elif (polytope.upper >= polytope.total).all():
            group = np.unique(X, axis=0, return_inverse=True)[1].ravel()
        else:
            group = np.arange(n)
        masses = np.bincount(group, weights).astype(np.float64)
        order = np.argsort(group, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(group))[:-1])
        if links is None:
            members = [points[:1] for points in members]
            # rounded down, so that (1) holds
            masses = masses * (1.0 - ROUNDOFF * np.bincount(group) * (polytope.weights is not None))
        sums = np.column_stack([np.bincount(group, weights * column) for column in X.T])
        means = sums / np.where(masses > 0, masses, 1.0)[:, None]
        first = np.array([points[0] for points in members])
        heavy = masses > 0
        return cls(
            X, polytope, labels, links, [points for points, some in zip(members, heavy) if some],
            (X[first] if links is None else means)[heavy], masses[heavy], labels[first][heavy],
            polytope.weights is None and len(masses) == n,
        )  # fmt: skip

    def offer(self, centres: NDArray[np.float64]) -> None:
        """Keep centres (k, d) where they are the best for all items so far."""
        far = np.min([((self.X - centre) ** 2).sum(axis=1) for centre in centres], axis=0)
        cost = float(self.masses @ far)
        if cost < self.cost:
            self.cost, self.centres = cost, centres

    def improved(self) -> Items:
        """These items, with better labels where the best centres lead to some."""
        if self.centres is None or (len(self.points) > 3000 and not (self.polytope.is_free and self.links is None)):
            return self
        found = placed(self.points, self.polytope, self.centres, "lsa", self.links, 0)
        if found is None:
            return self
        found = local_search(self.points, self.polytope, found, links=self.links, rounds=0)
        before, after = (
            objective_interval(self.points, y, "lsa", self.polytope.weights)[1] for y in (self.labels, found)
        )
        return Items.of(self.points, self.polytope, found, self.links) if after < before else self


def _pass(
    items: Items,
    part: float,
    target: float | None,
    deadline: Deadline,
    progress: Callable[[float, int], object] = lambda bound, count: None,
    patience: int = 1,
) -> float:
    """The sum of (1) for parts of some size: the first part alone, then two chains of parts side by side."""
    rows, counts = dealt(items, max(1, round(len(items.X) / part)))
    parts = [_Part.of(items, row, counts[row]) for row in rows]
    total, bounds = sum(inner.value for inner in parts), np.zeros(len(parts))
    gap = 1e-3 if target is None else max(LEAST_GAP, 1.0 - target * (1.0 + 1e-9) / total) if total > 0.0 else 1.0

    def solved(t: int, state: Iterates | None, unit: float, waiting: int) -> tuple[Iterates, float]:
        model = LeastSquaresSDP(parts[t].X, parts[t].polytope, parts[t].links)
        left = Deadline(None if deadline.left is None else deadline.left / waiting)
        bounds[t], state = part_bound(model, parts[t].value, state, unit, gap, patience, left, deadline)
        deadline.missed |= left.missed
        if t < 8 and items.links is None:  # more of them bring nothing new
            items.offer(projected_centres(model.X, state.W / np.outer(model.roots, model.roots), model.polytope))
        return state, model.unit

    def chain(start: int, stop: int) -> None:
        for c in range(start, stop):
            state, unit = deepcopy(first)
            for t in range(1 + c, len(parts), 2):
                if not deadline.allows():
                    break
                state, unit = solved(t, state, unit, (len(parts) - t + 1) // 2)
                if c == 0:
                    progress(summed(), len(parts))

    def summed() -> float:
        return max(0.0, float(bounds.sum()) * (1.0 - (len(parts) + 1) * ROUNDOFF))

    with one_blas_thread():
        first = solved(0, None, 1.0, min(8, len(parts)))
        share(chain, 2)
    progress(summed(), len(parts))
    return summed()


@dataclass(frozen=True, eq=False)
class _Part:
    """Points, bounds and links of a part, and the value there of the clustering of the whole."""

    X: NDArray[np.float64]
    polytope: PartitionPolytope
    links: Links | None
    value: float

    @classmethod
    def of(cls, items: Items, row: NDArray[np.int64], counts: NDArray[np.int64]) -> _Part:
        """The part of some items (b,), each in this number of parts (b,)."""
        members = np.concatenate([items.members[item] for item in row])
        polytope, links = items.polytope, items.links
        weights = None
        if not (items.plain and (counts == 1).all()):
            own = items.masses[row] if links is None else polytope.point_weights[members]
            times = counts if links is None else np.repeat(counts, [len(items.members[item]) for item in row])
            weights = share_of(own, times)
        most = len(members) if weights is None else weights.sum()
        slack = 2.0 * polytope.slack  # `PartitionPolytope.contains` allows half of it
        inner = PartitionPolytope(len(members), 0, np.minimum(polytope.upper + slack, most), weights)
        X, own_links = items.points[members], None if links is None else _within(links, members)
        return cls(X, inner, own_links, objective_interval(X, items.labels[members], "lsa", weights)[1])


def _within(links: Links, members: NDArray[np.int64]) -> Links:
    """The links between members (m,)."""
    place = np.full(links.n_points, -1)
    place[members] = np.arange(len(members))
    must, cannot = (place[pairs] for pairs in (links.must, links.cannot))
    return Links(len(members), must[(must >= 0).all(axis=1)], cannot[(cannot >= 0).all(axis=1)])


def part_bound(
    model: LeastSquaresSDP,
    value: float,
    state: Iterates | None,
    unit: float,
    gap: float,
    patience: int,
    left: Deadline,
    deadline: Deadline,
    rounds: int = ROUNDS,
) -> tuple[float, Iterates]:
    """The bound of one part, from the multipliers of another one with points in the same boxes, if any, and its own."""
    best, values, window = 0.0, list[float](), FIRST * patience
    if state is None:
        state = Iterates.start(model)
    else:
        window = FIRST * patience // 2
        state.rho *= (unit / model.unit) ** 2  # multipliers are kept in the unit of the points
        state.seconds = 0.0
        best = model.safe(state.safe_bound(model))
    for _ in range(min(rounds, ROUNDS)):
        if value - best <= gap * value or not (left.allows() and deadline.allows()):
            break
        values.append(best)
        state.advance(model, STEPS, left)
        best = max(best, model.safe(state.safe_bound(model)))
        if len(values) >= window and best > 0.0 and best - values[-window] < 0.03 * (value - best):
            break
        state.separate(model, left)
    return best, state


def is_one_part(model: LeastSquaresSDP, deadline: Deadline) -> bool:
    """Whether one relaxation of all points fits in the time."""
    return len(model.X) <= MOST if deadline.left is None else not too_large(model, deadline)


def relaxed_bound(model: LeastSquaresSDP, value: float, deadline: Deadline, rounds: int = ROUNDS) -> float:
    """The bound of one relaxation of all points; 0 where it does not fit in the time."""
    if not is_one_part(model, deadline):
        return 0.0
    return part_bound(model, value, None, 1.0, LEAST_GAP, 2, deadline, deadline, rounds)[0]


def share_of(weights: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Weights in each part, rounded down if there are several parts, so that (1) holds."""
    return np.where(counts > 1, np.nextafter(weights / counts, 0.0), weights)


def dealt(items: Items, n_parts: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Items (n_parts, b) of every part, one of every box, and in how many parts (m,) each of them is."""
    X, clusters, rng = items.X, items.clusters, np.random.default_rng(0)
    names, clusters = np.unique(clusters, return_inverse=True)
    sizes, columns = np.bincount(clusters), list[NDArray[np.int64]]()
    centres = np.array([items.masses[clusters == i] @ X[clusters == i] for i in range(len(names))])
    Y = X - (centres / np.bincount(clusters, items.masses)[:, None])[clusters]
    # items of all parts: small clusters, then what is far, at most half of a part's own
    everywhere, room = np.zeros(len(X), dtype=bool), len(X) // (2 * n_parts) if n_parts > 1 else 0
    for i in np.argsort(sizes, kind="stable"):
        if sizes[i] < SMALL * n_parts and everywhere.sum() + sizes[i] <= room:
            everywhere |= clusters == i
    spread = np.where(everywhere, -1.0, items.masses * (Y**2).sum(axis=1))
    count = min(len(X) // (8 * n_parts), room - int(everywhere.sum())) if n_parts > 1 else 0
    everywhere[np.argsort(-spread, kind="stable")[:count]] = True
    for i in range(len(names)):
        members = rng.permutation(np.flatnonzero((clusters == i) & ~everywhere))
        rest = len(members) % n_parts
        if rest:
            columns.append(members[np.arange(n_parts) * rest // n_parts])
        columns += alike(items.masses[:, None] * Y, boxes(X, members[rest:], n_parts), rng)
    rows = np.column_stack([*columns, *np.repeat(np.flatnonzero(everywhere)[:, None], n_parts, axis=1)])
    counts = np.bincount(rows.ravel(), minlength=len(X))
    return rows, counts


def alike(P: NDArray[np.float64], cut: list[NDArray[np.int64]], rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """The boxes of a cluster with their items in an order by which all parts have nearly the same sum of P (m, d)."""
    if not cut or len(cut[0]) == 1:
        return cut
    together, n_parts = np.array(cut), len(cut[0])
    points, size = P[together.ravel()], np.full(n_parts, float(len(cut)))
    start = rng.permuted(np.tile(np.arange(n_parts), (len(cut), 1)), axis=1)
    swaps = Neighbourhood(
        points, np.ones(len(points)), size, size, TOTALS, 1.0, kinds=np.repeat(np.arange(len(cut)), n_parts),
        exchanges=True,
    )  # fmt: skip
    # less than that is nothing compared with the sum of squares
    part = swaps.descend(start.ravel(), gain=1e-5 * float((points**2).sum()) / n_parts)
    return list(np.take_along_axis(together, np.argsort(part.reshape(start.shape), axis=1), axis=1))


def boxes(X: NDArray[np.float64], members: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    """Members in boxes of ``size`` points each, halved across their longest side again and again."""
    count = len(members) // size
    if count <= 1:
        return [members] if count else []
    values = X[members]
    axis = int((values.max(axis=0) - values.min(axis=0)).argmax())
    order, cut = np.argpartition(values[:, axis], count // 2 * size), count // 2 * size
    return boxes(X, members[order[:cut]], size) + boxes(X, members[order[cut:]], size)
