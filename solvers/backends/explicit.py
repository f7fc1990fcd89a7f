"""The assignment program as the explicit linear program that general LP codes are given, and the way back.

    min  sum_j sum_i c_ij xi_ij             c_ij = w'_j (max_l gamma_lj - gamma_ij) / s,   0 <= c_ij <= 1
    (1)  sum_i xi_ij = 1                     for every point j
    (2)  l_i / q <= sum_j w'_j xi_ij <= u_i / q    for every cluster i,   w'_j = w_j / q
    (3)  0 <= xi_ij <= 1

Subtracting the best score of each point and dividing by the power of two s that makes the largest c_ij about one
changes no solution and loses no digit, but makes a code's absolute tolerances mean the same in every unit of
measurement. The prices are mu_i = -s * dual of (2) in the convention "dual = change of the minimum for one
unit more of the right-hand side": mu_i > 0 where (2) is tight above, < 0 where it is tight below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ...base.deadline import Deadline
from ...base.errors import NotOptimalError
from ...base.status import Status
from ...models.certificates.certificate import Split
from ...models.certificates.exchange import ExchangeGraph
from ...models.polytope.magnitudes import powers_of_two
from ...models.polytope.polytope import PartitionPolytope
from ...models.programs.assignment import AssignmentModel
from ...models.programs.linear_program import ExplicitProgram
from ...models.scores.scores import DenseScores
from ..solution import AssignmentSolution

SHARE_ONE = 1e-9  # A share within this distance of 1 is a whole point.
SHARE_ZERO = 1e-11  # A share up to this is zero.
SIZE_ROUNDING = 1e-3  # A size within this distance of a whole number is rounded to it.
TRIAL_SIZES = 1000, 5000  # Variables of the parts written first, to estimate how long the whole takes.
UNDECIDED = 1e-4  # A share above this counts as support when an approximate answer is rounded.


@dataclass(frozen=True, eq=False, kw_only=True)
class ScaledProgram(ExplicitProgram):
    """The program with c_ij as cost, w'_j, l_i / q and u_i / q, to be minimised, and the way back to the model's."""

    model: AssignmentModel  # The model that the program states.
    score_scale: float  # s
    weight_scale: float = 1.0  # q
    row_scales: tuple[NDArray[np.float64], ...] = ()  # Powers of two that the side constraints were divided by.

    @classmethod
    def of(cls, model: AssignmentModel) -> ScaledProgram:
        """Scale a model; O(n k)."""
        polytope = model.polytope
        gamma = model.score_source.dense()
        if polytope.allowed is not None:
            gamma = np.where(polytope.allowed, gamma, -np.inf)
        cost = gamma.max(axis=1, keepdims=True) - gamma
        if polytope.allowed is not None:
            cost[~polytope.allowed] = 0.0
        unit, weights = 1.0, np.ones(polytope.n_points)
        if polytope.weights is not None:
            unit = float(powers_of_two(polytope.weights.max()))
            weights = polytope.weights / unit
            cost *= weights[:, None]
        scale = float(powers_of_two(cost.max(initial=0.0)))
        cost *= 1.0 / scale if scale >= 1e-300 else 1.0
        upper = np.minimum(polytope.upper, polytope.total) / unit
        row_scales = tuple(powers_of_two(rows.largest()) for rows in polytope.further)
        return cls(
            cost,
            weights,
            polytope.lower / unit,
            upper,
            False,
            polytope.allowed,
            tuple(rows.divided(scales) for rows, scales in zip(polytope.further, row_scales)),
            model=model,
            score_scale=scale,
            weight_scale=unit,
            row_scales=row_scales,
        )

    def fits(self, write: Callable[[ScaledProgram], object], deadline: Deadline) -> bool:
        """Whether ``write``, what a backend does before its solver looks at the clock, can be done in time: it cannot
        be interrupted, so it is timed for the programs of the first few points and scaled up."""
        n, k = self.shape
        if deadline.seconds is None or n * k <= TRIAL_SIZES[1]:
            return deadline.allows()
        taken, sizes = [], [size // k + 1 for size in TRIAL_SIZES]
        for few in sizes:
            part = replace(
                self,
                cost=self.cost[:few],
                weights=self.weights[:few],
                lower=np.zeros(k),
                allowed=None if self.allowed is None else self.allowed[:few],
                further=tuple(rows.subset(slice(few), self.model.polytope) for rows in self.further),
            )
            started = perf_counter()
            write(part)
            taken.append(perf_counter() - started)
        slope = max(0.0, taken[1] - taken[0]) / (sizes[1] - sizes[0])
        return deadline.allows(slope * n)

    def out_of_time(self, backend: str, started: float, solver_version: str) -> AssignmentSolution:
        """The answer of a backend that had no time to begin: no assignment and no prices."""
        native = ("not started: no time left", solver_version)
        return self.solution(None, None, Status.TIME_LIMIT, backend, (started, perf_counter()), native=native)

    def bound(self, value: float) -> float:
        """The total score that belongs to a value of the scaled program."""
        gamma, allowed = self.model.score_source.dense(), self.model.polytope.allowed
        best = (gamma if allowed is None else np.where(allowed, gamma, -np.inf)).max(axis=1)
        return float((best * self.model.point_weights).sum()) - self.score_scale * self.weight_scale * value

    def prices(self, row_duals: NDArray[np.float64]) -> NDArray[np.float64]:
        """mu (k,) from the duals of (2), the first k."""
        return -self.score_scale * np.asarray(row_duals, dtype=np.float64)[: self.shape[1]]

    def further_prices(self, row_duals: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """nu (q,) of the side constraints by name, from the duals that follow those of (2)."""
        duals, start, found = np.asarray(row_duals, dtype=np.float64), self.shape[1], {}
        for rows, scales in zip(self.further, self.row_scales):
            stop = start + len(rows)
            found[rows.name] = -self.score_scale * self.weight_scale * duals[start:stop] / scales
            start = stop
        return found

    def solution(
        self,
        shares: NDArray[np.float64] | None,
        row_duals: NDArray[np.float64] | None,
        status: Status,
        backend: str,
        timing: tuple[float, float],
        iterations: int = 0,
        *,
        exact: bool = True,
        native: tuple[str, str] = ("", ""),
    ) -> AssignmentSolution:
        """The `AssignmentSolution` of xi (n, k) and duals (k + q,) of (2) and side constraints, or None for either.
        Where a method that stops at a tolerance is not ``exact``, `exchange_prices` replace its prices if its
        clustering is optimal."""
        labels, splits = (None, ()) if shares is None else as_labels(self.model, shares)
        if labels is None and status is Status.OPTIMAL:  # an optimum without a point that can be used
            status = Status.NUMERICAL
        prices = None if row_duals is None else self.prices(row_duals)
        further = None if row_duals is None else self.further_prices(row_duals)
        if labels is not None and not exact:
            prices = exchange_prices(self.model, labels, prices)
        return AssignmentSolution.of(
            self.model, labels, splits, prices, status, backend, timing, iterations, native, further
        )


@cache
def package_version(package: str) -> str:
    """Name and version of an installed package, such as "highspy 1.11.0"."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:  # importable, but not installed as a package
        return f"{package}, version unknown"


