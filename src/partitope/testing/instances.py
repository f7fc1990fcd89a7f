"""Random instances for tests: points full of ties and offsets, feasible bounds of every kind."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..models import AssignmentModel, PartitionPolytope

DATA = ("normal", "integers", "duplicates", "constant", "offset")
SHAPES = ("equal", "free", "mixed", "unit")


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
