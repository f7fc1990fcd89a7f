"""The role of one column of a table, found from its entries, and the column read by it.

    number      whole or decimal, signs around the digits taken off (`base.number_texts`)          kept
    vector      several numbers in every entry (`base.several_numbers`)                            kept, a column each
    date        year, month, day of the week and days since 1970; without years: month and day    kept, as numbers
    category    any other entries that repeat; spellings of one word, of yes and of no are one    kept
    identifier  as good as a value a row, or whole numbers that count the rows                    left out
    text        as good as a value a row, of several words                                        left out
    constant    one value, in every row                                                           left out
    empty       no entry                                                                          left out
    dropped     left out by the user                                                              left out

No class is looked at. Names decide only whether whole numbers that are different in every row are an identifier.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal
from unicodedata import normalize

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.columns import EXACT, SECONDS_A_DAY, as_numbers, as_texts
from ...base.date_numbers import NUMBERED, SINCE, numbered_dates, numbered_format
from ...base.date_texts import ISO, DateReading, both_orders, is_yearless, read_dates
from ...base.errors import InvalidInputError
from ...base.number_texts import MISSING_WORDS, read_numbers
from ...base.several_numbers import BETWEEN, read_several
from ...base.truth_words import FALSE, TRUE, say_truth
from ...datasets.table_files import ABSENT
from ..state import reads_state, stored_numbers

Role = Literal["number", "vector", "date", "category", "identifier", "text", "constant", "empty", "dropped"]
KEPT: tuple[Role, ...] = ("number", "vector", "date", "category")
LEFT_OUT: tuple[Role, ...] = ("identifier", "text", "constant", "empty", "dropped")
DECLARED = ("number", "date", "category", "identifier", "text")
"""Roles that a user can give."""
PARTS = ("year", "month", "day of week", "day of year", "elapsed days")
"""Of dates; the day of the year only where they have no year, and the elapsed days only where they have one."""
READABLE = 0.9
"""Share of the entries that numbers or dates must make up; half of them where a few words are all the others."""
WORDS = 0.05
"""Different words among numbers, as a share of the different numbers, that count as a few."""
MANY = 0.3
"""Share of different values from which a category is said to have many."""
NEAR_UNIQUE = 0.9
"""Share of different values from which texts name rows."""
FEWEST = 10
"""Rows from which a column is taken for an identifier because its values differ."""
ROWS_BUT_ONE = 50
"""Rows from which a value in all of them but one says nothing."""
LARGEST = 1e100
"""Numbers beyond are missing: their squares are none."""
FILLED = frozenset((-(2.0**15), 2.0**15 - 1, -(2.0**31), 2.0**31 - 1))
"""Numbers that programs write for missing ones; all beyond `UNLIKELY` count, too, where others are a millionth."""
UNLIKELY = 1e15
YEARS = (1500, 2300)
LONG = 10
"""Digits from which whole numbers that all have as many, and differ, are codes."""

_NAMED = re.compile(
    r"(?:^|[\s_.\-])(?i:ids?|uuid|guid|key|index|idx|rowid|nr|no|number)$|[a-z](?:Id|ID)$|^$|^Unnamed: [0-9]+$"
    r"|^level_[0-9]+$"
)
_UUID = r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?"


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
        spelt = _spellings(self.values)
        texts = np.array([t if t in known else spelt.get(_word(str(t)), t) for t in texts], dtype=object)
        unseen = np.array([text is not None and text not in known for text in texts], dtype=bool)
        return Reading((texts,), texts, _none(column), unseen)

    def _read_number(self, column: pd.Series) -> Reading:
        numbers = as_numbers(column)
        if numbers is not None:
            return self._measure(numbers, None, _none(column))
        texts = trimmed_texts(column)
        spelt = _spellings(self.values) if self.values else {}
        texts = np.array([spelt.get(_word(str(text)), text) for text in texts], dtype=object)
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
        dates = _dates(column, self.format or None)
        if dates is None:  # none of the entries is a date
            unread = np.array([text is not None for text in texts], dtype=bool)
            dates = DateReading(pd.DatetimeIndex([pd.NaT] * len(texts)), unread, self.format)
        return Reading(_date_parts(dates.values, self.parts), texts, dates.unread, _none(column))

    def _read_vector(self, column: pd.Series) -> Reading:
        texts = trimmed_texts(column)
        found = read_several(texts, self.format, tuple(self.unit.split("|")), default=self.decimal)
        values = [] if found is None else [found.readings[int(part) - 1].values for part in self.parts]
        return Reading(tuple(values), texts, _none(column) if found is None else found.unread, _none(column))

    def to_dict(self) -> dict[str, Any]:
        """Plain texts and lists."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}

    @classmethod
    @reads_state
    def from_dict(cls, state: Mapping[str, Any]) -> ColumnRole:
        """Inverse of `to_dict`; InvalidInputError when an entry is absent or is none."""
        state = {"unit": "", "gap": "", "limits": ()} | dict(state)  # models of earlier versions have none
        plain: dict[str, Any] = {key: state[key] for key in cls.__annotations__}
        plain |= {key: tuple(state[key]) for key in ("values", "parts", "limits")}
        role = cls(**plain)
        words = (role.name, role.remark, role.format, role.unit, role.gap, *role.values, *role.parts)
        if not all(isinstance(word, str) for word in words) or isinstance(state["values"], str):
            raise InvalidInputError(
                f"column {role.name!r}: name, remark, format, unit, gap, values and parts must be texts"
            )
        if role.role not in (*KEPT, *LEFT_OUT) or role.decimal not in (".", ","):
            raise InvalidInputError(
                f"column {role.name!r}: role {role.role!r} or decimal {role.decimal!r} is not known"
            )
        if len(set(role.values)) < len(role.values) or (role.values and role.role not in ("number", "category")):
            raise InvalidInputError(f"column {role.name!r}: values repeat, or do not fit the role {role.role}")
        known = PARTS if role.role == "date" else [str(place + 1) for place in range(role.unit.count("|") + 1)]
        ordered = tuple(part for part in known if part in role.parts)
        if role.parts != ordered or bool(role.parts) != (role.role in ("date", "vector")):
            raise InvalidInputError(f"column {role.name!r}: parts {role.parts} do not fit the role {role.role}")
        if role.gap and not np.isfinite(float(role.gap)):
            raise InvalidInputError(f"column {role.name!r}: gap {role.gap!r} is no number")
        limits = stored_numbers(list(role.limits), "limits", 2 if role.limits else 0)
        if limits.size and (role.role != "number" or limits[0] > limits[1]):
            raise InvalidInputError(f"column {role.name!r}: limits {role.limits} are no smallest and largest number")
        if role.role == "vector" and (role.format not in BETWEEN or "|" not in role.unit):
            raise InvalidInputError(f"column {role.name!r}: {role.format!r} does not stand between several numbers")
        if role.role != "vector" and role.format and role.format not in NUMBERED:
            if not all("%" in one or one == ISO for one in role.format.split("|")):
                raise InvalidInputError(f"column {role.name!r}: {role.format!r} is no format of dates")
            read_dates(np.array(["1"], dtype=object), role.format)  # refuses what else is none
        return role


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


