"""Branch and bound on the centres of the clusters: least squares within size bounds, few clusters in low dimension.

A box holds the clusterings whose centres c_i are between p_i and q_i, in every coordinate. With m_i the size and s_i
the sum of the points of cluster i, measured from about the mean of all,

    (1)  within-cluster sum of squares  =  sum_j |x_j|^2 - sum_i m_i |c_i|^2,   s_i = m_i c_i,   sum_i s_i = sum_j x_j

and a convex function is below any line that is above it at both ends: for slopes a >= p + q through (p, p^2), and
a <= p + q through (q, q^2),

    (2)  c^2  <=  a c + b   for p <= c <= q,     hence     m_i |c_i|^2  <=  a_i . s_i + m_i (b_i1 + ... + b_id)

So what clusterings of the box cost is at least the value of the program of assignment with costs
|x_j|^2 - a_i . x_j - b_i, which is solved exactly, and that of its dual at any prices. The error of (2) is of second
order in the width. Slopes other than p + q are the multipliers of p <= c <= q: they take subgradient steps towards the
value at which the box is done with. A box is first narrowed by the last equation of (1) and, where bounds are equal, by
an order of the centres along one coordinate; the one with the least bound is halved where (2) errs most.

What remains open where several lines at once would have to be cut off the semidefinite relaxation is closed by this: 75
points in the plane and seven clusters of 10 or 11 take some hundred thousand boxes, a minute. It is exponential in k d.

Rounding. Coordinates are differences from a fixed point, each with an error of u of itself; the dual value is a sum of
terms of known size; halves of a box have the same number as their common end.

References: McCormick, Math. Programming 10 (1976), for (2); Sherali and Desai, J. Global Optim. 32 (2005), for such
relaxations of clustering.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from math import fsum

import numpy as np
from numpy.typing import NDArray

from ....base.deadline import Deadline
from ....base.jit import njit
from ....models.objectives.interval import ROUNDOFF, power_of_two
from ..best_first import BestFirst
from .columns import of_given_points

ROUNDS = 8  # Subgradient steps per box.
MOST = 1_000_000  # Largest number of boxes.


Points = namedtuple("Points", "P squares total")  # fmt: skip
"""Points P (n, d) measured from a fixed point, their squared norms (n,), and their exact sum (d,), rounded once."""


Sizes = namedtuple("Sizes", "lower upper twin axis")  # fmt: skip
"""Bounds (k,), and the cluster of equal bounds (k,) before every one, -1 for none, in order along one axis."""


@njit(cache=True)
def _arcs(cost, lower, upper, labels, sizes, length, by):
    """Lengths of the cheapest moves of a point between clusters, and which point it is; in place."""
    n, k = cost.shape
    length[:] = np.inf
    for i in range(k):
        if sizes[i] < upper[i]:
            length[i, k] = 0.0
        if sizes[i] > lower[i]:
            length[k, i] = 0.0
    for j in range(n):
        i = labels[j]
        for h in range(k):
            if h != i and cost[j, h] - cost[j, i] < length[i, h]:
                length[i, h], by[i, h] = cost[j, h] - cost[j, i], j


@njit(cache=True)
def _distances(length, start, noise, distance, parent):
    """Shortest paths from a node, in place."""
    nodes = len(length)
    distance[:] = np.inf
    distance[start] = 0.0
    for _ in range(nodes):
        shorter = False
        for i in range(nodes):
            for h in range(nodes):
                if distance[i] + length[i, h] < distance[h] - noise:
                    distance[h], parent[h], shorter = distance[i] + length[i, h], i, True
        if not shorter:
            return


@njit(cache=True)
def _assign(cost, lower, upper, labels, prices):
    """The cheapest assignment (n,) of points within sizes, by shortest paths, and its prices; whether it is found."""
    n, k = cost.shape
    noise = 1e-12 * np.abs(cost).max()
    sizes, length, by = np.zeros(k, np.int64), np.empty((k + 1, k + 1)), np.zeros((k + 1, k + 1), np.int64)
    distance, parent = np.empty(k + 1), np.zeros(k + 1, np.int64)
    for j in range(n):
        labels[j] = cost[j].argmin()
        sizes[labels[j]] += 1
    for _ in range(2 * n):
        _arcs(cost, lower, upper, labels, sizes, length, by)
        # one cluster at a time that breaks a bound gives to, or takes from, the node of unused room
        start, end = k, -1
        for i in range(k):
            if sizes[i] > upper[i]:
                start, end = i, k
                break
            if sizes[i] < lower[i]:
                end = i
        if end < 0 and lower.sum() == n:  # all sizes are given
            start = 0
        _distances(length, start, noise, distance, parent)
        if end < 0:
            prices[:] = np.where(distance[:k] < np.inf, distance[:k], 0.0)
            return True
        # along the path every cluster hands its cheapest point on
        for _ in range(k + 1):
            if end == start:
                break
            i = parent[end]
            if i < k and end < k:
                labels[by[i, end]] = end
                sizes[i] -= 1
                sizes[end] += 1
            end = i
    prices[:] = 0.0
    return False  # rounding led in circles


@njit(cache=True)
def _dual_value(cost, lower, upper, prices, size):
    """Weak duality at prices, less what its terms can be rounded by; ``size`` bounds the terms of any cost."""
    n, k = cost.shape
    value, terms = 0.0, n * (size + np.abs(prices).max())
    for j in range(n):
        value += (cost[j] - prices).min()
    for i in range(k):
        part = prices[i] * (lower[i] if prices[i] > 0.0 else upper[i])
        value += part
        terms += abs(part)
    return value - (n + k + 30) * ROUNDOFF * terms


@njit(cache=True)
def _narrow(total, low, high, ordered):
    """Narrow a box by the sum of all points and the order of clusters; whether anything is left."""
    (lower, upper, twin, axis), (k, d) = ordered, low.shape
    for _ in range(3):
        for i in range(k):
            if twin[i] >= 0:
                low[i, axis] = max(low[i, axis], low[twin[i], axis])
        for i in range(k - 1, -1, -1):
            if twin[i] >= 0:
                high[twin[i], axis] = min(high[twin[i], axis], high[i, axis])
        for c in range(d):
            for i in range(k):
                least, most, size = total[c], total[c], abs(total[c])
                for h in range(k):
                    if h != i:
                        least -= max(lower[h] * high[h, c], upper[h] * high[h, c])
                        most -= min(lower[h] * low[h, c], upper[h] * low[h, c])
                        size += upper[h] * max(abs(low[h, c]), abs(high[h, c]))
                least, most = min(least / lower[i], least / upper[i]), max(most / lower[i], most / upper[i])
                lost = (k + 4) * ROUNDOFF * size / lower[i]
                low[i, c], high[i, c] = max(low[i, c], least - lost), min(high[i, c], most + lost)
                if low[i, c] > high[i, c]:
                    return False
    return True


@njit(cache=True)
def _costs(P, squares, low, high, bend, cost):
    """Costs (n, k) of the lines (2), of slopes p + q - bend; how large their terms are at most."""
    (n, d), k, most = P.shape, len(low), 0.0
    for i in range(k):
        size = 0.0
        cost[:, i] = squares
        for c in range(d):
            slope = low[i, c] + high[i, c] - bend[i, c]
            end = high[i, c] if bend[i, c] >= 0.0 else low[i, c]
            beside = end * end - slope * end
            size += 1.0 + abs(slope) + abs(beside) + 2.0 * abs(slope * end) + end * end
            for j in range(n):
                cost[j, i] -= slope * P[j, c] + beside
        most = max(most, size)
    return (d + 4) * most / 4.0


@njit(cache=True)
def _halving(low, high, sums, sizes):
    """Cluster, coordinate and place at which (2) errs most, and so do wide boxes."""
    most, chosen, at, place = -1.0, 0, 0, 0.0
    for i in range(low.shape[0]):
        for c in range(low.shape[1]):
            width = high[i, c] - low[i, c]
            x = min(max(sums[i, c] / max(sizes[i], 1.0), low[i, c]), high[i, c])
            error = sizes[i] * ((high[i, c] - x) * (x - low[i, c]) + 0.05 * width * width)
            if error > most:
                share = 0.5 * min(max((x - low[i, c]) / width, 0.1), 0.9) + 0.25 if width > 0.0 else 0.5
                most, chosen, at, place = error, i, c, low[i, c] + share * width
    return chosen, at, place


@njit(cache=True)
def _gradient(low, high, bend, sums, sizes):
    """The subgradient (k, d) of the bound by the bends: how far centres are outside, or where a bend leaves them."""
    gradient = np.zeros(low.shape)
    for i in range(low.shape[0]):
        for c in range(low.shape[1]):
            above, below = sums[i, c] - sizes[i] * high[i, c], sums[i, c] - sizes[i] * low[i, c]
            if bend[i, c] > 0.0 or (bend[i, c] == 0.0 and above > 0.0):
                gradient[i, c] = above
            elif bend[i, c] < 0.0 or below < 0.0:
                gradient[i, c] = below
    return gradient


@njit(cache=True)
def _bound(points, box, ordered, cutoff, labels):
    """The bound of a box, the value of the best labels met, and where to halve; the box, ends p, q and bends (3, k, d),
    and labels in place."""
    (P, squares, total), low, high, bend = points, box[0], box[1], box[2]
    (n, d), k, lower, upper = P.shape, len(low), ordered.lower, ordered.upper
    if not _narrow(total, low, high, ordered):
        return np.inf, np.inf, 0, 0, 0.0
    cost, found, prices, step = np.empty((n, k)), np.empty(n, np.int64), np.zeros(k), bend.copy()
    best, value, where = -np.inf, np.inf, (0, 0, 0.0)
    for _ in range(ROUNDS):
        size = _costs(P, squares, low, high, step, cost)
        within = _assign(cost, lower, upper, found, prices)
        bound = _dual_value(cost, lower, upper, prices, size)
        sums, sizes, reached = np.zeros((k, d)), np.zeros(k), squares.sum()
        for j in range(n):
            sizes[found[j]] += 1.0
            sums[found[j]] += P[j]
        for i in range(k):
            reached -= (sums[i] ** 2).sum() / max(sizes[i], 1.0)
        if within and reached < value:
            value = reached
            labels[:] = found
        # the best bends are kept: steps of a subgradient do not rise every time
        if bound > best:
            best, where = bound, _halving(low, high, sums, sizes)
            bend[:] = step
        # Polyak's step towards the value at which the box is done with
        gradient = _gradient(low, high, step, sums, sizes)
        norm = (gradient**2).sum()
        if best >= cutoff or norm == 0.0:
            break
        length = (cutoff - bound) / norm
        for i in range(k):
            for c in range(d):
                new = step[i, c] + length * gradient[i, c]
                step[i, c] = 0.0 if step[i, c] * new < 0.0 else new  # stops at the kink, where the sign changes
    return best, value, where[0], where[1], where[2]


def centre_search(
    X: NDArray[np.float64],
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    value: float,
    *,
    gap: float = 1e-4,
    deadline: Deadline,
    found: Callable[[NDArray[np.int64]], object],
    progress: Callable[[float], object],
) -> None:
    """Hand out labels (n,) better than a known value, and bounds that no clustering is below. Shapes: X (n, d), lower,
    upper (k,)."""
    lower, upper = np.maximum(lower, len(X) - upper.sum() + upper), np.minimum(upper, len(X) - lower.sum() + lower)
    k, unit = len(lower), power_of_two(X - X.mean(axis=0))
    P = (X - X.mean(axis=0)) / unit
    points, labels = Points(P, (P**2).sum(axis=1), np.array([fsum(x) for x in P.T])), np.empty(len(P), np.int64)
    kinds = list(zip(lower.tolist(), upper.tolist()))
    twin = np.array([max((h for h in range(i) if kinds[h] == kinds[i]), default=-1) for i in range(k)])
    ordered, best = Sizes(lower, upper, twin, int(np.ptp(P, axis=0).argmax())), value / unit**2
    tree = BestFirst[NDArray[np.float64]](best * (1.0 - gap * (1.0 - 1e-6)))
    tree.push(0.0, np.array([np.tile(ends, (k, 1)) for ends in (P.min(axis=0), P.max(axis=0), np.zeros(P.shape[1]))]))

    def cut(boxes: list[tuple[float, NDArray[np.float64]]]) -> list[tuple[float, NDArray[np.float64]]]:
        nonlocal best
        [(known, box)] = boxes
        bound, reached, i, c, place = _bound(points, box, ordered, tree.cutoff, labels)
        if reached < best * (1.0 - 1e-9):
            best, tree.cutoff = reached, reached * (1.0 - gap * (1.0 - 1e-6))
            found(labels.copy())
        if bound >= tree.cutoff or not box[0, i, c] < place < box[1, i, c]:  # done with, or no digits are left
            tree.close(bound)
            return []
        halves = box.copy(), box.copy()
        halves[0][0, i, c] = halves[1][1, i, c] = place
        return [(max(bound, known), half) for half in halves]

    def told(bound: float) -> None:
        if tree.n_nodes % 1000 == 0:
            progress(of_given_points(bound, points.squares, unit))

    tree.grow(cut, deadline, most=MOST, told=told)
    progress(of_given_points(min(tree.lower, best), points.squares, unit))
