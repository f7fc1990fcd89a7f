"""An independent checker of solutions, and brute force.

It is written from the definition of optimality alone, densely and without sharing code with
`partitope.models.certificates.certificate` or with any backend. Use it on small and middle-sized models.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..models import AssignmentModel
from ..solvers.solution import AssignmentSolution


@dataclass(frozen=True)
class Verdict:
    """What the independent checker found, relative to the spread of the scores or to the total size."""

    feasible: float
    dual_feasible: float
    complementary: float
    gap: float
    sign: float
    stated: float = 0.0

    @property
    def worst(self) -> float:
        """The largest of all violations, NaN when one is."""
        parts = (self.feasible, self.dual_feasible, self.complementary, abs(self.gap), self.sign, self.stated)
        return float(np.max(parts))


def clusterings(model: AssignmentModel) -> NDArray[np.int64]:
    """Every clustering within the bounds as rows of labels (m, n), by going through all k^n labellings."""
    n, k = model.score_source.shape
    labels = (np.arange(k**n)[:, None] // k ** np.arange(n)) % k
    load = np.stack([(labels == i) @ model.point_weights for i in range(k)], axis=1)
    inside = (load >= model.polytope.lower - 1e-9).all(axis=1) & (load <= model.polytope.upper + 1e-9).all(axis=1)
    return labels[inside]


def brute_force(model: AssignmentModel) -> float:
    """Largest total score over all clusterings of a tiny model (k^n of them); -inf when there is none."""
    gains = model.score_source.dense() * model.point_weights[:, None]
    labels = clusterings(model)
    return float(gains[np.arange(len(gains)), labels].sum(axis=1).max(initial=-np.inf))


def unnamed(solution: AssignmentSolution) -> list[str]:
    """What a backend's answer does not say of its solver: names of empty fields; [] for an answer that says it all."""
    return [name for name in ("raw_status", "solver_version") if not getattr(solution, name).strip()]


def judge(solution: AssignmentSolution) -> Verdict:
    """Check a solution from the definition: feasible, dual feasible, complementary, no gap, documented signs."""
    model, mu = solution.model, np.asarray(solution.prices, dtype=float)
    gamma, w = model.score_source.dense(), model.point_weights
    n, k = gamma.shape
    lower, upper, total = model.polytope.lower, model.polytope.upper, float(w.sum())
    # scores about each point's best: what decides does not drown in what all clusters share
    xi, disagreement = shares_of(solution, n, k)
    sizes = w @ xi
    constant = gamma.max(axis=1)
    relative = gamma - constant[:, None] - mu
    best = relative.max(axis=1)
    # complementary slackness twice: of points in their clusters, of prices at their bounds
    loss = float((w[:, None] * (best[:, None] - relative) * np.abs(xi)).sum())
    wrong = [abs(m) * abs((u if m > 0 else l) - s) for m, l, s, u in zip(mu, lower, sizes, upper) if m]
    eta = w * (best + constant)
    given = eta if solution.point_duals is None else np.asarray(solution.point_duals, dtype=float)
    primal = float((w[:, None] * gamma * xi).sum())
    dual = sum(float(m * (u if m > 0 else l)) for m, l, u in zip(mu, lower, upper) if m) + float(given.sum())
    # errors count in units of what there is to decide, beyond what rounding explains
    centred = gamma - constant[:, None]
    centred = centred - np.median(centred, axis=0)
    spread = float((w * np.ptp(centred, axis=1)).sum()) or abs(primal) or 1.0
    digits = float(np.finfo(float).eps) * float((w * (np.abs(gamma).max(axis=1) + np.abs(mu).max())).sum())
    digits = float(np.minimum(digits, 1e-6 * spread))
    off = [max(l - s, s - u, 0.0) for l, s, u in zip(lower, sizes, upper)]
    stated = [abs(a - b) for a, b in ((solution.objective, primal), (solution.dual_objective, dual)) if not np.isnan(a)]
    return Verdict(
        feasible=max(
            max(off) / total, float(np.abs(xi.sum(axis=1) - 1).max()), max(0.0, -float(xi.min())), disagreement
        ),
        dual_feasible=_beyond(float((eta - given).max()), digits) / spread,
        complementary=_beyond(loss, digits) / spread,
        gap=(_beyond(loss + sum(wrong), digits) + _beyond(float(np.abs(given - eta).sum()), digits)) / spread,
        sign=_beyond(max(wrong, default=0.0), digits) / spread,
        stated=_beyond(max(stated, default=0.0), n * digits) / spread,
    )


def shares_of(solution: AssignmentSolution, n: int, k: int) -> tuple[NDArray[np.float64], float]:
    """Shares (n, k) of a solution, and by how much its labels and splits contradict each other or the rules."""
    labels = np.asarray(solution.require_labels())
    xi = np.zeros((n, k))
    if labels.shape != (n,) or not np.isin(labels, np.arange(k)).all():
        return xi, 1.0
    labels = labels.astype(np.int64)
    xi[np.arange(n), labels] = 1.0
    pairs = [(point, cluster) for point, cluster, _ in solution.splits]
    if len(set(pairs)) < len(pairs) or not all(0 <= j < n and 0 <= i < k for j, i in pairs):
        return xi, 1.0
    for point in {s[0] for s in solution.splits}:
        xi[point] = 0.0
    for point, cluster, share in solution.splits:
        xi[point, cluster] += share
    return xi, float((xi.max(axis=1) - xi[np.arange(n), labels]).max())


def _beyond(error: float, rounding: float) -> float:
    """An error that rounding alone does not explain; NaN stays."""
    return 0.0 if error <= rounding else error
