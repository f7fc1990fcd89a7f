"""Kernels of CAC: exact costs of moving one point, and one round over all points.

For cluster p let W, W_a be the weights of its points and of those of class a, mu and mu_a their means, and

    (1)  D   = sum_j w_j |x_j - mu|^2            D_a = the same sum over class a about mu_a
    (2)  B   = sum_a W_a |mu_a - mu|^2           = D - sum_a D_a
    (3)  P   = sum_{a<b} W_a W_b
    (4)  S   = W B / P                           = sum_{a<b} W_a W_b |mu_a - mu_b|^2 / P,   0 with one class

Adding (+) or removing (-) a point x of weight w and class a changes them, exactly and in O(d), by

    (5)  dD  = +- W w / (W +- w) |x - mu|^2      dD_a likewise with W_a, mu_a
    (6)  dB  = dD - dD_a                         dP = +- w (W - W_a)

so that the two distances |x - mu|^2 and |x - mu_a|^2 are all that a cost needs, whatever the number of classes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

TOLERANCE = 1e-12  # relative to the terms of a cost: smaller gains are rounding
FAST = {"reassoc", "contract", "nsz"}  # lets the distance loops use vector instructions


class State(NamedTuple):
    """Sums of all clusters; the kernels update the arrays in place.

    Attributes
    ----------
    mean : (k, d) ndarray
    class_mean : (k, C, d) ndarray
    weight : (k,) ndarray
    class_weight : (k, C) ndarray
    class_count : (k, C) ndarray of int64
        Points of positive weight.
    between : (k,) ndarray
        B of (2).
    pairs : (k,) ndarray
        P of (3).
    """

    mean: NDArray[np.float64]
    class_mean: NDArray[np.float64]
    weight: NDArray[np.float64]
    class_weight: NDArray[np.float64]
    class_count: NDArray[np.int64]
    between: NDArray[np.float64]
    pairs: NDArray[np.float64]


class Rule(NamedTuple):
    """What a move may do and what it is worth.

    Attributes
    ----------
    alpha : float
    by_size : bool
        Weight of S in a cluster: W, or 1.
    mixed : bool
        Whether a point stays when its removal leaves fewer than two classes behind.
    lower, upper : (k,) ndarray
        Bounds on the cluster weights.
    slack : float
        Rounding allowed in sums of weights.
    """

    alpha: float
    by_size: bool
    mixed: bool
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    slack: float


def empty_state(n_clusters: int, n_classes: int, n_features: int) -> State:
    """State of k clusters without points."""
    k, C, d = n_clusters, n_classes, n_features
    return State(
        np.zeros((k, d)),
        np.zeros((k, C, d)),
        np.zeros(k),
        np.zeros((k, C)),
        np.zeros((k, C), dtype=np.int64),
        np.zeros(k),
        np.zeros(k),
    )


@njit(cache=True)
def refresh_cluster(state, p):
    """Recompute B (2) and P (3) of cluster ``p`` from its means and weights, O(C d)."""
    between, pairs, seen = 0.0, 0.0, 0.0
    for a in range(state.class_weight.shape[1]):
        if state.class_count[p, a] == 0:
            continue
        square = 0.0
        for f in range(state.mean.shape[1]):
            step = state.class_mean[p, a, f] - state.mean[p, f]
            square += step * step
        between += state.class_weight[p, a] * square
        pairs += seen * state.class_weight[p, a]
        seen += state.class_weight[p, a]
    state.between[p] = between
    state.pairs[p] = pairs


@njit(cache=True)
def recompute(X, y, w, labels, state, within):
    """Fill ``state`` and D of (1), ``within`` (k,), from the points alone in two passes, O(n d)."""
    k, C, d = state.class_mean.shape
    state.class_mean[:] = 0.0
    state.class_weight[:] = 0.0
    state.class_count[:] = 0
    for i in range(len(X)):
        p, a = labels[i], y[i]
        if w[i] > 0.0:
            state.class_count[p, a] += 1
            state.class_weight[p, a] += w[i]
            for f in range(d):
                state.class_mean[p, a, f] += w[i] * X[i, f]
    for p in range(k):
        state.weight[p] = 0.0
        state.mean[p] = 0.0
        for a in range(C):
            if state.class_count[p, a] > 0:
                state.weight[p] += state.class_weight[p, a]
                for f in range(d):
                    state.mean[p, f] += state.class_mean[p, a, f]
                    state.class_mean[p, a, f] /= state.class_weight[p, a]
        if state.weight[p] > 0.0:
            state.mean[p] /= state.weight[p]
        refresh_cluster(state, p)
    within[:] = 0.0
    for i in range(len(X)):
        within[labels[i]] += w[i] * square_distance(X[i], state.mean[labels[i]])


@njit(cache=True, fastmath=FAST)
def square_distance(x, z):
    """|x - z|^2 of two (d,) vectors."""
    total = 0.0
    for f in range(len(x)):
        step = x[f] - z[f]
        total += step * step
    return total


@njit(cache=True, fastmath=FAST)
def two_distances(x, mean, class_mean):
    """|x - mu|^2 and |x - mu_a|^2 in one pass."""
    near, own = 0.0, 0.0
    for f in range(len(x)):
        first, second = x[f] - mean[f], x[f] - class_mean[f]
        near += first * first
        own += second * second
    return near, own


@njit(cache=True)
def count_classes(state, p):
    """Number of classes with points of positive weight in cluster ``p``."""
    number = 0
    for a in range(state.class_count.shape[1]):
        if state.class_count[p, a] > 0:
            number += 1
    return number


@njit(cache=True)
def worth(weight, between, pairs, mixed, by_size):
    """Weight times S of (4); 0 when the cluster is not ``mixed``, that is, has fewer than two classes."""
    if not mixed or pairs <= 0.0:
        return 0.0
    return (weight if by_size else 1.0) * weight * between / pairs


@njit(cache=True)
def add_cost(state, rule, p, a, x, w):
    """Change of phi when x joins cluster ``p``, and the size of its terms."""
    near, own = two_distances(x, state.mean[p], state.class_mean[p, a])
    W, Wa = state.weight[p], state.class_weight[p, a]
    rise = W * w / (W + w) * near
    if rule.alpha == 0.0:
        return rise, rise
    new = state.class_count[p, a] == 0
    own_rise = 0.0 if new else Wa * w / (Wa + w) * own
    classes = count_classes(state, p)
    old = worth(W, state.between[p], state.pairs[p], classes > 1, rule.by_size)
    between = max(state.between[p] + rise - own_rise, 0.0)
    pairs = state.pairs[p] + w * (W - Wa)
    after = worth(W + w, between, pairs, classes + new > 1, rule.by_size)
    return rise - rule.alpha * (after - old), rise + rule.alpha * (after + old)


@njit(cache=True)
def remove_cost(state, rule, p, a, x, w):
    """Change of phi when x, one of at least two points, leaves cluster ``p``, and the size of its terms."""
    near, own = two_distances(x, state.mean[p], state.class_mean[p, a])
    W, Wa = state.weight[p], state.class_weight[p, a]
    fall = W * w / (W - w) * near
    if rule.alpha == 0.0:
        return -fall, fall
    last = state.class_count[p, a] == 1
    own_fall = 0.0 if last else Wa * w / (Wa - w) * own
    classes = count_classes(state, p)
    old = worth(W, state.between[p], state.pairs[p], classes > 1, rule.by_size)
    between = max(state.between[p] - fall + own_fall, 0.0)
    pairs = state.pairs[p] - w * (W - Wa)
    after = worth(W - w, between, pairs, classes - last > 1, rule.by_size)
    return -fall - rule.alpha * (after - old), fall + rule.alpha * (after + old)


@njit(cache=True)
def shift(state, p, a, x, w, sign):
    """Add (``sign`` 1) or remove (-1) the point x of weight w and class a in cluster ``p``."""
    step = sign * w
    state.class_count[p, a] += sign
    W, Wa = state.weight[p] + step, state.class_weight[p, a] + step
    state.weight[p] = W
    state.class_weight[p, a] = Wa if state.class_count[p, a] > 0 else 0.0
    for f in range(len(x)):
        if W > 0.0:
            state.mean[p, f] += step / W * (x[f] - state.mean[p, f])
        if state.class_count[p, a] > 0:
            state.class_mean[p, a, f] += step / Wa * (x[f] - state.class_mean[p, a, f])
    refresh_cluster(state, p)


@njit(cache=True)
def may_leave(state, rule, p, a, w):
    """Whether a point of class a and weight w may leave cluster ``p``."""
    if state.weight[p] - w < rule.lower[p] - rule.slack:
        return False
    if rule.mixed:
        return count_classes(state, p) - (state.class_count[p, a] == 1) > 1
    return state.class_count[p].sum() > 1


@njit(cache=True)
def best_target(state, rule, p, a, x, w):
    """Cluster to which x should go from ``p``, -1 if none is better, and the change of phi."""
    leave, scale = remove_cost(state, rule, p, a, x, w)
    best, target, bar = np.inf, -1, 0.0
    for q in range(len(state.weight)):
        if q == p or state.weight[q] + w > rule.upper[q] + rule.slack:
            continue
        join, size = add_cost(state, rule, q, a, x, w)
        if leave + join < best:
            best, target, bar = leave + join, q, scale + size
    if target >= 0 and best < -TOLERANCE * bar:
        return target, best
    return -1, 0.0


@njit(cache=True)
def cluster_cost(X, y, w, labels, rule, p, n_classes):
    """phi of cluster ``p`` recomputed from its points alone, for the debug mode."""
    state = State(
        np.zeros((1, X.shape[1])),
        np.zeros((1, n_classes, X.shape[1])),
        np.zeros(1),
        np.zeros((1, n_classes)),
        np.zeros((1, n_classes), dtype=np.int64),
        np.zeros(1),
        np.zeros(1),
    )
    members = np.flatnonzero(labels == p)
    within = np.zeros(1)
    recompute(X[members], y[members], w[members], np.zeros(len(members), dtype=np.int64), state, within)
    mixed = count_classes(state, 0) > 1
    return within[0] - rule.alpha * worth(state.weight[0], state.between[0], state.pairs[0], mixed, rule.by_size)


@njit(cache=True)
def sweep(X, y, w, labels, order, state, rule, debug):
    """One round of single moves in the given order.

    Returns
    -------
    moves : int
        Points that changed their cluster.
    fault : int
        With ``debug``, the first point whose move did not lower the recomputed phi by what was computed; else -1.
    """
    moves = 0
    for t in range(len(order)):
        i = order[t]
        p, a = labels[i], y[i]
        if w[i] <= 0.0 or not may_leave(state, rule, p, a, w[i]):
            continue
        q, gain = best_target(state, rule, p, a, X[i], w[i])
        if q < 0:
            continue
        before = 0.0
        if debug:
            before = pair_cost(X, y, w, labels, rule, p, q, state.class_count.shape[1])
        labels[i] = q
        shift(state, p, a, X[i], w[i], -1)
        shift(state, q, a, X[i], w[i], 1)
        moves += 1
        if debug:
            after = pair_cost(X, y, w, labels, rule, p, q, state.class_count.shape[1])
            rounding = 1e-9 * (abs(before) + abs(after) + abs(gain))
            if after - before > rounding or abs(after - before - gain) > rounding:
                return moves, i
    return moves, -1


@njit(cache=True)
def pair_cost(X, y, w, labels, rule, p, q, n_classes):
    """phi of clusters ``p`` and ``q`` together, recomputed."""
    first = cluster_cost(X, y, w, labels, rule, p, n_classes)
    return first + cluster_cost(X, y, w, labels, rule, q, n_classes)
