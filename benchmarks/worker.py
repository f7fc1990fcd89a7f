"""One peer, one instance, one process: ``python worker.py PEER INSTANCE.npz ANSWER.npz``.

Imports nothing of this project but for our own peers, so that it runs in any environment that has the peer. The
clock covers building the peer's model and solving it, apart from each other; loading data and imports are outside.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SCALE = 1e6  # integer costs for peers that need them, relative to the largest cost
Answer = tuple[float, float, Any, dict[str, Any]]  # build seconds, solve seconds, labels, remarks


def _timed(function: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def _costs(z: Any) -> np.ndarray:
    X, A = z["X"], z["sites"]
    C = -2.0 * (X @ A.T)
    C += (A**2).sum(axis=1)
    C += (X**2).sum(axis=1)[:, None]
    return C


def transport(z: Any) -> Answer:
    """Ours: one assignment program."""
    from partitope.models import AssignmentModel, PartitionPolytope
    from partitope.solvers import solve

    def model(X: np.ndarray) -> AssignmentModel:
        n, k = len(X), len(z["sites"])
        lower, upper = (int(z[name] * n // len(z["X"])) for name in ("lower", "upper"))
        return AssignmentModel.lsa(X, z["sites"], PartitionPolytope(n, lower, upper + 1, n_clusters=k))

    for m in (4_000, 40_000):  # compiles what small and large tables take
        solve(model(z["X"][:m] if len(z["X"]) > m else z["X"]))
    X = z["X"]
    polytope = PartitionPolytope(len(X), int(z["lower"]), int(z["upper"]), n_clusters=len(z["sites"]))
    build, program = _timed(lambda: AssignmentModel.lsa(X, z["sites"], polytope))
    cpu = time.process_time()
    seconds, solution = _timed(lambda: solve(program))
    cpu = time.process_time() - cpu
    check, certificate = _timed(solution.verify)
    return build, seconds, solution.labels, {
        "cpu": cpu, "gap": abs(certificate.gap), "verified": certificate.verified, "check": check,
        "searches": solution.iterations,
    }  # fmt: skip


def argmax(z: Any) -> Answer:
    """The floor without bounds: scores and their arg-max with NumPy."""

    def floor() -> np.ndarray:
        return (z["X"] @ (2.0 * z["sites"].T) - (z["sites"] ** 2).sum(axis=1)).argmax(axis=1)

    floor()
    cpu = time.process_time()
    seconds, labels = _timed(floor)
    return 0.0, seconds, labels, {"cpu": time.process_time() - cpu, "unbounded": True}


def ortools(z: Any) -> Answer:
    """OR-tools' min-cost flow on the bipartite graph; integer costs."""
    from ortools.graph.python import min_cost_flow

    C = _costs(z)
    n, k = C.shape
    costs = np.rint(C * (SCALE / C.max())).astype(np.int64)
    lower, upper = int(z["lower"]), int(z["upper"])

    def build() -> tuple[Any, Any]:
        flow = min_cost_flow.SimpleMinCostFlow()
        tails, heads = np.repeat(np.arange(n), k), np.tile(np.arange(n, n + k), n)
        arcs = flow.add_arcs_with_capacity_and_unit_cost(
            tails.astype(np.int32), heads.astype(np.int32), np.ones(n * k, np.int64), costs.ravel()
        )
        sinks, free = np.arange(n, n + k, dtype=np.int32), np.full(k, n + k, np.int32)
        flow.add_arcs_with_capacity_and_unit_cost(sinks, free, np.full(k, upper - lower), np.zeros(k, np.int64))
        flow.set_nodes_supplies(np.arange(n + k + 1, dtype=np.int32), np.concatenate(
            [np.ones(n, np.int64), np.full(k, -lower, np.int64), [k * lower - n]]
        ))  # fmt: skip
        return flow, arcs

    built, (flow, arcs) = _timed(build)
    cpu = time.process_time()
    seconds, status = _timed(flow.solve)
    cpu = time.process_time() - cpu
    if status != flow.OPTIMAL:
        raise RuntimeError(f"status {status}")
    return built, seconds, np.asarray(flow.flows(arcs)).reshape(n, k).argmax(axis=1), {"cpu": cpu}


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

    built, highs = _timed(build)
    cpu = time.process_time()
    seconds, _ = _timed(highs.run)
    cpu = time.process_time() - cpu
    x = np.array(highs.getSolution().col_value).reshape(n, k)
    return built, seconds, x.argmax(axis=1), {"cpu": cpu}


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

    built, problem = _timed(build)
    cpu = time.process_time()
    seconds, plan = _timed(lambda: ot.emd(*problem, numItermax=10**9))
    cpu = time.process_time() - cpu
    return built, seconds, (plan[:n, :k] + plan[:n, k:]).argmax(axis=1), {"cpu": cpu}


