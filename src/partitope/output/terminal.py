"""Where results, progress and JSON go: results to stdout, everything else to stderr."""

from __future__ import annotations

import io
import json
import math
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import typer

from .files import write_atomically
from .report import Report, Table, as_record, shown

FOLDED = 18  # Characters per line of a word in a table that is too wide.


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


def write_everywhere() -> None:
    """Let stdout and stderr write any text, whatever their encoding: signs that it lacks are written as their codes."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open to the end
        elif isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="backslashreplace")


def silence(stream: TextIO) -> None:
    """Drop whatever is still written to a stream that can no longer be written to."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_json(value: object) -> None:
    """Print a value as JSON (RFC 8259): numbers that are not finite become null."""
    as_it_is = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    typer.echo(json.dumps(plain(value), indent=2, ensure_ascii=not as_it_is, allow_nan=False))


def plain(value: object) -> Any:
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
    """One line to stderr about what was done; where that cannot be written, the work goes on."""
    try:
        typer.echo(_folded(text, sys.stderr), err=True)
    except OSError:
        silence(sys.stderr)


def _folded(text: str, stream: TextIO) -> str:
    """The text in lines that end between words, where the stream is a terminal or COLUMNS gives its width."""
    from rich.console import Console

    console = Console(file=stream)
    if not (console.is_terminal or "COLUMNS" in os.environ):
        return text
    glued = text.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = textwrap.wrap(glued, console.width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}%", " %")


def deliver(report: Report, page: Path | None, *, json: bool) -> None:
    """Write a report where a command's user wants it: a page if a path is given, and JSON or tables on stdout."""
    from .html_pages import as_html

    if page is not None:
        write_atomically(page, as_html(report))
    try:
        if json:
            print_json(as_record(report))
        else:
            write_terminal(report)
    finally:  # whether or not stdout takes the rest
        if page is not None and not json:
            note(f"report: {page}")


def write_terminal(report: Report) -> None:
    """Print a report to stdout: what it found, one line each, then its tables with their notes."""
    title = f"{report.title}{'' if report.title.endswith('?') else ':'} {report.lead}"
    typer.echo(_folded(title, sys.stdout))
    for line in report.findings:
        typer.echo(_folded(f"- {line}", sys.stdout))
    typer.echo()
    for table in (table for section in report.sections for table in section.tables):
        write_table(table)


def write_table(table: Table) -> None:
    """Print one table and its notes to stdout: texts to the left, numbers to the right, a dash for missing values.
    Columns that do not fit follow below, in more grids that begin with the first column."""
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:  # a pipe or a file has no width to fit
        console.width = 160
    texts = [_texts(table, number) for number in range(len(table.rows))]
    needed = [_needed(table, texts, place) for place in range(len(table.columns))]
    for number, kept in enumerate(_blocks(needed, console.width)):
        grid = Grid(title=None if number else Text(table.caption), title_justify="left", title_style="bold")
        for place in kept:
            left = table.texts[place]
            title = table.columns[place] if left else "\n".join(textwrap.wrap(table.columns[place], needed[place] - 3))
            grid.add_column(title, justify="left" if left else "right", no_wrap=not left, overflow="fold")
        for row in texts:
            grid.add_row(*[Text(row[place]) for place in kept])
        console.print(grid)
    for line in table.notes:
        console.print(Text(_folded(line, sys.stdout), style="dim"))


def _texts(table: Table, number: int) -> list[str]:
    """The cells of a row as they are printed."""
    row = table.rows[number]
    whole = row if len(row) == len(table.columns) else [row[0], *[None] * (len(table.columns) - 1)]
    stars = (" ★" if (number, place) in table.best else "" for place in range(len(whole)))
    encoding = sys.stdout.encoding or "utf-8"
    cells = (shown(value, digits=table.digits) + star for value, star in zip(whole, stars))
    return [cell.encode(encoding, "backslashreplace").decode(encoding) for cell in cells]


def _blocks(needed: list[int], width: int) -> list[list[int]]:
    """Places of the columns of every grid, in their order: the first column, and the others that fit next to it."""
    blocks, room = [[0]], width - 1 - needed[0]
    for place, own in enumerate(needed[1:], 1):
        if own > room and len(blocks[-1]) > 1:
            blocks.append([0])
            room = width - 1 - needed[0]
        blocks[-1].append(place)
        room -= own
    return blocks


def _needed(table: Table, texts: list[list[str]], place: int) -> int:
    """Characters that a column takes at least, with its edge; words are folded."""
    title = max(map(len, str(table.columns[place]).split()), default=0)
    longest = max((len(row[place]) for row in texts), default=1)
    return max(title, min(longest, FOLDED) if table.texts[place] else longest) + 3
