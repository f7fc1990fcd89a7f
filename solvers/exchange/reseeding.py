"""Search among many small clusters: divide a few neighbouring ones anew, again and again.

    minimise  sum_g (1 / W_g) sum_{i < j in g} w_i w_j |x_i - x_j|^2     over clusters with  l_g <= |g| <= u_g  rows

with the weights w_i of the rows and their sum W_g in a cluster.

A step takes a few neighbouring clusters, rebuilds them from random seeds, and improves them by moves and swaps of rows
until none helps. All that needs the distances of some dozens of rows, and no coordinates. The new clusters are kept if
they are not worse, and where they are, with a probability that falls with the heat (simulated annealing). Clusters that
are empty stay so, unless their number may vary.

Heuristic. A step takes O(p^2 (d + passes)) for the p rows of its clusters.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from ...base.deadline import UNLIMITED, Deadline
from ...base.jit import njit
from ...models.polytope.polytope import PartitionPolytope

STEPS, MORE, GROUPS = 1000, 60_000, 9  # Steps per cluster, further steps in all, and clusters per step.
HEAT = 0.5  # First temperature times d^1.5, as a mean loss: sums of many squares vary less.
CHUNK = 1000  # Steps between two looks at the clock.
LARGEST = 400  # Rows that a step divides at most.


def within_squares(X: NDArray[np.float64], labels: NDArray[np.int64], weights: NDArray | None = None) -> float:
    """Sum of the squared distances of rows X (n, d) to the means of their groups, by weights (n,)."""
    squares = ((X - group_means(X, labels, weights)[labels]) ** 2).sum(axis=1)
    return float(squares.sum() if weights is None else weights @ squares)


def group_means(X: NDArray[np.float64], labels: NDArray[np.int64], weights: NDArray | None = None) -> NDArray:
    """Means (k, d) of the groups by weights (n,), NaN-free: labels without rows get zeros."""
    w = np.ones(len(X)) if weights is None else weights
    sizes = np.bincount(labels, w)
    sums = np.column_stack([np.bincount(labels, w * column) for column in X.T])
    return sums / np.where(sizes > 0, sizes, 1.0)[:, None]


def nearest_records(X: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """The nearest other records (n, min(count, n - 1)) of every record, the nearest first."""
    count = min(count, len(X) - 1)
    found = NearestNeighbors(n_neighbors=count + 1).fit(X).kneighbors(X, return_distance=False)
    own = found == np.arange(len(X))[:, None]
    own[~own.any(axis=1), -1] = True  # among many equal records the own one may be missing
    return np.ascontiguousarray(found[~own].reshape(len(X), count).astype(np.int64))


def redivided(
    X: NDArray[np.float64],
    labels: NDArray[np.int64],
    polytope: PartitionPolytope,
    rng: np.random.Generator,
    deadline: Deadline = UNLIMITED,
) -> NDArray[np.int64]:
    """The best labels (n,) of rows X (n, d) after many steps; those given are within plain bounds."""
    filled = np.unique(labels)
    near = nearest_records(X, 2 * max(GROUPS, len(X) // len(filled)))
    lower, upper = (np.asarray(side, dtype=np.int64) for side in (polytope.lower, polytope.upper))
    labels = labels.copy()
    best, least = labels.copy(), within_squares(X, labels)
    steps, heat = STEPS * len(filled) + MORE, HEAT / X.shape[1] ** 1.5
    records = Records(X, np.ones(len(X)), near, lower, upper, False)
    for done in range(0, steps, CHUNK):
        if not deadline.allows():
            break
        draws = rng.random((min(CHUNK, steps - done), 3 * GROUPS + 4))
        reseed(records, labels, heat * (1 - done / steps), draws)
        value = within_squares(X, labels)
        if value < least:
            best, least = labels.copy(), value
    return best


Records = namedtuple("Records", "X weights near lower upper may_vary")  # fmt: skip
"""Rows (n, d), their weights (n,) and rows near every row (n, r); bounds (k,) on the numbers of rows of a cluster.
With ``may_vary``, bounds are equal, and a step may make one cluster more or fewer."""


Groups = namedtuple("Groups", "sums pairs sizes masses labels")  # fmt: skip
"""Groups of p rows: sums (p, g) of squared distances to every group, and within groups (g,); numbers of rows and
weights (g,); the group (p,) of every row."""


@njit(cache=True)
def reseed(records, labels, heat, draws):
    """Steps of the search, one per row of random numbers (steps, 3 G + 4) for at most G clusters; labels (n,)
    change."""
    X, weights, near, lower, upper, may_vary = records
    n, k, most = len(X), len(lower), (draws.shape[1] - 4) // 3
    # members of a cluster are a chain of rows
    head, following, sizes = np.full(k, -1), np.empty(n, np.int64), np.zeros(k, np.int64)
    for i in range(n - 1, -1, -1):
        following[i], head[labels[i]] = head[labels[i]], i
        sizes[labels[i]] += 1
    chosen, pool = np.empty(most, np.int64), np.empty(LARGEST, np.int64)
    least, largest = np.empty(most, np.int64), np.empty(most, np.int64)
    # random numbers are drawn outside: the steps are the same compiled or not
    for draw in draws:
        count = neighbouring_groups(near, labels, chosen, draw)
        size, need = 0, 0
        for c in range(count):
            size += sizes[chosen[c]]
            need += max(lower[chosen[c]], 1)
        if size > LARGEST or size < need or count < 2:
            continue
        old, start = np.empty(size, np.int64), 0
        for c in range(count):
            i = head[chosen[c]]
            while i >= 0:
                pool[start], old[start] = i, c
                start, i = start + 1, following[i]
        # few rows, so that all their distances fit: everything below needs no coordinates
        D = np.zeros((size, size))
        for a in range(size):
            for b in range(a):
                D[a, b] = D[b, a] = squared(X[pool[a]], X[pool[b]])
        groups = count
        if may_vary:
            wanted = count - 1 + int(3 * draw[2 * most + 2])  # one group fewer, as many, one more
            groups = min(max(wanted, -(-size // upper[0])), size // lower[0], most)
            if groups > count:  # a group more: an empty one
                chosen[count] = np.argmin(sizes)
        for c in range(groups):
            least[c], largest[c] = max(lower[chosen[c]], 1), upper[chosen[c]]
        new, w = seeded(D, least[:groups], largest, draw[2 * most + 3 :]), weights[pool[:size]]
        for a in range(size):
            for b in range(size):
                D[a, b] *= w[a] * w[b]
        # a step that costs more is kept as long as the temperature allows it
        if improved(D, w, new, least[:groups], largest) > cost_of(D, w, old, count) * (1 - heat * np.log(1 - draw[-1])):
            continue
        for c in range(max(count, groups)):
            sizes[chosen[c]], head[chosen[c]] = 0, -1
        for a in range(size - 1, -1, -1):
            g, i = chosen[new[a]], pool[a]
            labels[i], following[i], head[g] = g, head[g], i
            sizes[g] += 1


@njit(cache=True)
def neighbouring_groups(near, labels, chosen, draw):
    """Fill ``chosen`` with the group of a random record and groups near it; their number."""
    i, most = int(draw[0] * len(labels)), len(chosen)
    wanted = 2 + int(draw[1] * (most - 1))
    chosen[0], count = labels[i], 1
    for t in range(2, 2 * most + 2):
        j = near[i, int(draw[t] ** 2 * near.shape[1])]
        is_new = True
        for c in range(count):
            is_new &= chosen[c] != labels[j]
        if is_new:
            chosen[count] = labels[j]
            count += 1
            if count == wanted:
                break
    return count


@njit(cache=True)
def seeded(D, least, largest, draw):
    """Labels (p,) of records with squared distances D (p, p): random seeds with their nearest, as many as a group
    needs, and the rest where it costs least."""
    p, groups = len(D), len(least)
    labels, sizes, left = np.full(p, -1), least.copy(), p
    # a random record that is left, and the nearest to it: what MDAV does from the outermost ones
    for g in range(groups):
        seed, skip = 0, int(draw[g] * left)
        for a in range(p):
            if labels[a] < 0:
                if skip == 0:
                    seed = a
                    break
                skip -= 1
        for _ in range(sizes[g]):
            best, nearest = -1, np.inf
            for a in range(p):
                if labels[a] < 0 and D[seed, a] < nearest:
                    best, nearest = a, D[seed, a]
            labels[best] = g
        left -= sizes[g]
    # what is over goes where it costs least, as groups may hold more
    for a in range(p):
        if labels[a] < 0:
            best, cheapest = -1, np.inf
            for g in range(groups):
                if sizes[g] < largest[g]:
                    added = 0.0
                    for b in range(p):
                        if labels[b] == g:
                            added += D[a, b]
                    if added / sizes[g] < cheapest:
                        best, cheapest = g, added / sizes[g]
            labels[a] = best
            sizes[best] += 1
    return labels


@njit(cache=True)
def squared(a, b):
    """Squared distance of points a and b (d,)."""
    total = 0.0
    for f in range(len(a)):
        total += (a[f] - b[f]) ** 2
    return total


@njit(cache=True)
def cost_of(D, w, labels, groups):
    """Sum of squares about the means, from squared distances D (p, p) times both weights (p,)."""
    pairs, masses = np.zeros(groups), np.zeros(groups)
    for a in range(len(D)):
        masses[labels[a]] += w[a]
        for b in range(a):
            if labels[a] == labels[b]:
                pairs[labels[a]] += D[a, b]
    return (pairs / np.where(masses > 0.0, masses, 1.0)).sum()


@njit(cache=True)
def improved(D, w, labels, least, largest):
    """Move and swap records, the best of each record in turn, until none gains; labels (p,) change; the cost."""
    p, groups = len(D), len(least)
    sums, pairs, sizes, masses = np.zeros((p, groups)), np.zeros(groups), np.zeros(groups), np.zeros(groups)
    found = Groups(sums, pairs, sizes, masses, labels)
    for a in range(p):
        sizes[labels[a]] += 1
        masses[labels[a]] += w[a]
        for b in range(p):
            sums[a, labels[b]] += D[a, b]
    for a in range(p):
        pairs[labels[a]] += sums[a, labels[a]] / 2
    # sums of squared distances to every group: a move or a swap is then valued in O(1)
    rounding = 1e-12 * D.max() / w.max()
    still, a = 0, 0
    while still < p:
        g = labels[a]
        best, partner, target = -rounding, -1, -1
        own, mine = 1.0 / masses[g], sums[a, g]
        # moves change sizes and are bound by them; swaps below do not and are always allowed
        if sizes[g] > least[g]:
            left = (pairs[g] - mine) / (masses[g] - w[a] if sizes[g] > 1 else 1.0) - pairs[g] * own
            for h in range(groups):
                if h != g and sizes[h] < largest[h]:
                    before = pairs[h] / masses[h] if sizes[h] > 0 else 0.0
                    change = left + (pairs[h] + sums[a, h]) / (masses[h] + w[a]) - before
                    if change < best:
                        best, target = change, h
        for b in range(p):
            h = labels[b]
            if h != g:
                more, lighter = sums[b, g] - mine - D[a, b], w[a] - w[b]
                if lighter == 0.0:
                    change = more * own + (sums[a, h] - sums[b, h] - D[a, b]) / masses[h]
                else:
                    change = (pairs[g] + more) / (masses[g] - lighter) - pairs[g] * own
                    there = pairs[h] + sums[a, h] - sums[b, h] - D[a, b]
                    change += there / (masses[h] + lighter) - pairs[h] / masses[h]
                if change < best:
                    best, target, partner = change, h, b
        still += 1
        # every record has another chance once anything has changed
        if target >= 0:
            still = 0
            shift(D, w, found, a, target)
            if partner >= 0:
                shift(D, w, found, partner, g)
        a = (a + 1) % p
    return cost_of(D, w, labels, groups)


@njit(cache=True)
def shift(D, w, groups, a, h):
    """Move record a to group h."""
    sums, pairs, sizes, masses, labels = groups
    g = labels[a]
    pairs[g] -= sums[a, g]
    pairs[h] += sums[a, h]
    sizes[g] -= 1
    sizes[h] += 1
    masses[g] -= w[a]
    masses[h] += w[a]
    labels[a] = h
    for b in range(len(D)):
        sums[b, g] -= D[a, b]
        sums[b, h] += D[a, b]
