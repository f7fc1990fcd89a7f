"""Connected clusters about medoids: a bound, and branch and bound with separators (the model of Hess).

1. Lagrange's bound for clusters that need not be connected (`medoids.lagrange`), which holds for connected ones, too.
   It excludes pairs of point and medoid that cost too much.
2. Branch and bound over the pairs that are left, where a point a is served by a medoid j only through a separator S of
   them, x_aj <= sum_{s in S} x_sj. Separators are added for what is found in pieces, and the tree is searched again.
3. Where clusters have other bounds than one on their weight, y_jg says whether medoid j has a cluster of kind g. Its
   points a are allowed, and its sums are within bounds:  x_aj <= sum_{g allows a} y_jg,
   sum_g low_gr y_jg <= sum_a v_ar x_aj <= sum_g up_gr y_jg,  sum_g y_jg = z_j,  sum_j y_jg the number of kind g.

References
----------
Hess, Weaver, Siegfeldt, Whelan and Zitlau (1965), Nonpartisan political redistricting by computer, Operations Research
13; Validi, Buchanan and Lykhovyd (2022), Imposing contiguity constraints in political districting models, Operations
Research 70.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InfeasibleBoundsError
from ...models.formats.arrays import Block, BlockRows
from ...models.programs.medoid_location import MedoidLocationMIP
from ...models.programs.program import Program
from ..graphs.cluster_bounds import ClusterBounds
from ..medoids.lagrange import LagrangeBound
from ..medoids.search import NODES
from ..restricted_search import Reading, Restricted, RestrictedSearch
from .territories import Territories


class RootedSearch(RestrictedSearch):
    """`RestrictedSearch` over the pairs of point and medoid, next to a search for territories."""

    patience = NODES

    def __init__(self, model: MedoidLocationMIP, search: Territories) -> None:
        super().__init__(search.deadline)
        self.model, self.search, self.cuts = model, search, _RootedCuts(search)
        self.lagrange = LagrangeBound.of(model)
        self.left, self.kinds = model, _Kinds.of(search.bounds)

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
        points, search, own = np.arange(self.model.n_points), self.search, self.cuts.own
        allowed = np.ones(self.model.costs.shape, dtype=bool)
        if search.labels is not None:
            room = (1 + 1e-9) * search.value - self.lagrange.best.bound
            allowed = self.lagrange.reduced_costs(np.arange(own.size)) <= room
            allowed &= allowed[own, np.arange(own.size)]
            allowed &= (search.bounds.allowed.astype(float) @ search.bounds.allowed.T > 0)[:, own]  # in one cluster
            served = self._served(search.labels)
            allowed[points, served] = allowed[own[served], served] = True
        self.left = replace(self.model, allowed=allowed)
        return int(np.count_nonzero(allowed))

    def _served(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """The best medoid (n,) of every point's cluster."""
        return self.search.program.sites(labels)[labels]  # type: ignore[union-attr]

    def restricted(self, count: int) -> Restricted:
        """All of these pairs, with the separators known so far."""
        start, labels, program = None, self.search.labels, self.cuts.added_to(self.left)
        if labels is not None:
            start = self.left.columns_of(self._served(labels))
        if self.kinds is not None:
            program = self.kinds.added_to(program, self.left)
            if start is not None and labels is not None:
                start = np.append(start, self.kinds.columns_of(self._served(labels), labels, self.left.n_sites))
        near = self.search.value if self.has_answer else self.lagrange.best.bound
        return Restricted(program, start, abs(near), near)

    def read(self, columns: NDArray[np.float64]) -> Reading:
        """Take territories; local search mends those in pieces, which separators cut off."""
        served = self.left.served_by(columns)
        labels = np.unique(served, return_inverse=True)[1].astype(np.int64)
        if self.cuts.of(served, self.left):
            self.search.search(labels, np.random.default_rng(0), self.deadline)
            return Reading.CUT_OFF
        return Reading.BETTER if self.search.take(self.search.bounds.matched(labels)) else Reading.NOTHING

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


