"""A custom constraint: a cluster holds at most a given number of kinds of points.

    sum_{j of kind g} xi_ij <= n_g y_gi,     sum_g y_gi <= most,     y_gi in {0, 1}     for every cluster i and kind g

y_gi is 1 where cluster i may hold points of kind g. Run `python examples/kinds_per_cluster.py` in a clone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from partitope.models import AssignmentModel, Constraint, Formulation, PartitionPolytope
from partitope.solvers import solve


class KindsPerCluster(Constraint):
    """At most ``most`` different values of ``kinds`` (n,) among the points of every cluster."""

    name = "kinds"

    def __init__(self, kinds: ArrayLike, most: int) -> None:
        self.values, self.kinds = np.unique(np.asarray(kinds), return_inverse=True)
        self.most = most

    def violation(self, labels: NDArray[np.int64], polytope: PartitionPolytope) -> str:
        """The first cluster with more kinds than it may have."""
        for i in range(polytope.n_clusters):
            kinds = np.unique(self.kinds[labels == i]).size
            if kinds > self.most:
                return f"cluster {i} has {kinds} kinds of points, {kinds - self.most} more than {self.most}"
        return ""

    def rows(self, polytope: PartitionPolytope) -> Formulation:
        """The rows above; y_gi is the further column g k + i."""
        n, k, m = polytope.n_points, polytope.n_clusters, len(self.values)
        counts = np.bincount(self.kinds).astype(float)
        member = sparse.csr_array((np.ones(n), (self.kinds, np.arange(n))))  # (m, n)
        points = sparse.kron(member, sparse.eye_array(k))  # row g k + i: points of kind g in cluster i
        used = sparse.kron(np.ones((1, m)), sparse.eye_array(k))  # row i: kinds of cluster i
        blocks = [[points, -sparse.diags_array(np.repeat(counts, k))], [None, used]]
        upper = np.append(np.zeros(m * k), np.full(k, float(self.most)))
        return Formulation(sparse.block_array(blocks), upper=upper, columns=[("used", m * k)])


def main() -> None:
    """Assign 40 points of six kinds to four clusters of eight to twelve points, of at most three kinds each."""
    rng = np.random.default_rng(0)
    kinds, scores = rng.integers(6, size=40), rng.normal(size=(40, 4))
    polytope = PartitionPolytope(40, 8, 12, n_clusters=4).subject_to(KindsPerCluster(kinds, 3))
    solution = solve(AssignmentModel(polytope, scores))
    print(solution.objective, [np.unique(kinds[solution.labels == i]).tolist() for i in range(4)], solution.bound)


if __name__ == "__main__":
    main()
