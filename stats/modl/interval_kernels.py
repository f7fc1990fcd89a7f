"""Compiled kernels behind `partitope.stats.modl`: ordered blocks of rows are joined into consecutive parts.

A column sorted by value is a sequence of B blocks; ``prefix`` (B + 1, J) holds the class counts of the first b
blocks. The part made of the blocks a .. b-1 costs (formula (2) of `modl`)

    f(a, b) = log( (m + J - 1)! / ( (J - 1)! prod_j m_j! ) )       m_j = prefix[b, j] - prefix[a, j]

and a partition into I parts costs prior[I] + sum of its f. ``lf`` is the table of log k!.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit

TOLERANCE = 1e-9  # Gains up to this, in natural logarithms, are rounding.


@njit(cache=True, borrowing=True)
def part_cost(prefix, lf, a, b):
    """Cost f(a, b) of one part."""
    n_classes = prefix.shape[1]
    total = 0
    cost = -lf[n_classes - 1]
    for j in range(n_classes):
        count = prefix[b, j] - prefix[a, j]
        total += count
        cost -= lf[count]
    return cost + lf[total + n_classes - 1]


def boundary_blocks(
    values: NDArray[np.float64], classes: NDArray[np.int64], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Blocks of sorted rows between which a cut can pay: ends (B,) of the blocks and ``prefix`` (B + 1, J)."""
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    least, most = np.minimum.reduceat(classes, starts), np.maximum.reduceat(classes, starts)
    alike = (least[1:] == most[:-1]) & (most[1:] == least[:-1])  # then all four are the same
    first = np.concatenate([[True], ~alike])
    ends = np.append(starts[1:], values.size)[np.append(first[1:], True)]
    blocks = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
    counts = np.bincount(blocks * n_classes + classes, minlength=ends.size * n_classes)
    prefix = np.zeros((ends.size + 1, n_classes), dtype=np.int64)
    np.cumsum(counts.reshape(-1, n_classes), axis=0, out=prefix[1:])
    return ends, prefix


@njit(cache=True, borrowing=True)
def extend(top, costs, best):
    """Reduce ``best`` (B,), in place, to top + costs (B,) where that is less; a loop of vector instructions."""
    for b in range(best.size):
        longer = top + costs[b]
        best[b] = longer if longer < best[b] else best[b]


@njit(cache=True, borrowing=True)
def charged_sum(cost, charge, best):
    """Least sum of cost + charge over the parts of a partition, with any number of parts; cost[a, b] is f(a, b)."""
    best[:] = np.inf
    best[0] = 0.0
    for a in range(best.size - 1):
        extend(best[a] + charge, cost[a, a + 1 :], best[a + 1 :])
    return best[best.size - 1]


