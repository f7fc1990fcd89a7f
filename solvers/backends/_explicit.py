"""What backends that solve the written-out linear program share: scaling before, reading the answer after."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ...models.assignment import AssignmentModel
from ...models.certificate import Split, check_assignment
from ...models.status import Status
from ..solution import AssignmentSolution

SPLIT = 1e-7  # shares below this are a vertex's rounding


@dataclass(frozen=True, eq=False)
class ScaledProgram:
    """The program with scores divided by their largest modulus, so that absolute tolerances mean the same.

    Attributes
    ----------
    model : AssignmentModel
        What is solved.
    scores : (n, k) ndarray
        w_j gamma_ij / scale, to be maximised; every point's mean is taken off, which changes no solution.
    scale : float
        The divisor; prices are multiplied by it again.
    """

    model: AssignmentModel
    scores: NDArray[np.float64]
    scale: float

    @classmethod
    def of(cls, model: AssignmentModel) -> ScaledProgram:
        """Write out the scores of a model."""
        gamma = model.score_source.dense()
        gamma = gamma - gamma.mean(axis=1, keepdims=True)
        scale = float(np.abs(gamma).max(initial=0.0)) or 1.0
        gamma /= scale
        if model.polytope.weights is not None:
            gamma *= model.polytope.weights[:, None]
        return cls(model, gamma, scale)

    def solution(
        self,
        shares: NDArray[np.float64] | None,
        prices: NDArray[np.float64] | None,
        *,
        status: Status,
        backend: str,
        started: float,
        built: float,
        iterations: int = 0,
        split: float = SPLIT,
    ) -> AssignmentSolution:
        """Assemble the result from shares xi (n, k) and scaled prices (k,).

        The prices get the documented sign: none where the size lies strictly between its bounds.
        """
        model, labels, splits, mu = self.model, None, (), None
        if shares is not None:
            labels = shares.argmax(axis=1)
            splits = _splits(shares, split)
        if prices is not None:
            mu = prices * self.scale + 0.0
            if labels is not None:
                mu = _signed(mu, model, labels, splits)
        primal = dual = np.nan
        duals = None
        if labels is not None:
            zero = np.zeros(model.polytope.n_clusters)
            certificate = check_assignment(model, labels, zero if mu is None else mu, splits=splits)
            primal = certificate.primal_objective
            if mu is not None:
                dual = certificate.dual_objective
                duals = model.point_weights * (model.score_source.dense() - mu).max(axis=1)
        now = perf_counter()
        return AssignmentSolution(
            model=model,
            labels=labels,
            prices=mu,
            point_duals=duals,
            objective=primal,
            dual_objective=dual,
            status=status,
            seconds=now - started,
            backend=backend,
            splits=splits,
            build_seconds=built - started,
            iterations=iterations,
        )


def _splits(shares: NDArray[np.float64], least: float) -> tuple[Split, ...]:
    points = np.flatnonzero(shares.max(axis=1) < 1.0 - least)
    found: list[Split] = []
    for j in points:
        part = np.where(shares[j] > least, shares[j], 0.0)
        part = part / part.sum()
        found += [(int(j), int(i), float(part[i])) for i in np.flatnonzero(part)]
    return tuple(found)


def _signed(
    mu: NDArray[np.float64], model: AssignmentModel, labels: NDArray[np.int64], splits: tuple[Split, ...]
) -> NDArray[np.float64]:
    """Prices without the dust that a solver leaves on bounds that are not tight."""
    polytope = model.polytope
    sizes = polytope.sizes(labels).astype(float)
    weights = model.point_weights
    for point in {p for p, _, _ in splits}:
        sizes[labels[point]] -= weights[point]
    for point, cluster, share in splits:
        sizes[cluster] += share * weights[point]
    slack = 1e-6 * polytope.total
    mu = np.where((mu > 0) & (sizes < polytope.upper - slack), 0.0, mu)
    return np.where((mu < 0) & (sizes > polytope.lower + slack), 0.0, mu)
