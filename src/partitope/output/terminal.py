"""Where results, progress and JSON go: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from .files import write_atomically
from .report import Report, Table, as_record, shown


@contextmanager
def progress_bar(title: str, *, quiet: bool = False) -> Iterator[Callable[[int, int, str], None] | None]:
    """A ``progress(done, total, text)`` callback that draws a bar on stderr; None when quiet or not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def advance(done: int, total: int, text: str) -> None:
            bar.update(task, completed=done, total=total, description=text)

        yield advance


def print_json(value: Any) -> None:
    """Print a value as JSON (RFC 8259): numbers that are not finite become null."""
    typer.echo(json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def plain(value: Any) -> Any:
    """The value with NumPy's and other types turned into what JSON knows."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # NumPy arrays and scalars
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int, bool)):
        return value
    return str(value)


def note(text: str) -> None:
    """One line to stderr about what was done."""
    typer.echo(text, err=True)


def deliver(report: Report, page: Path | None, *, json: bool) -> None:
    """Write a report where a command's user wants it: a page if a path is given, and JSON or tables on stdout."""
    from .pages import as_html

    if page is not None:
        write_atomically(page, as_html(report))
    if json:
        print_json(as_record(report))
        return
    write_terminal(report)
    if page is not None:
        note(f"report: {page}")


def write_terminal(report: Report) -> None:
    """Print the tables of a report with their notes to stdout, and its findings, one line each, to stderr."""
    typer.echo(f"{report.title}: {report.lead}")
    for section in report.sections:
        if section.tables and section.sentences:
            typer.echo("\n  ".join([section.title, *section.sentences]))
        for table in section.tables:
            write_table(table)
    for line in report.findings:
        note(line)


def write_table(table: Table) -> None:
    """Print one table and its notes to stdout: texts to the left, numbers to the right, what is missing as a dash."""
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:  # a pipe or a file has no width to fit
        console.width = 160
    grid = Grid(title=Text(table.caption), title_justify="left", title_style="bold")
    for name, is_text in zip(table.columns, table.texts):
        grid.add_column(name, justify="left" if is_text else "right")
    for number, row in enumerate(table.rows):
        whole = row if len(row) == len(table.columns) else [row[0], *[None] * (len(table.columns) - 1)]
        stars = (" ★" if (number, place) in table.best else "" for place in range(len(whole)))
        grid.add_row(*[Text(shown(value, digits=table.digits) + star) for value, star in zip(whole, stars)])
    console.print(grid)
    for line in table.notes:
        console.print(Text(line, style="dim"))
