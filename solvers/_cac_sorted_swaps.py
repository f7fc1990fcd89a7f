"""Kernels of CAC: exchanges between points of equal weight, found by sorting instead of trying all pairs.

With equal weights all factors in (1), (2) of the exchange depend only on the classes a and b of the two points, so

    (3)  dphi >= K_ab + alpha_i + beta_j - c_ij,   alpha_i, beta_j linear in the squared distances of i and of j,
                                                  c_ij = |e_g| |x_i - mu| |x_j - mu| + ...

For each i the points j are read in increasing beta_j, until (3) with the largest |x_j - mu| is not negative; c_ij is
of the order 1/W, so few are read. The scores are measured once a pass, costs always anew: within a pass that has
exchanged points the order is stale and may hide a gain, but a pass without exchange has excluded every pair.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ._cac_kernels import TOLERANCE, pair_cost, shift_point, two_distances
from ._cac_swaps import centred_dot, exchange, measure

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
    """Factors of `exchange` in cluster ``p``: constant, near_i, near_j, own_i, own_j, and |e_g|, |e_h|."""
    out = np.empty(7)
    out[0], g, h, _, _ = exchange(state, rule, p, a, b, w, w, 0.0, 0.0, 0.0, 0.0)
    out[1] = exchange(state, rule, p, a, b, w, w, 1.0, 0.0, 0.0, 0.0)[0] - out[0]
    out[2] = exchange(state, rule, p, a, b, w, w, 0.0, 1.0, 0.0, 0.0)[0] - out[0]
    out[3] = exchange(state, rule, p, a, b, w, w, 0.0, 0.0, 1.0, 0.0)[0] - out[0]
    out[4] = exchange(state, rule, p, a, b, w, w, 0.0, 0.0, 0.0, 1.0)[0] - out[0]
    out[5], out[6] = abs(g), abs(h) if a == b else 0.0
    return out


@njit(cache=True)
def reach(points, in_p, in_q):
    """Largest distances of ``points`` to mu and to the class mean in both clusters, (4,)."""
    out = np.zeros(4)
    for j in points:
        for r in range(2):
            out[r] = max(out[r], np.sqrt(in_p[r, j]))
            out[2 + r] = max(out[2 + r], np.sqrt(in_q[r, j]))
    return out


@njit(cache=True)
def swap_classes(X, y, w, labels, state, rule, p, q, a, b, in_p, in_q, debug):
    """Exchange points of class a in ``p`` against class b in ``q``; returns (swaps, fault)."""
    leaving = np.flatnonzero((labels == p) & (y == a) & (w > 0.0))
    entering = np.flatnonzero((labels == q) & (y == b) & (w > 0.0))
    swaps = 0
    if len(leaving) == 0 or len(entering) == 0:
        return swaps, -1
    P = affine(state, rule, p, a, b, w[leaving[0]])
    Q = affine(state, rule, q, b, a, w[leaving[0]])
    alpha = P[1] * in_p[0] + P[3] * in_p[1] + Q[2] * in_q[0] + Q[4] * in_q[1] + P[0] + Q[0]
    beta = (P[2] * in_p[0] + P[4] * in_p[1] + Q[1] * in_q[0] + Q[3] * in_q[1])[entering]
    order = np.argsort(beta, kind="mergesort")
    far = reach(entering, in_p, in_q)
    start = 0  # candidates before it have left q
    for i in leaving:
        c = P[5] * np.sqrt(in_p[0, i]) * far[0] + P[6] * np.sqrt(in_p[1, i]) * far[1]
        c += Q[5] * np.sqrt(in_q[0, i]) * far[2] + Q[6] * np.sqrt(in_q[1, i]) * far[3]
        failures = 0
        while start < len(order) and labels[entering[order[start]]] != q:
            start += 1
        for t in range(start, len(order)):
            j = entering[order[t]]
            if alpha[i] + beta[order[t]] - c >= 0.0 or (swaps > 0 and failures >= PATIENCE):
                break
            if labels[j] != q:
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
            for a in range(C):
                for b in range(C):
                    both = np.flatnonzero((labels == p) | (labels == q))
                    measure(X, y, state, both, p, in_p)
                    measure(X, y, state, both, q, in_q)
                    done, fault = swap_classes(X, y, w, labels, state, rule, p, q, a, b, in_p, in_q, debug)
                    swaps += done
                    if fault >= 0:
                        return swaps, fault
    return swaps, -1
