"""The global problems: the best clustering found, and a proved interval around the optimum.

    CSA   maximise sum_i |s_i| (centred points)      LSA   minimise the within-cluster sum of squares

Both are NP-hard. What proves the bound, in the order tried:

    branch and bound   over single assignments, n <= SMALL and within a budget of trials: the optimum itself
    sdp branch and     LSA, any n up to a few thousand: `LeastSquaresSDP`, tightened by cuts, and a tree of pairs of
    bound              points together or apart on top of it
    column generation  LSA, d <= 3, large n or where one relaxation leaves a gap: `columns`, points priced by hats
    divide and conquer LSA, large n for the time there is: the sum of such bounds for `parts` that mirror the whole
    direction cones    CSA, d <= 3: branch and bound on the directions of the cluster sums
    sum of squares     CSA, d > 3: any lower bound W of the LSA problem, because with T the sum of squares about the
                       mean and m_i the sizes, by Cauchy's inequality and sum_i |s_i|^2 / m_i = T - W(clustering),

                           ( sum_i |s_i| )^2 <= sum_i m_i  sum_i |s_i|^2 / m_i <= n (T - W)

With weights w_j a point counts w_j times, in sizes and in objectives, and is never split. Bounds of CSA do not look at
links: they hold for all clusterings, and so for those that keep them.

What is proved is meant for the points exactly as given, as rational numbers: the interval's ends are the value of the
clustering found, from `objective_interval`, and a bound from which every method takes what its rounding can amount to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import nextafter, sqrt
from pathlib import Path
from typing import Literal

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray

from ...base.checks import finite_rows, in_interval, one_of, whole_number
from ...base.deadline import Deadline
from ...base.errors import InvalidInputError
from ...base.moved import former_names
from ...base.status import Status
from ...models.bound import Bound
from ...models.least_squares_sdp import LeastSquaresSDP
from ...models.links import Links
from ...models.magnitudes import refuse_large_products
from ...models.objective_interval import ROUNDOFF, TINY, centred, checked_range, objective_interval, power_of_two, reach
from ...models.objectives import SENSES
from ...models.polytope import PartitionPolytope
from ..partition import Partition
from .branch_and_bound import exhaustive_search, search_error
from .columns import HIGHEST, column_bound
from .cones import direction_search
from .directions import kinds_of
from .incumbent import clustering_of_leaf, first_clustering, iterate, round_projector
from .local_search import local_search
from .parts import divide_and_conquer_bound
from .sdp import time_for_bounds
from .tree import SearchTree

SMALL = 100  # points up to which branch and bound over assignments is tried first
TRIALS = {"csa": 20_000_000, "lsa": 2_000_000}  # its budget, beyond TINY_SETS points
TINY_SETS = 20
MEDIUM = 500  # points up to which relaxations within tight sizes are better than column generation
LARGE = 2500  # points beyond which an (n, n) relaxation is too slow
BOUNDS = 30  # that one relaxation must have time for, else the points are taken in parts
LEAST_GAP = 1e-9  # below which rounding keeps bounds of a tree from closing
LOOSE = 0.01  # gap of one relaxation from which on another bound is tried
MAX_NODES = 500  # of a tree without a time limit

Progress = Callable[[float, float], None]


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
    checkpoint: str | Path | None = None,
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
    checkpoint : path, optional
        File in which the tree is kept: a search of the same problem that finds one goes on from there. For "lsa" and
        up to 2500 points.
    progress : callable, optional
        Called with (bound so far, seconds).

    Returns
    -------
    Partition
        ``bound`` encloses the optimum and says what proves it; ``status`` is OPTIMAL, and ``proof`` is GLOBAL,
        when the gap was reached; TIME_LIMIT or ITERATION_LIMIT otherwise. Where a tree was searched, ``history`` holds
        the value and the bound over time, ``"objective"``, ``"bound"`` and ``"seconds"``: see `plot_interval`.

    Raises
    ------
    InvalidInputError
        When an argument is unknown, a coordinate exceeds 1e150, points without weight have links, or the checkpoint
        is for another problem, damaged, or of no use.
    CapabilityError
        When the polytope has masks or further rows.
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
    polytope.require_plain("the search for a global optimum")
    polytope.check()
    deadline = Deadline(time_limit)
    points = finite_rows(X)
    checked_range(points)
    refuse_large_products(points)
    if polytope.n_points != len(points) or polytope.n_clusters > len(points):
        raise InvalidInputError(
            f"X has {len(points)} rows, the polytope {polytope.n_points} points in {polytope.n_clusters} clusters: "
            "make it for the rows of X, with at most one cluster a row"
        )
    if checkpoint is not None and (objective == "csa" or len(points) > LARGE):
        raise InvalidInputError(
            f"checkpoint={str(checkpoint)!r} keeps a tree, which objective={objective!r} with {len(points)} points has "
            f"none of: leave it out, or use 'lsa' and at most {LARGE} points"
        )
    if links is not None:
        links.check(polytope)
        if polytope.weights is not None and not polytope.weights.min() > 0:
            raise InvalidInputError("weights holds zeros and links were given: drop the points without weight")
    problem = _GlobalProblem(
        points, polytope, objective, gap, links, deadline, effective_n_jobs(n_jobs), checkpoint, progress
    )
    first = first_clustering(points, polytope, objective, links, n_init=n_init, seed=random_state, deadline=deadline)
    partition = _from_labels(problem, first)
    answer = (_search_csa if objective == "csa" else _search_lsa)(problem, partition.labels)
    if not np.array_equal(answer.labels, partition.labels):
        partition = _from_labels(problem, answer.labels)
    bound = problem.bound(partition.labels, answer.limit, answer.proof)
    closed = bound.gap <= gap
    stopped = Status.TIME_LIMIT if deadline.missed else Status.ITERATION_LIMIT
    return replace(
        partition,
        objective=bound.upper if objective == "lsa" else bound.lower,
        bound=bound,
        status=Status.OPTIMAL if closed else stopped,
        seconds=deadline.elapsed,
        gap_tolerance=gap,
        history=answer.history or partition.history,
        proved_for="",
    )


@dataclass(frozen=True, eq=False)
class _GlobalProblem:
    """What every method needs to know."""

    X: NDArray[np.float64]
    polytope: PartitionPolytope
    objective: Literal["csa", "lsa"]
    gap: float
    links: Links | None
    deadline: Deadline
    n_jobs: int
    checkpoint: str | Path | None
    progress: Progress | None

    def value(self, labels: NDArray[np.int64]) -> float:
        """The end of the interval around a clustering's objective that is the worse one: it is reached for certain."""
        lower, upper = objective_interval(self.X, labels, self.objective, self.polytope.weights)
        return lower if self.objective == "csa" else upper

    def allows(self, labels: NDArray[np.int64]) -> bool:
        """Whether a clustering is within bounds and links."""
        return self.polytope.contains(labels) and (self.links is None or self.links.satisfied(labels))

    def bound(self, labels: NDArray[np.int64], limit: float, proof: str) -> Bound:
        """The interval between a clustering's value and what no clustering can be better than."""
        value = self.value(labels)
        if self.objective == "csa":
            return Bound(value, max(value, limit), proof)
        return Bound(min(value, limit), value, proof)

    @property
    def plain(self) -> bool:
        """Whether all points have weight one and no links."""
        return self.polytope.weights is None and self.links is None

    @cached_property
    def too_large(self) -> bool:
        """Whether one relaxation of all points is too much, in itself or for the time left."""
        fits = self.checkpoint is not None or time_for_bounds(
            LeastSquaresSDP(self.X, self.polytope), self.deadline, BOUNDS
        )
        return len(self.X) > LARGE or not fits

    @property
    def max_nodes(self) -> int:
        """Nodes of a tree at most."""
        return MAX_NODES if self.deadline.seconds is None else 1_000_000


