"""All connected clusters within bounds, where they are few: the best partition into them is a set partitioning problem.

Sets        connected clusters c whose weight is within the bounds and whose rest can be served
Data        cost d_c of every cluster
Variables   z_c whether it is chosen

    min  sum_c d_c z_c      (1)  sum_{c holds j} z_c = 1 for every point j      (2)  sum_c z_c = k,  z_c in {0, 1}

Every objective that is a sum over clusters is solved to the optimum in this way: the duals of the linear relaxation are
prices of the points, and implicit enumeration goes through the clusters of a point in the order of their reduced cost.

References
----------
Garfinkel and Nemhauser (1970), Optimal political districting by implicit enumeration techniques, Management Science 16.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError
from ...base.jit import njit
from ...base.status import Status
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.program import TOLERANCES, Program
from ..linear_program import solve_linear

CLUSTERS = 200_000  # that are listed at most: with more the linear program over them takes longer than a local search
STEPS = 10_000_000  # between two looks at the clock: about a second
LOOKS = 3  # after which a list is given up, and, without a time limit, the search for the best partition


@njit(cache=True)
def _rest_is_served(
    held: NDArray[np.bool_], indptr: NDArray[np.int32], indices: NDArray[np.int32], weights: NDArray[np.float64],
    low: float, up: float, k: int, seen: NDArray[np.bool_], queue: NDArray[np.int64],
) -> bool:  # fmt: skip
    """Whether sums allow the components of what is not held to be divided among k - 1 clusters."""
    seen[:] = held
    fewest, most = 0, 0
    for start in range(held.size):
        if seen[start]:
            continue
        seen[start], queue[0], head, tail, weight = True, start, 0, 1, 0.0
        while head < tail:
            v = queue[head]
            head += 1
            weight += weights[v]
            for e in range(indptr[v], indptr[v + 1]):
                if not seen[indices[e]]:
                    seen[indices[e]], queue[tail] = True, indices[e]
                    tail += 1
        need, may = max(1, int(np.ceil(weight / up))), k if low <= 0.0 else int(weight / low)
        if need > may:
            return False
        fewest, most = fewest + need, min(most + may, 2 * k)
    return fewest <= k - 1 <= most or (fewest == 0 and k == 1)


@njit(cache=True)
def _grow(
    indptr: NDArray[np.int32], indices: NDArray[np.int32], weights: NDArray[np.float64], low: float, up: float, k: int,
    found: NDArray[np.bool_], count: int, held: NDArray[np.bool_], barred: NDArray[np.bool_], taken: NDArray[np.int64],
    depth: int, load: float, fresh: bool,
) -> tuple[int, int, float, bool]:  # fmt: skip
    """Write connected clusters that hold what is ``held`` (n,) into ``found`` (q, n) from row ``count`` on, until all
    are written, at depth -1, or `STEPS` are done; then it may go on from what it returns.

    A neighbour is taken, or ``barred`` (n + 1, n) for good. The count is -1 where there are too few rows.
    """
    seen, queue = np.zeros(weights.size, np.bool_), np.empty(weights.size, np.int64)
    for _ in range(STEPS):
        if depth < 0:
            break
        if fresh and load >= low and _rest_is_served(held, indptr, indices, weights, low, up, k, seen, queue):
            if count == found.shape[0]:
                return -1, depth, load, fresh
            found[count] = held
            count += 1
        # any neighbour of what is held will do: taken and barred are the two branches
        fresh, chosen = False, -1
        for place in range(depth + 1):
            for e in range(indptr[taken[place]], indptr[taken[place] + 1]):
                x = indices[e]
                if not held[x] and not barred[depth, x] and load + weights[x] <= up:
                    chosen = x
                    break
            if chosen >= 0:
                break
        if chosen >= 0:
            barred[depth, chosen] = True  # for what follows at this depth; below, it is in
            barred[depth + 1] = barred[depth]
            depth += 1
            held[chosen], taken[depth], fresh = True, chosen, True
            load += weights[chosen]
        else:
            held[taken[depth]] = False
            load -= weights[taken[depth]]
            depth -= 1
    return count, depth, load, fresh


def all_clusters(polytope: PartitionPolytope, deadline: Deadline) -> NDArray[np.bool_] | None:
    """Connected clusters (q, n) within bounds, the same for all; None where there are more, or it takes long."""
    graph, n = polytope.connection, polytope.n_points
    assert graph is not None
    if n > 62:  # clusters are bits of one number
        return None
    found, count, looks, weights = np.zeros((CLUSTERS, n), dtype=bool), 0, 0, polytope.point_weights
    least, most = float(polytope.lower.min()) - polytope.slack, float(polytope.upper.max()) + polytope.slack
    for root in np.flatnonzero(weights <= most).tolist():
        # smaller points are barred: every cluster is written once, from its first point
        held, barred, taken = np.zeros(n, dtype=bool), np.zeros((n + 1, n), dtype=bool), np.full(n + 1, root)
        held[root], barred[0, :root] = True, True
        depth, load, fresh = 0, float(weights[root]), True
        while depth >= 0:
            count, depth, load, fresh = _grow(
                graph.adjacency.indptr, graph.adjacency.indices, weights, least, most, polytope.n_clusters, found,
                count, held, barred, taken, depth, load, fresh,
            )  # fmt: skip
            looks += depth >= 0
            if count < 0 or looks >= LOOKS or not deadline.allows():
                return None
    return found[:count]


@njit(cache=True)
def _cheapest_cover(
    masks: NDArray[np.uint64], starts: NDArray[np.int64], prices: NDArray[np.float64], everyone: np.uint64,
    chosen: NDArray[np.int64], place: NDArray[np.int64], paid: NDArray[np.float64], held: NDArray[np.uint64],
    depth: int, least: float,
) -> tuple[int, float]:  # fmt: skip
    """Search for the k disjoint clusters of ``least`` total price that hold everyone, written into ``chosen`` (k,),
    until all are excluded, at depth -1, or `STEPS` are done; then it may go on from what it returns.

    Clusters are sorted by their first point, those of point j from ``starts[j]`` on, and by price, which is at least 0.
    """
    k = chosen.size
    for _ in range(STEPS):
        if depth < 0:
            break
        first = 0
        while (held[depth] >> np.uint64(first)) & np.uint64(1):
            first += 1
        at = place[depth] if place[depth] else starts[first]
        while at < starts[first + 1] and masks[at] & held[depth]:
            at += 1
        if at == starts[first + 1] or paid[depth] + prices[at] >= least:
            place[depth] = 0
            depth -= 1
            continue
        place[depth] = at + 1
        now, total = held[depth] | masks[at], paid[depth] + prices[at]
        if now == everyone:
            if depth == k - 1:
                least = total
                for i in range(k):
                    chosen[i] = place[i] - 1
        elif depth < k - 1:
            depth += 1
            held[depth], paid[depth] = now, total
    return depth, least


def best_partition(
    clusters: NDArray[np.bool_], costs: NDArray[np.float64], k: int, deadline: Deadline
) -> tuple[NDArray[np.int64], float] | None:
    """The cheapest partition (n,) into k of the clusters (q, n) with costs (q,), and by how much rounding may err; None
    where it takes too long.

    Prices of points from the linear relaxation make all costs non-negative, and few clusters cheap.
    InfeasibleBoundsError where there is no partition.
    """
    import scipy.sparse as sp

    (q, n), chosen = clusters.shape, np.full(k, -1)
    none = InfeasibleBoundsError(
        f"all connected clusters within the bounds were enumerated, {q} leave a rest that sums do not exclude, and no "
        f"{k} of them hold every point once: widen the bounds, or add edges"
    )
    if not q:
        raise none
    unit = max(float(np.abs(costs).max()), 1e-300)
    sides = np.append(np.ones(n), float(k))
    matrix = sp.csc_array(sp.vstack([sp.csr_array(clusters.T.astype(np.float64)), sp.csr_array(np.ones((1, q)))]))
    answer = solve_linear(Program(costs, matrix, sides, sides, np.zeros(q), np.ones(q)), TOLERANCES, deadline)
    if answer.outcome is Status.INFEASIBLE:
        raise none
    if answer.row_duals is None:
        return None
    duals = answer.row_duals / unit
    prices = costs / unit - duals @ matrix
    prices -= min(float(prices.min()), 0.0)  # k of them are chosen whatever a constant
    first = clusters.argmax(axis=1)
    order = np.lexsort((prices, first))
    masks = (clusters.astype(np.uint64) << np.arange(n, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
    starts, everyone = np.searchsorted(first[order], np.arange(n + 1)), np.uint64(2**n - 1)
    masks, prices = masks[order], prices[order]
    place, paid, held = np.zeros(k, dtype=np.int64), np.zeros(k + 1), np.zeros(k + 1, dtype=np.uint64)
    depth, least, looks = 0, np.inf, 0
    while depth >= 0:
        if not deadline.allows() or (deadline.left is None and looks == LOOKS):
            return None
        depth, least = _cheapest_cover(masks, starts, prices, everyone, chosen, place, paid, held, depth, least)
        looks += 1
    if chosen[0] < 0:
        raise none
    chosen, total = order[chosen], float(costs[order[chosen]].sum())
    size = 1.0 + float((np.abs(duals) @ matrix).max())
    rounding = 2 * n * k * float(np.finfo(float).eps) * unit * size
    if rounding > 1e-9 * abs(total) and costs.min() >= 0.0 and (costs > total).any():  # once more, in smaller units
        return best_partition(clusters[costs <= total], costs[costs <= total], k, deadline)
    return clusters[chosen].argmax(axis=0), rounding if costs.min() < 0.0 else min(rounding, total)
