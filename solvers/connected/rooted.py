"""Connected clusters about medoids: a bound, and branch and bound with separators (the model of Hess).

1. Lagrange's bound for clusters that need not be connected (`medoids.lagrange`), which holds for connected ones, too.
   It excludes pairs of point and medoid that cost too much.
2. Branch and bound over the pairs that are left, where a point a is served by a medoid j only through a separator S of
   them, x_aj <= sum_{s in S} x_sj. Separators are added for what is found in pieces, and the tree is searched again.

References
----------
Hess, Weaver, Siegfeldt, Whelan and Zitlau (1965), Nonpartisan political redistricting by computer, Operations Research
13; Validi, Buchanan and Lykhovyd (2022), Imposing contiguity constraints in political districting models, Operations
Research 70.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InfeasibleBoundsError
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.medoid_location import MedoidLocationMIP
from ...models.programs.program import Block, Program
from ..medoids.lagrange import LagrangeBound
from ..restricted_search import Reading, Restricted, RestrictedSearch

if TYPE_CHECKING:
    from .search import TerritorySearch


class RootedSearch(RestrictedSearch):
    """`RestrictedSearch` over the pairs of point and medoid, next to a search for territories."""

    def __init__(self, model: MedoidLocationMIP, search: TerritorySearch) -> None:
        super().__init__(search.deadline)
        self.model, self.search, self.cuts = model, search, _RootedCuts(search.polytope)
        self.lagrange = LagrangeBound.of(model)
        self.left = model

    def bound(self) -> None:
        """Lagrange's bound."""
        search = self.search
        self.lagrange.ascend(search.value if self.has_answer else search.unconnected, 300, search.deadline)
        bound = max(self.lagrange.best.bound, float(self.model.costs.min(axis=1).sum()))  # a zero is exact
        search.bound, search.proof = min(bound, search.value), "Lagrangian relaxation"

    @property
    def has_answer(self) -> bool:
        """Whether territories are known."""
        return self.search.labels is not None

    @property
    def is_proved(self) -> bool:
        """Whether the bound meets their value."""
        return self.search.is_proved

    def needed(self) -> int:
        """Pairs that a better clustering could use; the program over them."""
        points, search = np.arange(self.model.n_points), self.search
        allowed = np.ones(self.model.costs.shape, dtype=bool)
        if search.labels is not None:
            room = (1 + 1e-9) * search.value - self.lagrange.best.bound
            allowed = self.lagrange.reduced_costs(points) <= room
            allowed &= allowed[points, points]
            served = self._served(search.labels)
            allowed[points, served] = allowed[served, served] = True
        self.left = replace(self.model, allowed=allowed)
        return int(np.count_nonzero(allowed))

    def _served(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """The best medoid (n,) of every point's cluster."""
        return self.search.program.sites(labels)[labels]  # type: ignore[union-attr]

    def restricted(self, count: int) -> Restricted:
        """All of these pairs, with the separators known so far."""
        start = None if self.search.labels is None else self.left.columns_of(self._served(self.search.labels))
        near = self.search.value if self.has_answer else self.lagrange.best.bound
        return Restricted(self.cuts.added_to(self.left), start, abs(near), near)

    def read(self, columns: NDArray[np.float64]) -> Reading:
        """Take territories; local search mends those in pieces, which separators cut off."""
        served = self.left.served_by(columns)
        labels = np.unique(served, return_inverse=True)[1].astype(np.int64)
        if self.cuts.of(served, self.left):
            self.search.search(labels, np.random.default_rng(0), self.deadline)
            return Reading.CUT_OFF
        return Reading.BETTER if self.search.take(labels) else Reading.NOTHING

    def close(self, bound: float, part: Restricted) -> None:
        """Raise the bound."""
        search = self.search
        if (bound := min(bound, search.value)) > search.bound:
            search.bound, search.proof = bound, "branch and bound (HiGHS)"
        self.open = search.value - search.bound

    def infeasible(self) -> Exception:
        """Nothing is connected, or nothing is within the bounds."""
        return InfeasibleBoundsError(
            "whole points can be assigned within the bounds, but not to connected clusters (branch and bound over all "
            "of them): widen the bounds, or add edges"
            if self.cuts.found else
            "no assignment of whole points keeps the bounds, connected or not: widen them"
        )  # fmt: skip


class _RootedCuts:
    """Separator inequalities x_aj <= sum_{s in S} x_sj."""

    def __init__(self, polytope: PartitionPolytope) -> None:
        self.separators = polytope.separators
        self.found: list[tuple[int, int, NDArray[np.int64]]] = []

    def of(self, served: NDArray[np.int64], model: MedoidLocationMIP) -> int:
        """Add those that a clustering (n,) breaks, for all medoids beyond the separator; how many."""
        before = len(self.found)
        assert model.allowed is not None
        medoids, labels = np.unique(served, return_inverse=True)
        for members, _, separator, beyond in self.separators.between_pieces(labels, medoids):
            for a in members.tolist():
                for j in np.flatnonzero(model.allowed[a] & beyond).tolist():
                    self.found.append((a, j, self.separators.needed(separator, a, j)))
        return len(self.found) - before

    def added_to(self, model: MedoidLocationMIP) -> Program:
        """The program with all of them that its pairs know."""
        import scipy.sparse as sp

        program, (points, sites) = model.program, model.pairs
        place = np.full(model.costs.shape, -1)
        place[points, sites] = np.arange(points.size)
        known = [(place[a, j], place[s, j]) for a, j, s in self.found if place[a, j] >= 0]
        rows = np.repeat(np.arange(len(known)), [1 + len(s) for _, s in known])
        columns = np.concatenate([np.append(a, s) for a, s in known]) if known else np.empty(0, dtype=np.int64)
        signs = np.concatenate([np.append(1.0, -np.ones(len(s))) for _, s in known]) if known else np.empty(0)
        used = columns >= 0
        more = sp.csc_array((signs[used], (rows[used], columns[used])), shape=(len(known), program.cost.size))
        return program.extended((), [(Block.grid("separator", len(known)), more, -np.inf, 0.0)])