@dataclass(frozen=True, eq=False)
class _Answer:
    """The best clustering found, what no clustering can be better than, its proof, and the way there."""

    labels: NDArray[np.int64]
    limit: float
    proof: str
    history: dict[str, NDArray[np.float64]] | None = None


def _from_labels(problem: _GlobalProblem, labels: NDArray[np.int64]) -> Partition:
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


def _search_csa(problem: _GlobalProblem, labels: NDArray[np.int64]) -> _Answer:
    """The best clustering found, and an upper bound on the optimum."""
    X, polytope = problem.X, problem.polytope
    if LeastSquaresSDP(X, polytope).n_filled[1] == 1:
        return _Answer(labels, 0.0, "branch and bound")  # the only sum is that of all centred points
    Y, slack = centred(X, polytope.weights)
    if len(X) <= SMALL and problem.plain:
        labels, finished = _exhaustive(problem, Y, labels)
        if finished:
            error = search_error(Y, polytope.n_clusters, "csa") + 2.0 * slack
            upper = objective_interval(X, labels, "csa")[1]
            return _Answer(labels, nextafter(upper + error, np.inf) if error else upper, "branch and bound")
    if X.shape[1] <= 3:
        weights = polytope.point_weights
        slack += 0.0 if polytope.weights is None else 2.0 * ROUNDOFF * reach(Y)
        found, _, upper = direction_search(
            Y / np.where(weights > 0, weights, 1.0)[:, None],
            polytope,
            labels,
            gap=problem.gap,
            time_limit=problem.deadline,
            progress=problem.progress,
        )
        if not problem.plain:
            found = found if problem.allows(found) and problem.value(found) > problem.value(labels) else labels
        return _Answer(found, nextafter(upper + slack, np.inf), "direction cones")
    return _squares_of_norms(problem, labels)


