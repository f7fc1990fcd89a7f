"""The global problems: the best clustering found, and a proved interval around the optimum.

    CSA   maximise sum_i |s_i| (centred points)      LSA   minimise the within-cluster sum of squares

Both are NP-hard. What proves the bound, in the order tried:

    branch and bound   over single assignments, n <= SMALL and within a budget of trials: the optimum itself
    sdp dual           LSA, any n up to a few thousand: `LeastSquaresSDP`, tightened by triangle cuts
    divide and conquer LSA, large n: the sum of such bounds for `parts` that mirror the whole
    direction cones    CSA, d <= 3: branch and bound on the directions of the cluster sums
    sum of squares     CSA, d > 3: any lower bound W of the LSA problem, because with T the sum of squares about the
                       mean and m_i the sizes, by Cauchy's inequality and sum_i |s_i|^2 / m_i = T - W(clustering),

                           ( sum_i |s_i| )^2 <= sum_i m_i  sum_i |s_i|^2 / m_i <= n (T - W)

What is proved is meant for the points exactly as given, as rational numbers: the interval's ends are the value of the
clustering found, from `objective_interval`, and a bound from which every method takes what its rounding can amount to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import nextafter, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from ...base.deadline import Deadline
from ...base.errors import InvalidInputError
from ...base.moved import former_names
from ...base.status import Status
from ...models.bound import Bound
from ...models.least_squares_sdp import LeastSquaresSDP
from ...models.magnitudes import refuse_large_products
from ...models.objective_interval import TINY, centred, checked_range, objective_interval, power_of_two
from ...models.polytope import PartitionPolytope
from ..partition import Partition
from .branch_and_bound import exhaustive_search, search_error
from .cones import direction_search
from .incumbent import iterate, round_projector
from .parts import divide_and_conquer_bound
from .sdp import sdp_relaxation

SMALL = 100  # points up to which branch and bound over assignments is tried first
LARGE = 2500  # points beyond which an (n, n) relaxation is too slow

Progress = Callable[[float, float], None]


def solve_global(
    X: ArrayLike,
    polytope: PartitionPolytope,
    objective: Literal["csa", "lsa"] = "lsa",
    *,
    gap: float = 1e-4,
    time_limit: float | None = None,
    n_init: int = 50,
    random_state: int = 0,
    progress: Progress | None = None,
) -> Partition:
    """Best partition within size bounds, with a valid bound on the global optimum.

    Parameters
    ----------
    X : (n, d) array_like
        Points.
    polytope : PartitionPolytope
        Size bounds, without weights.
    objective : {"lsa", "csa"}
        Minimise the within-cluster sum of squares, or maximise the sum of norms of the cluster sums of the
        centred points.
    gap : float
        Relative gap at which to stop, and up to which ``proof`` is GLOBAL.
    time_limit : float, optional
        Seconds; the best clustering and the bound that are known by then are returned. One assignment step always
        runs, and what numba compiles in its first run on a machine does not count.
    n_init : int
        Starts of the iteration that provides the first incumbent.
    random_state : int
        Seed of the starts.
    progress : callable, optional
        Called with (bound so far, seconds).

    Returns
    -------
    Partition
        ``bound`` encloses the optimum and says what proves it; ``status`` is OPTIMAL, and ``proof`` is GLOBAL,
        when the gap was reached; TIME_LIMIT or ITERATION_LIMIT otherwise.

    Raises
    ------
    InvalidInputError
        When the polytope has weights, an argument is unknown, or a coordinate exceeds 1e150.
    CapabilityError
        When it has masks or further rows.
    InfeasibleBoundsError
        When no clustering satisfies the bounds.

    Notes
    -----
    The interval holds for the points exactly as given, whatever their offset, unit or outliers. Branch and bound
    proves it up to about 1e-12, relatively (CSA: to the sum of the norms of the centred points). The semidefinite
    bound is an eigenvalue bound that needs no convergence of the method behind it.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import PartitionPolytope
    >>> from partitope.solvers import solve_global
    >>> X = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> partition = solve_global(X, PartitionPolytope(4, 1, 3, n_clusters=2))
    >>> float(partition.objective), partition.status.name
    (1.0, 'OPTIMAL')
    """
    if objective not in ("csa", "lsa"):
        raise InvalidInputError(f"objective={objective!r} is not known: choose 'csa' or 'lsa'")
    if polytope.weights is not None:
        raise InvalidInputError("weights were given: global bounds are for points of equal weight, drop them")
    polytope.require_plain("the search for a global optimum")
    polytope.check()
    deadline = Deadline(time_limit)
    points = check_array(X, dtype=np.float64, input_name="X")
    checked_range(points)
    refuse_large_products(points)
    if polytope.n_points != len(points) or polytope.n_clusters > len(points):
        raise InvalidInputError(
            f"X has {len(points)} rows, the polytope {polytope.n_points} points in {polytope.n_clusters} clusters: "
            "make it for the rows of X, with at most one cluster a row"
        )
    incumbent = iterate(points, polytope, objective, n_init=n_init, seed=random_state, deadline=deadline)
    problem = _GlobalProblem(points, polytope, objective, gap, deadline, progress)
    labels, limit, proof = (_search_csa if objective == "csa" else _search_lsa)(problem, incumbent.labels)
    if not np.array_equal(labels, incumbent.labels):
        incumbent = _from_labels(problem, labels, incumbent)
    bound = problem.bound(incumbent.labels, limit, proof)
    closed = bound.gap <= gap
    stopped = Status.TIME_LIMIT if deadline.missed else Status.ITERATION_LIMIT
    return replace(
        incumbent,
        objective=bound.upper if objective == "lsa" else bound.lower,
        bound=bound,
        status=Status.OPTIMAL if closed else stopped,
        seconds=deadline.elapsed,
        gap_tolerance=gap,
        proved_for="",
    )


@dataclass(frozen=True, eq=False)
class _GlobalProblem:
    """What every method needs to know."""

    X: NDArray[np.float64]
    polytope: PartitionPolytope
    objective: Literal["csa", "lsa"]
    gap: float
    deadline: Deadline
    progress: Progress | None

    def value(self, labels: NDArray[np.int64]) -> float:
        """The end of the interval around a clustering's objective that is the worse one: it is reached for certain."""
        lower, upper = objective_interval(self.X, labels, self.objective)
        return lower if self.objective == "csa" else upper

    def bound(self, labels: NDArray[np.int64], limit: float, proof: str) -> Bound:
        """The interval between a clustering's value and what no clustering can be better than."""
        value = self.value(labels)
        if self.objective == "csa":
            return Bound(value, max(value, limit), proof)
        return Bound(min(value, limit), value, proof)

    @property
    def one_cluster(self) -> bool:
        """Whether all points are in one cluster whatever the clustering."""
        lower = self.polytope.lower
        room = np.minimum(self.polytope.upper, self.polytope.n_points - (lower.sum() - lower))
        return int((room >= 1).sum()) == 1


