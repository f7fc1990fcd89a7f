"""The Markdown writer of reports, for pages of the documentation."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from partitope.output.report import Report, Table, shown


def as_markdown(report: Report, picture_path: Callable[[str, int], str]) -> str:
    """Lead, findings and sections in Markdown, tables folded."""
    parts = [report.lead, _bullets(report.findings)]
    for section in report.sections:
        parts += [f"## {section.title}", _bullets(section.sentences)]
        for number, picture in enumerate(section.drawn, start=1):
            path = picture_path(section.name, number)
            parts.append(f"![{picture.caption}]({path})\n\n*{picture.caption}*")
        parts += [f'??? note "{len(table.rows)} rows"\n\n{markdown_table(table)}' for table in section.tables]
    return "\n\n".join(filter(None, parts)) + "\n"


def markdown_table(table: Table, indent: str = "    ") -> str:
    """The rows of a table in Markdown."""
    rows = [[shown(value, "", table.digits).replace("|", "/") for value in row] for row in table.rows]
    lines = [f"| {' | '.join(line)} |" for line in (table.columns, *rows)]
    lines.insert(1, "|" + "---|" * len(table.columns))
    return "\n".join(indent + line for line in lines)


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"* {line}" for line in lines)
