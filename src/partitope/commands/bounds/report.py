"""A study of bounds as a report: what it says, its tables in a reader's words, its pictures, the record for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ...output.report import Picture, Report, Section, Table, record_of
from ...output.style import BLUE, MOST_SHOWN, RED, as_svg, legend_above, make_panels
from ...solvers.assignment.bounds_plane import BoundsPlane
from .points import StudiedPoints
from .run import MEASURES, BoundsStudy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CURVES = (
    "A common lower bound l from 0 to n/k. Objective: the exact optimum for fixed sites with its breakpoints (dots, "
    "where not too many), and the best start with sites re-optimised at every bound. Every other panel: mean and 95 % "
    "of the starts."
)
PLANE = (
    "Both bounds at once, for fixed sites: every cluster has between l and u points. Left: by how much the optimum is "
    "worse than without bounds; white lines separate sets of active bounds, where all pairs are solved. Right: the "
    "accuracy of majority votes on the training rows or, without classes, the cost of lowering u by one."
)
TABLE = "the objective of the best start at every bound; all other figures are means over starts"
CLASSES = "; objective and sizes of the training rows, accuracy and AUC of test rows"
NOTES = (
    "from, to: the accuracy of 95 % of the starts is between them",
    "half-width: of the 95 % interval of a cluster's value, the share of a class in it; error: how far this share is "
    "from that of the test rows in the cluster; both are means over the clusters, weighted by size",
)
PRICES = (
    "price: negative where the lower bound is active; raise, reduce: change of the objective for each point "
    "that the bound is raised or reduced by; holds for: points over which it changes at this rate",
)


def bounds_report(table: StudiedPoints, studies: list[BoundsStudy]) -> Report:
    """The report of `partitope bounds`."""
    ks = ", ".join(str(study.n_clusters) for study in studies)
    named = [(f"k = {study.n_clusters}: " * (len(studies) > 1), study) for study in studies]
    said = [name + line for name, study in named for line in findings(study)]
    settings = {"seconds": f"{sum(study.seconds for study in studies):.1f}"}
    record = {"data": table.record, "studies": [_record(study) for study in studies]}
    columns = [Section("Columns of the table", remarks=list(table.notes))] if table.notes else []
    return Report(
        f"What size bounds cost on {table.name}", f"k = {ks} clusters. {table.lead}", [*table.left_out, *said],
        [*map(_section, studies), *columns], settings, "bounds", record,
    )  # fmt: skip


def findings(study: BoundsStudy) -> list[str]:
    """What the study says, one sentence each."""
    path, k, s = study.path, study.n_clusters, study.suggestion
    least, most = path.value[0], path.value[-1]
    cost = abs(most - least) / abs(least) if least else 0.0
    best = study.best()
    change = best.iloc[-1] / best.iloc[0] - 1 if best.iloc[0] else 0.0
    starts = study.curve["start"].nunique()
    lines = [
        f"For fixed sites a lower bound costs nothing up to l = {path.free_until:.6g} of at most n/k = "
        f"{study.n_points / k:.6g}; from there the clustering without bounds breaks the bound. Equal sizes change "
        f"the objective by {100 * cost:.2f} %. The exact curve has {len(path.parameter)} breakpoints.",
        f"With sites re-optimised, equal sizes change the objective by {100 * change:+.2f} % (the best of {starts} "
        f"starts at each bound).",
    ]
    if study.plane is not None:
        lines.append(_said_of(study.plane))
    if s is None:
        return lines
    summary = study.summary()
    first, last = summary.iloc[0], summary.iloc[-1]
    lines += [
        f"Accuracy on test rows goes from {_percent(first, 'accuracy')} to {_percent(last, 'accuracy')} (means and "
        f"95 % bands over the starts).",
        f"Reliability: the mean half-width of a cluster value's 95 % interval goes from "
        f"{first['half_width']['mean']:.3f} to {last['half_width']['mean']:.3f}, its mean error on test rows from "
        f"{first['value_error']['mean']:.3f} to {last['value_error']['mean']:.3f}.",
    ]
    text = f"A half-width of {s.precision:g} for every cluster takes l = {s.lower}"
    if s.feasible:
        return [*lines, f"{text}, which {study.n_points} training points allow in each of the {k} clusters."]
    enough = f"are enough for {s.most_clusters or 'no'} such cluster{'s' * (s.most_clusters != 1)}, not for {k}"
    return [f"{text}: {study.n_points} training points {enough}.", *lines]


def _said_of(plane: BoundsPlane) -> str:
    """How much of the plane of both bounds is known, and its best pair."""
    table, gap = plane.table, plane.gap
    text = f"{'All ' if gap == 0 else ''}{len(table)} pairs of bounds (l, u) were solved"
    if gap:
        text += f", which give the cost of all others within {100 * gap:.2g} % of that of equal sizes"
    text += f": {table['clustering'].nunique()} different clusterings, {len(plane.regions)} sets of active bounds."
    if "accuracy" not in table:
        return text
    top = table.sort_values(["accuracy", "cost"], ascending=[False, True], kind="stable").iloc[0]
    return (
        f"{text} The majorities of the clusters are right for {100 * table['accuracy'].min():.1f} to "
        f"{100 * top['accuracy']:.1f} % of the training rows, most often at l = {top['l']:.0f}, u = {top['u']:.0f}."
    )


def curve_table(study: BoundsStudy) -> pd.DataFrame:
    """One row a bound, in the words of a reader: the best objective, other means over starts, a band of accuracies."""
    summary = study.summary()
    shown = {title: summary[name]["mean"] for name, title in MEASURES.items() if name in summary}
    table = pd.DataFrame({**shown, "objective": study.best()}).reset_index()
    if "accuracy" in table:
        table.insert(3, "from", summary["accuracy"]["low"].to_numpy())
        table.insert(4, "to", summary["accuracy"]["high"].to_numpy())
    table.insert(1, "exact, fixed sites", study.path(table["lower"].to_numpy(float)))
    return table


def _section(study: BoundsStudy) -> Section:
    prices = (
        f"Prices at l = {study.priced_at}: what one more point in a cluster's lower bound costs, and what one less "
        "would gain."
    )
    dearest = study.prices.sort_values("price", key=abs, ascending=False, kind="stable").head(MOST_SHOWN)
    means, notes = (TABLE, ()) if study.suggestion is None else (f"{TABLE}{CLASSES}", NOTES)
    pictures = [Picture(lambda: curves_figure(study), CURVES), Picture(lambda: plane_figure(study), PLANE)]
    tables = [
        Table.of(curve_table(study), f"A common lower bound, k = {study.n_clusters}: {means}.", 5, notes),
        Table.of(
            dearest.rename(columns=lambda name: name.replace("_range", " holds for")),
            f"{prices} At most the {MOST_SHOWN} clusters with the largest prices.",
            notes=PRICES,
        ),
    ]
    return Section(f"k = {study.n_clusters} clusters", pictures=pictures, tables=tables)


def _record(study: BoundsStudy) -> dict[str, object]:
    s = study.suggestion
    return {
        **record_of(study, "n_clusters n_points objective priced_at seconds"),
        "path": {"lower": study.path.parameter, "value": study.path.value, "free_until": study.path.free_until},
        "prices": study.prices.to_dict(orient="records"),
        "plane": None if study.plane is None else study.plane.table.to_dict(orient="list"),
        "curve": study.curve.to_dict(orient="records"),
        "suggestion": None if s is None else record_of(s, "lower precision most_clusters feasible"),
        "findings": findings(study),
    }


def _percent(row: pd.Series, name: str) -> str:
    part = row[name]
    return f"{100 * part['mean']:.1f} % [{100 * part['low']:.1f}, {100 * part['high']:.1f}]"


@as_svg
def curves_figure(study: BoundsStudy) -> Figure:
    """Objective and sizes against the lower bound; with two classes also accuracy and AUC, and reliability."""
    summary = study.summary()
    if study.suggestion is None:
        figure, (top, last) = make_panels(2, 3.2)
    else:
        figure, (top, right, left, last) = make_panels(2, 6.4, rows=2, sharex=True)
        _band(right, summary, "accuracy", BLUE, "-", "accuracy")
        _band(right, summary, "auc", RED, "--", "AUC")
        right.set(title="Test rows", ylabel="accuracy, AUC")
        _band(left, summary, "half_width", BLUE, "-", "half-width of interval")
        _band(left, summary, "value_error", RED, "--", "error on test rows")
        left.set(title="Reliability of cluster values", xlabel="lower bound l", ylabel="share")
    study.path.plot(top)
    best = study.best()
    top.plot(best.index, best, color=BLUE, ls="--", lw=1.5, marker=".", ms=4, label="re-optimised, best start")
    top.set_title("Objective")
    _band(last, summary, "largest", RED, "--", "largest cluster")
    _band(last, summary, "smallest", BLUE, "-", "smallest cluster")
    last.axhline(study.n_points / study.n_clusters, color="0.5", lw=0.9, ls=":", label="n/k")
    last.set(title="Sizes", xlabel="lower bound l", ylabel="points", ylim=(0, None))
    for ax in figure.axes:
        legend_above(ax)
    return figure


@as_svg
def plane_figure(study: BoundsStudy) -> Figure | None:
    """What the bounds cost over the plane (l, u), and accuracy or the price of an upper bound; None without a plane."""
    if study.plane is None:
        return None
    figure, (left, right) = make_panels(2, 3.6, sharey=True)
    study.plane.plot("cost", left)
    study.plane.plot("accuracy" if "accuracy" in study.plane.table else "price_upper", right)
    right.set_ylabel("")
    return figure


def _band(ax: Axes, summary: pd.DataFrame, name: str, colour: str, line: str, label: str) -> None:
    part, lower = summary[name], summary.index.to_numpy(dtype=np.float64)
    ax.fill_between(lower, part["low"], part["high"], color=colour, alpha=0.18, lw=0)
    ax.plot(lower, part["mean"], color=colour, ls=line, lw=1.5, marker=".", ms=4, label=label)
