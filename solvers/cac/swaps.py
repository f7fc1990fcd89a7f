"""Kernels of CAC: exchanging two points between two clusters, so that tight size bounds still move.

Let i of class a leave cluster p and j of class b take its place. With g = (x_i - mu) . (x_j - mu),
h = (x_i - mu_a) . (x_j - mu_a), W1 = W - w_i and t = w_i / W1, removing and then adding gives

    (1)  dD = - W w_i / W1 |x_i - mu|^2  +  W1 w_j / (W1 + w_j) (|x_j - mu|^2 + 2 t g + t^2 |x_i - mu|^2)

and the same for D_a when a = b. B, P and S follow as in the kernels of single moves, so the change of phi is
affine in g and h (h only when a = b):

    (2)  dphi = e + e_g g + e_h h

`sweep_swaps` computes (2) for every pair of points whose weights fit, O(d) each, and exchanges the best for each
point; where all points weigh the same, `partner_cache` and `sorted_swaps` find exchanges without evaluating all pairs.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import njit
from ..exchange.neighbourhood import exchanged, may
from .kernels import FAST, TOLERANCE, add_cost, count_classes, count_points, remove_cost, shift, worth

PATIENCE = 32  # Exchanges in a row that may fail in a stale order, or where none has to be excluded.


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
    """Factors of (2) in a cluster when a point of class a makes room for one of class b, the ``same`` or another."""
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
def swap_cost(descent, i, j, p, q):
    """Exact change of phi when i of ``p`` and j of ``q`` change places: (cost, size, fewest classes left)."""
    X, y, w, _, state, rule = descent
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
def relabel(descent, i, j, q):
    """Move i to cluster ``q``, and j of ``q`` to that of i unless it is -1."""
    X, y, w, labels, state, _ = descent
    p = labels[i]
    for t in range(4):  # one call of `shift`, since Numba compiles every call separately
        point, origin, target = (j, q, p) if t < 2 else (i, p, q)
        if point >= 0:
            labels[point] = target
            leaves = t % 2 == 1
            shift(X, point, state, origin if leaves else target, y[point], w[point], -1 if leaves else 1)


@njit(cache=True, borrowing=True)
def change_places(descent, i, j, q):
    """Move i to cluster ``q``, and j of ``q`` the other way unless it is -1, if that lowers phi; whether it did."""
    X, y, w, labels, state, rule = descent
    p = labels[i]
    if j >= 0:
        cost, size, classes = swap_cost(descent, i, j, p, q)
        if rule.mixed and classes < 2:
            return False
    else:
        cost, size = remove_cost(X, i, state, rule, p, y[i], w[i])
        join, more = add_cost(X, i, state, rule, q, y[i], w[i])
        cost, size = cost + join, size + more
    if not cost < -TOLERANCE * size:
        return False
    relabel(descent, i, j, q)
    return True


@njit(cache=True, borrowing=True)
def best_partner(descent, row_slack, i, q, others, alone, thorough):
    """The point of ``others`` in cluster ``q`` whose exchange with i lowers phi most; -1 where none does."""
    _, _, w, labels, state, rule = descent
    p = labels[i]
    # the least and the largest weight that may pass from q to p
    least = max(rule.lower[p] - state.weight[p], state.weight[q] - rule.upper[q]) - rule.slack
    most = min(rule.upper[p] - state.weight[p], state.weight[q] - rule.lower[q]) + rule.slack
    best, partner = 0.0, -1
    for j in others:
        if labels[j] != q or not least <= w[j] - w[i] <= most or not (thorough or alone[i] + alone[j] < 0.0):
            continue
        cost, size, classes = swap_cost(descent, i, j, p, q)
        if cost >= min(best, -TOLERANCE * size) or (rule.mixed and classes < 2):
            continue
        if row_slack is None or may(
            row_slack.allowed, row_slack.pairs, row_slack.activity, len(rule.lower), i, p, q, j
        ):
            best, partner = cost, j
    return partner


@njit(cache=True)
def swap_pair(descent, row_slack, order, p, q, alone, thorough):
    """Exchange points of clusters ``p`` and ``q`` that lower phi, class by class; how many times."""
    X, y, w, labels, state, rule = descent
    swaps, C = 0, state.class_count.shape[1]
    first, second = order[labels[order] == p], order[labels[order] == q]
    for t in range(len(first) + len(second)):
        i, target = (first[t], q) if t < len(first) else (second[t - len(first)], p)
        if count_points(state.class_count, labels[i]) < 2:
            alone[i] = 0.0
        else:
            alone[i] = remove_cost(X, i, state, rule, labels[i], y[i], w[i])[0]
            alone[i] += add_cost(X, i, state, rule, target, y[i], w[i])[0]
    for pair in range(C * C):
        others = second[y[second] == pair % C]
        for i in first[y[first] == pair // C]:
            partner = -1
            if labels[i] == p:
                partner = best_partner(descent, row_slack, i, q, others, alone, thorough)
            if partner < 0:
                continue
            change_places(descent, i, partner, q)
            if row_slack is not None:
                exchanged(row_slack.pairs, row_slack.activity, len(rule.lower), i, p, q, partner)
            swaps += 1
    return swaps


@njit(cache=True, borrowing=True)
def note_swaps(settled, p, q, swaps, thorough):
    """Note in ``settled`` (k, k) that a search found no exchange, 2 if a ``thorough`` one, or that clusters changed."""
    if swaps == 0:
        settled[p, q] = 1 + thorough
        return
    for r in range(len(settled)):
        settled[p, r] = settled[r, p] = settled[q, r] = settled[r, q] = 0


def sweep_swaps(descent, row_slack, settled, thorough):
    """One round of exchanges over all pairs of clusters; how many there were."""
    X, y, w, labels, state, _ = descent
    order = np.lexsort((w * ((X - state.mean[labels]) ** 2).sum(axis=1), w, y))
    return _sweep(descent, row_slack, settled, order[w[order] > 0.0], thorough)


@njit(cache=True)
def _sweep(descent, row_slack, settled, order, thorough):
    """`sweep_swaps` over the points of ``order``."""
    swaps, alone = 0, np.zeros(len(descent.X))
    for p in range(len(settled)):
        for q in range(p + 1, len(settled)):
            if settled[p, q] >= 1 + thorough:
                continue
            done = swap_pair(descent, row_slack, order, p, q, alone, thorough)
            swaps += done
            note_swaps(settled, p, q, done, thorough)
    return swaps
