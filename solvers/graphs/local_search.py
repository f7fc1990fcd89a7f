"""Local search among clusterings with connected clusters: points move between neighbours, by simulated annealing.

A point moves to the cluster of a neighbour where the cluster that it leaves stays connected. Bounds may be broken on
the way: sizes outside them are charged, at a rate that rises while one is broken and falls while all are kept. The best
clustering within all bounds is kept.

References
----------
Duque, Church and Middleton (2011), The p-regions problem, Geographical Analysis 43; Glover (1977), Heuristics for
integer programming using surrogate constraints, Decision Sciences 8, for the changing charge.
"""

from __future__ import annotations

import heapq
from collections import namedtuple
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.jit import njit
from ...models.polytope.connection import Connection
from .cluster_bounds import ClusterBounds

TEMPERATURES = 30  # Temperatures of an annealing.
TRIES = 200  # Moves tried per point and temperature: twice as many find little more in twice the time.


@njit(cache=True)
def _stays(
    v: int, own: int, labels: NDArray[np.int64], indptr: NDArray[np.int32], indices: NDArray[np.int32],
    seen: NDArray[np.int64], stamp: int, queue: NDArray[np.int64],
) -> bool:  # fmt: skip
    """Whether a cluster stays connected without its point v: its neighbours reach each other."""
    wanted, start = 0, -1
    for e in range(indptr[v], indptr[v + 1]):
        if labels[indices[e]] == own:
            wanted, start = wanted + 1, indices[e]
    if wanted <= 1:
        return wanted == 1
    for e in range(indptr[v], indptr[v + 1]):  # marked: to be reached
        if labels[indices[e]] == own:
            seen[indices[e]] = -stamp
    queue[0], head, tail = start, 0, 1
    seen[start], wanted = stamp, wanted - 1
    while head < tail and wanted:
        u = queue[head]
        head += 1
        for e in range(indptr[u], indptr[u + 1]):
            x = indices[e]
            if x != v and labels[x] == own and seen[x] != stamp:
                wanted -= seen[x] == -stamp
                seen[x] = stamp
                queue[tail] = x
                tail += 1
    return wanted == 0


@njit(cache=True)
def _over(
    sizes: NDArray[np.float64], more: NDArray[np.float64], sign: float, low: NDArray[np.float64],
    up: NDArray[np.float64], unit: NDArray[np.float64],
) -> float:  # fmt: skip
    """The charge for sizes (m,) and more, for one unit of money: linear near the bounds, steeper far away."""
    total = 0.0
    for r in range(sizes.size):
        size = sizes[r] + sign * more[r]
        by = max(low[r] - size, size - up[r], 0.0) / unit[r]
        total += by + by * by
    return total


@njit(cache=True)
def _breaks(sizes: NDArray[np.float64], low: NDArray[np.float64], up: NDArray[np.float64]) -> bool:
    """Whether one of the sizes (m,) is beyond its bounds."""
    broken = False
    for r in range(sizes.size):
        broken = broken or sizes[r] < low[r] or sizes[r] > up[r]
    return broken


Task = namedtuple("Task", "indptr indices ties costs weights lower upper")  # fmt: skip
"""Points in a graph: arcs, and what they cost between two clusters (e,); costs (n, k); weights (n, m) and bounds
(k, m) on their sums."""


@njit(cache=True)
def _change(task: Task, v: int, a: int, b: int, labels: NDArray[np.int64]) -> tuple[float, bool]:
    """What it costs to move a point from cluster a to b, and whether it has a neighbour there."""
    indptr, indices, ties, costs = task.indptr, task.indices, task.ties, task.costs
    change, beside = costs[v, b] - costs[v, a], False
    for e in range(indptr[v], indptr[v + 1]):
        own = labels[indices[e]]
        beside = beside or own == b
        change += ties[e] * (int(own == a) - int(own == b))  # of NumPy, booleans have no difference
    return change, beside


