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

from collections import namedtuple
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError
from ...base.jit import njit
from ...base.status import Status
from ...models.formats.arrays import Block, BlockRows
from ...models.polytope.connection import Connection
from ...models.polytope.links import Links, Together
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.programs.program import TOLERANCES, Program
from ...models.programs.whole_assignment import WholeAssignmentMIP
from ..assignment.cuts import Cuts
from ..linear_program import solve_linear

CLUSTERS = 200_000  # Largest list of clusters: with more, its linear program is slower than a local search.
STEPS = 1_000_000  # Steps between two looks at the clock: some hundredths of a second.
LOOKS = 30  # Looks at the clock after which the first enumeration is given up.
LONG = 300  # Looks where the list is the only proof, or where the best partition is wanted.
BITS = 62  # Largest number of points: a cluster is a set of bits of one signed number.
SEQUENCE = np.int64(0x03F79D71B4CB0A89)  # De Bruijn sequence, which finds the bit of a power of two.
FIRST_BIT = np.zeros(64, dtype=np.int64)  # Bit by the six leading bits of the product with it.
FIRST_BIT[((np.int64(1) << np.arange(63, dtype=np.int64)) * SEQUENCE >> 58) & 63] = np.arange(63)


@njit(cache=True)
def _first(mask: int) -> int:
    """The lowest bit that is set."""
    return FIRST_BIT[((mask & -mask) * SEQUENCE >> 58) & 63]


@njit(cache=True)
def _piece(start: int, inside: int, adjacent: NDArray[np.int64], weights: NDArray[np.float64]) -> tuple[int, float]:
    """The connected piece of the points ``inside`` that holds some of them, and its weight."""
    piece, edge, weight = start, start, 0.0
    while edge:
        v = _first(edge)
        edge &= edge - 1
        weight += weights[v]
        more = adjacent[v] & inside & ~piece
        piece |= more
        edge |= more
    return piece, weight


Areas = namedtuple("Areas", "adjacent weights low up k")  # fmt: skip
"""Neighbours (n,) of every point, as bits, its weight (n,), and the widest bounds of k clusters."""


Listed = namedtuple("Listed", "masks starts prices kinds everyone")  # fmt: skip
"""Clusters (q,), as bits, by their first point and then by price, which is at least 0; where those of every point
start (n + 1,), prices (q,), kinds (q,), and all points."""


Branch = namedtuple("Branch", "chosen place paid held left")  # fmt: skip
"""Where a search is: the best clusters (k,) so far; by depth the place in the list (k,), what is paid and held
(k + 1,); and how many of every kind (g,) are left."""


@njit(cache=True)
def _rest_is_served(rest: int, areas: Areas) -> bool:
    """Whether sums allow the pieces of what is left to be divided among k - 1 clusters."""
    adjacent, weights, low, up, k = areas
    fewest, most, empty = 0, 0, rest == 0
    while rest:
        piece, weight = _piece(rest & -rest, rest, adjacent, weights)
        rest &= ~piece
        need, may = max(1, int(np.ceil(weight / up))), k if low <= 0.0 else int(weight / low)
        if need > may:
            return False
        fewest, most = fewest + need, min(most + may, 2 * k)
    return fewest <= k - 1 <= most or (empty and k == 1)


