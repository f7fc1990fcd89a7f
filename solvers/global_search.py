"""The global problems: the best clustering found, and a proved interval around the optimum.

    CSA   maximise sum_i |s_i| (centred points)      LSA   minimise the within-cluster sum of squares

Both are NP-hard. What proves the bound, in the order tried:

    branch and bound   over single assignments, n <= SMALL and within a budget of trials: the optimum itself
    sdp dual           LSA, any n up to a few thousand: `LeastSquaresSDP`, tightened by triangle cuts
    direction cones    CSA, d <= 3: branch and bound on the directions of the cluster sums
    direction net      CSA, d > 3: `NormMaximizationMIP`
    divide and conquer LSA, large n: the optimum is at least the sum of the optima of the parts of a partition of
                       the points, each without lower bounds; parts that mirror the whole lose little
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..models.bound import Bound
from ..models.errors import InvalidInputError
from ..models.least_squares_sdp import LeastSquaresSDP
from ..models.norm_maximization import NormMaximizationMIP
from ..models.polytope import PartitionPolytope
from ..models.status import Status
from ._exhaustive import exhaustive_search
from .direction_search import direction_search
from .geometric import GeometricPartitioner
from .partition import Partition

SMALL = 100  # points up to which branch and bound over assignments is tried first
LARGE = 2500  # points beyond which an (n, n) relaxation is too slow
PART = 160  # points in a part of divide and conquer

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
        Seconds, checked between rounds; what has been proved by then is returned.
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
        When the polytope has weights or an argument is unknown.
    InfeasibleBoundsError
        When no clustering satisfies the bounds.

    Notes
    -----
    The bound is exact arithmetic's up to stated rounding: the semidefinite bound is an eigenvalue bound that
    needs no convergence of the method behind it.

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
    polytope.check()
    started = perf_counter()
    points = np.asarray(X, dtype=np.float64)
    model = _iteration(polytope, objective, n_init, random_state).fit(points)
    incumbent = model.partition_
    search = _search_csa if objective == "csa" else _search_lsa
    left = None if time_limit is None else max(0.0, time_limit - (perf_counter() - started))
    labels, bound = search(points - points.mean(axis=0), polytope, incumbent.labels, gap, left, progress)
    if not np.array_equal(labels, incumbent.labels):
        incumbent = _from_labels(points, labels, polytope, objective, incumbent)
    closed = bound.gap <= gap
    late = time_limit is not None and perf_counter() - started > time_limit
    stopped = Status.TIME_LIMIT if late else Status.ITERATION_LIMIT
    return replace(
        incumbent,
        objective=bound.upper if objective == "lsa" else bound.lower,
        bound=bound,
        status=Status.OPTIMAL if closed else stopped,
        seconds=perf_counter() - started,
        gap_tolerance=gap,
        proved_for="",
    )


def _iteration(polytope: PartitionPolytope, objective: str, n_init: int, seed: int, init: object = "k-means++"):  # type: ignore[no-untyped-def]
    return GeometricPartitioner(
        polytope.n_clusters,
        lower=polytope.lower,
        upper=polytope.upper,
        objective=objective,  # type: ignore[arg-type]
        n_init=n_init,
        init=init,  # type: ignore[arg-type]
        random_state=seed,
    )


def objective_value(X: NDArray[np.float64], labels: NDArray[np.int64], objective: str) -> float:
    """Objective of a clustering of centred points, recomputed from its definition."""
    groups = [X[labels == i] for i in np.unique(labels)]
    if objective == "csa":
        return float(sum(np.linalg.norm(g.sum(axis=0)) for g in groups))
    groups = [g - g[0] for g in groups]  # a group of equal points costs zero, not the rounding of its mean
    return float(sum(((g - g.mean(axis=0)) ** 2).sum() for g in groups))


def _from_labels(
    points: NDArray[np.float64],
    labels: NDArray[np.int64],
    polytope: PartitionPolytope,
    objective: str,
    fallback: Partition,
) -> Partition:
    """A Partition with cells and certificate for labels that a search found; the iteration keeps or improves them."""
    centred = points - points.mean(axis=0)
    k = polytope.n_clusters
    sums = np.array([centred[labels == i].sum(axis=0) for i in range(k)])
    sizes = np.maximum(np.bincount(labels, minlength=k), 1)[:, None]
    sites = sums if objective == "csa" else points.mean(axis=0) + sums / sizes
    partition = _iteration(polytope, objective, 1, 0, init=sites).fit(points).partition_
    found, kept = (objective_value(centred, lab, objective) for lab in (labels, partition.labels))
    sense = 1.0 if objective == "csa" else -1.0
    if sense * kept >= sense * found - 1e-12 * abs(found):
        return partition
    return replace(
        fallback, labels=labels, sizes=polytope.sizes(labels), objective=found, certificate=None, power_diagram=None
    )


def _search_csa(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    gap: float,
    time_limit: float | None,
    progress: Progress | None,
) -> tuple[NDArray[np.int64], Bound]:
    if len(X) <= SMALL:
        labels, finished = exhaustive_search(X, polytope.lower, polytope.upper, "csa", labels)
        if finished:
            return labels, _proved(objective_value(X, labels, "csa"))
    if X.shape[1] <= 3:
        labels, value, upper = direction_search(X, polytope, labels, gap=gap, time_limit=time_limit, progress=progress)
        return labels, Bound(value, max(value, upper), "direction cones")
    value = objective_value(X, labels, "csa")
    bound = NormMaximizationMIP(X, polytope, 4 * X.shape[1]).bound(time_limit=time_limit or 60.0)
    return labels, Bound(value, max(bound.upper, value), bound.proof)


def _search_lsa(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    gap: float,
    time_limit: float | None,
    progress: Progress | None,
) -> tuple[NDArray[np.int64], Bound]:
    if len(X) <= SMALL:
        labels, finished = exhaustive_search(X, polytope.lower, polytope.upper, "lsa", labels)
        if finished:
            return labels, _proved(objective_value(X, labels, "lsa"))
    value = objective_value(X, labels, "lsa")
    if len(X) > LARGE:
        lower = divide_and_conquer_bound(X, polytope, labels, time_limit=time_limit, progress=progress)
        return labels, Bound(min(lower, value), value, "divide and conquer, sdp dual")
    relaxation = LeastSquaresSDP(X, polytope)
    lower, Z = relaxation.relax(value, gap=gap, time_limit=time_limit, progress=progress)
    rounded = _round(X, Z, polytope)
    if objective_value(X, rounded, "lsa") < value * (1.0 - 1e-12):
        labels, value = rounded, objective_value(X, rounded, "lsa")
    return labels, Bound(min(lower, value), value, "sdp dual")


def _proved(value: float) -> Bound:
    return Bound(value, value, "branch and bound")


def _round(X: NDArray[np.float64], Z: NDArray[np.float64], polytope: PartitionPolytope) -> NDArray[np.int64]:
    """A clustering from a relaxed projector: the iteration started at the centres that Z suggests."""
    from sklearn.cluster import KMeans

    values, vectors = np.linalg.eigh(0.5 * (Z + Z.T))
    k = polytope.n_clusters
    embedding = vectors[:, -k:] * np.sqrt(np.maximum(values[-k:], 0.0))
    groups = KMeans(k, n_init=10, random_state=0).fit_predict(embedding)
    centres = np.array([(Z[groups == i].mean(axis=0) @ X) if (groups == i).any() else X[i] for i in range(k)])
    return _iteration(polytope, "lsa", 1, 0, init=centres).fit(X).labels_


def divide_and_conquer_bound(
    X: NDArray[np.float64],
    polytope: PartitionPolytope,
    labels: NDArray[np.int64],
    *,
    part: int = PART,
    gap: float = 5e-3,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> float:
    """A lower bound on the within-cluster sum of squares of many points.

    Parameters
    ----------
    X : (n, d) ndarray
        Points.
    polytope : PartitionPolytope
        Bounds of the whole; a part keeps the upper bounds, and no lower ones.
    labels : (n,) ndarray
        A good clustering: every part gets its share of every cluster, with nearly the cluster's mean.
    part : int
        Points a part.
    gap : float
        Gap of each part's relaxation, to the best clustering of the part found from its share of ``labels``.
    time_limit : float, optional
        Seconds; parts not reached count as 0.
    progress : callable, optional
        Called with (bound so far, seconds) after every part.

    Returns
    -------
    float
        Valid whatever ``labels`` is: restricting the optimal clustering to a part costs at least the part's
        optimum, and centres of its own only lower the sum.
    """
    started, total = perf_counter(), 0.0
    n_parts = max(1, round(len(X) / part))
    for members in mirror_parts(X, labels, n_parts):
        seconds = perf_counter() - started
        if time_limit is not None and seconds > time_limit:
            break
        inner = PartitionPolytope(len(members), 0, np.minimum(polytope.upper, len(members)))
        value = _part_value(X[members], labels[members], inner)
        left = None if time_limit is None else max(time_limit - seconds, 0.0)
        total += LeastSquaresSDP(X[members], inner).relax(value, gap=gap, time_limit=left)[0]
        if progress is not None:
            progress(total, perf_counter() - started)
    return total


def _part_value(X: NDArray[np.float64], labels: NDArray[np.int64], polytope: PartitionPolytope) -> float:
    """Value of a good clustering of a part: where the iteration ends that starts at its share of the whole's."""
    share = objective_value(X, labels, "lsa")
    if len(np.unique(labels)) < polytope.n_clusters:
        return share
    centres = np.array([X[labels == i].mean(axis=0) for i in range(polytope.n_clusters)])
    own = _iteration(polytope, "lsa", 1, 0, init=centres).fit(X).labels_
    return min(share, objective_value(X, own, "lsa"))


def mirror_parts(X: NDArray[np.float64], labels: NDArray[np.int64], n_parts: int) -> list[NDArray[np.int64]]:
    """Split points into parts that mirror every cluster: equal shares, and means near the cluster's.

    Far points first, each goes to the part whose sum of deviations it cancels best among those with room.
    """
    parts: list[list[int]] = [[] for _ in range(n_parts)]
    for i in np.unique(labels):
        members = np.flatnonzero(labels == i)
        deviation = X[members] - X[members].mean(axis=0)
        room = np.full(n_parts, len(members) // n_parts)
        lightest = np.argsort([len(p) for p in parts], kind="stable")
        room[lightest[: len(members) % n_parts]] += 1
        drift = np.zeros((n_parts, X.shape[1]))
        for j in np.argsort(-np.linalg.norm(deviation, axis=1), kind="stable"):
            growth = np.where(room > 0, 2.0 * drift @ deviation[j], np.inf)
            target = int(np.argmin(growth))
            drift[target] += deviation[j]
            room[target] -= 1
            parts[target].append(int(members[j]))
    return [np.array(sorted(p)) for p in parts if p]
