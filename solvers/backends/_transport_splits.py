"""From pieces of weighted points to shares: merge, and remove the cycles that leave more than k - 1 splits.

Pieces of positive amount form a bipartite graph between points and clusters. At a vertex of the polytope the
part of it that touches split points is a forest, so at most k - 1 points are split. Ties can leave a cycle;
all its arcs have reduced cost zero, so shifting an amount around it changes neither objective nor sizes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.certificate import Split

Shares = dict[tuple[int, int], float]


def split_points(
    points: NDArray[np.int64], clusters: NDArray[np.int64], amounts: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[Split, ...]:
    """Shares of the points that lie in more than one cluster.

    Parameters
    ----------
    points, clusters, amounts : (p,) ndarray
        All pieces of the points that were ever cut.
    weights : (n,) ndarray
        Weights of all points.

    Returns
    -------
    tuple of (point, cluster, share)
        Sorted; shares of a point sum to one; at most k - 1 different points.
    """
    shares: Shares = {}
    for point, cluster, amount in zip(points.tolist(), clusters.tolist(), amounts.tolist()):
        share = amount / weights[point]
        shares[point, cluster] = shares.get((point, cluster), 0.0) + share
    shares = {edge: share for edge, share in shares.items() if share > 1e-14}
    while (cycle := _find_cycle(shares)) is not None:
        _shift(shares, cycle, weights)
    total: dict[int, float] = {}
    for (point, _), share in shares.items():
        total[point] = total.get(point, 0.0) + share
    return tuple((p, i, s / total[p]) for (p, i), s in sorted(shares.items()))


def _find_cycle(shares: Shares) -> list[tuple[int, int]] | None:
    """Edges of a cycle in the graph of points and clusters, in order, by depth-first search."""
    neighbours: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for point, cluster in shares:
        neighbours.setdefault(("p", point), []).append(("c", cluster))
        neighbours.setdefault(("c", cluster), []).append(("p", point))
    parent: dict[tuple[str, int], tuple[str, int] | None] = {}
    for root in neighbours:
        if root in parent:
            continue
        parent[root] = None
        stack = [root]
        while stack:
            node = stack.pop()
            for other in neighbours[node]:
                if other == parent[node]:
                    continue
                if other in parent:
                    return _close(parent, node, other)
                parent[other] = node
                stack.append(other)
    return None


def _close(
    parent: dict[tuple[str, int], tuple[str, int] | None], node: tuple[str, int], other: tuple[str, int]
) -> list[tuple[int, int]]:
    """Edges of the cycle that the non-tree edge (node, other) closes."""

    def to_root(v: tuple[str, int] | None) -> list[tuple[str, int]]:
        chain = []
        while v is not None:
            chain.append(v)
            v = parent[v]
        return chain

    one, two = to_root(node), to_root(other)
    while len(one) > 1 and len(two) > 1 and one[-2] == two[-2]:
        one.pop()
        two.pop()
    ring = one + two[-2::-1]  # both chains end in their lowest common ancestor
    return [(a[1], b[1]) if a[0] == "p" else (b[1], a[1]) for a, b in zip(ring, ring[1:] + ring[:1])]


def _shift(shares: Shares, cycle: list[tuple[int, int]], weights: NDArray[np.float64]) -> None:
    """Shift weight around the cycle until one of its edges vanishes."""
    down, up = cycle[::2], cycle[1::2]
    amounts = [shares[edge] * weights[edge[0]] for edge in down]
    smallest = int(np.argmin(amounts))
    for edge in up:
        shares[edge] += amounts[smallest] / weights[edge[0]]
    for edge in down:
        shares[edge] -= amounts[smallest] / weights[edge[0]]
    shares[down[smallest]] = 0.0
    for edge in [edge for edge in down if shares[edge] <= 1e-14]:
        del shares[edge]
