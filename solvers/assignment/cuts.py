"""Inequalities that clusterings break: the cuts of constraints, such as separators of clusters in pieces.

They replace the requirements that they express, round after round, until a clustering breaks none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.polytope.constraint import shares_of
from ...models.polytope.polytope import PartitionPolytope

CUTS = "cuts"


class Cuts:
    """Inequalities of a polytope, for every cluster, that clusterings have broken so far."""

    def __init__(self, polytope: PartitionPolytope) -> None:
        self.stated, self.k = polytope, polytope.n_clusters
        self.by_cuts = [constraint for constraint in polytope.statements if constraint.by_cuts]
        self.free = polytope.without(*(constraint.name for constraint in self.by_cuts))
        self.rows: list[object] = []  # of every round: coefficients, lower and upper sides

    def of(self, labels: NDArray[np.int64]) -> int:
        """Add those that a clustering (n,) breaks; how many."""
        before = len(self.rows)
        for constraint in self.by_cuts:
            if constraint.violation(labels, self.stated):
                broken = constraint.broken_rows(shares_of(labels, self.k), self.stated)
                self.rows.append((broken.matrix, broken.lower, broken.upper))
        return len(self.rows) - before

    @property
    def polytope(self) -> PartitionPolytope:
        """The polytope without what is stated by inequalities, and with the cuts that were broken as rows."""
        import scipy.sparse as sp

        if not self.rows:
            return self.free
        matrices, lower, upper = zip(*self.rows)
        name = CUTS
        while name in self.free.row_names:
            name += "_"
        return self.free.add_rows(name, sp.csr_array(sp.vstack(matrices)), np.concatenate(lower), np.concatenate(upper))
