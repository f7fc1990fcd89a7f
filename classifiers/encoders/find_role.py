"""The role of a column of a training table, found from its entries; the roles are those of the head of `roles`.

A column is one of numbers, or of dates, where nine in ten entries are. Otherwise, where half of its entries are numbers
with something else around them (5 kg, 3-4, 13:45, 120/80, 15 Mar 2023) it is refused: a person has to say what it is.
All else are names, and so are such spellings where each of them comes twice on average (40-49; 2, 3, 4, 5more). No
class is looked at; column names decide only whether whole numbers that are different in every row are an identifier.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.columns import EXACT, as_numbers
from ...base.date_texts import ISO, fitting_formats
from ...base.errors import InvalidInputError
from ...base.number_texts import MISSING_WORDS, NumberReading, is_missing, is_number, read_numbers, word_of
from ...datasets.table_reader import n_entries
from .quantities import is_code, is_quantity
from .roles import LARGEST, LEFT_OUT, PARTS, ColumnRole, date_parts, times_of, trimmed_texts

READABLE = 0.9
"""Fraction of the entries that must be numbers, or dates; also of distinct texts from which texts name rows."""
FEWEST = 10
"""Rows from which a column of distinct values is an identifier (with fewer rows its name decides), and distinct numbers
from which numbers are more than codes."""
YEARS = (1500, 2300)  # First and last year: consecutive whole numbers between them are years and do not number rows.
LONG = 10  # Different whole numbers that all have this many digits or more are codes.
_NAMED = re.compile(
    r"(?:^|[\s_.\-])(?i:ids?|uuid|guid|key|index|idx|rowid|nr|no|number)$|[a-z](?:Id|ID)$|^$|^Unnamed: [0-9]+$"
    r"|^level_[0-9]+$"
)


def find_role(
    column: pd.Series, declared: str | None = None, decimal: str | None = None, default: str | None = None
) -> ColumnRole:
    """The role of a column (n,) of a training table."""
    role = _role(column, declared or "", decimal, default)
    missing = int(column.isna().sum())
    if not role.kept or 2 * missing < len(column):
        return role
    return replace(role, remark=_joined(role.remark, f"no entry in {missing} of {len(column)} rows"))


def _role(column: pd.Series, declared: str, decimal: str | None, default: str | None) -> ColumnRole:
    """`find_role` without the remark on missing entries."""
    name, (wanted, _, format) = str(column.name), declared.partition(":")
    if wanted == "dropped":
        return ColumnRole(name, "dropped", "left out as asked")
    if wanted in LEFT_OUT:
        fate = "no feature" if wanted == "identifier" else "left out"
        return ColumnRole(name, wanted, f"declared as {wanted}, {fate}")
    if wanted == "date" or (not wanted and pd.api.types.is_datetime64_any_dtype(column.dtype)):
        return _declared_date(column, format)
    numbers = None if wanted == "category" else as_numbers(column)
    if numbers is not None:
        dated = None if wanted else _dates_in_digits(column, numbers)
        return dated or _number_role(name, numbers, wanted, ColumnRole(name, "number"))
    texts = trimmed_texts(column)
    present = texts[[text is not None for text in texts]]
    if not len(present):
        return ColumnRole(name, "empty", "no entry, left out")
    named = isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(column.dtype)
    if wanted == "category" or (not wanted and named):
        return _category_role(name, present, len(texts), wanted)
    return _role_of_texts(column, texts, wanted, decimal, default)


def _role_of_texts(
    column: pd.Series, texts: NDArray, wanted: str, decimal: str | None, default: str | None
) -> ColumnRole:
    """The role of texts (n,), None where missing, that are not declared as names or dates."""
    name, present = str(column.name), texts[[not is_missing(text) for text in texts]]
    found = read_numbers(texts, decimal, default)
    read = ~np.isnan(found.values)
    codes = not wanted and any(map(is_code, present))
    if wanted and not read.any():
        raise InvalidInputError(f"column {name!r} was declared as number, but no entry is one: leave it out")
    if wanted or (not codes and _are_most(read, found.unread)):
        dated = None if wanted or found.sign else _dates_in_digits(column, found.values)
        return dated or _number_role(name, found.values, wanted, _written_number(name, texts, found))
    times, unread = times_of(column, ISO)
    if _are_most(np.asarray(times.notna()), unread):
        return _date_role(column, times, unread, ISO)
    padded = codes and len({len(text) - len(text.lstrip("0123456789")) for text in present}) == 1  # 01234 and 98765
    named = _category_role(name, texts[[text is not None for text in texts]], len(texts), wanted)
    if padded and not fitting_formats(present):
        return named
    return _refused(named, present, {texts[j] for j in np.flatnonzero(found.unread)}) or named


def _are_most(read: NDArray[np.bool_], unread: NDArray[np.bool_]) -> bool:
    return bool(read.any()) and read.sum() >= READABLE * (read.sum() + unread.sum())


def _refused(named: ColumnRole, present: NDArray, unread: set[str]) -> ColumnRole | None:
    """The role of entries of which half are numbers, but not of one kind; None where they are not. ``named`` is their
    role as names, which they keep where they repeat."""
    name = named.name
    codes, different = pd.factorize(present)
    counts = np.bincount(codes)
    plain = np.array([is_number(text) and not is_code(text) for text in different], dtype=bool)
    odd = ~plain & np.array([is_quantity(text) for text in different], dtype=bool)
    formats = fitting_formats(present)
    two_kinds = any(text in unread for text in different[plain])  # two currencies, two decimal signs
    several = np.count_nonzero(plain) >= FEWEST or odd.any() or two_kinds
    if not formats and not (several and 2 * counts[odd | plain].sum() >= len(present)):
        return None
    numbers = set(different[plain])
    others = [text for text in present if text not in numbers] or [text for text in present if text in unread]
    count = len(others)
    if named.kept and not formats and not plain.all() and 2 * len(different) <= len(present):
        return replace(named, remark=_joined(named.remark, f"entries such as {others[0]!r} are compared as they are"))
    what = "numbers of several kinds, or may be read in two ways" if plain.all() else "not plain numbers or ISO dates"
    if formats:
        advice = " or ".join(f"--types '{name}=date:{format}'" for format in formats) + " reads them"
    elif plain.all():
        advice = "write all of them alike, or say --decimal . or --decimal ,"
    else:
        reads = f", {name}=number to read others as missing" if numbers else ""
        advice = f"write plain numbers, or --types {name}=category to compare them as they are{reads}"
    remark = f"{n_entries(count)} of {len(present)} such as {others[0]!r} are {what}, left out ({advice})"
    return ColumnRole(name, "refused", remark, count, str(others[0]))


def _written_number(name: str, texts: NDArray, found: NumberReading) -> ColumnRole:
    """A role of numbers that were written as texts: what was taken off, and what was not read."""
    signs = [f"the sign {found.sign}"] * bool(found.sign) + ["the decimal sign ,"] * (found.decimal == ",")
    remark = f"numbers with {' and '.join(signs)}" if signs else ""
    if found.unclear:
        one = next(j for j, text in enumerate(texts) if text and re.search("[.,]", text))
        other = "." if found.decimal == "," else ","
        another = read_numbers(texts[one : one + 1], other, sign=found.sign).values[0]
        read = f"{texts[one]!r} read as {found.values[one]:g} (--decimal {other} reads {another:g})"
        remark = _joined(remark, read)
    role = ColumnRole(name, "number", remark, decimal=found.decimal, sign=found.sign)
    return _with_unread(role, texts, found.unread)


def _with_unread(role: ColumnRole, texts: NDArray, unread: NDArray[np.bool_]) -> ColumnRole:
    """A role with remarks on words that mean missing, and on entries that were not read."""
    remark, lost = role.remark, [text for text in texts if text is not None and text.lower() in MISSING_WORDS]
    if lost:
        some = ", ".join(map(repr, sorted(set(lost))[:3]))
        remark = _joined(remark, f"{n_entries(len(lost))} {some} read as missing")
    if not unread.any():
        return replace(role, remark=remark)
    count, example = int(unread.sum()), str(texts[np.flatnonzero(unread)[0]])
    which = f"is not a {role.role}" if count == 1 else f"are not {role.role}s"
    remark = _joined(remark, f"{n_entries(count)} that {which} ({example!r}) read as missing")
    return replace(role, remark=remark, entries=count, example=example)


def _joined(*remarks: str) -> str:
    return "; ".join(remark for remark in remarks if remark)


def _number_role(name: str, numbers: NDArray[np.float64], wanted: str, role: ColumnRole) -> ColumnRole:
    """The role of numbers (n,), NaN where missing, of which ``role`` says how they were written."""
    entries = numbers[~np.isnan(numbers)]
    huge, remark = np.abs(entries) > LARGEST, role.remark
    present = entries[~huge]
    different = np.unique(present)
    if not present.size:
        beyond = f"all {entries.size} numbers are beyond {LARGEST:g}" if entries.size else "no entry"
        return ColumnRole(name, "empty", f"{beyond}, left out")
    if huge.any():
        many = n_entries(int(huge.sum()))
        remark = _joined(remark, f"{many} beyond {LARGEST:g} ({entries[huge][0]:g}) read as missing")
    if not wanted:
        if different.size == 1 and present.size == numbers.size:
            return ColumnRole(name, "constant", f"one value ({different[0]:g}) in all {present.size} rows, left out")
        if not role.sign and _name_rows(name, present, different):
            keeps = f"no feature (--types {name}=number keeps them)"
            return ColumnRole(name, "identifier", f"{different.size} values in {numbers.size} rows, {keeps}")
    code, gap = None if wanted else _stands_for_missing(present, different), ""
    if code is not None:
        others, count = different[different != code], int((present == code).sum())
        far = f"{n_entries(count)} {code:.15g}, far from all others ({others[0]:g} to {others[-1]:g})"
        if re.fullmatch(r"-?99+", f"{code:.0f}"):
            gap, different = f"{code:.0f}", others
            remark = _joined(remark, f"{far}, read as missing (--types {name}=number keeps them)")
        else:
            remark = _joined(remark, f"{far}, read as numbers: empty these entries if they stand for missing ones")
    limits = (float(different[0]), float(different[-1]))
    return replace(role, remark=remark, gap=gap, limits=limits)


def _stands_for_missing(present: NDArray[np.float64], different: NDArray[np.float64]) -> float | None:
    """A whole number at one end, far from all others, that repeats or consists of nines: -999, -32768, 1e20."""
    for value, others in ((different[0], different[1:]), (different[-1], different[:-1])):
        repeats = np.count_nonzero(present == value) > 1 or re.fullmatch(r"-?99+", f"{value:.0f}")
        far = others.size >= FEWEST and np.abs(others - value).min() > 2 * np.ptp(others)
        if far and repeats and value % 1 == 0:
            return float(value)
    return None


def _dates_in_digits(column: pd.Series, numbers: NDArray[np.float64]) -> ColumnRole | None:
    """The role of whole numbers (n,), NaN where missing, that are all dates, 20240131; None where they are not."""
    present = numbers[np.isfinite(numbers)]
    if not present.size or (present % 1 != 0).any() or present.min() <= 0 or not 1e5 <= present.max() < 1e8:
        return None
    texts = trimmed_texts(column)
    times, unread = times_of(column, ISO)
    if present.min() >= 1e7 and not unread.any():
        return _date_role(column, times, unread, ISO)
    formats = fitting_formats(texts)
    if not formats:
        return None
    name, example = str(column.name), str(texts[np.flatnonzero(~np.isnan(numbers))[0]])
    advice = f"--types '{name}=date:{formats[0]}' reads them, {name}=number keeps the numbers"
    remark = f"{n_entries(present.size)} such as {example!r} are all dates, left out ({advice})"
    return ColumnRole(name, "refused", remark, present.size, example)


def _declared_date(column: pd.Series, format: str) -> ColumnRole:
    """The role of dates of a format, or of ISO 8601."""
    name = str(column.name)
    if format and "%" not in format:
        raise InvalidInputError(f"column {name!r}: {format!r} is not a format of dates: write one such as %d.%m.%Y")
    try:
        times, unread = times_of(column, format or ISO)
    except ValueError as error:
        raise InvalidInputError(f"column {name!r}: {format!r} is not a format of dates ({error})") from error
    if not times.notna().any():
        if column.isna().all():
            return ColumnRole(name, "empty", "no entry, left out")
        hint = "leave it out" if format else "write them as 2024-01-31, or declare their format, date:%d.%m.%Y"
        raise InvalidInputError(f"column {name!r} was declared as date, but no entry is one: {hint}")
    return _date_role(column, times, unread, format or ISO)


def _date_role(column: pd.Series, times: pd.DatetimeIndex, unread: NDArray[np.bool_], format: str) -> ColumnRole:
    """The role of times (n,), NaT where missing."""
    name, texts = str(column.name), trimmed_texts(column)
    values = zip(PARTS, date_parts(times, PARTS))
    parts = tuple(part for part, value in values if np.nanmin(value) < np.nanmax(value))
    if (times[times.notna()].day == 1).all():  # months
        parts = tuple(part for part in parts if part != "day of week")
    if not parts:
        return ColumnRole(name, "constant", f"one date ({times.min().date()}), left out")
    remark = f"dates {times.min().date()} to {times.max().date()}, read as {', '.join(parts)}"
    zoned = any(re.search(r":[0-9]{2}.*(?:Z|[+-][0-9]{2}:?[0-9]{2})$", text) for text in texts if text)
    role = ColumnRole(name, "date", remark + "; in UTC" * zoned, format=format, parts=parts)
    return _with_unread(role, texts, unread)


def _category_role(name: str, present: NDArray, n: int, wanted: str) -> ColumnRole:
    values = tuple(sorted(set(present)))
    if not wanted:
        if len(values) == 1 and len(present) == n:
            return ColumnRole(name, "constant", f"one value ({values[0][:40]}) in all {n} rows, left out")
        unique = len(values) >= READABLE * len(present)
        named = names_rows(name) and (len(present) < FEWEST or 2 * len(values) >= len(present))
        if named or (len(present) >= FEWEST and unique):
            several = unique and float(np.mean([len(value.split()) for value in values])) >= 3
            count = f"{len(values)} values in {n} rows"
            if several:
                return ColumnRole(name, "text", f"free text, {count}, left out")
            return ColumnRole(name, "identifier", f"{count}, no feature")
    remark = ""
    alike = [[v for v in values if word_of(v) == word] for word in {word_of(v) for v in values if len(v) > 1}]
    spellings = sorted(spelt for spelt in alike if len(spelt) > 1)
    if spellings:
        some = " and ".join(map(repr, spellings[0]))
        remark = f"{some} are spellings of one word, kept as {len(spellings[0])} values: write them alike"
    return ColumnRole(name, "category", remark, values=values)


def names_rows(name: str) -> bool:
    """Whether a column's name says that it identifies rows: id, key, index, number and the like."""
    return _NAMED.search(name) is not None


def _name_rows(name: str, present: NDArray[np.float64], different: NDArray[np.float64]) -> bool:
    """Whether whole numbers, different in every row, count the rows, have a name like those of ids, or are codes; for
    few rows, whether they have such a name."""
    if (present % 1 != 0).any():
        return False
    if present.size < FEWEST or different.size < present.size:
        return present.size < FEWEST and names_rows(name)
    ordered = np.ptp(np.diff(present)) == 0 and not YEARS[0] <= different[0] <= different[-1] <= YEARS[1]
    counting = (different[0] in (0.0, 1.0) or ordered) and different[-1] - different[0] == different.size - 1
    digits = {len(f"{number:.0f}") for number in (different[0], different[-1])}
    codes = len(digits) == 1 and different[0] >= 10.0 ** (LONG - 1)
    return counting or names_rows(name) or codes or bool(np.abs(different).max() > EXACT)
