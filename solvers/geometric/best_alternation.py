"""From points and a polytope to a partition: the best of several alternations, and k-means within size bounds."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from ...base.blas import one_library_thread
from ...base.checks import n_processes
from ...base.deadline import UNLIMITED, Deadline
from ...base.status import Status
from ...models.diagram.power_diagram import PowerDiagram
from ...models.objectives.objectives import SENSES
from ...models.polytope.polytope import PartitionPolytope
from ..assignment.rounding import put_whole
from ..best_start import best_start
from ..exchange.reseeding import redivided
from ..partition import Partition
from ..solution import AssignmentSolution
from .alternation import Alternation, alternate
from .problem import ClusterStatistics, GeometricProblem, Init, SiteProblem, SiteStep

LOGGER = logging.getLogger(__name__)
NEAR = 0.01  # Cheap exact steps follow a step that changes the value by less than this fraction.
IDLE_STEPS = 3  # Steps in a row without a new best value after which expensive exact steps follow.


def best_alternation(
    problem: SiteProblem,
    rng: np.random.RandomState,
    *,
    init: Init = "k-means++",
    n_init: int = 1,
    max_iter: int = 300,
    tol: float = 0.0,
    n_jobs: int | None = None,
    deadline: Deadline = UNLIMITED,
) -> Alternation:
    """The best of ``n_init`` alternations of a problem, from first sites made with one seed each (`first_sites`) or
    from given ones. A start also ends where the squared movement of its sites is at most ``tol``. With ``n_jobs``
    starts run at the same time, all of them whatever the deadline; the result is the same."""
    n_jobs = n_processes(n_jobs)

    def settled(sites: NDArray[np.float64], following: NDArray[np.float64]) -> bool:
        return float(((following - sites) ** 2).sum()) <= tol

    def run(seed: int) -> Alternation:
        sites, before, count = approached(
            problem, problem.first_sites(init, check_random_state(seed)), max_iter, deadline
        )
        close = settled if tol > 0 else None
        found = alternate(problem, sites, max_iter - count, deadline, settled=close, before=before)
        LOGGER.info("start of %d steps: objective %.6g", count + len(found.history), found.value)
        return replace(found, approach=count)

    starts = n_init if isinstance(init, str) or callable(init) else 1
    seeds = rng.randint(np.iinfo(np.int32).max, size=starts)

    def better(new: Alternation, old: Alternation) -> bool:
        return problem.better(new.value, old.value)

    if n_jobs in (None, 1) or starts == 1:
        return best_start(seeds, run, better, deadline)
    runs = Parallel(n_jobs=n_jobs)(delayed(run)(int(seed)) for seed in seeds)
    return best_start(range(starts), runs.__getitem__, better)


def approached(
    problem: SiteProblem, sites: NDArray[np.float64], max_iter: int, deadline: Deadline
) -> tuple[NDArray[np.float64], SiteStep | None, int]:
    """Sites after inexact steps (`SiteProblem.assign_inexactly`), the last of these, and their number, which leaves one
    exact step. Where exact steps are cheap, carried from step to step, inexact ones end once the value changes little;
    elsewhere they go on for as long as they bring anything."""
    step: SiteStep | None = None
    values: list[float] = []
    best, idle = 0.0, 0
    while len(values) < max_iter - 1 and deadline.allows():
        following = problem.assign_inexactly(sites, step)
        if following is None:
            break
        step = following
        value, sites = problem.update(step, sites)
        best, idle = (value, 0) if not values or problem.better(value, best) else (best, idle + 1)
        values.append(value)
        cheap = step.carried is not None
        small = cheap and len(values) > 1 and abs(value - values[-2]) <= NEAR * abs(value - values[0])
        if small or idle == (1 if cheap else IDLE_STEPS):
            break
    return sites, step, len(values)


def divided_anew(
    problem: GeometricProblem, run: Alternation, rng: np.random.RandomState, max_iter: int, deadline: Deadline
) -> Alternation:
    """An alternation from clusters that were divided anew, where one that converged gets better by that."""
    used = run.approach + len(run.history)
    if run.status is not Status.CONVERGED or used >= max_iter or not deadline.allows():
        return run
    rows = np.subtract(problem.X, problem.origin, dtype=np.float64)
    labels, seeded = run.step.solution.require_labels(), np.random.default_rng(rng.randint(2**31))
    labels = redivided(rows, labels, problem.polytope, seeded, deadline)
    _, sites = problem.statistics(labels, (), run.sites).improve("lsa", run.sites)
    after = alternate(problem, sites, max_iter - used, deadline)
    if not problem.better(after.value, run.value):
        return run
    return replace(after, history=[*run.history, *after.history], approach=run.approach)


def partition_of(problem: SiteProblem, run: Alternation) -> Partition:
    """The partition in which an alternation ended, with the cells and the proof of its last assignment."""
    labels, certificate, cells = problem.finish(run.step, run.sites)
    lifted = cells.embedding is not None
    return Partition(
        labels=labels,
        sizes=run.step.statistics.sizes,
        objective=float(run.value),
        history={"objective": np.array(run.history)},
        certificate=certificate,
        power_diagram=None if lifted else cells.diagram,
        embedded_cells=cells if lifted else None,
        prices=problem.named_prices(run.step),
        n_iter=run.approach + len(run.history),
        status=run.status,
        splits=run.step.splits,
        sense=SENSES[problem.objective],
    )


def rounded(
    problem: GeometricProblem,
    run: Alternation,
    partition: Partition,
    how: Callable[[Partition, AssignmentSolution], Partition] = put_whole,
) -> tuple[Partition, ClusterStatistics]:
    """The partition in which an alternation ended with every divided point in one cluster, and its sums."""
    whole = how(partition, run.step.solution)
    statistics = problem.statistics(whole.labels, (), run.sites)
    return replace(whole, objective=float(statistics.improve(problem.objective, run.sites)[0])), statistics


def bounded_k_means(
    X: NDArray[np.floating], polytope: PartitionPolytope, n_init: int, rng: np.random.RandomState
) -> Partition:
    """The best of ``n_init`` runs of k-means on the points X (n, d) within the size bounds, from one seed for all;
    without bounds that of scikit-learn, which has no certificate and needs none."""
    seed = int(rng.randint(np.iinfo(np.int32).max))
    if not polytope.is_free:
        problem = GeometricProblem.of(X, polytope, "lsa")
        return partition_of(problem, best_alternation(problem, check_random_state(seed), n_init=n_init))
    k = polytope.n_clusters
    with one_library_thread():
        means = KMeans(k, n_init=n_init, random_state=seed).fit(X, sample_weight=polytope.weights)
    labels = means.labels_.astype(np.int64)
    return Partition(
        labels=labels,
        sizes=polytope.sizes(labels),
        objective=float(means.inertia_),
        power_diagram=PowerDiagram(means.cluster_centers_, np.zeros(k), "lsa"),
        n_iter=int(means.n_iter_),
        sense="min",
    )
