"""Groups of m to 2m - 1 records with a small sum of squares: two starts, and a large neighbourhood search.

    minimise  sum_g (1 / |g|) sum_{i < j in g} |x_i - x_j|^2     over partitions with  m <= |g| <= 2m - 1

It starts from MDAV, and from a path from record to nearest record, cut where dynamic programming says. A step takes a
few neighbouring groups, rebuilds them from random seeds and improves them by moves and swaps of records until none
helps. The new ones are kept if they are not worse, and with a probability that falls to 0 where they are (simulated
annealing: without it the search ends 2 % higher on Census). It anneals from both starts, and then again and again from
the best groups so far, for as many steps as before in all: a long run from one start may end in groups that it never
leaves (8 % higher on EIA, with one seed in three).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from ...base.deadline import Deadline
from ...base.jit import njit

MOST_GROUPS = 6  # that a step rebuilds
HEAT = 0.05  # mean relative loss at which a step is still kept, at the start; it falls to 0 in a straight line
FIRST = 1 / 16  # share of the steps, or of the time, that the first annealing takes
CHUNK = 1000  # steps between two looks at the clock


def search(
    X: NDArray[np.float64], m: int, n_iter: int, deadline: Deadline, rng: np.random.Generator
) -> tuple[NDArray[np.int64], int]:
    """Labels (n,) of groups of rows X (n, d), and the steps done, at most n_iter."""
    near = nearest_records(X, 2 * max(MOST_GROUPS, m))
    starts = mdav(X, m), cut_path(X, nearest_path(X, int((X**2).sum(axis=1).argmax())), m)
    best = min(starts, key=lambda start: within_squares(X, start))
    labels, least, others = starts[0].copy(), within_squares(X, best), [starts[1].copy()]
    done, since, until = 0, 0.0, FIRST
    while done < n_iter and len(X) >= 2 * m and deadline.allows():
        spent = max(done / n_iter, deadline.elapsed / deadline.seconds if deadline.seconds else 0.0)
        while spent >= until:
            labels, since, until = others.pop() if others else best.copy(), until, 2 * until
        steps, heat = min(CHUNK, n_iter - done), HEAT * (until - spent) / (until - since)
        rebuild(X, near, labels, m, heat, rng.random((steps, 3 * MOST_GROUPS + 4)))
        done += steps
        value = within_squares(X, labels)
        if value < least:
            best, least = labels.copy(), value
    return np.unique(best, return_inverse=True)[1].astype(np.int64), done


def within_squares(X: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """Sum of the squared distances of rows X (n, d) to the means of their groups."""
    return float(((X - group_means(X, labels)[labels]) ** 2).sum())


def group_means(X: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Means (k, d) of the groups, NaN-free: labels without rows get zeros."""
    counts = np.maximum(np.bincount(labels), 1)
    return np.column_stack([np.bincount(labels, column) for column in X.T]) / counts[:, None]


