"""Separators: what cuts off a clustering whose clusters are in pieces.

Points a and b in two pieces of a cluster are separated by a set S of points outside it. In a connected cluster

    (1)  x_a + x_b - sum_{s in S} x_s <= 1        or, where b is the root of the cluster,  x_a <= sum_{s in S} x_s

A point s is left out of S where the lightest path from a over s to b is heavier than a cluster may be, which makes (1)
stronger.

References
----------
Wang, Buchanan and Butenko (2017), On imposing connectivity constraints in integer programs, Mathematical Programming
166; Validi, Buchanan and Lykhovyd (2022), Imposing contiguity constraints in political districting models, Operations
Research 70, for the lightest paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import scipy.sparse as sp

    from .graph import Graph


class Separators:
    """Separators of pieces of clusters in a graph, for clusters of at most some weight."""

    def __init__(self, graph: Graph, weights: NDArray[np.float64], upper: float) -> None:
        self.graph, self.weights = graph, weights
        self.most = upper + 1e-9 * float(weights.sum())
        self._arcs = graph.ways(weights)
        self._ways: dict[int, NDArray[np.float64]] = {}

    def between_pieces(
        self, labels: NDArray[np.int64], roots: NDArray[np.int64] | None = None
    ) -> Iterator[tuple[NDArray[np.int64], int, NDArray[np.int64], NDArray[np.bool_]]]:
        """Of every piece (a,) other than the one with its cluster's root, or the heaviest one: the piece, a point of
        the other, a minimal separator (s,) of them, and the points (n,) beyond it. The root (k,) of every cluster."""
        pieces = self.graph.pieces(labels)
        size = np.bincount(pieces, self.weights) + 1e-12 * np.bincount(pieces)
        for cluster in np.unique(labels).tolist():
            own = np.unique(pieces[labels == cluster])
            if own.size == 1:
                continue
            main = int(own[size[own].argmax()]) if roots is None else int(pieces[roots[cluster]])
            held = np.flatnonzero(pieces == main)
            end = int(held[self.weights[held].argmax()]) if roots is None else int(roots[cluster])
            for piece in own[own != main].tolist():
                members = np.flatnonzero(pieces == piece)
                yield members, end, *self._minimal(members, end)
                if roots is None:
                    near, _ = self._minimal(held, int(members[0]))
                    yield members, end, near, np.isin(np.arange(labels.size), held)

    def _minimal(self, members: NDArray[np.int64], end: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The neighbours (s,) of a connected set (a,) that paths to a point beyond need, and all points (n,) there."""
        around = self._neighbours(members)
        labels = np.zeros(self.weights.size, dtype=np.int64)
        labels[around], labels[members] = 1, 2
        beyond = self.graph.pieces(labels) == self.graph.pieces(labels)[end]
        touching = np.zeros(self.weights.size, dtype=bool)
        touching[self._neighbours(np.flatnonzero(beyond))] = True
        return around[touching[around]], beyond

    def _neighbours(self, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """Points (s,) next to a set (a,)."""
        inside = np.zeros(self.weights.size)
        inside[members] = 1.0
        return np.flatnonzero((self.graph.adjacency @ inside > 0) & (inside == 0))

    def inequalities(self, labels: NDArray[np.int64], k: int) -> Iterator[sp.csr_array]:
        """Rows (k, n k) of (1), one per cluster, for every separator of the pieces of a clustering (n,)."""
        import scipy.sparse as sp

        n, clusters = labels.size, np.arange(k)[:, None]
        for members, b, separator, _ in self.between_pieces(labels):
            a = int(members[self.weights[members].argmax()])
            points = np.concatenate([[a, b], self.needed(separator, a, b)])
            signs = np.where(np.arange(points.size) < 2, 1.0, -1.0)
            where = np.repeat(np.arange(k), points.size), (points * k + clusters).ravel()
            yield sp.csr_array((np.tile(signs, k), where), shape=(k, n * k))

    def needed(self, separator: NDArray[np.int64], a: int, b: int) -> NDArray[np.int64]:
        """The points (s,) of a separator over which a cluster of a and b can be connected."""
        through = self._way(a)[separator] + self._way(b)[separator] - self.weights[separator]
        return separator[through + self.weights[a] + self.weights[b] <= self.most]

    def _way(self, point: int) -> NDArray[np.float64]:
        """Weights (n,) of the lightest paths from a point, without its own."""
        from scipy.sparse.csgraph import dijkstra

        if point not in self._ways:
            self._ways[point] = dijkstra(self._arcs, indices=point)
        return self._ways[point]
