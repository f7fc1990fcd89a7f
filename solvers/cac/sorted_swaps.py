"""Kernels of CAC: exchanges between points of equal weight, found by sorting instead of trying all pairs.

With equal weights all factors in (1), (2) of the exchange depend only on the classes a and b of the two points. The
dot products about the means m_r of the two clusters, with their factors g_r, make one about any point c: for
G = sum g_r and v = sum g_r m_r

    (3)  sum_r g_r (x_i - m_r).(x_j - m_r) = G (x_i - c).(x_j - c) + (G c - v).(x_i + x_j) + sum_r g_r |m_r|^2 - G |c|^2

so that, with everything that belongs to one point in alpha_i and beta_j and r_i = |x_i - c|,

    (4)  dphi = alpha_i + beta_j + G (x_i - c).(x_j - c) >= alpha_i + beta_j - |G| r_i r_j

All products and distances in (4) follow from the squared distances of the point to the four means: with s_r, u_r the
weights of m_r in G c - v and in c, and sum u_r = 1,

    (5)  (G c - v).x = sum_r s_r ( |x|^2 + |m_r|^2 - |x - m_r|^2 ) / 2
    (6)  |x - c|^2   = sum_r u_r |x - m_r|^2 - sum_{r<s} u_r u_s |m_r - m_s|^2

so that a pair of classes costs O(1) a point once its distances are known, and most pairs of classes are done with the
least alpha, the least beta and the largest r. Otherwise, for each i the points j are read in increasing beta_j, until
(4) with the largest r_j is not negative; G is of the order 1/W, so few are read, and fewer computed exactly.

Before that, one survey of all points and clusters, O(n k d), excludes most of them. With m_iq the change of
phi when i alone moves to q, the exchange is two moves and what they change for each other in both clusters,

    (7)  dphi = m_iq + m_jp + r_p + r_q     r_p = c_0 + c_1 |x_i - mu|^2 + c_2 |x_j - mu|^2 + c_3 |x_i - mu_a|^2
                                                  + c_4 |x_j - mu_b|^2 + e_g g + e_h h

where the constants, those of the exchange less those of the moves, depend on p, a and b only. The least m_iq of the
points of each class in p, and their largest distances, bound (7) from below in O(1) for all of them.

Distances are measured once a pass, costs always anew: within a pass that has exchanged points they are stale and may
hide a gain, but a pass without exchange has excluded every pair. Two clusters that were excluded and have not changed
since are left out, of the survey as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit
from ..transport.flow.binary_heaps import heapify, sift_down
from .kernels import FAST, point_distances, square_distance
from .partner_cache import note_costs
from .swaps import PATIENCE, change_places, cluster_terms, exchange, note_swaps

GAVE_UP = -2  # instead of a fault


class SwapSurvey(NamedTuple):
    """What is known of all points and clusters; `survey` brings it up to date."""

    near: NDArray[np.float64]  # (n, k)
    own: NDArray[np.float64]  # (n, k)
    least: NDArray[np.float64]  # (k, C, k)
    far: NDArray[np.float64]  # (k, C, k): Their largest distances to the mean of q and to that of their class in q
    own_far: NDArray[np.float64]  # (k, C, k): Their largest distances to the mean of q and to that of their class in q
    leave: NDArray[np.float64]  # (k, C, 3): Change of phi when a point of the class leaves or joins
    join: NDArray[np.float64]  # (k, C, 3): Change of phi when a point of the class leaves or joins
    factors: NDArray[np.float64]  # (k, C, C, 7)


def empty_swap_survey(n_points: int, n_clusters: int, n_classes: int) -> SwapSurvey:
    """A survey in which nothing is known."""
    n, k, C = n_points, n_clusters, n_classes
    return SwapSurvey(
        np.empty((n, k)),
        np.empty((n, k)),
        np.empty((k, C, k)),
        np.empty((k, C, k)),
        np.empty((k, C, k)),
        np.empty((k, C, 3)),
        np.empty((k, C, 3)),
        np.empty((k, C, C, 7)),
    )


@njit(cache=True, borrowing=True)
def note_exchange(state, rule, p, a, b, w, out):
    """Fill ``out`` (7,) with the factors of an exchange: constant, near_i, near_j, own_i, own_j, e_g and e_h."""
    factors = exchange(cluster_terms(state, p, a, b), rule.alpha, rule.by_size, a == b, w, w)
    out[0], out[1], out[2], out[3], out[4], out[5], out[6], _, _ = factors


@njit(cache=True, borrowing=True, error_model="numpy")
def note_factors(state, rule, p, w, leave, join, factors):
    """Fill the rows of cluster ``p`` in ``leave``, ``join`` and ``factors``."""
    note_costs(state, rule, p, w, leave, join)
    for a in range(len(factors[p])):
        for b in range(len(factors[p])):
            note_exchange(state, rule, p, a, b, w, factors[p, a, b])


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def survey(X, y, labels, state, rule, w, stale, known):
    """Bring ``known`` up to date for all pairs of clusters of which one is ``stale``."""
    near_all, own_all, least, far, own_far, leave, join, factors = known
    k, C = state.class_weight.shape
    mean, class_mean = state.mean, state.class_mean
    for p in range(k):
        if stale[p]:
            note_factors(state, rule, p, w, leave, join, factors)
    for p in range(k):
        for q in range(k):
            if stale[p] or stale[q]:
                for a in range(C):
                    least[p, a, q], far[p, a, q], own_far[p, a, q] = np.inf, 0.0, 0.0
    for i in range(len(X)):
        p, a = labels[i], y[i]
        near, own = point_distances(X, i, mean, class_mean, p, a)
        if stale[p]:
            far[p, a, p], own_far[p, a, p] = max(far[p, a, p], near), max(own_far[p, a, p], own)
            near_all[i, p], own_all[i, p] = near, own
        base = leave[p, a, 0] + leave[p, a, 1] * near + leave[p, a, 2] * own
        for q in range(k):
            if q == p or not (stale[p] or stale[q]):
                continue
            near, own = point_distances(X, i, mean, class_mean, q, a)
            m = base + join[q, a, 0] + join[q, a, 1] * near + join[q, a, 2] * own
            near_all[i, q], own_all[i, q] = near, own
            least[p, a, q] = min(least[p, a, q], m)
            far[p, a, q], own_far[p, a, q] = max(far[p, a, q], near), max(own_far[p, a, q], own)
    for p in range(k):
        for q in range(k):
            if stale[p] or stale[q]:
                for a in range(C):
                    far[p, a, q], own_far[p, a, q] = np.sqrt(far[p, a, q]), np.sqrt(own_far[p, a, q])


@njit(cache=True, borrowing=True, error_model="numpy")
def least_rest(known, p, q, a, b):
    """A lower bound on r_p + r_q of (7) for exchanges of a point of class a in ``p`` and one of class b in ``q``."""
    value = 0.0
    for _ in range(2):
        r, leave, join = known.factors[p, a, b], known.leave[p, a], known.join[p, b]
        out, own_out = known.far[p, a, p], known.own_far[p, a, p]
        enter, own_enter = known.far[q, b, p], known.own_far[q, b, p]
        value += r[0] - leave[0] - join[0] - abs(r[5]) * out * enter - abs(r[6]) * own_out * own_enter
        value += min(r[1] - leave[1], 0.0) * out * out + min(r[2] - join[1], 0.0) * enter * enter
        value += min(r[3] - leave[2], 0.0) * own_out * own_out + min(r[4] - join[2], 0.0) * own_enter * own_enter
        p, q, a, b = q, p, b, a
    return value


@njit(cache=True, borrowing=True, error_model="numpy")
def weights_of_means(P, Q, means, s, u):
    """Fill s and u of (5), (6) for the rows of ``means`` (4, d)."""
    factors = (P[5], Q[5], P[6], Q[6])
    total, scale = 0.0, 0.0
    for g in factors:
        total += g
        scale += abs(g)
    constant, square, apart, shared = 0.0, 0.0, 0.0, 0.0
    for r in range(4):
        g = factors[r]
        u[r] = abs(g) / scale if scale > 0.0 else 0.0
        s[r] = total * u[r] - g
        if g != 0.0:  # a class that is absent has no mean
            norm = 0.0
            for f in range(means.shape[1]):
                norm += means[r, f] * means[r, f]
            constant += g * norm
            square += u[r] * norm
            shared += s[r] * norm / 2.0
    for r in range(4):
        for t in range(r):
            if u[r] > 0.0 and u[t] > 0.0:
                apart += u[r] * u[t] * square_distance(means[r], means[t])
    return total, constant - total * (square - apart), apart, shared


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def scores_of(points, wanted, labels, known, p, q, norms, terms, s, u, half, scale, apart, out, far, chosen):
    """alpha or beta of (4) and |G| r or r of those of ``points`` that lie in cluster ``wanted``."""
    count, least, most = 0, np.inf, 0.0
    drift = (s[0] + s[1] + s[2] + s[3]) / 2.0
    for i in points:
        if labels[i] != wanted:
            continue
        d = (known.near[i, p], known.near[i, q], known.own[i, p], known.own[i, q])
        score = half + drift * norms[i]
        radius = -apart
        for r in range(4):
            score += (terms[r] - s[r] / 2.0) * d[r]
            radius += u[r] * d[r]
        radius = scale * np.sqrt(max(radius, 0.0))
        out[count], far[count], chosen[count] = score, radius, i
        least, most = min(least, score), max(most, radius)
        count += 1
    return count, least, most


@njit(cache=True, borrowing=True)
def ascending(beta, far, m, low, most, kept, keys):
    """Fill ``kept`` with those of the first ``m`` points that may still gain, in increasing beta; returns how many."""
    count = 0
    for j in range(m):
        if beta[j] + low - most * far[j] < 0.0:
            kept[count], keys[count] = j, -beta[j]
            count += 1
    heapify(keys, kept, count)  # and not `np.argsort`, which takes longer to compile than all that stands here
    for last in range(count - 1, 0, -1):
        keys[0], keys[last], kept[0], kept[last] = keys[last], keys[0], kept[last], kept[0]
        sift_down(keys, kept, 0, last)
    return count


@njit(cache=True, borrowing=True)
def swap_classes(X, y, w, labels, state, rule, p, q, a, b, first, second, known, norms, scratch, chosen, brief, debug):
    """Exchange points of class a in ``p`` against class b in ``q``; returns (swaps, fault)."""
    scores, radii, keys, means, s, u = scratch
    P, Q = known.factors[p, a, b], known.factors[q, b, a]
    for f in range(X.shape[1]):
        means[0, f], means[1, f] = state.mean[p, f], state.mean[q, f]
        means[2, f], means[3, f] = state.class_mean[p, a, f], state.class_mean[q, a, f]
    G, constant, apart, shared = weights_of_means(P, Q, means, s, u)
    half = P[0] + Q[0] + constant
    n, low, most, m, least, farthest = 0, 0.0, 0.0, 0, 0.0, 0.0
    for side in range(2):
        n, low, most = m, least, farthest
        m, least, farthest = scores_of(
            second if side else first, q if side else p, labels, known, p, q, norms,
            (P[2], Q[1], P[4], Q[3]) if side else (P[1], Q[2], P[3], Q[4]), s, u,
            shared if side else half + shared, 1.0 if side else abs(G), apart, scores[side], radii[side], chosen[side],
        )  # fmt: skip
    alpha, near, beta, far = scores[0], radii[0], scores[1], radii[1]
    if n == 0 or m == 0 or low + least - most * farthest >= 0.0:
        return 0, -1
    entering, kept = chosen[1], chosen[2]
    many = ascending(beta, far, m, low, most, kept, keys)
    swaps, failures = 0, 0
    start = 0  # candidates before it have left q
    for t in range(n):
        if alpha[t] + least - near[t] * farthest >= 0.0:
            continue
        i = chosen[0][t]
        while start < many and labels[entering[kept[start]]] != q:
            start += 1
        for e in range(start, many):
            bound = alpha[t] + beta[kept[e]]
            if bound - near[t] * farthest >= 0.0:
                break
            j = entering[kept[e]]
            if bound - near[t] * far[kept[e]] >= 0.0 or labels[j] != q:
                continue
            done = change_places(X, y, w, labels, state, rule, i, j, q, debug)
            if done == 0:
                failures += 1
                if failures >= PATIENCE and (brief or swaps > 0):
                    return swaps, GAVE_UP
                continue
            swaps, failures = swaps + 1, 0
            if done < 0:
                return swaps, i
            break
    return swaps, -1


def sweep_sorted_swaps(X, y, w, labels, state, rule, settled, known, thorough, debug):
    """One round of exchanges between points of equal weight; ``settled`` and what is returned as in `sweep_swaps`."""
    n, groups = len(X), labels * state.class_weight.shape[1] + y
    members = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[members], np.arange(state.class_weight.size + 1))
    norms, chosen = np.einsum("nd,nd->n", X, X), np.empty((3, n), dtype=np.int64)
    scratch = np.empty((2, n)), np.empty((2, n)), np.empty(n), np.empty((4, X.shape[1])), np.empty(4), np.empty(4)
    stale = ~settled.any(axis=1)
    return _sweep(
        X, y, w, labels, state, rule, settled, known, members, ends, norms, scratch, chosen, stale, thorough, debug
    )


@njit(cache=True, borrowing=True)
def _sweep(X, y, w, labels, state, rule, settled, known, members, ends, norms, scratch, chosen, stale, thorough, debug):
    """`sweep_sorted_swaps`; the points of class a in cluster p are those of ``members`` from ends[p C + a] on."""
    survey(X, y, labels, state, rule, w[0], stale, known)
    k, C = state.class_weight.shape
    stale[:] = False  # from now on: has changed since the survey
    swaps = 0
    for p in range(k):
        for q in range(p + 1, k):
            if settled[p, q]:
                continue
            done, excluded = 0, not (stale[p] or stale[q])
            for a in range(C):
                for b in range(C):
                    if not known.least[p, a, q] + known.least[q, b, p] + least_rest(known, p, q, a, b) < 0.0:
                        continue
                    first = members[ends[p * C + a] : ends[p * C + a + 1]]
                    second = members[ends[q * C + b] : ends[q * C + b + 1]]
                    brief = stale[p] or stale[q] or done > 0 or not thorough
                    more, fault = swap_classes(
                        X, y, w, labels, state, rule, p, q, a, b, first, second, known, norms, scratch, chosen, brief,
                        debug,
                    )  # fmt: skip
                    done += more
                    excluded = excluded and fault != GAVE_UP
                    if fault >= 0:
                        return swaps + done, fault
            swaps += done
            if done > 0:
                stale[p] = stale[q] = True
            if excluded or done > 0:
                note_swaps(settled, p, q, done, True)
    return swaps, -1
