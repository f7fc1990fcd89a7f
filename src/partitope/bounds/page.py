"""A study of bounds as one HTML file that holds everything it shows."""

from __future__ import annotations

from datetime import datetime

from ..datasets.dataset import Dataset
from ..output.report import Picture, Report, Section, Table
from .study import BoundsStudy
from .text import curve_table, findings

CURVES = (
    "A common lower bound l from 0 to n/k. Top left: the exact optimum for fixed sites with its breakpoints (dots, "
    "where not too many) and the best local optimum found with sites re-optimised at every bound. The other panels "
    "belong to the re-optimised curve: line, mean over starts; band, 95 % of the starts."
)
TABLE = "Means over starts at every bound; objective of the training rows, the rest on test rows."


def bounds_html(data: Dataset, studies: list[BoundsStudy]) -> str:
    """The report of `partitope bounds`.

    Parameters
    ----------
    data : Dataset
        What was studied.
    studies : list of BoundsStudy
        One for every number of clusters.

    Returns
    -------
    str
        An HTML document with its style and pictures embedded; no script, nothing loaded from elsewhere.
    """
    ks = ", ".join(str(study.n_clusters) for study in studies)
    lead = (
        f"{len(data.y)} rows, {data.X.shape[1]} features, target {data.target_name}; {studies[0].n_points} training "
        f"rows in k = {ks} clusters. {data.description}"
    )
    settings = {
        "date": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        "seconds": f"{sum(study.seconds for study in studies):.1f}",
    }
    return Report(f"What size bounds cost on {data.name}", lead, (), [_section(s) for s in studies], settings).html()


def _section(study: BoundsStudy) -> Section:
    import matplotlib as mpl

    from ..output.style import STYLE
    from .figures import curves_figure, prices_figure

    prices = (
        f"Prices at l = {study.priced_at}: what one more point in a cluster's lower bound costs, and what one less "
        "would gain."
    )
    with mpl.rc_context({**STYLE, "text.parse_math": True}):
        pictures = [Picture(curves_figure(study), CURVES, CURVES), Picture(prices_figure(study), prices, prices)]
    curve = curve_table(study)
    table = Table(TABLE, [str(name) for name in curve.columns], curve.to_numpy(dtype=object).tolist(), digits=5)
    return Section(f"k = {study.n_clusters} clusters", "", findings(study), pictures, [table])
