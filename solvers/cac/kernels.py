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

The inner functions take numbers, not `State`: passing seven arrays costs more than looking at a point.
"""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.jit import njit
from ..exchange.neighbourhood import exchanged, may

TOLERANCE = 1e-12  # Gains below this fraction of a cost's terms are rounding.
FAST = {"reassoc", "contract", "nsz"}  # lets the distance loops use vector instructions


class State(NamedTuple):
    """Sums of all clusters; the kernels update the arrays in place."""

    mean: NDArray[np.float64]  # (k, d)
    class_mean: NDArray[np.float64]  # (k, C, d)
    weight: NDArray[np.float64]  # (k,)
    class_weight: NDArray[np.float64]  # (k, C)
    class_count: NDArray[np.int64]  # (k, C): Points of positive weight.
    between: NDArray[np.float64]  # (k,): B of (2)
    pairs: NDArray[np.float64]  # (k,): P of (3)


class Rule(NamedTuple):
    """What a move may do and what it is worth."""

    alpha: float
    by_size: bool  # Weight of S in a cluster: W, or 1.
    mixed: bool  # Whether a point stays when its removal leaves fewer than two classes behind.
    lower: NDArray[np.float64]  # (k,): Lower bounds on the cluster weights.
    upper: NDArray[np.float64]  # (k,): Upper bounds on the cluster weights.
    slack: float  # Rounding allowed in sums of weights.


Descent = namedtuple("Descent", "X y w labels state rule")  # fmt: skip
"""Points (n, d), their classes, weights and clusters (n,), a `State` of these clusters, and the `Rule` of moves; the
kernels update clusters and state."""


def empty_state(n_clusters: int, n_classes: int, n_features: int) -> State:
    """State of k clusters without points."""
    k, C, d = n_clusters, n_classes, n_features
    mean, class_mean, counts = np.zeros((k, d)), np.zeros((k, C, d)), np.zeros((k, C), dtype=np.int64)
    return State(mean, class_mean, np.zeros(k), np.zeros((k, C)), counts, np.zeros(k), np.zeros(k))


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
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


@njit(cache=True, borrowing=True, error_model="numpy")
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
            for f in range(d):
                state.mean[p, f] /= state.weight[p]
        refresh_cluster(state, p)
    within[:] = 0.0
    for i in range(len(X)):
        within[labels[i]] += w[i] * square_distance(X[i], state.mean[labels[i]])


@njit(cache=True, borrowing=True, fastmath=FAST)
def square_distance(x, z):
    """|x - z|^2 of two (d,) vectors."""
    total = 0.0
    for f in range(len(x)):
        step = x[f] - z[f]
        total += step * step
    return total


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def point_distances(X, i, mean, class_mean, p, a):
    """|x_i - mu|^2 and |x_i - mu_a|^2 of cluster ``p`` in one pass; views of the rows would cost more than that."""
    near, own = 0.0, 0.0
    for f in range(X.shape[1]):
        first, second = X[i, f] - mean[p, f], X[i, f] - class_mean[p, a, f]
        near += first * first
        own += second * second
    return near, own


@njit(cache=True, borrowing=True, error_model="numpy")
def count_classes(state, p):
    """Number of classes with points of positive weight in cluster ``p``."""
    number = 0
    for a in range(state.class_count.shape[1]):
        if state.class_count[p, a] > 0:
            number += 1
    return number


@njit(cache=True, borrowing=True, error_model="numpy")
def count_points(class_count, p):
    """Number of points of positive weight in cluster ``p``; a loop is compiled faster than NumPy's sum."""
    number = 0
    for a in range(class_count.shape[1]):
        number += class_count[p, a]
    return number


@njit(cache=True, error_model="numpy")
def worth(weight, between, pairs, mixed, by_size):
    """Weight times S of (4); 0 when the cluster is not ``mixed``, that is, has fewer than two classes."""
    if not mixed or pairs <= 0.0:
        return 0.0
    return (weight if by_size else 1.0) * weight * between / pairs


@njit(cache=True, error_model="numpy")
def join_cost(W, Wa, many, B, P, w, near, own, alpha, by_size):
    """Change of phi when a point joins a cluster, and the size of its terms."""
    rise = W * w / (W + w) * near
    if alpha == 0.0:
        return rise, rise
    own_rise = 0.0 if many == 0 else Wa * w / (Wa + w) * own
    mixed = P > 0.0  # P is 0 exactly where there is one class at most
    old = worth(W, B, P, mixed, by_size)
    after = worth(W + w, max(B + rise - own_rise, 0.0), P + w * (W - Wa), mixed or (many == 0 and W > 0.0), by_size)
    return rise - alpha * (after - old), rise + alpha * (after + old)


