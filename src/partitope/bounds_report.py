"""A study of bounds as one HTML file that holds everything it shows."""

from __future__ import annotations

import base64
from datetime import datetime
from html import escape

import numpy as np

from .bounds_study import BoundsStudy
from .bounds_study_text import curve_table, findings
from .datasets_result import Dataset
from .pages import fill_page


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
    return fill_page(
        "bounds.html",
        title=escape(f"What size bounds cost on {data.name}"),
        lead=escape(lead),
        sections="\n".join(_section(study, 2 * number + 1) for number, study in enumerate(studies)),
        date=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        seconds=f"{sum(study.seconds for study in studies):.1f}",
    )


def _section(study: BoundsStudy, figure: int) -> str:
    import matplotlib as mpl

    from .bounds_figures import curves_figure, prices_figure
    from .output.style import STYLE

    with mpl.rc_context({**STYLE, "text.parse_math": True}):
        pictures = [curves_figure(study), prices_figure(study)]
    captions = [
        f"<b>Figure {figure}.</b> A common lower bound l from 0 to n/k. Top left: the exact optimum for fixed sites "
        "with its breakpoints (dots, where not too many) and the optimum with sites re-optimised at every bound. The "
        "other panels belong to the re-optimised curve: line, mean over starts; band, 95 % of the starts.",
        f"<b>Figure {figure + 1}.</b> Prices at l = {study.priced_at}: what one more point in a cluster's lower bound "
        "costs, and what one less would gain.",
    ]
    figures = "\n".join(
        f'<figure><img src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}" alt="{_plain(text)}">'
        f"<figcaption>{text}</figcaption></figure>"
        for svg, text in zip(pictures, captions)
    )
    lines = "".join(f"<li>{escape(line)}</li>" for line in findings(study))
    return (
        f"<section><h2>k = {study.n_clusters} clusters</h2>"
        f'<div class="findings"><ul>{lines}</ul></div>{figures}{_table(study)}</section>'
    )


def _table(study: BoundsStudy) -> str:
    table = curve_table(study)
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in table.columns)
    rows = "".join(
        f'<tr><th scope="row">{row[0]:g}</th>' + "".join(f"<td>{_figure(value)}</td>" for value in row[1:]) + "</tr>"
        for row in table.itertuples(index=False)
    )
    caption = "<b>Table.</b> Means over starts at every bound; objective of the training rows, the rest on test rows."
    return (
        f'<div class="scroll"><table><caption>{caption}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _figure(value: float) -> str:
    return f"{value:.5g}" if np.isfinite(value) else "–"


def _plain(text: str) -> str:
    return escape(text.replace("<b>", "").replace("</b>", ""))