@dataclass(frozen=True)
class _Kinds:
    """The columns y and rows of (3)."""

    bounds: ClusterBounds
    one: NDArray[np.int64]  # (g,): One cluster of every kind.
    kind: NDArray[np.int64]  # (k,): The kind of every cluster.

    @classmethod
    def of(cls, bounds: ClusterBounds) -> _Kinds | None:
        """None where the weight of clusters has the same bounds, and nothing else has any."""
        one, kind = bounds.kinds
        return None if one.size == 1 == bounds.weights.shape[1] and bounds.allowed.all() else cls(bounds, one, kind)

    def columns_of(self, served: NDArray[np.int64], labels: NDArray[np.int64], count: int) -> NDArray[np.float64]:
        """y (m g,) of the ``count`` medoids, from those of all points (n,) and their clusters (n,)."""
        found = np.zeros((count, self.one.size))
        found[served, self.kind[labels]] = 1.0
        return found.ravel()

    def added_to(self, program: Program, model: MedoidLocationMIP) -> Program:
        """A program of pairs with these columns and rows."""
        import scipy.sparse as sp

        (points, sites), (n, g), old = model.pairs, (model.n_sites, self.one.size), program.cost.size
        at, each = np.arange(points.size), sp.eye_array(n)
        opened = sp.csr_array((np.ones(n), (np.arange(n), points.size + np.arange(n))), shape=(n, old))
        counts = np.bincount(self.kind).astype(float)
        rows: list[BlockRows] = [
            (Block.grid("one_kind", n), sp.hstack([-opened, sp.kron(each, np.ones((1, g)))]), 0.0, 0.0),
            (Block.grid("of_kind", g), sp.hstack([sp.csr_array((g, old)), sp.kron(np.ones((1, n)), sp.eye_array(g))]),
             counts, counts),
        ]  # fmt: skip
        for r, column in enumerate(self.bounds.weights.T):
            total = float(np.abs(column).sum()) or 1.0
            sums = sp.csr_array((column[points] / total, (sites, at)), shape=(n, old))
            for side, sign in ((self.bounds.lower, 1.0), (self.bounds.upper, -1.0)):
                ends = np.clip(side[self.one, r] / total, -1.0, 1.0)[None, :]
                both = sp.hstack([sign * sums, -sign * sp.kron(each, ends)])
                rows.append((Block.grid(f"sum_{r}_{'upper' if sign < 0 else 'lower'}", n), both, 0.0, np.inf))
        allowed = self.bounds.allowed[:, self.one]
        some = np.flatnonzero(~allowed[points].all(axis=1))
        pairs = sp.csr_array((np.ones(some.size), (np.arange(some.size), some)), shape=(some.size, old))
        where = sites[some, None] * g + np.arange(g)
        y = sp.csr_array((allowed[points[some]].astype(float).ravel(), where.ravel(), np.arange(0, where.size + 1, g)),
                         shape=(some.size, n * g))  # fmt: skip
        rows.append((Block.grid("allowed", some.size), sp.hstack([-pairs, y]), 0.0, np.inf))
        return program.extended([Block.grid("kind", n, g)], rows, upper=1.0, integral=True)


class _RootedCuts:
    """Separator inequalities x_aj <= sum_{s in S} x_sj."""

    def __init__(self, search: Territories) -> None:
        self.separators, self.own = search.polytope.separators, search.place
        self.found: list[tuple[int, int, NDArray[np.int64]]] = []

    def of(self, served: NDArray[np.int64], model: MedoidLocationMIP) -> int:
        """Add those that a clustering (n,) breaks, for all medoids beyond the separator; how many."""
        before = len(self.found)
        assert model.allowed is not None
        medoids, labels = np.unique(served, return_inverse=True)
        for members, _, separator, beyond in self.separators.between_pieces(labels, self.own[medoids]):
            for a in members.tolist():
                for j in np.flatnonzero(model.allowed[a] & beyond[self.own]).tolist():
                    self.found.append((a, j, self.separators.needed(separator, a, int(self.own[j]))))
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
