"""Compiled kernels of `partitope.stats.selective`: where along a line do labels stay optimal?

A point x of cluster c prefers it to j by the quartic q_xj(phi) = q[x, j, 0] + q[x, j, 1] phi + ..., along a line of
degree two. The exchange gap of clusters i and j is w_ij(phi) = min of q_xj(phi) over the points of i. Labels are
optimal at phi if and only if the digraph with the weights w_ij(phi) has no negative cycle; node k is the free room
within the size bounds, with weight 0 from i to k if cluster i may grow, and from k to i if it may shrink.

A negative cycle at the middle of an interval cuts out exactly the stretch where that cycle's polynomial is negative.
Where there is none, the shortest paths at the middle are potentials p_i(phi), sums of the polynomials along them. They
leave every cycle's polynomial as it is, and the labels are optimal on the whole interval if the arc-wise minima of
q_xj + p_i - p_j leave no negative cycle; otherwise it is halved. Arcs of shortest paths have minimum zero then, on an
interval of any length: equal points in several clusters tie everywhere, and would else never be decided. A quartic lies
between the least and the greatest of its Bernstein coefficients on an interval, which meet it at both ends and close in
as the square of the interval's length.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import njit

ROUNDING = 2.0**-46  # Differences below this fraction of a point's largest gain or loss are zero.


@njit(cache=True)
def bernstein_range(c, a, b):
    """Least and greatest Bernstein coefficient on the interval from a to b of a quartic with coefficients c (5,)."""
    h = b - a
    t0 = c[0] + a * (c[1] + a * (c[2] + a * (c[3] + a * c[4])))
    t1 = h * (c[1] + a * (2.0 * c[2] + a * (3.0 * c[3] + a * 4.0 * c[4])))
    t2 = h * h * (c[2] + a * (3.0 * c[3] + a * 6.0 * c[4]))
    t3 = h * h * h * (c[3] + a * 4.0 * c[4])
    t4 = h * h * h * h * c[4]
    first, second, third = t0 + 0.25 * t1, t0 + 0.5 * t1 + t2 / 6.0, t0 + 0.75 * t1 + 0.5 * t2 + 0.25 * t3
    last = t0 + t1 + t2 + t3 + t4
    return min(t0, first, second, third, last), max(t0, first, second, third, last)


@njit(cache=True)
def negative_reach(c, phi, end, width):
    """How far from phi towards ``end`` a quartic that is negative at phi stays so, short by at most ``width``."""
    near, step = phi, end - phi
    while near != end:
        far = end if abs(step) >= abs(end - near) else near + step
        if bernstein_range(c, near, far)[1] < 0.0:
            near = far
            step *= 2.0
        else:
            step = 0.5 * (far - near)
            if abs(step) < width:
                break
    return near


@njit(cache=True)
def exchange_gaps(q, labels, grows, shrinks, potentials, a, b):
    """Weights (k+1, k+1) of q + p_i - p_j for ``potentials`` p (k+1, 5), and who attains each, -1 for none."""
    n, k = q.shape[0], q.shape[1]
    w = np.full((k + 1, k + 1), np.inf)
    who = np.full((k + 1, k + 1), -1)
    c = np.empty(q.shape[2])
    for x in range(n):
        i = labels[x]
        for j in range(k):
            if j != i:
                for s in range(c.size):
                    c[s] = q[x, j, s] + potentials[i, s] - potentials[j, s]
                value = bernstein_range(c, a, b)[0]
                if value < w[i, j]:
                    w[i, j] = value
                    who[i, j] = x
    for i in range(k):
        if grows[i]:
            w[i, k] = bernstein_range(potentials[i] - potentials[k], a, b)[0]
        if shrinks[i]:
            w[k, i] = bernstein_range(potentials[k] - potentials[i], a, b)[0]
    return w, who


@njit(cache=True)
def negative_cycle(w, tolerance):
    """Nodes of a cycle of weight below -tolerance in ``w``, else an empty array; and the tree of shortest paths."""
    m = w.shape[0]
    distance = np.zeros(m)
    before = np.full(m, -1)
    for _ in range(m + 1):
        changed = -1
        for u in range(m):
            for v in range(m):
                if distance[u] + w[u, v] < distance[v] - tolerance / m:
                    distance[v] = distance[u] + w[u, v]
                    before[v] = u
                    changed = v
        if changed < 0:
            return np.empty(0, dtype=np.int64), before
    node = changed
    for _ in range(m):
        node = before[node]
    cycle = np.empty(m, dtype=np.int64)
    length, start = 0, node
    while True:
        cycle[length] = node
        length += 1
        node = before[node]
        if node == start:
            break
    return cycle[:length][::-1].copy(), before


@njit(cache=True)
def path_potentials(q, who, before):
    """Sums of the polynomials along the paths of a tree: (k+1, 5)."""
    m = before.size
    potentials = np.zeros((m, q.shape[2]))
    for v in range(m):
        node = v
        for _ in range(m):
            parent = before[node]
            if parent < 0:
                break
            x = who[parent, node]
            if x >= 0:
                potentials[v] += q[x, node]
            node = parent
    return potentials


@njit(cache=True)
def largest(q, t):
    """The largest sum of absolute terms of the polynomials ``q`` (n, k, 5) at t, which their rounding goes by."""
    found = 0.0
    for j in range(q.shape[0]):
        for i in range(q.shape[1]):
            terms, power = 0.0, 1.0
            for r in range(q.shape[2]):
                terms += abs(q[j, i, r]) * power
                power *= abs(t)
            found = max(found, terms)
    return found


@njit(cache=True)
def optimal_set(q, labels, grows, shrinks, low, high, width, relative):
    """Intervals (m, 2) of [low, high] on which ``labels`` (n,) are optimal."""
    found = [(low, high)]
    found.clear()
    stack = [(low, high)]
    none = np.zeros((q.shape[1] + 1, q.shape[2]))
    while len(stack):
        a, b = stack.pop()
        middle = 0.5 * (a + b)
        # a cycle counts as negative only beyond rounding, in units of the gaps and of their terms
        w, who = exchange_gaps(q, labels, grows, shrinks, none, middle, middle)
        scale = 0.0
        for value in w.ravel():
            if np.isfinite(value):
                scale = max(scale, abs(value))
        tolerance = max(relative * scale, ROUNDING * largest(q, middle))
        cycle, before = negative_cycle(w, tolerance)
        # optimal in the middle: potentials from there prove the whole interval, or it is halved
        if cycle.size == 0:
            if b - a > width:
                potentials = path_potentials(q, who, before)
                w, who = exchange_gaps(q, labels, grows, shrinks, potentials, a, b)
                if negative_cycle(w, tolerance)[0].size:
                    stack.append((middle, b))
                    stack.append((a, middle))
                    continue
            found.append((a, b))
            continue
        # a better assignment in the middle: it is better where its polynomial is negative
        c = np.zeros(q.shape[2])
        for s in range(cycle.size):
            x = who[cycle[s], cycle[(s + 1) % cycle.size]]
            if x >= 0:
                c += q[x, cycle[(s + 1) % cycle.size]]
        left, right = negative_reach(c, middle, a, 0.5 * width), negative_reach(c, middle, b, 0.5 * width)
        if b - right > width:
            stack.append((right, b))
        if left - a > width:
            stack.append((a, left))
    result = np.empty((len(found), 2))
    for s in range(len(found)):
        result[s, 0], result[s, 1] = found[s]
    return result