def networkx(z: Any) -> Answer:
    """networkx' network simplex; integer costs."""
    import networkx as nx

    C = _costs(z)
    n, k = C.shape
    costs = np.rint(C * (SCALE / C.max())).astype(np.int64)
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

    built, graph = _timed(build)
    cpu = time.process_time()
    seconds, (_, flow) = _timed(lambda: nx.network_simplex(graph))
    labels = np.array([max(flow[j], key=flow[j].__getitem__) - n for j in range(n)])
    return built, seconds, labels, {"cpu": time.process_time() - cpu}


def geometric(z: Any) -> Answer:
    """Ours: balanced k-means."""
    from partitope.solvers import GeometricPartitioner

    X, k = z["X"], len(z["sites"])

    def model(max_iter: int, n: int) -> GeometricPartitioner:
        lower, upper = (int(z[name] * n // len(X)) for name in ("lower", "upper"))
        return GeometricPartitioner(
            k, lower=lower, upper=upper + (n < len(X)), objective="lsa", init=z["sites"], max_iter=max_iter
        )

    for m in (4_000, min(40_000, len(X))):  # compiles what small and large tables take
        model(2, m).fit(X[:m])
    cpu = time.process_time()
    fitted = model(int(z["max_iter"]), len(X))
    seconds, _ = _timed(lambda: fitted.fit(X))
    partition = fitted.partition_
    return 0.0, seconds, fitted.labels_, {
        "cpu": time.process_time() - cpu, "iterations": fitted.n_iter_,
        "gap": abs(partition.certificate.gap), "verified": partition.certificate.verified,
    }  # fmt: skip


def kmeans_constrained(z: Any) -> Answer:
    """k-means-constrained: OR-tools' flow in every iteration."""
    from k_means_constrained import KMeansConstrained

    model = KMeansConstrained(
        len(z["sites"]), size_min=int(z["lower"]), size_max=int(z["upper"]), init=z["sites"], n_init=1,
        max_iter=int(z["max_iter"]),
    )  # fmt: skip
    cpu = time.process_time()
    seconds, _ = _timed(lambda: model.fit(z["X"]))
    return 0.0, seconds, model.labels_, {"cpu": time.process_time() - cpu, "iterations": int(model.n_iter_)}


def kmeans(z: Any) -> Answer:
    """scikit-learn's KMeans, lloyd: the floor without bounds."""
    from sklearn.cluster import KMeans

    model = KMeans(len(z["sites"]), init=z["sites"], n_init=1, max_iter=int(z["max_iter"]), tol=0.0, algorithm="lloyd")
    cpu = time.process_time()
    seconds, _ = _timed(lambda: model.fit(z["X"]))
    return 0.0, seconds, model.labels_, {
        "cpu": time.process_time() - cpu, "iterations": int(model.n_iter_), "unbounded": True,
    }  # fmt: skip


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
    """Run one peer and write its answer."""
    with np.load(source) as archive:
        z = {name: archive[name] for name in archive.files}
    build, seconds, labels, remarks = PEERS[peer](z)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    numbers = {name: float(value) for name, value in remarks.items()}
    np.savez(target, labels=np.asarray(labels), build=build, seconds=seconds, peak=peak, **numbers)


if __name__ == "__main__":
    main(*sys.argv[1:4])
