"""What local linear models lose on rows that were held out: the figure by which they are chosen.

    (1)  loss_j = -log( (1 - e) P(y_j | x_j) + e / C ),   e = 0.01, P learnt without row j

The columns of the linear models, the spaces of the strategies, the model of all rows, the cells and the deviations in
them are all learnt from the training rows of a fold, and kept there, so that candidates share them. Penalties are gone
down in turn, in all folds at once, until the mean of (1) no longer falls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from ...models.polytope.polytope import PartitionPolytope
from ...stats.multinomial import Group, path, softmax
from ..encoders.conditional_mean import ConditionalMeanEncoder
from ..linear.basis import LinearBasis
from ..linear.pooled import all_rows_path, as_group, cell_groups, with_intercept
from ..local_collection import pick

BASES = {
    "linear": LinearBasis(),
    "spline": LinearBasis("spline"),
    "fine spline": LinearBasis("spline", knots=9),
    "products": LinearBasis("products"),
    "log-odds": LinearBasis("spline", log_odds=True),
}
SPACES = {"standardised": LinearBasis("linear"), "conditional means": ConditionalMeanEncoder()}
PARTS: dict[str, BaseEstimator] = BASES | SPACES
FLOOR = 0.01  # Weight of the uniform distribution that is mixed into predicted probabilities.
TOLERANCE = 1e-2  # Tolerance of the fits: far below the differences that decide the choice.
PENALTIES = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0)  # Penalties of the model of all rows, from the strongest.
LOCAL_PENALTIES = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)  # Penalties of the deviations of cells, from the strongest.


class Candidate(NamedTuple):
    """One way to learn; ``n_clusters`` 1 is logistic regression, without strategy and space."""

    basis: str
    penalty: float
    n_clusters: int = 1
    local_penalty: float = np.inf
    strategy: str = ""
    space: str = ""
    bounds: tuple[float, float] = (0.0, np.inf)
    informative: bool = False


class Scored(NamedTuple):
    """A candidate with its losses (1) of the held-out rows (m,) and which of them it classifies correctly (m,)."""

    candidate: Candidate
    losses: NDArray[np.float64]
    right: NDArray[np.bool_]

    @property
    def accuracy(self) -> float:
        """Fraction of rows that are classified correctly."""
        return float(self.right.mean())

    @property
    def loss(self) -> float:
        """Mean loss."""
        return float(self.losses.mean())


Strategy = Callable[[int, PartitionPolytope, int], BaseEstimator]
Answer = NDArray[np.floating]  # probabilities (m, C) of the held-out rows of a fold


@dataclass(eq=False)
class Fold:
    """Training and held-out rows of one split of a table, and what was already learnt from the training rows."""

    X: Any  # (n, d): The table.
    every_code: NDArray[np.int64]  # (n,): Classes, from 0 to C - 1.
    n_classes: int
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    parts: Mapping[str, Any] = field(default_factory=lambda: PARTS)  # Bases of linear models, and spaces of strategies.
    views: dict[tuple[str, bool], tuple[Any, Any, Any]] = field(default_factory=dict)
    groups: dict[tuple[str, bool], tuple[Group, NDArray[np.float32]]] = field(default_factory=dict)
    whole: dict[tuple[str, bool, float], NDArray[np.floating]] = field(default_factory=dict)
    cell_indices: dict[tuple[Candidate, int], tuple[NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=dict)

    @property
    def codes(self) -> NDArray[np.int64]:
        """Classes of the training rows."""
        return self.every_code[self.train]

    def view(self, name: str, informative: bool = False) -> tuple[Any, Any, Any]:
        """A fitted part, and what it makes of the training and of the held-out rows."""
        part = part_of(self.parts[name], informative)
        key = name, bool(part.get_params().get("informative"))
        if key not in self.views:
            inside = part.fit_transform(pick(self.X, self.train), self.codes)
            self.views[key] = part, inside, part.transform(pick(self.X, self.test))
        return self.views[key]

    def linear(self, name: str, informative: bool) -> tuple[Group, NDArray[np.float32]]:
        """Columns of the training rows as a group without scores, and those of the held-out rows."""
        if (name, informative) not in self.groups:
            sides = self.view(name, informative)[1:]
            inside, outside = (with_intercept(np.asarray(side, dtype=np.float32)) for side in sides)
            self.groups[name, informative] = as_group(inside, self.codes, self.n_classes), outside
        return self.groups[name, informative]

    def cells(self, candidate: Candidate, strategy: Strategy, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cells of the training and of the held-out rows."""
        key = candidate._replace(basis="", penalty=0.0, local_penalty=0.0), seed
        if key not in self.cell_indices:
            _, inside, outside = self.view(candidate.space, candidate.informative)
            polytope = PartitionPolytope.within(len(inside), candidate.n_clusters, *candidate.bounds)
            model = strategy(candidate.n_clusters, polytope, seed).fit(inside, self.codes)
            self.cell_indices[key] = model.predict(inside), model.predict(outside)
        return self.cell_indices[key]


def part_of(part: BaseEstimator, informative: bool) -> Any:
    """An unfitted basis or space, which leaves out uninformative columns where ``informative``."""
    fresh = clone(part)
    return fresh.set_params(informative=True) if informative and "informative" in fresh.get_params() else fresh


def score_all_rows(
    folds: Sequence[Fold], basis: str, informative: bool = False, tol: float = TOLERANCE
) -> list[Scored]:
    """Logistic regression on one basis, for one penalty after the other while that helps."""

    def probabilities(fold: Fold) -> Iterator[Answer]:
        whole, outside = fold.linear(basis, informative)
        for penalty, W in zip(PENALTIES, all_rows_path(whole, PENALTIES, tol)):
            fold.whole[basis, informative, penalty] = W
            yield softmax(outside @ W)

    candidates = [Candidate(basis, penalty, informative=informative) for penalty in PENALTIES]
    return descend([probabilities(fold) for fold in folds], folds, candidates)


def cell_answers(
    fold: Fold,
    common: Candidate,
    strategy: Strategy,
    seed: int,
    local_penalties: Sequence[float],
    tol: float = TOLERANCE,
) -> Iterator[Answer]:
    """Probabilities of the held-out rows by the local models on cells, for one local penalty after the other."""
    cell_index, new_cell_index = fold.cells(common, strategy, seed)
    whole, outside = fold.linear(common.basis, common.informative)
    W = fold.whole[common.basis, common.informative, common.penalty]
    groups = cell_groups(whole._replace(scores=whole.X @ W), cell_index, common.n_clusters)
    met = [(i, np.flatnonzero(new_cell_index == i)) for i in np.unique(new_cell_index)]
    base = outside @ W
    for deviations in path(groups, local_penalties, tol):
        scores = base.copy()
        for i, rows in met:
            scores[rows] += outside[rows] @ deviations[i]
        yield softmax(scores)


def descend(
    answers: Sequence[Iterator[Answer]], folds: Sequence[Fold], candidates: Sequence[Candidate]
) -> list[Scored]:
    """Score candidates in turn by their answers in the folds, up to the first without an improvement."""
    codes = np.concatenate([fold.every_code[fold.test] for fold in folds])
    found: list[Scored] = []
    for candidate, *parts in zip(candidates, *answers):
        P = np.concatenate(parts).astype(np.float64)
        true = (1.0 - FLOOR) * P[np.arange(len(codes)), codes] + FLOOR / P.shape[1]
        found.append(Scored(candidate, -np.log(true), P.argmax(axis=1) == codes))
        if len(found) > 1 and found[-1].loss >= found[-2].loss:
            break
    return found
