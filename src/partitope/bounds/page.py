"""A study of bounds as a report."""

from __future__ import annotations

from typing import Any

from ..output.report import Picture, Report, Section, Table, record_of
from ..output.style import MOST_SHOWN
from .figures import curves_figure, prices_figure
from .points import StudiedPoints
from .study import BoundsStudy
from .text import curve_table, findings, price_table

CURVES = (
    "A common lower bound l from 0 to n/k. Objective: the exact optimum for fixed sites with its breakpoints (dots, "
    "where not too many), and the best start with sites re-optimised at every bound. Every other panel: mean and 95 % "
    "of the starts."
)
TABLE = "the objective of the best start at every bound, everything else means over starts"
CLASSES = "; objective and sizes of the training rows, accuracy and AUC of test rows"
NOTES = (
    "from, to: between them lies the accuracy of 95 % of the starts",
    "half-width: of the 95 % interval of a cluster's value, the share of a class in it; error: how far this share is "
    "from that of the test rows in the cluster; both are means over the clusters, weighted by size",
)
PRICES = (
    "price: a negative one says that the lower bound is felt; raise, reduce: change of the objective for each point "
    "that the bound is raised or reduced by; holds for: points over which it changes at this rate",
)


def bounds_report(table: StudiedPoints, studies: list[BoundsStudy]) -> Report:
    """The report of `partitope bounds`."""
    ks = ", ".join(str(study.n_clusters) for study in studies)
    lead = f"k = {ks} clusters. {table.lead}"
    settings = {"seconds": f"{sum(study.seconds for study in studies):.1f}"}
    record = {"data": table.record, "studies": [_record(study) for study in studies]}
    title = f"What size bounds cost on {table.name}"
    columns = [Section("Columns of the table", remarks=list(table.notes))] if table.notes else []
    sections = [*(_section(study) for study in studies), *columns]
    return Report(title, lead, (), sections, settings, "bounds", record)


def _section(study: BoundsStudy) -> Section:
    prices = (
        f"Prices at l = {study.priced_at}: what one more point in a cluster's lower bound costs, and what one less "
        "would gain."
    )
    means, notes = (TABLE, ()) if study.suggestion is None else (f"{TABLE}{CLASSES}", NOTES)
    pictures = [Picture(lambda: curves_figure(study), CURVES), Picture(lambda: prices_figure(study), prices)]
    tables = [
        Table.of(curve_table(study), f"A common lower bound, k = {study.n_clusters}: {means}.", 5, notes),
        Table.of(price_table(study), f"{prices} The {MOST_SHOWN} dearest clusters at most.", notes=PRICES),
    ]
    return Section(f"k = {study.n_clusters} clusters", "", findings(study), pictures, tables)


def _record(study: BoundsStudy) -> dict[str, Any]:
    return {
        **record_of(study, "n_clusters n_points objective priced_at seconds"),
        "path": {"lower": study.path.parameter, "value": study.path.value, "free_until": study.path.free_until},
        "prices": study.prices.to_dict(orient="records"),
        "curve": study.curve.table.to_dict(orient="records"),
        "suggestion": None
        if study.suggestion is None
        else record_of(study.suggestion, "lower precision most_clusters feasible"),
        "findings": findings(study),
    }
