"""The two exact steps of the geometric iteration on points that are stored sparsely, by rows (CSR).

Scores are a product of the sparse points with k dense gradients, and the assignment program gets their (n, k) matrix.
Sums and squares come from the same products, measured about zero and moved to the mean c afterwards:

    s_i = sum_j w_j xi_ij x_j - kappa_i c        q = Q - 2 sum_i a_i . s_i + sum_i kappa_i |a_i|^2
                                                 Q = sum_j w_j |x_j - c|^2

Additional memory is n k numbers. The certificate does not use these products: it reads the points in blocks that
are made dense, so that its error bounds hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus
from sklearn.preprocessing import normalize

from ...models.certificates.certificate import Certificate, Split, check_assignment
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.scores.scores import DenseScores, dense_rows
from ..cells import Cells
from ..solution import AssignmentSolution
from .first_sites import random_rows
from .problem import ClusterStatistics, GeometricProblem, Objective, SiteStep


@dataclass(frozen=True, eq=False)
class SparseProblem(GeometricProblem):
    """A `GeometricProblem` whose X is a sparse matrix in rows."""

    X: sp.csr_array  # A sparse matrix of scipy in rows.

    @classmethod
    def of(cls, X: Any, polytope: PartitionPolytope, objective: Objective, backend: str = "transport") -> Self:
        """The problem of the points X (n, d), with their mean as origin."""
        weights = polytope.point_weights
        return cls(X, np.asarray(X.T @ weights).ravel() / weights.sum(), polytope, objective, backend)

    def program(self, sites: NDArray[np.float64]) -> AssignmentModel:
        """The assignment program with its scores as a matrix, for the kernels."""
        model = self.model(sites)
        return AssignmentModel(self.polytope, DenseScores(model.score_source.dense()), model.kind, model.sites)

    def statistics(
        self, labels: NDArray[np.int64], splits: Sequence[Split], sites: NDArray[np.float64]
    ) -> ClusterStatistics:
        """Sums, sizes and squares of a clustering, counting shares of split points."""
        weights, everyone = self.polytope.point_weights, np.arange(len(labels))
        entries = sp.csr_matrix((weights, (labels, everyone)), shape=(len(sites), len(labels)))
        if splits:
            points, clusters, shares = (np.array(column) for column in zip(*splits))
            divided = np.unique(points)
            taken = sp.csr_matrix((weights[divided], (labels[divided], divided)), shape=entries.shape)
            given = sp.csr_matrix((shares * weights[points], (clusters, points)), shape=entries.shape)
            entries = entries - taken + given
        sizes = np.asarray(entries.sum(axis=1)).ravel()
        sums = np.asarray((entries @ self.X).toarray(), dtype=np.float64) - np.outer(sizes, self.origin)
        squares = self._scatter - 2.0 * float((sites * sums).sum()) + float(sizes @ (sites**2).sum(axis=1))
        return ClusterStatistics(sums, sizes, max(squares, 0.0))

    def spread_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Rows of X that are far apart, measured from the origin; their directions (CSA) are those from zero."""
        rows = normalize(self.X) if self.objective == "csa" else self.X
        k, weights = self.polytope.n_clusters, self.polytope.weights
        _, index = kmeans_plusplus(rows, min(k, self.X.shape[0]), sample_weight=weights, random_state=rng)
        return dense_rows(self.X, np.resize(index, k)) - self.origin

    def random_sites(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Rows of X at random, measured from the origin; heavy ones more often."""
        rows = random_rows(self.X.shape[0], self.polytope.n_clusters, self.polytope.weights, rng)
        return dense_rows(self.X, rows) - self.origin

    def finish(
        self, step: SiteStep[AssignmentSolution], sites: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], Certificate | None, Cells]:
        """Labels, proof and max-margin cells of the last step; the proof is that of the points, not of the matrix."""
        labels, certificate, cells = super().finish(step, sites)
        prices, further = step.solution.prices, step.solution.further_prices
        if certificate is not None and prices is not None:
            certificate = check_assignment(
                self.model(sites), labels, prices, splits=step.splits, further_prices=further
            ).sealed(labels, step.splits)
        return labels, certificate, cells

    @cached_property
    def _scatter(self) -> float:
        """Q of the module's head."""
        squared = sp.csr_matrix((self.X.data.astype(np.float64) ** 2, self.X.indices, self.X.indptr), self.X.shape)
        own = np.asarray(squared.sum(axis=1)).ravel() - 2.0 * np.asarray(self.X @ self.origin).ravel()
        return float(self.polytope.point_weights @ np.maximum(own + self.origin @ self.origin, 0.0))
