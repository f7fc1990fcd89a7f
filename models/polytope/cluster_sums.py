"""The cluster-sum polytope of a few points: every clustering as a point, vertices, edges, diameter.

A clustering y of points x_1..x_n in R^d has the cluster sums s_i(y) = sum_{j: y_j = i} x_j. The polytope is

    P = conv { (s_1(y), ..., s_k(y)) : y respects the size bounds }   in R^{k d},

of dimension at most (k - 1) d because the sums add up to the same vector. Maximising a linear function
sum_i a_i . s_i over P is the assignment program with sites a_i, so (Barnes, Hoffman and Rothblum):

    (1)  a clustering is a vertex of P exactly when a power diagram separates its clusters strictly, up to
         clusterings with the same sums;
    (2)  an edge joins two vertices that are the only optimal ones for some sites: points are exchanged along it.

Everything is found by listing all clusterings, for looking at small cases and for tests. A hull code's word is not
enough for a vertex p: (3) c . (p - q) > 0 has to hold for all other points q, where c is the mean of the normals of the
facets at p. Adjacency is the rank of the facet normals that two vertices share.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import finite_rows, instance_of, whole_number
from ...base.errors import InvalidInputError
from ...base.one_line import OneLine
from .polytope import PartitionPolytope

MOST_CLUSTERINGS = 50_000  # Largest number of clusterings that are enumerated.
MOST_DIMENSIONS = 6  # Highest dimension in which a hull is computed.
EQUAL = 1e-9  # Sums closer than this fraction of their spread are equal.
AHEAD = 1e-7  # The gap of (3) has to exceed this fraction of the distance of the points.


@dataclass(frozen=True, eq=False, repr=False)
class ClusterSumPolytope(OneLine):
    """The convex hull of the cluster sums of all clusterings within size bounds, for tiny cases.

    Parameters
    ----------
    X : (n, d) array_like
        Points.
    polytope : PartitionPolytope
        Size bounds; points of equal weight.

    Raises
    ------
    InvalidInputError
        When X does not fit, weights were given, there are more than 50 000 clusterings, or the polytope has more
        than six dimensions.
    InfeasibleBoundsError
        When no clustering respects the bounds.

    Notes
    -----
    Exact up to a relative tolerance of 1e-9 for equal sums. Lists all clusterings: for about ten points.

    References
    ----------
    Barnes, Hoffman and Rothblum (1992), Optimal partitions having disjoint convex and conic hulls.
    Brieden and Gritzmann (2012), On optimal weighted balanced clusterings.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import ClusterSumPolytope, PartitionPolytope
    >>> sums = ClusterSumPolytope(np.arange(1.0, 5.0)[:, None], PartitionPolytope(4, 1, 1, n_clusters=4))
    >>> sums.dimension, len(sums.vertices), len(sums.edges), sums.diameter  # the permutohedron
    (3, 24, 36, 6)
    """

    X: ArrayLike
    polytope: PartitionPolytope

    def __post_init__(self) -> None:
        instance_of(self.polytope, "polytope", PartitionPolytope)
        points = finite_rows(self.X, n_rows=self.polytope.n_points)
        self.polytope.check()
        number = self.polytope.count()
        if number > MOST_CLUSTERINGS:
            text = str(number) if number < 10**15 else "more than 1e15"
            raise InvalidInputError(
                f"X and polytope allow {text} clusterings: take fewer points or tighter bounds "
                f"(at most {MOST_CLUSTERINGS})"
            )
        object.__setattr__(self, "X", points)
        if self.dimension > MOST_DIMENSIONS:
            raise InvalidInputError(
                f"the polytope has {self.dimension} dimensions: take fewer clusters or columns "
                f"(at most {MOST_DIMENSIONS})"
            )

    @cached_property
    def clusterings(self) -> NDArray[np.int64]:
        """All clusterings (m, n) within the bounds."""
        return np.array(list(self.polytope.enumerate()), dtype=np.int64)

    @cached_property
    def sums(self) -> NDArray[np.float64]:
        """Cluster sums (m, k, d) of `clusterings`."""
        onehot = self.clusterings[:, :, None] == np.arange(self.polytope.n_clusters)
        return np.einsum("mnk,nd->mkd", onehot.astype(np.float64), np.asarray(self.X, dtype=np.float64))

    @cached_property
    def _groups(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Different points (p, k d), centred, and the number (m,) of the point of each clustering."""
        flat = self.sums.reshape(len(self.sums), -1)
        flat = flat - flat.mean(axis=0)
        step = EQUAL * (np.abs(flat).max(initial=0.0) or 1.0)
        _, first, group = np.unique(np.round(flat / step), axis=0, return_index=True, return_inverse=True)
        return flat[first], group.ravel()

    @cached_property
    def _coordinates(self) -> NDArray[np.float64]:
        """The different points in coordinates (p, dimension) of their affine hull."""
        points = self._groups[0] - self._groups[0].mean(axis=0)
        _, size, axes = np.linalg.svd(points, full_matrices=False)
        rank = int((size > EQUAL * max(size.max(initial=0.0), 1e-300) * np.sqrt(len(points))).sum())
        return points @ axes[:rank].T

    @property
    def dimension(self) -> int:
        """Dimension of the polytope."""
        return self._coordinates.shape[1]

    @cached_property
    def _hull(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Numbers of the points that are vertices, and facets (f, dimension + 1) as normal and offset."""
        points = self._coordinates
        if self.dimension == 0:
            return np.zeros(1, np.int64), np.empty((0, 1))
        if self.dimension == 1:
            ends = np.array([points[:, 0].argmin(), points[:, 0].argmax()])
            return ends, np.array([[-1.0, points[ends[0], 0]], [1.0, -points[ends[1], 0]]])
        from scipy.spatial import ConvexHull

        hull = ConvexHull(points)
        facets = np.unique(np.round(hull.equations, 9), axis=0)
        corners = points[hull.vertices]
        mean = [hull.equations[(hull.simplices == v).any(axis=1), :-1].mean(axis=0) for v in hull.vertices]
        extreme = [_is_extreme(corner, corners, direction) for corner, direction in zip(corners, mean)]
        return hull.vertices[extreme].astype(np.int64), facets

    @property
    def vertices(self) -> NDArray[np.float64]:
        """Cluster sums (v, k, d) of the vertices."""
        return self.sums[[members[0] for members in self.vertex_clusterings]]

    @cached_property
    def vertex_clusterings(self) -> list[NDArray[np.int64]]:
        """For every vertex the numbers of the clusterings with these sums; more than one only for tied points."""
        return [np.flatnonzero(self._groups[1] == v) for v in self._hull[0]]

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Pairs (e, 2) of vertices that an edge joins."""
        corners, facets = self._coordinates[self._hull[0]], self._hull[1]
        if self.dimension < 2:
            return np.array([[0, 1]] if self.dimension == 1 else np.empty((0, 2)), dtype=np.int64)
        reach = np.abs(corners @ facets[:, :-1].T + facets[:, -1]) <= 1e-7 * np.abs(corners).max()
        pairs = []
        for a in range(len(corners)):
            for b in range(a + 1, len(corners)):
                common = facets[reach[a] & reach[b], :-1]
                if len(common) >= self.dimension - 1 and np.linalg.matrix_rank(common, 1e-7) == self.dimension - 1:
                    pairs.append((a, b))
        return np.array(pairs, dtype=np.int64)

    def exchange(self, a: int, b: int) -> list[tuple[int, int, int]]:
        """Moves (point, from, to) that lead from vertex a to vertex b, as few as possible.

        Raises
        ------
        InvalidInputError
            When there is no such vertex.
        """
        last = len(self.vertex_clusterings) - 1
        vertices = whole_number(a, "a", 0, last), whole_number(b, "b", 0, last)
        start, end = (self.clusterings[self.vertex_clusterings[v]] for v in vertices)
        differ = (start[:, None] != end).sum(axis=2)
        i, j = np.unravel_index(differ.argmin(), differ.shape)
        return [(int(p), int(start[i, p]), int(end[j, p])) for p in np.flatnonzero(start[i] != end[j])]

    @cached_property
    def distances(self) -> NDArray[np.int64]:
        """Fewest edges (v, v) between vertices."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import shortest_path

        number, (a, b) = len(self._hull[0]), self.edges.T
        graph = csr_array((np.ones(len(a)), (a, b)), shape=(number, number))
        return shortest_path(graph, directed=False, unweighted=True).astype(np.int64)

    @property
    def diameter(self) -> int:
        """The largest of the distances between vertices, in edges."""
        return int(self.distances.max(initial=0))


def _is_extreme(point: NDArray[np.float64], others: NDArray[np.float64], direction: NDArray[np.float64]) -> bool:
    """The inequality (3)."""
    gaps = point - others
    size = np.linalg.norm(gaps, axis=1)
    apart = size > EQUAL * size.max(initial=0.0)
    return bool((gaps[apart] @ direction > AHEAD * size[apart]).all())
