"""One code, one instance, one process: ``python -P other_codes.py CODE INSTANCE.npz ANSWER.npz``.

Imports nothing of this project but for our own codes, so that it runs in any environment that has the other ones. The
clock covers building a code's model and solving it, apart from each other; loading data and imports are outside.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from partitope.models import PartitionPolytope

SCALE = 1e6  # integer costs for codes that need them, relative to the largest cost
Answer = dict[str, Any]  # labels; seconds of building and solving; processor seconds; remarks, as numbers


def _timed(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def _clocked(solve: Callable[[Any], Any], build: Callable[[], Any] | None = None) -> tuple[Any, Any, Answer]:
    """The model, what solving it gives, and the times of both."""
    built, model = _timed(build) if build else (0.0, None)
    cpu = time.process_time()
    seconds, found = _timed(lambda: solve(model))
    return model, found, {"build": built, "seconds": seconds, "cpu": time.process_time() - cpu}


def _costs(z: Any) -> np.ndarray:
    X, A = z["X"], z["sites"]
    C = -2.0 * (X @ A.T)
    C += (A**2).sum(axis=1)
    C += (X**2).sum(axis=1)[:, None]
    return C


def _integer_costs(z: Any) -> np.ndarray:
    C = _costs(z)
    return np.rint(C * (SCALE / C.max())).astype(np.int64)


def _bounds(z: Any, n_points: int) -> PartitionPolytope:
    """The bounds of a case, in proportion for its first points."""
    from partitope.models import PartitionPolytope

    whole = PartitionPolytope(len(z["X"]), int(z["lower"]), int(z["upper"]), n_clusters=len(z["sites"]))
    return whole if n_points == whole.n_points else whole.scaled_to(n_points)


def transport(z: Any) -> Answer:
    """Ours: one assignment program."""
    from partitope.models import AssignmentModel
    from partitope.solvers import solve

    X = z["X"]

    def model(n: int) -> AssignmentModel:
        return AssignmentModel.lsa(X[:n], z["sites"], _bounds(z, n))

    for n in (100 * len(z["sites"]), 4_000, 40_000):  # compiles what small clusters, small and large tables take
        solve(model(min(n, len(X))))
    _, solution, times = _clocked(solve, lambda: model(len(X)))
    check, certificate = _timed(solution.verify)
    return times | {
        "labels": solution.labels, "gap": abs(certificate.gap), "verified": certificate.verified, "check": check,
        "searches": solution.iterations,
    }  # fmt: skip


def argmax(z: Any) -> Answer:
    """The floor without bounds: scores and their arg-max with NumPy."""

    def floor(X: np.ndarray) -> np.ndarray:
        return (X @ (2.0 * z["sites"].T) - (z["sites"] ** 2).sum(axis=1)).argmax(axis=1)

    floor(z["X"][:40_000])  # as large as what our own code solves before its clock runs
    _, labels, times = _clocked(lambda _: floor(z["X"]))
    return times | {"labels": labels, "unbounded": True}


def ortools(z: Any) -> Answer:
    """OR-tools' min-cost flow on the bipartite graph; integer costs."""
    from ortools.graph.python import min_cost_flow

    costs = _integer_costs(z)
    n, k = costs.shape
    lower, upper = int(z["lower"]), int(z["upper"])

    def build() -> tuple[Any, Any]:
        flow = min_cost_flow.SimpleMinCostFlow()
        tails, heads = np.repeat(np.arange(n), k), np.tile(np.arange(n, n + k), n)
        arcs = flow.add_arcs_with_capacity_and_unit_cost(
            tails.astype(np.int32), heads.astype(np.int32), np.ones(n * k, np.int64), costs.ravel()
        )
        sinks, free = np.arange(n, n + k, dtype=np.int32), np.full(k, n + k, np.int32)
        flow.add_arcs_with_capacity_and_unit_cost(sinks, free, np.full(k, upper - lower), np.zeros(k, np.int64))
        supplies = np.concatenate([np.ones(n, np.int64), np.full(k, -lower, np.int64), [k * lower - n]])
        flow.set_nodes_supplies(np.arange(n + k + 1, dtype=np.int32), supplies)
        return flow, arcs

    (flow, arcs), status, times = _clocked(lambda model: model[0].solve(), build)
    if status != flow.OPTIMAL:
        raise RuntimeError(f"status {status}")
    return times | {"labels": np.asarray(flow.flows(arcs)).reshape(n, k).argmax(axis=1)}


def _highs(z: Any, solver: str) -> Answer:
    import highspy
    import scipy.sparse as sp

    C = _costs(z)
    n, k = C.shape

    def build() -> Any:
        rows = sp.vstack([sp.kron(sp.eye(n), np.ones((1, k))), sp.kron(np.ones((1, n)), sp.eye(k))]).tocsc()
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = n * k, n + k
        program.col_cost_ = C.ravel()
        program.col_lower_, program.col_upper_ = np.zeros(n * k), np.ones(n * k)
        program.row_lower_ = np.concatenate([np.ones(n), np.full(k, float(z["lower"]))])
        program.row_upper_ = np.concatenate([np.ones(n), np.full(k, float(z["upper"]))])
        program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        program.a_matrix_.start_, program.a_matrix_.index_ = rows.indptr, rows.indices
        program.a_matrix_.value_ = rows.data
        highs = highspy.Highs()
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("solver", solver)
        highs.passModel(program)
        return highs

    highs, _, times = _clocked(lambda model: model.run(), build)
    return times | {"labels": np.array(highs.getSolution().col_value).reshape(n, k).argmax(axis=1)}


