"""The search: neighbouring clusters built anew, a bound, a choice among whole clusters, and branch and bound.

    rebuild      a few neighbouring clusters are divided anew, some ten thousand times a second (`rebuild`)
    ascend       Lagrange's bound rises, and its sites are looked at (`lagrange`)
    concentrate  the best choice among the clusters of all that was met (`clusters`)

Each gets a part of the time; whatever gained most per second is next. Without a time limit they take turns until none
gains. In the end one tree over all pairs that reduced costs leave has the rest of the time (`restricted_search`).

References
----------
Dueck (1993), New optimization heuristics: the great deluge algorithm and the record-to-record travel, Journal of
Computational Physics 104; Stefanello, de Araujo and Mueller (2015), Matheuristics for the capacitated p-median problem,
International Transactions in Operational Research 22.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, NotOptimalError
from ...base.status import Status
from ...models.programs.medoid_location import MedoidLocationMIP
from ..restricted_search import Reading, Restricted, RestrictedSearch
from .assignment import seeds
from .clusters import PER_POINT, ClusterPool
from .exchange import local_optimum, packed
from .lagrange import LagrangeBound
from .rebuild import Rebuilder

NODES = 50  # Node limit of a search tree without a time limit.
MOST_PAIRS = 200_000  # Branch and bound solves programs with at most this many pairs.
STEPS = 400  # Steps of the subgradient method.
SELDOM = 5  # A local search starts from the sites of every fifth improved bound.
PART = 0.2  # Fraction of the remaining time for one phase.


class MedoidSearch(RestrictedSearch):
    """What is known of a program: the best site of every point, and the bound; `RestrictedSearch` over the pairs of
    point and site."""

    def __init__(self, model: MedoidLocationMIP, rng: np.random.RandomState, deadline: Deadline) -> None:
        super().__init__(deadline)
        self.model, self.rng = model, rng
        self.served: NDArray[np.int64] | None = None
        self.start = np.empty(0, np.int64)  # what the search goes on from while nothing keeps all bounds
        self.value, self.bound, self.proof = np.inf, -np.inf, "Lagrangian relaxation"
        self.history: list[float] = []
        self.whole_costs = all(bool((part == np.rint(part)).all()) for part in (model.costs, model.opening))
        self.lagrange = LagrangeBound.of(model)
        self.pool = ClusterPool(model)
        self.lagrange.pool = self.pool if self.lagrange.is_whole and model.demands is None else None
        self.rebuilder = Rebuilder.of(model)
        self.steps = model.n_points  # of the next annealing, at each temperature
        self.largest = MOST_PAIRS
        self.left = model  # over the pairs that a better clustering could use

    def solve(self, n_init: int, first: bool = False) -> Status:
        """Start, let phases follow each other, prove, or end with the ``first`` answer; why it stopped."""
        for _ in range(n_init):
            self._look(seeds(self.model, self._count(), self.rng))
        limited = self.deadline.left is not None
        self._bounded()
        if self.served is None:
            self._ascend(self.deadline.share(PART))
        if first and self.served is not None:
            return Status.CONVERGED
        self._prove(self.deadline.share(PART), 2 * PER_POINT * self.model.n_points)  # at once, where there is little
        phases: list[Callable[[Deadline], None]] = [self._rebuild, self._ascend, self._concentrate]
        rates = dict.fromkeys(phases, np.inf)
        # the last half of the time is the tree's unless something else gains
        while not self.is_proved and max(rates.values()) > 0.0:
            phase, limit = max(phases, key=rates.__getitem__), self.deadline.share(PART)
            before, begun = (self.value, self.bound), self.deadline.elapsed
            phase(limit)
            gained = max(self.bound - max(before[1], 0.0), 0.0)
            if not limited and gained <= 1e-3 * abs(self.value):  # a bound may creep up for long
                gained = 0.0
            gained += before[0] - self.value if self.value < before[0] < np.inf else float(self.value < before[0])
            rates[phase] = gained / (max(self.deadline.elapsed - begun, 1e-3) if limited else 1.0)
            if limited and rates[phase] <= 1e-5 * self.value / (self.deadline.seconds or 1.0):
                rates[phase] = 0.0
            if gained > 0.0 and not limited:
                rates = dict.fromkeys(phases, np.inf) | {phase: 0.0}
            self._prove(self.deadline.share(PART), 2 * PER_POINT * self.model.n_points)
            if not self.deadline.allows():
                break
        self._prove(self.deadline, MOST_PAIRS)
        if self.served is None:
            raise NotOptimalError("no clustering was found, and none was excluded")
        if self.is_proved:
            return Status.OPTIMAL
        return Status.TIME_LIMIT if limited else Status.CONVERGED

    def _prove(self, deadline: Deadline, largest: int) -> None:
        """Branch and bound if at most this many pairs are left."""
        outer, self.deadline = self.deadline, deadline
        # nothing is known: a longer search, or there is none
        self.nodes = None if deadline.left is not None else NODES if self.has_answer else NODES**2
        self.largest = largest
        self.run(largest, largest)
        self.deadline = outer

    def _count(self) -> int:
        """With how many clusters to start."""
        return int(np.clip(self.lagrange.best.chosen.size, self.model.least, self.model.most))

    @property
    def has_answer(self) -> bool:
        """Whether a clustering is known."""
        return self.served is not None

    @property
    def is_proved(self) -> bool:
        """Whether the bound meets its value."""
        return self.bound >= self.value - 1e-9 * abs(self.value)

    def _take(self, served: NDArray[np.int64]) -> bool:
        """Keep a clustering that is within all bounds and better; whether it is."""
        if not self.model.contains(served) or not (value := self.model.value(served)) < self.value:
            return False
        self.served, self.value = served, value
        self.history.append(value)
        return True

    def _raise(self, bound: float, proof: str) -> None:
        """Keep a better bound; costs in whole numbers round it up."""
        bound = float(np.ceil(bound - 1e-6)) if self.whole_costs and np.isfinite(bound) else bound
        if bound > self.bound:
            self.bound, self.proof = min(bound, self.value), proof
        self.open = self.value - self.bound

    def _look(self, sites: NDArray[np.int64]) -> None:
        """Keep a local optimum of whole points from some sites, where there is one."""
        self._keep(local_optimum(self.model, packed(self.model, sites)))

    def _keep(self, served: NDArray[np.int64]) -> None:
        """Keep the clusters of a local optimum (n,) that are within their bounds, and all of it where better."""
        demands, capacities, lower = self.model.parts
        load = np.zeros(capacities.shape)
        np.add.at(load, served, demands)
        within = (load <= capacities).all(axis=1) & (load[:, 0] >= lower)
        fits = np.flatnonzero(within[served])
        if fits.size:
            self.pool.add_all(fits, served[fits])
        self._take(served)
        self.start = served if self.served is None else self.served

    def _rebuild(self, limit: Deadline) -> None:
        """Anneal the best clustering by building neighbouring clusters anew."""
        before = self.value
        for served in self.rebuilder.anneal(self.start, self.rng, limit, self.steps):
            self._keep(served)
        if limit.seconds is not None or self.value == before:
            self.steps *= 2

    def _ascend(self, limit: Deadline) -> None:
        """Raise the Lagrangian bound and look at its sites, the last ones first."""
        near = list[NDArray[np.int64]]()
        self.lagrange.ascend(self.value, STEPS, limit, near.append)
        for sites in near[::-SELDOM]:
            if limit.allows():
                self._look(sites)
        if self.served is None:
            self._look(seeds(self.model, self._count(), self.rng))
        self._bounded()

    def _bounded(self) -> None:
        """Raise the bound to Lagrange's, and to what the cheapest sites cost."""
        model = self.model
        zeros = model.costs.min(axis=1).sum() + np.sort(model.opening)[: model.least].sum()  # not up to rounding
        self._raise(max(self.lagrange.best.bound, float(zeros)), "Lagrangian relaxation")

    def _concentrate(self, limit: Deadline) -> None:
        """The best choice among the pool's clusters."""
        if self.served is None:
            return
        found = self.pool.choose(self.served, self.lagrange.best.eta, limit, NODES)
        for served in (found, local_optimum(self.model, found)):
            self._keep(served)

    def needed(self) -> int:
        """How many pairs a better clustering could use, or all where these are too many; the program over them."""
        model = self.model
        better = 1.0 - 1e-6 if self.whole_costs else 0.0  # by how much a better clustering is better at least
        room = self.value - self.lagrange.best.bound - better + 1e-9 * abs(self.value)
        mask = np.zeros(model.costs.shape, dtype=bool)
        for some in np.array_split(np.arange(model.n_sites), 8):
            mask[:, some] = self.lagrange.reduced_costs(some) <= room
            if model.allowed is not None:
                mask[:, some] &= model.allowed[:, some]
            if np.count_nonzero(mask) > self.largest:
                return model.costs.size
        if self.served is not None:
            mask[np.arange(model.n_points), self.served] = True
        self.left = replace(model, allowed=mask)
        return int(np.count_nonzero(mask))

    def restricted(self, count: int) -> Restricted:
        """All of these pairs."""
        start = None if self.served is None else self.left.columns_of(self.served)
        near = self.value if self.has_answer else self.lagrange.best.bound
        return Restricted(self.left.program, start, abs(near), near)

    def read(self, columns: NDArray[np.float64]) -> Reading:
        """Take what is within the bounds, and better."""
        return Reading.BETTER if self._take(self.left.served_by(columns)) else Reading.NOTHING

    def close(self, bound: float, part: Restricted) -> None:
        """Raise the bound."""
        self._raise(bound, "branch and bound (HiGHS)")

    def infeasible(self) -> Exception:
        """There are too few, or too many, clusters for the bounds."""
        many = " to ".join(map(str, dict.fromkeys([self.model.least, self.model.most])))
        return InfeasibleBoundsError(f"no clustering of whole points with n_clusters={many} keeps all that is stated")
