"""Kernels of CAC: exchanging two points between two clusters, so that tight size bounds still move.

Let i of class a leave cluster p and j of class b take its place. With g = (x_i - mu) . (x_j - mu),
h = (x_i - mu_a) . (x_j - mu_a), W1 = W - w_i and t = w_i / W1, removing and then adding gives

    (1)  dD = - W w_i / W1 |x_i - mu|^2  +  W1 w_j / (W1 + w_j) (|x_j - mu|^2 + 2 t g + t^2 |x_i - mu|^2)

and the same for D_a when a = b. B, P and S follow as in the kernels of single moves, so the change of phi is
affine in g and h (h only when a = b):

    (2)  dphi = e + e_g g + e_h h

With the change m_iq of phi when i alone moves to q, and a bound r on what the two moves change for each other
(`mutual`), dphi >= m_iq + m_jp - r. The least m and the largest r exclude most pairs in blocks of points of one class
and about one weight. Of the pairs that are left the weights must fit, and of the products in (2) only one is unknown:
with c halfway between the means of p and q, s = mu_q - mu_p and the squared distances n_p, n_q to both means, o to
that of the class,

    (3)  g_p, g_q = (x_i - c) . (x_j - c) + |s|^2 / 4  +-  (n_ip - n_iq + n_jp - n_jq) / 4        + in p, - in q
    (4)  h = g - (n_i - o_i + n_j - o_j) / 2           in either cluster
    (5)  |x - c|^2 = (n_p + n_q) / 2 - |s|^2 / 4

so that dphi = E + G (x_i - c) . (x_j - c) >= E - |G| |x_i - c| |x_j - c|, in O(1). Only pairs for which this is
negative are computed, in O(d). No pair is lost.
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
    square_distance,
    worth,
)  # fmt: skip
from .mutual import mutual_bounds, stays_mixed
from .room import note_move, room_for

PATIENCE = 32  # exchanges that may fail one after the other in a stale order, or where none need be excluded
BLOCK = 64  # points
BRIEF, THOROUGH = 1, 2  # searches that have excluded all exchanges of two clusters
ROUNDING = 1e-12  # of squared distances, relative: (5) is a difference


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
def cluster_terms(state, p, a, b):
    """W, W_a, W_b, B, P of cluster ``p``, its points and those of classes a and b, and its classes."""
    W, Wa, Wb = state.weight[p], state.class_weight[p, a], state.class_weight[p, b]
    points, many, classes = count_points(state.class_count, p), state.class_count, count_classes(state, p)
    return W, Wa, Wb, state.between[p], state.pairs[p], points, many[p, a], many[p, b], classes


@njit(cache=True, error_model="numpy")
def exchange(terms, alpha, by_size, same, wi, wj):
    """Factors of (2) in a cluster when a point of class a makes room for one of class b, the ``same`` or another.

    Parameters
    ----------
    terms : tuple
        Of `cluster_terms`.

    Returns
    -------
    constant, near_i, near_j, own_i, own_j, by_mean, by_class : float
        Of e the constant part and the factors of the squared distances of the points to mu and to the means of their
        own classes in the cluster; e_g and e_h.
    size : float
        Of the terms of the constant part.
    classes : int
        Classes in the cluster afterwards.
    """
    W, Wa, Wb, B, P, points, many_a, many_b, classes = terms
    near_i, near_j, by_mean = replacement(W, wi, wj, points)
    old = alpha * worth(W, B, P, classes > 1, by_size)
    if same:
        own_i, own_j, by_class = replacement(Wa, wi, wj, many_a)
        pairs = P + (wj - wi) * (W - Wa)
    else:
        own_i, own_j, by_class = 0.0, 0.0, 0.0
        if many_a > 1:
            own_i = -Wa * wi / (Wa - wi)
        else:
            classes -= 1
        if many_b > 0:
            own_j = Wb * wj / (Wb + wj)
        else:
            classes += 1
        pairs = P - wi * (W - Wa) + wj * (W - wi - Wb)
    slope = alpha * worth(W - wi + wj, 1.0, pairs, classes > 1, by_size)
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
        e, e_i, e_j, own_i, own_j, e_g, e_h, terms, classes = exchange(
            cluster_terms(state, p, y[i], y[j]), rule.alpha, rule.by_size, y[i] == y[j], w[i], w[j]
        )
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
def steps_that_fit(state, rule, p, q):
    """The least and the largest weight that may pass from cluster ``q`` to ``p``."""
    least = max(rule.lower[p] - state.weight[p], state.weight[q] - rule.upper[q])
    most = min(rule.upper[p] - state.weight[p], state.weight[q] - rule.lower[q])
    return least - rule.slack, most + rule.slack


@njit(cache=True, error_model="numpy")
def without_product(terms, alpha, by_size, same, wi, wj, near_i, own_i, near_j, own_j):
    """What (2) holds in a cluster besides g, with h of (4), and the factor of g."""
    e, e_i, e_j, f_i, f_j, e_g, e_h, _, _ = exchange(terms, alpha, by_size, same, wi, wj)
    gap = (near_i - own_i + near_j - own_j) / 2.0
    return e + e_i * near_i + e_j * near_j + f_i * own_i + f_j * own_j - e_h * gap, e_g + e_h


@njit(cache=True, error_model="numpy")
def without_products(in_p, in_q, alpha, by_size, same, i, j, quarter):
    """E and G of dphi, for points that `measure` knows by ``i`` and ``j``; ``quarter`` is |s|^2 / 4 of (3)."""
    first, G = without_product(in_p, alpha, by_size, same, i[1], j[1], i[2], i[3], j[5], j[6])
    other, H = without_product(in_q, alpha, by_size, same, j[1], i[1], j[2], j[3], i[5], i[6])
    side = (i[2] - i[5] + j[5] - j[2]) / 4.0
    return first + other + (G + H) * quarter + (G - H) * side, G + H


@njit(cache=True, error_model="numpy")
def measure(X, y, w, state, rule, members, p, q):
    """What exchanges with cluster q ask of the ``members`` of cluster ``p``, in blocks of one class.

    Returns
    -------
    known : (m, 9) ndarray
        m_iq, the weight, the squared distances to mu and to the class mean in p with their gap, then in q, and the
        distance (5).
    starts : (s + 1,) ndarray of int64
        Block t has the members starts[t] to starts[t + 1] - 1.
    most : (s, 8) ndarray
        The least m_iq of a block, and the largest of all others but the last.
    """
    m, blocks, alone = len(members), 0, count_points(state.class_count, p) < 2
    known, starts, most = np.empty((m, 9)), np.zeros(m + 1, dtype=np.int64), np.zeros((m, 8))
    quarter = square_distance(state.mean[p], state.mean[q]) / 4.0
    for t in range(m):
        i, row = members[t], known[t]
        a = y[i]
        row[0], row[1] = 0.0, w[i]
        row[2], row[3] = point_distances(X, i, state.mean, state.class_mean, p, a)
        row[5], row[6] = point_distances(X, i, state.mean, state.class_mean, q, a)
        row[4], row[7] = abs(row[2] - row[3]), abs(row[5] - row[6])
        both = (row[2] + row[5]) / 2.0
        row[8] = np.sqrt(max(both - quarter, 0.0) + ROUNDING * both)
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


@njit(cache=True, borrowing=True, fastmath=FAST)
def centred_product(X, i, j, mean, p, q):
    """(x_i - c) . (x_j - c) of (3)."""
    total = 0.0
    for f in range(X.shape[1]):
        middle = (mean[p, f] + mean[q, f]) / 2.0
        total += (X[i, f] - middle) * (X[j, f] - middle)
    return total


@njit(cache=True)
def swap_blocks(X, y, w, labels, state, rule, room, p, q, first, known, second, found, most, thorough, debug):
    """Exchange points ``first`` of one class in cluster ``p`` against ``second`` of one class in ``q``.

    ``known`` and ``found`` are what `measure` gives for them, ``most`` for all of the second. Returns as `sweep`.
    """
    swaps, failures, a, b, alpha, by_size = 0, 0, y[first[0]], y[second[0]], rule.alpha, rule.by_size
    known_at = -1  # exchanges after which the clusters were looked at
    for t in range(len(first)):
        if known_at < swaps:
            quarter = square_distance(state.mean[p], state.mean[q]) / 4.0
            in_p, in_q = cluster_terms(state, p, a, b), cluster_terms(state, q, b, a)
            least, largest = steps_that_fit(state, rule, p, q)
            known_at = swaps
        i = first[t]
        if labels[i] != p or found[-1, 1] - w[i] < least or found[0, 1] - w[i] > largest:  # weights increase
            continue
        bar = -known[t, 0]
        if thorough:
            bar += mutual_bounds(state, rule, p, q, a, b, known[t], most)
        if most[0] >= bar:
            continue
        best, partner = 0.0, -1
        for e in range(len(second)):
            if found[e, 0] >= bar:  # leaves out most points; their own bounds take far longer
                continue
            j = second[e]
            if labels[j] != q or not least <= w[j] - w[i] <= largest:
                continue
            E, G = without_products(in_p, in_q, alpha, by_size, a == b, known[t], found[e], quarter)
            if E - abs(G) * known[t, 8] * found[e, 8] >= best:
                continue
            E += G * centred_product(X, i, j, state.mean, p, q)
            if best > E and (room is None or room_for(room, i, j, p, q)):
                best, partner = E, j
        if partner < 0:
            continue
        done = change_places(X, y, w, labels, state, rule, i, partner, q, debug)
        if done == 0:
            failures += 1
            if failures >= PATIENCE and swaps > 0:
                return swaps, -1
            continue
        if room is not None:
            note_move(room, i, p, q)
            note_move(room, partner, q, p)
        swaps, failures = swaps + 1, 0
        if done < 0:
            return swaps, i
    return swaps, -1


@njit(cache=True)
def swap_pair(X, y, w, labels, state, rule, room, order, p, q, thorough, debug):
    """Exchange points of clusters ``p`` and ``q`` that lower phi; returns (swaps, fault) as `sweep`.

    ``order`` has all points with weight, grouped by classes, in which their weights increase. Points are measured once
    and exchanges computed anew, so that none helps where none is made.
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
            gain = most[t, 0] + largest[e, 0] < 0.0
            if not (gain or (thorough and may_gain(state, rule, p, q, a, b, most[t], largest[e]))):
                continue
            done, fault = swap_blocks(
                X, y, w, labels, state, rule, room, p, q, first[i:stop], known[i:stop], second[j:end], found[j:end],
                largest[e], thorough, debug,
            )  # fmt: skip
            swaps += done
            if fault >= 0:
                return swaps, fault
    return swaps, -1


