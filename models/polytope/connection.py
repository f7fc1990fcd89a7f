"""Clusters that are connected in a graph of the points.

    the points of every cluster, and the edges between them, form a connected graph

A cluster without points is connected. What shows without a search is refused with the reason: components of the graph
that no number of clusters can serve within the bounds, and points that no connected cluster within them can hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError
from ...base.messages import number, numbers
from ...base.record import Record
from .constraint import Columns, Constraint, Formulation
from .graph import Graph
from .rows import further_sizes
from .sized_polytope import SizedPolytope


@dataclass(frozen=True, eq=False)
class Connection(Graph, Constraint):
    """The demand that every cluster is connected in the graph."""

    name = "connected"
    kind: ClassVar[str] = "connected clusters"

    def __str__(self) -> str:
        return f"connected clusters ({len(self.edges)} edges)"

    def violation(self, labels: NDArray[np.int64], polytope: SizedPolytope) -> str:
        """The first cluster in pieces."""
        pieces = self.pieces(labels)
        for i in np.unique(labels).tolist():
            count = np.unique(pieces[labels == i]).size
            if count > 1:
                return f"cluster {i} has to be connected, and is in {count} pieces"
        return ""

    def conflict(self, polytope: SizedPolytope) -> str | None:
        """Components of the graph, or points, that connected clusters within the bounds cannot hold."""
        for sizes in (polytope, *further_sizes(polytope)):
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

    def cuts(self, point: NDArray[np.float64], polytope: SizedPolytope) -> Formulation | None:
        """Inequalities of separators, for every cluster, where whole shares (n, k) leave one in pieces."""
        import scipy.sparse as sp

        if not np.isin(point, (0.0, 1.0)).all():
            return None
        rows = list(polytope.separators.inequalities(point.argmax(axis=1), point.shape[1]))
        return Formulation(sp.vstack(rows), upper=1.0) if rows else None

    def rows(self, polytope: SizedPolytope) -> Formulation:
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

    def _unserved(self, polytope: SizedPolytope) -> str | None:
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

    def _lonely(self, polytope: SizedPolytope) -> str | None:
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