def as_labels(model: AssignmentModel, shares: NDArray[np.float64]) -> tuple[NDArray[np.int64], tuple[Split, ...]]:
    """Labels (n,) and split points of an assignment xi (n, k).

    Without weights every vertex is a clustering; an answer that is not a vertex is rounded by `nearest_clustering`.
    """
    labels = shares.argmax(axis=1)
    largest = shares[np.arange(len(labels)), labels]
    undecided = np.flatnonzero(largest < 1.0 - SHARE_ONE)
    if model.polytope.weights is None and not model.polytope.further:
        if undecided.size or not model.polytope.contains(labels):
            labels = nearest_clustering(model, shares)
        return labels, ()
    splits: list[Split] = []
    if not model.polytope.further and model.polytope.weights is not None:
        undecided = undecided[model.polytope.weights[undecided] > 0]
    for j in undecided.tolist():
        row = np.where(shares[j] > SHARE_ZERO, shares[j], 0.0)
        row /= row.sum()
        splits.extend((j, i, float(row[i])) for i in np.flatnonzero(row).tolist())
    return labels, tuple(splits)


def nearest_clustering(model: AssignmentModel, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """A vertex on the support of xi (n, k), with as much of its weight as possible; its sizes are those of xi rounded
    down or up, so that it is on the same face (total unimodularity), unless xi is too rough for that."""
    from ..transport.backend import TransportBackend

    polytope, sizes, n = model.polytope, shares.sum(axis=0), len(shares)
    lower = np.maximum(polytope.lower, np.floor(sizes + SIZE_ROUNDING))
    upper = np.minimum(polytope.upper, np.ceil(sizes - SIZE_ROUNDING))
    if (lower > upper).any() or not lower.sum() <= n <= upper.sum():
        lower, upper = polytope.lower, polytope.upper
    # a pair outside the support costs more than all shares together
    scores = np.where(shares > UNDECIDED, shares, shares - 2.0 * n)
    within = PartitionPolytope(n, lower, upper)
    return TransportBackend().solve(AssignmentModel(within, DenseScores(scores))).require_labels()


def exchange_prices(
    model: AssignmentModel,
    labels: NDArray[np.int64],
    otherwise: NDArray[np.float64] | None,
    splits: tuple[Split, ...] = (),
) -> NDArray[np.float64] | None:
    """Prices from shortest paths where the clustering is optimal up to rounding, other ones where it is not."""
    try:
        return ExchangeGraph.of(model, labels, splits).prices()
    except NotOptimalError:
        return otherwise
