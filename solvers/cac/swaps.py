"""Kernels of CAC: exchanging two points between two clusters, so that tight size bounds still move.

Let i of class a leave cluster p and j of class b take its place. With g = (x_i - mu) . (x_j - mu),
h = (x_i - mu_a) . (x_j - mu_a), W1 = W - w_i and t = w_i / W1, removing and then adding gives

    (1)  dD = - W w_i / W1 |x_i - mu|^2  +  W1 w_j / (W1 + w_j) (|x_j - mu|^2 + 2 t g + t^2 |x_i - mu|^2)

and the same for D_a when a = b. B, P and S follow as in the kernels of single moves, so the change of phi is
affine in g and h (h only when a = b):

    (2)  dphi = e + e_g g + e_h h >= e - |e_g| |x_i - mu| |x_j - mu| - |e_h| |x_i - mu_a| |x_j - mu_a|

The right-hand side takes O(1); only pairs for which it is negative are computed exactly, in O(d). No pair is lost.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import njit
from .kernels import (
    FAST,
    TOLERANCE,
    add_cost,
    count_classes,
    explained,
    pair_cost,
    point_distances,
    remove_cost,
    shift,
    worth,
)  # fmt: skip
from .room import note_move, room_for


@njit(cache=True)
def replace_in(weight, leaving, entering, near_i, near_j, count):
    """Constant part and factor of the dot product in (1); ``count`` points hold ``weight``."""
    if count <= 1:
        return 0.0, 0.0
    rest = weight - leaving
    ratio = leaving / rest
    join = rest * entering / (rest + entering)
    return -weight * ratio * near_i + join * (near_j + ratio * ratio * near_i), 2.0 * ratio * join


@njit(cache=True, borrowing=True)
def exchange(state, rule, p, a, b, wi, wj, near_i, near_j, own_i, own_j):
    """Terms of (2) in cluster ``p`` when a point of class ``a`` makes room for one of class ``b``.

    ``near`` are squared distances to mu, ``own`` to the class mean of the point's own class in ``p``.

    Returns
    -------
    constant, by_mean, by_class, size : float
        e, e_g, e_h of (2), and the size of the terms.
    classes : int
        Classes in the cluster afterwards.
    """
    W, Wa, Wb = state.weight[p], state.class_weight[p, a], state.class_weight[p, b]
    fixed, factor = replace_in(W, wi, wj, near_i, near_j, state.class_count[p].sum())
    classes = count_classes(state, p)
    if rule.alpha == 0.0:
        after = classes if a == b else classes - (state.class_count[p, a] == 1) + (state.class_count[p, b] == 0)
        return fixed, factor, 0.0, abs(fixed), after
    old = worth(W, state.between[p], state.pairs[p], classes > 1, rule.by_size)
    own_factor = 0.0
    if a == b:
        own, own_factor = replace_in(Wa, wi, wj, own_i, own_j, state.class_count[p, a])
        pairs = state.pairs[p] + (wj - wi) * (W - Wa)
    else:
        own = 0.0
        if state.class_count[p, a] > 1:
            own -= Wa * wi / (Wa - wi) * own_i
        else:
            classes -= 1
        if state.class_count[p, b] > 0:
            own += Wb * wj / (Wb + wj) * own_j
        else:
            classes += 1
        pairs = state.pairs[p] - wi * (W - Wa) + wj * (W - wi - Wb)
    new = W - wi + wj
    slope = worth(new, 1.0, pairs, classes > 1, rule.by_size)
    value = slope * (state.between[p] + fixed - own)
    size = abs(fixed) + rule.alpha * (abs(value) + old)
    by_mean = factor * (1.0 - rule.alpha * slope)
    return fixed - rule.alpha * (value - old), by_mean, rule.alpha * slope * own_factor, size, classes


@njit(cache=True, borrowing=True, fastmath=FAST)
def centred_dots(X, i, j, mean, class_mean, p, a):
    """g and h of (1) in cluster ``p``, h about the mean of class ``a``."""
    near, own = 0.0, 0.0
    for f in range(X.shape[1]):
        x, z = X[i, f], X[j, f]
        near += (x - mean[p, f]) * (z - mean[p, f])
        own += (x - class_mean[p, a, f]) * (z - class_mean[p, a, f])
    return near, own


@njit(cache=True, borrowing=True)
def swap_cost(X, y, w, state, rule, i, j, p, q):
    """Exact change of phi when i of ``p`` and j of ``q`` change places: (cost, size, fewest classes left)."""
    a, b = y[i], y[j]
    near_pi, own_pi = point_distances(X, i, state.mean, state.class_mean, p, a)
    near_pj, own_pj = point_distances(X, j, state.mean, state.class_mean, p, b)
    near_qi, own_qi = point_distances(X, i, state.mean, state.class_mean, q, a)
    near_qj, own_qj = point_distances(X, j, state.mean, state.class_mean, q, b)
    e, g, h, size, classes = exchange(state, rule, p, a, b, w[i], w[j], near_pi, near_pj, own_pi, own_pj)
    e2, g2, h2, size2, classes2 = exchange(state, rule, q, b, a, w[j], w[i], near_qj, near_qi, own_qj, own_qi)
    near_p, own_p = centred_dots(X, i, j, state.mean, state.class_mean, p, a)
    near_q, own_q = centred_dots(X, i, j, state.mean, state.class_mean, q, a)
    cost = e + e2 + g * near_p + g2 * near_q + (h * own_p + h2 * own_q if a == b else 0.0)
    return cost, size + size2, min(classes, classes2)


@njit(cache=True, borrowing=True)
def relabel(X, y, w, labels, state, i, j, q):
    """Move i to cluster ``q``, and j of ``q`` to that of i unless it is -1."""
    p = labels[i]
    for t in range(2):
        point, origin, target = (j, q, p) if t == 0 else (i, p, q)
        if point >= 0:
            labels[point] = target
            shift(X, point, state, target, y[point], w[point], 1)
            shift(X, point, state, origin, y[point], w[point], -1)


@njit(cache=True, borrowing=True)
def change_places(X, y, w, labels, state, rule, i, j, q, debug):
    """Move i to cluster ``q``, and the point j of ``q`` the other way unless it is -1, if that lowers phi.

    Returns 1 when it does, 0 when it does not, and -1 when with ``debug`` the change is not what was computed.
    """
    p, C = labels[i], state.class_count.shape[1]
    if j >= 0:
        cost, size, classes = swap_cost(X, y, w, state, rule, i, j, p, q)
        if rule.mixed and classes < 2:
            return 0
    else:
        cost, size = remove_cost(X, i, state, rule, p, y[i], w[i])
        join, more = add_cost(X, i, state, rule, q, y[i], w[i])
        cost, size = cost + join, size + more
    if cost >= -TOLERANCE * size:
        return 0
    before = pair_cost(X, y, w, labels, rule, p, q, C) if debug is not None else 0.0
    relabel(X, y, w, labels, state, i, j, q)
    if debug is not None and not explained(before, pair_cost(X, y, w, labels, rule, p, q, C), cost):
        return -1
    return 1


@njit(cache=True, borrowing=True)
def measure(X, y, state, points, p, out):
    """Squared distances of ``points`` to mu and to their class mean in cluster ``p``, into ``out`` (2, n)."""
    for i in points:
        out[0, i], out[1, i] = point_distances(X, i, state.mean, state.class_mean, p, y[i])


@njit(cache=True, borrowing=True)
def fits(state, rule, p, step):
    """Whether cluster ``p`` stays within its bounds when its weight changes by ``step``."""
    weight = state.weight[p] + step
    return rule.lower[p] - rule.slack <= weight <= rule.upper[p] + rule.slack


@njit(cache=True, borrowing=True)
def best_partner(X, y, w, state, rule, room, i, p, q, others, in_p, in_q):
    """Point of ``others`` (cluster q) best exchanged with i of cluster p, -1 if none helps, and dphi."""
    best, partner, a = 0.0, -1, y[i]
    for j in others:
        b = y[j]
        step = w[j] - w[i]
        if w[j] <= 0.0 or (step != 0.0 and not (fits(state, rule, p, step) and fits(state, rule, q, -step))):
            continue
        e, g, h, size, classes = exchange(
            state, rule, p, a, b, w[i], w[j], in_p[0, i], in_p[0, j], in_p[1, i], in_p[1, j]
        )
        e2, g2, h2, size2, classes2 = exchange(
            state, rule, q, b, a, w[j], w[i], in_q[0, j], in_q[0, i], in_q[1, j], in_q[1, i]
        )
        if rule.mixed and (classes < 2 or classes2 < 2):
            continue
        bar = min(best, -TOLERANCE * (size + size2))
        bound = e + e2 - abs(g) * np.sqrt(in_p[0, i] * in_p[0, j]) - abs(g2) * np.sqrt(in_q[0, i] * in_q[0, j])
        if a == b:
            bound -= abs(h) * np.sqrt(in_p[1, i] * in_p[1, j]) + abs(h2) * np.sqrt(in_q[1, i] * in_q[1, j])
        if bound >= bar:
            continue
        near_p, own_p = centred_dots(X, i, j, state.mean, state.class_mean, p, a)
        near_q, own_q = centred_dots(X, i, j, state.mean, state.class_mean, q, a)
        cost = e + e2 + g * near_p + g2 * near_q + (h * own_p + h2 * own_q if a == b else 0.0)
        if cost < bar:
            if room is not None and not room_for(room, i, j, p, q):
                continue
            best, partner = cost, j
    return partner, best


@njit(cache=True)
def swap_pair(X, y, w, labels, state, rule, room, p, q, debug):
    """Exchange points of clusters ``p`` and ``q`` while that lowers phi; returns (swaps, fault) as `sweep`."""
    swaps = 0
    in_p, in_q = np.empty((2, len(X))), np.empty((2, len(X)))
    first, second = np.flatnonzero(labels == p), np.flatnonzero(labels == q)
    both = np.concatenate((first, second))
    measure(X, y, state, both, p, in_p)
    measure(X, y, state, both, q, in_q)
    for t in range(len(first)):
        i = first[t]
        if w[i] <= 0.0:
            continue
        j, gain = best_partner(X, y, w, state, rule, room, i, p, q, second, in_p, in_q)
        if j < 0:
            continue
        before = 0.0
        if debug is not None:
            before = pair_cost(X, y, w, labels, rule, p, q, state.class_count.shape[1])
        relabel(X, y, w, labels, state, i, j, q)
        if room is not None:
            note_move(room, i, p, q)
            note_move(room, j, q, p)
        second[np.flatnonzero(second == j)[0]] = i
        first[t] = j
        measure(X, y, state, both, p, in_p)
        measure(X, y, state, both, q, in_q)
        swaps += 1
        if debug is not None:
            after = pair_cost(X, y, w, labels, rule, p, q, state.class_count.shape[1])
            if not explained(before, after, gain):
                return swaps, i
    return swaps, -1


@njit(cache=True, borrowing=True)
def note_swaps(settled, p, q, swaps):
    """Note in ``settled`` (k, k) that no exchange of two clusters helps, or that they have changed."""
    if swaps == 0:
        settled[p, q] = True
        return
    for r in range(len(settled)):
        settled[p, r] = settled[r, p] = settled[q, r] = settled[r, q] = False


@njit(cache=True)
def sweep_swaps(X, y, w, labels, state, rule, room, settled, debug):
    """One round of exchanges over all pairs of clusters; returns (swaps, fault) as `sweep`.

    Pairs p < q that are ``settled`` (k, k) are left out: all their exchanges were excluded, and neither has changed.
    """
    swaps = 0
    for p in range(len(state.weight)):
        for q in range(p + 1, len(state.weight)):
            if settled[p, q]:
                continue
            done, fault = swap_pair(X, y, w, labels, state, rule, room, p, q, debug)
            swaps += done
            if fault >= 0:
                return swaps, fault
            note_swaps(settled, p, q, done)
    return swaps, -1
