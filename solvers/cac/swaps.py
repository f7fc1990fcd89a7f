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
    count_points,
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


@njit(cache=True, error_model="numpy")
def replacement(weight, leaving, entering, count):
    """Factors of |x_i - mu|^2, |x_j - mu|^2 and g in (1); ``count`` points hold ``weight``."""
    if count <= 1:
        return 0.0, 0.0, 0.0
    rest = weight - leaving
    ratio = leaving / rest
    join = rest * entering / (rest + entering)
    return ratio * ratio * join - weight * ratio, join, 2.0 * ratio * join


@njit(cache=True, borrowing=True, error_model="numpy")
def exchange(state, rule, p, a, b, wi, wj):
    """Factors of (2) in cluster ``p`` when a point of class ``a`` makes room for one of class ``b``.

    Returns
    -------
    constant, near_i, near_j, own_i, own_j, by_mean, by_class : float
        Of e the constant part and the factors of the squared distances of the points to mu and to the means of their
        own classes in ``p``; e_g and e_h.
    size : float
        Of the terms of the constant part.
    classes : int
        Classes in the cluster afterwards.
    """
    W, Wa, Wb = state.weight[p], state.class_weight[p, a], state.class_weight[p, b]
    B, P = state.between[p], state.pairs[p]
    near_i, near_j, by_mean = replacement(W, wi, wj, count_points(state.class_count, p))
    classes = count_classes(state, p)
    old = rule.alpha * worth(W, B, P, classes > 1, rule.by_size)
    if a == b:
        own_i, own_j, by_class = replacement(Wa, wi, wj, state.class_count[p, a])
        pairs = P + (wj - wi) * (W - Wa)
    else:
        own_i, own_j, by_class = 0.0, 0.0, 0.0
        if state.class_count[p, a] > 1:
            own_i = -Wa * wi / (Wa - wi)
        else:
            classes -= 1
        if state.class_count[p, b] > 0:
            own_j = Wb * wj / (Wb + wj)
        else:
            classes += 1
        pairs = P - wi * (W - Wa) + wj * (W - wi - Wb)
    slope = rule.alpha * worth(W - wi + wj, 1.0, pairs, classes > 1, rule.by_size)
    keep, new = 1.0 - slope, slope * B
    return (
        old - new, keep * near_i, keep * near_j, slope * own_i, slope * own_j, keep * by_mean, slope * by_class,
        old + new, classes,
    )  # fmt: skip


@njit(cache=True, borrowing=True, fastmath=FAST)
def pair_distances(X, i, j, mean, class_mean, p, a, b):
    """What the factors of `exchange` belong to: four squared distances, g, and the same product of class means."""
    near_i, near_j, own_i, own_j, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for f in range(X.shape[1]):
        x, z = X[i, f] - mean[p, f], X[j, f] - mean[p, f]
        s, t = X[i, f] - class_mean[p, a, f], X[j, f] - class_mean[p, b, f]
        near_i += x * x
        near_j += z * z
        own_i += s * s
        own_j += t * t
        g += x * z
        h += s * t
    return near_i, near_j, own_i, own_j, g, h


@njit(cache=True, borrowing=True)
def swap_cost(X, y, w, state, rule, i, j, p, q):
    """Exact change of phi when i of ``p`` and j of ``q`` change places: (cost, size, fewest classes left)."""
    cost, size, fewest = 0.0, 0.0, state.class_count.shape[1]
    for _ in range(2):  # one cluster, then the other; written once, it is compiled once
        e, e_i, e_j, own_i, own_j, e_g, e_h, terms, classes = exchange(state, rule, p, y[i], y[j], w[i], w[j])
        near, far, own, other, g, h = pair_distances(X, i, j, state.mean, state.class_mean, p, y[i], y[j])
        single = e_i * near + own_i * own
        joining = e_j * far + own_j * other
        cost += e + single + joining + e_g * g + e_h * h
        size += terms + abs(single) + abs(joining)
        fewest = classes if classes < fewest else fewest
        i, j, p, q = j, i, q, p
    return cost, size, fewest


@njit(cache=True, borrowing=True)
def relabel(X, y, w, labels, state, i, j, q):
    """Move i to cluster ``q``, and j of ``q`` to that of i unless it is -1."""
    p = labels[i]
    for t in range(4):  # `shift` stands here once, as every call of it is compiled by itself
        point, origin, target = (j, q, p) if t < 2 else (i, p, q)
        if point >= 0:
            labels[point] = target
            leaves = t % 2 == 1
            shift(X, point, state, origin if leaves else target, y[point], w[point], -1 if leaves else 1)


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
    if not cost < -TOLERANCE * size:
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
    m, blocks, alone = len(members), 0, count_points(state.class_count, p) < 2
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
        if labels[i] != p:
            continue
        bar = mutual_bounds(state, rule, p, q, a, b, known[t], most) - known[t, 0]
        if most[0] >= bar:
            continue
        for e in range(len(second)):
            if found[e, 0] >= bar:  # leaves out most points; their own bounds take far longer
                continue
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