@njit(cache=True, borrowing=True)
def note_swaps(settled, p, q, swaps, thorough):
    """Note in ``settled`` (k, k) that a search, `THOROUGH` or `BRIEF`, found no exchange, or that clusters changed."""
    if swaps == 0:
        settled[p, q] = THOROUGH if thorough else BRIEF
        return
    for r in range(len(settled)):
        settled[p, r] = settled[r, p] = settled[q, r] = settled[r, q] = 0


def sweep_swaps(X, y, w, labels, state, rule, room, settled, thorough, debug):
    """One round of exchanges over all pairs of clusters; returns (swaps, fault) as `sweep`.

    Unless it is ``thorough``, only points whose two moves gain together are looked at, which are nearly all that gain.
    Pairs p < q for which ``settled`` (k, k) is `BRIEF`, or `THOROUGH` where that is asked for, are left out: such a
    search found nothing, and neither has changed.
    """
    sizes = w * ((X - state.mean[labels]) ** 2).sum(axis=1)
    order = np.lexsort((sizes, w, y))
    return _sweep(X, y, w, labels, state, rule, room, settled, order[w[order] > 0.0], thorough, debug)


@njit(cache=True)
def _sweep(X, y, w, labels, state, rule, room, settled, order, thorough, debug):
    """`sweep_swaps`; in ``order`` points of one class and about one weight stand together."""
    swaps = 0
    for p in range(len(settled)):
        for q in range(p + 1, len(settled)):
            if settled[p, q] >= (THOROUGH if thorough else BRIEF):
                continue
            done, fault = swap_pair(X, y, w, labels, state, rule, room, order, p, q, thorough, debug)
            swaps += done
            if fault >= 0:
                return swaps, fault
            note_swaps(settled, p, q, done, thorough)
    return swaps, -1
