"""Tables as files hold them: CSV, Parquet and Excel, refused with one clear line where they cannot be read.

Entries of text files stay as they are written unless a whole column is plain whole numbers, plain decimal numbers, or
True and False: what "1,200.50" or "31.01.2024" means is decided by `partitope.classifiers.TableCleaner`, with the
column as a whole in view. Whole numbers keep all their digits, with gaps in the column too.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import re
import zipfile
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..base.checks import as_path, instance_of, one_of
from ..base.columns import EXACT
from ..base.errors import InvalidInputError, PartitopeError, one_line
from ..base.extras import import_extra
from ..base.number_texts import grouped_by

CSV_SUFFIXES = (".csv", ".tsv", ".txt", ".data")
PARQUET_SUFFIXES = (".parquet", ".pq")
EXCEL_SUFFIXES = (".xlsx", ".xlsm")
ABSENT = frozenset(("", "?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "<NA>"))
"""Entries that are missing in every column."""

SPACES = r"\s+"
_WHOLE = r"[+-]?(?:0|[1-9][0-9]*)"
_DECIMAL = r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?inf(?:inity)?"
_TRUTH = {word: truth for truth in (True, False) for word in (f"{truth}", f"{truth}".upper(), f"{truth}".lower())}


def read_table(
    path: str | Path, *, encoding: str | None = None, sheet: str | None = None, decimal: str | None = None
) -> pd.DataFrame:
    """The table of a CSV, Parquet or Excel file, without a target.

    Parameters
    ----------
    path : str or Path
        ``.csv``, ``.tsv``, ``.txt`` or ``.data`` (with a header line; gzipped too), ``.parquet`` or ``.pq``, ``.xlsx``
        or ``.xlsm`` (needs openpyxl).
    encoding : str, optional
        Of text files; UTF-8 when left out, or UTF-16 where the file begins so.
    sheet : str, optional
        Name or number of a sheet of an Excel file; the first when left out.
    decimal : {".", ","}, optional
        The decimal sign of text files; None leaves numbers with a comma as texts.

    Returns
    -------
    DataFrame
        Empty fields, "?" and the usual words (NA, NaN, null, ...) are missing. The rows are numbered; an index that a
        Parquet file holds is no column.

    Raises
    ------
    InvalidInputError
        When the file is missing, empty, unreadable or of another kind, column names repeat, or an option is not usable.
    """
    return read_with_notes(path, encoding, sheet, decimal)[0]


def read_with_notes(
    path: str | Path, encoding: str | None = None, sheet: str | None = None, decimal: str | None = None
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """`read_table`, and what a reader of the file should know.

    That columns stand between spaces, which of several sheets was read, what was left out above the header or as names
    of the rows, merged cells, that rows are shorter than the header, that a header seems to be missing or to stand
    further down, and a line for every column of numbers in which "?" stood for missing entries, and of words in which
    some are others but for blanks around them.
    """
    one_of(decimal, "decimal", (None, ".", ","))
    file, suffix = _checked_file(path, encoding, sheet)
    frame = _checked(_read(file, suffix, encoding, sheet), file)
    written = {name: as_written(frame[name], decimal) for name in frame.columns}
    numbers = [re.fullmatch(_DECIMAL, name) is not None for name in frame.columns]
    data = any(numbers) and all(number or (frame[name] == name).any() for name, number in zip(frame.columns, numbers))
    kind = "a number" if all(numbers) else "a number or an entry of its column"
    notes = [f"every column name is {kind} ({', '.join(frame.columns[:3])}, ...): is the header line missing?"] * data
    notes += ["columns are separated by spaces"] * (frame.attrs.get("separator") == SPACES)
    notes += [frame.attrs.get(what, "") for what in ("sheet", "above", "merged", "unnamed", "short")]
    nameless = sum(name.startswith("Unnamed: ") for name in frame.columns)
    notes += [f"{nameless} columns have no name: does the header stand further down?"] * (nameless > 1)
    notes += [said(frame[name], column) for said in (_questions, _blanks) for name, column in written.items()]
    return pd.DataFrame(written, index=frame.index), tuple(note for note in notes if note)


def _checked_file(path: str | Path, encoding: str | None, sheet: str | None) -> tuple[Path, str]:
    """The path of a file that is there, and its suffix in small letters, without ".gz"."""
    file = as_path(path)
    for name, value in (("encoding", encoding), ("sheet", sheet)):
        instance_of("" if value is None else value, name, str, "pass a text, or None")
    if not file.is_file():
        if str(file) == "-" or (file.exists() and not file.is_dir()):
            what = "is no file on a disk, and tables are read more than once: save it as one, and"
        else:
            what = "is a folder:" if file.is_dir() else "does not exist:"
        raise InvalidInputError(f"{file} {what} pass the path of a CSV, Parquet or Excel file")
    if not file.stat().st_size:
        raise InvalidInputError(f"{file} is empty: expected a header line and rows")
    suffix = Path(file.stem).suffix.lower() if file.suffix.lower() == ".gz" else file.suffix.lower()
    if sheet is not None and suffix not in EXCEL_SUFFIXES:
        raise InvalidInputError(f"sheet {sheet!r} was given, but {file.name} is no Excel file: leave it out")
    return file, suffix


def _read(file: Path, suffix: str, encoding: str | None, sheet: str | None) -> pd.DataFrame:
    """The file by the reader for its suffix; InvalidInputError in one line, whatever that reader raises."""
    try:
        if suffix in PARQUET_SUFFIXES:
            import_extra("pyarrow", "parquet", f"{file.name} is a Parquet file, which pyarrow reads")
            return pd.read_parquet(file, engine="pyarrow").reset_index(drop=True)
        elif suffix in CSV_SUFFIXES:
            return _read_csv(file, _encoding(file, encoding))
        elif suffix in EXCEL_SUFFIXES:
            return _read_excel(file, sheet)
        known = ", ".join((*CSV_SUFFIXES, *PARQUET_SUFFIXES, *EXCEL_SUFFIXES))
        raise InvalidInputError(f"{file.name} has the suffix {suffix!r}: expected one of {known}")
    except PartitopeError:
        raise
    except UnicodeError as error:
        raise InvalidInputError(_not_this_encoding(file, encoding, error)) from error
    except Exception as error:  # pandas, pyarrow, openpyxl and gzip raise what they like on damaged files
        reason = one_line(error)[:200]
        raise InvalidInputError(f"{file.name} cannot be read ({reason}): is it a {suffix} file?") from error


def n_entries(count: int) -> str:
    """A number of entries in words."""
    return "1 entry" if count == 1 else f"{count} entries"


def _questions(written: pd.Series, column: pd.Series) -> str:
    """What to say of question marks among numbers; "" where there are none."""
    if written.dtype == column.dtype or not pd.api.types.is_numeric_dtype(column.dtype):
        return ""
    count = int((written.astype(object).str.strip() == "?").sum())
    return f"column {column.name}: {n_entries(count)} '?' read as missing" if count else ""


def _blanks(written: pd.Series, column: pd.Series) -> str:
    """A remark on entries that equal others once blanks around them are taken off; "" where there are none."""
    if not (pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype)):
        return ""
    counts = Counter(entry for entry in written if isinstance(entry, str))
    padded = [entry for entry in counts if entry.strip() != entry and entry.strip() in counts]
    count = sum(counts[entry] for entry in padded)
    return f"column {column.name}: {n_entries(count)} with blanks around ({padded[0]!r}) read without" if count else ""


def _checked(frame: pd.DataFrame, file: Path) -> pd.DataFrame:
    frame.columns = [str(name).strip() for name in frame.columns]
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InvalidInputError(f"{file.name} has two columns named {repeated[0]!r}: rename one")
    if not len(frame):
        raise InvalidInputError(f"{file.name} has a header but no rows: add data")
    return frame


def _open(file: Path, **options: Any) -> Any:
    return gzip.open(file, **options) if file.suffix.lower() == ".gz" else file.open(**options)


def _encoding(file: Path, encoding: str | None) -> str:
    """The encoding that was asked for, or what the first bytes say."""
    if encoding is not None:
        try:
            "".encode(encoding)
        except LookupError:
            raise InvalidInputError(f"encoding {encoding!r} is not known: pass utf-8, latin-1, cp1252, ...") from None
        return encoding
    with _open(file, mode="rb") as stream:
        start = stream.read(64)
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    zeros = start[0::2].count(0), start[1::2].count(0)  # every other byte of plain letters in UTF-16
    return "utf-8-sig" if 4 * sum(zeros) < len(start) else "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


def _not_this_encoding(file: Path, encoding: str | None, error: UnicodeError) -> str:
    if encoding is not None:
        return f"{file.name} cannot be read as {encoding} ({error}): name the encoding it was written in"
    where = f"byte {error.object[error.start]:#x}" if isinstance(error, UnicodeDecodeError) else str(error)
    return (
        f"{file.name} cannot be read as UTF-8 ({where}): name its encoding, such as latin-1 or cp1252 "
        f"(--encoding latin-1, in Python encoding='latin-1')"
    )


def _read_csv(file: Path, encoding: str) -> pd.DataFrame:
    """Read with the separator that splits the header line into most fields: comma, semicolon, tab, bar."""
    with _open(file, mode="rt", encoding=encoding) as lines:
        first = [str(line) for line in islice(lines, 20)]
    above = _lines_above(first)
    header, rows = "".join(first[above : above + 1]), first[above + 1 :]
    separator = max(",;\t|", key=header.count)
    if separator not in header and _between_spaces(header, rows):
        frame = pd.read_csv(file, encoding=encoding, sep=SPACES, dtype=str)
        frame.attrs["separator"] = SPACES
        return frame.reset_index(drop=True)
    for names in csv.reader([header], delimiter=separator, skipinitialspace=True):
        plain = [name.strip() for name in names]
        for name in plain:
            if name and plain.count(name) > 1:  # pandas would rename the second one silently
                raise InvalidInputError(f"{file.name} has two columns named {name!r}: rename one")
    blanks = _blanks_follow(file, encoding, separator, rows)
    options: dict[str, Any] = {"sep": separator, "skipinitialspace": blanks, "dtype": str, "skiprows": above}
    frame = pd.read_csv(file, encoding=encoding, **options)
    if not isinstance(frame.index, pd.RangeIndex) and frame.iloc[:, -1].isna().all():
        frame = pd.read_csv(file, encoding=encoding, index_col=False, **options)  # rows end with a separator
    if above:
        lines = "1 line" if above == 1 else f"{above} lines"
        frame.attrs["above"] = f"{lines} above the header left out ({' '.join(first[0].split())[:40]})"
    if not isinstance(frame.index, pd.RangeIndex):
        frame.attrs["unnamed"] = (
            f"rows have more fields than the header: the first, such as {str(frame.index[0])[:40]!r}, is taken for the "
            f"name of the row and left out"
        )
    elif frame.iloc[:, -1].isna().any():
        frame.attrs["short"] = _short_rows(file, encoding, separator, above, frame.shape[1])
    return frame.reset_index(drop=True)


def _blanks_follow(file: Path, encoding: str, separator: str, rows: Sequence[str]) -> bool:
    """Whether blanks follow the separators as a rule, or stand before a quote, and belong to no entry."""
    fields = [field for row in csv.reader(rows, delimiter=separator) for field in row[1:]]
    if 2 * sum(field.startswith(" ") for field in fields) > len(fields) or encoding.startswith("utf-16"):
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


def _lines_above(first: list[str]) -> int:
    """How many of the first lines of a file stand above its header: comments, a title, the name of the separator."""
    separator = max(",;\t|", key=lambda mark: sum(min(line.count(mark), 99) for line in first[-10:]))
    rows = [next(csv.reader([line], delimiter=separator, skipinitialspace=True), []) for line in first]
    width = Counter(len(row) for row in rows[-10:] if row).most_common(1)[0][0] if any(rows) else 0
    above = 0
    while above < len(rows) - 2 and width > 1:
        row = rows[above]
        filled = sum(bool(entry.strip()) for entry in row)
        title = filled <= 1 and (width > 2 or len(row) < width)
        if not (title or (first[above].startswith("#") and len(row) != width)):
            break
        above += 1
    return above


def _between_spaces(header: str, rows: Sequence[str]) -> bool:
    """Whether a text without other separators is a table: as many words in every row, those of one column numbers."""
    words = [row.split() for row in rows if row.strip()]
    if not words or len(header.split()) < 2 or {len(header.split())} != {len(row) for row in words}:
        return False
    return any(all(re.fullmatch(_DECIMAL, word) for word in column) for column in zip(*words))


def _read_excel(file: Path, sheet: str | None) -> pd.DataFrame:
    if importlib.util.find_spec("openpyxl") is None:
        raise InvalidInputError(
            f"reading {file.name} needs openpyxl: pip install 'partitope[excel]', or save the sheet as .csv"
        )
    merged = _has_merged_cells(file)
    with pd.ExcelFile(file, engine="openpyxl", engine_kwargs={"read_only": not merged}) as book:
        names = [str(name) for name in book.sheet_names]
        if sheet is None or sheet in names:
            chosen = names[0] if sheet is None else sheet
        elif sheet.isdecimal() and 1 <= int(sheet) <= len(names):
            chosen = names[int(sheet) - 1]
        else:
            raise InvalidInputError(f"sheet {sheet!r} is not in {file.name}: choose among {', '.join(names)}")
        filled = _fill_merged_cells(book.book[chosen]) if merged else 0
        frame = _below_header(pd.read_excel(book, sheet_name=chosen, header=None, dtype=object))
    if sheet is None and len(names) > 1:
        frame.attrs["sheet"] = f"sheet {chosen!r} is read, the first of {', '.join(names)}: --sheet names another"
    if filled:
        frame.attrs["merged"] = f"{filled} cells that are merged with another one have its entry"
    return frame


def _has_merged_cells(file: Path) -> bool:
    with zipfile.ZipFile(file) as parts:
        sheets = [name for name in parts.namelist() if name.startswith("xl/worksheets/")]
        return any(b"<mergeCell " in parts.read(name) for name in sheets)


def _fill_merged_cells(sheet: Any) -> int:
    """Give the entry of merged cells to each of them, but for titles, alone in their line; how many were empty."""
    filled = 0
    for cells in list(sheet.merged_cells.ranges):
        alone = sum(cell.value is not None for cell in sheet[cells.min_row]) <= 1
        if alone and cells.max_col > cells.min_col:
            continue
        entry = sheet.cell(cells.min_row, cells.min_col).value
        sheet.unmerge_cells(str(cells))
        for row in sheet.iter_rows(cells.min_row, cells.max_row, cells.min_col, cells.max_col):
            for cell in row:
                cell.value = entry
        filled += cells.size["rows"] * cells.size["columns"] - 1
    return filled


def _below_header(cells: pd.DataFrame) -> pd.DataFrame:
    """The table of a sheet: its header is the first line with more than one entry, and lines of groups above names."""
    filled = cells.notna().sum(axis=1).to_numpy()
    above = int((filled > 1).argmax()) if cells.shape[1] > 1 and len(cells) else 0
    if not len(cells):
        return cells
    header = cells.iloc[above]
    first = above + 1
    if first + 1 < len(cells) and header.dropna().duplicated().any():  # groups of columns, above their names
        below = cells.iloc[first]
        if below.notna().all() and below.map(lambda entry: isinstance(entry, str)).all():
            both = [(group, name) for group, name in zip(header, below)]
            header = pd.Series([name if pd.isna(group) or group == name else f"{group} {name}" for group, name in both])
            first += 1
    frame = cells.iloc[first:].reset_index(drop=True).infer_objects()
    frame.columns = pd.Index([f"Unnamed: {place}" if pd.isna(name) else str(name) for place, name in enumerate(header)])
    if above:
        title = " ".join(str(entry) for entry in cells.iloc[0].dropna())[:40]
        frame.attrs["above"] = f"{above} line{'s' * (above > 1)} above the header left out ({title})"
    return frame


def as_written(column: pd.Series, decimal: str | None = None) -> pd.Series:
    """A column of texts as numbers or truth values where every entry is plainly one; otherwise as it is, trimmed."""
    if not (pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype)):
        return column
    entries = column.astype(object).where(column.notna(), None)
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
        if decimal is None and present.str.len().max() <= 7 and grouped_by(".", list(present.unique())):
            return texts
        return present.astype(np.float64).reindex(texts.index)
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
