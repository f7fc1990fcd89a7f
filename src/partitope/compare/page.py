"""A comparison as a report."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..output.report import Picture, Report, Section, Table, data_record, record_of, whole
from ..solvers import Partition
from . import figures
from .columns import columns_section
from .profiles import reading
from .result import Comparison, Row
from .scoring import FoldScores, leader
from .text import COLUMNS, cells, findings, footnotes, reference_cells

TABLE = (
    "Every method on the same rows, bounds, folds and seeds. A star marks the smallest sum of squares within the "
    "bounds, and a held-out figure only where a corrected test tells it from all others of its column."
)
SIZES = (
    "Cluster sizes against the bounds. Solid strokes are lower bounds, dashed strokes upper bounds, the dotted line "
    "is n/k, the mean size; hatched clusters lie outside the bounds."
)
CELLS = (
    "Power diagrams. Shown is the exact section of the cells by the plane of the first two principal axes of the "
    "encoded rows; the points are projected onto that plane, so a point may be drawn outside the section of its own "
    "cell. Colour, marker and number name the cluster. Points only: the method's cells are cut in other "
    "coordinates, such as the likelihoods of the classes, which this plane does not show."
)
BOUNDS_OF_FOLDS = "floor(lower n'/n) and ceil(upper n'/n) for n' training rows of n"


def comparison_report(result: Comparison) -> Report:
    """The report of a comparison."""
    data, settings = result.data, result.settings
    lead = (
        f"{len(data.y)} rows, {data.X.shape[1]} features, target {data.target_name} with {len(data.classes)} classes, "
        f"in k = {settings.n_clusters} clusters of {settings.polytope.describe()} points. "
        f"{data.description}"
    )
    rows = [[row.method.name, f"left out: {row.note}"] if row.partition is None else cells(row) for row in result.rows]
    rows += [reference_cells(reference) for reference in result.references]
    best = [(r, COLUMNS.index(column)) for column, r in _best_rows(result).items()]
    table = Table(TABLE, COLUMNS, rows, notes=footnotes(result), best=best)
    sections = [Section("Figures at a glance", tables=[table]), Section("Pictures", pictures=_pictures(result))]
    return Report(
        f"Size-bounded clusterings of {data.name}", lead.strip(), findings(result),
        [*sections, *reading(result), *columns_section(data)], _settings(result), "comparison", _record(result),
    )  # fmt: skip


def _best_rows(result: Comparison) -> dict[str, int]:
    """Row of the star of every column that has one; references stand after the methods."""
    bounded = {r: row for r, row in enumerate(result.rows) if row.within_bounds}
    found = {}
    if len(bounded) > 1:
        found["sum of squares"] = min(bounded, key=lambda r: bounded[r].sum_of_squares)
    held_out: dict[str, dict[str, NDArray]] = {"accuracy": {}, "local models": {}, "AUC": {}}
    for r, row in bounded.items():
        if row.folds is not None and row.local is not None:
            figures = (row.folds.accuracies, row.local.accuracies, row.folds.areas)
            for column, values in zip(held_out, figures):
                held_out[column][str(r)] = values
    for r, reference in enumerate(result.references, start=len(result.rows)):
        held_out["accuracy"][str(r)] = reference.folds.accuracies
        held_out["AUC"][str(r)] = reference.folds.areas
    for column, figures_of in held_out.items():
        first = leader(figures_of)
        if first is not None and len(figures_of) > 1 and not first.rivals:
            found[column] = int(first.name)
    return found


def _pictures(result: Comparison) -> list[Picture]:
    if all(row.partition is None for row in result.rows):
        return []
    return [
        Picture(lambda: figures.sizes_figure(result), SIZES),
        Picture(lambda: figures.cells_figure(result), CELLS),
        Picture(lambda: figures.roc_figure(result), _roc_caption(result)),
    ]


def _roc_caption(result: Comparison) -> str:
    classes = result.data.classes
    if len(classes) == 2:
        return f"ROC curves for class {classes[1]!s}, from the scores of every row in the fold that held it out."
    return "ROC curves, the mean of one class against the rest, from the scores of the fold that held each row out."


def _settings(result: Comparison) -> dict[str, str]:
    settings, data = result.settings, result.data
    sizes = settings.polytope.describe()
    return {
        "Data": f"{data.name}: {len(data.y)} rows; classes {', '.join(map(str, data.classes[:20]))}",
        **({} if data.covariates is None else {"Covariates": ", ".join(map(str, data.covariates.columns))}),
        "Encoding": "conditional means, shrunk and cross-fitted",
        "Clusters": f"k = {settings.n_clusters}, sizes {sizes}",
        "Bounds in a fold": BOUNDS_OF_FOLDS,
        "Starts": f"{settings.starts} a method; rows are scored by the mean over the starts",
        "Folds": f"{settings.folds}, stratified, shuffled; encoder and clustering see the training part only",
        "Seed": str(settings.seed),
        "Seconds": f"{result.seconds:.1f}",
    }


def _record(result: Comparison) -> dict[str, Any]:
    """Plain values for JSON; figures that do not exist are nan, null in JSON."""
    data, settings = result.data, result.settings
    classes, counts = np.unique(data.y, return_counts=True)
    named = {str(label): int(count) for label, count in zip(classes, counts)}
    return {
        "data": data_record(data, features=list(data.feature_names), classes=named),
        "settings": {
            **record_of(settings, "n_clusters lower upper folds starts seed"),
            "fold_bounds": BOUNDS_OF_FOLDS,
        },
        "rows": [_row_record(row) for row in result.rows],
        "references": [{**record_of(one, "name seconds"), **_fold_record(one.folds)} for one in result.references],
        "seconds": result.seconds,
    }


def _row_record(row: Row) -> dict[str, Any]:
    figures_of = "sum_of_squares within_bounds accuracy accuracy_sd auc auc_sd seconds cv_seconds proof note"
    return {
        "method": row.method.name,
        "strategy": row.method.strategy,
        **record_of(row, figures_of),
        "local_models": None if row.local is None else _fold_record(row.local),
        "claim": None if row.partition is None else row.partition.claim,
        "partition": None if row.partition is None else _partition_record(row.partition),
    }


def _fold_record(folds: FoldScores) -> dict[str, Any]:
    return {**record_of(folds, "accuracy accuracy_sd auc auc_sd"), "fold_accuracies": folds.accuracies}


def _partition_record(partition: Partition) -> dict[str, Any]:
    bound = partition.bound
    return {
        **record_of(partition, "objective sense labels"),
        "bound": None if bound is None else record_of(bound, "lower upper gap proof"),
        "sizes": whole(partition.sizes),
        "iterations": partition.n_iter,
        "status": str(partition.status),
        "history": partition.history.get("objective"),
    }
