"""The role of one column of a table, and how the column is read by it; `find_role` finds it in a training table.

    number      whole or decimal, signs around the digits taken off (`base.number_texts`)          kept
    vector      several numbers in every entry (`base.several_numbers`)                            kept, a column each
    date        year, month, day of the week and days since 1970; without years: month and day    kept, as numbers
    category    any other entries that repeat; spellings of one word, of yes and of no are one    kept
    identifier  as good as a value a row, or whole numbers that count the rows                    left out
    text        as good as a value a row, of several words                                        left out
    constant    one value, in every row                                                           left out
    empty       no entry                                                                          left out
    dropped     left out by the user                                                              left out

A role comes with a remark that says what was changed or left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal
from unicodedata import normalize

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.columns import SECONDS_A_DAY, as_numbers, as_texts
from ...base.date_numbers import NUMBERED, SINCE, numbered_dates, numbered_format
from ...base.date_texts import DateReading, read_dates
from ...base.number_texts import read_numbers
from ...base.several_numbers import read_several
from ...base.words import word_of
from ...datasets.table_files import ABSENT
from .spellings import spellings_of

Role = Literal["number", "vector", "date", "category", "identifier", "text", "constant", "empty", "dropped"]
KEPT: tuple[Role, ...] = ("number", "vector", "date", "category")
LEFT_OUT: tuple[Role, ...] = ("identifier", "text", "constant", "empty", "dropped")
DECLARED = ("number", "date", "category", "identifier", "text")
"""Roles that a user can give."""
PARTS = ("year", "month", "day of week", "day of year", "elapsed days")
"""Of dates; the day of the year only where they have no year, and the elapsed days only where they have one."""
LARGEST = 1e100
"""Numbers beyond are missing: their squares are none."""


@dataclass(frozen=True)
class ColumnRole:
    """What a column of a training table is, and how columns of its name are read.

    Attributes
    ----------
    name : str
        Name of the column.
    role : str
        One of the roles of the module's head.
    remark : str
        What was found or changed, for people; "" where there is nothing to say.
    values : tuple of str
        Values of a category in training, sorted; ("0", "1") of a number that has no others.
    decimal : {".", ","}
        The decimal sign of a number that was written as text.
    format : str
        Format of a date that was written as text; what stands between the numbers of a vector, one of `BETWEEN`.
    parts : tuple of str
        What changes from row to row: of a date those of `PARTS`, of a vector the places "1", "2", ...
    unit : str
        The unit that was written behind a number; numbers with another are not read. Of a vector those of all its
        numbers, "|" between them.
    gap : str
        A number that stands for a missing entry, such as "-999"; "" where there is none.
    limits : tuple of float
        The smallest and the largest number in training.
    """

    name: str
    role: Role
    remark: str = ""
    values: tuple[str, ...] = ()
    decimal: str = "."
    format: str = ""
    parts: tuple[str, ...] = ()
    unit: str = ""
    gap: str = ""
    limits: tuple[float, ...] = ()

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
        if self.role in ("date", "vector"):
            return tuple(f"{self.name}: {part}" for part in self.parts)
        return (self.name,) if self.kept else ()

    def read(self, column: pd.Series) -> Reading:
        """A column of this name in another table."""
        if self.role == "number":
            return self._read_number(column)
        if self.role == "date":
            return self._read_date(column)
        if self.role == "vector":
            return self._read_vector(column)
        texts = trimmed_texts(column)
        known = set(self.values)
        spelt = spellings_of(self.values)
        texts = np.array([t if t in known else spelt.get(word_of(str(t)), t) for t in texts], dtype=object)
        unseen = np.array([text is not None and text not in known for text in texts], dtype=bool)
        return Reading((texts,), texts, no_rows(column), unseen)

    def _read_number(self, column: pd.Series) -> Reading:
        numbers = as_numbers(column)
        if numbers is not None:
            return self._measure(numbers, None, no_rows(column))
        texts = trimmed_texts(column)
        spelt = spellings_of(self.values) if self.values else {}
        texts = np.array([spelt.get(word_of(str(text)), text) for text in texts], dtype=object)
        found = read_numbers(texts, default=self.decimal, unit=self.unit)
        return self._measure(found.values, texts, found.unread)

    def _measure(self, numbers: NDArray[np.float64], texts: NDArray | None, unread: NDArray[np.bool_]) -> Reading:
        huge = np.abs(numbers) > LARGEST
        if huge.any():
            numbers, unread = np.where(huge, np.nan, numbers), unread | huge
        if self.gap:
            numbers = np.where(numbers == float(self.gap), np.nan, numbers)
        far = np.zeros(len(numbers), dtype=bool)
        if self.limits:
            low, high = self.limits
            far = (numbers < low - (high - low)) | (numbers > high + (high - low))
        return Reading((numbers,), texts, unread, far)

    def _read_date(self, column: pd.Series) -> Reading:
        texts = trimmed_texts(column)
        dates = dates_of(column, self.format or None)
        if dates is None:  # none of the entries is a date
            unread = np.array([text is not None for text in texts], dtype=bool)
            dates = DateReading(pd.DatetimeIndex([pd.NaT] * len(texts)), unread, self.format)
        return Reading(date_parts(dates.values, self.parts), texts, dates.unread, no_rows(column))

    def _read_vector(self, column: pd.Series) -> Reading:
        texts = trimmed_texts(column)
        found = read_several(texts, self.format, tuple(self.unit.split("|")), default=self.decimal)
        values = [] if found is None else [found.readings[int(part) - 1].values for part in self.parts]
        return Reading(tuple(values), texts, no_rows(column) if found is None else found.unread, no_rows(column))


@dataclass(frozen=True, eq=False)
class Reading:
    """A column read by its role.

    Attributes
    ----------
    columns : tuple of (n,) ndarray
        Numbers or texts, one for each of ``ColumnRole.names``.
    texts : (n,) ndarray or None
        What was read, where it was text.
    unread : (n,) ndarray of bool
        Entries that are no numbers, or no dates, and count as missing.
    unseen : (n,) ndarray of bool
        Categories that training did not hold, and numbers further outside those of training than these reach.
    """

    columns: tuple[NDArray, ...]
    texts: NDArray | None
    unread: NDArray[np.bool_]
    unseen: NDArray[np.bool_]

    def example(self, which: NDArray[np.bool_]) -> str:
        """The first text of these rows, quoted."""
        return "" if self.texts is None or not which.any() else repr(str(self.texts[np.flatnonzero(which)[0]]))


def columns_of_its_date(names: Iterable[Any]) -> list[int]:
    """How many of these columns are parts of the same date, for each of them; 1 where it is no such part."""
    wholes = [whole if part in PARTS else "" for whole, _, part in (str(name).rpartition(": ") for name in names)]
    counts = Counter(wholes)
    return [counts[whole] if whole else 1 for whole in wholes]


def trimmed_texts(column: pd.Series) -> NDArray:
    """Entries as trimmed texts, None where missing."""
    texts = [None if text is None or text.strip() in ABSENT else text.strip() for text in as_texts(column)]
    return np.array(
        [text if text is None or text.isascii() else normalize("NFC", text) for text in texts], dtype=object
    )


def no_rows(column: pd.Series) -> NDArray[np.bool_]:
    """False for every row (n,)."""
    return np.zeros(len(column), dtype=bool)


def dates_of(column: pd.Series, format: str | None, *, declared: bool = False) -> DateReading | None:
    """Times of any kind without a zone; of numbers those of ``format``, or of a format that they speak for."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        times = column.dt.tz_convert("UTC").dt.tz_localize(None) if column.dt.tz is not None else column
        moved = int((times.dt.normalize() != column.dt.tz_localize(None).dt.normalize())[times.notna()].sum())
        return DateReading(pd.DatetimeIndex(times), no_rows(column), "", moved=moved)
    numbers = as_numbers(column)
    if numbers is None and format in SINCE:
        numbers = read_numbers(trimmed_texts(column)).values
    if numbers is None:
        return read_dates(trimmed_texts(column), format)
    if format is None:
        format = numbered_format(numbers, str(column.name), declared=declared)
    if format not in NUMBERED:
        return None
    dates = numbered_dates(numbers, format)
    return DateReading(dates, np.asarray(dates.isna()) & column.notna().to_numpy(), format)


def date_parts(dates: pd.DatetimeIndex, parts: tuple[str, ...]) -> tuple[NDArray[np.float64], ...]:
    """The parts of dates as numbers, NaN where missing."""
    elapsed = (dates - pd.Timestamp("1970-01-01")).total_seconds() / SECONDS_A_DAY
    every = dict(zip(PARTS, (dates.year, dates.month, dates.day_of_week, dates.day_of_year, elapsed)))
    return tuple(np.asarray(every[part], dtype=np.float64) for part in parts)
