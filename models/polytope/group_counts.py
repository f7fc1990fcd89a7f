"""How many points of a group a cluster may hold: none, or at least and at most a given number.

    (1)  least y_gi <= sum_{j in g} xi_ij <= min(most, n_g) y_gi,   y_gi in {0, 1}    for every group g and cluster i

with n_g points in group g. Where least is at most 1 there are no columns y: (1) is its right-hand side alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...base.errors import InvalidInputError
from ...base.record import Record
from .constraint import Columns, Constraint, Formulation
from .sized_polytope import SizedPolytope


@dataclass(frozen=True, eq=False)
class GroupCounts(Constraint):
    """The constraint (1)."""

    name: str = field()
    groups: NDArray[np.int64]  # (n,): Number of the group of every point, -1 for none.
    least: int
    most: int

    def record(self) -> Record:
        """The arguments of `limit`."""
        arguments = {"groups": self.groups.tolist(), "least": self.least, "most": self.most, "name": self.name}
        return {"limits": [arguments]}

    @property
    def counts(self) -> NDArray[np.int64]:
        """Points (g,) of every group."""
        return np.bincount(self.groups[self.groups >= 0], minlength=1)

    def check_fits(self, n: int, k: int) -> None:
        """Refuse groups of other points."""
        if self.groups.shape != (n,):
            raise InvalidInputError(f"{self} is for {self.groups.size} points, expected {n}: state it anew")

    def violation(self, labels: NDArray[np.int64], polytope: SizedPolytope) -> str:
        """The first cluster with too few or too many points of a group."""
        k, there = polytope.n_clusters, self.groups >= 0
        held = np.bincount(self.groups[there] * k + labels[there], minlength=self.counts.size * k)
        wrong = np.flatnonzero((held > self.most) | ((held > 0) & (held < self.least)))
        if not wrong.size:
            return ""
        (g, i), count = divmod(int(wrong[0]), k), int(held[wrong[0]])
        first = np.flatnonzero(self.groups == g)[:3].tolist()
        bound = f"more than {self.most}" if count > self.most else f"not {self.least} or more"
        return f"cluster {i} has {count} points of the group of points {first}, {bound} ({self})"

    def conflict(self, polytope: SizedPolytope) -> str | None:
        """A group that is too small to be anywhere, or too large to be divided."""
        counts, k = self.counts, polytope.n_clusters
        wrong = np.flatnonzero(((counts > 0) & (counts < self.least)) | (counts > k * self.most))
        if not wrong.size:
            return None
        g, first = int(wrong[0]), np.flatnonzero(self.groups == wrong[0])[:3].tolist()
        few = counts[g] < self.least
        repair = f"reduce least to {counts[g]}" if few else f"raise most to {-(-int(counts[g]) // k)}"
        return (
            f"the group of points {first} has {counts[g]} points, {'less' if few else 'more'} than "
            f"{f'least={self.least}' if few else f'{k} clusters of most={self.most} can hold'} ({self}): {repair}"
        )

    def rows(self, polytope: SizedPolytope) -> Formulation:
        """The rows (1), lower sides first."""
        import scipy.sparse as sp

        member = np.flatnonzero(self.groups >= 0)
        shape = (self.counts.size, self.groups.size)
        of_group = sp.csr_array((np.ones(member.size), (self.groups[member], member)), shape=shape)
        held, pairs = sp.kron(of_group, sp.eye_array(polytope.n_clusters)), shape[0] * polytope.n_clusters
        if self.least <= 1:
            return Formulation(held, upper=self.most)
        used = sp.eye_array(pairs)
        most = sp.diags_array(np.repeat(np.minimum(self.most, self.counts), polytope.n_clusters).astype(float))
        matrix = sp.block_array([[held, -self.least * used], [-held, most]])
        return Formulation(matrix, lower=0.0, columns=(Columns("holds", pairs),))
