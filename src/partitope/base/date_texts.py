"""Texts read as dates, by the format that reads most entries of the column, then by that for most of the others.

Names of months may be those of a dozen languages; those of days of the week, the end of an ordinal number, brackets and
the distance from UTC behind a time are taken off ("Wed, 15th of March 2023", "[02/Mar/2024:21:00:05 +0100]").
Quarters, halves and weeks ("2024-Q3", "Q3 2024", "2024-W05", "KW 5/2024") are read as their first day; a zone behind
an ISO date ("UTC", "CET") moves it.
Where day and month could change places in every entry, dates with points or dashes have the day first and dates with
strokes the month, and the reading says that it was a choice. Where no entry has a year ("15 Mar", "03/15" with two
digits each), dates are those of the leap year 2000.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .number_texts import MISSING_WORDS, is_missing
from .some_entries import FEW, evenly

ISO = "ISO8601"
_DAYS = (
    "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d",
    "%Y.%m.%d", "%d %b %Y", "%d %B %Y", "%d. %B %Y", "%d. %b %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y",
    "%d-%b-%Y", "%d-%b-%y", "%Y-%b-%d", "%Y-%m-%d", "%d/%b/%Y",
)  # fmt: skip
_FULL_MONTHS = ("%m/%Y", "%m.%Y", "%m-%Y", "%b %Y", "%B %Y", "%b-%Y", "%B-%Y", "%b/%Y", "%Y-%b", "%Y %b")
_SHORT_MONTHS = ("%b-%y", "%b %y", "%b'%y", "%b/%y", "%B %y", "%B-%y", "%B'%y", "%y-%b", "%m/%y")
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", "T%H:%M:%S", ", %H:%M", ", %I:%M %p",
          ":%H:%M:%S")  # fmt: skip
_PADDED = ("%d/%m", "%m/%d", "%d-%m", "%m-%d")
_YEARLESS = (
    "%d %b", "%d %B", "%b %d", "%B %d", "%d. %b", "%d. %B", "%d-%b", "%b-%d", "%b %d %H:%M:%S", "%d.%m.", "--%m-%d",
    *_PADDED,
)  # fmt: skip
_DIGITS = ("%d%m%Y", "%m%d%Y")
"""Tried where all entries are eight digits, and taken where all are such dates."""
FORMATS = (
    ISO, *_DIGITS, *(day + time for day, time in product(_DAYS, _TIMES)), "%b %d %H:%M:%S %Y", *_FULL_MONTHS,
    *_SHORT_MONTHS, *_YEARLESS,
)  # fmt: skip
"""Formats that are tried, the first of equals taken."""
_SHAPES = {"%Y": r"\d{4}", "%b": r"\w+", "%B": r"\w+", "%a": r"\w+", "%p": r"\w+", "%f": r"\d+", " ": r"\s+"}
_MONTHS = (
    "January February March April May June July August September October November December",
    "Januar Februar März . Mai Juni Juli August September Oktober November Dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "januari februari mars april maj juni juli augusti september oktober november december",
    "januar februar marts april maj juni juli august september oktober november december",
    "januar februar mars april mai juni juli august september oktober november desember",
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "ledna února března dubna května června července srpna září října listopadu prosince",
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
)
_IN_ENGLISH = {
    name.lower(): english for names in _MONTHS[1:] for name, english in zip(names.split(), _MONTHS[0].split())
} | {
    name: english
    for english, names in {
        "Jan": "jän janv ene gen янв", "January": "jänner", "Feb": "fév févr fev фев", "Mar": "mär mrz mrt мар",
        "Apr": "avr abr апр", "May": "mag mai mei maj", "Jun": "giu июн", "Jul": "juil lug июл", "Aug": "ago авг",
        "Sep": "sept set сен сент", "Oct": "okt ott out окт", "Nov": "ноя", "Dec": "dez déc dic des дек",
    }.items()
    for name in names.split()
}  # fmt: skip
_KIND = r"(?P<kind>Q|H|W|KW|CW|Week)[\s.]*(?P<number>[0-9]{1,2})"
_SPAN = re.compile(rf"(?:FY\s?)?(?P<year>[12][0-9]{{3}})[\s./-]*{_KIND}", re.IGNORECASE)
_SPAN_FIRST = re.compile(rf"{_KIND}[\s./-]+(?:FY\s?)?(?P<year>[12][0-9]{{3}})", re.IGNORECASE)
_ZONES = {
    name: f"{hours:+03d}:00"
    for hours, names in {
        0: "UTC GMT WET", 1: "CET MEZ", 2: "CEST MESZ EET", 3: "EEST", -4: "EDT", -5: "EST CDT", -6: "CST MDT",
        -7: "MST PDT", -8: "PST",
    }.items()
    for name in names.split()
}  # fmt: skip
_ZONE = re.compile(rf"(?<=[0-9])\s*({'|'.join(_ZONES)})$")
_WEEK = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag mo di mi do fr sa so",
    "lundi mardi mercredi jeudi vendredi samedi dimanche lun mar mer jeu ven sam dim",
    "lunes martes miércoles jueves viernes sábado domingo mié jue vie sáb dom",
)
_WEEKDAY = "|".join(sorted((name for names in _WEEK for name in names.split()), key=len, reverse=True))
_DAY_FIRST = re.compile(rf"(?:{_WEEKDAY})\b\.?,?\s+", re.IGNORECASE)
_DAY_LAST = re.compile(rf"(?<![-./]),?\s*\(?\b(?:{_WEEKDAY})\.?\)?$", re.IGNORECASE)
_DATED = re.compile(r"[0-9][./-][0-9]|[^\W\d_]{3}")  # so that "mar" is no Tuesday in 15 mar
_ORDINAL = re.compile(
    r"(?<=[0-9])(?:st|nd|rd|th)\b|(?<=\w)\s+(?:of|de)(?=\s)|(?<=[0-9])\s*(?:Uhr|г\.?)$", re.IGNORECASE
)
_EAST_ASIAN = re.compile(r"([0-9]{4})[年년]\s*([0-9]{1,2})[月월]\s*([0-9]{1,2})[日일]")
_FROM_UTC = re.compile(r"(?<=:[0-9]{2})\s*(?:[+-][0-9]{2}:?[0-9]{2}|Z)$")
_OFFSET = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ].*[+-][0-9]{2}:?[0-9]{2}")
LONGEST = 60
"""Letters in a date."""
_MOST = 4  # formats in one column
_YEARS = 15  # between the first and the last of years of two digits, which could be days of a month
_TRIED = 60
"""Different entries by which the format is chosen."""


@dataclass(frozen=True, eq=False)
class DateReading:
    """A column of texts, read as dates.

    Attributes
    ----------
    values : (n,) DatetimeIndex
        Times without a zone, NaT where missing or not read.
    unread : (n,) ndarray of bool
        Entries that are there and are no dates of this format.
    format : str
        As for ``datetime.strptime``, or "ISO8601"; several in the order in which they are tried, "|" between them.
    other : str
        Another format that reads as many entries with day and month changed; "" when there is none.
    moved : int
        Entries whose time zone makes another day of them in UTC.
    """

    values: pd.DatetimeIndex
    unread: NDArray[np.bool_]
    format: str
    other: str = ""
    moved: int = 0


def read_dates(texts: NDArray[np.object_], format: str | None = None) -> DateReading | None:
    """Dates of a column of texts (n,), None where missing.

    Parameters
    ----------
    texts : (n,) ndarray of object
        Texts and None.
    format : str, optional
        As `DateReading.format`; None chooses among `FORMATS`.

    Returns
    -------
    DateReading or None
        None when they read less than half of the entries.

    Raises
    ------
    ValueError
        When a format that was given is none.
    """
    places, different = pd.factorize(pd.Series(texts, dtype=object))
    if format is None and not _may_be_dates(different):
        return None
    words = pd.Series([_plainly(str(word).strip()) for word in different], dtype=object)
    present = ~words.str.lower().isin(MISSING_WORDS | {""}).to_numpy(dtype=bool)
    formats, other = [re.sub(r"%[aA]\.?,?\s*", "", one) for one in format.split("|")] if format is not None else [], ""
    values = _parse_all(words, formats)
    while format is None and len(formats) < _MOST and (left := present & np.asarray(values.isna())).any():
        chosen, also = _choose(words[left], formats)
        if chosen is None:
            break
        formats, other = [*formats, chosen], other or also
        values = _parse_all(words, formats)
    read = present & np.asarray(values.notna())
    if format is None and (not formats or 2 * read.sum() < present.sum()):
        return None
    values = pd.DatetimeIndex(values.where(read).append(pd.DatetimeIndex([pd.NaT])))
    unread = np.append(values[:-1].isna() & present, False)
    written = [match and match[1] for match in map(_OFFSET.fullmatch, words)]
    moved = [day is not None and day != str(value)[:10] for day, value in zip(written, values)]
    count = int(np.array([*moved, False])[places].sum()) if any(moved) else 0
    return DateReading(values[places], unread[places], "|".join(formats), other, count)


def both_orders(texts: NDArray[np.object_]) -> tuple[tuple[str, int, str], tuple[str, int, str]] | None:
    """How many entries of a column (n,), None where missing, have the day first and how many the month.

    Returns
    -------
    tuple of (str, int, str) or None
        A format, the number of entries that only it reads, and one of them; the same with day and month changed. None
        where one order reads all, or both of them less than nine in ten entries.
    """
    if not _may_be_dates(texts):
        return None
    words = pd.Series([_plainly(str(text).strip()) for text in texts if text is not None], dtype=object)
    words = words[~words.str.lower().isin(MISSING_WORDS | {""})]
    chosen = _choose(words, [])[0]
    if chosen is None or _swapped(chosen) == chosen:
        return None
    formats = (chosen, _swapped(chosen))
    first, second = (np.asarray(_parse(words, format).notna()) for format in formats)
    alone = (first & ~second, second & ~first)
    if not alone[0].any() or not alone[1].any() or (first | second).sum() < 0.9 * len(words):
        return None
    (one, other), (words_one, words_other) = formats, [words[rows].iloc[0] for rows in alone]
    return (one, int(alone[0].sum()), words_one), (other, int(alone[1].sum()), words_other)


def _may_be_dates(texts: Iterable[str | None]) -> bool:
    """Whether any format may read texts: yes for a few, and for many where one reads some of them."""
    present = [str(text).strip() for text in texts if not is_missing(text)]
    if len(present) <= FEW:
        return True
    some = pd.Series([_plainly(present[j]) for j in evenly(len(present), _TRIED)], dtype=object)
    return _choose(some, [])[0] is not None


def _plainly(word: str) -> str:
    """A date with its month in English, its zone as an offset, and a quarter or a week as its first day."""
    if len(word) > LONGEST:
        return word
    word = word[1:-1] if word[:1] == "[" and word[-1:] == "]" else word
    if re.match(r"[0-9]{4}-", word) is None:
        word = _FROM_UTC.sub("", word)
    if not any(letter.isalpha() for letter in word):
        return word
    word = _EAST_ASIAN.sub(r"\1-\2-\3", _ORDINAL.sub("", _without_weekday(word)))
    span = _SPAN.fullmatch(word) or _SPAN_FIRST.fullmatch(word)
    if span is not None:
        return _first_day(int(span["year"]), span["kind"].upper(), int(span["number"])) or word
    zone = _ZONE.search(word)
    if zone is not None:
        return word[: zone.start()] + (_ZONES[zone[1]] if re.match(r"[0-9]{4}-", word) else "")
    return re.sub(r"([^\W\d_]{3,})(?:\.(?=\s))?", lambda name: _IN_ENGLISH.get(name[1].lower(), name[1]), word)


def _without_weekday(word: str) -> str:
    """What stands behind the name of a day, or before it, where that may be a date."""
    first, last = _DAY_FIRST.match(word), _DAY_LAST.search(word)
    if first and _DATED.search(word[first.end() :]):
        return word[first.end() :]
    return word[: last.start()] if last and _DATED.search(word[: last.start()]) else word


def _first_day(year: int, kind: str, number: int) -> str | None:
    """The first day of a quarter (Q), half (H) or ISO week of a year; None where the year has none of this number."""
    months = {"Q": 3, "H": 6}.get(kind)
    try:
        if months is None:
            return date.fromisocalendar(year, number, 1).isoformat()
        return date(year, months * (number - 1) + 1, 1).isoformat()
    except ValueError:
        return None


def _parse_all(words: pd.Series, formats: list[str]) -> pd.DatetimeIndex:
    """Dates by the first of the formats that reads them."""
    values = pd.DatetimeIndex([pd.NaT] * len(words)).as_unit("us")
    for format in formats:
        values = pd.DatetimeIndex(values.where(values.notna(), _parse(words, format)))
    return values


def is_yearless(format: str) -> bool:
    """Whether dates of this format, or the first of several, have no year."""
    first = format.split("|")[0]
    return "%" in first and not any(part in first for part in ("%Y", "%y", "%c", "%x", "%D", "%F", "%G"))


def _swapped(format: str) -> str:
    """The format with day and month changed."""
    return format.replace("%d", "%_").replace("%m", "%d").replace("%_", "%m")


def _choose(words: pd.Series, taken: list[str]) -> tuple[str | None, str]:
    """The format that reads most entries, and the one with day and month changed if it reads as many (else "").

    Formats that change day and month of one that is ``taken`` already are not tried.
    """
    some = words.iloc[evenly(len(words), _TRIED)]
    digits = some.str.count(r"[0-9]")
    least = np.where(some.str.count(r"[^\W\d_]") >= 3, 2, 3)
    least = np.where(some.str.len() == len("02/23"), 2, least)
    if not len(some) or float(((digits >= least) & (some.str.len() <= 40)).mean()) < 0.5:
        return None, ""
    tried = [f for f in FORMATS if _swapped(f) not in taken and (f not in _SHORT_MONTHS or _hold_years(some, f))]
    tried = [f for f in tried if not taken or is_yearless(f) == is_yearless(taken[0])]
    tried = [f for f in tried if f not in _PADDED or _are_padded(some)]
    tried = [f for f in tried if f not in _DIGITS or (some.str.fullmatch(r"[0-9]{8}").all() and not taken)]
    likely = [f for f in tried if (not _bare(some) if f == ISO else 4 * _shaped(some, f) >= len(some))]
    reads = {f: _count(some, f) for f in likely}
    best = max(reads, key=lambda f: reads[f], default="")
    if 4 * reads.get(best, 0) < len(some) or (best in _DIGITS and _count(words, best) < len(words)):
        return None, ""
    swapped = _swapped(best)
    if reads.get(swapped, 0) < reads[best] or swapped == best:
        return best, ""
    every, turned = _count(words, best), _count(words, swapped)
    if every == turned:
        return best, swapped
    return (best if every > turned else swapped), ""


def _hold_years(words: pd.Series, format: str) -> bool:
    """Whether two digits beside a month are years near each other, rather than days of it."""
    if format == "%m/%y":
        years = words.str.extract(r"^[01][0-9]/([0-9]{2})$")[0]
    else:
        years = words.str.extract(r"^(?:[^\W\d_]{3,}\D?([0-9]{2})|([0-9]{2})-[^\W\d_]{3,})$").bfill(axis=1)[0]
    numbers = years.dropna().astype(int)
    return len(numbers) > 0.5 * len(words) and bool(np.ptp(numbers) <= _YEARS)


def _are_padded(words: pd.Series) -> bool:
    """Whether all entries are two digits and two digits, some behind a zero, as fractions and scores are not."""
    return bool(words.str.fullmatch(r"[0-9]{2}[/-][0-9]{2}").all() and words.str.contains(r"\b0").any())


def _bare(words: pd.Series) -> bool:
    """Whether the entries are digits alone, which ISO 8601 would take for years."""
    return bool(words.str.fullmatch(r"[0-9]+").mean() > 0.5)


@cache
def _shape(format: str) -> re.Pattern[str]:
    """What every text of a format looks like, and some others: it costs less to match than to read."""
    parts = re.findall(r"%.|.", format)
    return re.compile("".join(_SHAPES.get(p, r"\s?\d{1,2}" if p[0] == "%" else re.escape(p)) for p in parts))


def _shaped(words: pd.Series, format: str) -> int:
    return sum(_shape(format).fullmatch(word) is not None for word in words)


def _count(words: pd.Series, format: str) -> int:
    return int(np.count_nonzero(_parse(words, format).notna()))


def _parse(words: pd.Series, format: str) -> pd.DatetimeIndex:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_yearless(format):
            words, format = words + " 2000", f"{format} %Y"
        parsed = pd.DatetimeIndex(pd.to_datetime(words, format=format, errors="coerce", utc=True))
    return parsed.tz_localize(None).as_unit("us")
