"""A graph of points, as users write it: pairs of points, a networkx graph, an adjacency, or a map of areas."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array, as_floats
from ...base.errors import InvalidInputError
from ...base.outlines import Outlines

if TYPE_CHECKING:
    import networkx as nx
    import scipy.sparse as sp


@dataclass(frozen=True, eq=False)
class Graph:
    """Points that are neighbours."""

    n_points: int
    edges: NDArray[np.int64]  # (e, 2): Every edge once, its smaller end first.
    weights: NDArray[np.float64]  # (e,): Weights of the edges, 1 where none was given; NaN where several were given.

    @classmethod
    def of(cls, edges: ArrayLike | nx.Graph | sp.csr_array, n: int) -> Self:
        """The graph as users write it: pairs of points (e, 2), with weights (e, 3), a networkx graph, a sparse
        adjacency (n, n), or a map of areas, weighted by the lengths of common borders."""
        pairs, weights = _pairs(edges, n)
        if pairs.size and (pairs.min() < 0 or pairs.max() >= n):
            wrong = pairs[((pairs < 0) | (pairs >= n)).any(axis=1)][0].tolist()
            raise InvalidInputError(f"edges holds {wrong}, expected points from 0 to {n - 1}: number the points")
        ordered, loops = np.sort(pairs, axis=1), pairs[:, 0] == pairs[:, 1]
        ends, first, edge = np.unique(ordered[~loops], axis=0, return_index=True, return_inverse=True)
        every, edge = weights[~loops], edge.ravel()  # NumPy 2.0 gives it a second dimension
        single = every[first]
        single[edge[every != single[edge]]] = np.nan  # a graph may name an edge in both directions
        return cls(n, ends, single)

    @property
    def written(self) -> list[list[float]]:
        """The edges, as `of` takes them, with their weights where these are not all 1."""
        rows = self.edges.tolist()
        if (self.weights == 1.0).all() or not np.isfinite(self.weights).all():
            return rows
        return [[*ends, weight] for ends, weight in zip(rows, self.weights.tolist())]

    @cached_property
    def adjacency(self) -> sp.csr_array:
        """Ones (n, n) where two points are neighbours."""
        return self._arcs(np.ones(2 * len(self.edges)))

    @property
    def arc_weights(self) -> NDArray[np.float64]:
        """The weights (2e,) of the entries of `adjacency`, row by row."""
        return self._arcs(np.tile(self.weights, 2)).data

    def ways(self, weights: NDArray[np.float64]) -> sp.csr_array:
        """Arcs (n, n) between neighbours that are as long as the point that they enter is heavy."""
        entered = np.concatenate([self.edges[:, 1], self.edges[:, 0]])
        return self._arcs(np.maximum(weights[entered], 1e-15 * float(weights.sum())))  # a sparse graph has no arcs of 0

    def _arcs(self, values: NDArray[np.float64]) -> sp.csr_array:
        """Values (2e,) of all edges, and then of their reverses, as a matrix (n, n)."""
        import scipy.sparse as sp

        ends = np.concatenate([self.edges, self.edges[:, ::-1]]).astype(np.int32)  # as graph codes of SciPy ask
        return sp.csr_array((values, tuple(ends.T)), shape=(self.n_points, self.n_points))

    def pieces(self, labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number (n,) of the connected piece of a cluster that contains every point."""
        import scipy.sparse as sp
        from scipy.sparse.csgraph import connected_components

        inner = self.edges[labels[self.edges[:, 0]] == labels[self.edges[:, 1]]]
        graph = sp.coo_array((np.ones(len(inner)), tuple(inner.T)), shape=(self.n_points, self.n_points))
        return connected_components(graph, directed=False)[1].astype(np.int64)


def _pairs(edges: Any, n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Pairs (e, 2) of integers and their weights (e,), in whatever form a graph comes."""
    import networkx as nx
    import scipy.sparse as sp

    if isinstance(edges, dict | str) or hasattr(edges, "__geo_interface__"):
        outlines = Outlines.of(edges, "edges")
        if len(outlines.rings) != n:
            raise InvalidInputError(f"edges is a map of {len(outlines.rings)} areas, expected {n}: one area per point")
        borders = outlines.borders
        return borders[:, :2].astype(np.int64), borders[:, 2]
    if isinstance(edges, nx.Graph):
        if set(edges.nodes) != set(range(n)):
            raise InvalidInputError(
                f"edges is a graph of {len(edges)} nodes, expected nodes 0 to {n - 1}: relabel them"
            )
        weights = as_floats([weight for _, _, weight in edges.edges(data="weight", default=1.0)], "weights of edges")
        return np.array([ends[:2] for ends in edges.edges], dtype=np.int64).reshape(-1, 2), weights
    if sp.issparse(edges):
        if edges.shape != (n, n):
            raise InvalidInputError(f"edges has shape {edges.shape}, expected ({n}, {n}): one row and column per point")
        entries = edges.tocoo()
        there = entries.data != 0
        ends = [side[there].astype(np.int64) for side in (entries.row, entries.col)]
        return np.column_stack(ends), as_floats(entries.data[there], "weights of edges")
    found = as_array(edges, "edges")
    if found.size == 0:
        return np.empty((0, 2), dtype=np.int64), np.empty(0)
    weighted = found.ndim == 2 and found.shape[1] == 3 and found.dtype.kind in "iuf"
    if weighted and np.array_equal(found[:, :2], np.floor(found[:, :2])):
        return found[:, :2].astype(np.int64), found[:, 2].astype(np.float64)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise InvalidInputError(
            f"edges has shape {found.shape} of {found.dtype}, expected (e, 2) whole numbers, a pair of points per "
            f"edge, or (e, 3) with its weight"
        )
    return found.astype(np.int64), np.ones(len(found))
