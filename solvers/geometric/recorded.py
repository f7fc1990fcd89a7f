"""Size-bounded k-means with all its steps on record, so that its clusters can be tested on the same rows.

    step 1         sites: k rows of X drawn at random
    step t > 1     sites: the means of the clusters of step t - 1
    each step      labels of an optimal least-squares assignment within the size bounds

It stops when labels repeat. `RecordedKMeans.test` conditions on this whole path (see `partitope.stats.selective`); a
p-value that ignores that the rows made the clusters is far too small.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ...base.checks import finite_rows, whole_number
from ...base.errors import InvalidInputError
from ...base.status import Status
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...stats import selective_mean_test
from ...stats.selective.mean_test import SelectiveTest
from ..assignment.solve import solve
from .alternation import alternate


@dataclass(frozen=True, eq=False)
class RecordedKMeans:
    """Every step of a size-bounded k-means from k rows of X (n, d); the last two are equal where it converged."""

    labels: NDArray[np.int64]  # (n,): Labels of the last step.
    path: NDArray[np.int64] = field(repr=False)  # (T, n): Labels of all steps.
    site_rows: NDArray[np.int64]  # (k,): Rows of X that were the first centres.
    X: NDArray[np.float64] = field(repr=False)
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    status: Status

    def test(self, clusters: tuple[int, int] = (0, 1), *, covariance: ArrayLike | None = None) -> SelectiveTest:
        """`partitope.stats.selective_mean_test` of two means, valid although the same rows made the clusters."""
        return selective_mean_test(
            self.X, self.path, self.X[self.site_rows], clusters, lower=self.lower, upper=self.upper,
            covariance=covariance, site_rows=self.site_rows,
        )  # fmt: skip


def recorded_k_means(
    X: ArrayLike,
    n_clusters: int,
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    max_iter: int = 100,
    random_state: int | np.random.RandomState | None = None,
) -> RecordedKMeans:
    """Run size-bounded k-means once from random rows (n, d) and keep every step; sizes are 1 to n by default.

    Each assignment is exact, the whole is a local method. One start only: choosing the best of several would be a
    selection that the test does not know of. InvalidInputError and InfeasibleBoundsError as everywhere.
    """
    points = finite_rows(X)
    n = len(points)
    whole_number(max_iter, "max_iter")
    if n < whole_number(n_clusters, "n_clusters"):
        raise InvalidInputError(f"X has {n} rows, expected at least n_clusters={n_clusters}")
    polytope = PartitionPolytope(n, 1 if lower is None else lower, n if upper is None else upper, n_clusters=n_clusters)
    polytope.check()
    rows = check_random_state(random_state).choice(n, n_clusters, replace=False).astype(np.int64)
    path: list[NDArray[np.int64]] = []
    run = alternate(_RecordedProblem(points, polytope), points[rows], max_iter, record=path.append)
    bounds = (np.asarray(polytope.lower, dtype=np.int64), np.asarray(polytope.upper, dtype=np.int64))
    return RecordedKMeans(path[-1], np.array(path), rows, points, *bounds, run.status)


@dataclass(frozen=True, eq=False)
class _RecordedProblem:
    """The alternation that the test conditions on: sites are plain means, and it goes on while labels change."""

    points: NDArray[np.float64]
    polytope: PartitionPolytope
    monotone: ClassVar[bool] = True

    def assign(self, sites: NDArray[np.float64], before: NDArray[np.int64] | None) -> NDArray[np.int64]:
        return solve(AssignmentModel.lsa(self.points, sites, self.polytope)).require_labels()

    def update(
        self, labels: NDArray[np.int64], sites: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        k = self.polytope.n_clusters
        sizes = np.bincount(labels, minlength=k)
        if (sizes == 0).any():
            raise InvalidInputError(f"cluster {int(np.argmin(sizes))} became empty: pass lower of at least 1")
        return labels, np.array([self.points[labels == i].mean(axis=0) for i in range(k)])

    def better(self, new: NDArray[np.int64], old: NDArray[np.int64]) -> bool:
        return not np.array_equal(new, old)
