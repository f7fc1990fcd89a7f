"""A report: findings, pictures, tables and settings, written as one HTML file or as a page of the documentation."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from .pages import fill_page

VERDICTS = ("beaten", "met", "missed")
"""Words that stand out where they are a cell of a table."""


@dataclass(frozen=True)
class Picture:
    """A picture as an SVG text, its caption, and what it shows in few words; ``width`` is "" or "narrow"."""

    svg: str
    caption: str
    alt: str
    width: str = ""

    def html(self, number: int) -> str:
        """The picture, embedded, with its numbered caption."""
        image = base64.b64encode(self.svg.encode("utf-8")).decode("ascii")
        kind = f' class="{self.width}"' if self.width else ""
        return (
            f'<figure{kind}><img alt="{escape(self.alt)}" src="data:image/svg+xml;base64,{image}">'
            f"<figcaption><b>Figure {number}.</b> {escape(self.caption)}</figcaption></figure>"
        )


@dataclass(frozen=True)
class Table:
    """A caption, names of columns, rows of values, of which None and nan are missing, and digits of numbers."""

    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    digits: int = 4


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes
    ----------
    title : str
        Its heading.
    name : str
        Short name, for links; "" where nothing links to it.
    remarks : sequence of str
        Sentences that come first.
    pictures : sequence of Picture
        Numbered through the report, as tables are.
    tables : sequence of Table
        Shown last.
    """

    title: str
    name: str = ""
    remarks: Sequence[str] = ()
    pictures: Sequence[Picture] = ()
    tables: Sequence[Table] = ()


@dataclass(frozen=True)
class Report:
    """What a report says, in the order in which it is read.

    Attributes
    ----------
    title, lead : str
        Heading, and a paragraph on what this is.
    findings : sequence of str
        One sentence each.
    sections : sequence of Section
        The report itself.
    settings : mapping
        How it was measured: machine, versions, options.
    """

    title: str
    lead: str
    findings: Sequence[str]
    sections: Sequence[Section]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def html(self) -> str:
        """One HTML document with its style and pictures embedded; no script, nothing loaded from elsewhere."""
        figures, tables = iter(range(1, 10_000)), iter(range(1, 10_000))
        links = [f'<a href="#{s.name}">{escape(s.name)}</a>' for s in self.sections if s.name]
        return fill_page(
            "report.html",
            title=escape(self.title),
            lead=escape(self.lead),
            findings=f'<section class="findings" aria-label="Findings"><ul>{_items(self.findings)}</ul></section>'
            if self.findings
            else "",
            links=f'<nav aria-label="Sections"><p>{" · ".join(links)}</p></nav>' if links else "",
            sections="\n".join(_section(section, figures, tables) for section in self.sections),
            settings="".join(f"<dt>{escape(a)}</dt><dd>{escape(str(b))}</dd>" for a, b in self.settings.items()),
        )

    def markdown(self, picture_path: Callable[[str, int], str]) -> str:
        """Lead, findings and sections in Markdown, tables folded.

        Parameters
        ----------
        picture_path : callable
            ``picture_path(section, number)``: where the page finds a picture of a section, numbered from 1.
        """
        parts = [self.lead, _bullets(self.findings)]
        for section in self.sections:
            parts += [f"## {section.title}", _bullets(section.remarks)]
            for number, picture in enumerate(section.pictures, start=1):
                path = picture_path(section.name, number)
                parts.append(f"![{picture.caption}]({path})\n\n*{picture.caption}*")
            parts += [f'??? note "{len(table.rows)} rows"\n\n{markdown_table(table)}' for table in section.tables]
        return "\n\n".join(filter(None, parts)) + "\n"


def shown(value: Any, missing: str = "–", digits: int = 4) -> str:
    """A value as it stands in a table: few digits, and a sign where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return missing
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def markdown_table(table: Table, indent: str = "    ") -> str:
    """The rows of a table in Markdown."""
    rows = [[shown(value, "", table.digits).replace("|", "/") for value in row] for row in table.rows]
    lines = [f"| {' | '.join(line)} |" for line in (table.columns, *rows)]
    lines.insert(1, "|" + "---|" * len(table.columns))
    return "\n".join(indent + line for line in lines)


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"* {line}" for line in lines)


def _items(lines: Sequence[str]) -> str:
    return "".join(f"<li>{escape(line)}</li>" for line in lines)


def _section(section: Section, figures: Iterator[int], tables: Iterator[int]) -> str:
    name = f' id="{section.name}"' if section.name else ""
    remarks = f"<ul>{_items(section.remarks)}</ul>" if section.remarks else ""
    pictures = "\n".join(picture.html(next(figures)) for picture in section.pictures)
    shown_tables = "\n".join(_table(table, next(tables)) for table in section.tables)
    return f"<section{name}><h2>{escape(section.title)}</h2>{remarks}{pictures}{shown_tables}</section>"


def _table(table: Table, number: int) -> str:
    texts = [any(isinstance(row[place], str) for row in table.rows) for place in range(len(table.columns))]
    head = "".join(f'<th scope="col"{_kind(is_text)}>{escape(str(c))}</th>' for c, is_text in zip(table.columns, texts))
    body = "\n".join(
        f"<tr>{''.join(_cell(value, is_text, table.digits) for value, is_text in zip(row, texts))}</tr>"
        for row in table.rows
    )
    return (
        f'<div class="scroll"><table><caption><b>Table {number}.</b> {escape(table.caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(value: Any, is_text: bool, digits: int) -> str:
    return f"<td{_kind(is_text, value)}>{escape(shown(value, '' if is_text else '–', digits))}</td>"


def _kind(is_text: bool, value: Any = None) -> str:
    kinds = ["text"] * is_text + [value] * (value in VERDICTS)
    return f' class="{" ".join(kinds)}"' if kinds else ""
