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
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .several_units import Kind, kind_called, kind_of
from .units import OPPOSITES, in_degrees, is_multiple, ratio

_WORDS = (
    "?,-,--,.,..,na,n/a,n.a.,#n/a,nan,null,none,nil,missing,unknown,unk,<na>,nd,n.d.,tbd,k.a.,k. a.,n.v.,#n/v,blank",
    "#value!,#ref!,#div/0!,#null!,#num!,not available,not applicable,not known,not reported,no data,no answer",
    "keine angabe,unbekannt,fehlt,undefined,empty,(blank),0000-00-00,00.00.0000,00/00/0000,9999-12-31,31.12.9999",
)
MISSING_WORDS = frozenset(word for line in _WORDS for word in line.split(","))
"""Words, in small letters, that stand for a missing entry among numbers or dates."""

_CODES = {"€": "EUR", "$": "USD", "US$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "Fr.": "CHF"}
_CURRENCY = (
    r"(?:(?:US|HK|NT|NZ|MX|[ACRS])?\$|[€£¥₹₽₩₺₴₪฿₫₱₦元円]|USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|AED|AUD|BRL|CAD|"
    r"HKD|HUF|IDR|ILS|KRW|MXN|MYR|NGN|NZD|PHP|RON|RUB|SAR|SGD|THB|TRY|TWD|UAH|VND|ZAR|(?-i:Rs\.?|Rp\.?|RM(?=\s))|руб\.?|Kč|kr\.?|"
    r"Fr\.|zł)"
)
_WORD = r"(?!(?:or|and|to|of|out|und|oder|bis|von|sur)\b)[^\W\d_]{1,12}(?:[²³]|\^[23]|\.(?!\w))?"
_PER = rf"\s?/\s?(?:100\s?)?[^\W\d_]{{1,6}}[²³]?|\s(?:per|pro|par) {_WORD}"
_UNIT = rf"[\"″”'′‰]|°\s?[CFKNSEW]?|{_WORD}(?:[ -]{_WORD}){{0,2}}(?:{_PER})?|{_PER}"
_POWER = r"[eE][-+]?[0-9]+|[dD][-+][0-9]{2,3}|\s*[x×·*]\s*10(?:\^[-+−]?[0-9]+|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
_WRITTEN = re.compile(
    rf"(?:(?P<lead>{_CURRENCY})\s*(?=\())?(?P<open>\()?\s*(?P<sign>[-+−])?\s*(?P<before>{_CURRENCY})?\s*"
    rf"(?P<second>[-+−])?\s*(?=[0-9.,])"
    rf"(?P<digits>[0-9.,](?:[0-9.,'’ \u00a0\u2009\u202f]*[0-9.,])?)?"
    rf"(?:[ \u00a0-]?(?<![0-9.,])(?P<fraction>(?:0|[1-9][0-9]{{0,2}})/[1-9][0-9]{{0,2}}))?(?P<power>{_POWER})?"
    rf"\s*(?P<last>[-−](?![^\W\d_]))?\s*"
    rf"(?:(?P<after>%|{_CURRENCY})(?P<per>{_PER})?|-?(?P<unit>{_UNIT})(?:\s*(?P<of>{_CURRENCY}))?)?"
    rf"\s*(?P<close>\))?(?:(?<=\))\s*(?P<tail>%|{_CURRENCY}))?",
    re.IGNORECASE,
)
_MARKS = re.compile(r"\s*(?:[*†‡]+|\([^\W\d][^)\d]*\)|(?:±|\+/-|\+-).*|(?<=[\s€])(?:VB|VHB|FP|OBO|ONO))$")
_FLAG = re.compile(r"(?<=[0-9.,])\s*(?P<flag>H{1,2}|L{1,2})$")
_MARK_OF_SCHOOL = re.compile(r"[0-9]{1,2}(?P<sign>[-+])")
_LIMIT = re.compile(
    r"(?:(?:[<>≤≥~≈]=?|ca\.|approx\.|max\.|min\.)\s*|(?:about|under|over|up to|more than|less than|at least|at most|"
    r"from|starting at|max|min|(?-i:[Aa]b)|bis zu|unter|über|mindestens|höchstens)\s+)(?=\S)(?P<first>.+)"
    r"|(?P<last>.*\d.*?)(?:\+| and over| or more| and more| or less)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(?P<low>[^\s–—-].*?)\s*(?:[–—-]|\b(?:to|bis)\b)\s*(?P<high>[^\s–—-].*)", re.IGNORECASE)
_INTERVAL = re.compile(r"(?:\[(?P<low>.+?)[,;]\s(?P<high>.+)[])]|\((?P<low2>.+?)[,;]\s(?P<high2>.+)\])")
_ROUND = re.compile(r"(?<=[0-9])(?P<mark>[.,])(?:--?|[–—])(?![0-9])")
_TRIED = 500
"""Different entries, about, by which the kind of several units is chosen."""
_PARTS = frozenset((*range(2, 11), 12, 16, 20, 25, 32, 50, 64, 100))
"""Numbers below the stroke of a fraction; others are numbers of their own."""
_GAPS = re.compile(r"['’ \u00a0\u2009\u202f]")
_GROUPED = re.compile(r"[0-9]{1,3}(?:['’ \u00a0\u2009\u202f][0-9]{3})+(?:[.,][0-9]*)?")


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
    words = [_plainly(str(word).strip()) for word in different]
    found: set[str] = set()
    if unit == "" or (unit is None and _are_flagged(words)):
        words = [_FLAG.sub("", word) for word in words]
        found.update({"flags H and L"} if unit is None else ())
    graded = _are_marks_of_school(words)
    entries = [_entry(word) if _can_be(word) and word not in graded else _Entry(()) for word in words]
    if not _are_fractions([part["fraction"] for entry in entries for part in entry.parts if part["fraction"]]):
        entries = [_Entry(()) if any(part["fraction"] for part in entry.parts) else entry for entry in entries]
    parts = [part for entry in entries for part in entry.parts]
    digits = [_without_gaps(part["digits"] or "") for part in parts]
    votes = [_vote(text, part["power"] is not None) for text, part in zip(digits, parts) if text is not None]
    comma, point = votes.count(","), votes.count(".")
    sign = decimal or (default if comma == point else "," if comma > point else ".")
    if decimal is None and not comma + point and grouped_by(sign, [text for text in digits if text is not None]):
        sign = "," if sign == "." else "."
    measured = [_can_be(word) and not entry.is_plain for word, entry in zip(words, entries)]
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
            other = "," if sign == "." else "."
            if value is None and decimal is None and other in entry.votes:
                value = entry.value(other, unit, found)
                found.update({"both decimal signs, each number by its own"} if value is not None else ())
        if value is not None:
            values[j] = value
        elif word.lower() in _INFINITE:
            values[j] = -np.inf if word.startswith("-") else np.inf
        else:
            unread[j] = bool(word) and word.lower() not in MISSING_WORDS
    if "currency" in found:
        signs = [_currency(part) for part in parts]
        several = sorted({_CODES.get(sign, sign.upper()) for sign in signs if sign and sign != "%"})
        if len(several) > 1:
            found.remove("currency")
            found.add(f"currencies {', '.join(several)} as if they were one (convert them first)")
    if "percent signs" in found and any("%" not in (part["after"], part["tail"]) for part in parts):
        found.remove("percent signs")
        found.add("shares (turned into percent)" if unit == "%" else "percent signs behind some of them, not all")
    if sign == "," and any("," in text for text in digits if text is not None):
        found.add("decimal comma")
    return NumberReading(values[places], unread[places], sign, comma != point, unit, tuple(sorted(found)))


_INFINITE = frozenset(f"{sign}{word}" for sign in ("", "+", "-") for word in ("inf", "infinity"))


@dataclass(frozen=True)
class _Entry:
    """One number, or the two ends of a range, as they were written, and what stood around them."""

    parts: tuple[re.Match[str], ...]
    around: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        """What stands behind the number, or behind the range; the end of an ordinal number is none."""
        return _unit(self.parts[-1]) or _unit(self.parts[0]) if self.parts else ""

    @property
    def votes(self) -> set[str]:
        """The decimal signs that its digits speak for."""
        digits = [(_without_gaps(part["digits"] or ""), part["power"] is not None) for part in self.parts]
        return {_vote(text, scientific) for text, scientific in digits if text is not None}

    @property
    def is_percent(self) -> bool:
        """Whether a per cent sign stands behind the number, or behind the range."""
        return any(_currency(part) == "%" for part in self.parts)

    @property
    def is_plain(self) -> bool:
        """Whether there are numbers without a unit."""
        return bool(self.parts) and not any(_GAPS.search(part["digits"] or "") or part["unit"] for part in self.parts)

    def value(self, decimal: str, unit: str, found: set[str]) -> float | None:
        """The number in the column's unit, or the middle of the range; None when it is none."""
        ends: list[float] = []
        for part in self.parts:
            digits = _without_gaps(part["digits"] or "")
            own = _unit(part) or self.unit or ("%" if unit == "%" and self.is_percent else "")
            value = None if digits is None else _value(part, digits, decimal, found)
            value = None if value is None else _in_unit(value, own, unit, found)
            if value is None:
                return None
            ends.append(value)
        if ends[0] > ends[-1]:
            return None
        found.update(self.around)
        return ends[0] if len(ends) == 1 else (ends[0] + ends[1]) / 2


def _in_unit(value: float, own: str, unit: str, found: set[str]) -> float | None:
    """A number with its own unit in that of the column, of which ``found`` is told; None when they do not agree."""
    if not own and not is_multiple(unit):
        return value
    factor = ratio(own, unit)
    if factor is None:
        there = in_degrees(value, own, unit)
    else:
        there = value * factor if factor >= 1.0 else value / (1.0 / factor)
    if there is None or own in ("", "%"):
        return there
    if factor is not None and factor < 0:
        found.add(f"{own} as minus {unit}")
    else:
        found.add(f"the unit {unit}" if factor == 1.0 else f"units of its kind (turned into {unit or 'ones'})")
    return there


def _hold_shares(entries: list[_Entry], decimal: str) -> bool:
    """Whether numbers without a per cent sign are shares, beside others with one."""
    values: dict[bool, list[float]] = {True: [], False: []}
    for entry in entries:
        for part in entry.parts:
            digits = _without_gaps(part["digits"] or "")
            value = None if digits is None else _value(part, digits, decimal, set())
            if value is not None:
                values[entry.is_percent].append(abs(value))
    bare, signed = values[False], values[True]
    return bool(bare and signed) and max(bare) <= 1.0 and float(np.median(bare)) < float(np.median(signed)) / 10


def _unit(part: re.Match[str]) -> str:
    """The unit of a number without blanks, the point of an abbreviation and the end of an ordinal number."""
    behind = part["unit"] or part["per"]
    return _plain_unit(behind) if behind else ""


@cache
def _plain_unit(behind: str) -> str:
    unit = re.sub(r"^(?:st|nd|rd|th)(?![^\W\d_])", "", behind, flags=re.IGNORECASE)
    return re.sub(r"[\s.]", "", unit).replace("^2", "²").replace("^3", "³")


def _currency(part: re.Match[str]) -> str | None:
    """The currency that stands around a number, or a per cent sign."""
    return next((part[place] for place in ("lead", "before", "after", "of", "tail") if part[place]), None)


def _are_fractions(texts: list[str]) -> bool:
    """Whether nine in ten of these are parts of a whole, such as 3/4, as those of 120/80 are not."""
    pairs = [tuple(map(int, text.split("/"))) for text in texts]
    return sum(above <= below and below in _PARTS for above, below in pairs) >= 0.9 * len(pairs)


def _entry(word: str) -> _Entry:
    """The number or range of a word, of no parts when it is neither."""
    part = _WRITTEN.fullmatch(word)
    if part is not None:
        return _Entry((part,))
    bare = _MARKS.sub("", word)
    if bare != word:
        inner = _entry(bare)
        return _Entry(inner.parts, (*inner.around, "marks behind them")) if inner.parts else inner
    limit = _LIMIT.fullmatch(word)
    part = limit and _WRITTEN.fullmatch(limit["first"] or limit["last"])
    if part is not None:
        return _Entry((part,), ("limits (read as the number)",))
    ends = _INTERVAL.fullmatch(word) or _RANGE.fullmatch(word)
    texts = () if ends is None else tuple(text for text in ends.groups() if text is not None)
    parts = tuple(part for part in map(_WRITTEN.fullmatch, texts) if part is not None and not _is_padded(part))
    return _Entry(parts, ("ranges (read as the middle)",)) if len(parts) == 2 else _Entry(())


def _is_padded(part: re.Match[str]) -> bool:
    """Whether a whole number has zeros before it, as in parts of dates and codes."""
    return re.fullmatch(r"0[0-9]+", part["digits"] or "") is not None


def _plainly(word: str) -> str:
    """The word with our digits and strokes, and without what spreadsheets write around digits, ="5" and 5,-."""
    if not word.isascii():
        word = "".join(_plain_sign(sign) for sign in word)
    if word[:1] in ("▲", "▼", "↑", "↓"):
        word = "-" * (word[0] in "▼↓") + word[1:].strip().lstrip("-+−")
    if word[:1] in ("=", "'"):
        word = re.sub(r"^(?:=\"(.*)\"|'(?=[0-9])(.*))$", r"\1\2", word)
    if word[:1] in "NSEW" and word[1:2] == " ":
        word = f"{word[1:].strip()} {word[0]}"
    return _ROUND.sub(r"\g<mark>0", word) if word[-1:] in "-–— €." or "-" in word else word


def _are_flagged(words: list[str]) -> bool:
    """Whether H and L behind numbers say that they are high and low: where both are and other numbers have no unit."""
    flags = {match["flag"][0] for match in map(_FLAG.search, words) if match}
    return flags == {"H", "L"} and any(word[-1:].isdigit() for word in words)


def _are_marks_of_school(words: list[str]) -> set[str]:
    """The words such as 1+ and 2-, where both are and so say more and less of what a number says; else none."""
    found = {word: match["sign"] for word in words if (match := _MARK_OF_SCHOOL.fullmatch(word))}
    return set(found) if set(found.values()) == {"-", "+"} else set()


def _plain_sign(sign: str) -> str:
    """A digit of another script as ours, and a sign such as ½ as digits with a stroke between them."""
    if unicodedata.decomposition(sign).startswith("<fraction>"):
        return " " + unicodedata.normalize("NFKC", sign).replace("\u2044", "/")
    if sign in "℃℉":
        return unicodedata.normalize("NFKC", sign)
    return str(unicodedata.decimal(sign, sign))


def _can_be(word: str) -> bool:
    """Whether the word holds a digit; keeps the pattern away from long words without any."""
    return len(word) <= 60 and any(letter.isdecimal() for letter in word)


def _usual_kind(words: list[str]) -> Kind | None:
    """The kind of several units that reads at least half of the words, or of some of many; None when there is none."""
    words = words[:: 1 + len(words) // _TRIED]
    kind = kind_of(words)
    return kind if kind and 2 * sum(kind.value(word) is not None for word in words) >= len(words) else None


def _usual_unit(units: list[str]) -> str:
    """The unit that most different entries have, as it is written first; "" where most have none."""
    usual = Counter(unit.lower() for unit in units).most_common(1)
    unit = next((unit for unit in units if unit.lower() == usual[0][0]), "")
    return next((other for minus, other in OPPOSITES if minus == unit and other in units), unit)


def _without_gaps(digits: str) -> str | None:
    """Digits without blanks or apostrophes between groups of three; None when they stand elsewhere."""
    if not _GAPS.search(digits):
        return digits
    return _GAPS.sub("", digits) if _GROUPED.fullmatch(digits) else None


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


def _value(part: re.Match[str], digits: str, decimal: str, found: set[str]) -> float | None:
    """The number, with what was taken off added to ``found``; None when it is none."""
    signs = [part[name] for name in ("sign", "second", "last") if part[name]]
    if (part["open"] is None) != (part["close"] is None) or len(signs) > 1:
        return None
    other = "." if decimal == "," else ","
    whole, _, fraction = (digits or "0").partition(decimal)
    groups = whole.split(other)
    if other in fraction or decimal in fraction or not (whole + fraction).strip(other):
        return None
    if len(groups) > 1 and not (1 <= len(groups[0]) <= 3 and _grouped([len(group) for group in groups[1:]])):
        return None
    if len(groups) > 1 or _GAPS.search(part["digits"] or ""):
        found.add("thousands separators")
    currency = _currency(part)
    if currency:
        found.add("percent signs" if currency == "%" else "currency")
    value = float(f"{''.join(groups) or '0'}.{fraction or '0'}e{_power(part['power'] or 'e0')}")
    if part["fraction"]:
        above, below = map(int, part["fraction"].split("/"))
        value += above / below
        found.add("fractions")
    if part["open"] is not None:
        found.add("brackets (read as minus)")
    if part["last"]:
        found.add("minus signs behind")
    negative = signs in (["-"], ["−"]) or part["open"] is not None
    return -value if negative else value


def _grouped(lengths: list[int]) -> bool:
    """Whether groups of digits behind the first are thousands, or as in India hundreds of them."""
    return set(lengths) == {3} or (lengths[-1] == 3 and set(lengths[:-1]) == {2})


def _power(text: str) -> str:
    """The exponent of e+05, x 10^5 or ·10⁵."""
    digits = re.sub("d(?=[-+])", "e", text.lower()).partition("e")[2] or re.split(r"10\^?", text, maxsplit=1)[1]
    return unicodedata.normalize("NFKC", digits).replace("−", "-")
