"""The role of a column of a training table, found from its entries; the roles are those of the head of `roles`.

No class is looked at. Names decide only whether whole numbers that are different in every row are an identifier.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.columns import EXACT, as_numbers
from ...base.date_numbers import SINCE, numbered_format
from ...base.date_texts import both_orders, is_yearless
from ...base.errors import InvalidInputError
from ...base.number_texts import MISSING_WORDS, may_be_numbers, read_numbers
from ...base.several_numbers import read_several
from ...datasets.table_files import n_entries
from .roles import LARGEST, LEFT_OUT, PARTS, ColumnRole, date_parts, dates_of, no_rows, trimmed_texts
from .spellings import one_spelling

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
    """`find_role` without the remark on missing entries."""
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
    if not wanted and not may_be_numbers(texts):
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
        many = n_entries(int(huge.sum()))
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
            f"{'; ' if remark else ''}{n_entries(count)} {gap}, far from all others ({others[0]:g} to {others[-1]:g}), "
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
        dates = dates_of(column, format or None, declared=bool(declared))
    except ValueError as error:
        raise InvalidInputError(f"column {name!r}: {format!r} is no format of dates ({error})") from error
    read = unread = no_rows(column)
    if dates is not None:
        read, unread = np.asarray(dates.values.notna()), dates.unread
    if dates is None or not read.any() or (not declared and read.sum() < READABLE * (read.sum() + unread.sum())):
        return None if declared or column.dtype.kind == "M" else _mixed_dates(name, texts)
    values = dict(zip(PARTS, date_parts(dates.values, PARTS)))
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
        remark += f"; in UTC, where {n_entries(dates.moved)} fall{'s' * (dates.moved == 1)} on another day than written"
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
    spelt = one_spelling(present)
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
    """Whether a column's name says that it identifies rows: id, key, index, number and the like."""
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
    return f"; {n_entries(missing)} {', '.join(map(repr, sorted(lost)[:3]))} read as missing" if lost else ""


def _unread_remark(texts: NDArray, unread: NDArray[np.bool_], what: str) -> str:
    if not unread.any():
        return ""
    count, example = int(unread.sum()), repr(str(texts[np.flatnonzero(unread)[0]]))
    return f"; {n_entries(count)} that {'is' if count == 1 else 'are'} no {what} ({example}) read as missing"
