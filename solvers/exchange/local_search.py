"""Good clusterings by moves and exchanges under size bounds and links: where a proof starts from.

Blocks b (points that stay together) have mass w_b and mean p_b. With mass m_i and weighted sum s_i of cluster i, both
objectives are sums over the clusters, up to a constant:

    LSA   minimise  - sum_i |s_i|^2 / m_i          CSA   minimise  - sum_i |s_i|     (points about their mean)

A sweep visits every block: it moves to the cluster where that gains most (Hartigan and Wong 1979), or changes places
with a block of another cluster where bounds or links forbid the move. When no sweep helps, one cluster is given up and
opened again at a point drawn with the squared distance to its centre, the blocks go to the nearest centres with room,
and sweeps start again; the better of both clusterings is kept (Gribel and Vidal 2019 use such steps in a population).

Heuristic; a result never breaks a bound or a link. A sweep takes O(b k d), or O(b^2 d) where exchanges are tried.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import UNLIMITED, Deadline
from ...base.jit import njit
from ...models.polytope.links import Links
from ...models.polytope.polytope import PartitionPolytope

ENOUGH = 1e-12  # a gain, relative to the sum of all squares or norms, that is more than rounding


@dataclass(frozen=True, eq=False)
class Blocks:
    """What is moved: means (b, d), masses (b,), pairs (b, b) that exclude each other, bounds, blocks of points."""

    means: NDArray[np.float64]
    masses: NDArray[np.float64]
    apart: NDArray[np.bool_]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    of_point: NDArray[np.int64]
    directions: bool
    origin: NDArray[np.float64]
    unit: float

    @classmethod
    def of(cls, X: NDArray[np.float64], polytope: PartitionPolytope, links: Links | None, objective: str) -> Blocks:
        """Blocks of the points X (n, d), measured from their mean."""
        weights = polytope.point_weights
        of_point = np.arange(len(X)) if links is None else links.blocks
        masses = np.bincount(of_point, weights).astype(np.float64)
        origin = weights @ X / weights.sum()
        unit = float(np.abs(X - origin).max(initial=0.0)) or 1.0
        Y = (X - origin) / unit
        sums = np.column_stack([np.bincount(of_point, weights * column) for column in Y.T])
        means = sums / np.where(masses > 0, masses, 1.0)[:, None]
        apart = np.zeros((0, 0), dtype=bool)
        if links is not None and len(links.conflicts):
            apart = np.zeros((len(masses), len(masses)), dtype=bool)
            apart[tuple(links.conflicts.T)] = apart[tuple(links.conflicts.T[::-1])] = True
        slack = 0.5 * polytope.slack
        bounds = polytope.lower - slack, polytope.upper + slack
        return cls(means, masses, apart, *bounds, of_point, objective == "csa", origin, unit)

    def placed(self, scores: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Clusters (b,) of blocks put one after the other where that costs (b, k) least; None when that fails."""
        found = np.empty(len(self.masses), dtype=np.int64)
        placed = _place(scores, self.masses, self.apart, self.lower, self.upper, order, found)
        return found if placed else None


def local_search(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    objective: str = "lsa",
    *,
    links: Links | None = None,
    rounds: int = 1000,
    seed: int = 0,
    deadline: Deadline = UNLIMITED,
) -> NDArray[np.int64]:
    """Labels (n,) that are at least as good as those given, which must satisfy bounds and links. Shapes: X (n, d),
    labels (n,)."""
    blocks = Blocks.of(X, polytope, links, objective)
    first = np.zeros(len(blocks.masses), dtype=np.int64)
    first[blocks.of_point] = labels
    best = _improve(blocks, first, 0, deadline)
    rng, since = np.random.default_rng(seed), 0
    value = _value(blocks, best)
    gain = ENOUGH * max(abs(_total(blocks)), 1e-300)
    for _ in range(rounds if polytope.n_clusters > 1 else 0):
        if since >= 300 or not deadline.allows():  # rounds without a gain
            break
        since += 1
        found = blocks.placed(_perturbed_scores(blocks, best, rng), rng.permutation(len(best)))
        if found is None:
            continue
        found = _improve(blocks, found, int(rng.integers(2**31)), deadline)
        reached = _value(blocks, found)
        if reached < value - gain:
            best, value, since = found, reached, 0
    return best[blocks.of_point]


