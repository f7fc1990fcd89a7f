"""A custom constraint, stated by cuts: no two points of a cluster are farther apart than a diameter.

    xi_ia + xi_ib <= 1      for every cluster i and pair of points a, b farther apart than the diameter

There are O(n^2 k) such rows: `solve` adds those that a clustering breaks, and exports write all of them. Run
`python examples/diameter.py` in a clone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

from partitope.models import AssignmentModel, Constraint, Formulation, PartitionPolytope
from partitope.solvers import solve


class Diameter(Constraint):
    """Points (n, d) of a cluster are at most ``most`` apart."""

    def __init__(self, X: ArrayLike, most: float) -> None:
        self.distances, self.most = squareform(pdist(np.asarray(X, dtype=float))), most

    def violation(self, labels: NDArray[np.int64], polytope: PartitionPolytope) -> str:
        """The pair of a cluster that is farthest apart."""
        within = np.where(labels[:, None] == labels, self.distances, 0.0)
        a, b = np.unravel_index(within.argmax(), within.shape)
        return f"points {a} and {b} are {within[a, b]:g} apart, not {self.most:g}" if within[a, b] > self.most else ""

    def rows(self, polytope: PartitionPolytope) -> Formulation:
        """All pairs that are too far apart, in every cluster."""
        return self._apart(*np.nonzero(np.triu(self.distances > self.most)), polytope)

    def cuts(self, point: NDArray[np.float64], polytope: PartitionPolytope) -> Formulation | None:
        """The pairs among them whose shares (n, k) in a cluster sum to more than 1, in every cluster."""
        broken = (point[:, None, :] + point).max(axis=2) > 1.0 + 1e-6
        a, b = np.nonzero(np.triu((self.distances > self.most) & broken))
        return self._apart(a, b, polytope) if a.size else None

    def _apart(self, a: NDArray[np.int64], b: NDArray[np.int64], polytope: PartitionPolytope) -> Formulation:
        rows, ends, n = np.tile(np.arange(a.size), 2), np.append(a, b), len(self.distances)
        pairs = sparse.csr_array((np.ones(2 * a.size), (rows, ends)), (a.size, n))
        return Formulation(sparse.kron(pairs, sparse.eye_array(polytope.n_clusters)), upper=1.0)


def main() -> None:
    """Assign 80 points to four clusters of at most 25 points and a diameter of at most 1."""
    rng = np.random.default_rng(0)
    X, sites = rng.random((80, 2)), np.array([[0.25, 0.25], [0.25, 0.75], [0.75, 0.25], [0.75, 0.75]])
    polytope = PartitionPolytope(80, 15, 25, n_clusters=4).subject_to(Diameter(X, 0.75))
    solution = solve(AssignmentModel.lsa(X, sites, polytope))
    print(solution.model.cost(solution.labels), polytope.violations(solution.labels), solution.bound)


if __name__ == "__main__":
    main()