@njit(cache=True, borrowing=True)
def most_parts(cost, prior, bound, last, best, room):
    """Largest I in 2 .. last that can cost less than ``best``, or 1; ``bound`` (P + 1,) is raised on the way."""
    before = last + 1
    while 1 < last < before:
        before = last
        while last > 1 and bound[last] >= best + TOLERANCE:
            last -= 1
        if last <= 6:
            break
        charge = prior[last // 2 + 1] - prior[last // 2]
        base = charged_sum(cost, charge, room)
        for i in range(2, last + 1):
            bound[i] = max(bound[i], prior[i] + base - charge * i)
        while last > 1 and bound[last] >= best + TOLERANCE:
            last -= 1
    return last


def exact_parts(
    prefix: NDArray[np.int64], lf: NDArray[np.float64], prior: NDArray[np.float64]
) -> tuple[NDArray[np.int64], bool]:
    """Cuts (ends of all parts, the last one B) of the cheapest partition, by dynamic programming."""
    n_blocks = len(prefix) - 1
    most = min(n_blocks, prior.size - 1)
    cost, values = np.empty((n_blocks + 1, n_blocks + 1)), np.empty((most, n_blocks + 1))
    cuts = np.empty(most, dtype=np.int64)
    parts, limited = _exact_parts(prefix, lf, prior, cost, values, np.empty(most + 1), np.empty(n_blocks + 1), cuts)
    return cuts[:parts], limited


@njit(cache=True, borrowing=True)  # arrays that a kernel makes take as long to compile as all that it does
def _exact_parts(prefix, lf, prior, cost, values, bound, room, cuts):
    """Fill ``cuts`` of `exact_parts`; returns how many they are, and its second result."""
    most, n_blocks = values.shape[0], values.shape[1] - 1
    # every interval of blocks has its cost looked up in each of the I steps
    for a in range(n_blocks):
        for b in range(a + 1, n_blocks + 1):
            cost[a, b] = part_cost(prefix, lf, a, b)
    # no partition is cheaper than its prior and the costs without one: that ends the search early
    free = charged_sum(cost, 0.0, room)
    for i in range(most + 1):
        bound[i] = prior[i] + free
    values[0, 0] = np.inf  # row I - 1: the best partitions of the first b blocks into I parts
    for b in range(1, n_blocks + 1):  # an assignment of whole rows compiles for a second: it would check their shapes
        values[0, b] = cost[0, b]
    best, best_parts, parts, last = prior[1] + values[0, n_blocks], 1, 1, most
    # one part more at a time, until no number of parts can still be better
    while True:
        if parts <= 2:
            last = most_parts(cost, prior, bound, last, best, room)
        parts += 1
        least = np.inf
        for i in range(parts, last + 1):
            least = min(least, bound[i])
        if least >= best + TOLERANCE:
            break
        following = values[parts - 1]
        following[:] = np.inf
        for a in range(parts - 1, n_blocks):
            extend(values[parts - 2, a], cost[a, a + 1 :], following[a + 1 :])
        if prior[parts] + following[n_blocks] < best:
            best, best_parts = prior[parts] + following[n_blocks], parts
    # cuts are found again from the values: keeping where each came from would take as much memory as these
    b = n_blocks
    for i in range(best_parts - 1, 0, -1):
        cuts[i] = b
        a = 0
        while values[i - 1, a] + cost[a, b] > values[i, b]:
            a += 1
        b = a
    cuts[0] = b
    return best_parts, n_blocks > most and prior[most] + free < best


@njit(cache=True)
def _joined(prefix, lf, starts, stops, i, k):
    """Change of cost when the neighbouring parts i and k become one."""
    return (
        part_cost(prefix, lf, starts[i], stops[k])
        - part_cost(prefix, lf, starts[i], stops[i])
        - part_cost(prefix, lf, starts[k], stops[k])
    )


@njit(cache=True)
def thin_cuts(prefix, lf, cuts, target, n_rows):
    """Fewer cuts by rounds of joining the pairs that gain more than both neighbouring pairs."""
    while cuts.size > target:
        count = cuts.size
        starts = np.empty(count, dtype=np.int64)
        starts[0] = 0
        for i in range(1, count):
            starts[i] = cuts[i - 1]
        delta = np.empty(count - 1)
        for i in range(count - 1):
            delta[i] = _joined(prefix, lf, starts, cuts, i, i + 1)
        saved = np.log((n_rows + count - 1) / (count - 1))
        keep = np.ones(count, dtype=np.bool_)
        gone = 0
        for i in range(count - 1):
            left = i == 0 or delta[i] < delta[i - 1]
            right = i == count - 2 or delta[i] <= delta[i + 1]
            if left and right and delta[i] < saved:
                keep[i] = False
                gone += 1
        if gone == 0:
            break
        cuts = cuts[keep]
    return cuts


@njit(cache=True)
def merge_cuts(prefix, lf, cuts, prior):
    """Best-first joining of neighbours down to one part; O(B log B)."""
    count = cuts.size
    starts = np.empty(count, dtype=np.int64)
    starts[0] = 0
    for part in range(1, count):
        starts[part] = cuts[part - 1]
    before, after = np.arange(-1, count - 1), np.arange(1, count + 1)
    stamp = np.zeros(count, dtype=np.int64)
    value = 0.0
    for part in range(count):
        value += part_cost(prefix, lf, starts[part], cuts[part])
    # joins wait in a heap; one that is out of date is told by its stamp when its turn comes
    heap = [(0.0, np.int64(0), np.int64(0), np.int64(0))]  # (delta, left part, right part, their stamps); never valid
    for part in range(count - 1):
        joined = _joined(prefix, lf, starts, cuts, part, part + 1)
        heap.append((joined, np.int64(part), np.int64(part + 1), np.int64(0)))
    heapq.heapify(heap)
    # left[i] says when cut i went, so that every number of parts on the way can be had
    left = np.full(count, -1, dtype=np.int64)
    parts, best_parts = count, count
    best = prior[parts] + value if parts < prior.size else np.inf
    while parts > 1:
        delta, i, k, stamps = heapq.heappop(heap)
        if left[i] >= 0 or after[i] != k or stamp[i] + stamp[k] != stamps:
            continue
        # the cheapest join is made, and its two neighbours have new prices
        parts -= 1
        value += delta
        left[i] = parts  # the cut at cuts[i] goes: the right part takes over the left one
        starts[k] = starts[i]
        stamp[k] += 1
        p, q = before[i], after[k]
        before[k] = p
        if p >= 0:
            after[p] = k
            heapq.heappush(heap, (_joined(prefix, lf, starts, cuts, p, k), p, k, stamp[p] + stamp[k]))
        if q < count:
            heapq.heappush(heap, (_joined(prefix, lf, starts, cuts, k, q), k, q, stamp[k] + stamp[q]))
        if parts < prior.size and prior[parts] + value < best:
            best, best_parts = prior[parts] + value, parts
    return left, best_parts


@njit(cache=True)
def _best_cut(prefix, lf, a, b):
    """Cheapest place c for one cut strictly inside the part (a, b), and the cost of its two sides."""
    place, cheapest = -1, np.inf
    for c in range(a + 1, b):
        cost = part_cost(prefix, lf, a, c) + part_cost(prefix, lf, c, b)
        if cost < cheapest:
            place, cheapest = c, cost
    return place, cheapest


@njit(cache=True)
def refine_cuts(prefix, lf, cuts, prior):
    """Post-optimisation: move every cut, drop cuts, split parts, until nothing gains; O(B J) per round."""
    gained = True
    while gained:
        gained = False
        i = 0
        while i < cuts.size - 1:  # move the cut between parts i and i + 1, or drop it
            a = cuts[i - 1] if i else 0
            b, parts = cuts[i + 1], cuts.size
            now = part_cost(prefix, lf, a, cuts[i]) + part_cost(prefix, lf, cuts[i], b)
            without = part_cost(prefix, lf, a, b) + prior[parts - 1] - prior[parts]
            place, moved = _best_cut(prefix, lf, a, b)
            if min(without, moved) < now - TOLERANCE:
                gained = True
                if without <= moved:
                    cuts = np.delete(cuts, i)
                    continue
                cuts[i] = place
            i += 1
        i = 0
        while i < cuts.size and cuts.size + 1 < prior.size:  # split part i
            a, parts = cuts[i - 1] if i else 0, cuts.size
            place, split = _best_cut(prefix, lf, a, cuts[i])
            if split + prior[parts + 1] < part_cost(prefix, lf, a, cuts[i]) + prior[parts] - TOLERANCE:
                gained = True
                cuts = np.concatenate((cuts[:i], np.array([place]), cuts[i:]))
            i += 1
    return cuts
