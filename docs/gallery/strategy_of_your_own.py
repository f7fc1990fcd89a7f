"""A strategy of your own.

One class with one method: it says what its objective is and returns a partition. Bounds, checks, pipelines, proofs and
pictures come with the base class.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from matplotlib import pyplot as plt

from partitope.models import AssignmentModel
from partitope.solvers import Partitioner, solve
from partitope.solvers.assignment.external import partition_of
from partitope.solvers.partitioner import Needs


@dataclass(eq=False, repr=False, kw_only=True)
class Directions(Partitioner):
    """Points by the direction that fits them best: k unit sites, evenly turned."""

    needs: ClassVar[Needs] = Needs()
    objective_sense: ClassVar[str] = "max"

    def _partition(self, X, y, covariates, polytope, random_state):
        angles = 2 * np.pi * np.arange(self.n_clusters) / self.n_clusters
        sites = np.column_stack([np.cos(angles), np.sin(angles)])
        return partition_of(solve(AssignmentModel.csa(X, sites, polytope)))


X = np.random.default_rng(0).normal((0.6, 0.3), size=(120, 2))
model = Directions(n_clusters=5, lower=20, upper=28).fit(X)
print("sizes", model.partition_.sizes.tolist(), "-", model.partition_.proof.name.lower())
model.partition_.plot(X)
plt.show()
