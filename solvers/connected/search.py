"""The search for connected territories: enumeration where clusters are few, else local search, and a bound.

    medoids  sum_j D_j,m(i)                  m(i) the point of cluster i with the least sum
    squares  sum_j w_j |x_j - c_i|^2         c_i the mean of cluster i
    cut      sum of the weights of the edges between two clusters

Each is a sum over clusters, which is what `enumeration` needs, and a sum over points at fixed sites, which is what
`graphs.local_search` needs; and its number of edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import NotOptimalError
from ...base.status import Status
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.medoid_location import MedoidLocationMIP
from ..geometric.best_alternation import bounded_k_means
from ..graphs.cluster_bounds import ClusterBounds
from ..graphs.local_search import searched
from ..medoids.assignment import alternate, seeds
from ..medoids.search import MOST_PAIRS
from .enumeration import LONG, LOOKS, all_clusters, best_partition
from .recombination import FEW, MANY, annealed, divided_exactly
from .rooted import RootedSearch

NEAR = 0.02  # Relative gap below which a tree may prove an optimum and gets half of the remaining time.


@dataclass(frozen=True, eq=False)
class Medoids:
    """Costs of serving points from points of their own cluster."""

    costs: NDArray[np.float64]  # (n, n)
    polytope: PartitionPolytope
    cuts: ClassVar[bool] = False  # Whether edges between clusters are what costs.

    @property
    def model(self) -> MedoidLocationMIP:
        """The program of clusters that need not be connected, within the widest bounds on their weight."""
        (n, _), p = self.costs.shape, self.polytope
        return MedoidLocationMIP(
            self.costs, p.point_weights, np.full(n, p.lower.min()), np.full(n, p.upper.max()), p.n_clusters,
            p.n_clusters, np.zeros(n), np.arange(n),
        )  # fmt: skip

    def of_clusters(self, clusters: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Cost (q,) of every cluster (q, n)."""
        return np.where(clusters, clusters.astype(np.float64) @ self.costs, np.inf).min(axis=1)

    def of_cluster(self, members: NDArray[np.int64]) -> float:
        """Cost of one cluster (m,)."""
        return float(self.costs[np.ix_(members, members)].sum(axis=0).min())

    def sites(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """The best medoid (k,) of every cluster."""
        members = [np.flatnonzero(labels == i) for i in range(self.polytope.n_clusters)]
        return np.array([own[self.costs[np.ix_(own, own)].sum(axis=0).argmin()] for own in members])

    def resited(self, labels: NDArray[np.int64]) -> tuple[float, NDArray[np.float64]]:
        """What a clustering (n,) costs, and costs (n, k) at its sites."""
        costs = self.costs[:, self.sites(labels)]
        return float(costs[np.arange(len(labels)), labels].sum()), costs

    def start(self, rng: np.random.RandomState, deadline: Deadline) -> NDArray[np.int64]:
        """Labels (n,) of an alternation that keeps no cluster connected."""
        k, model = self.polytope.n_clusters, self.model
        sites = seeds(model, k, rng)
        found = alternate(model, sites, deadline)
        served = sites[self.costs[:, sites].argmin(axis=1)] if found is None else found.served
        if found is None:  # no cluster is empty
            served[sites] = sites
        return np.unique(served, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Squares:
    """Squared distances to means."""

    X: NDArray[np.float64]
    polytope: PartitionPolytope
    cuts: ClassVar[bool] = False  # Whether edges between clusters are what costs.

    def of_clusters(self, clusters: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Cost (q,) of every cluster (q, n)."""
        some = clusters * self.polytope.point_weights
        sizes, apart = some.sum(axis=1), self._apart(self.X)
        # pairs of points: about the mean of all, digits would be lost where clusters are small and far apart
        return 0.5 * ((some @ apart) * some).sum(axis=1) / np.where(sizes > 0, sizes, 1.0)

    def of_cluster(self, members: NDArray[np.int64]) -> float:
        """Cost of one cluster (m,)."""
        points, weights = self.X[members], self.polytope.point_weights[members]
        apart = ((points[:, None, :] - points) ** 2).sum(axis=2)
        return float(0.5 * weights @ apart @ weights / (weights.sum() or 1.0))

    def resited(self, labels: NDArray[np.int64]) -> tuple[float, NDArray[np.float64]]:
        """What a clustering (n,) costs, and costs (n, k) at its means."""
        k, weights = self.polytope.n_clusters, self.polytope.point_weights
        sizes = np.bincount(labels, weights, k)
        sums = np.array([np.bincount(labels, weights * column, k) for column in self.X.T])
        means = (sums / np.where(sizes > 0, sizes, 1.0)).T
        costs = weights[:, None] * self._apart(means)
        return float(costs[np.arange(len(labels)), labels].sum()), costs

    def _apart(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Squared distances (n, q) of all points to places (q, d)."""
        return ((self.X[:, None, :] - places) ** 2).sum(axis=2)

    def start(self, rng: np.random.RandomState, deadline: Deadline) -> NDArray[np.int64]:
        """Labels (n,) of k-means that keeps no cluster connected."""
        return bounded_k_means(self.X, self.polytope.relaxed, 1, rng).labels


@dataclass(frozen=True, eq=False)
class Cut(Squares):
    """Weights of the edges between clusters; k-means only starts the search."""

    cuts: ClassVar[bool] = True

    def of_clusters(self, clusters: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Cost (q,) of every cluster (q, n): half of the weights that leave it."""
        (u, v), weights = self._edges
        return 0.5 * ((clusters[:, u] != clusters[:, v]) @ weights)

    def of_cluster(self, members: NDArray[np.int64]) -> float:
        """Cost of one cluster (m,)."""
        inside = np.zeros((1, self.polytope.n_points), dtype=bool)
        inside[0, members] = True
        return float(self.of_clusters(inside)[0])

    def resited(self, labels: NDArray[np.int64]) -> tuple[float, NDArray[np.float64]]:
        """The weights between the clusters of labels (n,), and costs (n, k) of nothing besides."""
        (u, v), weights = self._edges
        return float(weights[labels[u] != labels[v]].sum()), np.zeros((len(labels), self.polytope.n_clusters))

    @property
    def _edges(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        assert self.polytope.connection is not None
        return self.polytope.connection.edges.T, self.polytope.connection.weights


PROGRAMS: dict[str, type[Medoids | Squares]] = {"medoids": Medoids, "squares": Squares, "cut": Cut}


class TerritorySearch:
    """What is known of a program: the best clustering, and the bound."""

    def __init__(self, program: Medoids | Squares, deadline: Deadline) -> None:
        self.program, self.polytope, self.deadline = program, program.polytope, deadline
        self.bounds = ClusterBounds.of(self.polytope)
        self.labels: NDArray[np.int64] | None = None
        self.value, self.bound, self.proof = np.inf, -np.inf, ""
        self.unconnected = np.inf  # what the cheapest start costs, which need not be connected
        self.history: list[float] = []

    def run(self, n_init: int, rng: np.random.RandomState) -> Status:
        """Enumerate, search and prove in turn; why it stopped."""
        if self._enumerated(self.deadline.share(0.5), LOOKS):
            return Status.OPTIMAL
        for _ in range(n_init):
            if self.labels is None or self.deadline.allows():
                self._start(rng, self.deadline)
        self._divide_anew(rng, self.deadline.share(0.3))
        tree = RootedSearch(self.program.model, self) if isinstance(self.program, Medoids) else None
        if tree is not None:
            tree.bound()
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
        """Prove by branch and bound, or by a long enumeration; whether that succeeded."""
        if tree is None:
            return self._enumerated(deadline, LONG)
        tree.deadline = deadline
        tree.run(MOST_PAIRS, MOST_PAIRS)
        return self.is_proved

    def _start(self, rng: np.random.RandomState, deadline: Deadline) -> None:
        """Search from a new start, and from the best answer with a few pairs of clusters divided anew."""
        start, random = self.program.start(rng, deadline), np.random.default_rng(rng.randint(2**31))
        self.unconnected = min(self.unconnected, self.program.resited(start)[0])
        self.search(start, random, deadline)
        if self.labels is not None and deadline.allows():
            labels = annealed(self.program.of_cluster, self.polytope, self.labels, random, deadline, FEW)
            self.search(labels, random, deadline, heat=0.1)

    def _divide_anew(self, rng: np.random.RandomState, deadline: Deadline) -> None:
        """Anneal the best answer by recombination, and divide every pair of clusters in the best way."""
        random = np.random.default_rng(rng.randint(2**31))
        if self.labels is not None:
            labels = annealed(self.program.of_cluster, self.polytope, self.labels, random, deadline, MANY)
            self.search(labels, random, deadline, heat=0.1)
            self.take(divided_exactly(self.program.of_clusters, self.polytope, self.labels, deadline))

    def search(
        self, labels: NDArray[np.int64], rng: np.random.Generator, deadline: Deadline, heat: float = 1.0
    ) -> None:
        """Local search from labels (n,), connected or not, from a part of the usual first temperature."""
        assert self.polytope.connection is not None
        labels = self.bounds.matched(labels)
        found = searched(
            self._resited(labels)[1], self.polytope.connection, self.polytope, labels, rng, deadline,
            cuts=self.program.cuts, resite=self._resited, heat=heat,
        )  # fmt: skip
        if found is not None:
            self.take(found)

    def _resited(self, labels: NDArray[np.int64]) -> tuple[float, NDArray[np.float64]]:
        """What a clustering (n,) costs, and costs (n, k) at its sites, infinite where a point may not be."""
        value, costs = self.program.resited(labels)
        return value, np.where(self.bounds.allowed, costs, np.inf)

    def take(self, labels: NDArray[np.int64]) -> bool:
        """Keep a clustering (n,) that is within all bounds and better; whether it is."""
        if not self.polytope.contains(labels) or not (value := self.program.resited(labels)[0]) < self.value:
            return False
        self.labels, self.value = labels, value
        self.history.append(value)
        return True

    @property
    def is_proved(self) -> bool:
        """Whether the bound meets the value, up to rounding."""
        return self.labels is not None and self.bound >= self.value - 1e-9 * abs(self.value)

    def _enumerated(self, deadline: Deadline, most: int) -> bool:
        """Whether all connected clusters could be listed, and the best partition into them was found."""
        clusters = all_clusters(self.polytope, deadline, most)
        if clusters is None:
            return False
        costs = self.program.of_clusters(clusters)
        remedy = "widen the bounds, or add edges"
        if self.polytope.allowed is not None:
            remedy = "widen the bounds, add edges, or leave areas free that are fixed in clusters or not allowed there"
        fits = self.bounds.fits(clusters)
        found = best_partition(clusters, costs, self.polytope.n_clusters, deadline, fits, remedy)
        if found is None:
            return False
        labels, rounding = found
        self.take(labels)
        self.bound, self.proof = self.value - rounding, "enumeration"
        return True
