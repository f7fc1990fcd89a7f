"""The backend for masks, several size dimensions, shares and side constraints."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import InfeasibleBoundsError
from ...base.record import Record
from ...base.status import Status
from ...base.version import __version__
from ...models.certificates.certificate import Split
from ...models.programs.assignment import AssignmentModel
from ..backend import Backend, Capabilities
from ..backends.explicit import SHARE_ONE, SHARE_ZERO
from ..backends.highs_ import HighsBackend
from ..solution import AssignmentSolution
from ..transport.backend import TransportBackend
from .infeasible_rows import conflict
from .master import Master, OutOfTime
from .problem import OpenProblem
from .search import BROKEN, Search, excludes, least_violation, worst


class BoxstepBackend(Backend):
    """Restricted programs over candidate pairs, for polytopes with masks and side constraints.

    Notes
    -----
    Exact: ends at a vertex whose prices were compared with every pair. One pass costs O(n k (d + r)) for r attributes
    of points; restricted programs have a row per point near boundaries (`partitope.solvers.boxstep.search`). Masks
    without side constraints are left to the engine's flow.

    References
    ----------
    Dantzig and Wolfe (1960), Decomposition principle for linear programs, Operations Research 8; Huangfu and Hall
    (2018), Parallelizing the dual revised simplex method, Math. Prog. Comp. 10.
    """

    name: ClassVar[str] = "boxstep"
    capabilities: ClassVar[Capabilities] = Capabilities(warm_start=True, time_limit=True, masks=True, further_rows=True)

    def solve(
        self,
        model: AssignmentModel,
        *,
        warm_start: Any = None,
        time_limit: float | None = None,
    ) -> AssignmentSolution:
        """Solve a model; a warm start are prices (k,) of the first size dimension or all by name. At the time limit
        there is the best assignment that keeps all rows, if any, and the prices are a valid dual bound."""
        if model.polytope.allowed is not None and not model.polytope.further:
            return self._masked(model, model.polytope.allowed, warm_start, time_limit)
        started, deadline = perf_counter(), Deadline(time_limit)
        problem = OpenProblem.of(model)
        built = perf_counter()
        search = Search(problem, deadline)
        labels: NDArray[np.int64] | None = None
        splits: tuple[Split, ...] = ()
        status, words = Status.TIME_LIMIT, "stopped by the time limit"
        try:
            master, answer = search.run(_start(problem, warm_start))
            if search.stuck:
                raise InfeasibleBoundsError(conflict(model, master, deadline))
            if worst(problem, answer) > BROKEN:
                return self._whole(model, deadline)
            labels, splits = _labels(master, answer.shares)
            status, words = Status.OPTIMAL, "optimal"
        except OutOfTime:
            if search.best is not None:
                (master, answer), search.prices = search.best, search.best[1].prices
                labels, splits = _labels(master, answer.shares)
        named = problem.named(search.prices)
        first = named.pop(model.polytope.names[0])
        native = (words, f"partitope {__version__}")
        return AssignmentSolution.of(
            model, labels, splits, first, status, self.name, (started, built), search.iterations, native, named
        )

    def _masked(
        self, model: AssignmentModel, allowed: NDArray[np.bool_], warm_start: Any, time_limit: float | None
    ) -> AssignmentSolution:
        """A mask and bounds on sizes in one dimension: the engine's flow, with prohibitive costs for other pairs."""
        started, deadline = perf_counter(), Deadline(time_limit)
        prices = warm_start.get(model.polytope.names[0]) if isinstance(warm_start, dict) else warm_start
        found = TransportBackend().solve(model.without_mask(), warm_start=prices, time_limit=time_limit)
        own: Record = {"model": model, "backend": self.name}
        if found.labels is None:
            of = AssignmentSolution.of(model, None, (), found.prices, found.status, self.name, (started, started))
            own |= {"dual_objective": of.dual_objective, "point_duals": of.point_duals}
        elif _uses_others(found.labels, found.splits, allowed):  # then every assignment does
            problem = OpenProblem.of(model)
            master, least = least_violation(problem, Master.of(problem, allowed.argmax(axis=1)), deadline)
            if excludes(problem, least.prices):
                raise InfeasibleBoundsError(conflict(model, master, deadline))
            return self._whole(model, deadline)
        return replace(found, **own, seconds=perf_counter() - started)

    def _whole(self, model: AssignmentModel, deadline: Deadline) -> AssignmentSolution:
        """The whole program by HiGHS, where it is not proved that nothing keeps the rows; that nothing was found there
        proves nothing either."""
        found = HighsBackend().solve(model, time_limit=deadline.left)
        return replace(found, status=Status.NUMERICAL) if found.status is Status.INFEASIBLE else found


def _start(problem: OpenProblem, warm_start: Any) -> NDArray[np.float64] | None:
    if warm_start is None or isinstance(warm_start, dict):
        return None if warm_start is None else problem.flat(warm_start)
    return problem.flat({problem.names[0][0]: warm_start})


def _uses_others(labels: NDArray[np.int64], splits: tuple[Split, ...], allowed: NDArray[np.bool_]) -> bool:
    """Whether labels (n,) and splits have pairs that are not allowed."""
    points, clusters, _ = zip(*splits) if splits else ((), (), ())
    kept = allowed[np.arange(labels.size), labels]
    kept[list(points)] = True
    return not (kept.all() and allowed[list(points), list(clusters)].all())


def _labels(master: Master, shares: NDArray[np.float64]) -> tuple[NDArray[np.int64], tuple[Split, ...]]:
    """Labels (n,) and the shares of split points."""
    labels, splits = master.preferred.copy(), []
    points, clusters = master.moves.points[: shares.size], master.moves.clusters[: shares.size]
    whole = shares >= 1.0 - SHARE_ONE
    labels[points[whole]] = clusters[whole]
    for point in np.unique(points[(shares > SHARE_ZERO) & ~whole]).tolist():
        here = np.flatnonzero((points == point) & (shares > SHARE_ZERO))
        rest = 1.0 - float(shares[here].sum())
        held = dict(zip(clusters[here].tolist(), shares[here].tolist()))
        if rest > SHARE_ZERO:
            held[int(master.preferred[point])] = rest
        labels[point], total = max(held, key=held.__getitem__), sum(held.values())
        if held[labels[point]] < 1.0 - SHARE_ONE:
            splits += [(point, cluster, share / total) for cluster, share in sorted(held.items())]
    return labels, tuple(splits)
