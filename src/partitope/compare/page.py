"""A comparison as a report."""

from __future__ import annotations

import math
from datetime import datetime

from ..output.report import Picture, Report, Section, Table
from . import figures
from .columns import columns_section
from .profiles import reading
from .record import plain_record
from .result import Comparison, Row
from .text import COLUMNS, cells, findings, footnotes

BEST_COLUMNS = {"sum of squares": ("sum_of_squares", min), "accuracy": ("accuracy", max), "AUC": ("auc", max)}
TABLE = (
    "Every method on the same rows, bounds, folds and seeds. A star marks the best of its column among the methods "
    "within the bounds."
)
SIZES = (
    "Cluster sizes against the bounds. Solid strokes are lower bounds, dashed strokes upper bounds, the dotted line "
    "is n/k; hatched clusters lie outside the bounds."
)
CELLS = (
    "Power diagrams. Shown is the exact section of the cells by the plane of the first two principal axes of the "
    "encoded rows; the points are projected onto that plane, so a point may be drawn outside the section of its own "
    "cell. Colour, marker and number name the cluster."
)
HISTORY = (
    "Objective of the best start, step by step. Methods optimise different quantities, hence the separate axes; "
    "methods that keep no trace are not shown."
)


def comparison_report(result: Comparison) -> Report:
    """The report of a comparison.

    Parameters
    ----------
    result : Comparison
        From `partitope.compare.compare`.

    Returns
    -------
    Report
        For the terminal, for JSON, or as a page; pictures are drawn when a page is written.
    """
    data, settings = result.data, result.settings
    lead = (
        f"{len(data.y)} rows, {data.X.shape[1]} features, target {data.target_name} with {len(data.classes)} classes, "
        f"in k = {settings.n_clusters} clusters of {settings.polytope.describe()} points. "
        f"{data.description}"
    )
    rows = [[row.method.name, f"left out: {row.note}"] if row.partition is None else cells(row) for row in result.rows]
    places = [(r, c) for r in range(len(rows)) for c in range(len(COLUMNS))]
    best = [(r, c) for r, c in places if _is_best(result.rows[r], COLUMNS[c], result)]
    table = Table(TABLE, COLUMNS, rows, notes=footnotes(result), best=best)
    sections = [Section("Figures at a glance", tables=[table]), Section("Pictures", pictures=_pictures(result))]
    return Report(
        f"Size-bounded clusterings of {data.name}", lead.strip(), findings(result),
        [*sections, *reading(result), *columns_section(data)], _settings(result), "comparison", plain_record(result),
    )  # fmt: skip


def _is_best(row: Row, column: str, result: Comparison) -> bool:
    if column not in BEST_COLUMNS or not row.within_bounds:
        return False
    attribute, better = BEST_COLUMNS[column]
    values = [getattr(other, attribute) for other in result.rows if other.within_bounds]
    finite = [value for value in values if math.isfinite(value)]
    return len(finite) > 1 and getattr(row, attribute) == better(finite)


def _pictures(result: Comparison) -> list[Picture]:
    if all(row.partition is None for row in result.rows):
        return []
    traced = sum(len(figures.trace_of(row)) > 1 for row in result.rows)
    return [
        Picture(lambda: figures.sizes_figure(result), SIZES),
        Picture(lambda: figures.cells_figure(result), CELLS),
        Picture(lambda: figures.roc_figure(result), _roc_caption(result)),
        Picture(lambda: figures.history_figure(result), HISTORY, width="narrow" if traced == 1 else ""),
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
        "Encoding": f"conditional means, {'plain' if settings.plain else 'shrunk and cross-fitted'}"
        + (", weighted by least squares" if settings.weighting else ""),
        "Clusters": f"k = {settings.n_clusters}, sizes {sizes}",
        "Bounds in a fold": "floor(lower n'/n) and ceil(upper n'/n) for n' training rows of n",
        "Starts": f"{settings.starts} a method; rows are scored by the {settings.aggregate} over the starts",
        "Folds": f"{settings.folds}, stratified, shuffled; encoder and clustering see the training part only",
        "Seed": str(settings.seed),
        "Date": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        "Seconds": f"{result.seconds:.1f}",
    }
