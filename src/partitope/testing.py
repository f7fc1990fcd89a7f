"""For tests of partitope and of backends and strategies that others add: instances, brute force, a checker.

The checker is written from the definition of optimality alone, densely and without sharing code with
`partitope.models.certificate` or with any backend. Use it on small and middle-sized models.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .models import AssignmentModel, PartitionPolytope
from .solvers.solution import AssignmentSolution

DATA = ("normal", "integers", "duplicates", "constant", "offset")
SHAPES = ("equal", "free", "mixed", "unit")


@dataclass(frozen=True)
class Verdict:
    """What the independent checker found, relative to the objective or the spread of scores, or to the total size."""

    feasible: float
    dual_feasible: float
    complementary: float
    gap: float
    sign: float

    @property
    def worst(self) -> float:
        """The largest of all violations."""
        return max(self.feasible, self.dual_feasible, self.complementary, abs(self.gap), self.sign)


def random_bounds(rng: np.random.Generator, n: int, k: int, shape: str) -> tuple[NDArray, NDArray]:
    """Feasible bounds (k,), (k,) of one of `SHAPES`; "unit" gives sizes one where it can (at most n of them)."""
    if shape == "free":
        return np.zeros(k, int), np.full(k, n)
    if shape == "unit":
        sizes = np.ones(k, int)
        sizes[0] = n - (k - 1)
        return (sizes, sizes) if n >= k else (np.zeros(k, int), np.ones(k, int) * n)
    sizes = rng.multinomial(n, rng.dirichlet(np.ones(k)))
    if shape == "equal":
        return sizes, sizes
    return np.maximum(sizes - rng.integers(0, 3, k), 0), sizes + rng.integers(0, 3, k)


def random_points(rng: np.random.Generator, n: int, d: int, data: str) -> NDArray[np.float64]:
    """Points (n, d) of one of `DATA`; all but "normal" and "offset" are full of ties."""
    X = rng.normal(size=(n, d))
    if data == "integers":
        return rng.integers(-2, 3, (n, d)).astype(float)
    if data == "duplicates":
        return X[rng.integers(0, max(n // 10, 1), n)]
    if data == "constant":
        return np.full((n, d), 1.5)
    return X + 1000.0 if data == "offset" else X


def random_model(
    seed: int, n: int, k: int, d: int = 2, data: str = "normal", shape: str = "mixed", kind: str = "lsa"
) -> AssignmentModel:
    """An assignment model made of `random_points`, `random_bounds` and sites near the data."""
    rng = np.random.default_rng(seed)
    X = random_points(rng, n, d, data)
    sites = np.round(rng.normal(size=(k, d)), 0 if data == "integers" else 12)
    if data == "offset":
        sites += 1000.0
    polytope = PartitionPolytope(n, *random_bounds(rng, n, k, shape))
    if kind == "lsa":
        return AssignmentModel.lsa(X, sites, polytope)
    norms = np.linalg.norm(sites, axis=1, keepdims=True)
    return AssignmentModel.csa(X, sites / np.where(norms > 0, norms, 1.0), polytope)


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
    xi = np.zeros((n, k))
    xi[np.arange(n), solution.require_labels()] = 1.0
    for point in {s[0] for s in solution.splits}:
        xi[point] = 0.0
    for point, cluster, share in solution.splits:
        xi[point, cluster] += share
    sizes = w @ xi
    reduced = gamma - mu
    eta = reduced.max(axis=1) * w
    given = np.asarray(solution.point_duals, dtype=float)
    bounds_value = sum(float(m * (u if m > 0 else l)) for m, l, u in zip(mu, lower, upper) if m)
    primal = float((w[:, None] * gamma * xi).sum())
    spread = max(float((w * np.ptp(gamma, axis=1)).sum()), abs(primal)) or 1.0
    off = [max(l - s, s - u, 0.0) for l, s, u in zip(lower, sizes, upper)]
    wrong = [abs(m) * ((u - s) if m > 0 else (s - l)) for m, l, s, u in zip(mu, lower, sizes, upper)]
    return Verdict(
        feasible=max(max(off) / total, float(np.abs(xi.sum(axis=1) - 1).max()), max(0.0, -float(xi.min()))),
        dual_feasible=max(0.0, float((w[:, None] * reduced - given[:, None]).max())) / spread,
        complementary=float(((eta[:, None] - w[:, None] * reduced) * xi).sum()) / spread,
        gap=(bounds_value + float(given.sum()) - primal) / spread,
        sign=max(wrong) / spread,
    )