def _squares_of_norms(problem: _GlobalProblem, labels: NDArray[np.int64]) -> _Answer:
    """Bound the sum of norms by a bound on the sum of squares."""
    X, polytope = problem.X, problem.polytope
    everything = np.zeros(len(X), dtype=np.int64)
    total, mass = objective_interval(X, everything, "lsa", polytope.weights)[1], polytope.total * (1.0 + 1e-12)
    # the W at which the gap is closed
    target = total - (problem.value(labels) / (1.0 - min(problem.gap, 0.5))) ** 2 / mass
    if not target > 0:
        return _Answer(labels, sqrt(mass * total) * (1.0 + 1e-15), "sum of squares")
    if problem.too_large:
        lower = divide_and_conquer_bound(X, polytope, labels, time_limit=problem.deadline, progress=problem.progress)
        return _Answer(
            labels, sqrt(mass * max(total - lower, 0.0)) * (1.0 + 1e-15), "sum of squares, divide and conquer"
        )
    tree = SearchTree.start(LeastSquaresSDP(X, polytope, problem.links), labels, target, 0.0)

    def improve(Z: NDArray[np.float64] | None, links: Links) -> tuple[NDArray[np.int64], float]:
        leaf = clustering_of_leaf(tree.model.with_links(links)) if Z is None else None
        return labels, np.inf if leaf is None else objective_interval(X, leaf, "lsa", polytope.weights)[0]

    tree.run(improve, problem.deadline, max_nodes=problem.max_nodes, n_jobs=problem.n_jobs)
    upper = sqrt(mass * max(total - tree.lower, 0.0)) * (1.0 + 1e-15)
    return _Answer(labels, upper, "sum of squares, sdp dual")


def _exhaustive(
    problem: _GlobalProblem, X: NDArray[np.float64], labels: NDArray[np.int64]
) -> tuple[NDArray[np.int64], bool]:
    polytope, objective = problem.polytope, problem.objective
    budget = 20_000_000 if len(X) <= TINY_SETS else TRIALS[objective]
    return exhaustive_search(X, polytope.lower, polytope.upper, objective, labels, budget, problem.deadline)


def _search_lsa(problem: _GlobalProblem, labels: NDArray[np.int64]) -> _Answer:
    """The best clustering found, and a lower bound on the optimum."""
    X, polytope = problem.X, problem.polytope
    if len(X) <= SMALL and problem.plain:
        labels, finished = _exhaustive(problem, X, labels)
        if finished:
            # what underflows in the squares of points divided by their largest coordinate
            lost = len(X) * X.size * TINY * power_of_two(X) ** 2
            lower = objective_interval(X, labels, "lsa")[0] * (1.0 - search_error(X, polytope.n_clusters, "lsa"))
            return _Answer(labels, max(0.0, nextafter(lower - lost, -np.inf)), "branch and bound")
    if problem.too_large and X.shape[1] <= HIGHEST:
        lower = column_bound(
            X, polytope, problem.value(labels), gap=problem.gap, deadline=problem.deadline, progress=problem.progress
        )
        return _Answer(labels, lower, "column generation")
    if problem.too_large:
        lower = divide_and_conquer_bound(X, polytope, labels, time_limit=problem.deadline, progress=problem.progress)
        return _Answer(labels, lower, "divide and conquer, sdp dual")
    return _tree(problem, labels)


def _tree(problem: _GlobalProblem, labels: NDArray[np.int64]) -> _Answer:
    """Branch and bound over pairs together or apart; column generation where one relaxation leaves much open."""
    X, polytope, deadline = problem.X, problem.polytope, problem.deadline
    model, gap = LeastSquaresSDP(X, polytope, problem.links), max(problem.gap * (1.0 - 1e-6), LEAST_GAP)
    path = None if problem.checkpoint is None else Path(problem.checkpoint)
    tree = SearchTree.start(model, labels, problem.value(labels), gap)
    if path is not None and path.exists():
        tree.take_up(path)

    def improve(Z: NDArray[np.float64] | None, links: Links) -> tuple[NDArray[np.int64], float]:
        found = (
            clustering_of_leaf(model.with_links(links)) if Z is None else round_projector(X, Z, polytope, model.links)
        )
        if found is None or not problem.allows(found):
            return labels, np.inf
        if Z is None and problem.value(found) < tree.value:
            found = local_search(X, polytope, found, links=model.links, rounds=0)
        return found, problem.value(found)

    def grow(most: int) -> None:
        tree.run(improve, deadline, max_nodes=most, n_jobs=problem.n_jobs, progress=problem.progress)

    other, low = 0.0, X.shape[1] <= HIGHEST and (len(X) > MEDIUM or kinds_of(model) is None)
    grow(tree.n_nodes + 1 if low else problem.max_nodes)
    if low and tree.lower < tree.value * (1.0 - LOOSE):
        left = Deadline(None if deadline.left is None else 0.3 * deadline.left)
        other = column_bound(X, polytope, tree.value, gap=max(gap, 1e-3), deadline=left, progress=problem.progress)
    if other < tree.cutoff:
        grow(problem.max_nodes)
    if path is not None:
        tree.save(path)
    seconds, lower, upper = np.array(tree.log).T
    history = {"objective": upper, "bound": lower, "seconds": seconds}
    proof = "sdp dual" if tree.n_nodes <= 1 else "sdp dual, branch and bound"
    if other > tree.lower:
        proof, history["bound"] = "column generation", np.append(lower[:-1], other)
    return _Answer(tree.labels, max(tree.lower, other), proof, history)


__getattr__ = former_names(__name__)
