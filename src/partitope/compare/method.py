"""One method of a comparison: fitted on the whole table, then fold by fold.

A strategy that learns from few labels has one cluster a class. It gets the bounds of k / C clusters added up for each
of the C classes, and the labels of a tenth of the rows it is fitted on. No other label of theirs is used for it: its
columns are encoded, its cells scored and their local models learnt by that tenth alone. A row with a label counts for
the cell that it has where its label is hidden: with it, every cell would hold labels of its own class only.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from ..base.errors import PartitopeError, one_line
from ..classifiers import ConditionalMeanEncoder
from ..classifiers.cluster_values import ClusterValues, mean_scores
from ..datasets.dataset import Dataset
from ..models.objectives.objectives import sum_of_squares
from ..models.polytope.polytope import PartitionPolytope
from ..solvers.best_start import fit_starts, seeded_clones
from ..solvers.partition import Partition
from .local import FoldColumns
from .methods import Method
from .result import Row, Settings
from .scoring import Splits, measured

HIDDEN = 3  # Parts in which given labels are hidden, to see each row's cell without its own label.

Progress = Callable[[int, int, str], None]  # ``progress(done, total, text)``, called after each piece of work


class Report:
    """Counts finished pieces for the progress callback."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.done, self.total, self.progress = 0, total, progress

    def __call__(self, pieces: int, text: str) -> None:
        """Count finished pieces and pass the text on."""
        self.done += pieces
        if self.progress is not None:
            self.progress(self.done, self.total, text)


def refusal(method: Method, data: Dataset, n_clusters: int) -> str:
    """Why a method cannot run on this table; empty when it can."""
    if method.needs.covariates == "required" and data.covariates is None:
        return "needs covariates: name their columns with --covariates"
    if method.needs.cluster_per_class and n_clusters % len(data.classes):
        return f"one cluster a class: ask for a multiple of the {len(data.classes)} classes, not {n_clusters} clusters"
    return ""


def settings_of(method: Method, settings: Settings, n_classes: int) -> tuple[Settings, str]:
    """The settings under which a method runs, and what is to be said of them."""
    if not method.needs.cluster_per_class:
        return settings, ""
    polytope = settings.polytope
    lower, upper = (np.reshape(b, (n_classes, -1)).sum(axis=1) for b in (polytope.lower, polytope.upper))
    added = ", bounds added up" if settings.n_clusters > n_classes else ""
    note = f"{n_classes} classes, a tenth of the labels given{added}"
    return replace(settings, polytope=PartitionPolytope(polytope.n_points, lower, upper)), note


