"""What local linear models lose on rows that were held out: the figure by which they are chosen.

    (1)  loss_j = -log( (1 - e) P(y_j | x_j) + e / C ),   e = 0.01, P the mean over the starts, learnt without row j

Encoding, columns, model of all rows, partition and deviations are all learnt from the training rows of a fold. What
candidates share is computed once: the columns and the model of all rows a fold and basis, the partition for all bases
and penalties.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ...models.polytope import PartitionPolytope
from ..linear.multinomial import Group, fit_groups, softmax
from ..linear.pooled import as_group, cell_groups, fit_all_rows, with_intercept
from ..local_collection import pick

FLOOR = 0.01
TOLERANCE = 1e-2  # of the fits: far below the differences that choose
PENALTIES = (100.0, 10.0, 1.0)
LOCAL_PENALTIES = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)


class Candidate(NamedTuple):
    """One way to learn; ``n_clusters`` 1 is logistic regression, without strategy and space."""

    basis: str
    penalty: float
    n_clusters: int = 1
    local_penalty: float = np.inf
    strategy: str = ""
    space: str = ""
    bounds: tuple[float, float] = (0.0, np.inf)


class Scored(NamedTuple):
    """A candidate with its losses (1) of the held-out rows (m,) and the share of them it classifies correctly."""

    candidate: Candidate
    losses: NDArray[np.float64]
    accuracy: float

    @property
    def loss(self) -> float:
        """Mean loss."""
        return float(self.losses.mean())


@dataclass(eq=False)
class Fold:
    """Training and held-out rows of one split, and what was already learnt from them."""

    X: Any
    codes: NDArray[np.int64]
    n_classes: int
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    columns: dict[str, tuple[Group, NDArray[np.float64]]] = field(default_factory=dict)
    points: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    whole: dict[tuple[str, float], NDArray[np.float64]] = field(default_factory=dict)

    def see(self, transformer: Any) -> tuple[Any, Any]:
        """Training and held-out rows by a transformer that learns from the training rows."""
        inside, outside = pick(self.X, self.train), pick(self.X, self.test)
        fresh = clone(transformer)
        return fresh.fit_transform(inside, self.codes[self.train]), fresh.transform(outside)

    def linear(self, name: str, basis: Any) -> tuple[Group, NDArray[np.float64]]:
        """Columns of the training rows as a group without scores, and those of the held-out rows."""
        if name not in self.columns:
            inside, outside = (with_intercept(part) for part in self.see(basis))
            self.columns[name] = as_group(inside, self.codes[self.train], self.n_classes), outside
        return self.columns[name]

    def space(self, name: str, encoder: Any) -> tuple[Any, Any]:
        """Points that the strategy sees, and the held-out ones."""
        if name not in self.points:
            self.points[name] = self.see(encoder)
        return self.points[name]


def score_all_rows(folds: Sequence[Fold], bases: dict[str, Any], name: str) -> list[Scored]:
    """Logistic regression on one basis, for every penalty."""
    probabilities: list[list[NDArray]] = [[] for _ in PENALTIES]
    for fold in folds:
        whole, outside = fold.linear(name, bases[name])
        for t, (penalty, W) in enumerate(zip(PENALTIES, fit_all_rows(whole, PENALTIES, TOLERANCE))):
            fold.whole[name, penalty] = W
            probabilities[t].append(softmax(outside @ W))
    return [_scored(Candidate(name, penalty), found, folds) for penalty, found in zip(PENALTIES, probabilities)]


def score_cells(
    folds: Sequence[Fold],
    bases: dict[str, Any],
    common: Candidate,
    strategy: Callable[[int, PartitionPolytope, int], Any],
    encoder: Any,
    seeds: Sequence[int],
    local_penalties: Sequence[float] = LOCAL_PENALTIES,
) -> list[Scored]:
    """Local models on the cells of one kind, for every local penalty.

    ``strategy`` makes one from k, bounds and a seed; ``common`` says the rest of the candidates.
    """
    parts: list[NDArray] = []
    k = common.n_clusters
    for fold in folds:
        points, new_points = fold.space(common.space, encoder)
        polytope = PartitionPolytope.within(len(fold.train), k, *common.bounds)
        total: Any = 0.0
        for seed in seeds:
            start = strategy(k, polytope, seed).fit(points, fold.codes[fold.train])
            homes = start.predict(points), start.predict(new_points)
            total = total + _local_probabilities(fold, bases, common, *homes, local_penalties) / len(seeds)
        parts.append(total)
    return [
        _scored(common._replace(local_penalty=penalty), [part[t] for part in parts], folds)
        for t, penalty in enumerate(local_penalties)
    ]


def _local_probabilities(
    fold: Fold, bases: dict[str, Any], common: Candidate, home: NDArray, new_home: NDArray, penalties: Sequence[float]
) -> NDArray[np.float64]:
    """P (t, m, C) of the held-out rows for every local penalty."""
    whole, outside = fold.linear(common.basis, bases[common.basis])
    W = fold.whole[common.basis, common.penalty]
    groups = cell_groups(whole._replace(scores=whole.X @ W), home, common.n_clusters)
    deviations = fit_groups(groups, penalties, TOLERANCE)
    scores = np.repeat((outside @ W)[None], len(penalties), axis=0)
    for i in np.unique(new_home):
        rows = new_home == i
        scores[:, rows] += outside[rows] @ deviations[:, i]
    return softmax(scores)


def _scored(candidate: Candidate, parts: Sequence[NDArray], folds: Sequence[Fold]) -> Scored:
    P = np.concatenate(parts)
    codes = np.concatenate([fold.codes[fold.test] for fold in folds])
    true = (1.0 - FLOOR) * P[np.arange(len(codes)), codes] + FLOOR / P.shape[1]
    return Scored(candidate, -np.log(true), float((P.argmax(axis=1) == codes).mean()))