@njit(cache=True)
def _grow(
    areas: Areas, stack: NDArray[np.int64], loads: NDArray[np.float64], top: int, found: NDArray[np.int64], count: int
) -> tuple[int, int]:
    """Write connected clusters into ``found`` (q,) from ``count`` on until the stack is empty, at top -1, or `STEPS`
    are done; the count is -1 where there are too many. An entry of the stack (., 3) is what a cluster holds, what it
    may not hold, and all neighbours of what it holds."""
    adjacent, weights, low, up, _ = areas
    everyone = (1 << weights.size) - 1
    for _ in range(STEPS):
        if top < 0:
            break
        held, barred, near, load = stack[top, 0], stack[top, 1], stack[top, 2], loads[top]
        top -= 1
        # any neighbour will do: taken and barred are the two branches; one that is too heavy now is so for good
        open_ = near & ~held & ~barred
        while open_ and load + weights[_first(open_)] > up:
            barred |= open_ & -open_
            open_ &= open_ - 1
        if not open_:
            continue
        x, bit = _first(open_), open_ & -open_
        # without it, what can be reached has to be heavy enough
        if load >= low or _piece(held, everyone & ~barred & ~bit, adjacent, weights)[1] >= low:
            top += 1
            stack[top, 0], stack[top, 1], stack[top, 2], loads[top] = held, barred | bit, near, load
        top += 1
        stack[top, 0], stack[top, 1], stack[top, 2] = held | bit, barred, near | adjacent[x]
        loads[top] = load + weights[x]
        if loads[top] >= low and _rest_is_served(everyone & ~(held | bit), areas):
            if count == found.size:
                return -1, top
            found[count] = held | bit
            count += 1
    return count, top


def graph_of(polytope: PartitionPolytope) -> Connection:
    """The graph in which clusters are connected."""
    assert polytope.connection is not None
    return polytope.connection


def joined(polytope: PartitionPolytope) -> tuple[PartitionPolytope, NDArray[np.int64]]:
    """The polytope in which neighbours that stay together are one point, and the point (n,) that each is a part of."""
    graph, n = graph_of(polytope), polytope.n_points
    if polytope.blocks is None:
        return polytope, np.arange(n)
    place = graph.pieces(polytope.blocks)
    ends = np.sort(place[graph.edges], axis=1)
    edges, edge = np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0, return_inverse=True)
    weights = np.bincount(edge.ravel(), graph.weights[ends[:, 0] < ends[:, 1]], len(edges)).astype(np.float64)
    inner = polytope.with_constraint(Together(Links(n), place)).contracted
    inner = inner.with_constraint(Connection(inner.n_points, edges, weights))
    # blocks in several pieces
    return inner.together(polytope.blocks[np.unique(place, return_index=True)[1]]), place


def all_clusters(polytope: PartitionPolytope, deadline: Deadline, most: int = LOOKS) -> NDArray[np.bool_] | None:
    """Connected clusters (q, n) within the widest bounds; None where there are more, or after this many looks at
    the clock. Where there are two clusters, those with the first point, and then the rest of each."""
    graph, n, k = graph_of(polytope), polytope.n_points, polytope.n_clusters
    if n > BITS:
        return None
    weights, matrix, everyone = polytope.point_weights, graph.adjacency, (1 << n) - 1
    low, up = float(polytope.lower.min()) - polytope.slack, float(polytope.upper.max()) + polytope.slack
    adjacent = np.array([(1 << matrix.indices[a:b].astype(np.int64)).sum() for a, b in pairwise(matrix.indptr)])
    areas = Areas(adjacent, weights, low, up, k)
    stack, loads = np.zeros((n + 2, 3), dtype=np.int64), np.zeros(n + 2)
    found, count, looks = np.zeros(CLUSTERS, dtype=np.int64), 0, 0
    for root in np.flatnonzero(weights[: 1 if k == 2 else n] <= up).tolist():
        # smaller points are barred: every cluster is written once, from its first point
        stack[0], loads[0], top = (1 << root, (1 << root) - 1, adjacent[root]), weights[root], 0
        if low <= weights[root] and _rest_is_served(everyone & ~(1 << root), areas):
            if count == found.size:
                return None
            found[count], count = 1 << root, count + 1
        while top >= 0:
            count, top = _grow(areas, stack, loads, top, found, count)
            looks += top >= 0
            if count < 0 or looks >= most or not deadline.allows():
                return None
    masks = np.append(found[:count], everyone ^ found[:count]) if k == 2 else found[:count]
    return (masks[:, None] >> np.arange(n)) & 1 > 0


