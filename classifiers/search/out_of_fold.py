"""What local linear models lose on rows that were held out: the figure by which they are chosen.

    (1)  loss_j = -log( (1 - e) P(y_j | x_j) + e / C ),   e = 0.01, P learnt without the class of row j

Whatever looks at no class is computed once from all rows: the columns of the linear models, the standardised space, and
the clusterings of a strategy without target in it. Whatever looks at classes is learnt from the training rows of a
fold: conditional means, the model of all rows, other clusterings, the deviations of the cells. Everything is kept, so
that candidates share it. Penalties are gone down in turn, in all folds at once, until the mean of (1) no longer falls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing, get_tags

from ...base.record import Record
from ...models.polytope.polytope import PartitionPolytope
from ...stats.multinomial import Group, path, softmax
from ..encoders.conditional_mean import ConditionalMeanEncoder
from ..linear.basis import LinearBasis, log_odds, scale
from ..linear.pooled import all_rows_path, as_group, cell_groups, with_intercept
from ..local_collection import pick

BASES = {
    "linear": LinearBasis(),
    "spline": LinearBasis("spline"),
    "fine spline": LinearBasis("spline", knots=9),
    "products": LinearBasis("products"),
    "log-odds": LinearBasis("spline", log_odds=True),
}
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
Places = tuple[int, ...]


@dataclass(eq=False)
class Rows:
    """All rows of a search, the spaces that strategies may see, and what was already computed without classes."""

    X: Any
    codes: NDArray[np.int64]
    n_classes: int
    spaces: Record
    points: Record = field(default_factory=dict)
    cell_indices: dict[tuple[Candidate, int], NDArray[np.int64]] = field(default_factory=dict)
    columns: dict[tuple[Places, int], tuple[LinearBasis, NDArray[np.float32]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.d = self.X.shape[1]

    @property
    def bends(self) -> bool:
        """Whether some number has enough values for splines to differ from it."""
        return bool(self._basis_of("linear", tuple(range(self.d)))[0].bent_.size)

    @property
    def distinct(self) -> int:
        """Number of distinct rows if few values make it cheap to count them; n otherwise."""
        if self.bends:
            return len(self.codes)
        return len(np.unique(self.linear("linear", tuple(range(self.d))), axis=0))

    def linear(self, name: str, kept: Places) -> NDArray[np.float32]:
        """The basis of this name on these columns of the table, without log-odds, and a last column of ones."""
        basis, columns = self._basis_of(name, kept)
        return with_intercept(columns[:, basis.columns_of(BASES[name].kind)])

    def _basis_of(self, name: str, kept: Places) -> tuple[LinearBasis, NDArray[np.float32]]:
        """The basis that holds the columns of this one, and its columns: products hold all others of as many knots."""
        wanted = BASES[name]
        if (kept, wanted.knots) not in self.columns:
            basis = LinearBasis("products" if wanted.knots == LinearBasis().knots else wanted.kind, knots=wanted.knots)
            found = basis.fit_transform(self.X if len(kept) == self.d else _safe_indexing(self.X, kept, axis=1))
            self.columns[kept, wanted.knots] = basis, found.astype(np.float32)
        return self.columns[kept, wanted.knots]

    def space(self, name: str) -> Any:
        """Points (n, d) of a space that looks at no class; None of another."""
        if name not in self.points:
            encoder = clone(self.spaces[name])
            blind = not get_tags(encoder).target_tags.required
            self.points[name] = encoder.fit_transform(self.X) if blind else None
        return self.points[name]


@dataclass(eq=False)
class Fold:
    """Training and held-out rows of one split, and what was already learnt from them."""

    rows: Rows
    train: NDArray[np.int64]
    test: NDArray[np.int64]
    columns: dict[tuple[str, bool], tuple[Group, NDArray[np.float32]]] = field(default_factory=dict)
    points: dict[tuple[str, bool], tuple[Any, Any]] = field(default_factory=dict)
    encoders: dict[str, BaseEstimator] = field(default_factory=dict)
    whole: dict[tuple[str, bool, float], NDArray[np.floating]] = field(default_factory=dict)
    cell_indices: dict[tuple[Candidate, int], tuple[NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=dict)

    @property
    def codes(self) -> NDArray[np.int64]:
        """Classes of the training rows."""
        return self.rows.codes[self.train]

    @property
    def kept_columns(self) -> Places:
        """Columns of the table that a space of conditional means retains; all of them without such a space."""
        name = self.means
        if name is None:
            return tuple(range(self.rows.d))
        self.space(name)
        return tuple(self.encoders[name].informative_.tolist())

    @property
    def means(self) -> str | None:
        """Name of the space of conditional means, where there is one."""
        return next((name for name, kind in self.rows.spaces.items() if isinstance(kind, ConditionalMeanEncoder)), None)

    def linear(self, kind: str, informative: bool) -> tuple[Group, NDArray[np.float32]]:
        """Columns of the training rows as a group without scores, and those of the held-out rows."""
        if (kind, informative) not in self.columns:
            every = self.rows.linear(kind, self.kept_columns if informative else tuple(range(self.rows.d)))
            inside, outside = every[self.train], every[self.test]
            if BASES[kind].log_odds and self.means is not None:
                odds = [log_odds(shares) for shares in self.space(self.means)]
                middle, spread = odds[0].mean(axis=0), scale(odds[0])
                inside, outside = (
                    np.hstack([((more - middle) / spread).astype(np.float32), part])
                    for more, part in zip(odds, (inside, outside))
                )
            self.columns[kind, informative] = as_group(inside, self.codes, self.rows.n_classes), outside
        return self.columns[kind, informative]

    def space(self, name: str, informative: bool = False) -> tuple[Any, Any]:
        """Points of the training and of the held-out rows, encoded by the training rows where classes are needed."""
        informative = informative and "informative" in self.rows.spaces[name].get_params()
        if (name, informative) not in self.points:
            every = None if informative else self.rows.space(name)
            if every is None:
                encoder = space_of(self.rows.spaces[name], informative)
                inside = encoder.fit_transform(pick(self.rows.X, self.train), self.codes)
                self.encoders[name] = encoder
                self.points[name, informative] = inside, encoder.transform(pick(self.rows.X, self.test))
            else:
                self.points[name, informative] = every[self.train], every[self.test]
        return self.points[name, informative]

    def cells(self, candidate: Candidate, strategy: Strategy, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Cells of the training and of the held-out rows."""
        key = candidate._replace(basis="", penalty=0.0, local_penalty=0.0), seed
        if key not in self.cell_indices:
            k, informative = candidate.n_clusters, candidate.informative
            every = None if informative else self.rows.space(candidate.space)
            n = len(self.train) if every is None else len(every)
            model = strategy(k, PartitionPolytope.within(n, k, *candidate.bounds), seed)
            if every is not None and model.needs.target == "ignored":
                if key not in self.rows.cell_indices:
                    self.rows.cell_indices[key] = model.fit(every).predict(every)
                cell_index = self.rows.cell_indices[key]
                self.cell_indices[key] = cell_index[self.train], cell_index[self.test]
            else:
                inside, outside = self.space(candidate.space, informative)
                model = strategy(k, PartitionPolytope.within(len(inside), k, *candidate.bounds), seed)
                model.fit(inside, self.codes)
                self.cell_indices[key] = model.predict(inside), model.predict(outside)
        return self.cell_indices[key]


def space_of(encoder: BaseEstimator, informative: bool) -> Any:
    """An unfitted encoder, which leaves out uninformative columns where ``informative``."""
    fresh = clone(encoder)
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
    codes = np.concatenate([fold.rows.codes[fold.test] for fold in folds])
    found: list[Scored] = []
    for candidate, *parts in zip(candidates, *answers):
        P = np.concatenate(parts).astype(np.float64)
        true = (1.0 - FLOOR) * P[np.arange(len(codes)), codes] + FLOOR / P.shape[1]
        found.append(Scored(candidate, -np.log(true), P.argmax(axis=1) == codes))
        if len(found) > 1 and found[-1].loss >= found[-2].loss:
            break
    return found