def hide_labels(codes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Labels (n,) with all but a random tenth replaced by -1; every class keeps at least one."""
    n, classes = len(codes), np.unique(codes)
    while True:
        kept = rng.permutation(n)[: max(round(0.1 * n), len(classes))]
        if len(np.unique(codes[kept])) == len(classes):
            given = np.full(n, -1, dtype=np.int64)
            given[kept] = codes[kept]
            return given


def labels_given(method: Method, codes: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """The labels (n,) that a method may see: all, or a tenth and -1 elsewhere."""
    return hide_labels(codes, np.random.default_rng(seed)) if method.needs.target == "partial" else codes


def encoded(
    X: Any, labels: NDArray[np.int64], others: Any = None
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """The table X, and other rows, as numbers: conditional means of the labels (n,) of X that are not -1."""
    known = labels >= 0
    # few labels may tell no column from chance: plain means then
    for encoder in (ConditionalMeanEncoder(), ConditionalMeanEncoder(smoothing=0.0, cross_fit=0)):
        points = np.asarray(encoder.fit_transform(X.iloc[known], labels[known]), dtype=np.float64)
        if np.ptp(points, axis=0).any():
            break
    if not known.all():
        given, points = points, np.empty((len(labels), points.shape[1]))
        points[known], points[~known] = given, encoder.transform(X.iloc[~known])
    return points, None if others is None else encoder.transform(others)


def warm_up(row: Row, data: Dataset, points: NDArray, codes: NDArray, settings: Settings) -> None:
    """One start on a few rows, so that the time of the whole table counts no compilation."""
    part = np.unique(np.linspace(0, len(codes) - 1, 300).astype(np.int64))
    X = data.X.iloc[part] if row.method.takes_tables else points[part]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            labels = labels_given(row.method, codes[part], settings.seed)
            _fit_starts(row.method, X, labels, _covariates(data, part), replace(settings, starts=1))
        except (PartitopeError, ValueError):
            return  # whatever is wrong shows in the row itself


def _fit_starts(
    method: Method, X: Any, labels: NDArray[np.int64], covariates: Any, settings: Settings
) -> tuple[list[Partition], int]:
    """All starts fitted on these rows, with bounds scaled to their number (4), and the index of the best."""
    polytope = settings.polytope.scaled_to(len(labels))
    base = method.build(polytope, covariates)
    given = covariates if method.needs.covariates == "required" else None
    starts = seeded_clones(base, settings.starts, check_random_state(settings.seed))
    return fit_starts(starts, X, labels, given)


def whole_table(row: Row, data: Dataset, points: NDArray, codes: NDArray, settings: Settings) -> Row:
    """Part (1) of the module's head."""
    started = perf_counter()
    labels = labels_given(row.method, codes, settings.seed)
    try:
        X: Any = data.X
        if not row.method.takes_tables:
            X = points if labels is codes else encoded(data.X, labels)[0]
        partitions, best = _fit_starts(row.method, X, labels, data.covariates, settings)
    except (PartitopeError, ValueError) as error:
        return replace(row, note=one_line(error))
    partition = partitions[best]
    return replace(
        row,
        partition=partition,
        sum_of_squares=sum_of_squares(points, partition.labels),
        within_bounds=settings.polytope.contains(partition.labels),
        seconds=perf_counter() - started,
    )


def cross_validate(
    row: Row,
    data: Dataset,
    codes: NDArray[np.int64],
    splits: Splits,
    columns: Sequence[FoldColumns],
    settings: Settings,
    report: Report,
) -> Row:
    """Parts (2) and (3) of the module's head."""
    if row.partition is None:
        report(len(splits), f"{row.name}: left out")
        return row
    started = perf_counter()
    scores = np.zeros((2, len(codes), int(codes.max()) + 1))
    for number, ((train, test), fold) in enumerate(zip(splits, columns), start=1):
        try:
            scores[:, test] = _one_fold(row.method, data, codes, train, test, fold, settings)
        except (PartitopeError, ValueError) as error:
            report(len(splits) - number + 1, f"{row.name}: no cross-validation")
            return replace(row, note=one_line(error))
        report(1, f"{row.name}: fold {number} of {len(splits)}")
    shares, local = (measured(codes, splits, part) for part in scores)
    return replace(row, folds=shares, local=local, cv_seconds=perf_counter() - started)


def _one_fold(
    method: Method,
    data: Dataset,
    codes: NDArray,
    train: NDArray,
    test: NDArray,
    columns: FoldColumns,
    settings: Settings,
) -> NDArray[np.float64]:
    """Scores (2, n_test, C) of the held-out rows, by class shares as in `ClusteringClassifier`, and by local models."""
    X: Any
    held_out: Any
    X, held_out = data.X.iloc[train], data.X.iloc[test]
    labels = labels_given(method, codes[train], settings.seed)
    if not method.takes_tables:
        X, held_out = encoded(X, labels, held_out)
    given, new = (_covariates(data, rows) for rows in (train, test))
    partitions, _ = _fit_starts(method, X, labels, given, settings)
    cells = [part.require_cells() for part in partitions]
    cell_indices = np.array([part.predict(X, given) for part in cells])
    known = np.flatnonzero(labels >= 0)
    if len(known) < len(labels):  # from here on, only rows with a label are read
        for hidden, remaining in without_some(labels):
            others, _ = _fit_starts(method, X, remaining, given, settings)
            rows = (X.iloc if method.takes_tables else X)[hidden]
            theirs = None if given is None else given.iloc[hidden]
            cell_indices[:, hidden] = [other.predict(rows, theirs) for other in others]
        columns = FoldColumns.of(data, codes, train[known], test)
        cell_indices, labels = cell_indices[:, known], labels[known]
    k, n_classes = settings.n_clusters, int(codes.max()) + 1
    values = [ClusterValues.fit(cell_index, labels, k, n_classes) for cell_index in cell_indices]
    shares = mean_scores(list(zip(cells, values)), held_out, new)
    return np.stack([shares, columns.scores(cells, cell_indices, held_out, new)])


def without_some(labels: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Rows with a label in `HIDDEN` parts, and the labels (n,) without them; every class keeps a label in each."""
    place = np.zeros(len(labels), dtype=np.int64)
    for label in np.unique(labels[labels >= 0]):
        rows = np.flatnonzero(labels == label)
        place[rows] = np.arange(1, len(rows) + 1) % HIDDEN if len(rows) > 1 else HIDDEN
    for part in range(HIDDEN):
        hidden = (labels >= 0) & (place == part)
        if hidden.any():
            yield np.flatnonzero(hidden), np.where(hidden, -1, labels)


def with_warnings(row: Row, caught: Sequence[warnings.WarningMessage]) -> Row:
    """The row with one message a kind of warning in its note."""
    messages = {warning.category: one_line(warning.message) for warning in reversed(caught)}
    texts = [text for text in messages.values() if text not in row.note]
    return replace(row, note="; ".join(filter(None, [row.note, *texts])))


def _covariates(data: Dataset, rows: NDArray) -> Any:
    return None if data.covariates is None else data.covariates.iloc[rows]
