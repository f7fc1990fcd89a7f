"""What territories cost: each a sum over clusters, and a sum over points at fixed sites and over edges.

    medoids  sum_j D_j,m(i)                  m(i) the point of cluster i with the least sum
    squares  sum_j w_j |x_j - c_i|^2         c_i the mean of cluster i
    cut      sum of the weights of the edges between two clusters

The first form is what `enumeration` needs, the second what `graphs.local_search` needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.medoid_location import MedoidLocationMIP
from ..geometric.best_alternation import bounded_k_means
from ..medoids.assignment import alternate, seeds
from .enumeration import graph_of, joined


@dataclass(frozen=True, eq=False)
class Medoids:
    """Costs of serving points from points of their own cluster."""

    costs: NDArray[np.float64]  # (n, m)
    polytope: PartitionPolytope
    own: NDArray[np.int64]  # (m,): The point that every possible medoid is part of.
    cuts: ClassVar[bool] = False  # Whether edges between clusters are what costs.

    @property
    def model(self) -> MedoidLocationMIP:
        """The program of clusters that need not be connected, within the widest bounds on their weight."""
        m, p = self.own.size, self.polytope
        return MedoidLocationMIP(
            self.costs, p.point_weights, np.full(m, p.lower.min()), np.full(m, p.upper.max()), p.n_clusters,
            p.n_clusters, np.zeros(m), self.own,
        )  # fmt: skip

    def of_clusters(self, clusters: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Cost (q,) of every cluster (q, n)."""
        return np.where(clusters[:, self.own], clusters.astype(np.float64) @ self.costs, np.inf).min(axis=1)

    def of_cluster(self, members: NDArray[np.int64]) -> float:
        """Cost of one cluster (m,)."""
        return float(self.costs[np.ix_(members, self._within(members))].sum(axis=0).min())

    def _within(self, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """The possible medoids of a cluster (m,)."""
        return np.flatnonzero(np.isin(self.own, members))

    def sites(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """The best medoid (k,) of every cluster."""
        members = [np.flatnonzero(labels == i) for i in range(self.polytope.n_clusters)]
        medoids = map(self._within, members)
        return np.array([at[self.costs[np.ix_(own, at)].sum(axis=0).argmin()] for own, at in zip(members, medoids)])

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
            served[self.own[sites]] = sites
        return np.unique(served, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Squares:
    """Squared distances to means."""

    X: NDArray[np.float64]
    polytope: PartitionPolytope
    within: NDArray[np.float64]  # (n,): Squares within the points, some of which stand for several.
    cuts: ClassVar[bool] = False  # Whether edges between clusters are what costs.

    def of_clusters(self, clusters: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Cost (q,) of every cluster (q, n)."""
        some = clusters * self.polytope.point_weights
        sizes, apart = some.sum(axis=1), self._apart(self.X)
        # pairs of points: about the mean of all, digits would be lost where clusters are small and far apart
        return clusters @ self.within + 0.5 * ((some @ apart) * some).sum(axis=1) / np.where(sizes > 0, sizes, 1.0)

    def of_cluster(self, members: NDArray[np.int64]) -> float:
        """Cost of one cluster (m,)."""
        points, weights = self.X[members], self.polytope.point_weights[members]
        apart = ((points[:, None, :] - points) ** 2).sum(axis=2)
        return float(self.within[members].sum() + 0.5 * weights @ apart @ weights / (weights.sum() or 1.0))

    def resited(self, labels: NDArray[np.int64]) -> tuple[float, NDArray[np.float64]]:
        """What a clustering (n,) costs, and costs (n, k) at its means."""
        k, weights = self.polytope.n_clusters, self.polytope.point_weights
        sizes = np.bincount(labels, weights, k)
        sums = np.array([np.bincount(labels, weights * column, k) for column in self.X.T])
        means = (sums / np.where(sizes > 0, sizes, 1.0)).T
        costs = self.costs_at(means)
        return float(costs[np.arange(len(labels)), labels].sum()), costs

    def costs_at(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """What points (n, q) cost at places (q, d)."""
        return self.polytope.point_weights[:, None] * self._apart(places) + self.within[:, None]

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
        graph = graph_of(self.polytope)
        return graph.edges.T, graph.weights


def program_of(objective: str, X: NDArray[np.float64], polytope: PartitionPolytope) -> Medoids | Squares:
    """The objective of points, or costs, X (n, d), where neighbours that stay together are one point."""
    inner, place = joined(polytope)
    if objective == "medoids":
        return Medoids(np.column_stack([np.bincount(place, column) for column in X.T]), inner, place)
    weights, first = polytope.point_weights, X[np.unique(place, return_index=True)[1]]
    counted = np.where(inner.point_weights[place] > 0.0, weights, 1.0)
    sums = np.column_stack([np.bincount(place, counted * column) for column in (X - first[place]).T])
    means = first + sums / np.bincount(place, counted)[:, None]
    within = np.bincount(place, weights * ((X - means[place]) ** 2).sum(axis=1)).astype(np.float64)
    return (Cut if objective == "cut" else Squares)(means, inner, within)
