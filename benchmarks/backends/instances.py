"""Instances of a solver comparison, each reproducible from its name alone.

    iris, wine, breast-cancer         scikit-learn's tables, k = 3, 3, 2
    FAMILY:n=500,k=5,d=2,seed=0       FAMILY one of `FAMILIES`; whatever is left out has the values shown
    path/to/instance.json             written by `partitope export`

Size bounds are n/k give or take a fifth, except in the family "equal", where l = u.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from partitope.base.errors import InvalidInputError
from partitope.models import AssignmentModel, PartitionPolytope
from partitope.models.formats.files import read_instance
from partitope.models.scores.scores import LinearScores

TABLES = {"iris": 3, "wine": 3, "breast-cancer": 2}
FAMILIES = {
    "blobs": "normal clouds around k centres",
    "uniform": "uniform in a cube: the hardest to balance",
    "ties": "small integers: many equal scores and equal points",
    "equal": "normal clouds, all sizes prescribed",
}
BLOCK = 1 << 18  # rows at a time, so that large instances take the memory of their points alone
DEFAULTS = {"n": 500, "k": 5, "d": 2, "seed": 0}
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
    """Points, bounds, and an assignment program at sites that do not fit the bounds yet.

    Attributes
    ----------
    name : str
        As the user wrote it.
    model : AssignmentModel
        For backends: k points far apart are the sites.
    points : (n, d) ndarray or None
        For strategies; None where an instance is scores only.
    """

    name: str
    model: AssignmentModel
    points: NDArray[np.float64] | None

    @property
    def polytope(self) -> PartitionPolytope:
        """The size bounds."""
        return self.model.polytope


def instance(name: str) -> Instance:
    """The instance of a name.

    Parameters
    ----------
    name : str
        As in the module's head.

    Raises
    ------
    InvalidInputError
        When the name is none of the three kinds, or a parameter is not usable.
    """
    if name.endswith(".json"):
        model = read_instance(Path(name))
        source = model.score_source
        points = np.asarray(source.X, np.float64) if isinstance(source, LinearScores) else None
        return Instance(name, model, points if model.polytope.weights is None else None)
    if name in TABLES:
        return _of_points(name, _table(name), TABLES[name], equal=False)
    family, _, text = name.partition(":")
    if family not in FAMILIES:
        raise InvalidInputError(
            f"instance {name!r} is not known: choose {', '.join(TABLES)}, one of {', '.join(FAMILIES)} with "
            f":n=500,k=5,d=2,seed=0, or a .json file of `partitope export`"
        )
    p = _parameters(name, text)
    return _of_points(name, _family(family, p), p["k"], family == "equal", p["seed"])


def _parameters(name: str, text: str) -> dict[str, int]:
    found = dict(DEFAULTS)
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in DEFAULTS or not value.isdigit():
            raise InvalidInputError(f"instance {name!r}: {part!r} is not usable, write n=500,k=5,d=2,seed=0")
        found[key] = int(value)
    if min(found["n"], found["k"], found["d"]) < 1 or found["k"] > found["n"]:
        raise InvalidInputError(f"instance {name!r}: n, k and d must be at least 1, and k at most n")
    return found


def _family(family: str, p: dict[str, int]) -> NDArray[np.float64]:
    rng = np.random.default_rng(p["seed"])
    shape = (p["n"], p["d"])
    if family == "uniform":
        return rng.random(shape)
    if family == "ties":
        return rng.integers(-3, 4, shape).astype(float)
    return clouds(p["n"], p["k"], p["d"], rng)


def clouds(n: int, k: int, d: int, rng: np.random.Generator, spread: float = 4.0) -> NDArray[np.float64]:
    """Points (n, d) of a mixture of k normal groups, whose means vary ``spread`` times as much as points in a group."""
    means = spread * rng.normal(size=(k, d))
    group = rng.integers(0, k, n)
    X = np.empty((n, d))
    for start in range(0, n, BLOCK):
        part = slice(start, start + BLOCK)
        X[part] = means[group[part]] + rng.normal(size=X[part].shape)
    return X


def _table(name: str) -> NDArray[np.float64]:
    from sklearn import datasets
    from sklearn.preprocessing import scale

    X = getattr(datasets, f"load_{name.replace('-', '_')}")().data
    return np.asarray(X if name == "iris" else scale(X), dtype=np.float64)


def _of_points(name: str, X: NDArray[np.float64], k: int, equal: bool, seed: int = 0) -> Instance:
    n = len(X)
    even = n // k + (np.arange(k) < n % k)  # the first clusters take the remainder
    polytope = PartitionPolytope(n, even, even) if equal else PartitionPolytope.within(n, k)
    return Instance(name, AssignmentModel.lsa(X, _far_apart(X, k, seed), polytope), X)


def _far_apart(X: NDArray[np.float64], k: int, seed: int) -> NDArray[np.float64]:
    """k distinct points, each drawn with probability in proportion to its squared distance to those before."""
    rng = np.random.default_rng([seed, 1])
    chosen = [int(rng.integers(len(X)))]
    distance = np.full(len(X), np.inf)
    for _ in range(k - 1):
        distance = np.minimum(distance, ((X - X[chosen[-1]]) ** 2).sum(axis=1))
        total = distance.sum()
        chosen.append(int(rng.choice(len(X), p=distance / total)) if total > 0 else int(rng.integers(len(X))))
    return X[chosen]
