"""Two neighbouring clusters divided anew: by a cut of a random spanning tree, or exactly where they are small.

An edge of a spanning tree of both clusters leaves two connected parts. Those that break the bounds least are proposed,
one at random, and taken by Metropolis' rule at a falling temperature: large changes that moves of single points do not
reach. While bounds are broken, by how much they are is what is minimised, so that clusters come within tight ones.
In the end every pair of neighbours is divided in the best way, by `enumeration`, until none gains.

References
----------
DeFord, Duchin and Solomon (2021), Recombination: a family of Markov chains for redistricting, Harvard Data Science
Review 3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.jit import njit
from ...models.polytope.polytope import PartitionPolytope
from ..graphs.cluster_bounds import ClusterBounds
from .enumeration import BITS, all_clusters, best_partition, graph_of

FEW, MANY = 10, 300  # Proposals per cluster, and proposals in one annealing.
TREES = 10  # Spanning trees that are tried for a cut within the bounds.


@njit(cache=True)
def tree_cut(
    indptr: NDArray[np.int32], indices: NDArray[np.int32], weights: NDArray[np.float64], low: float, up: float,
    members: NDArray[np.int64], inside: NDArray[np.bool_], rng: np.random.Generator,
) -> NDArray[np.bool_]:  # fmt: skip
    """The part (n,) of ``members`` (m,), which ``inside`` (n,) marks, that an edge of a spanning tree cuts off, within
    bounds, as its rest, or else with the least excess over them. Trees are random, all equally likely (Wilson)."""
    n, m = inside.size, members.size
    after, order, part = np.empty(n, np.int64), np.empty(m, np.int64), np.zeros(n, np.bool_)
    least = np.inf
    for _ in range(TREES):
        placed, count, below = ~inside, 1, np.zeros(n)
        order[0] = members[rng.integers(0, m)]
        placed[order[0]] = True
        for v in members:
            # a random walk to the tree, of which loops are forgotten
            u = v
            while not placed[u]:
                after[u] = indices[indptr[u] + rng.integers(0, indptr[u + 1] - indptr[u])]
                u = after[u] if inside[after[u]] else u
            u, start = v, count
            while not placed[u]:
                placed[u], order[count], count, u = True, u, count + 1, after[u]
            order[start:count] = order[start:count][::-1].copy()  # parents come before children
        total, alike, lowest, root = weights[members].sum(), 0, np.inf, order[0]
        for at in range(m - 1, 0, -1):
            v = order[at]
            below[v] += weights[v]
            below[after[v]] += below[v]
            rest = total - below[v]
            over = max(low - below[v], below[v] - up, 0.0) + max(low - rest, rest - up, 0.0)
            if over <= lowest:
                alike = alike + 1 if over == lowest else 1
                lowest = over
                if rng.integers(0, alike) == 0:  # each with the same chance
                    root = v
        if lowest < least:
            least = lowest
            for v in order:
                part[v] = v == root or (v != order[0] and part[after[v]])
        if least == 0.0:
            break
    return part


def annealed(
    of_cluster: Callable[[NDArray[np.int64]], float], polytope: PartitionPolytope, bounds: ClusterBounds,
    labels: NDArray[np.int64], rng: np.random.Generator, deadline: Deadline, proposals: int,
) -> NDArray[np.int64]:  # fmt: skip
    """The best labels (n,) that recombination meets from connected ones (n,): those within bounds first."""
    graph, k = graph_of(polytope), polytope.n_clusters
    weights, low, up = polytope.point_weights, bounds.lower[:, 0], bounds.upper[:, 0]
    clusters = np.arange(k)
    costs = np.array([of_cluster(np.flatnonzero(labels == i)) for i in clusters])
    broken = bounds.excess(labels == clusters[:, None]).diagonal().copy()
    best, least = labels, (float(broken.sum()), float(costs.sum()))
    heats = 0.1 * np.geomspace(1.0, 1e-3, proposals * k if len(graph.edges) else 0)
    for heat in heats:
        if not deadline.allows():
            break
        a, b = labels[graph.edges[rng.integers(len(graph.edges))]]
        if a == b:
            continue
        inside = (labels == a) | (labels == b)
        members = np.flatnonzero(inside)
        part = tree_cut(
            graph.adjacency.indptr, graph.adjacency.indices, weights, low[[a, b]].min(), up[[a, b]].max(), members,
            inside, rng,
        )  # fmt: skip
        over = bounds.excess(np.array([part, inside & ~part]))[:, [a, b]]
        if over.trace() > over[::-1].trace():
            part, over = inside & ~part, over[::-1]
        # excess first: where it grows, in comparison with all of it; where none is left, by cost
        after = broken.copy()
        after[[a, b]] = over.diagonal()
        before, more = float(broken.sum()), float(after.sum() - broken.sum())
        if more > 0.0 and (before == 0.0 or rng.random() >= np.exp(-more / (0.1 * before))):
            continue
        moved = np.where(part, a, np.where(inside, b, labels))
        if not after.any() and not (bounds.is_all or polytope.contains(moved)):
            continue
        new = np.array([of_cluster(np.flatnonzero(some)) for some in (part, inside & ~part)])
        worse = float(new.sum() - costs[a] - costs[b])
        if not broken.any() and worse > 0.0 and rng.random() >= np.exp(-worse * k / (heat * costs.sum() + 1e-300)):
            continue
        labels, costs[[a, b]], broken = moved, new, after
        found = float(broken.sum()), float(costs.sum())
        if found < (least[0], least[1] * (1.0 - 1e-12)):
            best, least = labels, found
    return best


def divided_exactly(
    of_clusters: Callable[[NDArray[np.bool_]], NDArray[np.float64]], polytope: PartitionPolytope,
    bounds: ClusterBounds, labels: NDArray[np.int64], deadline: Deadline,
) -> NDArray[np.int64]:  # fmt: skip
    """Labels (n,) after every pair of neighbouring clusters of few points was divided in the best way, until no pair
    gains."""
    graph, labels = graph_of(polytope), labels.copy()
    seen, before = set[bytes](), None
    while before is None or (labels != before).any():
        before, ends = labels.copy(), np.sort(labels[graph.edges], axis=1)
        for a, b in np.unique(ends[ends[:, 0] < ends[:, 1]], axis=0).tolist():
            members = np.flatnonzero((labels == a) | (labels == b))
            if members.size > BITS or members.tobytes() in seen or not deadline.allows():
                continue
            seen.add(members.tobytes())
            clusters = all_clusters(_of_pair(polytope, members, [a, b]), deadline, most=1)
            if clusters is not None and len(clusters):
                whole = np.zeros((len(clusters), labels.size), dtype=bool)
                whole[:, members] = clusters
                found = best_partition(clusters, of_clusters(whole), 2, deadline, bounds.fits(whole)[:, [a, b]])
                assert found is not None
                moved = labels.copy()
                moved[members] = np.where(found[0] == 0, a, b)
                labels = moved if bounds.is_all or polytope.contains(moved) else labels
    return labels


def _of_pair(polytope: PartitionPolytope, members: NDArray[np.int64], pair: list[int]) -> PartitionPolytope:
    """The polytope of the points (m,) of two neighbouring clusters, within the widest bounds of these."""
    graph = graph_of(polytope)
    place = np.full(polytope.n_points, -1)
    place[members] = np.arange(members.size)
    edges = place[graph.edges]
    low, up = float(polytope.lower[pair].min()), float(polytope.upper[pair].max())
    both = PartitionPolytope(members.size, low, up, polytope.point_weights[members], n_clusters=2)
    return both.connected(edges[(edges >= 0).all(axis=1)])
