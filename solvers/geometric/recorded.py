"""Size-bounded k-means with all its steps on record, so that its clusters can be tested on the same rows.

    step 1         sites: k rows of X drawn at random
    step t > 1     sites: the means of the clusters of step t - 1
    each step      labels of an optimal least-squares assignment within the size bounds

It stops when labels repeat. `RecordedKMeans.test` conditions on this whole path (see `partitope.stats.selective`); a
p-value that ignores that the rows made the clusters is far too small.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
    selection that the test does not know of."""
    points = finite_rows(X)
    n = len(points)
    whole_number(max_iter, "max_iter")
    if n < whole_number(n_clusters, "n_clusters"):
        raise InvalidInputError(f"X has {n} rows, expected at least n_clusters={n_clusters}")
    polytope = PartitionPolytope(n, 1 if lower is None else lower, n if upper is None else upper, n_clusters=n_clusters)
    polytope.check()
    rows = check_random_state(random_state).choice(n, n_clusters, replace=False).astype(np.int64)
    path: list[NDArray[np.int64]] = []
    sites, status = points[rows], Status.ITERATION_LIMIT
    for _ in range(max_iter):
        path.append(solve(AssignmentModel.lsa(points, sites, polytope)).require_labels())
        sizes = np.bincount(path[-1], minlength=n_clusters)
        if (sizes == 0).any():
            raise InvalidInputError(f"cluster {int(np.argmin(sizes))} became empty: pass lower of at least 1")
        if len(path) > 1 and np.array_equal(path[-1], path[-2]):
            status = Status.CONVERGED
            break
        sites = np.array([points[path[-1] == i].mean(axis=0) for i in range(n_clusters)])
    bounds = (np.asarray(polytope.lower, dtype=np.int64), np.asarray(polytope.upper, dtype=np.int64))
    return RecordedKMeans(path[-1], np.array(path), rows, points, *bounds, status)
