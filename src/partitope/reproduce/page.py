"""A reproduction as one HTML page: a table and a picture for every study, nothing loaded from elsewhere."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import Any

from ..pages import fill_page
from .pictures_papers import pictures
from .remarks import REMARKS

LEAD = (
    "Every row holds a figure printed in a paper, the figure computed here, its 95 % interval and a verdict. Met: the "
    "printed figure lies inside the interval. Beaten or missed: ours is better or worse than that. Nothing was chosen "
    "by looking at test rows."
)
TEXT_COLUMNS = ("verdict", "note")


def reproduction_html(record: dict[str, Any]) -> str:
    """The page of a record (`Reproduction.as_dict`).

    Parameters
    ----------
    record : dict
        Studies with their rows, the machine and the versions.

    Returns
    -------
    str
        An HTML document with its style and pictures embedded; no script.
    """
    studies = record["studies"]
    settings = {
        "run": "quick: small sizes that show that it runs, no reproduction" if record["quick"] else "full",
        "date": record["date"],
        "seed": record["random_state"],
        "partitope": record["partitope"],
        **record["machine"],
    }
    tables, figures = iter(range(1, 10_000)), iter(range(1, 10_000))
    return fill_page(
        "reproduction.html",
        title="Published tables, computed again",
        lead=escape(LEAD),
        findings="".join(f"<li>{escape(line)}</li>" for line in findings(studies)),
        links=" · ".join(f'<a href="#{name}">{escape(name)}</a>' for name in studies),
        studies="\n".join(_section(name, study, next(tables), figures) for name, study in studies.items()),
        settings="".join(f"<dt>{escape(a)}</dt><dd>{escape(str(b))}</dd>" for a, b in settings.items()),
    )


def findings(studies: dict[str, Any]) -> list[str]:
    """How many figures were met, beaten and missed, one sentence a study."""
    lines = []
    for name, study in studies.items():
        counts = Counter(row["verdict"] for row in study["rows"])
        words = [f"{counts[word]} {word}" for word in ("met", "beaten", "missed", "no data", "not run") if counts[word]]
        lines.append(f"{name}: {', '.join(words) or 'nothing printed to compare with'}.")
    return lines


def _section(name: str, study: dict[str, Any], number: int, figures: Iterator[int]) -> str:
    rows = study["rows"]
    shown = "".join(
        _picture(svg, caption, f"{name}: printed and own figures", next(figures))
        for svg, caption in pictures(name, rows)
    )
    lines = [*REMARKS.get(name, ()), *([f"Part of the study: {study['part']}."] if study.get("part") else [])]
    remarks = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return (
        f'<section id="{name}"><h2>{escape(study["title"])}</h2>'
        f"{f'<ul>{remarks}</ul>' if remarks else ''}{shown}{_table(rows, number, study['title'])}</section>"
    )


def _picture(svg: str, caption: str, alt: str, number: int) -> str:
    image = base64.b64encode(svg.encode("utf-8")).decode("ascii")
    return (
        f'<figure><img alt="{escape(alt)}" src="data:image/svg+xml;base64,{image}">'
        f"<figcaption><b>Figure {number}.</b> {escape(caption)}</figcaption></figure>"
    )


def _table(rows: list[dict[str, Any]], number: int, caption: str) -> str:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    columns = [c for c in columns if c != "note"] + (["note"] if "note" in columns else [])
    texts = {c for c in columns if any(isinstance(row.get(c), str) for row in rows)}

    def cell(row: dict[str, Any], column: str) -> str:
        kinds = ["text"] if column in texts else []
        if column == "verdict":
            word = str(row.get(column))
            kinds.append(word if word in ("beaten", "missed", "met") else "none")
        return f'<td class="{" ".join(kinds)}">{escape(_text(row.get(column)))}</td>' if kinds else (
            f"<td>{escape(_text(row.get(column)))}</td>"
        )  # fmt: skip

    head = "".join(f'<th scope="col"{" class=text" if c in texts else ""}>{escape(c)}</th>' for c in columns)
    body = "\n".join("<tr>" + "".join(cell(row, c) for c in columns) + "</tr>" for row in rows)
    return (
        f'<div class="scroll"><table><caption><b>Table {number}.</b> {escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–" if value is not None else ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