def find_role(
    column: pd.Series, declared: str | None = None, decimal: str | None = None, default: str = "."
) -> ColumnRole:
    """The role of a column of a training table.

    Parameters
    ----------
    column : (n,) Series
        Entries of any kind.
    declared : str, optional
        One of `DECLARED`, or "date:FORMAT" with a format of ``datetime.strptime``; None looks at the entries.
    decimal : {".", ","}, optional
        The decimal sign of numbers written as texts.
    default : {".", ","}
        The decimal sign where the entries leave it open.

    Raises
    ------
    InvalidInputError
        When the entries do not allow the declared role.
    """
    role = _role(column, declared, decimal, default)
    missing = int(column.isna().sum())
    if not role.kept or 2 * missing < len(column):
        return role
    return replace(role, remark=f"{role.remark}{'; ' * bool(role.remark)}no entry in {missing} of {len(column)} rows")


def _role(column: pd.Series, declared: str | None, decimal: str | None, default: str) -> ColumnRole:
    """`find_role` without a word on missing entries."""
    name, wanted = str(column.name), (declared or "").partition(":")[0]
    if wanted == "dropped":
        return ColumnRole(name, "dropped", "left out as asked")
    if wanted in LEFT_OUT:
        return ColumnRole(name, wanted, f"declared as {wanted}, left out")
    if wanted in ("", "number"):
        numbers = as_numbers(column)
        if numbers is not None and column.dtype.kind != "M" and (wanted or numbered_format(numbers, name) is None):
            return _measured(name, numbers, wanted, "", ".")
    texts = trimmed_texts(column)
    present = np.array([text is not None for text in texts], dtype=bool)
    if not present.any():
        return ColumnRole(name, "empty", "no entry, left out")
    if not wanted and (isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(column.dtype)):
        return _category_role(name, texts[present], len(texts), wanted)
    if wanted in ("", "number"):
        role = _written_number(column, texts, wanted, decimal, default)
        if role is not None:
            return role
    if wanted != "category":
        dates = _date_role(column, texts, declared or "")
        if dates is not None:
            return dates
    vector = None if wanted else _vector_role(name, texts, decimal, default)
    if vector is not None:
        return vector
    if wanted in ("number", "date"):
        raise InvalidInputError(f"column {name!r} was declared as {wanted}, but its entries are none: leave it out")
    return _category_role(name, texts[present], len(texts), wanted)


