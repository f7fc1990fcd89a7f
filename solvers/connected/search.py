"""The search for connected territories: enumeration where clusters are few, else local search, and a bound.

    medoids  sum_j D_j,m(i)                  m(i) the point of cluster i with the least sum
    squares  sum_j w_j |x_j - c_i|^2         c_i the mean of cluster i
    cut      sum of the weights of the edges between two clusters

Each is a sum over clusters, which is what `enumeration` needs, and a sum over points at fixed sites, which is what
`graphs.local_search` needs; its number of edges beside.
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
from ..graphs.local_search import searched
from ..medoids.assignment import alternate, seeds
from .enumeration import all_clusters, best_partition
from .rooted import RootedProgram


@dataclass(frozen=True, eq=False)
class Medoids:
    """Costs of serving points from points of their own cluster."""

    costs: NDArray[np.float64]  # (n, n)
    polytope: PartitionPolytope
    cuts: ClassVar[bool] = False  # whether edges between clusters are what costs

    @property
    def model(self) -> MedoidLocationMIP:
        """The program of clusters that need not be connected."""
        (n, _), p = self.costs.shape, self.polytope
        return MedoidLocationMIP(
            self.costs, p.point_weights, float(p.lower[0]), float(p.upper[0]), p.n_clusters, p.n_clusters, np.zeros(n),
            np.arange(n),
        )  # fmt: skip

    def of_clusters(self, clusters: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Cost (q,) of every cluster (q, n)."""
        return np.where(clusters, clusters.astype(np.float64) @ self.costs, np.inf).min(axis=1)

    def sites(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """The best medoid (k,) of every cluster."""
        members = [np.flatnonzero(labels == i) for i in range(self.polytope.n_clusters)]
        return np.array([own[self.costs[np.ix_(own, own)].sum(axis=0).argmin()] for own in members])

    def resited(self, labels: NDArray[np.int64]) -> tuple[float, NDArray[np.float64]]:
        """What a clustering (n,) costs, and costs (n, k) at its sites."""
        costs = self.costs[:, self.sites(labels)]
        return float(costs[np.arange(len(labels)), labels].sum()), costs

    def from_points(self, sites: NDArray[np.int64]) -> NDArray[np.float64]:
        """Costs (n, q) of serving all points from some."""
        return self.costs[:, sites]

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
    cuts: ClassVar[bool] = False  # whether edges between clusters are what costs

    def of_clusters(self, clusters: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Cost (q,) of every cluster (q, n)."""
        some = clusters * self.polytope.point_weights
        sizes, apart = some.sum(axis=1), self._apart(self.X)
        # pairs of points: about the mean of all, digits would be lost where clusters are small and far apart
        return 0.5 * ((some @ apart) * some).sum(axis=1) / np.where(sizes > 0, sizes, 1.0)

    def resited(self, labels: NDArray[np.int64]) -> tuple[float, NDArray[np.float64]]:
        """What a clustering (n,) costs, and costs (n, k) at its means."""
        k, weights = self.polytope.n_clusters, self.polytope.point_weights
        sizes = np.bincount(labels, weights, k)
        sums = np.array([np.bincount(labels, weights * column, k) for column in self.X.T])
        means = (sums / np.where(sizes > 0, sizes, 1.0)).T
        costs = weights[:, None] * self._apart(means)
        return float(costs[np.arange(len(labels)), labels].sum()), costs

    def from_points(self, sites: NDArray[np.int64]) -> NDArray[np.float64]:
        """Squared distances (n, q) of all points to some."""
        return self._apart(self.X[sites])

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
        self.labels: NDArray[np.int64] | None = None
        self.value, self.bound, self.proof = np.inf, -np.inf, ""
        self.unconnected = np.inf  # what the cheapest start costs, which need not be connected
        self.history: list[float] = []

    def run(self, n_init: int, rng: np.random.RandomState) -> Status:
        """Enumerate, or search and prove; why it stopped."""
        if self._enumerated():
            return Status.OPTIMAL
        limited, proves = self.deadline.left is not None, isinstance(self.program, Medoids)
        while n_init > 0 or (limited and (self.labels is None or not proves)):  # a proof takes what time is left
            n_init -= 1
            start = self.program.start(rng, self.deadline)
            self.unconnected = min(self.unconnected, self.program.resited(start)[0])
            self.search(start, np.random.default_rng(rng.randint(2**31)))
            if self.labels is not None and self.deadline.allows():
                self.search(self._divided_anew(self.labels, rng), np.random.default_rng(rng.randint(2**31)), heat=0.1)
            if not self.deadline.allows() and (self.labels is not None or n_init <= 0):
                break
        status = Status.CONVERGED if self.deadline.allows() else Status.TIME_LIMIT
        if isinstance(self.program, Medoids):
            status = RootedProgram(self.program.model, self).run()
        if self.labels is None:
            raise NotOptimalError(
                "no connected clustering within the bounds was found, and none was excluded: allow more time_limit or "
                "n_init, or widen the bounds"
            )
        return status

    def _divided_anew(self, labels: NDArray[np.int64], rng: np.random.RandomState) -> NDArray[np.int64]:
        """Labels (n,) where two neighbouring clusters are divided anew, between two of their points."""
        assert self.polytope.connection is not None
        ends = labels[self.polytope.connection.edges]
        between = ends[ends[:, 0] != ends[:, 1]]
        if not len(between):
            return labels
        pair, changed = between[rng.randint(len(between))], labels.copy()
        own = np.flatnonzero(np.isin(labels, pair))
        sites = rng.choice(own, 2, replace=False)
        changed[own] = pair[self.program.from_points(sites)[own].argmin(axis=1)]
        changed[sites] = pair  # none is empty
        return changed

    def search(self, labels: NDArray[np.int64], rng: np.random.Generator, heat: float = 1.0) -> None:
        """Local search from labels (n,), connected or not, from a part of the usual first temperature."""
        assert self.polytope.connection is not None
        program, (_, costs) = self.program, self.program.resited(labels)
        found = searched(
            costs, self.polytope.connection, self.polytope, labels, rng, self.deadline, cuts=program.cuts,
            resite=program.resited, heat=heat,
        )  # fmt: skip
        if found is not None:
            self.take(found)

    def take(self, labels: NDArray[np.int64]) -> None:
        """Keep a clustering (n,) that is within all bounds and better."""
        if self.polytope.contains(labels) and (value := self.program.resited(labels)[0]) < self.value:
            self.labels, self.value = labels, value
            self.history.append(value)

    @property
    def is_proved(self) -> bool:
        """Whether the bound meets the value, up to rounding."""
        return self.labels is not None and self.bound >= self.value - 1e-9 * abs(self.value)

    def _enumerated(self) -> bool:
        """Whether all connected clusters could be listed, and the best partition into them was found."""
        deadline = self.deadline.share(0.5)  # the search needs some time where this fails
        clusters = all_clusters(self.polytope, deadline)
        if clusters is None:
            return False
        costs = self.program.of_clusters(clusters)
        found = best_partition(clusters, costs, self.polytope.n_clusters, deadline)
        if found is None:
            return False
        labels, rounding = found
        self.take(labels)
        self.bound, self.proof = self.value - rounding, "enumeration"
        return True
