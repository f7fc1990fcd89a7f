"""Search for cuts by lines: rows (6) of the relaxation in `partitope.models.programs.least_squares_sdp`.

For any numbers v of the points the clusters of a clustering within the size bounds l..u spread v inside by at least

    v'(I - Z)v  >=  min over clusterings of the numbers v within l..u of their within-cluster sum of squares,

whose clusters are intervals of the sorted numbers: with fixed sizes m and means mu the best labels maximise
sum_j mu_{c(j)} v_j, which sorts them. So the right-hand side is a shortest path, for equal bounds in O(n k (u - l)).
With v the indicator of a set of points this says that l..u points, or multiples, fit into whole clusters, and other
numbers do not.
A violated v is looked for by steps along the subgradient 2 (Z - P) v of v'Zv - v'Pv, P the projector of the intervals.
"""

from __future__ import annotations

from math import fsum, sqrt

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.jit import njit
from ...base.threads import share
from ...models.objectives.interval import ROUNDOFF, power_of_two
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.least_squares_sdp import LeastSquaresSDP

UNITS = 1024.0  # Directions are scaled to this maximum and rounded: sums and squares of integers are exact.
STARTS, STEPS = 15, 50  # Starts of the search (rows of Z, subsets, twice as many random ones), and its steps.
MOST = 20  # New cuts per round.
STATES = 256  # States of the shortest path, beyond which all clusters get the widest bounds.
LONGEST = 1e10  # Largest number of quotients in the shortest path for points on a line.
PATH_SECONDS = 4e-9  # Seconds per quotient on a slow machine.
LEAST = 1e-4  # Smallest violation of a cut for a v of length one.


@njit(cache=True)
def between_intervals(v: NDArray, lower: NDArray, upper: NDArray, count: NDArray, labels: NDArray) -> float:
    """The largest sum of (sum of v)^2 / size over intervals of the sorted v, count_q of them of sizes
    lower_q..upper_q."""
    n, kinds, order, sums = len(v), len(count), np.argsort(v), np.zeros(len(v) + 1)
    for j in range(n):
        sums[j + 1] = sums[j] + v[order[j]]
    # clusters of one kind are interchangeable: a state counts how many of each kind are used
    stride, states, k = np.ones(kinds, np.int64), 1, 0
    for q in range(kinds):
        stride[q] = states
        states *= count[q] + 1
        k += count[q]
    best, size = np.full((states, n + 1), -np.inf), np.zeros((states, n + 1), np.int64)
    kind = np.zeros((states, n + 1), np.int64)
    best[0, 0] = 0.0
    for state in range(1, states):  # how many of every kind are used; those before it have smaller numbers
        least, most, needed, room = 0, 0, 0, 0
        for q in range(kinds):
            used = state // stride[q] % (count[q] + 1)
            least, most = least + used * lower[q], most + used * upper[q]
            needed, room = needed + (count[q] - used) * lower[q], room + (count[q] - used) * upper[q]
        for q in range(kinds):
            if state // stride[q] % (count[q] + 1) == 0:
                continue
            before = state - stride[q]
            # an end from which the rest cannot be filled leads nowhere
            for end in range(max(least, n - room), min(most, n - needed) + 1):
                for m in range(lower[q], min(upper[q], end) + 1):
                    part = sums[end] - sums[end - m]
                    value = best[before, end - m] + part * part / m
                    if value > best[state, end]:
                        best[state, end], size[state, end], kind[state, end] = value, m, q
    # back along the choices, from the state in which all clusters are used
    state, end = states - 1, n
    for i in range(k):
        m, q = size[state, end], kind[state, end]
        for j in range(end - m, end):
            labels[order[j]] = i
        state, end = state - stride[q], end - m
    return best[states - 1, n]


@njit(cache=True)
def _climb(Z: NDArray, v: NDArray, lower: NDArray, upper: NDArray, count: NDArray, steps: int) -> tuple[float, NDArray]:
    """The largest violation v'Zv - h(v) met from a start, and its v of length one."""
    n, step, most, best = len(v), 2.0, -np.inf, v
    labels, mass, sums = np.zeros(n, np.int64), np.zeros(count.sum()), np.zeros(count.sum())
    for _ in range(steps):
        v = v / max(np.sqrt((v * v).sum()), 1e-300)
        gradient = Z @ v
        value = v @ gradient - between_intervals(v, lower, upper, count, labels)
        if value > most:
            most, best = value, v
        else:
            step *= 0.8
        mass[:], sums[:] = 0.0, 0.0
        for j in range(n):
            mass[labels[j]] += 1.0
            sums[labels[j]] += v[j]
        for j in range(n):
            gradient[j] -= sums[labels[j]] / mass[labels[j]]
        v = v + step * gradient
    return most, best