@njit(cache=True)
def _moved(
    v: int, a: int, b: int, labels: NDArray[np.int64], members: NDArray[np.int64], place: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:  # fmt: skip
    """Move a point from the members of cluster a to those of b."""
    last = members[a, counts[a] - 1]
    members[a, place[v]], place[last] = last, place[v]
    counts[a] -= 1
    members[b, counts[b]], place[v], labels[v] = v, counts[b], b
    counts[b] += 1


@njit(cache=True)
def anneal(
    task: Task, labels: NDArray[np.int64], best: NDArray[np.int64], value: float, charge: float, heat: float,
    steps: int, rng: np.random.Generator,
) -> tuple[float, float]:  # fmt: skip
    """Move and exchange points by Metropolis' rule at temperature ``heat``; changes labels (n,) and ``best`` (n,). The
    objective is costs (n, k) and half of the ``ties`` of all arcs between clusters; weights (n, m) have bounds (k, m).
    Returns the value of the best within bounds, before: ``value``, and the charge for broken bounds."""
    indptr, indices, ties, costs, weights, lower, upper = task
    n, k = costs.shape
    sizes, counts = np.zeros(lower.shape), np.zeros(k, np.int64)
    members, place = np.empty((k, n), np.int64), np.empty(n, np.int64)
    now, broken, none = 0.0, 0, np.zeros(weights.shape[1])
    counted = np.maximum(np.where(weights != 0.0, 1.0, 0.0).sum(axis=0), 1.0)
    unit = np.maximum(np.abs(weights).sum(axis=0) / counted * n / k, 1e-300)  # of n points like those that a sum counts
    # sums and lists of members, so that a step costs what its two clusters cost
    for v in range(n):
        i = labels[v]
        members[i, counts[i]], place[v] = v, counts[i]
        sizes[i], counts[i] = sizes[i] + weights[v], counts[i] + 1
        now += costs[v, i]
        for e in range(indptr[v], indptr[v + 1]):
            now += 0.5 * ties[e] * (labels[indices[e]] != i)
    for i in range(k):
        broken += _breaks(sizes[i], lower[i], upper[i])
    if not broken and now < value:
        value, best[:] = now, labels
    # marks in `seen` are numbers of steps: nothing has to be cleared between two searches
    seen, queue = np.zeros(n, np.int64), np.empty(n, np.int64)
    for step in range(1, steps + 1):
        if step % (steps // 20 + 1) == 0:
            charge *= 1.1 if broken else 0.9
        # only a point with a neighbour in the other cluster can move there and stay connected
        v = int(rng.integers(0, n))
        degree = indptr[v + 1] - indptr[v]
        if degree == 0:
            continue
        a, b = labels[v], labels[indices[indptr[v] + rng.integers(0, degree)]]
        if a == b or counts[a] == 1 or costs[v, b] == np.inf:
            continue
        change, w, u = _change(task, v, a, b, labels)[0], weights[v], -1
        if step % 2:  # an exchange
            u = members[b, rng.integers(0, counts[b])]
            if costs[u, a] == np.inf:
                continue
            labels[v] = b
            more, beside = _change(task, u, b, a, labels)
            labels[v] = a
            if not beside or counts[b] == 1:
                continue
            change, w = change + more, w - weights[u]
        # broken bounds are fined and not forbidden: tight ones would leave no way between two clusterings
        fined = (
            _over(sizes[a], w, -1.0, lower[a], upper[a], unit) + _over(sizes[b], w, 1.0, lower[b], upper[b], unit)
            - _over(sizes[a], none, 0.0, lower[a], upper[a], unit)
            - _over(sizes[b], none, 0.0, lower[b], upper[b], unit)
        )  # fmt: skip
        worse = change + charge * fined
        if worse > 0.0 and rng.random() >= np.exp(-worse / heat):
            continue
        # whether the rest stays connected costs most, so it is asked last
        if not _stays(v, a, labels, indptr, indices, seen, 2 * step, queue):
            continue
        labels[v] = b
        if u >= 0 and not _stays(u, b, labels, indptr, indices, seen, 2 * step + 1, queue):
            labels[v] = a
            continue
        # accepted: labels, lists and sums move together
        labels[v] = a
        _moved(v, a, b, labels, members, place, counts)
        if u >= 0:
            _moved(u, b, a, labels, members, place, counts)
        for i in (a, b):
            broken -= _breaks(sizes[i], lower[i], upper[i])
        sizes[a] -= w
        sizes[b] += w
        for i in (a, b):
            broken += _breaks(sizes[i], lower[i], upper[i])
        now += change
        if not broken and now < value - 1e-12 * abs(value):
            value, best[:] = now, labels
    return value, charge


def grown(
    connection: Connection, costs: NDArray[np.float64], labels: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Labels (n,) whose clusters are connected, none empty: the heaviest pieces of given ones (n,), or those with the
    points that may be nowhere else, grown over the rest where the extra cost (n, k) over the cheapest is least. A
    component has clusters in proportion to its weight."""
    n, k = costs.shape
    labels, bound = _fixed_joined(connection, costs, labels)
    # a cluster is in one component: points that others hold are given back
    part = connection.pieces(np.zeros(n, dtype=np.int64))
    served = _components_of_clusters(part, labels, weights + bound * weights.sum(), k)
    found = np.where(served[labels] == part, labels, -1)
    for _ in range(k + 1):
        pieces = connection.pieces(found)
        size = np.bincount(pieces, weights) + float(weights.sum()) * np.bincount(pieces, 1e-12 + bound)
        kept, cluster = np.full(k, -1), found[np.unique(pieces, return_index=True)[1]]
        # of a cluster in pieces the heaviest stays: it is written last
        light_first = np.argsort(size, kind="stable")
        light_first = light_first[cluster[light_first] >= 0]
        kept[cluster[light_first]] = light_first
        found = np.where((found >= 0) & (pieces == kept[found]), found, -1)
        empty = np.setdiff1d(np.arange(k), found)
        if not empty.size:
            break
        # an empty cluster starts at its cheapest point that leaves no other one empty
        i, counts = int(empty[0]), np.bincount(found[found >= 0], minlength=k)
        free = (part == served[i]) & ~bound & ((found < 0) | (counts[found] > 1))
        if not free.any():
            break
        found[np.flatnonzero(free)[costs[free, i].argmin()]] = i
    graph, cheapest, queue = connection.adjacency, costs.min(axis=1), list[tuple[float, int, int]]()

    # points outside join a neighbour's cluster, the least regret first: so clusters stay connected
    def see(v: int) -> None:
        for u in graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist():
            if found[u] < 0:
                heapq.heappush(queue, (costs[u, found[v]] - cheapest[u], u, int(found[v])))

    for v in np.flatnonzero(found >= 0).tolist():
        see(v)
    while queue:
        _, u, i = heapq.heappop(queue)
        if found[u] < 0:
            found[u] = i
            see(u)
    return found


def _fixed_joined(
    connection: Connection, costs: NDArray[np.float64], labels: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Labels (n,) in which points with one finite cost (n, k) are where they have to be, those of one cluster joined by
    paths where other fixed points leave some; and a mask (n,) of these points and paths."""
    from scipy.sparse.csgraph import breadth_first_order

    graph, finite = connection.adjacency, np.isfinite(costs)
    bound = finite.sum(axis=1) == 1
    if finite.shape[1] == 1 or not bound.any():
        return labels, np.zeros(labels.size, dtype=bool)
    labels = np.where(bound, finite.argmax(axis=1), labels)
    for i in np.unique(labels[bound]).tolist():
        root, *others = np.flatnonzero(bound & (labels == i)).tolist()
        open_ = np.flatnonzero(finite[:, i] & (~bound | (labels == i)))
        before = np.full(labels.size, -1)
        before[open_] = breadth_first_order(graph[open_][:, open_], int((open_ < root).sum()))[1]
        for v in others:
            while before[v] >= 0:
                labels[v], bound[v], v = i, True, int(open_[before[v]])
    return labels, bound


def _components_of_clusters(
    part: NDArray[np.int64], labels: NDArray[np.int64], weights: NDArray[np.float64], k: int
) -> NDArray[np.int64]:
    """The component (k,) of the graph that a cluster serves: as many as its weight asks for, those with most there."""
    from scipy.optimize import linear_sum_assignment

    count = int(part.max()) + 1
    held = np.zeros((k, count))
    np.add.at(held, (labels, part), weights)
    weight = held.sum(axis=0)
    slots = np.ones(count, dtype=np.int64)
    for _ in range(k - count):
        slots[(weight / slots).argmax()] += 1
    columns = np.repeat(np.arange(count), slots)[:k]
    rows, chosen = linear_sum_assignment(-held[:, columns])
    found = np.empty(k, dtype=np.int64)
    found[rows] = columns[chosen]
    return found


def _payable(costs: NDArray[np.float64], labels: NDArray[np.int64], more: float) -> NDArray[np.float64]:
    """Costs (n, k) in which points that are where they may not be pay more than all others, so that they can leave."""
    here, everyone = costs[np.arange(labels.size), labels], np.arange(labels.size)
    costs = costs.copy()
    costs[everyone, labels] = np.where(np.isfinite(here), here, costs[np.isfinite(costs)].max() + more)
    return costs


def searched(
    costs: NDArray[np.float64], connection: Connection, bounds: ClusterBounds, start: NDArray[np.int64],
    rng: np.random.Generator, deadline: Deadline, *, cuts: bool = False,
    resite: Callable[[NDArray[np.int64]], tuple[float, NDArray[np.float64]]] | None = None, heat: float = 1.0,
) -> NDArray[np.int64] | None:  # fmt: skip
    """The best connected clustering (n,) within bounds that annealing finds from labels (n,), at costs (n, k), or None.
    With ``cuts``, weights of edges between clusters are costs, too; ``resite`` gives the objective of a clustering and
    the costs at its sites; a ``heat`` below 1 leaves more of a good start."""
    n, graph = start.size, connection.adjacency
    labels, barred = grown(connection, costs, start, bounds.weights[:, 0]), not bounds.allowed.all()
    best, least, charge = labels.copy(), np.inf, 0.0
    kept: NDArray[np.int64] | None = None
    spread = np.diff(np.sort(np.where(np.isfinite(costs), costs, costs[np.isfinite(costs)].max()), axis=1)[:, :2])
    top = float(spread.mean()) if costs.shape[1] > 1 else 0.0
    ties = connection.arc_weights if cuts else np.zeros(graph.nnz)
    top = max(top, float(ties.mean()) if ties.size else 0.0, 1e-300)
    for now in np.geomspace(heat * top, 1e-3 * heat * top, TEMPERATURES):
        charge, value = charge or now * n, np.inf
        if kept is not None and now < 0.03 * heat * top:
            labels = kept.copy()
        paid = _payable(costs, labels, n * top) if barred else costs
        task = Task(graph.indptr, graph.indices, ties, paid, bounds.weights, bounds.lower, bounds.upper)
        value, charge = anneal(task, labels, best, value, charge, now, TRIES * n, rng)
        if np.isfinite(value):
            value = value if resite is None else resite(best)[0]
            if value < least and bounds.allowed[np.arange(n), best].all():
                kept, least = best.copy(), value
        if resite is not None:
            costs = resite(labels)[1]
        if not deadline.allows():
            break
    return kept
