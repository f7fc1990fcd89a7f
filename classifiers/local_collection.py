"""The local classifiers of one partition: how they are learnt, and how their answers are put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from ..base.errors import CapabilityError, InvalidInputError
from .cluster_values import bernoulli_values


@dataclass(frozen=True, eq=False)
class Collection:
    """One classifier, or one constant, a cluster."""

    models: tuple[BaseEstimator, ...]  # The models; None stands for the constant of the cluster.
    shares: NDArray[np.float64]  # (k, C): Shares of the classes.
    known: NDArray  # (C,): All classes in sorted order.

    def classes(self, X: Any, cells: NDArray[np.int64]) -> NDArray:
        """Class (n,) of every row by the classifier of its cell."""
        found = self.known[self.shares.argmax(axis=1)][cells]
        for i, rows in self._asked(cells):
            found[rows] = self.models[i].predict(pick(X, rows))
        return found

    def probabilities(self, X: Any, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """P(j | x) (n, C) of every row by the classifier of its cell."""
        found = self.shares[cells]
        for i, rows in self._asked(cells):
            model = self.models[i]
            found[rows] = 0.0
            found[np.ix_(rows, np.searchsorted(self.known, model.classes_))] = model.predict_proba(pick(X, rows))
        return found

    def _asked(self, cells: NDArray[np.int64]) -> list[tuple[int, NDArray[np.int64]]]:
        return [(int(i), np.flatnonzero(cells == i)) for i in np.unique(cells) if self.models[i] is not None]


def fit_collection(
    estimator: BaseEstimator,
    cell_index: NDArray[np.int64],
    n_clusters: int,
    X: Any,
    y: NDArray,
    known: NDArray,
    weights: NDArray[np.float64] | None = None,
    n_jobs: int | None = None,
) -> Collection:
    """Learn a clone of the estimator on the rows of every cluster that holds two of the ``known`` classes (C,)."""
    if weights is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise CapabilityError(
            f"sample_weight was given, but {type(estimator).__name__} takes none: leave it out or use another estimator"
        )
    codes, C = np.searchsorted(known, y), len(known)
    mass = np.bincount(cell_index * C + codes, weights, minlength=n_clusters * C).reshape(n_clusters, C)
    mixed = np.flatnonzero((mass > 0).sum(axis=1) > 1)
    if hasattr(estimator, "cell_models"):
        shared = estimator if hasattr(estimator, "classes_") else clone(estimator).fit(X, y, weights)
        models = shared.cell_models(X, y, cell_index, n_clusters, weights)
        return Collection(tuple(models), bernoulli_values(mass), known)
    counted = np.ones(len(y), dtype=bool) if weights is None else weights > 0
    members = {int(i): np.flatnonzero((cell_index == i) & counted) for i in mixed}
    fitted = Parallel(n_jobs=n_jobs)(
        delayed(_fit_one)(i, clone(estimator), pick(X, rows), y[rows], None if weights is None else weights[rows])
        for i, rows in members.items()
    )
    models = [None] * n_clusters
    for i, model in zip(mixed, fitted):
        models[i] = model
    return Collection(tuple(models), bernoulli_values(mass), known)


def _fit_one(cluster: int, model: BaseEstimator, X: Any, y: NDArray, weights: NDArray | None) -> BaseEstimator:
    try:
        return model.fit(X, y) if weights is None else model.fit(X, y, sample_weight=weights)
    except ValueError as error:
        raise InvalidInputError(
            f"the {type(model).__name__} of cluster {cluster} ({len(y)} rows) refuses them: {error}; ask for fewer "
            f"clusters or a lower size bound"
        ) from error


def held_out_rows(
    y: NDArray, fraction: float, rng: np.random.RandomState
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows to learn from and rows to score by, stratified where every class has two rows."""
    smallest = int(np.unique(y, return_counts=True)[1].min())
    held = max(int(np.ceil(fraction * len(y))), len(np.unique(y)))
    if smallest < 2 or held > len(y) - len(np.unique(y)):
        raise InvalidInputError(
            f"validation_fraction={fraction} cannot set rows of every class aside from {len(y)} rows, the rarest class "
            f"having {smallest}: pass 0 to score on the training rows"
        )
    train, out = train_test_split(np.arange(len(y)), test_size=held, stratify=y, random_state=rng)
    return np.sort(train), np.sort(out)


def pick(table: Any, rows: NDArray[np.int64]) -> Any:
    """Rows of an array or a table."""
    return _safe_indexing(table, rows)
