"""Tables as files hold them: CSV, Parquet, Excel and GeoJSON, refused with one clear line where they cannot be read.

Entries of text files stay as they are written unless a whole column is plain whole numbers, plain decimal numbers, or
True and False: what "1,200.50" or "31.01.2024" means is decided by `partitope.classifiers.TableCleaner`, with the
column as a whole in view. Whole numbers keep all their digits, with gaps in the column too.
"""

from __future__ import annotations

import importlib.util
import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from ..base.checks import as_path, instance_of, one_of
from ..base.columns import EXACT, without_nesting
from ..base.errors import InvalidInputError, PartitopeError, one_line
from ..base.extras import import_extra
from ..base.outlines import Outlines
from .delimited_text import not_this_encoding, read_text, refuse_repeated

CSV_SUFFIXES = (".csv", ".tsv", ".txt", ".data")
PARQUET_SUFFIXES = (".parquet", ".pq")
EXCEL_SUFFIXES = (".xlsx", ".xlsm")
MAP_SUFFIXES = (".geojson", ".json")
ABSENT = frozenset((
    "", "?", "NA", "N/A", "n/a", "#N/A", "#NA", "NaN", "nan", "-NaN", "-nan", "1.#QNAN", "NULL", "null", "None", "<NA>",
))  # fmt: skip
"""Entries that are missing in every column but a target."""

_WHOLE = r"[+-]?(?:0|[1-9][0-9]*)"
_GROUPED = r"[1-9][0-9]{0,2}\.[0-9]{3}"
_COMMA = re.compile(
    r"[+-]?(?:(?:0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:\.[0-9]{3})+)(?:,[0-9]*)?|,[0-9]+)(?:[eE][+-]?[0-9]+)?"
)
_DECIMAL = r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?"
_TOTAL = re.compile(
    r"(?:grand |sub-? ?)?totals?:?|sums?:?|overall|average|mean|(?:gesamt)?summe:?|gesamt|somme", re.IGNORECASE
)
_TRUTH = {word: truth for truth in (True, False) for word in (f"{truth}", f"{truth}".upper(), f"{truth}".lower())}


def read_table(
    path: str | Path, *, encoding: str | None = None, sheet: str | None = None, decimal: str | None = None
) -> pd.DataFrame:
    """The table of a CSV, Parquet, Excel or GeoJSON file, without a target.

    Parameters
    ----------
    path : str or Path
        ``.csv``, ``.tsv``, ``.txt`` or ``.data`` (with a header line; gzipped too), ``.parquet`` or ``.pq``, ``.xlsx``
        or ``.xlsm`` (needs openpyxl), ``.geojson`` or ``.json`` (polygons, gzipped too: properties and middles).
    encoding : str, optional
        Of text files; UTF-8 when left out, or UTF-16 where the file begins so.
    sheet : str, optional
        Name or number of a sheet of an Excel file; the first when left out.
    decimal : {".", ","}, optional
        The decimal sign of text files; with a comma, points group thousands. None leaves numbers with a comma as texts.

    Returns
    -------
    DataFrame
        Empty fields, "?" and the usual words (NA, NaN, null, ...) are missing. The rows are numbered; an index that a
        Parquet file is not a column.

    Raises
    ------
    InvalidInputError
        When the file is missing, empty, unreadable or of another kind, column names repeat, or an option is not usable.
    """
    return read_with_notes(path, encoding, sheet, decimal)[0]


