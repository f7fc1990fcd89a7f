"""Instances of the comparison of backends and strategies: those of `partitope solvers`, with their points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from partitope.base.errors import InvalidInputError
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.scores.scores import LinearScores
from partitope.solver_comparison.instances import Instance as SolverInstance

BLOCK = 1 << 18  # rows at a time, so that large instances take the memory of their points alone
SUITE = (
    "iris",
    "wine",
    "breast-cancer",
    "blobs:n=300,k=4",
    "blobs:n=1000,k=8,d=4",
    "uniform:n=600,k=6,d=3",
    "ties:n=400,k=5",
    "equal:n=400,k=4",
)
"""The instances of a bare `python -m benchmarks.backends`."""


@dataclass(frozen=True, eq=False)
class Instance:
    """A model, for backends, and its points (n, d), for strategies; None where it has only scores, or weights."""

    name: str
    model: AssignmentModel
    points: NDArray[np.float64] | None

    @property
    def polytope(self) -> PartitionPolytope:
        """The size bounds."""
        return self.model.polytope


def instance(name: str) -> Instance:
    """The instance of a name; InvalidInputError when it is not known or no assignment model."""
    model = SolverInstance.of(name).model
    if model is None:
        raise InvalidInputError(f"{name} holds no assignment model: `partitope solvers` takes any program")
    source = model.score_source
    plain = isinstance(source, LinearScores) and model.polytope.weights is None
    return Instance(name, model, np.asarray(source.X, np.float64) if plain else None)


def clouds(n: int, k: int, d: int, rng: np.random.Generator, spread: float = 4.0) -> NDArray[np.float64]:
    """Points (n, d) of a mixture of k normal groups, whose means vary ``spread`` times as much as points in a group."""
    means = spread * rng.normal(size=(k, d))
    group = rng.integers(0, k, n)
    X = np.empty((n, d))
    for start in range(0, n, BLOCK):
        part = slice(start, start + BLOCK)
        X[part] = means[group[part]] + rng.normal(size=X[part].shape)
    return X
