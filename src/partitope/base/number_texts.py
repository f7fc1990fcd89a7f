"""Texts read as numbers: what spreadsheets and people write around digits, taken off.

    "1,200.50"  "1.200,50"  "1 200,50"  "1'200.50"  "$1,200.50"  "12 %"  "(5)"  "$(5)"  "-5"  "5-"  "12,- €"  "9.3 kg"
    "1e-3"  "2 x 10^3"  "3/4"  "1 1/2"  "½"  "<5"  ">= 80"  "~12"  "80+"  "5-10"  "5 to 10"  "[5, 10)"  "16.8*"
    "16.8 (est.)"  "16.8 ± 0.4"  "48.85 N"  "13:45"  "1h 45m"  "5 ft 11 in"  "1,850 sq ft"  "$900/mo"  "▼ 2.5 %"

Which of comma and point is the decimal sign is decided for the column as a whole. An entry such as "0,5" or "1.200,50"
can be read in one way only and counts for its sign; "1,200" can be read in two and follows the others. A column where
nothing else speaks has the decimal point, so that "1,200" is twelve hundred; "1.200" is, too, beside "950". An entry
that can be read with the other sign only is read with it.

A column has one unit: the words that follow most of its numbers, or none. Numbers in units of the same kind are turned
into it, 900 g into .9 kg (`units`); others are not read, and currencies not converted. A number without any is taken
to have the column's. Times of the day, durations and other numbers in several units are read by `several_units`. A
limit is read as the number that it names, a range as its middle, a value with its deviation as the value. What stands
on both sides of a stroke is a fraction where it could be one in nearly every entry, as 120/80 could not. Numbers
without a per cent sign beside others with one are shares, .4 beside 35 %, where all lie between 0 and 1 and their
median would otherwise be less than a tenth of that of the others. H and L behind numbers without a unit are flags of a
laboratory, high and low; 1+ beside 2- are marks of a school and no numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .number_entries import Entry, currency_of, digits_of, may_be_number, number_of, plainly, read_entry
from .several_units import Kind, kind_called, kind_of
from .some_entries import FEW, evenly
from .units import OPPOSITES

_WORDS = (
    "?,-,--,.,..,na,n/a,n.a.,#n/a,nan,null,none,nil,missing,unknown,unk,<na>,nd,n.d.,tbd,k.a.,k. a.,n.v.,#n/v,blank",
    "#value!,#ref!,#div/0!,#null!,#num!,not available,not applicable,not known,not reported,no data,no answer",
    "keine angabe,unbekannt,fehlt,undefined,empty,(blank),0000-00-00,00.00.0000,00/00/0000,9999-12-31,31.12.9999",
)
MISSING_WORDS = frozenset(word for line in _WORDS for word in line.split(","))
"""Words, in small letters, that stand for a missing entry among numbers or dates."""

_CODES = {"€": "EUR", "$": "USD", "US$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "Fr.": "CHF"}
_INFINITE = frozenset(f"{sign}{word}" for sign in ("", "+", "-") for word in ("inf", "infinity"))
_FLAG = re.compile(r"(?<=[0-9.,])\s*(?P<flag>H{1,2}|L{1,2})$")
_MARK_OF_SCHOOL = re.compile(r"[0-9]{1,2}(?P<sign>[-+])")
_PARTS = frozenset((*range(2, 11), 12, 16, 20, 25, 32, 50, 64, 100))
"""Numbers below the stroke of a fraction; others are numbers of their own."""


@dataclass(frozen=True, eq=False)
class NumberReading:
    """A column of texts, read as numbers.

    Attributes
    ----------
    values : (n,) ndarray
        Numbers, NaN where missing or not read.
    unread : (n,) ndarray of bool
        Entries that are there and are no numbers.
    decimal : {".", ","}
        The decimal sign.
    sure : bool
        Whether an entry could be read with this decimal sign only.
    unit : str
        The unit of the column; "" where it has none.
    found : tuple of str
        What was taken off: "decimal comma", "thousands separators", "currency", "percent signs", "brackets (read as
        minus)", "minus signs behind", "shares (turned into percent)", "fractions", "the unit kg", "units of its kind
        (turned into kg)", "S as minus N", "hours and minutes (read as hours)", "marks behind them", "limits (read as
        the number)", "ranges (read as the middle)", "flags H and L", "both decimal signs, each number by its own".
    """

    values: NDArray[np.float64]
    unread: NDArray[np.bool_]
    decimal: str
    sure: bool
    unit: str
    found: tuple[str, ...]


def read_numbers(
    texts: NDArray[np.object_], decimal: str | None = None, default: str = ".", unit: str | None = None
) -> NumberReading:
    """Numbers of a column of texts (n,), None where missing.

    Parameters
    ----------
    texts : (n,) ndarray of object
        Texts and None.
    decimal : {".", ","}, optional
        The decimal sign; None decides by the entries.
    default : {".", ","}
        The decimal sign where the entries leave it open.
    unit : str, optional
        The unit of the column; None takes the one of most entries.

    Returns
    -------
    NumberReading

    Notes
    -----
    Linear in the number of different entries, after sorting them out.
    """
    places, different = pd.factorize(pd.Series(texts, dtype=object))
    words = [plainly(str(word).strip()) for word in different]
    found: set[str] = set()
    if unit == "" or (unit is None and _are_flagged(words)):
        words = [_FLAG.sub("", word) for word in words]
        found.update({"flags H and L"} if unit is None else ())
    entries = _read_entries(words)
    parts = [part for entry in entries for part in entry.parts]
    digits = _digits(parts)
    sign, sure = _decimal_sign(digits, decimal, default)
    measured = [may_be_number(word) and not entry.is_plain for word, entry in zip(words, entries)]
    if unit is None:
        kind = _usual_kind([word for word, more in zip(words, measured) if more])
        unit = kind.unit if kind else _usual_unit([entry.unit for entry in entries if entry.parts])
        if not unit and _hold_shares(entries, sign):
            unit = "%"
    else:
        kind = kind_called(unit)
    values = np.full(len(words) + 1, np.nan)
    unread = np.zeros(len(words) + 1, dtype=bool)
    for j, (word, entry) in enumerate(zip(words, entries)):
        value = kind.value(word) if kind and measured[j] else None
        if kind and value is not None:
            found.add(kind.said)
        elif entry.parts:
            value = entry.value(sign, unit, found)
            if value is None and decimal is None:
                value = _by_other_sign(entry, sign, unit, found)
        if value is not None:
            values[j] = value
        elif word.lower() in _INFINITE:
            values[j] = -np.inf if word.startswith("-") else np.inf
        else:
            unread[j] = bool(word) and word.lower() not in MISSING_WORDS
    _say_what_is_mixed(found, parts, unit)
    if sign == "," and any("," in text for text, _ in digits):
        found.add("decimal comma")
    return NumberReading(values[places], unread[places], sign, sure, unit, tuple(sorted(found)))


def is_missing(text: str | None) -> bool:
    """Whether an entry is absent, or a word that stands for a missing one."""
    return text is None or not (word := text.strip().lower()) or word in MISSING_WORDS


def may_be_numbers(texts: NDArray[np.object_]) -> bool:
    """Whether half of a column of texts (n,), None where missing, may be numbers.

    That is so for a few entries, and for many where a quarter of some of them are: heuristic, a guard before
    `read_numbers`, which looks at all different ones.
    """
    present = texts[[not is_missing(text) for text in texts]]
    if len(present) <= FEW:
        return True
    found = read_numbers(present[evenly(len(present))])
    read = np.count_nonzero(~np.isnan(found.values))
    return bool(4 * read >= read + np.count_nonzero(found.unread))


def _read_entries(words: list[str]) -> list[Entry]:
    """The entry of each word; of no parts where it is no number, a mark of a school or a stroke between two numbers."""
    marks = _marks_of_school(words)
    entries = [read_entry(word) if may_be_number(word) and word not in marks else Entry(()) for word in words]
    if _are_fractions([part["fraction"] for entry in entries for part in entry.parts if part["fraction"]]):
        return entries
    return [Entry(()) if any(part["fraction"] for part in entry.parts) else entry for entry in entries]


def _by_other_sign(entry: Entry, sign: str, unit: str, found: set[str]) -> float | None:
    """The number of an entry that speaks for the decimal sign which the column does not have; None when it is none."""
    other = "," if sign == "." else "."
    if all(_vote(*digits) != other for digits in _digits(entry.parts)):
        return None
    value = entry.value(other, unit, found)
    found.update({"both decimal signs, each number by its own"} if value is not None else ())
    return value


def _say_what_is_mixed(found: set[str], parts: list[re.Match[str]], unit: str) -> None:
    """Name the currencies where there are several, and say where a per cent sign does not stand behind all numbers."""
    if "currency" in found:
        signs = [currency_of(part) for part in parts]
        several = sorted({_CODES.get(sign, sign.upper()) for sign in signs if sign and sign != "%"})
        if len(several) > 1:
            found.remove("currency")
            found.add(f"currencies {', '.join(several)} as if they were one (convert them first)")
    if "percent signs" in found and any("%" not in (part["after"], part["tail"]) for part in parts):
        found.remove("percent signs")
        found.add("shares (turned into percent)" if unit == "%" else "percent signs behind some of them, not all")


def _hold_shares(entries: list[Entry], decimal: str) -> bool:
    """Whether numbers without a per cent sign are shares, beside others with one."""
    values: dict[bool, list[float]] = {True: [], False: []}
    for entry in entries:
        for part in entry.parts:
            value = number_of(part, decimal, set())
            if value is not None:
                values[entry.is_percent].append(abs(value))
    bare, signed = values[False], values[True]
    return bool(bare and signed) and max(bare) <= 1.0 and float(np.median(bare)) < float(np.median(signed)) / 10


def _are_flagged(words: list[str]) -> bool:
    """Whether H and L behind numbers say that they are high and low: where both are and other numbers have no unit."""
    flags = {match["flag"][0] for match in map(_FLAG.search, words) if match}
    return flags == {"H", "L"} and any(word[-1:].isdigit() for word in words)


def _marks_of_school(words: list[str]) -> set[str]:
    """The words such as 1+ and 2-, where both are and so say more and less of what a number says; else none."""
    found = {word: match["sign"] for word in words if (match := _MARK_OF_SCHOOL.fullmatch(word))}
    return set(found) if set(found.values()) == {"-", "+"} else set()


def _are_fractions(texts: list[str]) -> bool:
    """Whether nine in ten of these are parts of a whole, such as 3/4, as those of 120/80 are not."""
    pairs = [tuple(map(int, text.split("/"))) for text in texts]
    return sum(above <= below and below in _PARTS for above, below in pairs) >= 0.9 * len(pairs)


def _usual_kind(words: list[str]) -> Kind | None:
    """The kind of several units that reads at least half of the words, or of some of many; None when there is none."""
    words = [words[j] for j in evenly(len(words))]
    kind = kind_of(words)
    return kind if kind and 2 * sum(kind.value(word) is not None for word in words) >= len(words) else None


def _usual_unit(units: list[str]) -> str:
    """The unit that most different entries have, as it is written first; "" where most have none."""
    usual = Counter(unit.lower() for unit in units).most_common(1)
    unit = next((unit for unit in units if unit.lower() == usual[0][0]), "")
    return next((other for minus, other in OPPOSITES if minus == unit and other in units), unit)


def _digits(parts: Sequence[re.Match[str]]) -> list[tuple[str, bool]]:
    """The digits of numbers, and whether each has an exponent; those with blanks in odd places are left out."""
    return [(text, part["power"] is not None) for part in parts if (text := digits_of(part)) is not None]


def _decimal_sign(digits: list[tuple[str, bool]], given: str | None, default: str) -> tuple[str, bool]:
    """The decimal sign of numbers, each its digits and whether it has an exponent; and whether any speaks for it."""
    votes = [_vote(text, scientific) for text, scientific in digits]
    comma, point = votes.count(","), votes.count(".")
    sign = given or (default if comma == point else "," if comma > point else ".")
    if given is None and not comma + point and grouped_by(sign, [text for text, _ in digits]):
        sign = "," if sign == "." else "."
    return sign, comma != point


def _vote(digits: str, scientific: bool) -> str:
    """The decimal sign that these digits, of a number with an exponent or without, speak for; "" for either."""
    commas, points = digits.count(","), digits.count(".")
    if commas and points:
        return "," if digits.rfind(",") > digits.rfind(".") else "."
    if commas + points == 0:
        return ""
    mark = "," if commas else "."
    if commas + points > 1:
        return "." if mark == "," else ","
    head, _, tail = digits.partition(mark)
    could_group = not scientific and len(tail) == 3 and 1 <= len(head) <= 3 and not head.startswith("0")
    return "" if could_group else mark


def grouped_by(mark: str, digits: list[str]) -> bool:
    """Whether a mark that could be decimal stands between thousands: "950" beside "1.200" and "12.035".

    Decimals with three digits throughout, zeros at the end among them, would have three in every number.
    """
    marked = [text for text in digits if mark in text]
    plain = {len(text) for text in digits if text.isdecimal()}
    return (
        max(plain, default=0) == 3
        and all(re.fullmatch(rf"[1-9][0-9]{{0,2}}{re.escape(mark)}[0-9]{{3}}", text) for text in marked)
        and any(text.endswith("0") for text in marked)
    )
