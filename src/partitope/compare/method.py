"""One method of a comparison: fitted on the whole table, then fold by fold, as `ClusteringClassifier` fits it.

A strategy that learns from few labels has one cluster per class. It gets the bounds of k / C clusters added up for each
of the C classes, and the labels of a tenth of the rows it is fitted on. No other label of theirs is used for it: its
columns are encoded, its cells scored and their local models learnt by that tenth alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.deadline import clock
from ..base.errors import PartitopeError, one_line
from ..classifiers import ClusteringClassifier, ConditionalMeanEncoder
from ..datasets.dataset import Dataset
from ..models.objectives.objectives import sum_of_squares
from ..models.polytope.polytope import PartitionPolytope
from .local import FoldColumns
from .methods import Method
from .result import Row, Settings
from .scoring import measured

Progress = Callable[[int, int, str], None]  # ``progress(done, total, text)``, called after each piece of work
Report = Callable[[int, str], None]  # ``report(done, text)``, of the pieces of one method


def refusal(method: Method, data: Dataset, n_clusters: int) -> str:
    """Why a method cannot run on this table; empty when it can."""
    if method.needs.covariates == "required" and data.covariates is None:
        return "needs covariates: name their columns with --covariates"
    if method.needs.cluster_per_class and n_clusters % len(data.classes):
        return f"one cluster per class: ask for a multiple of the {len(data.classes)} classes, not {n_clusters}"
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


def encoded(X: Any, codes: NDArray[np.int64]) -> tuple[NDArray[np.float64], str]:
    """The table as numbers, and the encoder of `ClusteringClassifier` that makes them: plain means where few rows tell
    no column from chance."""
    points = ConditionalMeanEncoder().fit_transform(X, codes)
    if np.ptp(points, axis=0).any():
        return points, "auto"
    return ConditionalMeanEncoder(smoothing=0.0, cross_fit=0).fit_transform(X, codes), "plain"


def fitted(
    method: Method, data: Dataset, codes: NDArray[np.int64], rows: NDArray[np.int64], settings: Settings
) -> tuple[ClusteringClassifier, NDArray[np.int64]]:
    """All starts fitted on these rows, with bounds scaled to their number (4); and those of the rows with a label."""
    X, labelled = data.X.iloc[rows], np.arange(len(rows))
    labels: NDArray[Any] = codes[rows]
    if method.needs.target == "partial":
        hidden = hide_labels(labels, np.random.default_rng(settings.seed)) < 0
        labels, labelled = labels.astype(object), np.flatnonzero(~hidden)
        labels[hidden] = None
    covariates = None if data.covariates is None else data.covariates.iloc[rows]
    model = ClusteringClassifier(
        method.build(settings.polytope.scaled_to(len(rows)), covariates),
        n_starts=settings.starts,
        encoder=encoded(X.iloc[labelled], codes[rows[labelled]])[1],
        cleaner=None,
        random_state=settings.seed,
    )
    model.fit(X, labels, covariates=covariates if method.needs.covariates == "required" else None)
    return model, rows[labelled]


def compared(
    method: Method,
    data: Dataset,
    points: NDArray[np.float64],
    codes: NDArray[np.int64],
    folds: Sequence[tuple[Any, FoldColumns]],
    settings: Settings,
    report: Report,
) -> Row:
    """(1) to (3) of the head of `partitope.compare.run` for one method; what goes wrong is the note of its row."""
    reason = refusal(method, data, settings.n_clusters)
    if reason:
        return Row(method.name, method, note=reason)
    settings, remark = settings_of(method, settings, len(data.classes))
    row = Row(method.name, method, note=remark)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            started = clock()
            partition = fitted(method, data, codes, np.arange(len(codes)), settings)[0].partition_
            row = replace(
                row,
                partition=partition,
                sum_of_squares=sum_of_squares(points, partition.labels),
                within_bounds=settings.polytope.contains(partition.labels),
                seconds=clock() - started,
            )
            report(1, f"{method.name}: whole table")
            started, scores = clock(), np.zeros((2, len(codes), int(codes.max()) + 1))
            for number, ((train, test), columns) in enumerate(folds, start=1):
                scores[:, test] = _one_fold(method, data, codes, train, test, columns, settings)
                report(1 + number, f"{method.name}: fold {number} of {len(folds)}")
            shares, local = (measured(codes, [split for split, _ in folds], part) for part in scores)
            row = replace(row, folds=shares, local=local, cv_seconds=clock() - started)
        except (PartitopeError, ValueError) as error:
            row = replace(row, note=one_line(error))
    messages = {warning.category: one_line(warning.message) for warning in reversed(caught)}  # One of each kind.
    texts = [text for text in messages.values() if text not in row.note]
    return replace(row, note="; ".join(filter(None, [row.note, *texts])))


def _one_fold(
    method: Method,
    data: Dataset,
    codes: NDArray,
    train: NDArray,
    test: NDArray,
    columns: FoldColumns,
    settings: Settings,
) -> NDArray[np.float64]:
    """Scores (2, n_test, C) of the held-out rows, by the class shares of the cells and by local models."""
    model, labelled = fitted(method, data, codes, train, settings)
    if len(labelled) < len(train):  # only rows with a label are read
        columns = FoldColumns.of(data, codes, labelled, test)
    held_out, new = data.X.iloc[test], None
    if model.covariate_names_ is not None and data.covariates is not None:
        new = data.covariates.iloc[test]
    local = columns.scores(model.cells_, model.labelled_cells_, model.encode(held_out), new)
    return np.stack([model.predict_proba(held_out, covariates=new), local])
