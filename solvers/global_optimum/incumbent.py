"""Feasible clusterings for the global problems: where alternations end, from random sites or those of a bound."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from ...base.deadline import UNLIMITED, Deadline
from ...models.polytope.links import Links
from ...models.polytope.magnitudes import LARGEST
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ..assignment.solve import solve
from ..exchange.local_search import local_search, placed
from ..exchange.reseeding import redivided
from ..geometric.best_alternation import best_alternation, partition_of
from ..geometric.problem import GeometricProblem, Init
from ..partition import Partition


def iterate(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    objective: Literal["csa", "lsa"],
    init: Init = "k-means++",
    *,
    n_init: int = 1,
    seed: int = 0,
    deadline: Deadline = UNLIMITED,
) -> Partition:
    """Where the best of some alternations ends."""
    problem = GeometricProblem.of(X, polytope, objective)
    run = best_alternation(problem, np.random.RandomState(seed), init=init, n_init=n_init, deadline=deadline)
    return partition_of(problem, run)


def first_clustering(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    objective: Literal["csa", "lsa"],
    links: Links | None,
    *,
    n_init: int,
    seed: int,
    deadline: Deadline,
) -> NDArray[np.int64]:
    """A good clustering (n,) within bounds and links: alternations where they keep them, then local search, of which
    many small clusters are divided anew in parts."""
    labels = None
    if links is None:
        found = iterate(X, polytope, objective, n_init=n_init, seed=seed, deadline=deadline.share(0.3))
        labels = found.labels if not found.splits or polytope.contains(found.labels) else None
    if labels is None:
        labels = _placed_within(X, polytope, objective, links, seed)
    n, k = len(X), polytope.n_clusters
    if n > 3000 and not (polytope.is_free and links is None):  # exchanges go through all pairs of points
        return labels
    if links is None and GeometricProblem.of(X, polytope, objective).has_many_small_clusters:
        return redivided(X - X.mean(axis=0), labels, polytope, np.random.default_rng(seed), deadline.share(0.3))
    look = 20.0 * n * k * X.shape[1] + (0.0 if polytope.is_free else 2.0 * n * n)
    rounds = int(min(1000.0, 5e8 / look))  # a few seconds
    return local_search(
        X, polytope, labels, objective, links=links, rounds=rounds, seed=seed, deadline=deadline.share(0.3)
    )


def _placed_within(
    X: NDArray[np.float64], polytope: PartitionPolytope, objective: str, links: Links | None, seed: int
) -> NDArray[np.int64]:
    """Any clustering within bounds and links: greedily, or where that fails by the exact program."""
    rng, k = np.random.default_rng(seed), polytope.n_clusters
    for _ in range(20):
        sites = X[rng.choice(len(X), k, replace=len(X) < k)]
        labels = placed(X, polytope, sites, objective, links, int(rng.integers(2**31)))
        if labels is not None:
            return labels
    stated = polytope.whole() if links is None else polytope.with_links(links)
    return solve(AssignmentModel.lsa(X, sites, stated), gap=LARGEST).require_labels()


def clustering_of(groups: NDArray[np.int64], polytope: PartitionPolytope) -> NDArray[np.int64] | None:
    """Labels (n,) with groups 0, 1, ... of the points as clusters; None when the bounds exclude that."""
    k = polytope.n_clusters
    if int(groups.max()) >= k:
        return None
    sizes = np.bincount(groups, polytope.point_weights, k)[:, None]
    excess = np.maximum(polytope.lower - sizes, sizes - polytope.upper)
    rows, columns = linear_sum_assignment(excess > polytope.slack)
    labels = columns[np.argsort(rows)][groups].astype(np.int64)
    return labels if polytope.contains(labels) else None


def round_projector(
    X: NDArray[np.float64], Z: NDArray[np.float64], polytope: PartitionPolytope, links: Links | None = None
) -> NDArray[np.int64] | None:
    """A clustering from a relaxed projector: the search started at the centres that Z suggests, None where it fails."""
    centres = projected_centres(X, Z, polytope)
    labels = placed(X, polytope, centres, "lsa", links, 0)
    return None if labels is None else local_search(X, polytope, labels, links=links, rounds=0)


def projected_centres(
    X: NDArray[np.float64], Z: NDArray[np.float64], polytope: PartitionPolytope
) -> NDArray[np.float64]:
    """Centres (k, d) that a relaxed projector suggests: k-means on its largest eigenvectors."""
    from sklearn.cluster import KMeans

    values, vectors = np.linalg.eigh(0.5 * (Z + Z.T))
    k = polytope.n_clusters
    embedding = vectors[:, -k:] * np.sqrt(np.maximum(values[-k:], 0.0))
    distinct = len(np.unique(embedding.round(9), axis=0))  # fewer than k for equal points
    groups = KMeans(min(k, distinct), n_init=10, random_state=0).fit_predict(embedding)
    shares = [Z[groups == i].mean(axis=0) * polytope.point_weights for i in np.unique(groups)]
    centres = [share @ X / share.sum() if share.sum() > 0 else share @ X for share in shares]
    return np.concatenate([centres, X[: k - len(centres)]])