def nearest_records(X: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """The nearest other records (n, min(count, n - 1)) of every record, the nearest first."""
    count = min(count, len(X) - 1)
    found = KDTree(X).query(X, k=count + 1)[1].reshape(len(X), -1)
    own = found == np.arange(len(X))[:, None]
    own[~own.any(axis=1), -1] = True  # among many equal records the own one may be missing
    return np.ascontiguousarray(found[~own].reshape(len(X), count).astype(np.int64))


def mdav(X: NDArray[np.float64], m: int) -> NDArray[np.int64]:
    """Maximum distance to average vector: the record farthest from the mean and its m - 1 nearest are a group, then
    the record farthest from that one and its nearest, and so on; what is left at the end, m to 2m - 1, is the last."""
    labels, left, group = np.empty(len(X), np.int64), np.arange(len(X)), 0

    def take(centre: NDArray[np.float64]) -> None:
        nonlocal left, group
        order = np.argsort(((X[left] - centre) ** 2).sum(axis=1), kind="stable")
        labels[left[order[:m]]] = group
        left, group = np.sort(left[order[m:]]), group + 1

    while len(left) >= 3 * m:
        first = X[left[((X[left] - X[left].mean(axis=0)) ** 2).sum(axis=1).argmax()]]
        second = X[left[((X[left] - first) ** 2).sum(axis=1).argmax()]]
        take(first)
        take(second)
    if len(left) >= 2 * m:
        take(X[left[((X[left] - X[left].mean(axis=0)) ** 2).sum(axis=1).argmax()]])
    labels[left] = group
    return labels


@njit(cache=True)
def squared(a, b):
    """Squared distance of points a and b (d,)."""
    total = 0.0
    for f in range(len(a)):
        total += (a[f] - b[f]) ** 2
    return total


@njit(cache=True)
def nearest_path(X, start):
    """Order (n,) of rows X (n, d) from ``start``, always to the nearest that is left."""
    n = len(X)
    path = np.arange(n)
    path[0], path[start] = start, 0
    for t in range(1, n):
        best, least = t, np.inf
        for s in range(t, n):
            far = squared(X[path[t - 1]], X[path[s]])
            if far < least:
                best, least = s, far
        path[t], path[best] = path[best], path[t]
    return path


@njit(cache=True)
def cut_path(X, path, m):
    """Labels (n,) of the cheapest cut of a path into runs of m to 2m - 1 records: dynamic programming over ends."""
    n, d = X.shape
    cost, last = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64)
    cost[0] = 0.0
    mean = np.empty(d)
    for end in range(m, n + 1):
        mean[:], squares = 0.0, 0.0
        for size in range(1, min(2 * m - 1, end) + 1):
            x = X[path[end - size]]
            for f in range(d):  # Welford's update of mean and sum of squares
                step = x[f] - mean[f]
                mean[f] += step / size
                squares += step * (x[f] - mean[f])
            if size >= m and cost[end - size] + squares < cost[end]:
                cost[end], last[end] = cost[end - size] + squares, size
    labels = np.empty(n, np.int64)
    end, group = n, 0
    while end > 0:
        for t in range(end - last[end], end):
            labels[path[t]] = group
        end, group = end - last[end], group + 1
    return labels


