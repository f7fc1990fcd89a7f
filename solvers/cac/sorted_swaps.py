"""Kernels of CAC: exchanges between points of equal weight, found by sorting instead of trying all pairs.

With equal weights all factors in (1), (2) of the exchange depend only on the classes a and b of the two points. The
dot products about the means m_r of the two clusters, with their factors g_r, make one about any point c: for
G = sum g_r and v = sum g_r m_r

    (3)  sum_r g_r (x_i - m_r).(x_j - m_r) = G (x_i - c).(x_j - c) + (G c - v).(x_i + x_j) + sum_r g_r |m_r|^2 - G |c|^2

so that, with everything that belongs to one point in alpha_i and beta_j and r_i = |x_i - c|,

    (4)  dphi = alpha_i + beta_j + G (x_i - c).(x_j - c) >= alpha_i + beta_j - |G| r_i r_j

For each i the points j are read in increasing beta_j, until (4) with the largest r_j is not negative; G is of the order
1/W, so few are read, and fewer computed exactly. The scores are measured once a pass, costs always anew: within a pass
that has exchanged points they are stale and may hide a gain, but a pass without exchange has excluded every pair.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import njit
from .kernels import TOLERANCE, pair_cost, shift_point, two_distances
from .swaps import centred_dot, exchange, measure

PATIENCE = 32  # candidates of one point that may fail in a stale order


@njit(cache=True)
def swap_cost(X, y, w, state, rule, i, j, p, q):
    """Exact change of phi when i of ``p`` and j of ``q`` change places: (cost, size, fewest classes left)."""
    a, b = y[i], y[j]
    near_pi, own_pi = two_distances(X[i], state.mean[p], state.class_mean[p, a])
    near_pj, own_pj = two_distances(X[j], state.mean[p], state.class_mean[p, b])
    near_qi, own_qi = two_distances(X[i], state.mean[q], state.class_mean[q, a])
    near_qj, own_qj = two_distances(X[j], state.mean[q], state.class_mean[q, b])
    e, g, h, size, classes = exchange(state, rule, p, a, b, w[i], w[j], near_pi, near_pj, own_pi, own_pj)
    e2, g2, h2, size2, classes2 = exchange(state, rule, q, b, a, w[j], w[i], near_qj, near_qi, own_qj, own_qi)
    cost = e + e2
    cost += g * centred_dot(X[i], X[j], state.mean[p]) + g2 * centred_dot(X[i], X[j], state.mean[q])
    if a == b:
        cost += h * centred_dot(X[i], X[j], state.class_mean[p, a])
        cost += h2 * centred_dot(X[i], X[j], state.class_mean[q, a])
    return cost, size + size2, min(classes, classes2)


@njit(cache=True)
def swap_points(X, y, w, labels, state, i, j):
    """Exchange i and j between their clusters."""
    p, q = labels[i], labels[j]
    labels[i], labels[j] = q, p
    shift_point(state, p, y[j], X[j], w[j], 1)
    shift_point(state, q, y[j], X[j], w[j], -1)
    shift_point(state, p, y[i], X[i], w[i], -1)
    shift_point(state, q, y[i], X[i], w[i], 1)


@njit(cache=True)
def affine(state, rule, p, a, b, w):
    """Factors of `exchange` in cluster ``p``: constant, near_i, near_j, own_i, own_j, e_g and e_h."""
    out = np.empty(7)
    out[0], out[5], out[6], _, _ = exchange(state, rule, p, a, b, w, w, 0.0, 0.0, 0.0, 0.0)
    out[1] = exchange(state, rule, p, a, b, w, w, 1.0, 0.0, 0.0, 0.0)[0] - out[0]
    out[2] = exchange(state, rule, p, a, b, w, w, 0.0, 1.0, 0.0, 0.0)[0] - out[0]
    out[3] = exchange(state, rule, p, a, b, w, w, 0.0, 0.0, 1.0, 0.0)[0] - out[0]
    out[4] = exchange(state, rule, p, a, b, w, w, 0.0, 0.0, 0.0, 1.0)[0] - out[0]
    if a != b:
        out[6] = 0.0
    return out


@njit(cache=True)
def one_product(state, p, q, a, P, Q):
    """The dot products of `affine` as one by (3): G, c (d,), G c - v (d,) and the constant."""
    factors = (P[5], Q[5], P[6], Q[6])
    means = (state.mean[p], state.mean[q], state.class_mean[p, a], state.class_mean[q, a])
    total, scale, constant = 0.0, 0.0, 0.0
    v, c = np.zeros(state.mean.shape[1]), np.zeros(state.mean.shape[1])
    for g, m in zip(factors, means):
        if g != 0.0:  # a class that is absent has no mean
            total += g
            scale += abs(g)
            constant += g * (m @ m)
            v += g * m
            c += abs(g) * m
    if scale > 0.0:
        c /= scale
    return total, c, total * c - v, constant - total * (c @ c)


@njit(cache=True)
def swap_classes(X, y, w, labels, state, rule, p, q, a, b, both, in_p, in_q, debug):
    """Exchange points of class a in ``p`` against class b in ``q``, ``both`` their points; returns (swaps, fault)."""
    leaving = both[(labels[both] == p) & (y[both] == a) & (w[both] > 0.0)]
    entering = both[(labels[both] == q) & (y[both] == b) & (w[both] > 0.0)]
    swaps = 0
    if len(leaving) == 0 or len(entering) == 0:
        return swaps, -1
    P = affine(state, rule, p, a, b, w[leaving[0]])
    Q = affine(state, rule, q, b, a, w[leaving[0]])
    G, c, slope, constant = one_product(state, p, q, a, P, Q)
    alpha, near = np.empty(len(leaving)), np.empty(len(leaving))
    for t, i in enumerate(leaving):
        alpha[t] = P[1] * in_p[0, i] + P[3] * in_p[1, i] + Q[2] * in_q[0, i] + Q[4] * in_q[1, i] + P[0] + Q[0]
        alpha[t] += slope @ X[i] + constant
        near[t] = abs(G) * np.sqrt(((X[i] - c) ** 2).sum())
    beta, far = np.empty(len(entering)), np.empty(len(entering))
    for t, j in enumerate(entering):
        beta[t] = P[2] * in_p[0, j] + P[4] * in_p[1, j] + Q[1] * in_q[0, j] + Q[3] * in_q[1, j] + slope @ X[j]
        far[t] = np.sqrt(((X[j] - c) ** 2).sum())
    order = np.argsort(beta, kind="mergesort")
    entering, beta, far = entering[order], beta[order], far[order]
    farthest = far.max()
    start = 0  # candidates before it have left q
    for s, i in enumerate(leaving):
        failures = 0
        while start < len(order) and labels[entering[start]] != q:
            start += 1
        for t in range(start, len(order)):
            if alpha[s] + beta[t] - near[s] * farthest >= 0.0 or (swaps > 0 and failures >= PATIENCE):
                break
            j = entering[t]
            if alpha[s] + beta[t] - near[s] * far[t] >= 0.0 or labels[j] != q:
                continue
            cost, size, classes = swap_cost(X, y, w, state, rule, i, j, p, q)
            if cost >= -TOLERANCE * size or (rule.mixed and classes < 2):
                failures += 1
                continue
            before = pair_cost(X, y, w, labels, rule, p, q, state.class_count.shape[1]) if debug else 0.0
            swap_points(X, y, w, labels, state, i, j)
            swaps += 1
            if debug:
                after = pair_cost(X, y, w, labels, rule, p, q, state.class_count.shape[1])
                rounding = 1e-9 * (abs(before) + abs(after) + abs(cost))
                if after - before > rounding or abs(after - before - cost) > rounding:
                    return swaps, i
            break
    return swaps, -1


@njit(cache=True)
def sweep_sorted_swaps(X, y, w, labels, state, rule, debug):
    """One round of exchanges between points of equal weight; returns (swaps, fault) as `sweep`."""
    k, C = state.class_weight.shape
    in_p, in_q = np.zeros((2, len(X))), np.zeros((2, len(X)))
    swaps = 0
    for p in range(k):
        for q in range(p + 1, k):
            both = np.flatnonzero((labels == p) | (labels == q))
            done = 1  # distances are measured at first, and again after exchanges
            for a in range(C):
                for b in range(C):
                    if done > 0:
                        measure(X, y, state, both, p, in_p)
                        measure(X, y, state, both, q, in_q)
                    done, fault = swap_classes(X, y, w, labels, state, rule, p, q, a, b, both, in_p, in_q, debug)
                    swaps += done
                    if fault >= 0:
                        return swaps, fault
    return swaps, -1
