"""Steepest ascent along the edges of the polytope beside the iteration of linear programs, an outlook of the thesis.

    maximise  f(C) = sum_i |s_i|     s_i the sum of the points of cluster i, points about their mean, sizes in [l, u]

A vertex of the polytope is a clustering. Two of them share an edge when they differ by one simple cycle of clusters and
slack, along which each cluster passes one point on: an exchange of points in a circle, or a path where sizes may
change. f is convex, so that it is largest at the end of an edge on which it rises. From the same first vertex, the
optimum of the linear program at random unit sites:

    programs      the dissertation's Algorithm 5: the program at the sites s_i / |s_i|, until f stops rising
    edges         to the end of the edge of steepest ascent, until no edge ascends. With weights
                  max { (a_j - a_i) . x : x in cluster i } of the arcs (i, j), a_i = s_i / |s_i|, and 0 to and from the
                  slack, this is the cycle of largest mean weight (Karp 1978), O(n k + k^3) a step
    neighbours    from the end of "programs": the best of all moves of a point and exchanges of two by f itself, then
                  "programs" again, until no such neighbour is better, O(n^2) a step

Both "programs" and "edges" end where no derivative along an edge is positive. Ends of "neighbours" are local optima
over all edges that move at most two points; on longer edges no derivative is positive. All are paired by start. "In
equal time" compares the mean start with the best of as many starts of "programs" as take its CPU seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from partitope.base.jit import njit
from partitope.classifiers import ConditionalMeanEncoder
from partitope.models.polytope.polytope import PartitionPolytope
from partitope.solvers.geometric.partitioner import GeometricPartitioner

from .base.rows import as_row, fold_interval
from .base.study import Job, Result, Row, Study
from .beyond import sample
from .data import load_dataset

SETS = ("german", "census", "pima", "segment", "titanic")
CLUSTERS = (5, 20)
BOUNDS: dict[str, float | None] = {"at least 1": None, "within 25 %": 0.25}
MOST_ROWS = 1000
PROGRAMS, EDGES, NEIGHBOURS = "programs", "edges", "neighbours"
IN_EQUAL_TIME = "change of f against the best start of programs in equal time, per cent"
LEAST = 1e-10  # of f: a gain above it is more than rounding
Labels = NDArray[np.int64]
Points = NDArray[np.float64]


def edges_jobs(
    *, quick: bool = False, random_state: int = 0, n_starts: int = 20, sets: Sequence[str] = SETS
) -> list[dict[str, Any]]:
    """One job a set, number of clusters and kind of bounds.

    Parameters
    ----------
    quick : bool, default False
        Five clusters, two starts.
    n_starts : int, default 20
        Random starts.
    sets : sequence of str
        Names that `studies.data.load_dataset` takes; `MOST_ROWS` rows of each, encoded by conditional means.
    """
    return [
        {"study": "edges", "data": data, "k": k, "bounds": bounds, "n_starts": min(n_starts, 2) if quick else n_starts,
         "random_state": random_state}
        for data in sets for k in (CLUSTERS[:1] if quick else CLUSTERS) for bounds in BOUNDS
    ]  # fmt: skip


def edges_job(job: Job) -> dict[str, Any]:
    """Objectives, steps and CPU seconds of the three ways from every start."""
    data = sample(load_dataset(job["data"]), job["random_state"], MOST_ROWS)
    encoder = ConditionalMeanEncoder().fit(data.X, data.y)
    X = np.ascontiguousarray(encoder.transform(data.X), dtype=np.float64)
    X -= X.mean(axis=0)
    balance = BOUNDS[job["bounds"]]
    polytope = PartitionPolytope.asked_for(len(X), job["k"], 1 if balance is None else None, None, balance, None)
    rng = np.random.default_rng(job["random_state"])
    squares = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    ways: dict[str, Callable[[Points], tuple[Labels, int]]] = {
        PROGRAMS: lambda sites: programs(X, polytope, sites),
        EDGES: lambda sites: along_edges(X, polytope, programs(X, polytope, sites, 1)[0]),
        NEIGHBOURS: lambda sites: with_neighbours(X, squares, polytope, sites),
    }
    found: dict[str, dict[str, list[float]]] = {way: {"f": [], "steps": [], "seconds": []} for way in ways}
    for start in range(job["n_starts"] + 1):
        sites = rng.normal(size=(job["k"], X.shape[1]))
        for way, run in ways.items():
            started = process_time()
            labels, steps = run(sites / np.linalg.norm(sites, axis=1, keepdims=True))
            if start:  # the first one compiles
                row = (norms(X, labels, job["k"]), float(steps), process_time() - started)
                for name, value in zip(("f", "steps", "seconds"), row):
                    found[way][name].append(value)
    return {"ways": found, "n": len(X), "d": X.shape[1]}


def programs(X: Points, polytope: PartitionPolytope, sites: Points, most: int = 300) -> tuple[Labels, int]:
    """Labels (n,) and the number of programs, from unit sites (k, d)."""
    model = GeometricPartitioner(
        polytope.n_clusters, lower=polytope.lower, upper=polytope.upper, objective="csa", init=sites, max_iter=most,
        random_state=0,
    ).fit(X)  # fmt: skip
    return np.asarray(model.labels_, dtype=np.int64), model.n_iter_


def along_edges(X: Points, polytope: PartitionPolytope, labels: Labels) -> tuple[Labels, int]:
    """Labels (n,) from which no edge ascends, and the number of edges."""
    labels, k, steps = labels.copy(), polytope.n_clusters, 0
    least = LEAST * float(np.linalg.norm(X, axis=1).sum())
    while True:
        weights, points = arcs(X, directions(X, labels, k), labels)
        sizes = np.bincount(labels, minlength=k)
        whole = np.full((k + 1, k + 1), -np.inf)
        whole[:k, :k] = weights
        whole[:k, k] = np.where(sizes < polytope.upper, 0.0, -np.inf)
        whole[k, :k] = np.where(sizes > polytope.lower, 0.0, -np.inf)
        mean, cycle = largest_mean_cycle(whole)
        if mean <= least:
            return labels, steps
        for i, j in zip(cycle, [*cycle[1:], cycle[0]]):
            if k not in (i, j):
                labels[points[i, j]] = j
        steps += 1


def with_neighbours(X: Points, squares: Points, polytope: PartitionPolytope, sites: Points) -> tuple[Labels, int]:
    """Labels (n,) that no move, exchange or program improves, and the number of all steps; distances (n, n) squared."""
    k = polytope.n_clusters
    labels, steps = programs(X, polytope, sites)
    least = LEAST * float(np.linalg.norm(X, axis=1).sum())
    lower, upper = polytope.lower.astype(np.float64), polytope.upper.astype(np.float64)
    while True:
        before = norms(X, labels, k)
        gain, p, q, j = best_neighbour(X, squares, sums(X, labels, k), labels, lower, upper)
        if gain <= least:
            return labels, steps
        moved = labels.copy()
        if q >= 0:
            moved[q] = labels[p]
        moved[p] = j
        further, more = programs(X, polytope, directions(X, moved, k))
        labels = further if norms(X, further, k) >= norms(X, moved, k) else moved
        steps += 1 + more
        assert norms(X, labels, k) > before


def sums(X: Points, labels: Labels, k: int) -> Points:
    """Cluster sums (k, d)."""
    return np.column_stack([np.bincount(labels, column, k) for column in X.T])


def norms(X: Points, labels: Labels, k: int) -> float:
    """f."""
    return float(np.linalg.norm(sums(X, labels, k), axis=1).sum())


def directions(X: Points, labels: Labels, k: int) -> Points:
    """a_i (k, d); 0 where a sum is 0."""
    found = sums(X, labels, k)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return found / np.where(lengths > 0, lengths, 1.0)


def arcs(X: Points, sites: Points, labels: Labels) -> tuple[Points, Labels]:
    """Weight (k, k) of every arc between two clusters, and the point that attains it."""
    k = len(sites)
    scores = X @ sites.T
    gains = scores - scores[np.arange(len(X)), labels][:, None]
    weights, points = np.full((k, k), -np.inf), np.zeros((k, k), dtype=np.int64)
    for i in range(k):
        members = np.flatnonzero(labels == i)
        if members.size:
            best = gains[members].argmax(axis=0)
            weights[i], points[i] = gains[members[best], np.arange(k)], members[best]
        weights[i, i] = -np.inf
    return weights, points


def largest_mean_cycle(weights: Points) -> tuple[float, list[int]]:
    """Largest mean weight of a cycle, and its nodes in order; (-inf, []) without one. Weights (m, m), -inf: no arc."""
    m = len(weights)
    walks = np.full((m + 1, m), -np.inf)
    walks[0] = 0.0  # from anywhere: as if from a further node
    before = np.zeros((m + 1, m), dtype=np.int64)
    for length in range(1, m + 1):
        ends = walks[length - 1][:, None] + weights
        before[length] = ends.argmax(axis=0)
        walks[length] = ends.max(axis=0)
    reached = np.isfinite(walks[m])
    if not reached.any():
        return -np.inf, []
    with np.errstate(invalid="ignore"):
        means = (walks[m] - walks[:m]) / (m - np.arange(m))[:, None]
    means = np.where(np.isfinite(walks[:m]), means, np.inf).min(axis=0)
    node = int(np.where(reached, means, -np.inf).argmax())
    walk = [node]
    for length in range(m, 0, -1):
        walk.append(int(before[length][walk[-1]]))
    walk.reverse()
    seen: dict[int, int] = {}
    best: tuple[float, list[int]] = (-np.inf, [])
    stack: list[int] = []
    for node in walk:  # take the walk apart into simple cycles
        if node in seen:
            cycle = stack[seen[node] :]
            mean = float(np.mean([weights[a, b] for a, b in zip(cycle, [*cycle[1:], cycle[0]])]))
            best = max(best, (mean, cycle))
            for gone in stack[seen[node] :]:
                del seen[gone]
            stack = stack[: stack.index(cycle[0])]
        seen[node] = len(stack)
        stack.append(node)
    return best


@njit(cache=True)
def best_neighbour(X, squares, sums, labels, lower, upper):
    """Gain of the best move (q = -1) or exchange: point p goes to cluster j, and q of j comes back."""
    (n, d), k = X.shape, lower.size
    norm, sizes = np.zeros(k), np.zeros(k)
    for i in range(k):
        norm[i] = np.sqrt((sums[i] ** 2).sum())
    for p in range(n):
        sizes[labels[p]] += 1.0
    along, own = np.zeros((n, k)), np.zeros(n)
    for p in range(n):
        for c in range(d):
            own[p] += X[p, c] ** 2
            for i in range(k):
                along[p, i] += X[p, c] * sums[i, c]
    best, first, second, to = 0.0, -1, -1, -1
    for p in range(n):
        i = labels[p]
        for j in range(k):
            if j != i and sizes[i] > lower[i] and sizes[j] < upper[j]:
                gain = np.sqrt(max(norm[i] ** 2 - 2.0 * along[p, i] + own[p], 0.0)) - norm[i]
                gain += np.sqrt(max(norm[j] ** 2 + 2.0 * along[p, j] + own[p], 0.0)) - norm[j]
                if gain > best:
                    best, first, second, to = gain, p, -1, j
        for q in range(p):
            j = labels[q]
            if j != i:
                gain = np.sqrt(max(norm[i] ** 2 + 2.0 * (along[q, i] - along[p, i]) + squares[p, q], 0.0)) - norm[i]
                gain += np.sqrt(max(norm[j] ** 2 + 2.0 * (along[p, j] - along[q, j]) + squares[p, q], 0.0)) - norm[j]
                if gain > best:
                    best, first, second, to = gain, p, q, j
    return best, first, second, to


def best_of(values: Points, r: int) -> float:
    """Mean of the largest of r values drawn from all (m,), without putting back."""
    m, r = len(values), min(max(r, 1), len(values))
    return float(sum(comb(i, r - 1) * value for i, value in enumerate(np.sort(values))) / comb(m, r))


def edges_rows(done: Sequence[tuple[Job, Result]]) -> list[Row]:
    """Paired changes of f in per cent, and ratios of seconds, for every job, and means over the tables."""
    rows: list[Row] = []
    means: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    for job, result in done:
        where, base = f"{job['data']}, k = {job['k']}, {job['bounds']}", result["ways"][PROGRAMS]
        f = np.array(base["f"])
        for way in (EDGES, NEIGHBOURS):
            other = result["ways"][way]
            change = 100.0 * (np.array(other["f"]) / f - 1.0)
            best = 100.0 * (max(other["f"]) / f.max() - 1.0)
            seconds, steps = float(np.mean(other["seconds"])), np.mean(other["steps"])
            ratio = seconds / float(np.mean(base["seconds"]))
            note = (
                f"better on {int((change > 1e-8).sum())}, worse on {int((change < -1e-8).sum())} of {len(change)} "
                f"starts; steps {np.mean(base['steps']):.1f} and {steps:.1f}; best start {best:+.3f} %"
            )
            rows.append(as_row("edges", where, f"{way} - programs", "change of f, per cent", None,
                               fold_interval(change, 0.0), seconds, note))  # fmt: skip
            measured = {
                "change of f, per cent": float(change.mean()),
                "change of the best f, per cent": best,
                IN_EQUAL_TIME: 100.0 * (float(np.mean(other["f"])) / best_of(f, round(ratio)) - 1.0),
                "CPU seconds, ratio": ratio,
                "steps, ratio": float(steps / np.mean(base["steps"])),
            }
            for name, value in measured.items():
                means.setdefault((way, job["bounds"], name), {}).setdefault(job["data"], []).append(value)
    for (way, bounds, name), of in means.items():
        values = [float(np.mean(numbers)) for numbers in of.values()]  # tables are the units
        note = f"{len(values)} tables, larger on {sum(value > 0 for value in values)}" if "ratio" not in name else ""
        span = fold_interval(values, 0.0)
        rows.append(as_row("edges", f"all, {bounds}", f"{way} - programs", name, None, span, note=note))
    return rows


STUDY = Study(
    "Steepest ascent along the edges of the polytope beside the dissertation's iteration",
    edges_jobs, edges_job, edges_rows,
    sets=SETS, quick_sets=("pima",), known_sets=SETS,
)  # fmt: skip
