"""Tables of reports in Markdown, for pages of the documentation."""

from __future__ import annotations

from partitope.output.report import Table, shown


def markdown_table(table: Table, indent: str = "    ") -> str:
    """The rows of a table in Markdown."""
    rows = [[shown(value, "", table.digits).replace("|", "/") for value in row] for row in table.rows]
    lines = [f"| {' | '.join(line)} |" for line in (table.columns, *rows)]
    lines.insert(1, "|" + "---|" * len(table.columns))
    return "\n".join(indent + line for line in lines)