def read_with_notes(
    path: str | Path,
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
    target: str | None = None,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """`read_table`, and what a reader of the file should know, a line each. In a target of words, NA and the like are
    classes, and only an empty entry is missing."""
    one_of(decimal, "decimal", (None, ".", ","))
    file, suffix = checked_file(path, encoding, sheet)
    frame = _checked(_read(file, suffix, encoding, sheet), file)
    written = {name: as_written(frame[name], decimal, classes=name == target) for name in frame.columns}
    numbers = [re.fullmatch(_DECIMAL, name) is not None for name in frame.columns]
    data = any(numbers) and all(number or (frame[name] == name).any() for name, number in zip(frame.columns, numbers))
    kind = "a number" if all(numbers) else "a number or an entry of its column"
    notes = [f"every column name is {kind} ({', '.join(frame.columns[:3])}, ...): is the header line missing?"] * data
    notes += frame.attrs.get("notes", [])
    nameless = sum(name.startswith("Unnamed: ") for name in frame.columns)
    notes += [f"{nameless} columns have no name: is the header further down?"] * (nameless > 1)
    totals = [entry for entry in frame.iloc[-1] if isinstance(entry, str) and _TOTAL.fullmatch(entry.strip())]
    notes += [
        f"the last row says {entry!r} and is read as any other: take it out if it sums up" for entry in totals[:1]
    ]
    notes += [note for name, column in written.items() for note in _absent(frame[name], column, name == target)]
    return pd.DataFrame(written, index=frame.index), tuple(notes)


def checked_file(path: str | Path, encoding: str | None = None, sheet: str | None = None) -> tuple[Path, str]:
    """The path of a file that is there, and its suffix in small letters, without ".gz"."""
    file = as_path(path)
    for name, value in (("encoding", encoding), ("sheet", sheet)):
        instance_of("" if value is None else value, name, str, "pass a text, or None")
    if not file.is_file():
        if str(file) == "-" or (file.exists() and not file.is_dir()):
            what = "is not a file on a disk, and tables are read more than once: save it as one, and"
        else:
            what = "is a folder:" if file.is_dir() else "does not exist:"
        raise InvalidInputError(f"{file} {what} pass the path of a CSV, Parquet, Excel or GeoJSON file")
    if not file.stat().st_size:
        raise InvalidInputError(f"{file} is empty: expected a header line and rows")
    suffix = Path(file.stem).suffix.lower() if file.suffix.lower() == ".gz" else file.suffix.lower()
    if sheet is not None and suffix not in EXCEL_SUFFIXES:
        raise InvalidInputError(f"sheet {sheet!r} was given, but {file.name} is not an Excel file: leave it out")
    if encoding is not None and suffix in MAP_SUFFIXES:
        raise InvalidInputError(f"encoding {encoding!r} was given, but {file.name} is GeoJSON, always UTF-8: drop it")
    return file, suffix


def _read(file: Path, suffix: str, encoding: str | None, sheet: str | None) -> pd.DataFrame:
    """The file by the reader for its suffix; InvalidInputError in one line, whatever that reader raises."""
    try:
        if suffix in PARQUET_SUFFIXES:
            import_extra("pyarrow", "parquet", f"{file.name} is a Parquet file, which pyarrow reads")
            return pd.read_parquet(file, engine="pyarrow").reset_index(drop=True)
        elif suffix in CSV_SUFFIXES:
            return read_text(file, encoding)
        elif suffix in EXCEL_SUFFIXES:
            return _read_excel(file, sheet)
        elif suffix in MAP_SUFFIXES:
            return Outlines.read(file).table
        known = ", ".join((*CSV_SUFFIXES, *PARQUET_SUFFIXES, *EXCEL_SUFFIXES, *MAP_SUFFIXES))
        raise InvalidInputError(
            f"{file.name} has the suffix {suffix!r}: expected one of {known}; save the table as one of them"
        )
    except PartitopeError:
        raise
    except UnicodeError as error:
        raise InvalidInputError(not_this_encoding(file, encoding, error)) from error
    except Exception as error:  # pandas, pyarrow, openpyxl and gzip raise what they like on damaged files
        reason = one_line(error)[:200]
        raise InvalidInputError(f"{file.name} cannot be read ({reason}): is it a {suffix} file?") from error


def n_entries(count: int) -> str:
    """A number of entries in words."""
    return "1 entry" if count == 1 else f"{count} entries"


def _absent(written: pd.Series, column: pd.Series, target: bool) -> list[str]:
    """Remarks on question marks, and other words of a target, that are read as missing."""
    if written.dtype == column.dtype or not (target or pd.api.types.is_numeric_dtype(column.dtype)):
        return []
    texts = written[written.notna() & column.isna()].astype(str).str.strip()
    counts = texts[texts.isin(ABSENT - {""} if target else ["?"])].value_counts(sort=False)
    return [f"column {column.name}: {n_entries(count)} {word!r} read as missing" for word, count in counts.items()]


def _checked(frame: pd.DataFrame, file: Path) -> pd.DataFrame:
    frame.columns = [str(name).strip() for name in frame.columns]
    named = [not name.startswith("Unnamed: ") or frame.iloc[:, f].notna().any() for f, name in enumerate(frame.columns)]
    frame = frame.loc[:, named]  # separators at the end of every line, columns left empty in a sheet
    refuse_repeated(frame.columns.tolist(), file)
    if not len(frame):
        raise InvalidInputError(f"{file.name} has a header but no rows: add data")
    return frame


def _read_excel(file: Path, sheet: str | None) -> pd.DataFrame:
    if importlib.util.find_spec("openpyxl") is None:
        raise InvalidInputError(
            f"reading {file.name} needs openpyxl: pip install '.[excel]' in a clone, or save the sheet as .csv"
        )
    with zipfile.ZipFile(file) as parts:
        merged = any(b"<mergeCell " in parts.read(one) for one in parts.namelist() if one.startswith("xl/worksheets/"))
    with pd.ExcelFile(file, engine="openpyxl") as book:
        names = [str(name) for name in book.sheet_names]
        number = int(sheet) - 1 if sheet is not None and sheet.isdecimal() else -1
        counted = sheet not in names and 0 <= number < len(names)
        chosen = names[0] if sheet is None else names[number] if counted else sheet
        if chosen not in names:
            raise InvalidInputError(f"sheet {sheet!r} is not in {file.name}: choose among {', '.join(names)}")
        cells = pd.read_excel(book, sheet_name=chosen, header=None, dtype=object, keep_default_na=False, na_values=[""])
    if len(cells) < 2 or not cells.iloc[0].notna().any():
        raise InvalidInputError(
            f"sheet {chosen!r} of {file.name} has no table that begins in its first line: begin it there, or choose "
            f"among {', '.join(names)} (--sheet)"
        )
    frame = cells.iloc[1:].reset_index(drop=True).infer_objects()
    named = enumerate(cells.iloc[0])
    frame.columns = pd.Index([f"Unnamed: {place}" if pd.isna(name) else str(name) for place, name in named])
    several = f"sheet {chosen!r} is read, the first of {', '.join(names)}: --sheet names another"
    gaps = "cells are merged: all but the first of each are read as missing, so fill them in"
    frame.attrs["notes"] = [several] * (sheet is None and len(names) > 1) + [gaps] * merged
    return frame


def as_written(column: pd.Series, decimal: str | None = None, *, classes: bool = False) -> pd.Series:
    """A column of texts as numbers or truth values where every entry is plainly one; otherwise as it is, trimmed. Of
    ``classes`` that are words, only empty entries are missing."""
    if not (pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype)):
        return column
    plain = [without_nesting(entry) for entry in column.astype(object).where(column.notna(), None)]
    entries = pd.Series(plain, column.index, dtype=object, name=column.name)
    if not all(isinstance(entry, str) for entry in entries if entry is not None):
        return entries
    texts = entries.map(lambda entry: None if entry is None or entry.strip() in ABSENT else entry.strip())
    texts = texts.astype(object).where(texts.notna(), None)
    present = texts[texts.notna()].astype(str)
    if not len(present):
        return pd.Series(np.nan, index=column.index, name=column.name)
    if present.str.fullmatch(_WHOLE).all():
        return _whole_numbers(texts, present)
    if decimal != "," and present.str.fullmatch(_DECIMAL, case=False).all():
        marked = present.str.contains(".", regex=False)
        if decimal is None and marked.any() and present[marked].str.fullmatch(_GROUPED).all():
            return texts  # 1.200: thousands or decimals
        return present.astype(np.float64).reindex(texts.index)
    if decimal == "," and present.map(_COMMA.fullmatch).notna().all():
        points = present.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
        return points.astype(np.float64).reindex(texts.index)
    if classes:
        return entries.map(lambda entry: (entry or "").strip() or None).astype(object)
    if present.isin(_TRUTH).all():
        truth = texts.map(_TRUTH)
        return truth.astype(bool) if len(present) == len(texts) else truth.astype(object).where(texts.notna(), None)
    return texts


def _whole_numbers(texts: pd.Series, present: pd.Series) -> pd.Series:
    """Whole numbers with all their digits: int64, floats where some are missing, Int64 where floats are too coarse."""
    numbers = [int(text) for text in present]
    largest = max(abs(number) for number in numbers)
    if largest > np.iinfo(np.int64).max:
        return texts
    if len(present) == len(texts):
        return pd.Series(numbers, index=texts.index, name=texts.name, dtype=np.int64)
    if largest > EXACT:
        return pd.Series(pd.array(numbers, dtype="Int64"), present.index, name=texts.name).reindex(texts.index)
    return pd.Series(numbers, present.index, dtype=np.float64, name=texts.name).reindex(texts.index)