@njit(cache=True, error_model="numpy")
def leave_cost(W, Wa, many, B, P, w, near, own, alpha, by_size, rest):
    """As `join_cost` for a point that leaves its cluster of at least two points; ``rest`` classes stay behind."""
    fall = W * w / (W - w) * near
    if alpha == 0.0:
        return -fall, fall
    own_fall = 0.0 if many == 1 else Wa * w / (Wa - w) * own
    old = worth(W, B, P, P > 0.0, by_size)
    after = worth(W - w, max(B - fall + own_fall, 0.0), P - w * (W - Wa), rest > 1, by_size)
    return -fall - alpha * (after - old), fall + alpha * (after + old)


@njit(cache=True, borrowing=True, error_model="numpy")
def add_cost(X, i, state, rule, p, a, w):
    """Change of phi when x_i of class ``a`` and weight w joins cluster ``p``, and the size of its terms."""
    near, own = point_distances(X, i, state.mean, state.class_mean, p, a)
    return join_cost(
        state.weight[p], state.class_weight[p, a], state.class_count[p, a], state.between[p], state.pairs[p],
        w, near, own, rule.alpha, rule.by_size,
    )  # fmt: skip


@njit(cache=True, borrowing=True, error_model="numpy")
def remove_cost(X, i, state, rule, p, a, w):
    """Change of phi when x_i, one of at least two points, leaves cluster ``p``, and the size of its terms."""
    near, own = point_distances(X, i, state.mean, state.class_mean, p, a)
    return leave_cost(
        state.weight[p], state.class_weight[p, a], state.class_count[p, a], state.between[p], state.pairs[p],
        w, near, own, rule.alpha, rule.by_size, classes_left(state.class_count, state.pairs, p, a),
    )  # fmt: skip


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def shift(X, i, state, p, a, w, sign):
    """Add (``sign`` 1) or remove (-1) the point x_i of weight w and class a in cluster ``p``."""
    step = sign * w
    state.class_count[p, a] += sign
    W, Wa = state.weight[p] + step, state.class_weight[p, a] + step
    filled = state.class_count[p, a] > 0
    state.weight[p] = W
    state.class_weight[p, a] = Wa if filled else 0.0
    pull, own_pull = step / W if W > 0.0 else 0.0, step / Wa if filled else 0.0
    for f in range(X.shape[1]):
        state.mean[p, f] += pull * (X[i, f] - state.mean[p, f])
        state.class_mean[p, a, f] += own_pull * (X[i, f] - state.class_mean[p, a, f])
    refresh_cluster(state, p)


@njit(cache=True, borrowing=True, error_model="numpy")
def classes_left(class_count, pairs, p, a):
    """Number of classes in cluster ``p`` without one point of class a; 2 stands for two or more."""
    if class_count[p, a] > 1:
        return 2 if pairs[p] > 0.0 else 1
    left = 0
    for b in range(class_count.shape[1]):
        if b != a and class_count[p, b] > 0:
            left += 1
    return min(left, 2)


@njit(cache=True, borrowing=True, fastmath=FAST, error_model="numpy")
def sweep(descent, order, row_slack):
    """One round of single moves in the given order; how many there were."""
    X, y, w, labels, state, rule = descent
    mean, class_mean, weight, class_weight, class_count, between, pairs = state
    alpha, by_size, mixed, lower, upper, slack = rule
    moves = 0
    for t in range(len(order)):
        i = order[t]
        p, a = labels[i], y[i]
        left = classes_left(class_count, pairs, p, a)
        # points without weight change nothing; bounds, and the rule that classes stay mixed, hold others
        if w[i] <= 0.0 or left < 1 + mixed or weight[p] - w[i] < lower[p] - slack:
            continue
        near, own = point_distances(X, i, mean, class_mean, p, a)
        leave, scale = leave_cost(
            weight[p], class_weight[p, a], class_count[p, a], between[p], pairs[p], w[i], near, own, alpha, by_size,
            left,
        )  # fmt: skip
        # what leaving costs is the same for every target: only joining is looked at cluster by cluster
        best, target, bar = np.inf, -1, 0.0
        for q in range(len(weight)):
            if q == p or weight[q] + w[i] > upper[q] + slack:
                continue
            near, own = point_distances(X, i, mean, class_mean, q, a)
            join, size = join_cost(
                weight[q], class_weight[q, a], class_count[q, a], between[q], pairs[q], w[i], near, own, alpha, by_size
            )
            if leave + join < best:
                if row_slack is not None and not may(
                    row_slack.allowed, row_slack.pairs, row_slack.activity, len(weight), i, p, q, -1
                ):
                    continue
                best, target, bar = leave + join, q, scale + size
        if best < -TOLERANCE * bar:  # more than the rounding of its terms, or points go round in circles
            labels[i] = target
            shift(X, i, state, p, a, w[i], -1)
            shift(X, i, state, target, a, w[i], 1)
            if row_slack is not None:
                exchanged(row_slack.pairs, row_slack.activity, len(weight), i, p, target, -1)
            moves += 1
    return moves
