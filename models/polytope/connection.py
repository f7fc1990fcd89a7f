"""Clusters that are connected in a graph of the points.

    the points of every cluster, and the edges between them, form a connected graph

A cluster without points is connected. What shows without a search is refused with the reason: components of the graph
that no number of clusters can serve within the bounds, and points that no connected cluster within them can hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array, as_floats
from ...base.errors import InvalidInputError
from ...base.outlines import Outlines
from ...base.record import Record
from .constraint import Columns, Constraint, Formulation
from .infeasible_bounds import number, numbers

if TYPE_CHECKING:
    import networkx as nx
    import scipy.sparse as sp

    from .stated_polytope import StatedPolytope


@dataclass(frozen=True, eq=False)
class Connection(Constraint):
    """A graph in which every cluster is connected."""

    name = "connected"
    kind: ClassVar[str] = "connected clusters"
    n_points: int
    edges: NDArray[np.int64]  # (e, 2): Every edge once, its smaller end first.
    weights: NDArray[np.float64]  # (e,): Weights of the edges, 1 where none was given; NaN where several were given.

    @classmethod
    def of(cls, edges: ArrayLike | nx.Graph | sp.csr_array, n: int) -> Connection:
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

    def __str__(self) -> str:
        return f"connected clusters ({len(self.edges)} edges)"

    def violation(self, labels: NDArray[np.int64], polytope: StatedPolytope) -> str:
        """The first cluster in pieces."""
        pieces = self.pieces(labels)
        for i in np.unique(labels).tolist():
            count = np.unique(pieces[labels == i]).size
            if count > 1:
                return f"cluster {i} has to be connected, and is in {count} pieces"
        return ""

    def conflict(self, polytope: StatedPolytope) -> str | None:
        """Components of the graph, or points, that connected clusters within the bounds cannot hold."""
        for sizes in (polytope, *polytope.further_sizes()):
            message = self._unserved(sizes) or self._lonely(sizes)
            if message is not None:
                return message
        return None

    def check_fits(self, n: int, k: int) -> None:
        """Refuse a graph of other points."""
        if self.n_points != n:
            raise InvalidInputError(f"connection is a graph of {self.n_points} points, expected {n}")

    def record(self) -> Record:
        """The argument of `connected`."""
        return {"connected": self.written}

    def cuts(self, point: NDArray[np.float64], polytope: StatedPolytope) -> Formulation | None:
        """Inequalities of separators, for every cluster, where whole shares (n, k) leave one in pieces."""
        import scipy.sparse as sp

        if not np.isin(point, (0.0, 1.0)).all():
            return None
        rows = list(polytope.separators.inequalities(point.argmax(axis=1), point.shape[1]))
        return Formulation(sp.vstack(rows), upper=1.0) if rows else None

    def rows(self, polytope: StatedPolytope) -> Formulation:
        """Flows along the edges: every cluster has a root, from which each of its other points takes one unit.

            sum_j r_ij <= 1,   r_ij <= xi_ij,   f_iab <= (n - 1) xi_ib,   inflow_ij - outflow_ij >= xi_ij - n r_ij

        Columns are the roots r, j k + i, and the flows f along both directions of all edges, arc by arc.
        """
        import scipy.sparse as sp

        n, k, arcs = self.n_points, polytope.n_clusters, np.concatenate([self.edges, self.edges[:, ::-1]])
        every, each = sp.eye_array(n * k), sp.eye_array(k)
        m, ones = len(arcs), np.ones(len(arcs))
        into = sp.csr_array((ones, (np.arange(m), arcs[:, 1])), shape=(m, n))
        net = sp.csr_array((np.append(ones, -ones), (np.append(arcs[:, 1], arcs[:, 0]), np.tile(np.arange(m), 2))),
                           shape=(n, m))  # fmt: skip
        matrix = sp.block_array([
            [None, sp.kron(np.ones((1, n)), each), None],
            [-every, every, None],
            [-(n - 1.0) * sp.kron(into, each), None, sp.eye_array(m * k)],
            [every, -float(n) * every, -sp.kron(net, each)],
        ])  # fmt: skip
        upper = np.concatenate([np.ones(k), np.zeros(n * k + m * k + n * k)])
        columns = Columns("root", n * k), Columns("flow", m * k, n - 1.0, integral=False)
        return Formulation(matrix, upper=upper, columns=columns)

    def _unserved(self, polytope: StatedPolytope) -> str | None:
        """Components that no numbers of clusters can serve."""
        part = self.pieces(np.zeros(self.n_points, dtype=np.int64))
        weights, count = np.bincount(part, polytope.point_weights), int(part.max()) + 1
        if count == 1:
            return None
        # the widest clusters say how few can hold a weight, the narrowest how many can be filled by it
        slack, (least, may) = polytope.slack, polytope.open_numbers
        room = np.cumsum(np.sort(np.minimum(polytope.upper, polytope.total))[::-1] + slack)
        need = np.cumsum(np.sort(polytope.lower) - slack)
        fewest = np.searchsorted(room, weights) + 1
        most = np.searchsorted(need, weights, side="right")
        # a component shares no cluster with another: each has to hold a whole number of them
        wrong = np.flatnonzero(fewest > most)
        if wrong.size:
            points, weight = np.flatnonzero(part == wrong[0]), weights[wrong[0]]
            some = ", ".join(map(str, points[:3].tolist())) + (
                f" and {len(points) - 3} more" if points[3:].size else ""
            )
            return (
                f"a component of the graph, with points {some}, has {polytope.names[0]} {number(weight)}, which no "
                f"number of clusters within {polytope.describe()} can hold: change the bounds, or join it to "
                f"others by edges"
            )
        # the components share the clusters that there are, and empty none that has to be filled
        if fewest.sum() > may:
            return (
                f"the {count} components of the graph need {int(fewest.sum())} clusters, but there are {may}: ask for "
                f"more clusters, or join components by edges"
            )
        must = least if polytope.may_close else int(np.count_nonzero(polytope.lower > 0))
        if most.sum() < must:
            return (
                f"the {count} components of the graph can fill {int(most.sum())} clusters, but there are {must}: ask "
                f"for fewer clusters, reduce lower, or join components by edges"
            )
        return None

    def _lonely(self, polytope: StatedPolytope) -> str | None:
        """A point whose clusters are all too heavy, or too light."""
        from scipy.sparse.csgraph import dijkstra

        weights, slack, name = polytope.point_weights, polytope.slack, polytope.names[0]
        most, least = float(polytope.upper.max()), float(polytope.lower.min())
        heavy = np.flatnonzero(weights + weights.max() > most)
        if not heavy.size:
            return None
        graph = self.ways(weights)
        for j in heavy[np.argsort(-weights[heavy], kind="stable")].tolist():
            if weights[j] > most + slack:
                return f"point {j} has {name} {numbers(weights[j], most)[0]}, more than any upper bound: raise upper"
            way = dijkstra(graph, indices=j, limit=most - weights[j] + 1e-9 * polytope.total)
            near = float(weights[np.isfinite(way)].sum())
            if near < least - slack:
                return (
                    f"point {j} has {name} {number(weights[j])}, and its neighbours are too heavy for a connected "
                    f"cluster of at most {number(most)}: those that fit next to it come to {number(near)} in all, less "
                    f"than lower={number(least)}: widen the bounds, or add edges"
                )
        return None


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
            raise InvalidInputError(f"edges has shape {edges.shape}, expected ({n}, {n}): one row and column a point")
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
