"""Where results, progress and JSON go: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer


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


def show_frame(frame: Any, title: str = "", digits: int = 4) -> None:
    """Print a DataFrame to stdout as a table: texts to the left, numbers to the right, nan as a dash."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 160
    table = Table(title=Text(title) if title else None, title_justify="left", title_style="bold")
    for name in frame.columns:
        table.add_column(str(name), justify="left" if frame[name].dtype.kind not in "iuf" else "right")
    for values in frame.itertuples(index=False):
        table.add_row(*[Text(_cell(value, digits)) for value in values])
    console.print(table)


def _cell(value: Any, digits: int) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)
