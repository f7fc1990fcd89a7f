"""Neighbouring clusters built anew, again and again: random sites, points where there is room, exchanges, better sites.

A step takes a few clusters out of a clustering and divides their points among as many new sites, one more or one fewer
where that is allowed. It is kept where it costs less, or not much more: by how much, a falling temperature says.

Where there is room enough, no cluster is ever too full. Otherwise (several capacities, or nothing known that keeps the
bounds) excess has a price, which rises while a cluster is too full and falls while none is.
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
from .exchange import FORBIDDEN, excess, exchange, first_order, pack

REGION = 6  # Clusters that a step rebuilds at most.
LARGEST = 200  # Points that a step reassigns at most.
NEAR = 4  # Sites per point that are tried if sites are not points.
HEAT = 0.1  # First temperature, as a fraction of the mean cost of a cluster.
BATCHES = 200  # Number of temperatures.


@dataclass(frozen=True, eq=False)
class Rebuilder:
    """A program, and what is near what in it."""

    model: MedoidLocationMIP
    near: NDArray[np.int64]  # (n, L): Points near every point, the nearest first.
    sites_near: NDArray[np.int64]  # (n, q): Sites to try for a point: those that it is, or some cheap ones.
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
            counts, order = np.bincount(model.own, minlength=n), np.argsort(model.own, kind="stable")
            sites_near = np.full((n, counts.max()), -1)
            sites_near[model.own[order], np.arange(order.size) - np.repeat(np.cumsum(counts) - counts, counts)] = order
            home = np.where(sites_near[:, 0] >= 0, sites_near[:, 0], model.costs.argmin(axis=1))
        used, places = np.unique(home, return_inverse=True)
        return cls(model, _cheapest(np.ascontiguousarray(model.costs[:, used].T), count)[places], sites_near)

    def anneal(
        self, served: NDArray[np.int64], rng: np.random.RandomState, limit: Deadline, steps: int
    ) -> Iterator[NDArray[np.int64]]:
        """Clusterings (n,) by sites, each the best, or the last, of this many steps at falling temperatures."""
        model, (demands, capacities, lower) = self.model, self.model.parts
        opened, labels = np.unique(served, return_inverse=True)
        sites = np.append(opened, np.full(min(model.most, model.n_sites) - opened.size, -1))
        value = abs(model.value(served))
        hard = model.demands is None and model.contains(served)
        price = np.full(3, FORBIDDEN) if hard else np.array([1.0, 1e-3, 1e6]) * (value or 1.0)
        random, labels = np.random.default_rng(rng.randint(2**31)), labels.astype(np.int64)
        stated = Stated(
            model.costs, self.near, self.sites_near, demands, lower, capacities, model.opening, model.own is not None,
            model.least, self.places,
        )  # fmt: skip
        for batch in range(BATCHES):
            # where the time does not suffice, temperatures fall with it
            done = max(batch / BATCHES, 0.0 if limit.seconds is None else limit.elapsed / max(limit.seconds, 1e-9))
            if done >= 1.0 or not limit.allows():
                break
            heat = HEAT * value / opened.size * (1.0 - done)
            yield rebuild(stated, labels, sites, heat, random.random((steps, 3 * REGION + 5)), price)


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
    stated: Stated, labels: NDArray[np.int64], sites: NDArray[np.int64], heat: float, draws: NDArray[np.float64],
    price: NDArray[np.float64],
) -> NDArray[np.int64]:  # fmt: skip
    """Steps, one per row of random numbers; labels (n,) and the sites (p,) of the clusters, -1 for none, change, and so
    does the price of excess (now, at least, at most). The sites (n,) of the cheapest clustering within all bounds, or
    of the last one."""
    costs, near, sites_near, weights, lower, upper, opening, at_home, fewest, places = stated
    n, p = labels.size, sites.size
    first, after = np.full(p, -1), np.full(n, -1)  # lists of members
    taken, opened, now, least = np.zeros(opening.size, np.bool_), 0, 0.0, np.inf
    load, over = np.zeros((p, weights.shape[1])), np.zeros(p)
    for j in range(n):
        after[j], first[labels[j]] = first[labels[j]], j
        for r in range(weights.shape[1]):
            load[labels[j], r] += weights[j, r]
    for c in range(p):
        if sites[c] >= 0:
            taken[sites[c]], opened = True, opened + 1
            over[c] = excess(load, c, lower, upper, sites[c], weights, -1, -1)
    best = np.empty(n, np.int64)
    chosen, points, own = np.empty(REGION + 1, np.int64), np.empty(LARGEST, np.int64), np.empty(LARGEST, np.int64)
    for draw in draws:
        # a random point's cluster, and clusters of points near it
        count = neighbouring_groups(near, labels, chosen[:REGION], draw)
        if price[0] < FORBIDDEN:
            price[0] = min(1.01 * price[0], price[2]) if over.any() else max(price[0] / 1.01, price[1])
        size, old, fine = 0, 0.0, 0.0
        for g in range(count):
            c = chosen[g]
            old, fine = old + opening[sites[c]], fine + over[c]
            j = first[c]
            while j >= 0 and size < LARGEST:
                own[size] = g
                points[size], size, old = j, size + 1, old + costs[j, sites[c]]
                j = after[j]
        # one cluster fewer, as many, one more
        new = count
        if fewest < p:
            new += int(3.0 * draw[2 * REGION + 2]) - 1
            new = min(max(new, 1, count - (opened - fewest)), count + min(p - opened, 1))
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
        value, found, where, beyond = _divided(part, new, draw[2 * REGION + 3 :], price[0])
        if value + price[0] * (beyond.sum() - fine) <= old - heat * np.log(1.0 - draw[-1]):
            now += value - old
            for c in chosen[:count]:
                sites[c], first[c], over[c] = -1, -1, 0.0
            for g in range(new):
                sites[chosen[g]], over[chosen[g]] = candidates[where[g]], beyond[g]
            for a in range(size):
                c = chosen[found[a]]
                labels[some[a]], after[some[a]], first[c] = c, first[c], some[a]
            opened += new - count
            if now < least and not over.any():
                least, best[:] = now, sites[labels]
        for c in chosen[: max(count, new)]:
            if sites[c] >= 0:
                taken[sites[c]] = True
    return best if least < np.inf else sites[labels]


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
def _divided(
    part: Part, count: int, draw: NDArray[np.float64], price: float
) -> tuple[float, NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Value, labels (s,), sites (count,) and excess (count,) of points divided anew from random sites; an infinite
    value without room."""
    costs, fees, homes, weights, lower, upper, places = part
    (s, q), over = costs.shape, np.zeros(count)
    labels, held, load = np.full(s, -1), np.zeros(s, np.bool_), np.zeros((count, weights.shape[1]))
    sites, free, nearest = np.zeros(count, np.int64), np.ones(q, np.bool_), np.full(s, 1.0)
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
        if b < 0:
            return np.inf, labels, sites, over
        sites[g], free[b] = b, False
        for c in range(q if homes[b] >= 0 else 0):
            if homes[c] == homes[b]:
                free[c] = False
        for a in range(s):
            nearest[a] = max(costs[a, b], 0.0) if g == 0 else min(nearest[a], max(costs[a, b], 0.0))
        if homes[b] >= 0:
            labels[homes[b]], held[homes[b]] = g, True
            for r in range(weights.shape[1]):
                load[g, r] = weights[homes[b], r]
    local, moved, value, best = np.empty((s, count)), True, np.inf, np.empty(s, np.int64)
    for g in range(count):
        local[:, g] = costs[:, sites[g]]
    if not pack(local, weights, upper[sites], labels, load, price < FORBIDDEN):
        return np.inf, labels, sites, over
    for g in range(count):
        over[g] = excess(load, g, lower, upper, sites[g], weights, -1, -1)
        if over[g] > 0.0 and price == FORBIDDEN:
            return np.inf, labels, sites, over
    while places.size:
        exchange(local, weights, held, lower[sites], upper[sites], labels, load, price)
        now = first_order(places, labels, local)
        if now >= value * (1.0 - 1e-9):
            return value, best, sites, over
        value, best[:] = now, labels
    # exchanges and better sites in turn; a site may not leave its cluster
    while moved:
        for g in range(count):
            local[:, g] = costs[:, sites[g]]
        exchange(local, weights, held, lower[sites], upper[sites], labels, load, price)
        moved = False
        for g in range(count):
            least, other = np.inf, sites[g]
            for b in range(q):
                if labels[homes[b]] == g if homes[b] >= 0 else free[b] or b == sites[g]:
                    worth = fees[b] + price * excess(load, g, lower, upper, b, weights, -1, -1)
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
        over[g] = excess(load, g, lower, upper, sites[g], weights, -1, -1)
    for a in range(s):
        value += costs[a, sites[labels[a]]]
    return value, labels, sites, over
