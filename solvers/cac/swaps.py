"""Kernels of CAC: exchanging two points between two clusters, so that tight size bounds still move.

Let i of class a leave cluster p and j of class b take its place. With g = (x_i - mu) . (x_j - mu),
h = (x_i - mu_a) . (x_j - mu_a), W1 = W - w_i and t = w_i / W1, removing and then adding gives

    (1)  dD = - W w_i / W1 |x_i - mu|^2  +  W1 w_j / (W1 + w_j) (|x_j - mu|^2 + 2 t g + t^2 |x_i - mu|^2)

and the same for D_a when a = b. B, P and S follow as in the kernels of single moves, so the change of phi is
affine in g and h (h only when a = b):

    (2)  dphi = e + e_g g + e_h h

With the change m_iq of phi when i alone moves to q, and a bound r on what the two moves change for each other
(`mutual`), dphi >= m_iq + m_jp - r. The least m and the largest r exclude most pairs in blocks of points of one class
and about one size; only pairs for which it is negative are computed exactly, in O(d). No pair is lost.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import njit
from .kernels import (
    FAST,
    TOLERANCE,
    add_cost,
    classes_left,
    count_classes,
    explained,
    join_cost,
    leave_cost,
    pair_cost,
    point_distances,
    remove_cost,
    shift,
    worth,
)  # fmt: skip
from .mutual import mutual_bounds, stays_mixed
from .room import note_move, room_for

PATIENCE = 32  # exchanges that may fail one after the other in a stale order, or where none need be excluded
BLOCK = 64  # points


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
def fits(state, rule, p, step):
    """Whether cluster ``p`` stays within its bounds when its weight changes by ``step``."""
    weight = state.weight[p] + step
    return rule.lower[p] - rule.slack <= weight <= rule.upper[p] + rule.slack


@njit(cache=True, error_model="numpy")
def measure(X, y, w, state, rule, members, p, q):
    """What exchanges with cluster q ask of the ``members`` of cluster ``p``, in blocks of one class.

    Returns
    -------
    known : (m, 8) ndarray
        m_iq, the weight, and the squared distances to mu and to the class mean in p with their gap, then in q.
    starts : (s + 1,) ndarray of int64
        Block t has the members starts[t] to starts[t + 1] - 1.
    most : (s, 8) ndarray
        The least m_iq of a block, and the largest of all others.
    """
    m, blocks, alone = len(members), 0, state.class_count[p].sum() < 2
    known, starts, most = np.empty((m, 8)), np.zeros(m + 1, dtype=np.int64), np.zeros((m, 8))
    for t in range(m):
        i, row = members[t], known[t]
        a = y[i]
        row[0], row[1] = 0.0, w[i]
        row[2], row[3] = point_distances(X, i, state.mean, state.class_mean, p, a)
        row[5], row[6] = point_distances(X, i, state.mean, state.class_mean, q, a)
        row[4], row[7] = abs(row[2] - row[3]), abs(row[5] - row[6])
        if not alone:
            Wa, many, B, P = state.class_weight[p, a], state.class_count[p, a], state.between[p], state.pairs[p]
            rest = classes_left(state.class_count, state.pairs, p, a)
            row[0] = leave_cost(state.weight[p], Wa, many, B, P, w[i], row[2], row[3], rule.alpha, rule.by_size, rest)[
                0
            ]
            Wa, many, B, P = state.class_weight[q, a], state.class_count[q, a], state.between[q], state.pairs[q]
            row[0] += join_cost(state.weight[q], Wa, many, B, P, w[i], row[5], row[6], rule.alpha, rule.by_size)[0]
        if t == 0 or t - starts[blocks - 1] == BLOCK or a != y[members[t - 1]]:
            starts[blocks], most[blocks, 0] = t, np.inf
            blocks += 1
        most[blocks - 1, 0] = min(most[blocks - 1, 0], row[0])
        for f in range(1, 8):
            most[blocks - 1, f] = max(most[blocks - 1, f], row[f])
    starts[blocks] = m
    return known, starts[: blocks + 1], most[:blocks]


@njit(cache=True)
def may_gain(state, rule, p, q, a, b, i, j):
    """Whether exchanging points of class a in ``p`` and b in ``q``, known by ``i`` and ``j``, may lower phi."""
    return i[0] + j[0] - mutual_bounds(state, rule, p, q, a, b, i, j) < 0.0


@njit(cache=True)
def swap_blocks(X, y, w, labels, state, rule, room, p, q, first, known, second, found, most, debug):
    """Exchange points ``first`` of one class in cluster ``p`` against ``second`` of one class in ``q``.

    ``known`` and ``found`` are what `measure` gives for them, ``most`` for all of the second. Returns as `sweep`.
    """
    swaps, failures, a, b = 0, 0, y[first[0]], y[second[0]]
    for t in range(len(first)):
        i = first[t]
        if labels[i] != p or not may_gain(state, rule, p, q, a, b, known[t], most):
            continue
        for e in range(len(second)):
            j = second[e]
            step = w[j] - w[i]
            if labels[j] != q or not (fits(state, rule, p, step) and fits(state, rule, q, -step)):
                continue
            if not may_gain(state, rule, p, q, a, b, known[t], found[e]):
                continue
            if room is not None and not room_for(room, i, j, p, q):
                continue
            done = change_places(X, y, w, labels, state, rule, i, j, q, debug)
            if done == 0:
                failures += 1
                if failures >= PATIENCE and swaps > 0:
                    return swaps, -1
                continue
            if room is not None:
                note_move(room, i, p, q)
                note_move(room, j, q, p)
            swaps, failures = swaps + 1, 0
            if done < 0:
                return swaps, i
            break
    return swaps, -1


@njit(cache=True)
def swap_pair(X, y, w, labels, state, rule, room, order, p, q, debug):
    """Exchange points of clusters ``p`` and ``q`` that lower phi; returns (swaps, fault) as `sweep`.

    ``order`` has all points with weight, grouped by classes. Points are measured once and exchanges computed anew, so
    that none helps where none is made.
    """
    swaps = 0
    first, second = order[labels[order] == p], order[labels[order] == q]
    known, starts, most = measure(X, y, w, state, rule, first, p, q)
    found, ends, largest = measure(X, y, w, state, rule, second, q, p)
    for t in range(len(most)):
        i, stop, a = starts[t], starts[t + 1], y[first[starts[t]]]
        for e in range(len(largest)):
            j, end, b = ends[e], ends[e + 1], y[second[ends[e]]]
            if rule.mixed and not (stays_mixed(state.class_count, p, a, b) and stays_mixed(state.class_count, q, b, a)):
                continue
            if not may_gain(state, rule, p, q, a, b, most[t], largest[e]):
                continue
            done, fault = swap_blocks(
                X, y, w, labels, state, rule, room, p, q, first[i:stop], known[i:stop], second[j:end], found[j:end],
                largest[e], debug,
            )  # fmt: skip
            swaps += done
            if fault >= 0:
                return swaps, fault
    return swaps, -1


@njit(cache=True, borrowing=True)
def note_swaps(settled, p, q, swaps):
    """Note in ``settled`` (k, k) that no exchange of two clusters helps, or that they have changed."""
    if swaps == 0:
        settled[p, q] = True
        return
    for r in range(len(settled)):
        settled[p, r] = settled[r, p] = settled[q, r] = settled[r, q] = False


def sweep_swaps(X, y, w, labels, state, rule, room, settled, debug):
    """One round of exchanges over all pairs of clusters; returns (swaps, fault) as `sweep`.

    Pairs p < q that are ``settled`` (k, k) are left out: all their exchanges were excluded, and neither has changed.
    """
    sizes = w * ((X - state.mean[labels]) ** 2).sum(axis=1)
    order = np.lexsort((sizes, y))
    return _sweep(X, y, w, labels, state, rule, room, settled, order[w[order] > 0.0], debug)


@njit(cache=True)
def _sweep(X, y, w, labels, state, rule, room, settled, order, debug):
    """`sweep_swaps`; in ``order`` points of one class and about one size stand together."""
    swaps = 0
    for p in range(len(settled)):
        for q in range(p + 1, len(settled)):
            if settled[p, q]:
                continue
            done, fault = swap_pair(X, y, w, labels, state, rule, room, order, p, q, debug)
            swaps += done
            if fault >= 0:
                return swaps, fault
            note_swaps(settled, p, q, done)
    return swaps, -1
