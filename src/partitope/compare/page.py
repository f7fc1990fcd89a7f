"""A comparison as one HTML file that holds everything it shows."""

from __future__ import annotations

import math
from datetime import datetime
from html import escape

from ..models.proof import Proof
from ..output.pages import fill_page
from ..output.report import Picture
from .methods import REFERENCE
from .result import Comparison, Row
from .text import COLUMNS, cells, figure, footnotes

BEST_COLUMNS = {"sum of squares": ("sum_of_squares", min), "accuracy": ("accuracy", max), "AUC": ("auc", max)}


def comparison_html(result: Comparison) -> str:
    """The report of a comparison.

    Parameters
    ----------
    result : Comparison
        From `partitope.compare.compare`.

    Returns
    -------
    str
        An HTML document with its style and pictures embedded; no script, nothing loaded from elsewhere.
    """
    data, settings = result.data, result.settings
    lead = (
        f"{len(data.y)} rows, {data.X.shape[1]} features, target {data.target_name} with {len(data.classes)} classes, "
        f"in k = {settings.n_clusters} clusters of {settings.polytope.describe()} points. "
        f"{data.description}"
    )
    figures = _figures(result)
    return fill_page(
        "comparison.html",
        title=escape(f"Size-bounded clusterings of {data.name}"),
        lead=escape(lead),
        findings="".join(f"<li>{escape(line)}</li>" for line in findings(result)),
        header="".join(f'<th scope="col">{escape(name)}</th>' for name in COLUMNS),
        rows="\n".join(_table_row(row, result) for row in result.rows),
        notes="".join(f"<li>{escape(line)}</li>" for line in footnotes(result)),
        figures="\n".join(figures),
        profiles=_profiles(result, len(figures) + 1),
        settings="".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in _settings(result)),
        date=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        seconds=f"{result.seconds:.1f}",
    )


def findings(result: Comparison) -> list[str]:
    """What the figures say, one sentence each."""
    bounded = [row for row in result.rows if row.within_bounds]
    reference = next((row for row in result.rows if row.method.name == REFERENCE and row.partition), None)
    lines = []
    scored = [row for row in bounded if math.isfinite(row.accuracy)]
    if scored:
        best = max(scored, key=lambda row: row.accuracy)
        line = (
            f"Within the bounds, {best.method.name} classifies best: accuracy {_percent(best.accuracy)} and "
            f"AUC {best.auc:.3f} over {result.settings.folds} folds."
        )
        lines.append(line + _against(best, reference))
    if bounded and reference is not None and reference.partition is not None and reference.sum_of_squares > 0:
        tight = min(bounded, key=lambda row: row.sum_of_squares)
        price = tight.sum_of_squares / reference.sum_of_squares - 1.0
        sizes = reference.partition.sizes
        lines.append(
            f"The price of balance: the smallest sum of squares within the bounds is {figure(tight.sum_of_squares)} "
            f"({tight.method.name}), {100 * price:+.1f} % against k-means without bounds, whose clusters hold "
            f"{sizes.min():g} to {sizes.max():g} points."
        )
    steps = [row.method.name for row in result.rows if row.proof is Proof.STEP]
    if steps:
        lines.append(
            f"Certified by linear-programming duality: the last assignment of {', '.join(steps)} (proof: step). No "
            f"other assignment within the bounds is better for the same sites; other sites may be: each of these "
            f"partitions may be a local optimum only."
        )
    for row in result.rows:
        if row.proof is Proof.GLOBAL and row.partition is not None:
            lines.append(f"{row.method.name}: {row.partition.claim} (proof: global).")
    return lines or ["No method finished: the notes under the table say why."]


def _against(best: Row, reference: Row | None) -> str:
    """How the best bounded method stands to k-means, in units of the folds' spread."""
    if reference is None or not math.isfinite(reference.accuracy):
        return ""
    difference = best.accuracy - reference.accuracy
    spread = math.hypot(best.accuracy_sd, reference.accuracy_sd) / math.sqrt(2.0)
    if abs(difference) < 5e-4:
        return " That equals k-means without bounds to a tenth of a point."
    verdict = "less than the spread between folds" if abs(difference) < spread else "more than the spread between folds"
    side = "above" if difference > 0 else "below"
    return f" That is {100 * abs(difference):.1f} points {side} k-means without bounds, {verdict}."


