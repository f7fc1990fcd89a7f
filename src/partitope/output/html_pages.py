"""The HTML writer of reports: one page with its style and pictures embedded; no script, nothing loaded."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from importlib.resources import files
from itertools import count
from string import Template

from ..base.version import __version__
from .report import Picture, Report, Section, Table

VERDICTS = ("beaten", "met", "missed")  # words that stand out where they are a cell of a table
MANY = 9  # Tables with at least this many columns are set in smaller letters.


def as_html(report: Report) -> str:
    """The report as one HTML document that holds everything it shows."""
    figures, tables = count(1), count(1)
    settings = {"date": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"), **report.settings}
    links = [f'<a href="#{s.name}">{escape(s.name)}</a>' for s in report.sections if s.name]
    folder = files("partitope.output").joinpath("templates")
    template = Template(folder.joinpath("report.html").read_text(encoding="utf-8"))
    return template.substitute(
        style=folder.joinpath("style.css").read_text(encoding="utf-8"),
        version=__version__,
        title=escape(report.title),
        lead=escape(report.lead),
        findings=_list(report.findings, '<section class="findings" aria-label="Findings">{}</section>'),
        links=f'<nav aria-label="Sections"><p>{" · ".join(links)}</p></nav>' if len(links) > 1 else "",
        sections="\n".join(_section(section, figures, tables) for section in report.sections),
        settings="".join(f"<dt>{escape(a)}</dt><dd>{escape(str(b))}</dd>" for a, b in settings.items()),
    )


def _section(section: Section, figures: Iterator[int], tables: Iterator[int]) -> str:
    parts = [_list(section.sentences)]
    parts += [_figure(picture, next(figures)) for picture in section.drawn]
    parts += [_table(table, next(tables)) for table in section.tables]
    body = "\n".join(filter(None, parts))
    name = f' id="{section.name}"' if section.name else ""
    return f"<section{name}><h2>{escape(section.title)}</h2>{body}</section>" if body else ""


def _list(lines: Sequence[str], around: str = "{}") -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return around.format(f"<ul>{items}</ul>") if items else ""


def _figure(picture: Picture, number: int) -> str:
    caption = f"<figcaption><b>Figure {number}.</b> {escape(picture.caption)}</figcaption></figure>"
    if (picture.svg or "").startswith('<div class="map">'):  # its points speak
        return f"<figure>{picture.svg}{caption}"
    image = base64.b64encode((picture.svg or "").encode("utf-8")).decode("ascii")
    points = re.search(r'width="([\d.]+)pt"', picture.svg or "")
    natural = f' style="--natural: {float(points[1]) / 72:.2f}in"' if points else ""
    return (
        f'<figure><div class="scroll" tabindex="0"><img{natural} alt="{escape(picture.alt or picture.caption)}" '
        f'src="data:image/svg+xml;base64,{image}"></div>{caption}'
    )


def _table(table: Table, number: int) -> str:
    caption = f"<caption><span><b>Table {number}.</b> {escape(table.caption)}</span></caption>"
    return f"{grid(table, caption)}{_list(table.notes, '<div class=notes>{}</div>')}"


def grid(table: Table, caption: str) -> str:
    """One HTML table."""
    kinds = [f"left-{place + 1}" for place, is_text in enumerate(table.texts) if is_text]
    kinds += ["starred"] * bool(table.best) + ["dense"] * (len(table.columns) >= MANY) + ["worded"] * table.texts[-1]
    head = "".join(f'<th scope="col">{escape(str(column))}</th>' for column in table.columns)
    body = "\n".join(_row(table, number, row) for number, row in enumerate(table.rows))
    return (
        f'<div class="scroll" tabindex="0"><table class="{" ".join(kinds)}">'
        f"{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(table: Table, number: int, row: Sequence[object]) -> str:
    cells = [escape(table.shown(value, place)) for place, value in enumerate(row)]
    first = f'<th scope="row">{cells[0]}</th>'
    if len(row) < len(table.columns):
        return f'<tr class="left-out">{first}<td colspan="{len(table.columns) - 1}">{cells[-1]}</td></tr>'
    kinds = ["best" if (number, place) in table.best else value if value in VERDICTS else ""
             for place, value in enumerate(row)]  # fmt: skip
    rest = (f'<td class="{kind}">{cell}</td>' if kind else f"<td>{cell}</td>" for kind, cell in zip(kinds, cells))
    return f"<tr>{first}{''.join(list(rest)[1:])}</tr>"
