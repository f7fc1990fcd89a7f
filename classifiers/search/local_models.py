"""Local linear models whose strategy, k, bounds and shrinkage are chosen on rows that were held out.

    (1)  logistic regression       every basis and penalty, splines with more knots where splines help, the best and
                                   products on the columns that tell the classes apart better than chance, too
                                   the reference: one cell
    (2)  cells                     8 and 4 in every space; then 24, 64 in the best one while that helps; and 8 and 4 of
                                   `ClusterwiseRegression`, which looks at the class
    (3)  basis, strategy, bounds   the others, in the best space with the best k, if (2) has helped at all
    (4)  the best of (2), (3) is taken where its held-out loss is below that of (1) by more than two standard errors
         of the difference, paired by rows; otherwise one cell, that is logistic regression

A candidate of (2) and (3) is scored with several local penalties; where it loses by more than one standard error to the
best so far in the first fold, it is not tried in the others. The search is greedy, sees at most `MOST` rows, and
its folds use only the rows that ``fit`` is given: rows that are held out around it give an unbiased figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from itertools import tee
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection import ParameterGrid, StratifiedKFold, train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ...base.checks import whole_number
from ...base.deadline import Deadline
from ...base.errors import InvalidInputError
from ...models.polytope.polytope import PartitionPolytope
from ...solvers.cac.partitioner import CAC
from ...solvers.geometric.partitioner import GeometricPartitioner
from ...solvers.partition import Partition
from ...solvers.predictive.clusterwise import ClusterwiseRegression
from ..cell_classifier import CellClassifier
from ..linear.pooled import PooledLogisticRegression
from ..local_collection import pick
from ..local_models import LocalModelClassifier
from .out_of_fold import (
    LOCAL_PENALTIES,
    PARTS,
    SPACES,
    Candidate,
    Fold,
    Scored,
    cell_answers,
    descend,
    part_of,
    score_all_rows,
)

STRATEGIES: dict[str, Callable[..., BaseEstimator]] = {
    "bounded k-means": partial(GeometricPartitioner, objective="lsa", max_iter=5),
    "CAC": partial(CAC, alpha=0.3, n_init=1, max_iter=3),
    "clusterwise regression": partial(ClusterwiseRegression, n_init=1, max_iter=20),
}
CELLS, MORE_CELLS = (8, 4), (24, 64)  # Numbers of cells that are tried in every space, and in the best one.
WIDTHS = ((0.5, 1.5), (0.2, 3.0))  # Lower and upper bounds on sizes in units of n / k.
WIDER = 2  # Widest space tried, in columns of the narrowest: wide ones cost more and say less.
SMALL = 20_000  # Tables with up to this many entries may use any space.
ROWS_A_CELL = 8  # Smallest average number of rows per cell.
MOST = 5000  # Rows from which the choice is made at most.
CHOSEN = 2.0  # Standard errors by which several cells must beat one cell.
Z95 = 1.96  # Half width of a 95 % interval in standard errors.
REGIMES = "clusterwise regression"


class Choice(NamedTuple):
    """One line of what was tried: held-out loss and accuracy of the best penalties, in the folds where it was tried."""

    candidate: Candidate
    loss: float
    accuracy: float
    seconds: float


class Comparison(NamedTuple):
    """The best one-cell model and the chosen one on the same held-out rows: log-loss and accuracy of both, and what the
    chosen one gains, with 95 % intervals of the paired difference (gain, low, high)."""

    one_cell: Candidate
    losses: tuple[float, float]
    accuracies: tuple[float, float]
    loss_gain: tuple[float, float, float]
    accuracy_gain: tuple[float, float, float]

    @classmethod
    def of(cls, alone: Scored, chosen: Scored) -> Comparison:
        """From held-out losses and hits of both."""
        pairs = (alone.losses - chosen.losses, chosen.right.astype(float) - alone.right)
        gains = [_interval(difference, Z95) for difference in pairs]
        return cls(alone.candidate, (alone.loss, chosen.loss), (alone.accuracy, chosen.accuracy), *gains)


@dataclass(eq=False, repr=False)
class LocalModelSearch(CellClassifier):
    """Local linear models in bounded clusters, everything about them chosen out of fold; often one cell is best.

    Parameters
    ----------
    n_starts : int, optional
        Clusterings of the final model; default 5, and 3 from 3000 rows on.
    cv : int, optional
        Stratified folds of the search; default 3 below 3000 rows, and from there on one split that holds a quarter out.
    time_limit : float, optional
        Seconds for search and final fit: a candidate is tried only if it is expected to leave time for the final fit.
        What is chosen then depends on the machine; without a limit it depends on the seed alone.
    random_state : int, default 0
        Seed of folds and starts.

    Attributes
    ----------
    best_estimator_ : LocalModelClassifier
        Learnt on all rows by what was chosen.
    best_candidate_ : Candidate
        What was chosen: basis, penalty, n_clusters, local_penalty, strategy, space, bounds in units of n / k, and
        whether only columns are used that tell the classes apart better than chance.
    tried_ : list of Choice
        Everything that was tried, in order, with held-out log-loss and accuracy. The figures of the best are
        optimistic, being the best of many.
    comparison_ : Comparison
        What the chosen cells add to the best one-cell model on the held-out rows of the search: log-loss, accuracy, and
        both differences with their 95 % intervals, paired by rows.
    stopped_ : bool
        Whether the time limit left candidates untried.

    Raises
    ------
    InvalidInputError
        From ``fit``: fewer than two classes with more than one row; an option that is not usable.

    Notes
    -----
    Numbers may be missing and columns may hold words: see `LinearBasis`. The cells are those of a power diagram of the
    encoded rows; every model in them is linear in the columns of the basis.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from partitope.classifiers import LocalModelSearch
    >>> X, y = make_moons(300, noise=0.15, random_state=0)
    >>> search = LocalModelSearch().fit(X, y)
    >>> search.score(X, y) > 0.95
    True
    """

    _: KW_ONLY
    n_starts: int | None = None
    cv: int | None = None
    time_limit: float | None = None
    random_state: int = 0

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Choose on held-out rows of X (n, d) with classes y (n,), and learn the choice on all of them."""
        deadline = Deadline(self.time_limit)
        X, codes = self._validate(X, y)
        n = len(codes)
        run = _Search(self._folds(X, codes), deadline, n, self._final_starts(n), self.random_state)
        alone, chosen = run.choose()
        self.best_candidate_, self.comparison_ = chosen.candidate, Comparison.of(alone, chosen)
        self.tried_, self.stopped_ = run.tried, deadline.missed
        self.best_estimator_ = self._build(n).fit(X, self.classes_[codes])
        return self

    def _folds(self, X: Any, codes: NDArray[np.int64]) -> list[Fold]:
        """Splits of the rows; the row of a class that has no other is learnt from in all of them."""
        n, C, counts = len(codes), len(self.classes_), np.bincount(codes)
        if self.cv is not None:
            whole_number(self.cv, "cv", 2)
        if np.count_nonzero(counts > 1) < 2:
            rare = self.classes_[counts.argmin()]
            raise InvalidInputError(f"class '{rare}' has one row: held-out figures need two classes of at least two")
        single = self.cv is None and n >= 3000
        count = min(self.cv or (4 if single else 3), int(counts[counts > 1].min()))
        splitter = StratifiedKFold(count, shuffle=True, random_state=self.random_state)
        often, alone = np.flatnonzero(counts[codes] > 1), np.flatnonzero(counts[codes] == 1)
        if len(often) > MOST:
            strata = codes[often]
            some, _ = train_test_split(often, train_size=MOST, stratify=strata, random_state=self.random_state)
            often = np.sort(some)
        used, always = np.concatenate([often, alone]), len(often) + np.arange(len(alone))
        splits = list(splitter.split(often, codes[often]))[: 1 if single else None]
        rows = pick(X, used), codes[used], C
        return [Fold(*rows, np.concatenate([train, always]), test) for train, test in splits]

    def _final_starts(self, n: int) -> int:
        if self.n_starts is not None:
            return whole_number(self.n_starts, "n_starts")
        return 3 if n >= 3000 else 5

    def _build(self, n: int) -> LocalModelClassifier:
        """The chosen model, not yet fitted, for n rows."""
        chosen = self.best_candidate_
        pooled = PooledLogisticRegression(chosen.penalty, precision="single")
        basis = part_of(PARTS[chosen.basis], chosen.informative)
        encoder = part_of(PARTS[chosen.space or "standardised"], chosen.informative)
        if chosen.n_clusters == 1:
            return LocalModelClassifier(GeometricPartitioner(1), pooled, encoder=encoder, basis=basis)
        polytope = PartitionPolytope.within(n, chosen.n_clusters, *chosen.bounds)
        return LocalModelClassifier(
            strategy_of(chosen.strategy, chosen.n_clusters, polytope, self.random_state),
            pooled.set_params(local_penalty=chosen.local_penalty),
            train_on="cells",
            encoder=encoder,
            basis=basis,
            n_starts=self._final_starts(n),
            random_state=self.random_state,
        )

    @property
    def partition_(self) -> Partition:
        """Partition of the start with the best objective."""
        return self.best_estimator_.partition_

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Cell (n,) of every row of X (n, d), in the start with the best objective."""
        check_is_fitted(self)
        return self.best_estimator_.apply(self._table(X, reset=False))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(j | x) (n, C), the mean over the starts."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(self._table(X, reset=False))


def strategy_of(name: str, k: int, polytope: PartitionPolytope, seed: int) -> BaseEstimator:
    """A strategy of the table, with its bounds."""
    return STRATEGIES[name](n_clusters=k, lower=polytope.lower, upper=polytope.upper, random_state=seed)


class _Search:
    """The steps (1) to (4), as long as there is time."""

    def __init__(self, folds: Sequence[Fold], deadline: Deadline, n_rows: int, final_starts: int, seed: int) -> None:
        self.folds, self.deadline = folds, deadline
        self.seed = int(check_random_state(seed).randint(np.iinfo(np.int32).max))
        self.final = final_starts / len(folds) * n_rows / len(folds[0].train)  # in units of a candidate
        self.tried: list[Choice] = []
        # splines differ from straight lines where some number has enough values
        self.bends = folds[0].view("spline")[0].bent_.size > 0

    def choose(self) -> tuple[Scored, Scored]:
        """The best of one cell, and the best candidate by (4)."""
        alone = self._alone()
        best = self._cells(alone)
        return alone, alone if best is None or not _clearly_less(best.losses, alone.losses, CHOSEN) else best

    def _alone(self) -> Scored:
        """(1)."""
        every = {"linear": self._one_cell("linear")}
        if self.bends:
            every["spline"] = self._one_cell("spline")
            if every["spline"].loss < every["linear"].loss:
                every["fine spline"] = self._one_cell("fine spline")
        for name in ("products", "log-odds"):
            every[name] = self._one_cell(name)
        best = min(every.values(), key=lambda one: one.loss)
        self.alone = every
        if any(len(fold.view("conditional means")[0].informative_) < fold.X.shape[1] for fold in self.folds):
            names = {best.candidate.basis: None, "products": None}
            some = {name: self._one_cell(name, informative=True) for name in names}
            found = min(some.values(), key=lambda one: one.loss)
            if found.loss < best.loss:
                self.alone, best = some, found
        return best

    def _one_cell(self, basis: str, informative: bool = False) -> Scored:
        """Logistic regression on this basis."""
        return self._note(partial(score_all_rows, self.folds, basis, informative))

    def _cells(self, alone: Scored) -> Scored | None:
        """(2) and (3); None where there are too few rows for cells, or no time."""
        train = self.folds[0].train
        most = len(train) // ROWS_A_CELL
        if not self.bends:  # few values make it cheap to count the distinct rows
            most = min(most, len(np.unique(self.folds[0].view("linear")[1], axis=0)))
        counts = [k for k in dict.fromkeys(min(k, most) for k in CELLS) if k > 1]
        # spaces of many times the columns of another only where there are few entries
        columns = {name: self.folds[0].view(name, alone.candidate.informative)[1].shape[1] for name in SPACES}
        widest = max(WIDER * min(columns.values()), SMALL // len(train))
        spaces = [name for name in SPACES if columns[name] <= widest]
        first = alone.candidate._replace(strategy="bounded k-means", bounds=WIDTHS[0])
        best: Scored | None = None
        for changes in ParameterGrid({"space": spaces, "n_clusters": counts}) if counts else ():
            best = self._better(best, first._replace(**changes))
        if best is None:
            return None
        for k in (k for k in MORE_CELLS if k <= most):
            before, best = best, self._better(best, best.candidate._replace(n_clusters=k))
            if best is before:
                break
        regimes = first._replace(strategy=REGIMES, space="standardised", bounds=WIDTHS[-1])
        for k in counts:
            best = self._better(best, regimes._replace(n_clusters=k))
        if best.loss >= alone.loss:
            return None
        for other in sorted(set(self.alone) - {best.candidate.basis}, key=lambda name: self.alone[name].loss)[:1]:
            penalty = self.alone[other].candidate.penalty
            best = self._better(best, best.candidate._replace(basis=other, penalty=penalty))
        if best.candidate.strategy != REGIMES:
            best = self._better(best, best.candidate._replace(strategy="CAC"))
        for width in WIDTHS[1:]:
            best = self._better(best, best.candidate._replace(bounds=width))
        return best

    def _better(self, best: BaseEstimator, candidate: Candidate) -> BaseEstimator:
        """The best of what was and the candidate, where there is time to try it."""
        seconds = max((one.seconds for one in self.tried), default=0.0)
        if not self.deadline.allows(seconds * (1.0 + self.final)):
            return best
        penalties: Sequence[float] = LOCAL_PENALTIES
        if best is not None:
            place = LOCAL_PENALTIES.index(best.candidate.local_penalty)
            penalties = LOCAL_PENALTIES[max(place - 1, 0) : place + 2]
        strategy = partial(strategy_of, candidate.strategy)
        answers = [cell_answers(fold, candidate, strategy, self.seed, penalties) for fold in self.folds]
        candidates = [candidate._replace(local_penalty=penalty) for penalty in penalties]
        spent = 0.0
        if best is not None and len(self.folds) > 1:
            alone, answers[0] = tee(answers[0])
            first = self._note(partial(descend, [alone], self.folds[:1], candidates))
            if _clearly_less(best.losses[: len(first.losses)], first.losses):
                return best
            spent = self.tried.pop().seconds
        found = self._note(partial(descend, answers, self.folds, candidates), spent)
        return found if best is None or found.loss < best.loss else best

    def _note(self, work: Callable[[], list[Scored]], spent: float = 0.0) -> Scored:
        """Do a piece of work for which seconds were spent before, and keep what it says of its best candidate."""
        started = self.deadline.elapsed
        scored = work()
        best = min(scored, key=lambda one: one.loss)
        self.tried.append(Choice(best.candidate, best.loss, best.accuracy, spent + self.deadline.elapsed - started))
        return best


def _clearly_less(losses: NDArray[np.float64], others: NDArray[np.float64], errors: float = 1.0) -> bool:
    """Whether losses of the same rows are lower by more than ``errors`` standard errors of their mean difference."""
    return _interval(others - losses, errors)[1] > 0.0


def _interval(difference: NDArray[np.float64], errors: float) -> tuple[float, float, float]:
    """Mean of a paired difference (m,), less and plus this number of standard errors."""
    mean, half = float(difference.mean()), errors * float(difference.std()) / np.sqrt(len(difference))
    return mean, mean - half, mean + half
