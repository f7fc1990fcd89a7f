"""The search: a choice among whole clusters, then branch and bound in parts of the program.

Local optima at the sites of the relaxation, however poor, and the minima of the bound give whole clusters. HiGHS
chooses the best clustering that is made of them (heuristic concentration, `clusters`), and its result is where the
search of parts begins. A part holds some neighbouring clusters: their points and all sites among them. Its own
Lagrangian bound says whether anything can be gained there. If so, HiGHS improves it from what is known, over the pairs
of least reduced cost. Parts go round all clusters, and grow while they are easy. The part that holds every pair that
reduced costs leave is the whole program: its tree proves the optimum.

Neighbouring clusters are also seeded anew (`_reseed`), which moves large clusters that parts of the program are too
small for, and gives further clusters to choose from.

References
----------
Dueck (1993), New optimization heuristics: the great deluge algorithm and the record-to-record travel, Journal of
Computational Physics 104; Stefanello, de Araujo and Mueller (2015), Matheuristics for the capacitated p-median problem,
International Transactions in Operational Research 22.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError, NotOptimalError
from ...base.status import Status
from ...models.programs.medoid_location import MedoidLocationMIP
from ...models.programs.program import TOLERANCES
from ..linear_program import LinearAnswer, solve_linear
from .assignment import assign, seeds, whole_alternation
from .clusters import PER_POINT, ClusterPool
from .exchange import local_optimum
from .lagrange import LagrangeBound

PAIRS = 600  # pairs of a part at first
PIVOTS = 2000  # simplex steps beyond which the next part is smaller
NODES = 50  # of the tree of a part
MOST_PAIRS = 200_000  # of the whole program that is given to branch and bound
STEPS = 400  # of the subgradient method
LOSS = 5e-3  # of the objective: what a reseeding may lose at first
SELDOM = 5  # good bounds a local optimum at their sites
RESEEDINGS = 50  # a cluster, in a round
REGION = 8  # clusters that are seeded anew together, at most


class MedoidSearch:
    """What is known of a program: the best site of every point, and the bound."""

    def __init__(self, model: MedoidLocationMIP, rng: np.random.RandomState, deadline: Deadline) -> None:
        self.model, self.rng, self.deadline = model, rng, deadline
        self.served: NDArray[np.int64] | None = None
        self.value, self.bound, self.proof = np.inf, -np.inf, "Lagrangian relaxation"
        self.history: list[float] = []
        self.whole_costs = all(bool((part == np.rint(part)).all()) for part in (model.costs, model.opening))
        self.lagrange = LagrangeBound.of(model)
        self.pool = ClusterPool(model)
        self.lagrange.pool = self.pool if self.lagrange.is_whole else None

    def run(self, n_init: int) -> Status:
        """Start, bound, search parts, prove; why it stopped."""
        for _ in range(n_init):
            self._look(seeds(self.model, self._count(), self.rng))
        self._ascend(0.2)
        self._concentrate()
        pairs, improved = PAIRS, self.served is not None
        while not self._is_proved():
            if not improved or not self._has_left(0.5):
                self._ascend(0.6)
                if self._close():
                    break
                if not improved and self.deadline.left is None:
                    break
                pairs = pairs if improved else int(1.5 * pairs)
            else:
                self._close(max(pairs, 2 * PER_POINT * self.model.n_points))  # at once, where little is left
            if self.served is None or self._is_proved() or not self.deadline.allows():
                break
            before = self.value
            self._reseed(self.served if improved else self._fresh())
            self._concentrate()
            pairs = self._round(pairs)
            improved = self.value < before
        if self.served is None:
            raise NotOptimalError(
                "no clustering within the bounds was found, and none was excluded: allow more time_limit, or widen them"
            )
        if self._is_proved():
            return Status.OPTIMAL
        return Status.CONVERGED if self.deadline.left is None else Status.TIME_LIMIT

    def _count(self) -> int:
        """With how many clusters to start."""
        return int(np.clip(self.lagrange.best.chosen.size, self.model.least, self.model.most))

    def _has_left(self, share: float) -> bool:
        """Whether more than this share of the time is left."""
        left, seconds = self.deadline.left, self.deadline.seconds
        return left is None or seconds is None or left > share * seconds

    def _is_proved(self) -> bool:
        return self.bound >= self.value - 1e-9 * abs(self.value)

    def _take(self, served: NDArray[np.int64]) -> None:
        """Keep a clustering that is within all bounds and better."""
        if self.model.contains(served) and (value := self.model.value(served)) < self.value:
            self.served, self.value = served, value
            self.history.append(value)

    def _raise(self, bound: float, proof: str) -> None:
        """Keep a better bound; costs in whole numbers round it up."""
        bound = float(np.ceil(bound - 1e-6)) if self.whole_costs and np.isfinite(bound) else bound
        if bound > self.bound:
            self.bound, self.proof = min(bound, self.value), proof

    def _look(self, sites: NDArray[np.int64]) -> None:
        """Keep a local optimum of whole points from some sites, where there is one."""
        found = assign(self.model, sites, self.deadline, greedy=True)
        if found is not None:
            self._keep(local_optimum(self.model, found.served))

    def _keep(self, served: NDArray[np.int64]) -> None:
        """Keep the clusters of a local optimum (n,), and all of it where it is better."""
        self.pool.add_all(np.arange(self.model.n_points), served)
        self._take(served)

    def _ascend(self, share: float) -> None:
        """Raise the Lagrangian bound and look at its sites, the last ones first, for this share of the time at most."""
        model, limit, near = self.model, self.deadline.share(share), list[NDArray[np.int64]]()
        self.lagrange.ascend(self.value, STEPS, limit, near.append)
        for sites in near[::-SELDOM]:
            if limit.allows():
                self._look(sites)
        for sites in (self.lagrange.best.chosen, seeds(model, self._count(), self.rng)):
            if self.served is None and (found := whole_alternation(model, sites, self.deadline, np.inf)) is not None:
                self._keep(local_optimum(model, found))
        zeros = model.costs.min(axis=1).sum() + np.sort(model.opening)[: model.least].sum()  # not up to rounding
        self._raise(max(self.lagrange.best.bound, float(zeros)), "Lagrangian relaxation")

    def _close(self, most: int = MOST_PAIRS) -> bool:
        """Branch and bound, for half of the time, over all pairs that reduced costs leave, where they are few enough;
        whether it ended."""
        model = self.model
        reduced = self.lagrange.reduced_costs(np.arange(model.n_sites))
        better = 1.0 - 1e-6 if self.whole_costs else 0.0  # by how much a better clustering is better at least
        mask = reduced <= self.value - self.lagrange.best.bound - better + 1e-9 * abs(self.value)
        if np.count_nonzero(mask) > most:
            return False
        if self.served is not None:
            mask[np.arange(model.n_points), self.served] = True
        part, limited = replace(model, allowed=mask), self.deadline.left is not None
        nodes = NODES if self.served is not None else NODES**2  # nothing is known: a longer search, or there is none
        limit: dict[str, float] = {} if limited else {"mip_max_nodes": nodes}
        answer = self._solve(part, self.served, limit, 0.0, self.deadline.share(0.5))
        if answer.columns is not None:
            self._take(part.served_by(answer.columns))
        if answer.outcome is Status.INFEASIBLE and self.served is None:
            raise InfeasibleBoundsError(
                "no clustering of whole points keeps the bounds with that many clusters: widen lower and upper, or "
                "change n_clusters"
            )
        self._raise(answer.bound, "branch and bound (HiGHS)")
        return not limited or answer.outcome in (Status.OPTIMAL, Status.INFEASIBLE)

    def _solve(
        self, part: MedoidLocationMIP, served: NDArray[np.int64] | None, limit: dict[str, float], gap: float,
        deadline: Deadline | None = None,
    ) -> LinearAnswer:  # fmt: skip
        """HiGHS's answer to a program from what is known of it."""
        start = None if served is None else part.columns_of(served)
        value = self.value if np.isfinite(self.value) else self.lagrange.best.bound
        options = TOLERANCES | limit | {"mip_rel_gap": gap}
        return solve_linear(part.program, options, deadline or self.deadline, start, value)

    def _concentrate(self) -> None:
        """The best choice among kept clusters: at once where that ends in time, otherwise in ever smaller parts."""
        if self.served is None:
            return
        self.pool.trim(self.lagrange.best.eta)
        limit, count = self.deadline.share(0.3), np.unique(self.served).size
        while count > REGION // 2 and limit.allows() and not self._choose(count, limit):
            count //= 2

    def _choose(self, count: int, limit: Deadline) -> bool:
        """The best choice among kept clusters for so many open sites at a time; whether HiGHS always ended."""
        assert self.served is not None
        opened, ended = np.unique(self.served), True
        options = {"mip_rel_gap": 1e-4} | ({"mip_max_nodes": NODES} if limit.left is None else {})
        for site in self.rng.permutation(opened)[: 2 * opened.size // count - 1].tolist():
            if site in self.served and limit.allows():
                part = self._near(self.served, site)[:count]
                some = limit.share(0.5 * count / opened.size)
                found, optimal = self.pool.choose(self.served, part, options, some)
                ended &= optimal
                self._keep(local_optimum(self.model, found))
        return ended

    def _round(self, pairs: int) -> int:
        """Improve parts until every cluster was in the middle of one; the pairs of the next part."""
        assert self.served is not None
        done: set[int] = set()
        for site in self.rng.permutation(np.unique(self.served)).tolist():
            if site in done or not self.deadline.allows():
                continue
            opened, counts = np.unique(self.served, return_counts=True)
            if site not in opened:
                continue
            near = self._near(self.served, site)
            points = np.cumsum(counts[np.searchsorted(opened, near)])
            count = max(2, min(int(np.searchsorted(points, pairs / PER_POINT)), near.size // 2))
            done.update(near[: 1 + count // 3].tolist())
            pairs = self._improve(near[:count], opened, pairs)
        return pairs

    def _near(self, served: NDArray[np.int64], site: int) -> NDArray[np.int64]:
        """The open sites, by what the members of one of them would cost there; that one first."""
        opened, members = np.unique(served), np.flatnonzero(served == site)
        near = opened[np.argsort(self.model.costs[np.ix_(members, opened)].mean(axis=0), kind="stable")]
        return np.append(site, near[near != site])

    def _fresh(self) -> NDArray[np.int64]:
        """A clustering from new seeds; the best one known where they lead to none."""
        assert self.served is not None
        found = whole_alternation(self.model, seeds(self.model, self._count(), self.rng), self.deadline, np.inf)
        return self.served if found is None else found

    def _reseed(self, served: NDArray[np.int64]) -> None:
        """Seed some neighbouring clusters of a clustering (n,) anew and alternate there, again and again; what may be
        lost against the best one falls to nothing (record-to-record travel)."""
        value = self.model.value(served)
        tries, limit = RESEEDINGS * np.unique(served).size, self.deadline.share(0.5)
        for at in range(tries):
            if not limit.allows():
                break
            opened = self._near(served, int(self.rng.choice(np.unique(served))))
            part = opened[: self.rng.randint(2, REGION + 1)]
            points, sites, part_of = self._part(served, part, opened)
            before = part_of.value(np.searchsorted(sites, served[points]))
            most = before + max(self.value * (1 + LOSS * (1 - at / tries)) - value, 0.0)
            found = whole_alternation(part_of, seeds(part_of, part.size, self.rng), self.deadline, most)
            if found is None:
                continue
            better = local_optimum(part_of, found)
            self.pool.add_all(points, sites[better])
            if part_of.value(better) < most:
                served = served.copy()
                served[points] = sites[better]
                value = self.model.value(served)
                self._take(served)
        self._keep(local_optimum(self.model, served))

    def _part(
        self, served: NDArray[np.int64], part: NDArray[np.int64], opened: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], MedoidLocationMIP]:
        """Points and sites of the clusters of some of the open sites, and their program."""
        model, points = self.model, np.flatnonzero(np.isin(served, part))
        if model.own is None:
            sites = np.setdiff1d(np.arange(model.n_sites), np.setdiff1d(opened, part))
        else:
            sites = np.flatnonzero(np.isin(model.own, points))
        return points, sites, model.part(points, sites, opened.size - part.size)

    def _improve(self, part: NDArray[np.int64], opened: NDArray[np.int64], pairs: int) -> int:
        """Improve the clusters of some open sites; how many pairs the next part should have."""
        assert self.served is not None
        points, sites, part_of = self._part(self.served, part, opened)
        known = np.searchsorted(sites, self.served[points])
        value = part_of.value(known)
        lagrange = LagrangeBound.of(part_of, self.lagrange.best.eta[points])
        lagrange.ascend(value, STEPS // 4, self.deadline)
        if lagrange.best.bound >= value - 1e-3 * abs(value):
            return int(1.04 * pairs)
        found, effort = self._from_pairs(part_of, known, lagrange, pairs)
        if found is not None and part_of.contains(found) and part_of.value(found) < value:
            served = self.served.copy()
            served[points] = sites[found]
            self._keep(local_optimum(self.model, served))
        return max(PAIRS // 4, int(pairs * (1.04 if effort < PIVOTS else 0.9)))

    def _from_pairs(
        self, part: MedoidLocationMIP, known: NDArray[np.int64], lagrange: LagrangeBound, pairs: int
    ) -> tuple[NDArray[np.int64] | None, int]:
        """A better clustering of a part over the pairs of least reduced cost, and the simplex steps it took."""
        reduced, value = lagrange.reduced_costs(np.arange(part.n_sites)), part.value(known)
        most = min(pairs, reduced.size) - 1
        mask = reduced <= min(np.partition(reduced, most, axis=None)[most], value - lagrange.best.bound)
        mask[np.arange(part.n_points), known] = True
        if part.own is not None:
            mask[part.own, np.arange(part.n_sites)] |= mask.any(axis=0)
        part = replace(part, allowed=mask)
        answer = self._solve(part, known, {"mip_max_nodes": NODES}, 2e-3)
        found = None if answer.columns is None else part.served_by(answer.columns)
        return found, answer.steps["simplex"]
