"""One report: what a command found, as plain parts that are written to a terminal, as JSON or as an HTML page.

The writers are `terminal.write_terminal`, `as_record` with `terminal.print_json`, and `html_pages.as_html`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..base.record import Record
from ..base.version import __version__


@dataclass(frozen=True)
class Picture:
    """A picture of a page."""

    draw: Callable[[], str | None]  # Returns an SVG text, or None where there is nothing to show.
    caption: str  # Caption of the picture.
    alt: str = ""  # Short description for those who cannot see the picture; the caption if empty.

    @cached_property
    def svg(self) -> str | None:
        """What ``draw`` returns; drawn once."""
        return self.draw()


@dataclass(frozen=True)
class Table:
    """Rows of values with a caption."""

    caption: str  # What the table shows.
    columns: Sequence[str]  # Names of the columns.
    rows: Sequence[Sequence[Any]]  # Cells row by row; None and nan are missing.
    digits: int = 4  # Significant digits of floats.
    notes: Sequence[str] = ()  # Notes shown under the table.
    best: Collection[tuple[int, int]] = ()  # Row and column of cells that are marked as the best of their column.

    @classmethod
    def of(cls, frame: Any, caption: str, digits: int = 4, notes: Sequence[str] = ()) -> Table:
        """The table of a DataFrame."""
        rows = frame.to_numpy(dtype=object).tolist()
        return cls(caption, [str(name) for name in frame.columns], rows, digits, notes)

    def without_constants(self) -> Table:
        """The table without columns, after the first, that hold the same in all of several rows; a note names them."""
        same = [place for place in range(1, len(self.columns))
                if len(self.rows) > 1 and len({str(row[place]) for row in self.rows}) == 1]  # fmt: skip
        if not same:
            return self
        note = ", ".join(f"{self.columns[place]} {self.shown(self.rows[0][place], place)}" for place in same)
        kept = [place for place in range(len(self.columns)) if place not in same]
        rows = [[row[place] for place in kept] for row in self.rows]
        columns = [self.columns[place] for place in kept]
        return replace(self, columns=columns, rows=rows, notes=[f"The same in every row: {note}.", *self.notes])

    @cached_property
    def texts(self) -> list[bool]:
        """Whether a column holds words, and so is aligned to the left."""
        whole = [row if len(row) == len(self.columns) else row[:1] for row in self.rows]
        columns = ([row[place] for row in whole if place < len(row)] for place in range(len(self.columns)))
        return [any(isinstance(value, str) and value[:1].isalpha() for value in column) for column in columns]

    def shown(self, value: object, place: int) -> str:
        """A value of the column at ``place`` in few digits, and a dash for a number that is missing."""
        return shown(value, "" if self.texts[place] else "–", self.digits)


@dataclass(frozen=True)
class Section:
    """A part of a report."""

    title: str  # Heading of the section.
    name: str = ""  # Short name for links; empty if nothing links to the section.
    remarks: Sequence[str] | Callable[[], Sequence[str]] = ()  # Sentences that come first.
    pictures: Sequence[Picture] = ()  # Pictures, numbered through the report as tables are; only on pages.
    tables: Sequence[Table] = ()  # Tables, shown last.

    @cached_property
    def sentences(self) -> Sequence[str]:
        """The remarks."""
        return self.remarks() if callable(self.remarks) else self.remarks

    @cached_property
    def drawn(self) -> list[Picture]:
        """The pictures that show something."""
        return [picture for picture in self.pictures if picture.svg is not None]


@dataclass(frozen=True)
class Report:
    """What a report says, in the order in which it is read."""

    title: str  # Heading of the report.
    lead: str  # Introductory paragraph.
    findings: Sequence[str]  # One sentence each.
    sections: Sequence[Section]  # Sections of the report.
    settings: Record = field(default_factory=dict)  # Settings of the run.
    kind: str = ""  # Name of the JSON format after "partitope.".
    record: Record = field(default_factory=dict)  # Everything as plain values, for JSON.


def as_record(report: Report) -> dict[str, object]:
    """The report as plain values: format and versions, what was measured, and the findings."""
    head = {"format": f"partitope.{report.kind}", "version": 1, "partitope": __version__}
    return {**head, **report.record, "findings": list(report.findings)}


def record_of(thing: object, names: str) -> dict[str, object]:
    """The attributes of a result that have these names (divided by blanks), for a record."""
    return {name: getattr(thing, name) for name in names.split()}


def data_record(data: Any, **more: object) -> dict[str, object]:
    """What a data set is, for a record: name, number of rows, target, notes."""
    return {"name": data.name, "rows": len(data.y), "target": data.target_name, **more, "notes": list(data.notes)}


def shown(value: object, missing: str = "–", digits: int = 4) -> str:
    """A value as a table shows it: few digits, but all of those before the point; a sign where the value is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return missing
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if abs(value) >= 10.0**digits else f"{value:.{digits}g}"


def whole(values: Any) -> list[int] | list[float]:
    """Numbers such as sizes: as integers where all of them are whole."""
    numbers = [float(value) for value in values]
    return [int(value) for value in numbers] if all(value.is_integer() for value in numbers) else numbers
