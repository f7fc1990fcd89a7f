"""Text files as tables: how they are encoded, and what separates their columns; pandas reads the rest.

Columns are separated by what splits the header and most of the lines below into equally many fields: comma, semicolon,
tab, bar or, where none of them does, blanks; or the sign that a line such as ``sep=;`` above the header names, as
spreadsheets write it. The header is the first line but this one.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from ..base.errors import InvalidInputError, one_line

SPACES = r"\s+"
SEPARATORS = ("\t", ",", ";", "|", SPACES)  # separators of columns; if several fit, the first
_NAMED = re.compile(r'"?sep=([^\r\n])"?\s*', re.IGNORECASE)
LOOKED_AT = 20  # Lines from which the separator is recognised.
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
"""First bytes of files of other kinds that are often called .csv."""


def read_text(file: Path, encoding: str | None) -> pd.DataFrame:
    """The table of a text file, all entries texts; ``attrs["notes"]`` has remarks for its reader."""
    with _open(file, mode="rb") as stream:
        start = stream.read(64)
    for first, what in _STARTS.items():
        if start.lstrip().startswith(first):
            raise InvalidInputError(f"{file.name} {what}")
    # the separator is what splits the first lines into equal numbers of fields
    known = _encoding(file, start, encoding)
    with _open(file, mode="rt", encoding=known, newline="") as stream:
        lines = list(islice(stream, LOOKED_AT))
    named = _NAMED.fullmatch(lines[0]) if lines else None
    lines = lines[named is not None :]
    separator = named[1].replace(" ", SPACES) if named else max(SEPARATORS, key=lambda one: _fit(lines, one))
    # what pandas would mend without a word is refused, or said, here
    rows = _rows(lines, separator)
    header = rows[0] if rows else []
    refuse_repeated([name.strip() for name in header], file)  # pandas would rename the second one silently
    if len(header) < 2 and _fit(lines, separator)[1]:
        raise InvalidInputError(
            f"{file.name} has {max(map(len, rows))} fields in a line, but {len(header)} in its first one "
            f"({lines[0].strip()[:40]!r}): take out the lines above the header"
        )
    try:
        options: dict[str, Any] = {"sep": separator, "skipinitialspace": True, "dtype": str, "encoding": known}
        options |= {"keep_default_na": False, "na_values": [""]}  # other words may be classes
        options["skiprows"] = int(named is not None)
        frame = pd.read_csv(file, **options)
        if not isinstance(frame.index, pd.RangeIndex) and frame.iloc[:, -1].isna().all():
            frame = pd.read_csv(file, index_col=False, **options)  # rows end with a separator
    except pd.errors.ParserError as error:
        raise InvalidInputError(f"{file.name} cannot be read: {_in_words(error, separator)}") from error
    notes = ["columns are separated by spaces"] * (separator == SPACES)
    if not isinstance(frame.index, pd.RangeIndex):
        notes.append(
            f"rows have more fields than the header: the first, such as {str(frame.index[0])[:40]!r}, is taken for the "
            f"name of the row and left out"
        )
    elif separator != SPACES and frame.iloc[:, -1].isna().any():
        with _open(file, mode="rt", encoding=known, newline="") as stream:
            fields = csv.reader(
                islice(stream, int(named is not None), None), delimiter=separator, skipinitialspace=True
            )
            short = sum(0 < len(row) < frame.shape[1] for row in fields)
        rows_have = "1 row has" if short == 1 else f"{short} rows have"
        notes += [f"{rows_have} fewer fields than the header: the last ones are missing"] * (short > 0)
    frame = frame.reset_index(drop=True)
    frame.attrs["notes"] = notes
    return frame


def _rows(lines: Sequence[str], separator: str) -> list[list[str]]:
    """The fields of lines."""
    if separator == SPACES:
        return [line.split() for line in lines]
    return list(csv.reader(lines, delimiter=separator, skipinitialspace=True))


def _fit(lines: Sequence[str], separator: str) -> tuple[bool, bool, float]:
    """How well a separator splits lines: the header, most lines, and which share of them into as many fields."""
    rows = [row for row in _rows(lines, separator) if row]
    width = len(rows[0]) if rows else 0
    alike = sum(len(row) == width for row in rows) / max(len(rows), 1)
    if separator == SPACES and (alike < 1 or not any(all(map(_NUMBER.fullmatch, column)) for column in zip(*rows[1:]))):
        return False, False, 0.0  # words of a text
    return width > 1, 2 * sum(len(row) > 1 for row in rows) > len(rows), alike


def refuse_repeated(names: Sequence[str], file: Path) -> None:
    """InvalidInputError when two columns of a file have one name; empty names do not count."""
    for name in names:
        if name and names.count(name) > 1:
            first = "; or is the header line missing? Then write one above the first row"
            data = _NUMBER.fullmatch(name) is not None
            raise InvalidInputError(f"{file.name} has two columns named {name!r}: rename one{first * data}")


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


def _encoding(file: Path, start: bytes, encoding: str | None) -> str:
    """The encoding that was asked for, or what the first bytes say."""
    if encoding is not None:
        try:
            "".encode(encoding)
        except LookupError:
            raise InvalidInputError(f"encoding {encoding!r} is not known: pass utf-8, latin-1, cp1252, ...") from None
        return encoding
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    if b"\0" in start:
        raise InvalidInputError(f"{file.name} is not UTF-8: name its encoding, e.g. utf-16-le (--encoding utf-16-le)")
    return "utf-8-sig"


def not_this_encoding(file: Path, encoding: str | None, error: UnicodeError) -> str:
    """What to say of a file that is written in another encoding."""
    if encoding is not None:
        return f"{file.name} cannot be read as {encoding} ({error}): name the encoding it was written in"
    where = f"byte {error.object[error.start]:#x}" if isinstance(error, UnicodeDecodeError) else str(error)
    return (
        f"{file.name} cannot be read as UTF-8 ({where}): name its encoding, such as latin-1 or cp1252 "
        f"(--encoding latin-1, in Python encoding='latin-1')"
    )