def _written_number(
    column: pd.Series, texts: NDArray, wanted: str, decimal: str | None, default: str
) -> ColumnRole | None:
    """The role of texts that are numbers; None when they are none."""
    if column.dtype.kind == "M" or (not wanted and (_are_codes(texts) or as_numbers(column) is not None)):
        return None
    found = read_numbers(texts, decimal, default)
    read, unread = ~np.isnan(found.values), found.unread
    words = {texts[j] for j in np.flatnonzero(unread)}
    different, share = len(set(found.values[read])), read.sum() / max(read.sum() + unread.sum(), 1)
    enough = share >= READABLE and len(words) <= different
    enough |= share >= 0.5 and len(words) <= WORDS * different
    apart = 2 * different > len(set(texts[read]))  # as "<=50" and ">50" are not
    if not read.any() or not ((enough and apart) or wanted):
        return None
    remark = _number_remark(texts, found.found, read, unread)
    return replace(_measured(str(column.name), found.values, wanted, remark, found.decimal), unit=found.unit)


def _measured(name: str, numbers: NDArray[np.float64], wanted: str, remark: str, decimal: str) -> ColumnRole:
    """The role of numbers (n,), NaN where missing."""
    entries = numbers[~np.isnan(numbers)]
    huge = np.abs(entries) > LARGEST
    present = entries[~huge]
    different, counts = np.unique(present, return_counts=True)
    if not present.size:
        beyond = f"all {entries.size} numbers are beyond {LARGEST:g}" if entries.size else "no entry"
        return ColumnRole(name, "empty", f"{beyond}, left out")
    if huge.any():
        many = _entries(int(huge.sum()))
        remark += f"{'; ' * bool(remark)}{many} beyond {LARGEST:g} ({entries[huge][0]:g}) read as missing"
    if not wanted:
        if _all_but_one(counts, numbers.size):
            return ColumnRole(
                name, "constant", _but_one_remark(f"{different[counts.argmax()]:g}", counts, numbers.size)
            )
        if different.size == 1 and present.size == numbers.size:
            return ColumnRole(name, "constant", f"one value ({different[0]:g}) in all {present.size} rows, left out")
        if not remark.startswith("numbers with") and _counts_rows(name, present, different):
            return ColumnRole(name, "identifier", f"{different.size} values in {numbers.size} rows, left out")
        digits = _digits_of_codes(name, present, different)
        if digits:
            codes = f"{different.size} values of {digits} digits in {numbers.size} rows"
            return ColumnRole(name, "identifier", f"{codes}, left out (--types {name}=number keeps them)")
    binary = ("0", "1") if set(different.tolist()) == {0.0, 1.0} else ()
    gap = "" if wanted else _stands_for_missing(different)
    if gap:
        others = different[different != float(gap)]
        count = int((present == float(gap)).sum())
        remark += (
            f"{'; ' if remark else ''}{_entries(count)} {gap}, far from all others ({others[0]:g} to {others[-1]:g}), "
            f"read as missing (--types {name}=number keeps them)"
        )
        different = others
    limits = (float(different[0]), float(different[-1]))
    return ColumnRole(name, "number", remark, binary, decimal, gap=gap, limits=limits)