@njit(cache=True)
def _cheapest_cover(listed: Listed, branch: Branch, depth: int, least: float) -> tuple[int, float]:
    """Search for the k disjoint clusters of ``least`` total price that hold everyone, as many of every kind as are
    ``left`` (g,), until all are excluded, at depth -1, or `STEPS` are done. Clusters are sorted by their first point,
    those of point j from ``starts[j]`` on, and by price, which is at least 0."""
    (masks, starts, prices, kinds, everyone), (chosen, place, paid, held, left) = listed, branch
    k = chosen.size
    for _ in range(STEPS):
        if depth < 0:
            break
        first = _first(~held[depth])
        at = place[depth] if place[depth] else starts[first]
        while at < starts[first + 1] and (masks[at] & held[depth] or not left[kinds[at]]):
            at += 1
        if at == starts[first + 1] or paid[depth] + prices[at] >= least:
            place[depth] = 0
            depth -= 1
            if depth >= 0:
                left[kinds[place[depth] - 1]] += 1
            continue
        place[depth] = at + 1
        now, total = held[depth] | masks[at], paid[depth] + prices[at]
        if now == everyone:
            if depth == k - 1:
                least = total
                for i in range(k):
                    chosen[i] = place[i] - 1
        elif depth < k - 1:
            left[kinds[at]] -= 1
            depth += 1
            held[depth], paid[depth] = now, total
    return depth, least


def best_partition(
    clusters: NDArray[np.bool_],
    costs: NDArray[np.float64],
    k: int,
    deadline: Deadline,
    fits: NDArray[np.bool_] | None = None,
    remedy: str = "widen the bounds",
) -> tuple[NDArray[np.int64], float] | None:
    """The cheapest partition (n,) into k of the clusters (q, n) with costs (q,), and by how much rounding may err; None
    where it takes too long, or pairs of cluster and kind are too many. InfeasibleBoundsError if none exists. ``fits``
    (q, k) says which clusters may be which: those with the same column are of one kind, chosen as often as it is there.
    """
    import scipy.sparse as sp

    (q, n), chosen = clusters.shape, np.full(k, -1)
    none = InfeasibleBoundsError(
        f"all connected clusters within the bounds were enumerated, {q} leave a rest that sums do not exclude, and no "
        f"{k} of them hold every point once: {remedy}"
    )
    fits = np.ones((q, k), dtype=bool) if fits is None else fits
    if not fits.any():
        raise none
    masks = (clusters.astype(np.int64) << np.arange(n)).sum(axis=1)
    everyone = 2**n - 1
    if k == 2:  # every cluster that has its rest in the list, with it
        listed = np.argsort(masks)
        rests = listed[np.searchsorted(masks, everyone - masks, sorter=listed) % q]
        both = np.where((masks[rests] == everyone - masks) & fits[:, 0] & fits[rests, 1], costs + costs[rests], np.inf)
        best = int(both.argmin())
        if not np.isfinite(both[best]):
            raise none
        rounding = 4 * n * float(np.finfo(float).eps) * float(abs(costs[best]) + abs(costs[rests[best]]))
        return np.where(clusters[best], 0, 1), rounding
    unit = max(float(np.abs(costs).max()), 1e-300)
    columns, kind_of, left = np.unique(fits, axis=1, return_inverse=True, return_counts=True)
    # a cluster is a candidate once for every kind that it fits
    which, kinds = np.nonzero(columns)
    if which.size > CLUSTERS:
        return None
    candidates, prices = clusters[which], costs[which] / unit
    sides, every = np.append(np.ones(n), left.astype(float)), np.ones(which.size)
    each = sp.csr_array((every, (kinds, np.arange(which.size))), shape=(left.size, which.size))
    matrix = sp.csc_array(sp.vstack([sp.csr_array(candidates.T.astype(np.float64)), each]))
    program = Program(costs[which], matrix, sides, sides, 0.0 * every, every)
    answer = solve_linear(program, TOLERANCES, deadline)
    if answer.outcome is Status.INFEASIBLE:
        raise none
    if answer.row_duals is None:
        return None
    duals = answer.row_duals / unit
    prices -= duals @ matrix
    prices -= min(float(prices.min()), 0.0)  # k of them are chosen whatever a constant
    first = candidates.argmax(axis=1)
    order = np.lexsort((prices, first))
    starts = np.searchsorted(first[order], np.arange(n + 1))
    masks, prices, kinds = masks[which][order], prices[order], kinds[order]
    place, paid, held = np.zeros(k, dtype=np.int64), np.zeros(k + 1), np.zeros(k + 1, dtype=np.int64)
    branch = Branch(chosen, place, paid, held, left.astype(np.int64))
    depth, least, looks = 0, np.inf, 0
    while depth >= 0:
        if not deadline.allows() or (deadline.left is None and looks == LONG):
            return None
        depth, least = _cheapest_cover(Listed(masks, starts, prices, kinds, everyone), branch, depth, least)
        looks += 1
    if chosen[0] < 0:
        raise none
    own, chosen = kinds[chosen], which[order[chosen]]
    total = float(costs[chosen].sum())
    size = 1.0 + float((np.abs(duals) @ matrix).max())
    rounding = 2 * n * k * float(np.finfo(float).eps) * unit * size
    if rounding > 1e-9 * abs(total) and costs.min() >= 0.0 and (costs > total).any():  # solve again in finer units
        cheap = costs <= total
        return best_partition(clusters[cheap], costs[cheap], k, deadline, fits[cheap], remedy)
    number = np.empty(k, dtype=np.int64)
    number[np.argsort(own, kind="stable")] = np.argsort(kind_of.ravel(), kind="stable")
    labels = number[clusters[chosen].argmax(axis=0)]
    return labels, rounding if costs.min() < 0.0 else min(rounding, total)