def kinds_of(model: LeastSquaresSDP) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]] | None:
    """Different size bounds and how many clusters have them; None where the cut is of no use, or takes too long."""
    lower, upper = whole_bounds(model.polytope)
    if model.polytope.weights is not None or 2 * lower.sum() <= len(model.X):  # with small clusters nothing is cut off
        return None
    return _kinds(lower, upper, len(model.X))


def whole_bounds(polytope: PartitionPolytope) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sizes (k,) of non-empty clusters; if all can be filled, an empty one does not help: neither does a closed one."""
    lower = np.maximum(np.ceil(0.0 * polytope.lower if polytope.may_close else polytope.lower), 1.0).astype(np.int64)
    return lower, np.minimum(np.floor(polytope.upper), polytope.n_points).astype(np.int64)


def _kinds(
    lower: NDArray[np.int64], upper: NDArray[np.int64], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]] | None:
    if lower.sum() > n or upper.min() < 1:
        return None
    kinds, count = np.unique(np.column_stack([lower, upper]), axis=0, return_counts=True)
    if np.prod(count + 1.0) > STATES:
        kinds, count = np.array([[lower.min(), upper.max()]]), np.array([len(lower)])
    return kinds[:, 0], kinds[:, 1], count


def best_on_a_line(
    x: NDArray[np.float64], polytope: PartitionPolytope, deadline: Deadline
) -> tuple[NDArray[np.int64], float] | None:
    """Intervals (n,) of numbers x (n,) of weight one, and a bound on the value of all clusterings; O(n k (u - l))."""
    n, k, kinds = len(x), polytope.n_clusters, _kinds(*whole_bounds(polytope), len(x))
    if kinds is None:
        return None
    work = n * float((kinds[1] - kinds[0] + 1).max()) * float(np.prod(kinds[2] + 1.0))
    if work > LONGEST or (deadline.left is not None and PATH_SECONDS * work > deadline.left):
        return None
    unit, labels = power_of_two(x - x.mean()), np.zeros(n, np.int64)
    v = (x - x.mean()) / unit
    most, squares, e = between_intervals(v, *kinds, labels), fsum(v * v), 2.0 * n * ROUNDOFF * fsum(np.abs(v))
    lost = k * (2.0 * float(np.abs(v).max()) * e + e * e) + (k + 9) * ROUNDOFF * squares
    root = sqrt(max(squares - most - lost, 0.0)) - 2.0 * ROUNDOFF * sqrt(squares)
    return labels, max(root, 0.0) ** 2 * unit**2 * (1.0 - 8.0 * ROUNDOFF)


def violated(
    model: LeastSquaresSDP, Z: NDArray[np.float64], seed: int, deadline: Deadline
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums (m, b) of numbers v over the blocks, and the limits h (m,) of v'Zv, that Z (b, b) of the blocks exceeds."""
    kinds, blocks, k = kinds_of(model), model.blocks, model.polytope.n_clusters
    if kinds is None or not deadline.allows():
        return np.zeros((0, len(Z))), np.zeros(0)
    member = np.zeros((len(blocks), len(Z)))
    member[np.arange(len(blocks)), blocks] = 1.0
    rng = np.random.default_rng(seed)
    whole = 0.5 * (Z + Z.T)[np.ix_(blocks, blocks)]
    random = rng.normal(size=(2 * STARTS, len(whole)))
    chosen = rng.choice(len(whole), min(STARTS, len(whole)), replace=False)
    # the function has many local maxima: starts of three kinds reach different ones
    starts = [
        *(random @ whole @ whole @ whole),  # near the span of large eigenvalues
        *whole[chosen],
        *(whole[chosen] > 0.3 * np.diag(whole)[chosen, None]).astype(np.float64),
    ]
    found: list[tuple[float, NDArray[np.float64]]] = [(-np.inf, start) for start in starts]

    def climb(start: int, stop: int) -> None:
        for i in range(start, stop):
            if not deadline.allows():
                break
            found[i] = _climb(whole, starts[i], *kinds, STEPS)

    share(climb, len(starts))
    kept: list[NDArray[np.float64]] = []
    for violation, v in sorted(found, key=lambda pair: -pair[0]):
        if violation > LEAST and len(kept) < MOST and all(abs(v @ other) < 0.98 for other in kept):
            kept.append(v)
    rows = np.array(kept).reshape(-1, len(blocks))
    rows = np.round(rows * (UNITS / np.abs(rows).max(axis=1, keepdims=True, initial=1e-300)))
    unit, labels = 1.0 / UNITS, np.zeros(len(blocks), np.int64)
    # k quotients, each of numbers without rounding, and their sum
    limits = [between_intervals(v, *kinds, labels) * (1.0 + (k + 4) * ROUNDOFF) for v in rows]
    return (rows * unit) @ member, np.array(limits) * unit**2