def _all_but_one(counts: Sequence[int] | NDArray[np.int64], n: int) -> bool:
    """Whether one row alone has an entry of its own: all others have the same value, or none has any."""
    return n >= ROWS_BUT_ONE and sorted(counts) in ([1], [1, n - 1])


def _but_one_remark(value: str, counts: Sequence[int] | NDArray[np.int64], n: int) -> str:
    if len(counts) == 1:
        return f"one entry ({value}) in {n} rows, left out"
    return f"one value ({value}) in all {n} rows but one, left out"


def _stands_for_missing(different: NDArray[np.float64]) -> str:
    """A number of nines, or one that programs fill in, at one end and far from all others; "" where none is."""
    for value, others in ((different[0], different[1:]), (different[-1], different[:-1])):
        if others.size >= 2 and abs(value) >= UNLIKELY > 1e6 * np.abs(others).max():
            return repr(float(value))
        nines = value in FILLED or (value % 1 == 0 and re.fullmatch(r"-?99+", f"{value:.0f}"))
        if nines and others.size >= FEWEST and np.abs(others - value).min() > 2 * np.ptp(others):
            return f"{value:.0f}"
    return ""


def _date_role(column: pd.Series, texts: NDArray, declared: str) -> ColumnRole | None:
    name, format = str(column.name), declared.partition(":")[2]
    try:
        dates = _dates(column, format or None, declared=bool(declared))
    except ValueError as error:
        raise InvalidInputError(f"column {name!r}: {format!r} is no format of dates ({error})") from error
    read = unread = _none(column)
    if dates is not None:
        read, unread = np.asarray(dates.values.notna()), dates.unread
    if dates is None or not read.any() or (not declared and read.sum() < READABLE * (read.sum() + unread.sum())):
        return None if declared or column.dtype.kind == "M" else _mixed_dates(name, texts)
    values = dict(zip(PARTS, _date_parts(dates.values, PARTS)))
    yearless = is_yearless(dates.format)
    del values["elapsed days" if yearless else "day of year"]
    if yearless or (dates.values[read].day == 1).all():  # months and quarters
        del values["day of week"]
    parts = tuple(part for part, value in values.items() if np.nanmin(value) < np.nanmax(value))
    if not parts:
        return ColumnRole(name, "constant", f"one date ({dates.values[read][0].date()}), left out")
    first, last = (f"{day:%d %B}" if yearless else str(day.date()) for day in (dates.values.min(), dates.values.max()))
    remark = f"dates {'without a year, ' * yearless}{first} to {last}, read as {', '.join(parts)}"
    if dates.format in SINCE:
        remark += f"; from {dates.format} (--types {name}=number keeps the numbers)"
    if "|" in dates.format:
        remark += f"; in {dates.format.count('|') + 1} formats"
    if dates.moved:
        remark += f"; in UTC, where {_entries(dates.moved)} fall{'s' * (dates.moved == 1)} on another day than written"
    if dates.other:
        remark += f"; as {dates.format}, though {dates.other} would fit as well (--types '{name}=date:{dates.other}')"
    return ColumnRole(
        name,
        "date",
        remark + _lost_remark(texts, read | unread) + _unread_remark(texts, unread, "date"),
        format=dates.format,
        parts=parts,
    )


def _mixed_dates(name: str, texts: NDArray) -> ColumnRole | None:
    """The role of dates of which some have the day first and others the month; None where there are none."""
    orders = both_orders(texts)
    if orders is None:
        return None
    (format, one, first), (_, other, second) = orders
    return ColumnRole(
        name,
        "text",
        f"dates with the day first and with the month first ({one} like {first!r}, {other} like {second!r}), so that "
        f"the others may be either: left out; write all in one order (--types '{name}=date:{format}' reads those that "
        f"fit, the others as missing)",
    )


def _vector_role(name: str, texts: NDArray, decimal: str | None, default: str) -> ColumnRole | None:
    """The role of a column with several numbers in every entry; None when it has none."""
    found = read_several(texts, None, None, decimal, default)
    if found is None:
        return None
    values = [reading.values[np.isfinite(reading.values)] for reading in found.readings]
    parts = tuple(str(j + 1) for j, numbers in enumerate(values) if numbers.min() < numbers.max())
    if not parts:
        return None
    read = ~found.unread & np.array([text is not None for text in texts])
    what = f"{len(values)} numbers in every entry ({str(texts[np.flatnonzero(read)[0]])!r})"
    columns = f"column{'s' if len(parts) > 1 else ''} {', '.join(repr(f'{name}: {part}') for part in parts)}"
    unread = _unread_remark(texts, found.unread, "vector")
    return ColumnRole(
        name,
        "vector",
        f"{what}, read as {columns} (--types {name}=category keeps the entries){unread}",
        decimal=found.readings[0].decimal,
        format=found.between,
        parts=parts,
        unit="|".join(reading.unit for reading in found.readings),
    )


