"""A lower bound on the sum of squares of every partition into groups of m to 2m - 1 records.

For any prices u of the records, and r(S) = cost of group S less the prices of its records,

    sum_S cost(S)  =  sum_i u_i + sum_S r(S)  >=  sum_i u_i + sum_i min { r(S) / |S| : i in S, m <= |S| <= 2m - 1 }

which is the Lagrangian bound of the program that covers every record by exactly one of all possible groups. The least
r(S) / |S| is found by branch and bound over the other members of S, or bounded from below where that takes too long:

    |S| cost(S)  =  sum over pairs in S of squared distances
                >=  sum over pairs in P  +  sum_{j in S - P} ( sum_{k in P} |x_j - x_k|^2 + h_j(q - 1) / 2 )

for the records P chosen so far and q = |S| - |P| others, with h_j(q) the sum of the q least squared distances of record
j. So the q cheapest records bound a node. The prices climb by subgradient steps. Aloise, Hansen, Rocha and Santi (2014)
solve the same program by column generation. In large groups the few records of a node say little of the others; there
the relaxation of `programs/least_squares_sdp.py`, of at most n / m clusters of which any may stay closed, says more.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from ...base.deadline import Deadline
from ...base.jit import njit
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.least_squares_sdp import LeastSquaresSDP
from ..global_optimum.bound_by_parts import is_one_part, relaxed_bound
from ..subgradient import StepRule, subgradient

NODES = 300  # Node limit per record and size; beyond it the bound of the root counts.
LARGE = 5  # Records in a group from which on the relaxation is the better bound (measured for 3 to 10).


def lower_bound(X: NDArray[np.float64], target: float, m: int, n_iter: int, deadline: Deadline) -> float:
    """The best bound of at most n_iter + 1 vectors of prices, the first of them shares of nearest neighbours, and for
    large groups of n_iter rounds of the relaxation. Steps aim at ``target``, the best sum of squares that is known."""
    n = len(X)
    most = min(2 * m - 1, n)
    near = KDTree(X).query(X, k=most)[0].reshape(n, most) ** 2
    h = np.cumsum(near, axis=1)  # h[j, q], of which the record itself is the first, at distance 0
    prices = h[:, m - 1] / (2 * m)  # no group has negative r(S) at these
    rounding = 1e-12  # Far more than a sum of prices and squares is off by, as a fraction of all prices.
    best = float(prices.sum()) * (1.0 - rounding)
    found, values = np.full((n, most), -1, np.int64), np.empty(n)
    sdp = LeastSquaresSDP(X, PartitionPolytope(n, m, most, n_clusters=n // m).optional())
    relaxed = n_iter > 0 and m >= LARGE and is_one_part(sdp, deadline)
    pricing = deadline.share(0.25) if relaxed else deadline

    def evaluated(prices: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]] | None:
        nonlocal best
        for start in range(0, n, 16):
            if not pricing.allows():  # a step that does not end proves nothing
                return None
            price_groups(Priced(X, prices, h), m, NODES, values, found, start, min(start + 16, n))
        inside, slope = found >= 0, np.ones(n)
        np.subtract.at(slope, found[inside], np.repeat(1.0 / inside.sum(axis=1), inside.sum(axis=1)))
        bound = float(prices.sum() + values.sum()) - rounding * float(np.abs(prices).sum())
        best = max(best, bound)
        return bound, slope

    subgradient(evaluated, prices, target, n_iter + 1, StepRule(0.5, 0.5, 4), prices + prices.mean() * 1e-3)
    if relaxed:
        best = max(best, relaxed_bound(sdp, target, deadline, n_iter))
    return best


Priced = namedtuple("Priced", "X prices h")  # fmt: skip
"""Records (n, d), their prices (n,), and h of the module's head, as h[j, q]."""


Root = namedtuple("Root", "far cost group value")  # fmt: skip
"""Records next to one of them: squared distances (n,), and costs (n,) in groups of a size, the cheapest, and the
sum of the costs of as many of these as the group holds."""


