"""Compiled kernels behind `partitope.stats.modl`: values of a category are joined into groups.

``counts`` (V, J) holds the class counts of V values. A group costs f of `modl`, formula (2), and a grouping into I
groups prior[I] + sum of its f. ``lf`` is the table of log k!.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import njit
from .interval_kernels import TOLERANCE


@njit(cache=True)
def row_cost(row, lf):
    """Cost f of a group with class counts ``row`` (J,)."""
    total = 0
    cost = -lf[row.size - 1]
    for j in range(row.size):
        total += row[j]
        cost -= lf[row[j]]
    return cost + lf[total + row.size - 1]


@njit(cache=True)
def add_row(row, other, sign):
    """Add ``sign`` times another (J,) row, in place."""
    for j in range(row.size):
        row[j] += sign * other[j]


@njit(cache=True)
def log_partition_counts(n_values, most):
    """log B(V, I) for I = 0 .. most: ways to split V values into at most I groups; O(V most)."""
    stirling = np.full(most + 1, -np.inf)  # log S(v, k), row by row: S(v, k) = k S(v-1, k) + S(v-1, k-1)
    stirling[0] = 0.0
    for _ in range(n_values):
        for k in range(most, 0, -1):
            stirling[k] = np.logaddexp(np.log(k) + stirling[k], stirling[k - 1])
        stirling[0] = -np.inf
    for k in range(1, most + 1):
        stirling[k] = np.logaddexp(stirling[k], stirling[k - 1])
    return stirling


@njit(cache=True)
def exact_groups(counts, lf, prior):
    """Cheapest grouping (V,) by dynamic programming over subsets; O(3^V I), for small V."""
    n_values, n_classes = counts.shape
    full = 1 << n_values
    cost = np.empty(full)
    row = np.empty(n_classes, dtype=np.int64)
    # every subset is a possible group: its cost is needed many times
    for mask in range(full):
        row[:] = 0
        for v in range(n_values):
            if mask >> v & 1:
                add_row(row, counts[v], 1)
        cost[mask] = row_cost(row, lf)
    # value[mask]: the cheapest way to divide mask into the groups so far, at first one
    value = cost.copy()
    origin = np.zeros((n_values + 1, full), dtype=np.int32)
    for mask in range(full):
        origin[1, mask] = mask
    best, best_parts = prior[1] + value[full - 1], 1
    for parts in range(2, n_values + 1):
        following = np.full(full, np.inf)
        for mask in range(1, full):
            low = mask & -mask
            rest = mask ^ low
            sub = rest
            while sub > 0:  # the group that holds the lowest value is mask without sub
                sub = (sub - 1) & rest
                other = rest ^ sub
                if other > 0:
                    candidate = cost[mask ^ other] + value[other]
                    if candidate < following[mask]:
                        following[mask] = candidate
                        origin[parts, mask] = mask ^ other
        value = following
        if prior[parts] + value[full - 1] < best:
            best, best_parts = prior[parts] + value[full - 1], parts
    # the groups are read from the last one back
    groups = np.empty(n_values, dtype=np.int64)
    mask = full - 1
    for parts in range(best_parts, 0, -1):
        group = origin[parts, mask]
        for v in range(n_values):
            if group >> v & 1:
                groups[v] = best_parts - parts
        mask ^= group
    return groups


@njit(cache=True)
def merge_groups(counts, lf, prior):
    """Grouping (V,) by joining the best pair again and again, the cheapest one on the way; O(V^2) space."""
    n_values = counts.shape[0]
    rows = counts.copy()
    cost = np.empty(n_values)
    for v in range(n_values):
        cost[v] = row_cost(rows[v], lf)
    # what joining a pair would cost is kept, as one join changes the pairs of one group only
    delta = np.full((n_values, n_values), np.inf)
    for v in range(n_values):
        for w in range(v + 1, n_values):
            delta[v, w] = row_cost(rows[v] + rows[w], lf) - cost[v] - cost[w]
    groups = np.arange(n_values)
    alive = np.ones(n_values, dtype=np.bool_)
    value, best_groups = cost.sum(), groups.copy()
    best = prior[n_values] + value
    # joins go on to one group: the prior may pay for several that cost at first
    for parts in range(n_values - 1, 0, -1):
        flat = np.argmin(delta)
        v, w = flat // n_values, flat % n_values
        value += delta[v, w]
        add_row(rows[v], rows[w], 1)
        cost[v] = row_cost(rows[v], lf)
        alive[w] = False
        groups[groups == w] = v
        delta[w, :], delta[:, w] = np.inf, np.inf
        for u in range(n_values):
            if alive[u] and u != v:
                delta[min(u, v), max(u, v)] = row_cost(rows[u] + rows[v], lf) - cost[u] - cost[v]
        if prior[parts] + value < best:
            best, best_groups = prior[parts] + value, groups.copy()
    return best_groups


@njit(cache=True)
def refine_groups(counts, groups, lf, prior):
    """Post-optimisation: move single values to other groups or to one of their own, until nothing gains."""
    n_values, n_classes = counts.shape
    most = prior.size - 1
    # class counts of the groups make a move O(J)
    rows = np.zeros((most, n_classes), dtype=np.int64)
    held = np.zeros(most, dtype=np.int64)
    for v in range(n_values):
        add_row(rows[groups[v]], counts[v], 1)
        held[groups[v]] += 1
    cost = np.array([row_cost(rows[g], lf) for g in range(most)])
    parts = np.count_nonzero(held)
    gained = True
    while gained:  # every move lowers the criterion by more than rounding, so that this ends
        gained = False
        for v in range(n_values):
            own = groups[v]
            without = row_cost(rows[own] - counts[v], lf) if held[own] > 1 else 0.0
            leaving = without - cost[own]
            # empty groups are interchangeable: one of them is tried, and not for a value that is alone already
            target, cheapest, tried_empty = -1, -TOLERANCE, False
            for g in range(most):
                if g == own or (held[g] == 0 and (tried_empty or held[own] == 1)):
                    continue
                after = parts + int(held[g] == 0) - int(held[own] == 1)  # booleans of NumPy have no difference
                tried_empty = tried_empty or held[g] == 0
                base = cost[g] if held[g] else 0.0
                change = leaving + row_cost(rows[g] + counts[v], lf) - base + prior[after] - prior[parts]
                if change < cheapest:
                    target, cheapest = g, change
            # a move is made at once: the next value sees it
            if target >= 0:
                gained = True
                parts += int(held[target] == 0) - int(held[own] == 1)
                add_row(rows[own], counts[v], -1)
                add_row(rows[target], counts[v], 1)
                held[own] -= 1
                held[target] += 1
                cost[own], cost[target] = row_cost(rows[own], lf), row_cost(rows[target], lf)
                groups[v] = target
    return groups