def _category_role(name: str, present: NDArray, n: int, wanted: str) -> ColumnRole:
    spelt = _one_spelling(present)
    values = tuple(sorted(set(spelt.values())))
    count = f"{len(values)} values in {n} rows, left out"
    if not wanted:
        if len(values) == 1 and len(present) == n:
            return ColumnRole(name, "constant", f"one value ({values[0][:40]}) in all {n} rows, left out")
        common = Counter(spelt[value] for value in present).most_common(3)
        if _all_but_one([count for _, count in common], n):
            return ColumnRole(name, "constant", _but_one_remark(common[0][0][:40], [c for _, c in common], n))
        if len(present) >= FEWEST and len(values) >= NEAR_UNIQUE * len(present):
            words = float(np.mean([len(value.split()) for value in values]))
            several = words >= 3
            remark = f"free text, {count}" if several else count + _partly_numbers(name, present)
            remark += _in_json(present)
            return ColumnRole(name, "text" if several else "identifier", remark)
        named = names_rows(name) and len(values) >= 0.5 * len(present)
        if len(present) >= FEWEST and (named or all(re.fullmatch(_UUID, value) for value in values)):
            return ColumnRole(name, "identifier", count)
    remark = ""
    if len(spelt) > len(values):
        one, other = next((word, value) for word, value in sorted(spelt.items()) if word != value)
        remark = f"{len(spelt)} spellings of {len(values)} values, such as {one!r} for {other!r}"
    elif not wanted and len(values) > max(MANY * len(present), FEWEST):
        remark = f"{len(values)} values in {n} rows, kept as a category{_in_json(present)}"
    if not wanted:
        remark = f"{remark}{_partly_numbers(name, present)}".removeprefix("; ")
    return ColumnRole(name, "category", remark, values)


def _in_json(present: NDArray) -> str:
    """What to say of entries that hold several named ones; "" where nine in ten hold none."""
    objects = sum(text[0] + text[-1] in ("{}", "[]") and ":" in text for text in present)
    return "; JSON: put what matters into columns of its own" if objects >= READABLE * len(present) else ""


def _partly_numbers(name: str, present: NDArray) -> str:
    """What to say of plain numbers among words; "" where one of both is rare, or the numbers may be codes."""
    plain = [re.fullmatch(r"[+-]?(?:[0-9]+(?:[.,][0-9]+)?|[.,][0-9]+)", text) is not None for text in present]
    count, n = sum(plain), len(present)
    if not 0.1 * n <= count <= 0.9 * n or len(set(present[plain])) < FEWEST or _are_codes(present[plain]):
        return ""
    other = str(present[plain.index(False)])[:20]
    return f"; {count} of {n} entries are numbers, not {other!r} (--types {name}=number reads such as missing)"


def names_rows(name: str) -> bool:
    """Whether a column is called by what names rows: id, key, index, number and the like."""
    return _NAMED.search(name) is not None


def _counts_rows(name: str, present: NDArray[np.float64], different: NDArray[np.float64]) -> bool:
    """Whether whole numbers that are different in every row count the rows, or are called by what names rows.

    They count them from 0 or 1 in any order, from elsewhere in the order of the rows; years are no such numbers.
    """
    if present.size < FEWEST or different.size < present.size or (present % 1 != 0).any():
        return False
    ordered = np.ptp(np.diff(present)) == 0 and not YEARS[0] <= different[0] <= different[-1] <= YEARS[1]
    counting = (different[0] in (0.0, 1.0) or ordered) and different[-1] - different[0] == different.size - 1
    return counting or names_rows(name) or bool(np.abs(different).max() > EXACT)


