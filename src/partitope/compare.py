"""Every strategy on the same data, the same bounds and the same folds.

For each method (a row of the comparison), with bounds l <= u on the sizes of k clusters of n rows:

    (1)  Z = encoding of the whole table; m starts; the start with the best objective is shown: its objective,
         the sum of squares re-measured on Z whatever the method optimises, its sizes, its seconds, its proof.
    (2)  f stratified folds. In each, encoder and partition see the training rows only; m starts; the class
         shares of the cells score the held-out rows (`ClusteringClassifier`). Accuracy and AUC are means over
         the folds.
    (3)  A fold that trains on n' of n rows uses the bounds floor(l n' / n) and ceil(u n' / n), which are
         feasible whenever l and u are.

The seeds of the starts and the folds come from one seed and are the same for every method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state

from .bounds_text import default_bounds, scale_bounds
from .classifiers import ClusteringClassifier, ConditionalMeanEncoder, LeastSquaresWeighting
from .compare_methods import CovariateBound, Method, choose_methods, sense_of
from .datasets_result import Dataset
from .models.errors import InvalidInputError, PartitopeError
from .models.polytope import PartitionPolytope
from .solvers import Partition

Progress = Callable[[int, int, str], None]
"""``progress(done, total, text)``, called after each piece of work."""
SMALL_TABLE = 1_000_000  # entries


@dataclass(frozen=True, eq=False)
class Settings:
    """What all methods share.

    Attributes
    ----------
    n_clusters : int
        k.
    lower, upper : (k,) ndarray
        Size bounds for the whole table.
    folds, starts, seed : int
        Folds of the cross-validation, starts of every method, seed of both.
    aggregate : {"mean", "max"}
        How the classifier reads its starts.
    weighting : bool
        Whether encoded columns are weighted by least squares.
    default_bounds : bool
        Whether the bounds are the rule "n/k give or take a fifth".
    """

    n_clusters: int
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    folds: int
    starts: int
    seed: int
    aggregate: Literal["mean", "max"]
    weighting: bool
    default_bounds: bool


@dataclass(frozen=True, eq=False)
class Row:
    """What one method reached; None or nan where it has no such figure, with the reason in ``note``.

    Attributes
    ----------
    method : Method
        Which method.
    partition : Partition or None
        Of the whole table, from the best start.
    sense : {"max", "min"}
        Whether a larger objective is better.
    sum_of_squares : float
        Within-cluster sum of squares of ``partition``.
    within_bounds : bool or None
        Whether the sizes of ``partition`` respect the bounds.
    seconds : float
        Wall time of all starts on the whole table.
    accuracy, auc : float
        Means over the folds; AUC one class against the rest, averaged, for more than two classes.
    accuracy_sd, auc_sd : float
        Standard deviations over the folds.
    scores : (n, C) ndarray or None
        Class scores of every row from the fold that held it out.
    cv_seconds : float
        Wall time of the cross-validation.
    note : str
        Why figures are missing.
    """

    method: Method
    partition: Partition | None = None
    sense: str = "max"
    sum_of_squares: float = np.nan
    within_bounds: bool | None = None
    seconds: float = np.nan
    accuracy: float = np.nan
    accuracy_sd: float = np.nan
    auc: float = np.nan
    auc_sd: float = np.nan
    scores: NDArray[np.float64] | None = None
    cv_seconds: float = np.nan
    note: str = ""

    @property
    def proof(self) -> str:
        """ "global" (optimum enclosed), "step" (last assignment certified optimal for its sites) or "none"."""
        if self.partition is None or not self.partition.proved:
            return "none"
        bound = self.partition.bound
        return "global" if bound is not None and bound.gap <= 1e-9 else "step"


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of `compare`.

    Attributes
    ----------
    data : Dataset
        What was compared on.
    settings : Settings
        What all methods share.
    rows : tuple of Row
        One a method.
    points : (n, p) ndarray
        Encoded (and weighted) rows of the whole table: what was clustered.
    seconds : float
        Wall time of everything.
    """

    data: Dataset
    settings: Settings
    rows: tuple[Row, ...]
    points: NDArray[np.float64] = field(repr=False)
    seconds: float = np.nan


