"""Text files as tables: how they are encoded, what stands between columns, and which line holds their names.

Between columns stands what splits most of the first lines, the header among them, into equally many fields: comma,
semicolon, tab or bar; a tab before the others, because texts hold none. Without any of them it may be blanks. The
header is the first line that is neither a title nor a comment; an entry in quotes may go on in the next line.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from ..base.errors import InvalidInputError, one_line

SPACES = r"\s+"
"""What stands between columns where none of `SEPARATORS` does."""
SEPARATORS = ",;\t|"
LOOKED_AT, MOST_LINES = 20, 6
"""Lines from which the layout is seen, and the most over which the entry of a header goes on."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_STARTS = {
    b"PK\x03\x04": "is a zip archive or a workbook, not text: unpack it, or give it the suffix .xlsx",
    b"\xd0\xcf\x11\xe0": "is a workbook of an old Excel, not text: save it as .xlsx or .csv",
    b"PAR1": "is a Parquet file, not text: give it the suffix .parquet",
    b"\x1f\x8b": "is compressed: give it the suffix .gz behind its own",
    b"%PDF": "is a PDF document, not a table: export the table as .csv",
    b"<!DOCTYPE": "is a page of HTML, not a table: download the file itself, or save the table as .csv",
    b"<!doctype": "is a page of HTML, not a table: download the file itself, or save the table as .csv",
    b"<html": "is a page of HTML, not a table: download the file itself, or save the table as .csv",
    b"<?xml": "is XML, not a table: save the table as .csv",
    b"version https://git-lfs": "is a pointer of Git LFS, not the table itself: fetch that with git lfs pull",
}
"""First bytes of what is often called .csv and is none."""


@dataclass(frozen=True)
class _Layout:
    """How the first lines of a text make a table.

    Attributes
    ----------
    separator : str
        What stands between columns.
    rows : list of list of str
        The fields of each line.
    width : int
        How many most lines have.
    above : int
        Lines above the header.
    """

    separator: str
    rows: list[list[str]]
    width: int
    above: int

    @classmethod
    def of(cls, lines: Sequence[str], separator: str) -> _Layout:
        """The layout of lines between whose columns this stands."""
        rows = [next(csv.reader([line], delimiter=separator, skipinitialspace=True), []) for line in lines]
        width = Counter(len(row) for row in rows[-10:] if row).most_common(1)[0][0] if any(rows) else 0
        return cls(separator, rows, width, _lines_above(lines, rows, width))

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return self.rows[self.above] if self.rows else []

    @property
    def fit(self) -> tuple[bool, int, bool, int]:
        """How well the separator splits header and rows into columns; larger is better."""
        even = sum(len(row) == self.width for row in self.rows[self.above :])
        return len(self.header) > 1, even * (self.width > 1), self.separator == "\t", len(self.header)


def read_text(file: Path, encoding: str | None) -> pd.DataFrame:
    """The table of a text file, all entries texts; what its reader should know stands in ``attrs``.

    Raises
    ------
    InvalidInputError
        When the encoding is not known, names repeat, a row has more fields than the header, or the file holds no table.
    """
    with _open(file, mode="rb") as stream:
        start = stream.read(64)
    for first, what in _STARTS.items():
        if start.lstrip().startswith(first):
            raise InvalidInputError(f"{file.name} {what}")
    known = _encoding(start, encoding)
    with _open(file, mode="rt", encoding=known) as lines:
        first_lines = _whole_lines([str(line) for line in islice(lines, LOOKED_AT)])
    layout = max((_Layout.of(first_lines, separator) for separator in SEPARATORS), key=lambda found: found.fit)
    header, below = first_lines[layout.above], first_lines[layout.above + 1 :]
    if len(layout.header) < 2 and _between_spaces(header, below):
        frame = pd.read_csv(file, encoding=known, sep=SPACES, dtype=str)
        frame.attrs["separator"] = SPACES
        return frame.reset_index(drop=True)
    refuse_repeated([name.strip() for name in layout.header], file)  # pandas would rename the second one silently
    return _read_columns(file, known, layout, below, " ".join(first_lines[0].split())[:40])


def refuse_repeated(names: Sequence[str], file: Path) -> None:
    """InvalidInputError when two columns of a file have one name; empty names do not count."""
    for name in names:
        if name and names.count(name) > 1:
            first = "; or is the header line missing? Then write one above the first row"
            data = _NUMBER.fullmatch(name) is not None
            raise InvalidInputError(f"{file.name} has two columns named {name!r}: rename one{first * data}")


def _read_columns(file: Path, encoding: str, layout: _Layout, below: Sequence[str], title: str) -> pd.DataFrame:
    """The table of a text whose layout is known; ``below`` are lines below its header."""
    separator, above = layout.separator, layout.above
    blanks = _blanks_follow(file, encoding, separator, below)
    options: dict[str, Any] = {"sep": separator, "skipinitialspace": blanks, "dtype": str, "skiprows": above}
    try:
        frame = pd.read_csv(file, encoding=encoding, **options)
        if not isinstance(frame.index, pd.RangeIndex) and frame.iloc[:, -1].isna().all():
            frame = pd.read_csv(file, encoding=encoding, index_col=False, **options)  # rows end with a separator
    except pd.errors.ParserError as error:
        raise InvalidInputError(f"{file.name} cannot be read: {_in_words(error, separator)}") from error
    if above:
        lines = "1 line" if above == 1 else f"{above} lines"
        frame.attrs["above"] = f"{lines} above the header left out ({title})"
    if not isinstance(frame.index, pd.RangeIndex):
        frame.attrs["unnamed"] = (
            f"rows have more fields than the header: the first, such as {str(frame.index[0])[:40]!r}, is taken for the "
            f"name of the row and left out"
        )
    elif frame.iloc[:, -1].isna().any():
        frame.attrs["short"] = _short_rows(file, encoding, separator, above, frame.shape[1])
    return frame.reset_index(drop=True)


