"""Neighbouring clusters built anew, again and again: random sites, points where there is room, exchanges, better sites.

A step takes a few clusters out of a clustering and divides their points among as many new sites, one more or one fewer
where that is allowed. It is kept where it costs less, or not much more: by how much, a falling temperature says.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.jit import njit
from ...models.programs.medoid_location import MedoidLocationMIP
from ..exchange.reseeding import neighbouring_groups
from .exchange import exchange, first_order

REGION = 6  # Clusters that a step rebuilds at most.
LARGEST = 200  # Points that a step reassigns at most.
NEAR = 4  # Sites per point that are tried if sites are not points.
HEAT = 0.1  # First temperature, as a fraction of the mean cost of a cluster.
BATCHES = 40  # Number of temperatures.


@dataclass(frozen=True, eq=False)
class Rebuilder:
    """A program, and what is near what in it."""

    model: MedoidLocationMIP
    near: NDArray[np.int64]  # (n, L): Points near every point, the nearest first.
    sites_near: NDArray[np.int64]  # (n, q): Sites to try for a point: the point itself, or some cheap ones.
    # (n, d): Points whose distances to means count; empty where costs do.
    places: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))

    @classmethod
    def of(cls, model: MedoidLocationMIP) -> Rebuilder:
        """Two points are near each other where one is cheap to serve from the other's cheapest site; O(n m)."""
        n, count = model.n_points, min(4 * max(model.n_points // max(model.least, 1), 5), model.n_points)
        if model.own is None:
            sites_near = _cheapest(model.costs, min(NEAR, model.n_sites))
            home = sites_near[:, 0]
        else:
            sites_near = np.full((n, 1), -1)
            sites_near[model.own, 0] = np.arange(model.n_sites)
            home = np.where(sites_near[:, 0] >= 0, sites_near[:, 0], model.costs.argmin(axis=1))
        used, places = np.unique(home, return_inverse=True)
        return cls(model, _cheapest(np.ascontiguousarray(model.costs[:, used].T), count)[places], sites_near)

    def anneal(
        self, served: NDArray[np.int64], rng: np.random.RandomState, limit: Deadline, steps: int
    ) -> Iterator[NDArray[np.int64]]:
        """Clusterings (n,) by sites on a path from a given one at falling temperatures, each after this many steps."""
        model = self.model
        opened, labels = np.unique(served, return_inverse=True)
        sites = np.append(opened, np.full(min(model.most, model.n_sites) - opened.size, -1))
        first, room = HEAT * abs(model.value(served)) / opened.size, 1e-9 * float(model.weights.sum())
        random, labels = np.random.default_rng(rng.randint(2**31)), labels.astype(np.int64)
        stated = Stated(
            model.costs, self.near, self.sites_near, model.weights, np.maximum(model.lower - room, room),
            model.upper + room, model.opening, model.own is not None, model.least, self.places,
        )  # fmt: skip
        for batch in range(BATCHES):
            # where the time does not suffice, temperatures fall with it
            done = max(batch / BATCHES, 0.0 if limit.seconds is None else limit.elapsed / max(limit.seconds, 1e-9))
            if done >= 1.0 or not limit.allows():
                break
            rebuild(stated, labels, sites, first * (1.0 - done), random.random((steps, 3 * REGION + 5)))
            yield sites[labels]


def _cheapest(costs: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """The columns (n, count) of least cost in every row, the least first."""
    some = np.argpartition(costs, count - 1, axis=1)[:, :count]
    return np.take_along_axis(some, np.take_along_axis(costs, some, 1).argsort(axis=1, kind="stable"), 1)


Stated = namedtuple("Stated", "costs near sites_near weights lower upper opening at_home fewest places")  # fmt: skip
"""The program and what is near what, as `Rebuilder` has them, for kernels; whether sites are points, which they serve
(``at_home``), and the least number of clusters (``fewest``)."""


Part = namedtuple("Part", "costs fees homes weights lower upper places")  # fmt: skip
"""Some points s and sites q of a program: costs (s, q), what sites cost (q,), the point that a site is (q,), or -1,
weights (s,), bounds (q,), and the places of the points where these count."""


@njit(cache=True)
def rebuild(
    stated: Stated, labels: NDArray[np.int64], sites: NDArray[np.int64], heat: float, draws: NDArray[np.float64]
) -> None:
    """Steps, one per row of random numbers; labels (n,) and the sites (p,) of the clusters, -1 for none, change."""
    costs, near, sites_near, weights, lower, upper, opening, at_home, fewest, places = stated
    n, p = labels.size, sites.size
    first, after = np.full(p, -1), np.full(n, -1)  # lists of members
    taken, opened = np.zeros(opening.size, np.bool_), 0
    for j in range(n):
        after[j], first[labels[j]] = first[labels[j]], j
    for c in range(p):
        if sites[c] >= 0:
            taken[sites[c]], opened = True, opened + 1
    chosen, points, own = np.empty(REGION + 1, np.int64), np.empty(LARGEST, np.int64), np.empty(LARGEST, np.int64)
    for draw in draws:
        # a random point's cluster, and clusters of points near it
        count = neighbouring_groups(near, labels, chosen[:REGION], draw)
        size, old = 0, 0.0
        for g in range(count):
            c = chosen[g]
            old += opening[sites[c]]
            j = first[c]
            while j >= 0 and size < LARGEST:
                own[size] = g
                points[size], size, old = j, size + 1, old + costs[j, sites[c]]
                j = after[j]
        # one cluster fewer, as many, one more
        new = count
        if fewest < p:
            new += int(3.0 * draw[2 * REGION + 2]) - 1
            new = min(max(new, 1, count - (opened - fewest)), count + (p - opened))
        if new > count:
            chosen[count] = np.argmin(sites)  # a cluster without a site
        if size == LARGEST or (count < 2 and new == count):
            continue
        some = points[:size]
        if places.size:
            old = first_order(places[some], own[:size], np.empty((size, count)))
        for c in chosen[:count]:
            taken[sites[c]] = False
        candidates, homes = _candidates(some, sites_near, taken, at_home)
        local = np.empty((size, candidates.size))
        for a in range(size):
            for b in range(candidates.size):
                local[a, b] = costs[some[a], candidates[b]]
        part = Part(
            local, opening[candidates], homes, weights[some], lower[candidates], upper[candidates],
            places[some] if places.size else places,
        )  # fmt: skip
        value, found, where = _divided(part, new, draw[2 * REGION + 3 :])
        if value <= old - heat * np.log(1.0 - draw[-1]):
            for c in chosen[:count]:
                sites[c], first[c] = -1, -1
            for g in range(new):
                sites[chosen[g]] = candidates[where[g]]
            for a in range(size):
                c = chosen[found[a]]
                labels[some[a]], after[some[a]], first[c] = c, first[c], some[a]
            opened += new - count
        for c in chosen[: max(count, new)]:
            if sites[c] >= 0:
                taken[sites[c]] = True


@njit(cache=True)
def _candidates(
    points: NDArray[np.int64], sites_near: NDArray[np.int64], taken: NDArray[np.bool_], at_home: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Free sites (q,) of some points (s,), each once, and which of the points they are, -1 for others."""
    most, count = points.size * sites_near.shape[1], 0
    found, homes = np.empty(most, np.int64), np.empty(most, np.int64)
    for a in range(points.size):
        for site in sites_near[points[a]]:
            if site >= 0 and not taken[site]:
                found[count], homes[count], taken[site] = site, a if at_home else -1, True
                count += 1
    for site in found[:count]:
        taken[site] = False
    return found[:count], homes[:count]


@njit(cache=True)
def _divided(part: Part, count: int, draw: NDArray[np.float64]) -> tuple[float, NDArray[np.int64], NDArray[np.int64]]:
    """Value, labels (s,) and sites (count,) of points divided anew from random sites; an infinite value without
    room."""
    costs, fees, homes, weights, lower, upper, places = part
    s, q = costs.shape
    labels, held, load = np.full(s, -1), np.zeros(s, np.bool_), np.zeros(count)
    sites, free, nearest = np.zeros(count, np.int64), np.ones(q, np.bool_), np.full(s, 1.0)
    if q < count:
        return np.inf, labels, sites
    # sites like k-means++: the cheapest one of a point that is drawn by the cost it has so far
    for g in range(count):
        left, b = draw[g] * nearest.sum(), -1
        for a in range(s):
            left -= nearest[a]
            if left <= 0.0 or a == s - 1:
                for c in range(q):
                    if free[c] and (b < 0 or costs[a, c] < costs[a, b]):
                        b = c
                break
        sites[g], free[b] = b, False
        for a in range(s):
            nearest[a] = max(costs[a, b], 0.0) if g == 0 else min(nearest[a], max(costs[a, b], 0.0))
        if homes[b] >= 0:
            labels[homes[b]], held[homes[b]], load[g] = g, True, weights[homes[b]]
    # heavy points first, each to its cheapest site with room
    for a in np.argsort(-weights):
        if not held[a]:
            for g in range(count):
                if load[g] + weights[a] <= upper[sites[g]] and (
                    labels[a] < 0 or costs[a, sites[g]] < costs[a, sites[labels[a]]]
                ):
                    labels[a] = g
            if labels[a] < 0:
                return np.inf, labels, sites
            load[labels[a]] += weights[a]
    if (load > upper[sites]).any() or (load < lower[sites]).any():
        return np.inf, labels, sites
    local, moved, value, best = np.empty((s, count)), True, np.inf, labels.copy()
    for g in range(count):
        local[:, g] = costs[:, sites[g]]
    while places.size:
        exchange(local, weights, held, lower[sites], upper[sites], labels, load)
        now = first_order(places, labels, local)
        if now >= value * (1.0 - 1e-9):
            return value, best, sites
        value, best[:] = now, labels
    # exchanges and better sites in turn; a site may not leave its cluster
    while moved:
        for g in range(count):
            local[:, g] = costs[:, sites[g]]
        exchange(local, weights, held, lower[sites], upper[sites], labels, load)
        moved = False
        for g in range(count):
            least, other = np.inf, sites[g]
            for b in range(q):
                bears = lower[b] <= load[g] <= upper[b]
                if ((free[b] and bears) or b == sites[g]) and (homes[b] < 0 or labels[homes[b]] == g):
                    worth = fees[b]
                    for a in range(s):
                        if labels[a] == g:
                            worth += costs[a, b]
                            if worth >= least:
                                break
                    if worth < least:
                        least, other = worth, b
            if other != sites[g]:
                if homes[other] >= 0:
                    held[homes[sites[g]]], held[homes[other]] = False, True
                free[sites[g]], free[other], sites[g], moved = True, False, other, True
    value = 0.0
    for g in range(count):
        value += fees[sites[g]]
    for a in range(s):
        value += costs[a, sites[labels[a]]]
    return value, labels, sites