def _from_labels(problem: _GlobalProblem, labels: NDArray[np.int64], fallback: Partition) -> Partition:
    """A Partition with cells and certificate for labels that a search found; the iteration keeps or improves them."""
    points, polytope, objective = problem.X, problem.polytope, problem.objective
    origin = points.mean(axis=0)
    sums = np.array([(points[labels == i] - origin).sum(axis=0) for i in range(polytope.n_clusters)])
    sizes = polytope.sizes(labels)
    sites = sums if objective == "csa" else origin + sums / np.maximum(sizes, 1)[:, None]
    if problem.deadline.allows():
        partition = iterate(points, polytope, objective, sites)
        found, kept = problem.value(labels), problem.value(partition.labels)
        if kept >= found if objective == "csa" else kept <= found:
            return partition
    return replace(fallback, labels=labels, sizes=sizes, certificate=None, power_diagram=None)


def _search_csa(problem: _GlobalProblem, labels: NDArray[np.int64]) -> tuple[NDArray[np.int64], float, str]:
    """The best clustering found, an upper bound on the optimum, and its proof."""
    X, polytope = problem.X, problem.polytope
    if problem.one_cluster:
        return labels, 0.0, "branch and bound"  # the only sum is that of all centred points
    Y, slack = centred(X)
    if len(X) <= SMALL:
        labels, finished = exhaustive_search(
            Y, polytope.lower, polytope.upper, "csa", labels, deadline=problem.deadline
        )
        if finished:
            error = search_error(Y, polytope.n_clusters, "csa") + 2.0 * slack
            upper = objective_interval(X, labels, "csa")[1]
            return labels, nextafter(upper + error, np.inf) if error else upper, "branch and bound"
    if X.shape[1] <= 3:
        labels, _, upper = direction_search(
            Y, polytope, labels, gap=problem.gap, time_limit=problem.deadline, progress=problem.progress
        )
        return labels, nextafter(upper + slack, np.inf), "direction cones"
    n, total = len(X), objective_interval(X, np.zeros(len(X), dtype=np.int64), "lsa")[1]
    # the W at which the gap is closed
    target = total - (problem.value(labels) / (1.0 - min(problem.gap, 0.5))) ** 2 / n
    lower, _, proof = _sum_of_squares_bound(problem, labels, max(target, 0.0))
    return labels, sqrt(n * (total - lower)) * (1.0 + 1e-15), f"sum of squares, {proof}"


def _search_lsa(problem: _GlobalProblem, labels: NDArray[np.int64]) -> tuple[NDArray[np.int64], float, str]:
    """The best clustering found, a lower bound on the optimum, and its proof."""
    X, polytope = problem.X, problem.polytope
    if len(X) <= SMALL:
        labels, finished = exhaustive_search(
            X, polytope.lower, polytope.upper, "lsa", labels, deadline=problem.deadline
        )
        if finished:
            # what underflows in the squares of points divided by their largest coordinate
            lost = len(X) * X.size * TINY * power_of_two(X) ** 2
            lower = objective_interval(X, labels, "lsa")[0] * (1.0 - search_error(X, polytope.n_clusters, "lsa"))
            return labels, max(0.0, nextafter(lower - lost, -np.inf)), "branch and bound"
    value = problem.value(labels)
    lower, Z, proof = _sum_of_squares_bound(problem, labels, value)
    if Z is not None and value > lower and problem.deadline.allows():
        rounded = round_projector(X, Z, polytope)
        labels = rounded if problem.value(rounded) < value else labels
    return labels, lower, proof


def _sum_of_squares_bound(
    problem: _GlobalProblem, labels: NDArray[np.int64], target: float
) -> tuple[float, NDArray[np.float64] | None, str]:
    """A lower bound on the within-cluster sum of squares, a relaxed projector if there is one, and the proof."""
    X, polytope, deadline = problem.X, problem.polytope, problem.deadline
    if len(X) > LARGE:
        lower = divide_and_conquer_bound(X, polytope, labels, time_limit=deadline, progress=problem.progress)
        return lower, None, "divide and conquer, sdp dual"
    relaxation = LeastSquaresSDP(X, polytope)
    lower, Z = sdp_relaxation(relaxation, target, gap=problem.gap, time_limit=deadline, progress=problem.progress)
    return lower, Z, "sdp dual"


__getattr__ = former_names(__name__)