def _in_words(error: pd.errors.ParserError, separator: str) -> str:
    """What is wrong with the lines of a file, and what to do."""
    wide = re.search(r"Expected ([0-9]+) fields in line ([0-9]+), saw ([0-9]+)", str(error))
    if wide:
        mark = "tab" if separator == "\t" else repr(separator)
        return (
            f"line {wide[2]} has {wide[3]} fields where the lines above have {wide[1]}: put entries that hold a {mark} "
            f"into quotes, or take out what is too much"
        )
    opened = re.search(r"EOF inside string starting at row ([0-9]+)", str(error))
    if opened:
        return f"a quote that opens in row {opened[1]} is not closed: close it, or double quotes inside an entry"
    return one_line(error)[:200]


def _open(file: Path, **options: Any) -> Any:
    return gzip.open(file, **options) if file.suffix.lower() == ".gz" else file.open(**options)


def _encoding(start: bytes, encoding: str | None) -> str:
    """The encoding that was asked for, or what the first bytes say."""
    if encoding is not None:
        try:
            "".encode(encoding)
        except LookupError:
            raise InvalidInputError(f"encoding {encoding!r} is not known: pass utf-8, latin-1, cp1252, ...") from None
        return encoding
    if start[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        return "utf-32"
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    zeros = start[0::2].count(0), start[1::2].count(0)  # every other byte of plain letters in UTF-16
    return "utf-8-sig" if 4 * sum(zeros) < len(start) else "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


def not_this_encoding(file: Path, encoding: str | None, error: UnicodeError) -> str:
    """What to say of a file that is written in another encoding."""
    if encoding is not None:
        return f"{file.name} cannot be read as {encoding} ({error}): name the encoding it was written in"
    where = f"byte {error.object[error.start]:#x}" if isinstance(error, UnicodeDecodeError) else str(error)
    return (
        f"{file.name} cannot be read as UTF-8 ({where}): name its encoding, such as latin-1 or cp1252 "
        f"(--encoding latin-1, in Python encoding='latin-1')"
    )


def _whole_lines(lines: Sequence[str]) -> list[str]:
    """Lines of which no entry in quotes goes on in the next one; a quote that is not closed soon is none."""
    whole, place = [], 0
    while place < len(lines):
        some = range(place + 1, place + 1 + MOST_LINES)
        closed = (end for end in some if "".join(lines[place:end]).count('"') % 2 == 0)
        end = min(next(closed, place + 1), len(lines))
        whole.append("".join(lines[place:end]))
        place = end
    return whole


def _blanks_follow(file: Path, encoding: str, separator: str, rows: Sequence[str]) -> bool:
    """Whether blanks follow the separators as a rule, or stand before a quote, and belong to no entry."""
    fields = [field for row in csv.reader(rows, delimiter=separator) for field in row[1:]]
    if 2 * sum(field.startswith(" ") for field in fields) > len(fields) or encoding.startswith(("utf-16", "utf-32")):
        return True
    with _open(file, mode="rb") as stream:
        return re.search(rb"%b +\"" % re.escape(separator.encode()), stream.read()) is not None


def _short_rows(file: Path, encoding: str, separator: str, above: int, width: int) -> str:
    """What to say of rows with fewer fields than the header; "" where there are none."""
    with _open(file, mode="rt", encoding=encoding, newline="") as lines:
        rows = csv.reader(islice(lines, above, None), delimiter=separator, skipinitialspace=True)
        short = sum(0 < len(row) < width for row in rows)
    rows_have = "1 row has" if short == 1 else f"{short} rows have"
    return f"{rows_have} fewer fields than the header: the last ones are missing" if short else ""


def _lines_above(lines: Sequence[str], rows: list[list[str]], width: int) -> int:
    """How many of the first lines of a file stand above its header: comments, a title, the name of the separator."""
    above = 0
    while above < len(rows) - 2 and width > 1:
        row = rows[above]
        filled = sum(bool(entry.strip()) for entry in row)
        title = filled <= 1 and (width > 2 or len(row) < width)
        if not (title or (lines[above].startswith("#") and len(row) != width)):
            break
        above += 1
    return above


def _between_spaces(header: str, rows: Sequence[str]) -> bool:
    """Whether a text without other separators is a table: as many words in every row, those of one column numbers."""
    words = [row.split() for row in rows if row.strip()]
    if not words or len(header.split()) < 2 or {len(header.split())} != {len(row) for row in words}:
        return False
    return any(all(_NUMBER.fullmatch(word) for word in column) for column in zip(*words))
