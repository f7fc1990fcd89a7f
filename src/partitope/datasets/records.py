"""Rows of a file that are no records: lines of a header and comments among them, totals and remarks below them.

A row of totals says so in words ("Total", "Summe", ...) and all its numbers are sums of those above it, since the last
such row or since the first row. At the end of a table, where no other row has the word, one sum or mean is enough; and
where most rows have names of their own, that nothing stands beside its numbers. Without words it is the last row, all
its numbers are sums of those above, and larger than each. A comment is a text behind # in the first column, and nothing
beside it. A remark stands at the end, in a table of three columns and more: a source, a note, or a text alone where the
first column holds numbers.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.columns import as_numbers, as_texts
from ..base.number_texts import is_missing, may_be_numbers, read_numbers

_TOTAL = re.compile(
    r"(grand |sub|sub-|sub )?totals?( (general|général|geral))?|overall|sums?|all( rows)?|mean|average|avg\.?"
    r"|(gesamt|zwischen)?summe|(ins)?gesamt(ergebnis)?|mittelwert|durchschnitt|mittel"
    r"|somme|ensemble|moyenne|suma|media|totale|promedio|razem|totaal|Σ|∑",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"[*#†(©]|(source|sources|note|notes|remark|remarks|legend|quelle|quellen|anmerkung|hinweis|stand|fuente|nota|fonte)"
    r"\b.*[:.]|[0-9]+ (rows|records|zeilen)\b",
    re.IGNORECASE,
)
NUMBERS = 0.9
"""Share of numbers from which a column of texts counts as one of numbers."""
NAMES = 0.5
"""Share of different entries beyond which a column of texts counts as one of names."""
FEWEST = 5
"""Numbers different from zero that a sum without words needs above it."""


def only_records(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The rows of a table that are records, and a line for each kind of row that is left out.

    Parameters
    ----------
    frame : (n, d) DataFrame
        As it was read, numbers and texts.
    """
    header, header_notes = _headers(frame)
    numbers = {name: _numbers(frame[name], ~header) for name in frame.columns}
    measured = {name: column for name, column in numbers.items() if column is not None}
    remarks = _remarks(frame, measured) & ~header
    totals = _totals(frame, measured, ~(header | remarks))
    others = header | totals | remarks
    if not others.any():
        return frame, ()
    notes = [f"{_places(totals)} of totals ({_shown(frame[totals].iloc[0])})"] if totals.any() else []
    if remarks.any():
        notes.append(f"{_places(remarks)} with a remark ({_shown(frame[remarks].iloc[0], 40)})")
    lines = tuple(f"{note}: left out, row numbers count the others" for note in (*header_notes, *notes))
    return frame[~others].reset_index(drop=True), lines


def _remarks(frame: pd.DataFrame, numbers: dict[str, NDArray]) -> NDArray[np.bool_]:
    """Rows with a text in the first column and nothing else: comments, and at the end of a table what is no number."""
    found = np.zeros(len(frame), dtype=bool)
    if frame.shape[1] < 2 or frame.columns[0] not in (*numbers, *frame.select_dtypes(include=["object", "string"])):
        return found
    first = frame.iloc[:, 0]
    words = first.map(lambda entry: isinstance(entry, str) and not is_missing(entry)).to_numpy(bool)
    alone = words & frame.iloc[:, 1:].isna().all(axis=1).to_numpy()
    short = words & frame.iloc[:, -1].isna().to_numpy()
    some = frame.notna().any(axis=1).to_numpy()
    value = numbers.get(frame.columns[0])
    for row in np.flatnonzero(some)[::-1] if frame.shape[1] > 2 else ():
        noted = short[row] and _REMARK.match(first.iloc[row]) is not None
        found[row] = noted or (alone[row] and value is not None and np.isnan(value[row]))
        if not found[row]:
            break
    for row in np.flatnonzero(alone):
        found[row] |= first.iloc[row].startswith("#")
    return found


def _places(rows: NDArray[np.bool_]) -> str:
    """Rows as people count them."""
    places = [str(place) for place in np.flatnonzero(rows) + 1]
    some = ", ".join(places[:5]) + (", ..." if len(places) > 5 else "")
    return f"row {some} is one" if len(places) == 1 else f"rows {some} are {len(places)}"


def _shown(row: pd.Series, width: int = 20) -> str:
    return ", ".join(str(entry)[:width] for entry in row[row.notna()][:4])


