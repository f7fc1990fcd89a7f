"""The two exact steps of the geometric iteration on points that one machine reaches: in memory or on its disk.

A C-contiguous X is never copied: scores, sums and starting sites are taken from it and the origin c in blocks of rows,
so that memory beside X is O(n) numbers for labels, candidates and distances, and O(k d + k^2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...models.assignment import AssignmentModel
from ...models.certificate import Certificate, Split
from ...models.polytope import PartitionPolytope
from ...models.power_diagram import PowerDiagram
from ...models.scores import AffineScores
from ..assignment.solve import solve
from ..backends import BACKENDS
from ..solution import AssignmentSolution
from ..transport.rows import exchange_gaps, pack
from .spread_rows import spread_rows, standardise
from .statistics import tally

Objective = Literal["csa", "lsa"]
IMPROVEMENT = 1e-13  # relative; smaller steps are rounding


@dataclass(frozen=True, eq=False)
class Tally:
    """What a clustering means for the next step; everything is measured from the origin.

    Attributes
    ----------
    sums : (k, d) ndarray
        s_i, counting shares of split points.
    sizes : (k,) ndarray
        kappa_i.
    squares : float
        Sum of squared distances to the sites of the step.
    """

    sums: NDArray[np.float64]
    sizes: NDArray[np.float64]
    squares: float

    def improve(self, objective: Objective, sites: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Objective of the clustering and the next sites, step (2) of `geometric`."""
        if objective == "csa":
            norms = np.linalg.norm(self.sums, axis=1)
            keep = norms <= 0
            following = np.where(keep[:, None], sites, self.sums / np.where(keep, 1.0, norms)[:, None])
            return float(norms.sum()), following
        keep = self.sizes <= 0
        centres = np.where(keep[:, None], sites, self.sums / np.where(keep, 1.0, self.sizes)[:, None])
        gain = float((self.sizes * ((centres - sites) ** 2).sum(axis=1)).sum())
        return max(self.squares - gain, 0.0), centres


@dataclass(frozen=True, eq=False)
class Step:
    """One solved assignment program: its clustering and what follows from it."""

    solution: AssignmentSolution
    tally: Tally

    @property
    def splits(self) -> tuple[Split, ...]:
        """Shares of split points."""
        return self.solution.splits

    @property
    def prices(self) -> NDArray[np.float64] | None:
        """Prices (k,) to start the next step from."""
        return self.solution.prices


@dataclass(frozen=True, eq=False)
class Problem:
    """Points, origin, polytope and objective: everything the iteration needs to know."""

    X: NDArray[np.floating]
    origin: NDArray[np.float64]
    polytope: PartitionPolytope
    objective: Objective
    backend: str

    def step(self, sites: NDArray[np.float64], prices: NDArray[np.float64] | None) -> Step:
        """Step (1): an optimal assignment for the sites, from prices near the optimal ones."""
        backend = BACKENDS[self.backend]
        warm = prices if backend.capabilities.warm_start else None
        solution = solve(self.model(sites), self.backend, warm_start=warm, **backend.step_options)
        return Step(solution, self.tally(solution.require_labels(), solution.splits, sites))

    def model(self, sites: NDArray[np.float64]) -> AssignmentModel:
        """The assignment program for sites measured from the origin."""
        scores = AffineScores.of(self.objective, sites, self.origin).on(self.X)
        return AssignmentModel(self.polytope, scores, self.objective, sites + self._shift)

    @property
    def _shift(self) -> NDArray[np.float64] | float:
        """What sites are moved by to be places in space; those of CSA are directions."""
        return self.origin if self.objective == "lsa" else 0.0

    def tally(self, labels: NDArray[np.int64], splits: Sequence[Split], sites: NDArray[np.float64]) -> Tally:
        """Sums, sizes and squares of a clustering, counting shares of split points."""
        weights = self.polytope.weights
        sums, sizes, squares = tally(self.X, self.origin, labels, weights, sites)
        if weights is not None and splits:
            changes = [(point, int(labels[point]), -1.0) for point in {point for point, _, _ in splits}]
            for point, cluster, share in [*changes, *splits]:
                x, amount = self.X[point] - self.origin, share * weights[point]
                sums[cluster] += amount * x
                sizes[cluster] += amount
                squares += amount * ((x - sites[cluster]) ** 2).sum()
        return Tally(sums, sizes, squares)

    def improve(
        self, labels: NDArray[np.int64], splits: Sequence[Split], sites: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        """Objective of a clustering and the next sites, step (2)."""
        return self.tally(labels, splits, sites).improve(self.objective, sites)

    def better(self, new: float, old: float) -> bool:
        """Whether an objective is better by more than rounding."""
        gain = new - old if self.objective == "csa" else old - new
        return gain > IMPROVEMENT * abs(old)

    def starting_sites(self, init: str, k: int, rng: np.random.RandomState) -> NDArray[np.float64]:
        """Rows of X as first sites, measured from the origin."""
        weights = self.polytope.weights
        if init == "k-means++":
            rows = spread_rows(self.X, self.origin, k, weights, rng, directions=self.objective == "csa")
        else:
            chance = None if weights is None or np.count_nonzero(weights) < k else weights / weights.sum()
            rows = np.subtract(
                self.X[rng.choice(len(self.X), k, replace=False, p=chance)], self.origin, dtype=np.float64
            )
        return standardise(rows, rng) if self.objective == "csa" else rows

    def finish(
        self, step: Step, sites: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], Certificate | None, PowerDiagram]:
        """Labels, proof and max-margin cells of the last step, for its sites."""
        labels = step.solution.require_labels()
        certificate = step.solution.verify() if step.solution.prices is not None else None
        scores = AffineScores.of(self.objective, sites, self.origin)
        gaps = exchange_gaps(pack(scores.on(self.X)), np.arange(len(labels)), labels, np.ones(len(labels)), len(sites))
        np.fill_diagonal(gaps, 0.0)
        return labels, certificate, PowerDiagram.from_gaps(sites + self._shift, gaps, scores, self.objective)


def mean_of_rows(X: NDArray[np.floating], weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Mean (d,) of the points (n, d), in float64 and without a copy of them."""
    if weights is None:
        return np.asarray(X.mean(axis=0, dtype=np.float64))
    nowhere = np.zeros((1, X.shape[1]))
    sums, sizes, _ = tally(X, nowhere[0], np.zeros(len(X), dtype=np.int64), weights, nowhere)
    return sums[0] / sizes[0]