def highs_simplex(z: Any) -> Answer:
    """HiGHS, dual simplex."""
    return _highs(z, "simplex")


def highs_ipm(z: Any) -> Answer:
    """HiGHS, interior point with crossover."""
    return _highs(z, "ipm")


def pot(z: Any) -> Answer:
    """POT's emd: a sink for each lower bound, one for the rest, and a dummy source for what stays free."""
    import ot

    C = _costs(z)
    n, k = C.shape
    lower, upper = float(z["lower"]), float(z["upper"])

    def build() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        big = np.vstack([np.hstack([C, C]), np.concatenate([np.full(k, 1e3 * C.max()), np.zeros(k)])])
        sources = np.append(np.ones(n), k * upper - n)
        return sources, np.concatenate([np.full(k, lower), np.full(k, upper - lower)]), big

    _, plan, times = _clocked(lambda model: ot.emd(*model, numItermax=10**9), build)
    return times | {"labels": (plan[:n, :k] + plan[:n, k:]).argmax(axis=1)}


def networkx(z: Any) -> Answer:
    """networkx' network simplex; integer costs."""
    import networkx as nx

    costs = _integer_costs(z)
    n, k = costs.shape
    lower, upper = int(z["lower"]), int(z["upper"])

    def build() -> Any:
        graph = nx.DiGraph()
        graph.add_nodes_from(range(n), demand=-1)
        graph.add_nodes_from(range(n, n + k), demand=lower)
        graph.add_node(n + k, demand=n - k * lower)
        graph.add_edges_from(
            (j, n + i, {"weight": int(costs[j, i]), "capacity": 1}) for j in range(n) for i in range(k)
        )
        graph.add_edges_from((n + i, n + k, {"weight": 0, "capacity": upper - lower}) for i in range(k))
        return graph

    _, (_, flow), times = _clocked(nx.network_simplex, build)
    return times | {"labels": np.array([max(flow[j], key=flow[j].__getitem__) - n for j in range(n)])}


def geometric(z: Any) -> Answer:
    """Ours: balanced k-means."""
    from partitope.solvers import GeometricPartitioner

    X, k = z["X"], len(z["sites"])

    def model(max_iter: int, n: int) -> GeometricPartitioner:
        size = _bounds(z, n)
        return GeometricPartitioner(
            k, lower=size.lower, upper=size.upper, objective="lsa", init=z["sites"], max_iter=max_iter
        )

    for n in (4_000, min(40_000, len(X))):  # compiles what small and large tables take
        model(2, n).fit(X[:n])
    _, fitted, times = _clocked(lambda _: model(int(z["max_iter"]), len(X)).fit(X))
    certificate = fitted.partition_.certificate
    return times | {
        "labels": fitted.labels_, "iterations": fitted.n_iter_, "gap": abs(certificate.gap),
        "verified": certificate.verified,
    }  # fmt: skip


def kmeans_constrained(z: Any) -> Answer:
    """k-means-constrained: OR-tools' flow in every iteration."""
    from k_means_constrained import KMeansConstrained

    bounds = {"size_min": int(z["lower"]), "size_max": int(z["upper"])}
    model = KMeansConstrained(len(z["sites"]), **bounds, init=z["sites"], n_init=1, max_iter=int(z["max_iter"]))
    _, fitted, times = _clocked(lambda _: model.fit(z["X"]))
    return times | {"labels": fitted.labels_, "iterations": int(fitted.n_iter_)}


def kmeans(z: Any) -> Answer:
    """scikit-learn's KMeans, lloyd: the floor without bounds."""
    from sklearn.cluster import KMeans

    model = KMeans(len(z["sites"]), init=z["sites"], n_init=1, max_iter=int(z["max_iter"]), tol=0.0, algorithm="lloyd")
    _, fitted, times = _clocked(lambda _: model.fit(z["X"]))
    return times | {"labels": fitted.labels_, "iterations": int(fitted.n_iter_), "unbounded": True}


PEERS: dict[str, Callable[[Any], Answer]] = {
    "transport": transport,
    "argmax": argmax,
    "ortools": ortools,
    "highs-simplex": highs_simplex,
    "highs-ipm": highs_ipm,
    "pot": pot,
    "networkx": networkx,
    "geometric": geometric,
    "k-means-constrained": kmeans_constrained,
    "sklearn-kmeans": kmeans,
}


def main(peer: str, source: str, target: str) -> None:
    """Run one code and write its answer."""
    import resource  # Windows has none: there this module can be imported, and measures nothing

    with np.load(source) as archive:
        z = {name: archive[name] for name in archive.files}
    answer = PEERS[peer](z)
    answer["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    np.savez(target, **answer)


if __name__ == "__main__":
    main(*sys.argv[1:4])
