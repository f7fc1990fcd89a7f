"""The cheapest cluster at given prices of points, exactly, in low dimension: a search over its centre.

At prices lambda_j of the points a cluster S, of mass within l..u, costs sum_{j in S} w_j (|x_j - c|^2 - lambda_j) at
its best centre c. For a fixed centre the best S takes points in order of |x_j - c|^2 - lambda_j: all of them below
zero, or enough of them that the mass is within its bounds (the last one in part). Call that f(c), and

    F(c, q) = min over S of sum_{j in S} w_j (|x_j|^2 - 2 x_j . c + q - lambda_j),     f(c) = F(c, |c|^2)

F is a minimum of linear functions, so concave, and does not grow faster in q than u q. On a simplex with corners v_a
and c = sum_a t_a v_a, sum_a t_a |v_a|^2 exceeds |c|^2 by sum_a t_a |v_a - c|^2. Hence

    f(c)  >=  sum_a t_a ( f(v_a) - u |v_a - c|^2 )  >=  min_a ( f(v_a) - u |v_a - e|^2 )  for ANY e         (1)

the last because |v - c|^2 summed with weights t about its mean c is least there. The error of (1) falls with the
square of the width, and to nothing where one S is best at all corners and its mass is u. The simplex with the least
bound is halved at its longest edge; coordinates of the corners are binary fractions, so that halves cover the whole
without rounding."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from ....base.jit import njit
from .cells import Priced, Shape, cheapest_of_cells


@njit(cache=True)
def cheapest(priced: Priced, centre: NDArray, r: NDArray) -> tuple[float, float, float]:
    """f at a centre, the largest r_j = |x_j - centre|^2 - price_j that is taken, and the share taken of such."""
    P, w, prices, lower, upper, unit = priced
    (n, d), below, value = P.shape, 0.0, 0.0
    for j in range(n):
        s = -prices[j]
        for c in range(d):
            t = P[j, c] - centre[c]
            s += t * t
        r[j] = s
        if s < 0.0:
            below += w[j]
            value += w[j] * s
    # points below zero only gain: where their mass is allowed they are the cluster
    if lower <= below <= upper:
        return value, 0.0, 0.0
    # otherwise the bound binds: the points of least r, up to the one at which it is met
    target = lower if below < lower else upper
    if unit:
        last = max(int(np.ceil(target)) - 1, 0)
        cut = np.partition(r, last)[last]
    else:
        order, mass, cut = np.argsort(r), 0.0, 0.0
        for j in order:
            cut = r[j]
            mass += w[j]
            if mass >= target:
                break
    # points at the cut share what is left of the mass, so that the order of ties does not matter
    mass, equal, value = 0.0, 0.0, 0.0
    for j in range(n):
        if r[j] < cut:
            mass += w[j]
            value += w[j] * r[j]
        elif r[j] == cut:
            equal += w[j]
    share = min(max((target - mass) / equal, 0.0), 1.0) if equal > 0.0 else 0.0
    return value + (target - mass) * cut, cut, share


@njit(cache=True)
def _lower_bound(V: NDArray, f: NDArray, corners: NDArray, upper: float) -> float:
    """(1) on one simplex, at the point e where the lower envelope is least, as found by a few linear systems."""
    m, d = corners.shape[0], V.shape[1]
    # distances of the corners say all that (1) needs, divided by the longest to be of the size of one
    squares, longest = np.zeros((m, m)), 0.0
    for p in range(m):
        for q in range(m):
            for c in range(d):
                squares[p, q] += (V[corners[p], c] - V[corners[q], c]) ** 2
            longest = max(longest, squares[p, q])
    # at the least point all corners that count are equally good; one of negative weight does not count
    used, count, t = np.ones(m, np.bool_), m, np.zeros(m)
    while count > 1 and longest > 0.0:
        matrix, right = np.zeros((count + 1, count + 1)), np.ones(count + 1)
        rows = np.flatnonzero(used)
        for p in range(count):
            for q in range(count):
                matrix[p, q] = squares[rows[p], rows[q]] / longest
            matrix[p, count] = matrix[count, p] = 1.0
            right[p] = (f[corners[rows[p]]] - f[corners[0]]) / (upper * longest)
        found = np.linalg.solve(matrix, right)
        worst = found[:count].argmin()
        if found[worst] >= 0.0:
            t[rows] = found[:count]
            break
        used[rows[worst]] = False
        count -= 1
    if count == 1 or longest == 0.0:
        t[np.flatnonzero(used)[0]] = 1.0
    # (1) holds for any e: that of these weights, whatever rounding made of them
    best = np.inf
    for p in range(m):
        far = 0.0
        for c in range(d):
            x = V[corners[p], c]
            for q in range(m):
                x -= t[q] * V[corners[q], c]
            far += x * x
        best = min(best, f[corners[p]] - upper * far)
    return best


@njit(cache=True)
def _least(priced: Priced, cells: Shape, centre: NDArray, work: NDArray) -> float:
    """f at a centre, or for cells what is at most that."""
    if len(cells.slopes) == 0:
        return cheapest(priced, centre, work[0])[0]
    return cheapest_of_cells(priced, cells, centre, work)


@njit(cache=True)
def search_centres(
    priced: Priced, cells: Shape, V0: NDArray, T0: NDArray, tolerance: float, most: int, stop: NDArray
) -> tuple[float, NDArray, NDArray]:
    """The least f over a union of simplices, from below: up to a tolerance, or until this many evaluations or
    stop[0].
    Shapes: -> V (m, d), f (m,)."""
    (n, d), start, upper = priced.P.shape, V0.shape[0], priced.upper
    V, f, work = np.zeros((start + most, d)), np.zeros(start + most), np.zeros((3, n))
    for a in range(start):
        V[a] = V0[a]
        f[a] = _least(priced, cells, V[a], work)
    # the simplex with the least bound first: when it is within the tolerance, so are all
    best, filled, simplices = f[:start].min(), start, [T0[s] for s in range(T0.shape[0])]
    heap = [(_lower_bound(V, f, T0[s], upper), s) for s in range(T0.shape[0])]
    heapq.heapify(heap)
    middles = {(0, 0): 0}
    while heap[0][0] < best - tolerance and filled < start + most and not stop[0]:
        bound, s = heap[0]
        corners = simplices[s]
        longest, p, q = -1.0, 0, 0
        for a in range(d + 1):
            for b in range(a):
                far = ((V[corners[a]] - V[corners[b]]) ** 2).sum()
                if far > longest:
                    longest, p, q = far, a, b
        # neighbours share edges: a middle is evaluated once
        edge = (min(corners[p], corners[q]), max(corners[p], corners[q]))
        if edge not in middles:
            V[filled] = 0.5 * (V[corners[p]] + V[corners[q]])
            if (2.0 * V[filled] - V[corners[p]] != V[corners[q]]).any() or longest == 0.0:
                break  # coordinates have no digits left
            f[filled] = _least(priced, cells, V[filled], work)
            best = min(best, f[filled])
            middles[edge] = filled
            filled += 1
        heapq.heappop(heap)
        # both halves cover the simplex; a bound of the whole holds for its halves
        for replaced in (p, q):
            half = corners.copy()
            half[replaced] = middles[edge]
            simplices.append(half)
            heapq.heappush(heap, (max(bound, _lower_bound(V, f, half, upper)), len(simplices) - 1))
    return min(best, heap[0][0]), V[:filled], f[:filled]


@njit(cache=True)
def column_at(
    priced: Priced, centre: NDArray, places: NDArray, heights: NDArray, r: NDArray, column: NDArray, sums: NDArray
) -> float:
    """The best cluster at a centre: its sums of basis functions and of points in place, its mass."""
    P, w, (n, d) = priced.P, priced.w, priced.P.shape
    _, cut, share = cheapest(priced, centre, r)
    mass = 0.0
    column[:], sums[:] = 0.0, 0.0
    for j in range(n):
        if r[j] <= cut:
            taken = w[j] * (share if r[j] == cut else 1.0)
            mass += taken
            for c in range(d):
                sums[c] += taken * P[j, c]
            for c in range(places.shape[1]):
                column[places[j, c]] += taken * heights[j, c]
    return mass