def placed(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    sites: NDArray[np.float64],
    objective: str = "lsa",
    links: Links | None = None,
    seed: int = 0,
) -> NDArray[np.int64] | None:
    """Labels (n,) of points put one after the other to the nearest site (k, d) with room; None when that fails."""
    blocks = Blocks.of(X, polytope, links, objective)
    scores = ((blocks.means[:, None, :] - (sites - blocks.origin) / blocks.unit) ** 2).sum(axis=2)
    order = np.random.default_rng(seed).permutation(len(blocks.masses))
    order = order[np.argsort(-blocks.masses[order], kind="stable")]  # heavy blocks first: they are hardest to place
    found = blocks.placed(scores, order)
    return None if found is None else found[blocks.of_point]


def _total(blocks: Blocks) -> float:
    norms = (blocks.means**2).sum(axis=1)
    return float(blocks.masses @ (np.sqrt(norms) if blocks.directions else norms))


def _statistics(blocks: Blocks, labels: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    k = len(blocks.lower)
    sums = np.column_stack([np.bincount(labels, blocks.masses * column, k) for column in blocks.means.T])
    return np.bincount(labels, blocks.masses, k).astype(np.float64), sums.astype(np.float64)


def _value(blocks: Blocks, labels: NDArray[np.int64]) -> float:
    masses, sums = _statistics(blocks, labels)
    norms = (sums**2).sum(axis=1)
    return -float(np.sqrt(norms).sum() if blocks.directions else (norms / np.where(masses > 0, masses, 1.0)).sum())


def _improve(blocks: Blocks, labels: NDArray[np.int64], seed: int, deadline: Deadline) -> NDArray[np.int64]:
    """Labels from which no sweep gains any more, or those reached when the time is up."""
    labels, n = labels.copy(), len(labels)
    masses, sums = _statistics(blocks, labels)
    order = np.random.default_rng(seed).permutation(n)
    gain = ENOUGH * max(_total(blocks), 1e-300)
    # blocks between two readings of the clock: 1e7 coordinates
    idle, at, some = 0, 0, min(n, max(1, int(1e7 / (n * blocks.means.shape[1]))))
    while idle < n and deadline.allows():
        idle = _sweep(blocks.means, blocks.masses, blocks.apart, blocks.lower, blocks.upper, blocks.directions,
                      np.roll(order, -at)[:some], gain, idle, labels, masses, sums)  # fmt: skip
        at = (at + some) % n
    return labels


def _perturbed_scores(blocks: Blocks, labels: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.float64]:
    """What it costs to put each block (b,) into each cluster (k,) when one cluster is opened again elsewhere."""
    masses, sums = _statistics(blocks, labels)
    k, P = len(masses), blocks.means
    if blocks.directions:
        norms = np.linalg.norm(sums, axis=1)
        sites = sums / np.where(norms > 0, norms, 1.0)[:, None]
        point = P[rng.integers(len(P))] + 0.3 * rng.normal(size=P.shape[1])
        sites[rng.integers(k)] = point / (np.linalg.norm(point) or 1.0)
        return -P @ sites.T
    sites = sums / np.where(masses > 0, masses, 1.0)[:, None]
    costs = blocks.masses * ((P - sites[labels]) ** 2).sum(axis=1)
    total = float(costs.sum())
    chance = 0.5 * costs / total + 0.5 / len(P) if total > 0 else None
    sites[rng.integers(k)] = P[rng.choice(len(P), p=chance)]
    return ((P[:, None, :] - sites) ** 2).sum(axis=2)


@njit(cache=True)
def _part(mass: float, sums: NDArray, directions: bool) -> float:
    norm = 0.0
    for c in range(sums.shape[0]):
        norm += sums[c] * sums[c]
    if directions:
        return -np.sqrt(norm)
    return -norm / mass if mass > 0 else 0.0


@njit(cache=True)
def _free(apart, clashes, b, i, leaving):
    """Whether no block of cluster i, apart from the one that is leaving it (-1: none), excludes block b."""
    if apart.shape[0] == 0:
        return True
    own = 1 if leaving >= 0 and apart[b, leaving] else 0
    return clashes[b, i] <= own


@njit(cache=True)
def _clashes(apart, labels, k):
    """How many members (b, k) of each cluster exclude each block."""
    clashes = np.zeros((apart.shape[0], k), np.int64)
    for b in range(apart.shape[0]):
        for c in range(apart.shape[0]):
            if apart[b, c] and labels[c] >= 0:
                clashes[b, labels[c]] += 1
    return clashes


@njit(cache=True)
def _sweep(P, w, apart, lower, upper, directions, some, least, idle, labels, masses, sums):
    """Moves and exchanges of some blocks that gain more than ``least``; labels, masses and sums in place."""
    (n, d), k = P.shape, lower.shape[0]
    one, two, shut = np.zeros(d), np.zeros(d), np.zeros(k, np.bool_)
    parts, clashes = np.zeros(k), _clashes(apart, labels, k)
    for i in range(k):
        parts[i] = _part(masses[i], sums[i], directions)
    for b in some:
        idle += 1
        i, best, to, other = labels[b], -least, -1, -1
        for c in range(d):
            one[c] = sums[i, c] - w[b] * P[b, c]
        # what leaving costs is the same for every target
        without = _part(masses[i] - w[b], one, directions) - parts[i]
        leaves, blocked = masses[i] - w[b] >= lower[i], False
        for j in range(k):
            shut[j] = j != i and not (leaves and masses[j] + w[b] <= upper[j] and _free(apart, clashes, b, j, -1))
            blocked = blocked or shut[j]
            if j != i and not shut[j]:
                for c in range(d):
                    two[c] = sums[j, c] + w[b] * P[b, c]
                change = without + _part(masses[j] + w[b], two, directions) - parts[j]
                if change < best:
                    best, to, other = change, j, -1
        if to < 0 and blocked:  # exchanges are for moves that bounds or links forbid
            for q in range(n):
                j = labels[q]
                if not shut[j]:
                    continue
                shift = w[q] - w[b]
                inside = lower[i] <= masses[i] + shift <= upper[i] and lower[j] <= masses[j] - shift <= upper[j]
                if not inside or not (_free(apart, clashes, b, j, q) and _free(apart, clashes, q, i, b)):
                    continue
                for c in range(d):
                    swap = w[q] * P[q, c] - w[b] * P[b, c]
                    one[c], two[c] = sums[i, c] + swap, sums[j, c] - swap
                change = _part(masses[i] + shift, one, directions) - parts[i]
                change += _part(masses[j] - shift, two, directions) - parts[j]
                if change < best:
                    best, to, other = change, j, q
        # a gain starts the count of idle blocks anew: the sweep ends when all were idle
        if to >= 0:
            _transfer(P, w, apart, clashes, b, i, to, labels, masses, sums)
            if other >= 0:
                _transfer(P, w, apart, clashes, other, to, i, labels, masses, sums)
            parts[i], parts[to] = _part(masses[i], sums[i], directions), _part(masses[to], sums[to], directions)
            idle = 0
        if idle >= n:
            break
    return idle


@njit(cache=True)
def _transfer(P, w, apart, clashes, b, i, j, labels, masses, sums):
    """Block b goes from cluster i to cluster j."""
    labels[b] = j
    for c in range(apart.shape[0]):
        if apart[b, c]:
            clashes[c, i] -= 1
            clashes[c, j] += 1
    masses[i] -= w[b]
    masses[j] += w[b]
    for c in range(P.shape[1]):
        sums[i, c] -= w[b] * P[b, c]
        sums[j, c] += w[b] * P[b, c]


@njit(cache=True)
def _place(scores, w, apart, lower, upper, order, labels):
    """Blocks one after the other into the cheapest cluster with room, then the cheapest moves into clusters that miss
    some; whether bounds and links hold. Labels in place."""
    n, k = scores.shape
    masses = np.zeros(k)
    labels[:] = -1
    clashes = _clashes(apart, labels, k)
    # the order is the caller's: heavy blocks first, or drawn
    for b in order:
        to = -1
        for i in range(k):
            better = to < 0 or scores[b, i] < scores[b, to]
            if better and masses[i] + w[b] <= upper[i] and _free(apart, clashes, b, i, -1):
                to = i
        if to < 0:
            return False
        labels[b] = to
        masses[to] += w[b]
        for c in range(apart.shape[0]):
            clashes[c, to] += apart[b, c]
    # greed fills the cheapest clusters: those short of their lower bound get what costs least to give up
    for i in range(k):
        while masses[i] < lower[i]:
            chosen, least = -1, np.inf
            for b in range(n):
                j = labels[b]
                gives = j != i and w[b] > 0 and masses[j] - w[b] >= lower[j] and masses[i] + w[b] <= upper[i]
                if gives and scores[b, i] - scores[b, j] < least and _free(apart, clashes, b, i, -1):
                    chosen, least = b, scores[b, i] - scores[b, j]
            if chosen < 0:
                return False
            for c in range(apart.shape[0]):
                if apart[chosen, c]:
                    clashes[c, labels[chosen]] -= 1
                    clashes[c, i] += 1
            masses[labels[chosen]] -= w[chosen]
            masses[i] += w[chosen]
            labels[chosen] = i
    return True