def _headers(frame: pd.DataFrame) -> tuple[NDArray[np.bool_], list[str]]:
    """Rows that say the names of the columns once more, and a first row of words above columns of numbers."""
    none = np.zeros(len(frame), dtype=bool)
    if len(frame) < 2 or frame.shape[1] < 2:
        return none, []
    texts = {name: frame[name] for name in frame.columns if as_numbers(frame[name]) is None}
    if len(texts) == frame.shape[1]:
        again = np.logical_and.reduce([(column == name).to_numpy(bool) for name, column in texts.items()])
        if again.any():
            return again, [f"{_places(again)} with the names of the columns"]
    words = {name: column for name, column in texts.items() if _is_word(column.iloc[0])}
    if len(words) < frame[:1].notna().to_numpy().sum():
        return none, []
    rest = np.arange(len(frame)) > 0
    above = [name for name, column in words.items() if _numbers(column, rest) is not None]
    if not above or any((column.iloc[1:] == column.iloc[0]).any() for column in words.values()):
        return none, []
    return ~rest, [f"row 1 is a second line of names or units ({_shown(frame.iloc[0])})"]


def _is_word(entry: object) -> bool:
    """Whether an entry is a text without any digit that does not say that it is missing."""
    return isinstance(entry, str) and not re.search(r"\d", entry) and not is_missing(entry)


def _numbers(column: pd.Series, rows: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    """A column as numbers, NaN where there is none; None where those of ``rows`` are not."""
    values = as_numbers(column)
    if values is not None:
        return values
    if column.dtype.kind in "bM":
        return None
    texts = as_texts(column)
    if not may_be_numbers(texts[rows]):
        return None
    found = read_numbers(texts)
    read, unread = np.isfinite(found.values[rows]).sum(), found.unread[rows].sum()
    return found.values if read and read >= NUMBERS * (read + unread) else None


def _totals(frame: pd.DataFrame, numbers: dict[str, NDArray], records: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The rows of totals."""
    n, totals = len(frame), np.zeros(len(frame), dtype=bool)
    words, alone, named = _rows_with_words(frame)
    beside = frame[[name for name in frame.columns if name not in numbers]].notna().sum(axis=1).to_numpy()
    start = 0
    for row in np.flatnonzero(words & records).tolist():
        every = np.flatnonzero(records[:row] & ~totals[:row])
        last = bool(alone[row]) and not (records & ~words)[row:].any()
        agreed = any(_agree(numbers, row, above, last) for above in (every[every >= start], every))
        if agreed or (last and named[row] and numbers and beside[row] <= 1):
            totals[row], start = True, row + 1
    if not totals.any() and n > FEWEST and records[-1]:
        given = [column for column in numbers.values() if np.isfinite(column[-1])]
        totals[-1] = bool(given) and all(_is_outlying_sum(column[-1], column[:-1][records[:-1]]) for column in given)
    return totals


def _rows_with_words(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Rows with a text that speaks of totals; with one that no other row has; with one where most have their own."""
    found = np.zeros((3, len(frame)), dtype=bool)
    for name in frame.columns:
        column = frame[name]
        if column.dtype.kind in "bM" or as_numbers(column) is not None:
            continue
        codes, texts = pd.factorize(column)
        said = [isinstance(text, str) and _TOTAL.fullmatch(text.strip().rstrip(":")) is not None for text in texts]
        counts = np.append(np.bincount(codes[codes >= 0], minlength=len(texts)), 0)
        words = np.append(np.array(said, dtype=bool), False)[codes]
        alone = words & (counts[codes] == 1)
        found |= [words, alone, alone & (len(texts) > NAMES * counts.sum())]
    return found


def _agree(numbers: dict[str, NDArray], row: int, above: NDArray[np.int64], last: bool) -> bool:
    """Whether the numbers of a row are sums of those above: all of them, or of a last row one sum or mean."""
    pairs = [(column[row], column[above][np.isfinite(column[above])]) for column in numbers.values()]
    pairs = [(value, rows) for value, rows in pairs if np.isfinite(value) and rows.size > 1 and np.ptp(rows) > 0]
    sums = [bool(abs(value - rows.sum()) <= 1e-6 * np.abs(rows).sum()) for value, rows in pairs]
    if not last:
        return bool(sums) and all(sums)
    return any(sums) or any(_is_rounded_mean(value, rows) for value, rows in pairs)


def _is_rounded_mean(value: float, rows: NDArray[np.float64]) -> bool:
    """Whether a number is the mean of others, up to a thousandth or to the decimals it is written with."""
    written = 0.5 * 10.0 ** -len(f"{value:.6f}".rstrip("0").partition(".")[2]) if value % 1 else 0.0
    return bool(abs(value - rows.mean()) <= max(1e-3 * np.abs(rows).mean(), 1.001 * written))


def _is_outlying_sum(value: float, above: NDArray[np.float64]) -> bool:
    above = above[np.isfinite(above)]
    if np.count_nonzero(above) < FEWEST or abs(value) <= np.abs(above).max():
        return False
    return bool(abs(value - above.sum()) <= 1e-9 * np.abs(above).sum())
