"""Lagrange's bound on medoids: every point served once is relaxed, which leaves one knapsack per candidate.

    L(eta) = sum_j eta_j + min over least..most sites of the sum of c_i + v_i
    v_i    = min { sum_j (D_ji - eta_j) x_j :  l_i <= sum_j w_j x_j <= u_i,  x_o(i) = 1,  x_j in {0, 1} }

No assignment that uses the pair (j, i) costs less than

    L(eta) + max(0, c_i + v_i - theta) + v_i(j) - v_i

where theta is what a further site displaces, and v_i(j) >= v_i the value of the knapsack with x_j = 1. Pairs beyond the
best known value are left out (reduced-cost fixing). Knapsacks of whole weights are solved by dynamic programming, which
makes max L the value of the relaxation over all whole clusters; otherwise in shares, which is weaker. Of several
capacities the fullest one counts: prices of the others, site by site, gave weaker bounds where one is full.

References
----------
Lorena and Senne (2004), A column generation approach to capacitated p-median problems, Computers and Operations
Research 31.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.jit import njit
from ...models.polytope.sized_polytope import SLACK
from ...models.programs.medoid_location import MedoidLocationMIP
from ..subgradient import StepRule, subgradient
from .assignment import one_per_point
from .clusters import ClusterPool

TABLE = 1e8  # Dynamic-programming steps allowed per evaluation of L, for knapsacks of mean size.
RULE = StepRule(1.5, 0.6, 15, 0.7)  # Rule of the subgradient steps: at first 1.5 times Polyak's length.
NEAR = 0.03  # Clusters of minima are kept while the bound is within this fraction of the best one.


class Multipliers(NamedTuple):
    """What one evaluation of L gives."""

    bound: float  # L(eta)
    eta: NDArray[np.float64]  # (n,)
    values: NDArray[np.float64]  # (m,): c_i + v_i
    theta: float
    chosen: NDArray[np.int64]  # Sites of the minimum.


Knapsacks = namedtuple("Knapsacks", "costs near weights sides own whole sets")  # fmt: skip
"""One knapsack per site: costs (m, n), points in their order (m, n), weights (n,), sides (m, 2), the point (m,) that a
site is, or -1, whether all weights are whole numbers and no point is divided, and sets (n,) of which a knapsack holds
one point, or -1."""


@njit(cache=True)
def _in_shares(
    items: NDArray[np.int64], ratios: NDArray[np.float64], weights: NDArray[np.float64], low: float, room: float,
    served: NDArray[np.float64],
) -> tuple[float, float, float]:  # fmt: skip
    """Value, weight and price of weight of a knapsack of items with these ratios of cost to weight, in shares."""
    total, used, price = 0.0, 0.0, 0.0
    for place in np.argsort(ratios):
        j, ratio = items[place], ratios[place]
        share = min(1.0, ((room if ratio < 0.0 else low) - used) / weights[j])
        if share > 0.0:
            total += share * weights[j] * ratio
            used += share * weights[j]
            served[j] += share
        # the price is that of the side which binds: also of a lower one that whole items fill exactly
        if (share > 0.0 and ratio > 0.0) or (share < 1.0 and ratio < 0.0):
            price = -ratio
        if share < 1.0:
            break
    return total, used, price


@njit(cache=True)
def _whole(
    items: NDArray[np.int64], ratios: NDArray[np.float64], weights: NDArray[np.float64], sets: NDArray[np.int64],
    least: NDArray[np.float64], served: NDArray[np.float64],
) -> float:  # fmt: skip
    """Value of a knapsack of whole weights, and the same for every smaller one in ``least[0]`` (u + 1,). Items of a set
    follow each other; ``least[1]`` is the value without any of the set at hand."""
    least[0] = 0.0
    room, own = least.shape[1] - 1, -1
    taken = np.zeros((items.size if served.size else 0, room + 1), np.bool_)
    for place in range(items.size):
        w, here = int(weights[items[place]]), sets[items[place]]
        cost, before = ratios[place] * w, 0 if here < 0 else 1
        if here >= 0 and here != own:
            least[1] = least[0]
        own = here
        for c in range(room, w - 1, -1):
            if least[before, c - w] + cost < least[0, c]:
                least[0, c] = least[before, c - w] + cost
                if served.size:
                    taken[place, c] = True
    c, own = room, -1
    for place in range(taken.shape[0] - 1, -1, -1):
        j = items[place]
        if taken[place, c] and (own < 0 or sets[j] != own):
            served[j] += 1.0
            c, own = c - int(weights[j]), sets[j]
    return least[0, room]


@njit(cache=True)
def _knapsacks(
    stated: Knapsacks, sites: NDArray[np.int64], eta: NDArray[np.float64], values: NDArray[np.float64],
    served: NDArray[np.float64], pairs: NDArray[np.float64],
) -> None:  # fmt: skip
    """Values v (s,) of some sites' knapsacks; writes what they take into ``served`` (s, n), and v_i(j) into ``pairs``
    (s, n), where these are not empty."""
    costs, near, weights, sides, own, whole, sets = stated
    n, highest = costs.shape[1], eta.max()
    items, ratios = np.empty(n, np.int64), np.empty(n, np.float64)
    unused, linked = np.zeros(0 if whole else n), (sets >= 0).any()
    for s in range(sites.size):
        row, mine, low, room = costs[sites[s]], own[sites[s]], sides[sites[s], 0], sides[sites[s], 1]
        fixed, count, price, used = 0.0, 0, 0.0, 0.0
        taken, rival = served[s] if served.size else unused, -1
        if mine >= 0:
            fixed, low, room = row[mine] - eta[mine], low - weights[mine], room - weights[mine]
            rival = sets[mine]
            if served.size:
                taken[mine] += 1.0
        # points that pay for themselves are worth packing; others only to fill a lower bound
        for j in near[sites[s]]:
            reduced = row[j] - eta[j]
            if low <= 0.0 and row[j] >= highest:
                break
            if j == mine or (reduced >= 0.0 and low <= 0.0) or (rival >= 0 and sets[j] == rival):
                continue
            if weights[j] > 0.0:
                items[count], ratios[count] = j, reduced / weights[j]
                count += 1
            elif reduced < 0.0:
                fixed += reduced
                if served.size:
                    taken[j] += 1.0
        if linked:  # sets one after the other
            order = np.argsort(sets[items[:count]], kind="mergesort")
            items[:count], ratios[:count] = items[order], ratios[order]
        least = np.empty((2 if linked else 1, int(room) + 1 if whole and room >= 0.0 else 1))
        if room < 0.0:
            values[s] = np.inf
        elif whole:
            values[s] = fixed + _whole(items[:count], ratios[:count], weights, sets, least, taken)
        else:
            total, used, price = _in_shares(items[:count], ratios[:count], weights, low, room, taken)
            values[s] = fixed + total if used >= low - SLACK * sides[sites[s], 1] else np.inf
        # v_i(j): the knapsack with a point forced in, from the one without, not solved anew
        for j in range(n if pairs.size else 0):
            reduced = row[j] - eta[j]
            if j == mine or room < 0.0:
                pairs[s, j] = values[s]
            elif weights[j] > room:
                pairs[s, j] = np.inf
            elif whole:
                pairs[s, j] = max(values[s], fixed + max(reduced, 0.0 if weights[j] == 0.0 else reduced)
                                  + least[0, int(room - weights[j])])  # fmt: skip
            else:
                pairs[s, j] = values[s] + max(0.0, reduced + price * weights[j])


@dataclass(eq=False)
class LagrangeBound:
    """The bound and the multipliers behind it; `ascend` raises it."""

    model: MedoidLocationMIP
    rows: NDArray[np.float64]  # (m, n): Costs site by site.
    near: NDArray[np.int32]  # (m, n): The points, cheapest first.
    best: Multipliers
    sets: NDArray[np.int64]  # (n,): The set of which clusters hold one point at most, or -1.
    pool: ClusterPool | None = None  # Receives the clusters of undivided points that minima use.
    rule: StepRule = RULE  # Step rule; its length is kept between two ascents.

    @classmethod
    def of(cls, model: MedoidLocationMIP, eta: NDArray[np.float64] | None = None) -> LagrangeBound:
        """The bound at some multipliers (n,), or at costs of second-nearest sites."""
        model, sets = _relaxed(model)
        if eta is None:
            eta = np.partition(model.costs, min(1, model.n_sites - 1), axis=1)[:, min(1, model.n_sites - 1)]
            if model.allowed is not None:  # What stands for infinite costs is far too large.
                eta = np.minimum(eta, np.where(model.allowed, model.costs, -np.inf).max(axis=1))
        none = Multipliers(-np.inf, eta, np.zeros(model.n_sites), 0.0, np.empty(0, np.int64))
        rows = np.ascontiguousarray(model.costs.T)
        found = cls(model, rows, np.argsort(rows, axis=1).astype(np.int32), none, sets)
        found.best = found._at(eta)[0]
        return found

    @property
    def is_whole(self) -> bool:
        """Whether knapsacks are solved by dynamic programming."""
        model = self.model
        table = min(model.upper.max(), float(model.weights.sum())) * model.costs.size / max(model.least, 1)
        return model.lower.max() <= 0.0 and table <= TABLE and bool((model.weights == np.rint(model.weights)).all())

    def ascend(
        self, value: float, steps: int, deadline: Deadline, see: Callable[[NDArray[np.int64]], None] | None = None
    ) -> None:
        """Subgradient steps towards a known objective, or an infinite one; ``see`` gets the sites of bounds near the
        best one."""

        def evaluated(eta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]] | None:
            if not deadline.allows():
                return None
            here, missing = self._at(eta)
            if here.bound > self.best.bound:
                self.best = here
            if see is not None and self._is_near(here.bound):
                see(here.chosen)
            return here.bound, missing

        self.rule = self.rule._replace(length=subgradient(evaluated, self.best.eta, value, steps, self.rule))

    def _is_near(self, bound: float) -> bool:
        return bound >= self.best.bound - NEAR * abs(self.best.bound)

    def _at(self, eta: NDArray[np.float64]) -> tuple[Multipliers, NDArray[np.float64]]:
        """L at some multipliers, and its subgradient (n,)."""
        model, none = self.model, np.empty((0, 0))
        values = np.empty(model.n_sites)
        self._solve(np.arange(model.n_sites), eta, values, none, none)
        values += model.opening
        order = one_per_point(model, np.argsort(values, kind="stable"))
        count = min(max(model.least, int(np.count_nonzero(values[order] < 0.0))), model.most)
        chosen, worst = order[:count], float(values[order[count - 1]]) if count else 0.0
        theta = worst if count == model.most else max(worst, 0.0)
        served = np.zeros((count, model.n_points))
        self._solve(chosen, eta, np.empty(count), served, none)
        rounding = 2 * model.n_points * np.finfo(float).eps * (np.abs(eta).sum() + np.abs(values[chosen]).sum())
        bound = float(eta.sum() + values[chosen].sum() - (rounding if np.isfinite(rounding) else 0.0))
        if self.pool is not None and self._is_near(bound):
            for site, row in zip(chosen.tolist(), served):
                self.pool.add(site, np.flatnonzero(row))
        return Multipliers(bound, eta, values, theta, chosen), 1.0 - served.sum(axis=0)

    def _solve(self, sites: NDArray, eta: NDArray, values: NDArray, served: NDArray, pairs: NDArray) -> None:
        """`_knapsacks` of this model."""
        model = self.model
        own = np.full(model.n_sites, -1) if model.own is None else model.own
        sides, whole = np.column_stack([model.lower, np.minimum(model.upper, model.weights.sum())]), self.is_whole
        sides[:, 1] *= 1.0 + SLACK
        stated = Knapsacks(self.rows, self.near, model.weights, sides, own, whole, self.sets)
        _knapsacks(stated, sites, eta, values, served, pairs)

    def reduced_costs(self, sites: NDArray[np.int64]) -> NDArray[np.float64]:
        """By how much (n, s) the bound rises where a pair of a point and one of these sites is used."""
        values, pairs = np.empty(sites.size), np.empty((sites.size, self.model.n_points))
        self._solve(sites, self.best.eta, values, np.empty((0, 0)), pairs)
        some = np.isfinite(values) & np.isfinite(self.best.theta)
        more = np.maximum(self.best.values[sites[some]] - self.best.theta, 0.0)
        pairs[some] += (more - values[some])[:, None]
        return pairs.T


def _relaxed(model: MedoidLocationMIP) -> tuple[MedoidLocationMIP, NDArray[np.int64]]:
    """A relaxation: of several capacities, the one of which clusters fill most; and of points of which a cluster bears
    one at most, sets (n,) that have none in common, large ones first."""
    sets = np.full(model.n_points, -1)
    if model.demands is None or model.capacities is None:
        return model, sets
    one = np.isin(model.demands, (0.0, 1.0)).all(axis=0) & (model.capacities < 2.0).all(axis=0)
    for r in np.flatnonzero(one)[np.argsort(-model.demands[:, one].sum(axis=0), kind="stable")]:
        sets[(model.demands[:, r] > 0) & (sets < 0)] = r
    room = np.sort(model.parts[1], axis=0)[-model.most :].sum(axis=0)
    room[1:][one] = np.inf
    best = int(np.argmin(room))
    if best == 0:
        return replace(model, demands=None, capacities=None), sets
    weights, upper = model.demands[:, best - 1], model.capacities[:, best - 1]
    relaxed = replace(model, weights=weights, upper=upper, lower=0.0 * model.lower, demands=None, capacities=None)
    return relaxed, sets
