"""The role of one column of a table, and how the column is read by it; `find_role` finds it in a training table.

    number      plain numbers (`base.number_texts`)                                               kept
    date        year, month, day of the week and days since 1970, those that change               kept, as numbers
    category    names that repeat                                                             kept
    identifier  almost all values distinct, or whole numbers that count the rows                  no feature
    text        almost all values distinct, of several words                                      left out
    constant    one value, in every row                                                           left out
    empty       no entry                                                                          left out
    refused     quantities, times or dates in a form that is not read                             left out
    dropped     left out by the user                                                              left out

A role comes with a remark that says what was changed or left out, how many entries it is about, and one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from unicodedata import normalize

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.columns import as_numbers, as_texts
from ...base.date_texts import read_dates
from ...base.number_texts import read_numbers
from ...datasets.table_reader import ABSENT

Role = Literal["number", "date", "category", "identifier", "text", "constant", "empty", "refused", "dropped"]
KEPT: tuple[Role, ...] = ("number", "date", "category")
LEFT_OUT: tuple[Role, ...] = ("identifier", "text", "constant", "empty", "refused", "dropped")
DECLARED = ("number", "date", "category", "identifier", "text")  # roles that a user can give
PARTS = ("year", "month", "day of week", "elapsed days")  # of dates
LARGEST = 1e100  # Larger numbers count as missing, since their squares overflow.


@dataclass(frozen=True)
class ColumnRole:
    """What a column of a training table is, and how columns of its name are read."""

    name: str  # Name of the column.
    role: Role  # One of the roles of the module's head.
    remark: str = ""  # What was found or changed, for people; "" where there is nothing to say.
    entries: int = 0  # How many entries were not read, or are refused.
    example: str = ""  # One of these entries.
    values: tuple[str, ...] = ()  # Values of a category in training, sorted.
    decimal: str = "."  # The decimal sign of a number that was written as text.
    sign: str = ""  # The currency or per cent sign around a number; numbers with another are not read.
    format: str = ""  # Format of a date, as of ``datetime.strptime`` or "ISO8601".
    parts: tuple[str, ...] = ()  # Those of `PARTS` that change from row to row.
    gap: str = ""  # A number that stands for a missing entry, such as "-999"; "" where there is none.
    limits: tuple[float, ...] = ()  # The smallest and the largest number in training.

    @property
    def kept(self) -> bool:
        """Whether the column stays in the table."""
        return self.role in KEPT

    @property
    def line(self) -> str:
        """The remark with the column's name."""
        return f"column {self.name}: {self.remark}"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns that come of it."""
        if self.role == "date":
            return tuple(f"{self.name}: {part}" for part in self.parts)
        return (self.name,) if self.kept else ()

    def read(self, column: pd.Series) -> Reading:
        """A column of this name in another table."""
        if self.role == "number":
            return self._read_number(column)
        if self.role == "date":
            times, unread = times_of(column, self.format)
            return Reading(date_parts(times, self.parts), trimmed_texts(column), unread, no_rows(column))
        texts, known = trimmed_texts(column), set(self.values)
        unseen = np.array([text is not None and text not in known for text in texts], dtype=bool)
        return Reading((texts,), texts, no_rows(column), unseen)

    def _read_number(self, column: pd.Series) -> Reading:
        numbers, texts, unread = as_numbers(column), None, no_rows(column)
        if numbers is None:
            texts = trimmed_texts(column)
            found = read_numbers(texts, self.decimal, sign=self.sign)
            numbers, unread = found.values, found.unread
        huge = np.abs(numbers) > LARGEST
        missing = huge | (numbers == float(self.gap)) if self.gap else huge
        numbers = np.where(missing, np.nan, numbers)
        far = no_rows(column)
        if self.limits:
            low, high = self.limits
            far = (numbers < low - (high - low)) | (numbers > high + (high - low))
        return Reading((numbers,), texts, unread | huge, far)


@dataclass(frozen=True, eq=False)
class Reading:
    """A column read by its role."""

    columns: tuple[NDArray, ...]  # Numbers or texts, one for each of ``ColumnRole.names``.
    texts: NDArray | None  # (n,): What was read, where it was text.
    unread: NDArray[np.bool_]  # (n,): Entries that cannot be read as numbers or dates, and count as missing.
    unseen: NDArray[np.bool_]  # (n,)

    def example(self, which: NDArray[np.bool_]) -> str:
        """The first text of these rows, quoted."""
        return "" if self.texts is None or not which.any() else repr(str(self.texts[np.flatnonzero(which)[0]]))


def columns_of_its_date(names: Iterable[object]) -> list[int]:
    """How many of these columns are parts of the same date, for each of them; 1 if it is not such a part."""
    wholes = [whole if part in PARTS else "" for whole, _, part in (str(name).rpartition(": ") for name in names)]
    counts = Counter(wholes)
    return [counts[whole] if whole else 1 for whole in wholes]


def trimmed_texts(column: pd.Series) -> NDArray:
    """Entries as trimmed texts, None where missing."""
    texts = [None if text is None or text.strip() in ABSENT else text.strip() for text in as_texts(column)]
    composed = [text if text is None or text.isascii() else normalize("NFC", text) for text in texts]
    return np.array(composed, dtype=object)


def no_rows(column: pd.Series) -> NDArray[np.bool_]:
    """False for every row (n,)."""
    return np.zeros(len(column), dtype=bool)


def times_of(column: pd.Series, format: str) -> tuple[pd.DatetimeIndex, NDArray[np.bool_]]:
    """Times (n,) without a zone, and which entries are not times: texts and whole numbers are read by their format."""
    if not pd.api.types.is_datetime64_any_dtype(column.dtype):
        return read_dates(trimmed_texts(column), format)
    times = column if column.dt.tz is None else column.dt.tz_convert("UTC").dt.tz_localize(None)
    return pd.DatetimeIndex(times), no_rows(column)


def date_parts(dates: pd.DatetimeIndex, parts: tuple[str, ...]) -> tuple[NDArray[np.float64], ...]:
    """The parts of dates as numbers, NaN where missing."""
    elapsed = (dates - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    every = dict(zip(PARTS, (dates.year, dates.month, dates.day_of_week, elapsed)))
    return tuple(np.asarray(every[part], dtype=np.float64) for part in parts)