@njit(cache=True)
def price_groups(priced, m, nodes, values, found, start, stop):
    """Fill ``values`` (n,) with lower bounds on r(S) / |S| over the groups S with a record from start to stop, and
    ``found`` (n, 2m - 1) with the groups that have them, filled up with -1."""
    (X, prices, h), (n, most) = priced, found.shape
    far, cost = np.empty(n), np.empty(n)
    group = np.empty(most, np.int64)
    for i in range(start, stop):
        for j in range(n):
            total = 0.0
            for f in range(X.shape[1]):
                total += (X[i, f] - X[j, f]) ** 2
            far[j] = total
        least, size = np.inf, 0
        for s in range(m, most + 1):
            for j in range(n):
                cost[j] = far[j] / s + h[j, s - 2] / (2 * s) - prices[j]
            cost[i] = np.inf
            root = cheapest(cost, n, s - 1, group)
            value = (root - prices[i]) / s
            if value >= least:
                continue
            value = branch(priced, Root(far, cost, group, root), i, s, least, nodes)
            if value < least:
                least, size = value, s
                for t in range(s - 1):
                    found[i, t] = group[t]
                found[i, s - 1] = i
        values[i] = least
        found[i, size:] = -1


@njit(cache=True)
def cheapest(cost, n, q, group):
    """Sum of the q least of the first n costs; their places in ``group``, the least first."""
    have = 0
    for j in range(n):
        if have == q and cost[j] >= cost[group[q - 1]]:
            continue
        t = have if have < q else q - 1
        while t > 0 and cost[group[t - 1]] > cost[j]:
            group[t] = group[t - 1]
            t -= 1
        group[t] = j
        have = min(have + 1, q)
    total = 0.0
    for t in range(q):
        total += cost[group[t]]
    return total


@njit(cache=True)
def branch(priced, top, i, s, least, nodes):
    """The least r(S) / s over groups S of s records with record i, if below ``least``, with the others in the group of
    the root; the bound of the root with its records where ``nodes`` do not suffice."""
    (X, prices, h), (far, cost, group, root) = priced, top
    n, order = len(far), np.empty(len(far), np.int64)
    best = np.empty(s - 1, np.int64)
    value = least
    # a first group: the records of the root
    total, priced = 0.0, prices[i]
    for a in range(s - 1):
        total += far[group[a]]
        priced += prices[group[a]]
        for b in range(a):
            for f in range(X.shape[1]):
                total += (X[group[a], f] - X[group[b], f]) ** 2
    if (total / s - priced) / s < value:
        value = (total / s - priced) / s
        best[:] = group[: s - 1]
    # a record that is not among the s - 2 cheapest must cost less than this in a better group
    limit = value * s + prices[i] - root + cost[group[s - 2]]
    count = 0
    for j in range(n):
        if j != i and cost[j] < limit:
            order[count] = j
            count += 1
    if count < s - 1:
        group[: s - 1] = best
        return value
    order = order[:count][np.argsort(cost[order[:count]], kind="mergesort")]
    sums = np.empty((s, count))  # squared distances of candidates to the records chosen, by depth
    for c in range(count):
        sums[0, c] = far[order[c]]
    # by depth: distances inside the records chosen, their prices, and the place of the last one
    inner, paid, place = np.zeros(s), np.zeros(s), np.full(s, -1, np.int64)
    paid[0] = prices[i]
    rest, few = np.empty(count), np.empty(s, np.int64)
    depth, used, first = 0, 0, (root - prices[i]) / s
    while depth >= 0:
        q = s - 1 - depth  # records to choose
        place[depth] += 1
        c = place[depth]
        if c + q > count:
            depth -= 1
            continue
        used += 1
        if used > nodes:
            return min(value, first)
        # candidates from c on, of which the best q bound what is left at this depth
        left = count - c
        for t in range(left):
            j = order[c + t]
            rest[t] = sums[depth, c + t] / s + h[j, q - 1] / (2 * s) - prices[j]
        below = inner[depth] / s - paid[depth] + cheapest(rest, left, q, few)
        if depth == 0:
            first = max(first, below / s)  # of all groups that are left
        if below / s >= value:
            depth -= 1
            continue
        # the last record needs no branch: the cheapest one that is left is it
        if q == 1:
            value = below / s
            for t in range(s - 2):
                best[t] = order[place[t]]
            best[s - 2] = order[c + few[0]]
            depth -= 1
            continue
        j = order[c]
        inner[depth + 1] = inner[depth] + sums[depth, c]
        paid[depth + 1] = paid[depth] + prices[j]
        for t in range(c + 1, count):
            total = 0.0
            for f in range(X.shape[1]):
                total += (X[j, f] - X[order[t], f]) ** 2
            sums[depth + 1, t] = sums[depth, t] + total
        depth += 1
        place[depth] = c
    group[: s - 1] = best
    return value
