"""A custom constraint: none, or at least m points of a group in every cluster.

    m y_i <= sum_{j in group} xi_ij <= (points of the group) y_i,     y_i in {0, 1}     for every cluster i

Run `python examples/none_or_several.py` in a clone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from partitope.cluster import BalancedKMeans
from partitope.models import Constraint, Formulation, PartitionPolytope


class NoneOrSeveral(Constraint):
    """A cluster holds no point of a group (n,) of booleans, or at least ``least`` of them."""

    def __init__(self, group: ArrayLike, least: int, name: str = "none_or_several") -> None:
        self.group, self.least, self._name = np.asarray(group, dtype=bool), least, name

    @property
    def name(self) -> str:
        """What rows and messages call it."""
        return self._name

    def violation(self, labels: NDArray[np.int64], polytope: PartitionPolytope) -> str:
        """The first cluster with too few points of the group."""
        held = np.bincount(labels[self.group], minlength=polytope.n_clusters)
        few = np.flatnonzero((held > 0) & (held < self.least))
        return f"cluster {few[0]} has {held[few[0]]} points of the group, not {self.least}" if few.size else ""

    def conflict(self, polytope: PartitionPolytope) -> str | None:
        """A group that is too small for any cluster."""
        size = np.count_nonzero(self.group)
        return f"the group has {size} points, less than {self.least}: lower it" if 0 < size < self.least else None

    def rows(self, polytope: PartitionPolytope) -> Formulation:
        """The rows above, lower bounds first."""
        held = sparse.kron(self.group[None, :].astype(float), sparse.eye_array(polytope.n_clusters))
        ones = sparse.eye_array(polytope.n_clusters)
        matrix = sparse.block_array([[held, -self.least * ones], [-held, self.group.sum() * ones]])
        return Formulation(matrix, lower=0.0, columns=[("holds", polytope.n_clusters)])


def main() -> None:
    """Cluster 60 points so that teachers, a third of them, are alone in no cluster."""
    rng = np.random.default_rng(0)
    X, teachers = rng.normal(size=(60, 2)), np.arange(60) < 20
    polytope = PartitionPolytope(60, 8, 16, n_clusters=5).subject_to(NoneOrSeveral(teachers, 3))
    fitted = BalancedKMeans(5, random_state=0).fit(X, polytope=polytope)
    print(np.bincount(fitted.labels_[teachers], minlength=5), fitted.inertia_)


if __name__ == "__main__":
    main()