def compare(
    data: Dataset,
    n_clusters: int = 5,
    *,
    lower: ArrayLike | None = None,
    upper: ArrayLike | None = None,
    folds: int = 5,
    starts: int = 10,
    seed: int = 0,
    methods: Sequence[str] | None = None,
    aggregate: Literal["mean", "max"] = "mean",
    weighting: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Run every method on the same data, bounds and folds.

    Parameters
    ----------
    data : Dataset
        Table, classes and, where a strategy needs them, covariates.
    n_clusters : int, default 5
        Number of clusters k.
    lower, upper : (k,) array_like or number, optional
        Size bounds for the whole table. With neither, every size may differ from n/k by a fifth; with one,
        the other is 0 or n.
    folds : int, default 5
        Folds of the stratified cross-validation.
    starts : int, default 10
        Starts of every method, in every fold and on the whole table.
    seed : int, default 0
        Seed of folds and starts.
    methods : sequence of str, optional
        Row or strategy names; None means all.
    aggregate : {"mean", "max"}, default "mean"
        Score a row by the mean over the starts or by the start with the best objective.
    weighting : bool, default False
        Weight the encoded columns by least squares.
    progress : callable, optional
        ``progress(done, total, text)`` after each piece of work.

    Returns
    -------
    Comparison

    Raises
    ------
    InvalidInputError
        When an argument or the table cannot be used.
    InfeasibleBoundsError
        When the bounds fit no clustering of the table.

    Notes
    -----
    A method that fails on its own keeps its row, with the reason as its note. Same seed, same result,
    whatever the number of threads.

    Examples
    --------
    >>> from partitope.compare import compare
    >>> from partitope.datasets import load_breast_cancer
    >>> result = compare(load_breast_cancer(), 2, starts=1, folds=2, methods=["kmeans"])
    >>> result.rows[0].accuracy > 0.9
    True
    """
    started = perf_counter()
    chosen = choose_methods(methods)
    settings = _settings(data, n_clusters, lower, upper, folds, starts, seed, aggregate, weighting)
    _, codes = np.unique(data.y, return_inverse=True)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    splits = list(splitter.split(codes, codes))
    points = _encode(data, settings)
    report = _Report(len(chosen) * (folds + 1), progress)
    rows = []
    with _threads_for(points.size):
        for method in chosen:
            reason = _refusal(method, data)
            if reason:
                rows.append(Row(method, note=reason))
                report(folds + 1, f"{method.name}: left out")
                continue
            row = _whole_table(Row(method), data, points, codes, settings)
            report(1, f"{method.name}: whole table")
            rows.append(_cross_validate(row, data, codes, splits, settings, report))
    return Comparison(data, settings, tuple(rows), points, perf_counter() - started)


@contextmanager
def _threads_for(n_entries: int) -> Iterator[None]:
    """One thread for small tables, where starting threads costs more than they save; no result depends on it."""
    if n_entries >= SMALL_TABLE:
        yield
        return
    import numba
    from threadpoolctl import threadpool_limits

    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        numba.set_num_threads(before)


class _Report:
    """Counts finished pieces for the progress callback."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.done, self.total, self.progress = 0, total, progress

    def __call__(self, pieces: int, text: str) -> None:
        self.done += pieces
        if self.progress is not None:
            self.progress(self.done, self.total, text)


def _settings(
    data: Dataset, k: int, lower: Any, upper: Any, folds: int, starts: int, seed: int, aggregate: Any, weighting: bool
) -> Settings:
    """Checked settings, with bounds for every cluster."""
    n = len(data.y)
    for name, value, least in [("n_clusters", k, 1), ("folds", folds, 2), ("starts", starts, 1), ("seed", seed, 0)]:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InvalidInputError(f"{name}={value!r} is not usable: pass an integer of at least {least}")
    if aggregate not in ("mean", "max"):
        raise InvalidInputError(f"aggregate={aggregate!r} is not known: choose 'mean' or 'max'")
    classes, counts = np.unique(data.y, return_counts=True)
    if len(classes) < 2:
        raise InvalidInputError(f"target {data.target_name!r} holds one class only, '{classes[0]}': expected two")
    if folds > counts.min():
        rare = classes[counts.argmin()]
        raise InvalidInputError(
            f"folds={folds} exceeds the {counts.min()} rows of class '{rare}': use at most "
            f"{max(int(counts.min()), 2)} folds" + (" and more rows of that class" if counts.min() < 2 else "")
        )
    smallest_part = n - -(-n // folds)
    if k > smallest_part:
        raise InvalidInputError(
            f"n_clusters={k} exceeds the {smallest_part} training rows of a fold ({n} rows, {folds} folds): "
            f"ask for at most {smallest_part} clusters"
        )
    free = lower is None and upper is None
    if free:
        lower, upper = default_bounds(n, k)
    polytope = PartitionPolytope(n, lower, upper, n_clusters=k)
    polytope.check()
    return Settings(k, polytope.lower, polytope.upper, folds, starts, seed, aggregate, weighting, free)


def _encode(data: Dataset, settings: Settings) -> NDArray[np.float64]:
    points = ConditionalMeanEncoder().fit(data.X, data.y).transform(data.X)
    return LeastSquaresWeighting().fit(points, data.y).transform(points) if settings.weighting else points


def _refusal(method: Method, data: Dataset) -> str:
    """Why a method cannot run on this table; empty when it can."""
    if method.needs.covariates == "required" and data.covariates is None:
        return "needs covariates: name their columns with --covariates"
    return ""


def _estimator(method: Method, data: Dataset, rows: NDArray | None, settings: Settings) -> Any:
    """Unfitted partitioner for all rows, or for a training part with its scaled bounds."""
    n = len(data.y)
    lower, upper = scale_bounds(settings.lower, settings.upper, n, n if rows is None else len(rows))
    partitioner = method.build(settings.n_clusters, lower, upper)
    if method.needs.covariates != "required":
        return partitioner
    covariates = data.covariates if rows is None else data.rows(rows).covariates
    return CovariateBound(partitioner, covariates)


def _whole_table(row: Row, data: Dataset, points: NDArray, codes: NDArray, settings: Settings) -> Row:
    """Part (1) of the module's head."""
    started = perf_counter()
    seeds = check_random_state(settings.seed).randint(np.iinfo(np.int32).max, size=settings.starts)
    best: Partition | None = None
    try:
        base = _estimator(row.method, data, None, settings)
        sense = sense_of(base)
        for seed in seeds:
            found = clone(base).set_params(random_state=int(seed)).fit(points, codes).partition_
            if best is None or (
                found.objective > best.objective if sense == "max" else found.objective < best.objective
            ):
                best = found
    except (PartitopeError, ValueError) as error:
        return replace(row, note=_one_line(error))
    assert best is not None
    polytope = PartitionPolytope(len(points), settings.lower, settings.upper)
    return replace(
        row,
        partition=best,
        sense=sense,
        sum_of_squares=sum_of_squares(points, best.labels),
        within_bounds=polytope.contains(best.labels),
        seconds=perf_counter() - started,
    )


def _cross_validate(
    row: Row, data: Dataset, codes: NDArray, splits: Sequence[Any], settings: Settings, report: _Report
) -> Row:
    """Part (2) of the module's head."""
    if row.partition is None:
        report(len(splits), f"{row.method.name}: left out")
        return row
    started = perf_counter()
    n_classes = int(codes.max()) + 1
    scores = np.zeros((len(codes), n_classes))
    accuracy, auc = [], []
    for number, (train, test) in enumerate(splits, start=1):
        try:
            scores[test], hits = _one_fold(row.method, data, codes, train, test, settings)
        except (PartitopeError, ValueError) as error:
            report(len(splits) - number + 1, f"{row.method.name}: no cross-validation")
            return replace(row, note=_one_line(error))
        accuracy.append(float(hits.mean()))
        auc.append(area_under_curve(codes[test], scores[test]))
        report(1, f"{row.method.name}: fold {number} of {len(splits)}")
    return replace(
        row,
        accuracy=float(np.mean(accuracy)),
        accuracy_sd=float(np.std(accuracy, ddof=1)),
        auc=float(np.mean(auc)),
        auc_sd=float(np.std(auc, ddof=1)),
        scores=scores,
        cv_seconds=perf_counter() - started,
    )


def _one_fold(
    method: Method, data: Dataset, codes: NDArray, train: NDArray, test: NDArray, settings: Settings
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Scores (n_test, C) of the held-out rows, and whether the predicted class is right."""
    model = ClusteringClassifier(
        _estimator(method, data, train, settings),
        aggregate=settings.aggregate,
        n_starts=settings.starts,
        weighting="least-squares" if settings.weighting else None,
        random_state=settings.seed,
    )
    model.fit(data.X.iloc[train], codes[train])
    held_out = data.X.iloc[test]
    scores = model.predict_proba(held_out)
    if scores.shape[1] == 2:
        predicted = (scores[:, 1] >= model.threshold).astype(np.int64)
    else:
        predicted = scores.argmax(axis=1)
    return scores, predicted == codes[test]


def sum_of_squares(points: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """Sum over the clusters of squared distances to their means: O(n p)."""
    total = 0.0
    for i in np.unique(labels):
        members = points[labels == i]
        total += float(((members - members.mean(axis=0)) ** 2).sum())
    return total


def area_under_curve(codes: NDArray[np.int64], scores: NDArray[np.float64]) -> float:
    """AUC of class scores (n, C); for C > 2 the mean of one class against the rest; nan when a class is absent."""
    n_classes = scores.shape[1]
    if len(np.unique(codes)) < n_classes:
        return float("nan")
    if n_classes == 2:
        return float(roc_auc_score(codes, scores[:, 1]))
    return float(np.mean([roc_auc_score(codes == c, scores[:, c]) for c in range(n_classes)]))


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