@njit(cache=True)
def rebuild(X, near, labels, m, heat, draws):
    """Steps of the search, one a row of random numbers (steps, 3 MOST_GROUPS + 4); labels (n,) are changed."""
    n = len(X)
    most = 2 * m - 1
    members = np.empty((n // m + 1, most), np.int64)
    sizes = np.zeros(n // m + 1, np.int64)
    for i in range(n):
        members[labels[i], sizes[labels[i]]] = i
        sizes[labels[i]] += 1
    chosen, pool = np.empty(MOST_GROUPS, np.int64), np.empty(MOST_GROUPS * most, np.int64)
    # random numbers are drawn outside: the steps are the same compiled or not
    for draw in draws:
        count = neighbouring_groups(near, labels, chosen, draw)
        size = 0
        for c in range(count):
            for i in members[chosen[c], : sizes[chosen[c]]]:
                pool[size] = i
                size += 1
        # few records, so that all their distances fit: everything below needs no coordinates
        D = np.zeros((size, size))
        old = np.empty(size, np.int64)
        for a in range(size):
            for b in range(a):
                D[a, b] = D[b, a] = squared(X[pool[a]], X[pool[b]])
        start = 0
        for c in range(count):
            old[start : start + sizes[chosen[c]]] = c
            start += sizes[chosen[c]]
        fewest, largest = -(-size // most), size // m
        wanted = count - 1 + int(3 * draw[2 * MOST_GROUPS + 2])  # one group fewer, as many, one more
        groups = min(max(wanted, fewest), largest, MOST_GROUPS)
        new = seeded(D, groups, m, draw[2 * MOST_GROUPS + 3 :])
        # a step that costs more is kept as long as the temperature allows it
        if improved(D, new, groups, m) > cost_of(D, old, count) * (1 - heat * np.log(1 - draw[-1])):
            continue
        if groups > count:  # a group more: at the end of the list
            chosen[count] = np.argmin(sizes)
        for c in range(max(count, groups)):
            sizes[chosen[c]] = 0
        for a in range(size):
            g = chosen[new[a]]
            labels[pool[a]], members[g, sizes[g]] = g, pool[a]
            sizes[g] += 1


@njit(cache=True)
def neighbouring_groups(near, labels, chosen, draw):
    """Fill ``chosen`` with the group of a random record and groups near it; their number."""
    i = int(draw[0] * len(labels))
    wanted = 2 + int(draw[1] * (MOST_GROUPS - 1))
    chosen[0], count = labels[i], 1
    for t in range(2, 2 * MOST_GROUPS + 2):
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
def seeded(D, groups, m, draw):
    """Labels (p,) of records with squared distances D (p, p): random seeds with their m - 1 nearest, the rest where it
    costs least."""
    p = len(D)
    labels = np.full(p, -1, np.int64)
    sizes = np.zeros(groups, np.int64)
    # a random record that is left, and the nearest to it: what MDAV does from the outermost ones
    for g in range(groups):
        seed, skip = 0, int(draw[g] * (p - g * m))
        for a in range(p):
            if labels[a] < 0:
                if skip == 0:
                    seed = a
                    break
                skip -= 1
        for _ in range(m):
            best, least = -1, np.inf
            for a in range(p):
                if labels[a] < 0 and D[seed, a] < least:
                    best, least = a, D[seed, a]
            labels[best] = g
        sizes[g] = m
    # what is over goes where it costs least, as groups may hold up to 2m - 1
    for a in range(p):
        if labels[a] < 0:
            best, least = -1, np.inf
            for g in range(groups):
                if sizes[g] < 2 * m - 1:
                    added = 0.0
                    for b in range(p):
                        if labels[b] == g:
                            added += D[a, b]
                    if added / sizes[g] < least:
                        best, least = g, added / sizes[g]
            labels[a] = best
            sizes[best] += 1
    return labels


@njit(cache=True)
def cost_of(D, labels, groups):
    """Sum of squares about the means, from squared distances D (p, p)."""
    pairs, sizes = np.zeros(groups), np.zeros(groups)
    for a in range(len(D)):
        sizes[labels[a]] += 1
        for b in range(a):
            if labels[a] == labels[b]:
                pairs[labels[a]] += D[a, b]
    return (pairs / np.maximum(sizes, 1.0)).sum()


@njit(cache=True)
def improved(D, labels, groups, m):
    """Move and swap records, the best of each record in turn, until none gains; labels (p,) change; the cost."""
    p = len(D)
    sums, pairs, sizes = np.zeros((p, groups)), np.zeros(groups), np.zeros(groups)
    for a in range(p):
        sizes[labels[a]] += 1
        for b in range(p):
            sums[a, labels[b]] += D[a, b]
    for a in range(p):
        pairs[labels[a]] += sums[a, labels[a]] / 2
    # sums of squared distances to every group: a move or a swap is then valued in O(1)
    rounding = 1e-12 * D.max()
    still, a = 0, 0
    while still < p:
        g = labels[a]
        least, partner, target = -rounding, -1, -1
        left = pairs[g] - sums[a, g]
        # moves change sizes and are bound by them; swaps below do not and are always allowed
        for h in range(groups):
            if h != g and sizes[g] > m and sizes[h] < 2 * m - 1:
                change = left / (sizes[g] - 1) - pairs[g] / sizes[g]
                change += (pairs[h] + sums[a, h]) / (sizes[h] + 1) - pairs[h] / sizes[h]
                if change < least:
                    least, target = change, h
        for b in range(p):
            h = labels[b]
            if h != g:
                change = (sums[b, g] - sums[a, g] - D[a, b]) / sizes[g] + (sums[a, h] - sums[b, h] - D[a, b]) / sizes[h]
                if change < least:
                    least, target, partner = change, h, b
        still += 1
        # every record has another chance once anything has changed
        if target >= 0:
            still = 0
            shift(D, sums, pairs, sizes, labels, a, target)
            if partner >= 0:
                shift(D, sums, pairs, sizes, labels, partner, g)
        a = (a + 1) % p
    return (pairs / sizes).sum()


@njit(cache=True)
def shift(D, sums, pairs, sizes, labels, a, h):
    """Move record a to group h."""
    g = labels[a]
    pairs[g] -= sums[a, g]
    pairs[h] += sums[a, h]
    sizes[g] -= 1
    sizes[h] += 1
    labels[a] = h
    for b in range(len(D)):
        sums[b, g] -= D[a, b]
        sums[b, h] += D[a, b]
