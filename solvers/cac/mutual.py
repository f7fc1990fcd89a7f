"""Kernels of CAC: how much two moves can change each other's cost, so that most exchanges need not be computed.

Point i of class a and weight u leaves a cluster, point j of class b and weight v enters it. With n, o their squared
distances to mu and to the mean of their class there, b_i, b_j what either alone changes in B, and F the factor of B in
the worth of the cluster, W^2 / P or W / P, both together change phi = D - alpha F B by what either alone does, and by

    (1)  r = r_D - alpha ( F' (r_D - r_a) + b_i (F' - F_i) + b_j (F' - F_j) + B (F' - F_i - F_j + F) )
    (2)  |r_D| <= u v / (W - u) ( v n_j / W + 2 sqrt(n_i n_j) + u n_i / (W - u) )

where F_i, F_j, F' are those after i, j and both have moved; r_a is 0 unless a = b, and then it is r_D in the class:
both nearly cancel where most points are of that class, because mu_a is near mu,

    (3)  |mu_a - mu| <= sqrt((W - W_a) B) / W_a        W_a (mu_a - mu) being a sum over the others

By the mean value theorem the differences of F are at most v |F_b|, u |F_a| and u v |F_ab|, the largest
derivatives by the weights of the classes while at most u leaves and at most v enters. Where all points are of class a,
and b is another one,

    (4)  |r| <= |r_D| + alpha ( u n_j + (W + v) ( 2 t sqrt(n_i n_j) + t^2 n_i ) )          t = u / (W - u)

without the first term and the factor where a cluster counts once. All of it grows with u, v and the distances, so that
their largest values bound r for many pairs at once.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import njit


@njit(cache=True, error_model="numpy")
def joint(W, rest, u, near_i, v, near_j):
    """The right-hand side of (2), ``rest`` instead of W - u."""
    return u * v / rest * (v / W * near_j + 2.0 * np.sqrt(near_i * near_j) + u / rest * near_i)


@njit(cache=True, error_model="numpy")
def mutual_bound(state, rule, p, a, b, u, near_i, own_i, gap_i, v, near_j, own_j, gap_j):
    """A bound on |r| of (1) in cluster ``p``, for all points of class a and b of no more weight and distances.

    The gap is the difference of the two distances. The bound is infinite where one of those of class a
    may leave no point, or one of several classes.
    """
    W, Wa, P, alpha, power = state.weight[p], state.class_weight[p, a], state.pairs[p], rule.alpha, 1.0 + rule.by_size
    rest, single = W - u, state.class_count[p, a] == 1
    own_rest = 0.0 if single else Wa - u
    pairs = P - u * (W - Wa)
    if rest <= 0.0 or own_rest < 0.0 or (own_rest == 0.0 and not single) or (P > 0.0 and pairs <= 1e-9 * P):
        return np.inf
    both = joint(W, rest, u, near_i, v, near_j)
    if alpha == 0.0:
        return both
    most, t = W + v, u / rest
    if P == 0.0:
        drift = (2.0 * np.sqrt(near_i * near_j) + t * near_i) * t
        return both + alpha * (u * near_j + most * drift if rule.by_size else drift)
    size, slope = most**power, power * most ** (power - 1.0)
    other_a, other_b = W - Wa + v, W - state.class_weight[p, b]
    F, F_a, F_b = size / pairs, max(slope, size * other_a / pairs), max(slope, size * other_b / pairs)
    plus = power * (power - 1.0) + 2.0 * size * other_a * other_b / pairs**2
    minus = slope * (other_a + other_b) / pairs + (size / pairs if a != b else 0.0)
    leave, cross = u * t * near_i, both
    if not single:
        leave = max(leave, u * u / own_rest * own_i)
    if a == b and single:
        cross += u * v / (u + v) * own_j
    elif a == b:
        apart = np.sqrt((W - Wa) * state.between[p]) / Wa
        out, enter = np.sqrt(own_i), np.sqrt(own_j)
        cross = 2.0 * ((W - Wa) / own_rest * out * enter + apart * (out + enter + apart)) / rest
        cross += v * max(near_j / (rest * W), own_j / (own_rest * Wa))
        cross = u * v * (cross + u * max(near_i / rest**2, own_i / own_rest**2))
    leave += u * gap_i
    enter = v * gap_j + v * v * max(near_j / (W + v), own_j / (state.class_weight[p, b] + v))
    change = leave * v * F_b + enter * u * F_a + state.between[p] * u * v * max(plus, minus)
    return both + alpha * (F * cross + change / pairs)


@njit(cache=True)
def mutual_bounds(state, rule, p, q, a, b, i, j):
    """`mutual_bound` of both clusters when a point of class a in ``p`` and one of class b in ``q`` change places.

    ``i`` and ``j`` (8,) hold, from 1 on, the weight of the point, its squared distances to mu and to the mean of its
    class in its own cluster with their gap, and the same in the other one.
    """
    bound = mutual_bound(state, rule, p, a, b, i[1], i[2], i[3], i[4], j[1], j[5], j[6], j[7])
    return bound + mutual_bound(state, rule, q, b, a, j[1], j[2], j[3], j[4], i[1], i[5], i[6], i[7])


@njit(cache=True)
def stays_mixed(class_count, p, a, b):
    """Whether cluster ``p`` has two classes after a point of class a has made room for one of class b."""
    classes = 0
    for c in range(class_count.shape[1]):
        classes += class_count[p, c] - (c == a) + (c == b) > 0
    return classes > 1
