"""An optimality certificate for the assignment program that anyone can check in one pass over the data.

Primal (P)   max sum_j w_j sum_i gamma_ij xi_ij   over the bounded-shape partition polytope
Dual   (D)   min sum_i (u_i mu_i^+ - l_i mu_i^-) + sum_j eta_j
             (4)  w_j mu_i + eta_j >= w_j gamma_ij   for ALL points j and clusters i

For given prices mu the best eta_j is w_j max_i (gamma_ij - mu_i), so the k numbers mu alone prove optimality:
weak duality says primal <= dual, equality proves both optimal. Sign convention of the prices, used everywhere:
mu_i > 0 only where cluster i sits at its upper bound, mu_i < 0 only where it sits at its lower bound.
So prices are slopes of the optimum V(l, u) of (P): dV/du_i = mu_i^+ and dV/dl_i = -mu_i^-, where V has a derivative.
A least-squares cost is a constant minus V: its slopes have the opposite sign.

This module shares no code with the solvers: it reads the model's data, labels and prices, nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidInputError
from .labels import checked_labels

if TYPE_CHECKING:
    from .assignment import AssignmentModel

BLOCK_SCORES = 1 << 19  # numbers: 4 MiB, half-way between the cache and many small products

Split = tuple[int, int, float]
"""(point, cluster, share): a share of a point that a vertex of the weighted polytope splits."""


@dataclass(frozen=True)
class Certificate:
    """What an independent check of an assignment and its prices found.

    Attributes
    ----------
    primal_objective, dual_objective : float
        Recomputed from the data, sum_j w_j gamma of the assignment and the dual value of the prices.
    primal_violation : float
        Largest violation of the size bounds or of (1), relative to the total weight.
    dual_violation : float
        Largest violation of (4) by the point duals handed in, relative to the scores' range (0 when they
        are derived from the prices).
    complementarity : float
        Largest of |mu_i| times the distance of the size from the bound it prices, and of the loss
        max_i(gamma_ij - mu_i) - (gamma_lj - mu_l) of a point times its weight, relative to `magnitude`.
    gap : float
        (dual - primal) / magnitude.
    magnitude : float
        max(|primal|, |dual|, sum_j w_j (max_i gamma_ij - min_i gamma_ij)), the scale that makes the numbers
        above independent of units; at least 1e-6 sum_j w_j max_i |gamma_ij|, so that an objective that is
        zero but for rounding is not divided by itself.
    tolerance : float
        Bound on all of them for `verified`.
    exact : bool
        Whether the check was done in rational arithmetic.
    """

    primal_objective: float
    dual_objective: float
    primal_violation: float
    dual_violation: float
    complementarity: float
    gap: float
    magnitude: float
    tolerance: float
    exact: bool = False

    @property
    def primal_feasible(self) -> bool:
        """Whether the assignment lies in the polytope."""
        return self.primal_violation <= self.tolerance

    @property
    def dual_feasible(self) -> bool:
        """Whether the prices and point duals satisfy (4)."""
        return self.dual_violation <= self.tolerance

    @property
    def complementary(self) -> bool:
        """Whether complementary slackness holds."""
        return self.complementarity <= self.tolerance

    @property
    def verified(self) -> bool:
        """Whether the assignment is proved optimal to within the tolerance."""
        return self.primal_feasible and self.dual_feasible and self.complementary and abs(self.gap) <= self.tolerance


def check_assignment(
    model: AssignmentModel,
    labels: ArrayLike,
    prices: ArrayLike,
    *,
    splits: Sequence[Split] = (),
    point_duals: ArrayLike | None = None,
    tolerance: float = 1e-9,
) -> Certificate:
    """Check an assignment and its prices against the model's data, in one pass of O(n k).

    Parameters
    ----------
    model : AssignmentModel
        The linear program.
    labels : (n,) array_like of int
        Cluster of every point.
    prices : (k,) array_like
        Prices mu in the module's sign convention.
    splits : sequence of (point, cluster, share)
        Shares of split points; their entry in ``labels`` is then ignored.
    point_duals : (n,) array_like, optional
        eta; derived from the prices when not given.
    tolerance : float
        Relative tolerance of `Certificate.verified`.

    Returns
    -------
    Certificate

    Raises
    ------
    InvalidInputError
        When a shape does not fit the model, or a label names no cluster.
    """
    polytope, scores = model.polytope, model.score_source
    n, k = scores.shape
    y, mu = checked_labels(labels, n, k), np.asarray(prices, dtype=np.float64)
    if mu.shape != (k,):
        raise InvalidInputError(f"prices has shape {mu.shape}, expected ({k},): pass one price a cluster")
    weights = np.ones(n) if polytope.weights is None else polytope.weights
    eta = None if point_duals is None else np.asarray(point_duals, dtype=np.float64)
    shares = _Shares.of(y, splits)
    primal = dual_points = spread = size = worst_loss = worst_dual = 0.0
    rows = max(BLOCK_SCORES // k, 1)
    for start in range(0, n, rows):  # clusters by points: extrema over clusters become vector instructions
        stop = min(start + rows, n)
        gamma, w = scores.by_cluster(start, stop), weights[start:stop]
        best = (gamma - mu[:, None]).max(axis=0)
        points, clusters, share = shares.block(start, stop)
        own = gamma[clusters, points]
        primal += float((w[points] * share * own).sum())
        loss = w[points] * (best[points] - (own - mu[clusters]))
        worst_loss = max(worst_loss, float(loss[share > 0].max(initial=0.0)))
        highest, lowest = gamma.max(axis=0), gamma.min(axis=0)
        spread += float((w * (highest - lowest)).sum())
        size += float((w * np.maximum(highest, -lowest)).sum())
        if eta is None:
            dual_points += float((w * best).sum())
        else:
            worst_dual = max(worst_dual, float((w * best - eta[start:stop]).max()))
            dual_points += float(eta[start:stop].sum())
    bounds_term = _price_of_bounds(mu, polytope.lower, polytope.upper)
    dual = bounds_term + dual_points
    sizes = shares.sizes(weights, k)
    magnitude = max(abs(primal), abs(dual), spread, 1e-6 * size) or 1.0
    excess = np.maximum(sizes - polytope.upper, polytope.lower - sizes).max()
    primal_violation = max(float(excess) / polytope.total, shares.worst_total(n), 0.0)
    distance = np.where(mu > 0, polytope.upper, sizes) - np.where(mu > 0, sizes, polytope.lower)
    slack = np.abs(mu) * distance
    return Certificate(
        primal_objective=primal,
        dual_objective=dual,
        primal_violation=primal_violation,
        dual_violation=max(worst_dual, 0.0) / magnitude,
        complementarity=max(worst_loss, float(np.abs(slack).max())) / magnitude,
        gap=(dual - primal) / magnitude,
        magnitude=magnitude,
        tolerance=tolerance,
    )


def _price_of_bounds(mu: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]) -> float:
    # 0 * inf is nan: a bound without a price costs nothing
    return float((mu * np.where(mu > 0, upper, lower))[mu != 0].sum())


@dataclass(frozen=True)
class _Shares:
    """The assignment as (point, cluster, share) triplets, whole points first, sorted by point."""

    points: NDArray[np.int64]
    clusters: NDArray[np.int64]
    share: NDArray[np.float64]

    @classmethod
    def of(cls, labels: NDArray[np.integer], splits: Sequence[Split]) -> _Shares:
        points, clusters = np.arange(labels.size), labels.astype(np.int64)
        share = np.ones(labels.size)
        if splits:
            p, c, s = (np.array(part) for part in zip(*splits))
            whole = ~np.isin(points, p)
            points = np.concatenate([points[whole], p.astype(np.int64)])
            clusters = np.concatenate([clusters[whole], c.astype(np.int64)])
            share = np.concatenate([share[whole], s.astype(np.float64)])
            order = np.argsort(points, kind="stable")
            points, clusters, share = points[order], clusters[order], share[order]
        return cls(points, clusters, share)

    def block(self, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        a, b = np.searchsorted(self.points, [start, stop])
        return self.points[a:b] - start, self.clusters[a:b], self.share[a:b]

    def sizes(self, weights: NDArray[np.float64], k: int) -> NDArray[np.float64]:
        load = np.bincount(self.clusters, weights=self.share * weights[self.points], minlength=k)
        return load.astype(np.float64)

    def worst_total(self, n: int) -> float:
        if (self.share < 0).any():
            return float(-self.share.min())
        return float(np.abs(np.bincount(self.points, weights=self.share, minlength=n) - 1.0).max())
