"""Where results, progress and JSON go: results to stdout, everything else to stderr."""

from __future__ import annotations

import codecs
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from .files import write_atomically
from .report import Report, Table, as_record, shown

MOST_OF_TEXT = 24  # characters of a column of words that a narrow terminal gives it; longer texts are folded


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


@contextmanager
def resumable(folder: Path | None) -> Iterator[None]:
    """Say, when a run is interrupted, that its finished jobs are kept in the folder; None keeps nothing."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is not None:
            note(f"finished jobs are kept in {folder}: the same command goes on from there")
        raise


STAND_INS = {
    "↑": "^",
    "↓": "v",
    "★": "*",
    "±": "+-",
    "–": "-",
    "—": "-",
    "…": "...",
    "·": "-",
    "×": "x",
    "≤": "<=",
    "≥": ">=",
}


def write_everywhere() -> None:
    """Let stdout and stderr write any text, whatever their encoding: signs that it lacks are spelled out.

    What our tables use gets a stand-in, any other character its number, as in ``\\xe9``.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="partitope")


def _spelled(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    spelled = (STAND_INS.get(sign, sign.encode("ascii", "backslashreplace").decode("ascii")) for sign in lost)
    return "".join(spelled), error.end


codecs.register_error("partitope", _spelled)


def print_json(value: Any) -> None:
    """Print a value as JSON (RFC 8259): numbers that are not finite become null."""
    as_it_is = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    typer.echo(json.dumps(plain(value), indent=2, ensure_ascii=not as_it_is, allow_nan=False))


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
    typer.echo(f"{report.title}{'' if report.title.endswith('?') else ':'} {report.lead}")
    for section in report.sections:
        if section.tables and section.sentences:
            typer.echo("\n  ".join([section.title, *section.sentences]))
        for table in section.tables:
            write_table(table)
    for line in report.findings:
        note(line)


def write_table(table: Table) -> None:
    """Print one table and its notes to stdout: texts to the left, numbers to the right, what is missing as a dash.

    What does not fit into the width stands in further tables below, or is left out, least important columns first, and
    named.
    """
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:  # a pipe or a file has no width to fit
        console.width = 160
    texts = [_texts(table, number) for number in range(len(table.rows))]
    blocks = _blocks(table, texts, console.width)
    for number, kept in enumerate(blocks):
        grid = Grid(title=None if number else Text(table.caption), title_justify="left", title_style="bold")
        for place in kept:
            left = table.texts[place]
            title = table.columns[place]
            grid.add_column(title, justify="left" if left else "right", no_wrap=not left, overflow="fold")
        for row in texts:
            grid.add_row(*[Text(row[place]) for place in kept])
        console.print(grid)
    gone = [name for place, name in enumerate(table.columns) if not any(place in kept for kept in blocks)]
    left_out = [f"Left out for want of width: {', '.join(gone)}."] if gone else []
    for line in [*left_out, *table.notes]:
        console.print(Text(line, style="dim"))


def _texts(table: Table, number: int) -> list[str]:
    """The cells of a row as they are printed."""
    row = table.rows[number]
    whole = row if len(row) == len(table.columns) else [row[0], *[None] * (len(table.columns) - 1)]
    stars = (" ★" if (number, place) in table.best else "" for place in range(len(whole)))
    encoding = sys.stdout.encoding or "utf-8"
    cells = (shown(value, digits=table.digits) + star for value, star in zip(whole, stars))
    return [cell.encode(encoding, "partitope").decode(encoding) for cell in cells]


def _blocks(table: Table, texts: list[list[str]], width: int) -> list[list[int]]:
    """Places of the columns of every grid, in their order: the first column, then those that fit, by importance."""
    named = [table.columns.index(name) for name in table.important if name in table.columns]
    rest = [place for place in dict.fromkeys([*named, *range(1, len(table.columns))]) if place]
    blocks: list[list[int]] = []
    while True:
        kept, room = [], width - 1 - _needed(table, texts, 0)
        for place in rest:
            needed = _needed(table, texts, place)
            if needed <= room:
                kept.append(place)
                room -= needed
        if kept or not blocks:
            blocks.append([0, *sorted(kept)])
        rest = [place for place in rest if place not in kept]
        if not (table.stacked and kept and rest):
            return blocks


def _needed(table: Table, texts: list[list[str]], place: int) -> int:
    """Characters that a column takes at least, with its edge: words of text columns may stand below each other."""
    cells = [row[place] for row in texts]
    title = max(map(len, str(table.columns[place]).split()), default=0)
    longest = max(map(len, cells), default=0)
    return max(title, min(longest, MOST_OF_TEXT) if table.texts[place] else longest) + 3
