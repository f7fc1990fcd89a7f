"""Kernels of CAC: one pass of moves and exchanges over points of equal weight, partners found on the way.

With equal weights the change m_iq of phi when i of class a moves from cluster p to q is affine in squared distances,

    (1)  m_iq = l_0 + l_1 |x_i - mu_p|^2 + l_2 |x_i - mu_pa|^2  +  j_0 + j_1 |x_i - mu_q|^2 + j_2 |x_i - mu_qa|^2

with factors that depend on the clusters and the class alone. Where p may not lose a point or q not gain one, i needs a
point of q in exchange. So the cache keeps, for every pair of clusters, the point with the least m_iq of those that
stayed, and i finds the partner j that was visited before:

    (2)  an exchange of i and j is computed exactly where m_iq + m_jp < 0, and made where it lowers phi.

What both change for each other is of the order 1/W, so that (2) finds most exchanges; `sorted_swaps` finds the rest.
The slack of a point is its least m_iq, plus the m_jp of the partner kept where it cannot move alone. Points of little
slack are near boundaries and make nearly all moves; passes over them alone are cheap. A partner is tried once and then
gives way to the next one: it may be a point far outside, which no exchange moves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit
from .kernels import FAST, classes_left, count_points, point_distances, worth
from .swaps import change_places


class PartnerCache(NamedTuple):
    """What a pass knows; arrays that the next pass fills anew."""

    keys: NDArray[np.float64]  # (k, k): Key m_iq of the partner, inf where there is none.
    points: NDArray[np.int64]  # (k, k): The partner.
    slack: NDArray[np.float64]  # (n,): Slack of the points.
    leave: NDArray[np.float64]  # (k, C, 3): Factors of (1) for leaving a cluster.
    join: NDArray[np.float64]  # (k, C, 3): Factors of (1) for joining it.
    price: NDArray[np.float64]  # (k, k): Price of the partners of the last pass, 0 where there was none.
    cost: NDArray[np.float64]  # (k,): Cost m_iq of the point that is visited.


def empty_cache(n_points: int, n_clusters: int, n_classes: int) -> PartnerCache:
    """No partners."""
    n, k, C = n_points, n_clusters, n_classes
    keys, points = np.full((k, k), np.inf), np.zeros((k, k), dtype=np.int64)
    leave, join = np.empty((k, C, 3)), np.empty((k, C, 3))
    return PartnerCache(keys, points, np.empty(n), leave, join, np.empty((k, k)), np.empty(k))


@njit(cache=True, borrowing=True, error_model="numpy")
def note_costs(state, rule, p, w, leave, join):
    """Fill the factors of (1) of cluster ``p``."""
    W, B, P, alpha = state.weight[p], state.between[p], state.pairs[p], rule.alpha
    old = worth(W, B, P, P > 0.0, rule.by_size)
    points = count_points(state.class_count, p)
    for a in range(state.class_weight.shape[1]):
        Wa, count = state.class_weight[p, a], state.class_count[p, a]
        own = Wa * w / (Wa + w) if count > 0 else 0.0
        slope = alpha * worth(W + w, 1.0, P + w * (W - Wa), Wa < W, rule.by_size)
        near = W * w / (W + w)
        join[p, a, 0], join[p, a, 1], join[p, a, 2] = alpha * old - slope * B, near * (1.0 - slope), slope * own
        own = Wa * w / (Wa - w) if count > 1 else 0.0
        pairs = P - w * (W - Wa) if count > 0 and points > 1 else 0.0
        slope = alpha * worth(W - w, 1.0, pairs, pairs > 0.5 * w * w, rule.by_size)
        near = W * w / (W - w) if points > 1 else 0.0
        leave[p, a, 0], leave[p, a, 1], leave[p, a, 2] = alpha * old - slope * B, near * (slope - 1.0), -slope * own


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def sweep_with_cache(descent, order, cache):
    """One pass of moves and exchanges over the points of ``order``; returns (moves, swaps)."""
    X, y, w, labels, state, rule = descent
    keys, points, slack, leave, join, price, cost = cache
    k, moves, swaps = len(keys), 0, 0
    # prices of the last pass: what a partner will cost before any has been met in this one
    for p in range(k):
        note_costs(state, rule, p, w[0], leave, join)
        for q in range(k):
            price[p, q] = keys[p, q] if keys[p, q] < np.inf else 0.0
    for i in order:
        p, a, slack[i] = labels[i], y[i], np.inf
        if classes_left(state.class_count, state.pairs, p, a) < 1 + rule.mixed:
            continue
        near, own = point_distances(X, i, state.mean, state.class_mean, p, a)
        # what leaving costs is the same for every cluster
        base = leave[p, a, 0] + leave[p, a, 1] * near + leave[p, a, 2] * own
        leaves = state.weight[p] - w[i] >= rule.lower[p] - rule.slack
        best, target, alone = 0.0, -1, True
        for q in range(k):
            if q == p:
                continue
            near, own = point_distances(X, i, state.mean, state.class_mean, q, a)
            m = base + join[q, a, 0] + join[q, a, 1] * near + join[q, a, 2] * own
            cost[q] = m
            # where sizes forbid the move alone, the cheapest partner met so far pays for the way back
            fits = leaves and state.weight[q] + w[i] <= rule.upper[q] + rule.slack
            slack[i] = min(slack[i], m if fits else m + price[q, p])
            change = m if fits else m + keys[q, p]
            if change < best:
                best, target, alone = change, q, fits
        done, q = False, target
        if q >= 0:
            j = -1 if alone else points[q, p]
            if not alone:  # tried once
                keys[q, p] = np.inf
            if alone or labels[j] == q:
                done = change_places(descent, i, j, q)
        if done:
            moves, swaps = moves + alone, swaps + (not alone)
            for r in (p, q):  # the others are as they were
                note_costs(state, rule, r, w[i], leave, join)
            continue
        # a point that stays is a partner for those that come after it
        for q in range(k):
            if q != p and cost[q] < keys[p, q]:
                keys[p, q], points[p, q] = cost[q], i
    return moves, swaps
