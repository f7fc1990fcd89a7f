"""The best of several starts: the one way in which methods that end in local optima are repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from ..base.checks import n_processes
from ..base.deadline import UNLIMITED, Deadline
from ..base.errors import NotOptimalError
from .partition import Partition

Seed = TypeVar("Seed")
Run = TypeVar("Run")


def best_start(
    seeds: Iterable[Seed],
    run: Callable[[Seed], Run],
    better: Callable[[Run, Run], bool],
    deadline: Deadline = UNLIMITED,
) -> Run:
    """Run every seed in turn and keep the best run, the first on ties; once time is up, only the first is still run."""
    first, *others = seeds
    best = run(first)
    for seed in others:
        if not deadline.allows():
            break
        try:
            found = run(seed)
        except NotOptimalError:
            if deadline.allows():
                raise
            break
        if better(found, best):
            best = found
    return best


def seeds_of_starts(random_state: int | np.random.RandomState | None, n_starts: int) -> list[int]:
    """A seed for every start."""
    seeds: list[int] = check_random_state(random_state).randint(np.iinfo(np.int32).max, size=n_starts).tolist()
    return seeds


def seeded_clones(base: BaseEstimator, n_starts: int, rng: np.random.RandomState) -> list[object]:
    """Clones of a strategy, each with a seed of its own."""
    return [clone(base).set_params(random_state=seed) for seed in seeds_of_starts(rng, n_starts)]


def fit_starts(
    starts: Sequence[Any], X: Any, y: Any, covariates: Any = None, n_jobs: int | None = None, sample_weight: Any = None
) -> tuple[list[Partition], int]:
    """Partitions of seeded starts, all of them, and the index of the best objective, the first on ties."""
    jobs = (delayed(_fitted)(start, X, y, covariates, sample_weight) for start in starts)
    partitions = Parallel(n_jobs=n_processes(n_jobs))(jobs)
    objectives = np.array([partition.objective for partition in partitions])
    return partitions, int(objectives.argmax() if partitions[0].sense == "max" else objectives.argmin())


def _fitted(start: BaseEstimator, X: Any, y: Any, covariates: Any, sample_weight: Any) -> Partition:
    partition: Partition = start.fit(X, y, covariates=covariates, sample_weight=sample_weight).partition_
    return partition