def _table_row(row: Row, result: Comparison) -> str:
    name = f'<th scope="row">{escape(row.method.name)}</th>'
    if row.partition is None:
        return f'<tr class="left-out">{name}<td colspan="{len(COLUMNS) - 1}">left out: {escape(row.note)}</td></tr>'
    entries = []
    for column, text in list(zip(COLUMNS, cells(row)))[1:]:
        best = ' class="best"' if _is_best(row, column, result) else ""
        entries.append(f"<td{best}>{escape(text)}</td>")
    return f"<tr>{name}{''.join(entries)}</tr>"


def _is_best(row: Row, column: str, result: Comparison) -> bool:
    if column not in BEST_COLUMNS or not row.within_bounds:
        return False
    attribute, better = BEST_COLUMNS[column]
    values = [getattr(other, attribute) for other in result.rows if other.within_bounds]
    finite = [value for value in values if math.isfinite(value)]
    return len(finite) > 1 and getattr(row, attribute) == better(finite)


def _figures(result: Comparison) -> list[str]:
    """The pictures with their captions, numbered."""
    import matplotlib as mpl

    from ..output.style import STYLE
    from .figures import cells_figure, history_figure, roc_figure, sizes_figure, trace_of

    made: list[Picture] = []
    with mpl.rc_context(STYLE):
        if any(row.partition is not None for row in result.rows):
            made.append(Picture(sizes_figure(result), SIZES, SIZES))
            made.append(Picture(cells_figure(result), CELLS, CELLS))
        if any(row.scores is not None for row in result.rows):
            made.append(Picture(roc_figure(result), _roc_caption(result), _roc_caption(result)))
        history = history_figure(result)
        if history is not None:
            traced = sum(len(trace_of(row)) > 1 for row in result.rows)
            made.append(Picture(history, HISTORY, HISTORY, "narrow" if traced == 1 else ""))
    return [picture.html(number) for number, picture in enumerate(made, start=1)]


def _profiles(result: Comparison, number: int) -> str:
    """Sections that read the clusters of predictive strategies; figures are numbered from ``number``."""
    import matplotlib as mpl

    from ..output.style import STYLE
    from .profiles import profile_caption, profile_figure, profile_words, read_rows

    sections = []
    for row, profiles in read_rows(result):
        with mpl.rc_context(STYLE):
            svg = profile_figure(profiles)
        caption = profile_caption(row)
        picture = "" if svg is None else Picture(svg, caption, caption).html(number)
        number += svg is not None
        heading = f"<h2>Reading the clusters of {escape(row.method.name)}</h2>"
        sections.append(f"<section>\n{heading}\n{profile_words(profiles)}\n{picture}\n</section>")
    return "\n".join(sections)


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


def _roc_caption(result: Comparison) -> str:
    classes = result.data.classes
    if len(classes) == 2:
        return f"ROC curves for class {classes[1]!s}, from the scores of every row in the fold that held it out."
    return "ROC curves, the mean of one class against the rest, from the scores of the fold that held each row out."


def _settings(result: Comparison) -> list[tuple[str, str]]:
    settings, data = result.settings, result.data
    sizes = settings.polytope.describe()
    return [
        ("Data", f"{data.name}: {len(data.y)} rows; classes {', '.join(map(str, data.classes[:20]))}"),
        ("Encoding", "conditional means" + (", weighted by least squares" if settings.weighting else "")),
        ("Clusters", f"k = {settings.n_clusters}, sizes {sizes}"),
        ("Bounds in a fold", "floor(lower n'/n) and ceil(upper n'/n) for n' training rows of n"),
        ("Starts", f"{settings.starts} a method; rows are scored by the {settings.aggregate} over the starts"),
        ("Folds", f"{settings.folds}, stratified, shuffled; encoder and clustering see the training part only"),
        ("Seed", str(settings.seed)),
    ]


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"
