"""The search for connected territories: enumeration where clusters are few, else local search, and a bound."""

from __future__ import annotations

import numpy as np

from ...base.deadline import Deadline
from ...base.errors import NotOptimalError
from ...base.status import Status
from ..graphs.local_search import grown
from ..medoids.search import MOST_PAIRS, NODES
from .enumeration import BITS, LONG, LOOKS, all_clusters, best_partition, best_within, graph_of
from .objectives import Medoids, Squares
from .recombination import FEW, MANY, annealed, divided_exactly
from .relaxed import unconnected_bound
from .rooted import RootedSearch
from .territories import Territories

NEAR = 0.02  # Relative gap below which a tree may prove an optimum and gets half of the remaining time.


class TerritorySearch(Territories):
    """Enumeration, local search and proofs in turn."""

    def run(self, n_init: int, rng: np.random.RandomState) -> Status:
        """Enumerate, search and prove in turn; why it stopped."""
        if self._enumerated(self.deadline.share(0.5), LOOKS):
            return Status.OPTIMAL
        for _ in range(n_init):
            if self.labels is None or self.deadline.allows():
                self._start(rng, self.deadline)
        self._come_within(rng, self.deadline.share(0.5))
        if self.labels is None and isinstance(self.program, Squares):
            self._start_from_medoids(self.program, self.deadline.share(0.3))
        self._divide_anew(rng, self.deadline.share(0.3))
        tree = None
        if isinstance(self.program, Medoids):
            tree = RootedSearch(self.program.model, self)
            tree.bound()
        elif self.labels is not None:
            self._relaxed(self.program, self.deadline.share(0.3))
        # first a part of the time for a proof, then a search with what is left, whose answer the last proof starts from
        limited = self.deadline.left is not None
        if self._proved(tree, self.deadline.share(0.3)):
            return Status.OPTIMAL
        is_near = tree is not None and self.bound >= (1.0 - NEAR) * self.value
        limit = self.deadline.share(0.5 if is_near else 1.0)
        while limited and limit.allows():
            self._start(rng, limit)
            self._divide_anew(rng, limit)
        if limited and is_near and self._proved(tree, self.deadline):
            return Status.OPTIMAL
        if self.labels is None:
            raise NotOptimalError(
                "no connected clustering within the bounds was found, and none was excluded: allow more time_limit or "
                "n_init, or widen the bounds"
            )
        return Status.CONVERGED if self.deadline.allows() else Status.TIME_LIMIT

    def _proved(self, tree: RootedSearch | None, deadline: Deadline) -> bool:
        """Prove by branch and bound, or else by a long enumeration; whether that succeeded."""
        if tree is not None:
            tree.deadline = deadline.share(0.5) if self.polytope.n_points <= BITS else deadline
            tree.nodes = None if deadline.left is not None else NODES**2
            tree.run(MOST_PAIRS, MOST_PAIRS)
        return self.is_proved or self._enumerated(deadline, LONG)

    def _start_from_medoids(self, program: Squares, deadline: Deadline) -> None:
        """Take territories about medoids, which branch and bound finds where local search finds none, or excludes."""
        medoids = Medoids(program.costs_at(program.X), self.polytope, np.arange(self.polytope.n_points))
        other = TerritorySearch(medoids, self.polytope, deadline)
        tree = RootedSearch(medoids.model, other)
        tree.bound()
        other._proved(tree, deadline)
        if other.labels is not None:
            self.take(other.labels)

    def _relaxed(self, program: Squares, deadline: Deadline) -> None:
        """Bound all clusterings by those that need not be connected."""
        bound = unconnected_bound(program, self.value, deadline)
        if bound > 0.0:
            self.bound, self.proof = bound, "sdp dual"

    def _start(self, rng: np.random.RandomState, deadline: Deadline) -> None:
        """Search from a new start, and from the best answer with a few pairs of clusters divided anew."""
        start, random = self.program.start(rng, deadline), np.random.default_rng(rng.randint(2**31))
        self.unconnected = min(self.unconnected, self.program.resited(start)[0])
        self.search(start, random, deadline)
        if self.labels is not None and deadline.allows():
            labels = annealed(self.program.of_cluster, self.polytope, self.bounds, self.labels, random, deadline, FEW)
            self.search(labels, random, deadline, heat=0.1)

    def _come_within(self, rng: np.random.RandomState, deadline: Deadline) -> None:
        """Where nothing was found, bring grown clusters within bounds that moves of single points do not reach."""
        if self.labels is None:
            start, random = self.program.start(rng, deadline), np.random.default_rng(rng.randint(2**31))
            costs = self._resited(self.bounds.matched(start))[1]
            labels = grown(graph_of(self.polytope), costs, start, self.bounds.weights[:, 0])
            self.take(
                annealed(self.program.of_cluster, self.polytope, self.bounds, labels, random, deadline, 10 * MANY)
            )

    def _divide_anew(self, rng: np.random.RandomState, deadline: Deadline) -> None:
        """Anneal the best answer by recombination, and divide every pair of clusters in the best way."""
        random = np.random.default_rng(rng.randint(2**31))
        if self.labels is not None:
            labels = annealed(self.program.of_cluster, self.polytope, self.bounds, self.labels, random, deadline, MANY)
            self.search(labels, random, deadline, heat=0.1)
            self.take(divided_exactly(self.program.of_clusters, self.polytope, self.bounds, self.labels, deadline))

    def _enumerated(self, deadline: Deadline, most: int) -> bool:
        """Whether all connected clusters could be listed, and the best partition into them was found."""
        clusters = all_clusters(self.polytope, deadline, most)
        if clusters is None:
            return False
        costs, fits = self.program.of_clusters(clusters), self.bounds.fits(clusters)
        remedy = "widen the bounds, or add edges"
        if self.polytope.allowed is not None:
            remedy = "widen the bounds, add edges, or leave areas free that are fixed in clusters or not allowed there"
        if self.bounds.is_all:
            found = best_partition(clusters, costs, self.polytope.n_clusters, deadline, fits, remedy)
        else:
            found = best_within(clusters, costs, fits, self.stated, self.place, deadline)
        if found is None:
            return False
        labels, rounding = found
        self.take(labels)
        self.bound, self.proof = self.value - rounding, "enumeration"
        return True