def best_within(
    clusters: NDArray[np.bool_], costs: NDArray[np.float64], fits: NDArray[np.bool_], stated: PartitionPolytope,
    place: NDArray[np.int64], deadline: Deadline,
) -> tuple[NDArray[np.int64], float] | None:  # fmt: skip
    """What `best_partition` finds, within all that is ``stated`` of points whose ``place`` (n,) is where they are in
    the clusters (q, b): a program with the rows of these statements, whose shares are those of the chosen clusters."""
    import scipy.sparse as sp

    (which, number), k, near = np.nonzero(fits), stated.n_clusters, None
    cuts, q, blocks = Cuts(stated.without(Connection.name)), which.size, place[stated.block_points]
    if q > CLUSTERS:
        return None
    at, point = np.nonzero(clusters[which][:, blocks])
    holds = sp.csr_array((np.ones(at.size), (point * k + number[at], at)), shape=(blocks.size * k, q))
    each = sp.csr_array((np.ones(q), (number, np.arange(q))), shape=(k, q))
    options = {**TOLERANCES, "mip_max_nodes": float(LONG)} if deadline.left is None else TOLERANCES
    while q:
        model = AssignmentModel.of_costs(cuts.polytope, np.zeros((place.size, k)))
        shares = WholeAssignmentMIP(model).program
        width = shares.cost.size
        rows: list[BlockRows] = [
            (Block.grid("holds", blocks.size * k), sp.hstack([sp.eye_array(blocks.size * k, width), -holds]), 0.0, 0.0),
            (Block.grid("number", k), sp.hstack([sp.csr_array((k, width)), each]), 1.0, 1.0),
        ]
        program = shares.extended([Block.grid("cluster", q)], rows, upper=1.0, integral=True)
        answer = solve_linear(
            replace(program, cost=np.append(shares.cost, costs[which])), options, deadline, value=near
        )
        if answer.outcome is Status.INFEASIBLE:
            break
        if answer.columns is None or answer.outcome is not Status.OPTIMAL:
            return None
        chosen = np.flatnonzero(answer.columns[width:] > 0.5)
        labels = number[chosen][clusters[which[chosen]].argmax(axis=0)]
        if cuts.of(labels[place]):
            continue
        again, near = near is None, float(costs[which[chosen]].sum())
        if not again or near - answer.bound <= 1e-9 * abs(near):  # else again in finer units
            return labels, max(near - (answer.bound if costs.min() < 0.0 else max(answer.bound, 0.0)), 0.0)
    raise InfeasibleBoundsError(
        f"all connected clusters within the bounds were enumerated, and no {k} of them hold every point once and keep "
        f"what is stated of several: leave one of these statements out, or widen the bounds"
    )
