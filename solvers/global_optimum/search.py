"""The global problems: the best clustering found, and a proved interval around the optimum.

    CSA   maximise sum_i |s_i| (centred points)      LSA   minimise the within-cluster sum of squares

Both are NP-hard. What proves the bound, in the order tried (`sum_of_squares`, `sum_of_norms`):

    shortest path      LSA, points on a line: clusters are intervals, see `directions`
    branch and bound   over single assignments, n <= SMALL and within a budget of trials: the optimum itself
    sdp branch and     LSA, any n up to a few thousand: `LeastSquaresSDP`, tightened by cuts, and a tree of pairs of
    bound              points together or apart on top of it
    boxes of centres   LSA, d <= 3, sizes that are nearly given: programs of assignment, see `low_dimension`
    column generation  LSA, d <= 3, large n: `columns`, points priced by piecewise-linear functions
    parts              LSA, large n for the time there is: the sum of such bounds for `parts` that mirror the whole;
                       they know no lower bounds on sizes
    boxes of cluster   CSA, d = 3 and n <= 600, and tables with d > 3 and n <= 2500 in which two principal axes hold
    sums               nine tenths of the squares: `sum_boxes`
    direction cones    CSA, d <= 3 otherwise: branch and bound on the directions of the cluster sums
    sum of squares     CSA, no cones: any lower bound W of the LSA problem, because with T the sum of squares about the
                       mean and m_i the sizes, by Cauchy's inequality and sum_i |s_i|^2 / m_i = T - W(clustering),

                           ( sum_i |s_i| )^2 <= sum_i m_i  sum_i |s_i|^2 / m_i <= n (T - W)

With weights w_j a point counts w_j times, in sizes and in objectives, and is never split.

What is proved is meant for the points exactly as given, as rational numbers: the interval's ends are the value of the
clustering found, from `objective_interval`, and a bound from which every method takes what its rounding can amount to.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Literal

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from ...base.blas import one_blas_thread
from ...base.checks import (
    check_progress,
    finite_rows,
    in_interval,
    instance_of,
    n_processes,
    one_of,
    whole_number,
)
from ...base.deadline import Deadline
from ...base.errors import InvalidInputError
from ...base.status import Status
from ...models.objectives.interval import checked_range
from ...models.objectives.objectives import SENSES
from ...models.polytope.links import Links
from ...models.polytope.magnitudes import refuse_large_products
from ...models.polytope.polytope import PartitionPolytope
from ..partition import Partition
from ..supports import require
from .cascade import Known, run
from .incumbent import first_clustering, iterate
from .problem import GlobalProblem, Progress
from .sum_of_norms import METHODS as NORMS
from .sum_of_squares import MEDIUM
from .sum_of_squares import METHODS as SQUARES


def solve_global(
    X: ArrayLike,
    polytope: PartitionPolytope,
    objective: Literal["csa", "lsa"] = "lsa",
    *,
    gap: float = 1e-4,
    time_limit: float | None = None,
    links: Links | None = None,
    n_init: int = 10,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Partition:
    """Best partition within size bounds, with a valid bound on the global optimum.

    Parameters
    ----------
    X : (n, d) array_like
        Points.
    polytope : PartitionPolytope
        Size bounds and weights; a point of weight w counts w times, and is never split.
    objective : {"lsa", "csa"}
        Minimise the within-cluster sum of squares, or maximise the sum of norms of the cluster sums of the
        centred points.
    gap : float
        Relative gap at which to stop, and up to which ``proof`` is GLOBAL.
    time_limit : float, optional
        Seconds; the best clustering and the bound that are known by then are returned. It is used while the gap is
        open. One assignment step always runs, and what numba compiles in its first run on a machine does not count.
        Without a limit a tree of relaxations ends after 500 nodes.
    links : Links, optional
        Points that must, and that cannot, be together.
    n_init : int
        Starts of the iteration that provides the first incumbent, before a local search improves it.
    random_state : int
        Seed of the starts and of the local search.
    n_jobs : int, optional
        Nodes of the tree that are explored at the same time, in threads.
    progress : callable, optional
        Called with (bound so far, seconds).

    Returns
    -------
    Partition
        ``bound`` encloses the optimum and says what proves it; ``status`` is OPTIMAL, and ``proof`` is GLOBAL,
        when the gap was reached; TIME_LIMIT or ITERATION_LIMIT otherwise, and INTERRUPTED where the keyboard ended the
        search after its first clustering. ``history`` holds the value and the bound over time, ``"objective"``,
        ``"bound"`` and ``"seconds"``.

    Raises
    ------
    InvalidInputError
        When an argument is not usable, a coordinate or a squared distance exceeds 1e150, or points without weight have
        links.
    CapabilityError
        When the polytope has masks or side constraints.
    InfeasibleBoundsError
        When no clustering satisfies the bounds and links.

    Notes
    -----
    The interval holds for the points exactly as given, whatever their offset, unit or outliers. Branch and bound
    proves it up to about 1e-12, relatively (CSA: to the sum of the norms of the centred points); a tree of
    relaxations up to 1e-9. The semidefinite bound is an eigenvalue bound that needs no convergence of the method
    behind it. A partition under links or weights has no power diagram unless the last assignment step keeps it.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import Links, PartitionPolytope
    >>> from partitope.solvers import solve_global
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> partition = solve_global(X, PartitionPolytope(4, 1, 3, n_clusters=2))
    >>> float(partition.objective), partition.status.name
    (1.0, 'OPTIMAL')
    >>> weighted = PartitionPolytope(4, weights=[1.0, 1.0, 1.0, 3.0], n_clusters=2)
    >>> round(float(solve_global(X, weighted, links=Links(4, cannot=[(2, 3)])).objective), 6)
    60.666667
    """
    one_of(objective, "objective", ("csa", "lsa"))
    in_interval(gap, "gap", 0.0, 1.0, closed=True)
    whole_number(n_init, "n_init")
    if random_state is not None:
        whole_number(random_state, "random_state", 0)
    check_progress(progress, "(bound, seconds)")
    n_threads = effective_n_jobs(n_processes(n_jobs))
    instance_of(polytope, "polytope", PartitionPolytope)
    require(polytope, "solve_global")
    polytope.check()
    deadline = Deadline(time_limit)
    points = finite_rows(X)
    checked_range(points)
    refuse_large_products(points)
    if polytope.n_points != len(points) or polytope.n_clusters > len(points):
        raise InvalidInputError(
            f"X has {len(points)} rows, the polytope {polytope.n_points} points in {polytope.n_clusters} clusters: "
            "make it for the rows of X, with at most one cluster per row"
        )
    if links is not None:
        instance_of(links, "links", Links)
        links.check(polytope)
        if polytope.weights is not None and not polytope.weights.min() > 0:
            raise InvalidInputError("weights holds zeros and links were given: drop the points without weight")
    problem = GlobalProblem(points, polytope, objective, gap, links, deadline, n_threads, progress)
    # small matrices are finished before other threads are awake, and waiting threads use the processor
    with one_blas_thread() if len(points) <= MEDIUM else nullcontext():
        return _search(problem, n_init, random_state)


def known_of(problem: GlobalProblem, labels: NDArray[np.int64] | None, n_init: int, seed: int) -> Known:
    """What the methods for a checked problem find and prove, from allowed labels (n,) where there are some."""
    X, deadline = problem.X, problem.deadline
    try:
        found = first_clustering(
            X, problem.polytope, problem.objective, problem.links, n_init=n_init, seed=seed, deadline=deadline
        )
    except KeyboardInterrupt:
        if labels is None:
            raise
        deadline.interrupt()
        return Known(problem, labels)
    known = Known(problem, found)
    known.offer(labels)
    run(known, NORMS if problem.objective == "csa" else SQUARES)
    return known


def _search(problem: GlobalProblem, n_init: int, seed: int) -> Partition:
    """The best partition of a checked problem, and its bound."""
    known, deadline = known_of(problem, None, n_init, seed), problem.deadline
    partition = _from_labels(problem, known.labels)
    known.offer(partition.labels)
    bound = known.bound
    stopped = Status.TIME_LIMIT if deadline.missed else Status.ITERATION_LIMIT
    stopped = Status.INTERRUPTED if deadline.interrupted else stopped
    return replace(
        partition,
        objective=known.value,
        bound=bound,
        status=Status.OPTIMAL if known.closed else stopped,
        seconds=deadline.elapsed,
        gap_tolerance=problem.gap,
        history=known.history,
        proved_for="",
    )


def _from_labels(problem: GlobalProblem, labels: NDArray[np.int64]) -> Partition:
    """A Partition with cells and certificate where one assignment step keeps or improves the labels, else without."""
    points, polytope, objective = problem.X, problem.polytope, problem.objective
    weights = polytope.point_weights
    origin = weights @ points / weights.sum()
    sums = np.array([weights[labels == i] @ (points[labels == i] - origin) for i in range(polytope.n_clusters)])
    sizes = polytope.sizes(labels)
    sites = sums if objective == "csa" else origin + sums / np.where(sizes > 0, sizes, 1.0)[:, None]
    partition = iterate(points, polytope, objective, sites, deadline=problem.deadline)
    if not partition.splits and problem.allows(partition.labels):
        found, kept = problem.value(labels), problem.value(partition.labels)
        if kept >= found if objective == "csa" else kept <= found:
            return partition
    return Partition(labels, sizes, problem.value(labels), sense=SENSES[objective])