def _digits_of_codes(name: str, present: NDArray[np.float64], different: NDArray[np.float64]) -> int:
    """How many digits each of the numbers has that are codes, such as those of articles or books; 0 for others."""
    lengths = {len(f"{number:.0f}") for number in (different[0], different[-1])}
    if present.size < FEWEST or different.size < NEAR_UNIQUE * present.size or (present % 1 != 0).any():
        return 0
    if len(lengths) > 1 or different[0] < 10.0 ** (LONG - 1) or numbered_format(present, name, declared=True):
        return 0
    return lengths.pop()


def _are_codes(texts: NDArray) -> bool:
    """Whether digits are names: with zeros before them, letters or a year behind, or more than a float can hold."""
    words = [text for text in texts if text is not None]
    return any(re.fullmatch(r"0[0-9]+(?:[^\W\d_]*|\.[12][0-9]{3})|[+-]?[0-9]{16,}", word) for word in words)


def _number_remark(texts: NDArray, found: tuple[str, ...], read: NDArray, unread: NDArray) -> str:
    remark = f"numbers with {', '.join(found)}" if found else ""
    return (remark + _lost_remark(texts, read | unread) + _unread_remark(texts, unread, "number")).removeprefix("; ")


def _lost_remark(texts: NDArray, known: NDArray[np.bool_]) -> str:
    lost = {text for text in texts[~known] if text is not None and text.lower() in MISSING_WORDS}
    missing = int(sum(text in lost for text in texts))
    return f"; {_entries(missing)} {', '.join(map(repr, sorted(lost)[:3]))} read as missing" if lost else ""


def _unread_remark(texts: NDArray, unread: NDArray[np.bool_], what: str) -> str:
    if not unread.any():
        return ""
    count, example = int(unread.sum()), repr(str(texts[np.flatnonzero(unread)[0]]))
    return f"; {_entries(count)} that {'is' if count == 1 else 'are'} no {what} ({example}) read as missing"


def _entries(count: int) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'}"


def trimmed_texts(column: pd.Series) -> NDArray:
    """Entries as trimmed texts, None where missing."""
    texts = [None if text is None or text.strip() in ABSENT else text.strip() for text in as_texts(column)]
    return np.array(
        [text if text is None or text.isascii() else normalize("NFC", text) for text in texts], dtype=object
    )


def _none(column: pd.Series) -> NDArray[np.bool_]:
    return np.zeros(len(column), dtype=bool)


def _spellings(values: tuple[str, ...]) -> dict[str, str]:
    """How other tables may write values, in small letters: truth values where there is nothing else, other words."""
    if 0 < len(values) <= 2 and say_truth(values):
        pairs = [(v, words) for v in values for words in (TRUE, FALSE) if v.lower() in words]
        return {word: value for value, words in pairs for word in words}
    return {_word(value): value for value in values if len(value) > 1}  # one letter may be a code


def _word(value: str) -> str:
    """What the spellings of a word have in common."""
    return " ".join(value.lower().split())


def _one_spelling(present: NDArray) -> dict[str, str]:
    """What stands for every value: the most frequent of those that are one word up to capitals and blanks, or truth."""
    values = [value for value, _ in Counter(sorted(present, key=lambda v: (-len(v), v))).most_common()]
    truths = say_truth(values)
    kinds = [str(v.lower() in TRUE) if truths else _word(v) if len(v) > 1 else v for v in values]
    first = dict(zip(reversed(kinds), reversed(values)))
    return {value: first[kind] for kind, value in zip(kinds, values)}


def _dates(column: pd.Series, format: str | None, *, declared: bool = False) -> DateReading | None:
    """Times of any kind without a zone; of numbers those of ``format``, or of a format that they speak for."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        times = column.dt.tz_convert("UTC").dt.tz_localize(None) if column.dt.tz is not None else column
        moved = int((times.dt.normalize() != column.dt.tz_localize(None).dt.normalize())[times.notna()].sum())
        return DateReading(pd.DatetimeIndex(times), _none(column), "", moved=moved)
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


def _date_parts(dates: pd.DatetimeIndex, parts: tuple[str, ...]) -> tuple[NDArray[np.float64], ...]:
    """The parts of dates as numbers, NaN where missing."""
    elapsed = (dates - pd.Timestamp("1970-01-01")).total_seconds() / SECONDS_A_DAY
    every = dict(zip(PARTS, (dates.year, dates.month, dates.day_of_week, dates.day_of_year, elapsed)))
    return tuple(np.asarray(every[part], dtype=np.float64) for part in parts)
