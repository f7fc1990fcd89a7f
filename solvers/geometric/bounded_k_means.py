"""From points and a polytope to a partition: the best of several alternations, and k-means within size bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from ...base.deadline import UNLIMITED, Deadline
from ...models.objectives import SENSES
from ...models.polytope import PartitionPolytope
from ...models.power_diagram import PowerDiagram
from ..partition import Partition
from ..starts import best_start
from .alternation import Alternation, alternate
from .problem import GeometricProblem, Init, SiteProblem


def best_alternation(
    problem: SiteProblem,
    rng: np.random.RandomState,
    *,
    init: Init = "k-means++",
    n_init: int = 1,
    max_iter: int = 300,
    deadline: Deadline = UNLIMITED,
) -> Alternation:
    """The best of ``n_init`` alternations of a problem, from first sites made with one seed each (`first_sites`)."""

    def run(seed: int) -> Alternation:
        return alternate(problem, problem.first_sites(init, check_random_state(seed)), max_iter, deadline)

    seeds = rng.randint(np.iinfo(np.int32).max, size=n_init)
    return best_start(seeds, run, lambda new, old: problem.better(new.value, old.value), deadline)


def partition_of(problem: SiteProblem, run: Alternation) -> Partition:
    """The partition in which an alternation ended, with the cells and the proof of its last assignment."""
    labels, certificate, diagram = problem.finish(run.step, run.sites)
    return Partition(
        labels=labels,
        sizes=run.step.statistics.sizes,
        objective=run.value,
        history={"objective": np.array(run.history)},
        certificate=certificate,
        power_diagram=diagram,
        n_iter=len(run.history),
        status=run.status,
        splits=run.step.splits,
        sense=SENSES[problem.objective],
    )


def bounded_k_means(
    X: NDArray[np.floating], polytope: PartitionPolytope, n_init: int, rng: np.random.RandomState
) -> Partition:
    """The best of ``n_init`` runs of k-means on the points X (n, d) within the size bounds, from one seed for all.

    Without bounds it comes from scikit-learn, and has no certificate, because the nearest centre needs none.
    """
    seed = int(rng.randint(np.iinfo(np.int32).max))
    if not polytope.is_free:
        problem = GeometricProblem.of(X, polytope, "lsa")
        return partition_of(problem, best_alternation(problem, check_random_state(seed), n_init=n_init))
    k = polytope.n_clusters
    with threadpool_limits(limits=1):  # sums in one order, whatever the number of threads
        means = KMeans(k, n_init=n_init, random_state=seed).fit(X, sample_weight=polytope.weights)
    labels = means.labels_.astype(np.int64)
    return Partition(
        labels=labels,
        sizes=polytope.sizes(labels),
        objective=float(means.inertia_),
        history={"objective": np.array([float(means.inertia_)])},
        power_diagram=PowerDiagram(means.cluster_centers_, np.zeros(k), "lsa"),
        n_iter=int(means.n_iter_),
        sense="min",
    )
