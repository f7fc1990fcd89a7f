"""Kernels of CAC: exchanging two points between two clusters, so that tight size bounds still move.

Let i of class a leave cluster p and j take its place. The mean without i is mu' = mu - t (x_i - mu), where
t = w_i / (W - w_i), so that

    (1)  |x_j - mu'|^2 = |x_j - mu|^2 + 2 t (x_i - mu) . (x_j - mu) + t^2 |x_i - mu|^2

and the same of the mean of class a, if j is of that class. By (5) and (6) of `kernels` for i, and then for j with these
distances, D, B and P are known without either point being moved.

`sweep_swaps` computes exchanges of points whose weights fit, O(d) each, and makes the best for each point. Where all
points weigh the same, the factors in (1), (5) and (6) depend on the classes a and b only, and dphi is affine in the
squared distances and in the products of x_i and x_j. With any x_0 of class a in p, and z_0 of class b in q,

    (2)  dphi_ij = dphi_i0 - dphi_00 + dphi_0j + E (x_i - x_0) . (x_j - z_0)
         E = 2 w^2 sum_p [(1 - s_p) / W + (s_p / W_a if a = b)]

with s_p the factor of B in alpha times the separation after the exchange. E is of the order 1/W, so that few partners
are read in the order of dphi_0j, by Cauchy and Schwarz. Where weights differ, (2) holds but for terms of that order:
partners are read as long as (2) without E is negative, and a thorough sweep computes all pairs.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import njit
from ..exchange.neighbourhood import exchanged, may
from .kernels import FAST, TOLERANCE, count_classes, count_points, point_distances, shift, square_distance, worth


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def vacate(descent, i, p, vacancy):
    """Fill ``vacancy`` (9,) with cluster ``p`` without i: change of phi but for what S will be then, size of its terms,
    classes, B, P, t for all points and for those of its class, squared distances of i to both means."""
    X, y, w, _, state, rule = descent
    a = y[i]
    W, Wa, B, P = state.weight[p], state.class_weight[p, a], state.between[p], state.pairs[p]
    many, classes = state.class_count[p, a], count_classes(state, p)
    near, own = point_distances(X, i, state.mean, state.class_mean, p, a)
    t = w[i] / (W - w[i]) if count_points(state.class_count, p) > 1 else 0.0
    own_t = w[i] / (Wa - w[i]) if many > 1 else 0.0
    fall, before = W * t * near, rule.alpha * worth(W, B, P, classes > 1, rule.by_size)
    vacancy[0], vacancy[1], vacancy[2] = before - fall, before + fall, classes - (many == 1)
    vacancy[3], vacancy[4] = max(B - fall + Wa * own_t * own, 0.0), P - w[i] * (W - Wa) if vacancy[2] > 1 else 0.0
    vacancy[5], vacancy[6], vacancy[7], vacancy[8] = t, own_t, near, own


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def refill(descent, i, j, p, vacancy):
    """Exact change of phi of cluster ``p`` when j takes the place of i, the size of its terms, and the classes then."""
    X, y, w, _, state, rule = descent
    a, b, t, own_t = y[i], y[j], vacancy[5], vacancy[6]
    far, other, g, h = 0.0, 0.0, 0.0, 0.0
    for f in range(X.shape[1]):
        x, z = X[i, f] - state.mean[p, f], X[j, f] - state.mean[p, f]
        s, u = X[i, f] - state.class_mean[p, a, f], X[j, f] - state.class_mean[p, b, f]
        far += z * z
        other += u * u
        g += x * z
        h += s * u
    W, Wb, many = state.weight[p] - w[i], state.class_weight[p, b], state.class_count[p, b]
    if a == b:
        Wb, many = Wb - w[i], many - 1
        other += 2.0 * own_t * h + own_t * own_t * vacancy[8]
    rise = W * w[j] / (W + w[j]) * (far + 2.0 * t * g + t * t * vacancy[7])
    own_rise = 0.0 if many == 0 else Wb * w[j] / (Wb + w[j]) * other
    classes, between = vacancy[2] + (many == 0), max(vacancy[3] + rise - own_rise, 0.0)
    after = rule.alpha * worth(W + w[j], between, vacancy[4] + w[j] * (W - Wb), classes > 1, rule.by_size)
    return vacancy[0] + rise - after, vacancy[1] + rise + after, classes


@njit(cache=True, borrowing=True)
def swap_cost(descent, i, j, mine, yours):
    """Exact change of phi when i and j change places, by their vacancies: (cost, size, fewest classes left)."""
    cost, size, fewest = 0.0, 0.0, np.inf
    for t in range(2):  # one call, since Numba compiles every call separately
        leaves, enters, vacancy = (i, j, mine) if t == 0 else (j, i, yours)
        change, terms, classes = refill(descent, leaves, enters, descent.labels[leaves], vacancy)
        cost, size, fewest = cost + change, size + terms, min(fewest, classes)
    return cost, size, fewest


@njit(cache=True, borrowing=True)
def change_places(descent, i, j):
    """Exchange i and j, which are in different clusters."""
    X, y, w, labels, state, _ = descent
    p, q = labels[i], labels[j]
    for t in range(4):  # one call of `shift`, since Numba compiles every call separately
        point, origin, target = (j, q, p) if t < 2 else (i, p, q)
        labels[point] = target
        leaves = t % 2 == 1
        shift(X, point, state, origin if leaves else target, y[point], w[point], -1 if leaves else 1)


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def affine_costs(descent, first, second, keys, vacancies):
    """Fill ``keys`` (n,) with dphi_i0 - dphi_00 and dphi_0j of (2), the first of both being x_0 and z_0; returns E."""
    _, y, w, labels, state, rule = descent
    sides, base, bend = (first[0], second[0]), 0.0, 0.0
    for t in range(len(first) + len(second)):
        i, j = (first[t], sides[1]) if t < len(first) else (sides[0], second[t - len(first)])
        vacate(descent, i, labels[i], vacancies[0])
        vacate(descent, j, labels[j], vacancies[1])
        cost = swap_cost(descent, i, j, vacancies[0], vacancies[1])[0]
        base = cost if t == 0 else base
        keys[i if t < len(first) else j] = cost - base if t < len(first) else cost
    for side in range(2):
        p, a, b, unit = labels[sides[side]], y[sides[side]], y[sides[1 - side]], w[sides[0]]
        W, Wa, pairs = state.weight[p], state.class_weight[p, a], state.pairs[p]
        pairs += 0.0 if a == b else unit * (Wa - unit - state.class_weight[p, b])
        slope = rule.alpha * worth(W, 1.0, pairs, True, rule.by_size)
        bend += 2.0 * unit * unit * ((1.0 - slope) / W + (slope / Wa if a == b else 0.0))
    return bend


@njit(cache=True, borrowing=True, fastmath=FAST)
def best_partner(descent, row_slack, i, q, others, keys, vacancies, swaps, reach, bend, origins):
    """The point of ``others`` in cluster ``q``, in the order of ``keys``, whose exchange with i lowers phi most; -1
    where none does. Those are read whose keys add up to less than ``reach``; ``bend`` is E of (2), 0 if weights differ,
    ``origins`` are the points x_0 and z_0. ``vacancies`` are those of the others and of i; the last column has the
    number of swaps before."""
    X, _, w, labels, state, rule = descent
    p = labels[i]
    vacate(descent, i, p, vacancies[-1])
    # the least and the largest weight that may pass from q to p
    least = max(rule.lower[p] - state.weight[p], state.weight[q] - rule.upper[q]) - rule.slack
    most = min(rule.upper[p] - state.weight[p], state.weight[q] - rule.lower[q]) + rule.slack
    best, partner = 0.0, -1
    for t in range(len(others)):
        j = others[t]
        if not keys[i] + keys[j] < reach + (best if bend else 0.0):
            break
        if labels[j] != q or not least <= w[j] - w[i] <= most:
            continue
        if bend:
            product = 0.0
            for f in range(X.shape[1]):
                product += (X[i, f] - X[origins[0], f]) * (X[j, f] - X[origins[1], f])
            if keys[i] + keys[j] + bend * product >= best:
                continue
        if vacancies[t, 9] != swaps:
            vacate(descent, j, q, vacancies[t])
            vacancies[t, 9] = swaps
        cost, size, classes = swap_cost(descent, i, j, vacancies[-1], vacancies[t])
        if cost >= min(best, -TOLERANCE * size) or (rule.mixed and classes < 2):
            continue
        if row_slack is None or may(
            row_slack.allowed, row_slack.pairs, row_slack.activity, len(rule.lower), i, p, q, j
        ):
            best, partner = cost, j
    return partner


@njit(cache=True)
def swap_pair(descent, row_slack, order, p, q, keys, thorough, equal):
    """Exchange points of clusters ``p`` and ``q`` that lower phi, class by class; how many times."""
    X, y, _, labels, state, rule = descent
    swaps, C = 0, state.class_count.shape[1]
    for pair in range(C * C):
        first = order[(labels[order] == p) & (y[order] == pair // C)]
        others = order[(labels[order] == q) & (y[order] == pair % C)]
        if len(first) == 0 or len(others) == 0:
            continue
        vacancies, origins = np.full((len(others) + 1, 10), -1.0), (first[0], others[0])
        bend = affine_costs(descent, first, others, keys, vacancies[:2])
        vacancies[:2] = -1.0
        far = max([square_distance(X[j], X[origins[1]]) for j in others])
        others = others[np.argsort(keys[others])]
        for i in first:
            reach = np.inf if thorough else 0.0
            if equal:
                reach = abs(bend) * np.sqrt(far * square_distance(X[i], X[origins[0]]))
            partner = best_partner(
                descent, row_slack, i, q, others, keys, vacancies, swaps, reach, bend if equal else 0.0, origins
            )
            if partner < 0:
                continue
            change_places(descent, i, partner)
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
    order = order[w[order] > 0.0]
    equal = bool(np.all(w[order] == w[order[0]]))
    return _sweep(descent, row_slack, settled, order, thorough or equal, equal)


@njit(cache=True)
def _sweep(descent, row_slack, settled, order, thorough, equal):
    """`sweep_swaps` over the points of ``order``, of ``equal`` weights or not."""
    swaps, keys = 0, np.zeros(len(descent.X))
    for p in range(len(settled)):
        for q in range(p + 1, len(settled)):
            if settled[p, q] >= 1 + thorough:
                continue
            done = swap_pair(descent, row_slack, order, p, q, keys, thorough, equal)
            swaps += done
            note_swaps(settled, p, q, done, thorough)
    return swaps
