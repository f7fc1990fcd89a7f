"""Inequalities that clusterings break: separators of clusters in pieces, and the cuts of constraints.

They become further rows of the polytope without what they stand for, round after round, until a clustering breaks none.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...models.polytope.constraint import shares_of
from ...models.polytope.polytope import PartitionPolytope
from ...models.polytope.rows import SparseRows
from ..graphs.separators import Separators

CUTS = "cuts"


class Cuts:
    """What a polytope states by inequalities, for every cluster, as far as clusterings broke it."""

    def __init__(self, polytope: PartitionPolytope) -> None:
        self.stated, self.n, self.k = polytope, polytope.n_points, polytope.n_clusters
        self.by_cuts = [constraint for constraint in polytope.constraints if constraint.by_cuts]
        by_rows = tuple(constraint for constraint in polytope.constraints if not constraint.by_cuts)
        self.free = replace(polytope.without_connection, constraints=by_rows)
        self.separators: Separators | None = None
        if polytope.connection is not None:
            self.separators = Separators(polytope.connection, polytope.point_weights, float(polytope.upper.max()))
        self.rows: list[Any] = []  # of every round: coefficients, lower and upper sides

    def of(self, labels: NDArray[np.int64]) -> int:
        """Add those that a clustering (n,) breaks; how many."""
        before = len(self.rows)
        for constraint in self.by_cuts:
            if constraint.violation(labels, self.stated):
                broken = constraint.broken_rows(shares_of(labels, self.k), self.stated)
                self.rows.append((broken.matrix, broken.lower, broken.upper))
        self._separate(labels)
        return len(self.rows) - before

    def _separate(self, labels: NDArray[np.int64]) -> None:
        """Add inequalities of separators for clusters in pieces."""
        import scipy.sparse as sp

        separators = self.separators
        if separators is None:
            return
        for members, b, separator, _ in separators.between_pieces(labels):
            a = int(members[separators.weights[members].argmax()])
            needed = separators.needed(separator, a, b)
            points = np.concatenate([[a, b], needed])
            signs = np.where(np.arange(points.size) < 2, 1.0, -1.0)
            columns = points[None, :] * self.k + np.arange(self.k)[:, None]
            where = np.repeat(np.arange(self.k), points.size), columns.ravel()
            matrix = sp.csr_array((np.tile(signs, self.k), where), shape=(self.k, self.n * self.k))
            self.rows.append((matrix, np.full(self.k, -np.inf), np.ones(self.k)))

    @property
    def polytope(self) -> PartitionPolytope:
        """The polytope without what is stated by inequalities, and with those that were broken as further rows."""
        import scipy.sparse as sp

        if not self.rows:
            return self.free
        matrices, lower, upper = zip(*self.rows)
        rows = SparseRows(CUTS, sp.csr_array(sp.vstack(matrices)), np.concatenate(lower), np.concatenate(upper))
        return replace(self.free, further=(*self.free.further, rows))
