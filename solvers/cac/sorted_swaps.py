"""Kernels of CAC: exchanges between points of equal weight, found by sorting instead of trying all pairs.

With m_iq the change of phi when i alone moves from p to q, the exchange of i and j is two moves, and what they change
for each other in both clusters,

    (3)  dphi = m_iq + m_jp + r_p + r_q     r_p = c_0 + c_1 |x_i - mu|^2 + c_2 |x_j - mu|^2 + c_3 |x_i - mu_a|^2
                                                  + c_4 |x_j - mu_b|^2 + e_g g + e_h h

With equal weights the constants, those of the exchange (2) less those of the moves, depend on p, a and b only, and are
of the order 1/W. By Cauchy and Schwarz r is at least a number that follows from the distances of i and the largest ones
of the points of class b in q. So the points j are read in increasing m_jp until (3) cannot be negative any more: few
are read, and for most pairs of classes none.

Moves are measured once for a pair of clusters, exchanges always anew: where points have been exchanged the former are
stale and may hide a gain, but a pass without exchange has excluded every pair. Two clusters that were excluded and have
not changed since are left out.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...base.jit import njit
from .kernels import FAST, point_distances
from .partner_cache import note_costs
from .swaps import PATIENCE, change_places, cluster_terms, exchange, note_swaps


@njit(cache=True, borrowing=True, error_model="numpy")
def least_rest(exchanged, leave, join, i, j, other_i, other_j):
    """A lower bound on r_p of (3) for factors ``exchanged`` (7,), distances i, j to mu_p and others to class means."""
    value = exchanged[0] - leave[0] - join[0] - abs(exchanged[5]) * i * j - abs(exchanged[6]) * other_i * other_j
    value += min(exchanged[1] - leave[1], 0.0) * i * i + min(exchanged[2] - join[1], 0.0) * j * j
    value += min(exchanged[3] - leave[2], 0.0) * other_i * other_i
    return value + min(exchanged[4] - join[2], 0.0) * other_j * other_j


Measured = namedtuple("Measured", "leave join alone far least")  # fmt: skip
"""Of two clusters before they exchange points: factors (k, C, 3) of the cost of leaving and joining a cluster, as in
`PartnerCache`; m_iq (n,) of their points, and the least of a class (2, C); largest distances (2, C, 4) of a class to
the means of both and to its own in them."""


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def measure_moves(descent, members, measured, side, p, q, a):
    """Measure the members of class a in ``p``, of one side of the pair: their m_iq, the least of these, and the largest
    distances to the means of p, of a in p, of q and of a in q."""
    X, state = descent.X, descent.state
    leave, join, alone, far = measured.leave, measured.join, measured.alone, measured.far[side, a]
    least = np.inf
    far[:] = 0.0
    for i in members:
        near, own = point_distances(X, i, state.mean, state.class_mean, p, a)
        other, of_class = point_distances(X, i, state.mean, state.class_mean, q, a)
        m = leave[p, a, 0] + leave[p, a, 1] * near + leave[p, a, 2] * own
        alone[i] = m + join[q, a, 0] + join[q, a, 1] * other + join[q, a, 2] * of_class
        least = min(least, alone[i])
        far[0], far[1] = max(far[0], near), max(far[1], own)
        far[2], far[3] = max(far[2], other), max(far[3], of_class)
    for t in range(4):
        far[t] = np.sqrt(far[t])
    measured.least[side, a] = least


@njit(cache=True)
def swap_classes(descent, measured, groups, p, q, a, b, brief):
    """Exchange points of class a in ``p`` against class b in ``q``, by cluster and class in the list of groups; returns
    (swaps, excluded)."""
    X, _, w, labels, state, rule = descent
    leave, join, alone, far, least = measured
    first, second = groups[a], groups[state.class_weight.shape[1] + b]
    # factors of both clusters are the same for all points of these classes
    out = exchange(cluster_terms(state, p, a, b), rule.alpha, rule.by_size, a == b, w[0], w[0])[:7]
    back = exchange(cluster_terms(state, q, b, a), rule.alpha, rule.by_size, a == b, w[0], w[0])[:7]
    mine, yours = far[0, a].copy(), far[1, b]
    rest = least_rest(out, leave[p, a], join[p, b], mine[0], yours[2], mine[1], yours[3])
    rest += least_rest(back, leave[q, b], join[q, a], yours[0], mine[2], yours[1], mine[3])
    # most pairs of classes end here: their best points together gain nothing
    if not least[0, a] + least[1, b] + rest < 0.0:  # also where one class has no points there
        return 0, True
    # only these can gain with the best partner that there may be
    entering = second[alone[second] + (least[0, a] + rest) < 0.0]
    entering = entering[np.argsort(alone[entering])]
    swaps, failures = 0, 0
    for i in first:
        if labels[i] != p or not alone[i] + least[1, b] + rest < 0.0:
            continue
        # a bound with the distances of this point, sharper than that of the farthest one
        mine[0], mine[1] = point_distances(X, i, state.mean, state.class_mean, p, a)
        mine[2], mine[3] = point_distances(X, i, state.mean, state.class_mean, q, a)
        mine[:] = np.sqrt(mine)
        own = alone[i] + least_rest(out, leave[p, a], join[p, b], mine[0], yours[2], mine[1], yours[3])
        own += least_rest(back, leave[q, b], join[q, a], yours[0], mine[2], yours[1], mine[3])
        for j in entering:
            if not own + alone[j] < 0.0:
                break
            if labels[j] != q:
                continue
            if not change_places(descent, i, j, q):
                failures += 1
                if failures >= PATIENCE and (brief or swaps > 0):  # stale: the next round looks again
                    return swaps, False
                continue
            swaps, failures = swaps + 1, 0
            break
    return swaps, swaps == 0


def sweep_sorted_swaps(descent, settled, thorough):
    """One round of exchanges between points of equal weight; ``settled`` and what is returned as in `sweep_swaps`."""
    weights = descent.state.class_weight
    groups = descent.labels * weights.shape[1] + descent.y
    members = np.argsort(groups, kind="stable")
    return _sweep(descent, settled, members, np.searchsorted(groups[members], np.arange(weights.size + 1)), thorough)


@njit(cache=True)
def _sweep(descent, settled, members, ends, thorough):
    """`sweep_sorted_swaps`; the points of class a in cluster p were those of ``members`` from ends[p C + a] on."""
    X, _, w, labels, state, rule = descent
    (k, C), swaps = state.class_weight.shape, 0
    measured = Measured(
        np.empty((k, C, 3)), np.empty((k, C, 3)), np.empty(len(X)), np.empty((2, C, 4)), np.empty((2, C))
    )
    for p in range(k):
        for q in range(p + 1, k):
            if settled[p, q]:
                continue
            note_costs(state, rule, p, w[0], measured.leave, measured.join)
            note_costs(state, rule, q, w[0], measured.leave, measured.join)
            groups = []
            for side in range(2):
                r, s = (q, p) if side else (p, q)
                for a in range(C):
                    group = members[ends[r * C + a] : ends[r * C + a + 1]]
                    groups.append(group[labels[group] == r])  # some have been exchanged in this round
                    measure_moves(descent, groups[-1], measured, side, r, s, a)
            done, excluded = 0, True
            for pair in range(C * C):
                a, b = pair // C, pair % C
                brief = done > 0 or not thorough
                more, none = swap_classes(descent, measured, groups, p, q, a, b, brief)
                done, excluded = done + more, excluded and none
            if excluded or done > 0:
                note_swaps(settled, p, q, done, True)
            swaps += done
    return swaps
