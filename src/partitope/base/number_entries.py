"""One text read as a number: the digits, and the signs, currencies and units that people write around them.

`read_entry` splits a text by a pattern, without knowing the decimal sign or the unit, which `number_texts` decides for
a column as a whole. `Entry.value` is the number once they are known.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from .units import in_degrees, is_multiple, ratio

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
_LIMIT = re.compile(
    r"(?:(?:[<>≤≥~≈]=?|ca\.|approx\.|max\.|min\.)\s*|(?:about|under|over|up to|more than|less than|at least|at most|"
    r"from|starting at|max|min|(?-i:[Aa]b)|bis zu|unter|über|mindestens|höchstens)\s+)(?=\S)(?P<first>.+)"
    r"|(?P<last>.*\d.*?)(?:\+| and over| or more| and more| or less)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(?P<low>[^\s–—-].*?)\s*(?:[–—-]|\b(?:to|bis)\b)\s*(?P<high>[^\s–—-].*)", re.IGNORECASE)
_INTERVAL = re.compile(r"(?:\[(?P<low>.+?)[,;]\s(?P<high>.+)[])]|\((?P<low2>.+?)[,;]\s(?P<high2>.+)\])")
_ROUND = re.compile(r"(?<=[0-9])(?P<mark>[.,])(?:--?|[–—])(?![0-9])")
_GAPS = re.compile(r"['’ \u00a0\u2009\u202f]")
_GROUPED = re.compile(r"[0-9]{1,3}(?:['’ \u00a0\u2009\u202f][0-9]{3})+(?:[.,][0-9]*)?")


@dataclass(frozen=True)
class Entry:
    """One number, or the two ends of a range, as they were written, and what stood around them."""

    parts: tuple[re.Match[str], ...]
    around: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        """What stands behind the number, or behind the range; the end of an ordinal number is none."""
        return _unit(self.parts[-1]) or _unit(self.parts[0]) if self.parts else ""

    @property
    def is_percent(self) -> bool:
        """Whether a per cent sign stands behind the number, or behind the range."""
        return any(currency_of(part) == "%" for part in self.parts)

    @property
    def is_plain(self) -> bool:
        """Whether there are numbers without a unit."""
        return bool(self.parts) and not any(_GAPS.search(part["digits"] or "") or part["unit"] for part in self.parts)

    def value(self, decimal: str, unit: str, found: set[str]) -> float | None:
        """The number in the column's unit, or the middle of the range; None when it is none."""
        ends: list[float] = []
        for part in self.parts:
            own = _unit(part) or self.unit or ("%" if unit == "%" and self.is_percent else "")
            value = number_of(part, decimal, found)
            value = None if value is None else _in_unit(value, own, unit, found)
            if value is None:
                return None
            ends.append(value)
        if ends[0] > ends[-1]:
            return None
        found.update(self.around)
        return ends[0] if len(ends) == 1 else (ends[0] + ends[1]) / 2


def _in_unit(value: float, own: str, unit: str, found: set[str]) -> float | None:
    """A number converted from its own unit to the column's, noted in ``found``; None when these do not fit."""
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


def _unit(part: re.Match[str]) -> str:
    """The unit of a number without blanks, the point of an abbreviation and the end of an ordinal number."""
    behind = part["unit"] or part["per"]
    return _plain_unit(behind) if behind else ""


@lru_cache(maxsize=4096)
def _plain_unit(behind: str) -> str:
    unit = re.sub(r"^(?:st|nd|rd|th)(?![^\W\d_])", "", behind, flags=re.IGNORECASE)
    return re.sub(r"[\s.]", "", unit).replace("^2", "²").replace("^3", "³")


def currency_of(part: re.Match[str]) -> str | None:
    """The currency that stands around a number, or a per cent sign."""
    return next((part[place] for place in ("lead", "before", "after", "of", "tail") if part[place]), None)


def read_entry(word: str) -> Entry:
    """The number or range of a word, of no parts when it is neither."""
    part = _WRITTEN.fullmatch(word)
    if part is not None:
        return Entry((part,))
    bare = _MARKS.sub("", word)
    if bare != word:
        inner = read_entry(bare)
        return Entry(inner.parts, (*inner.around, "marks behind them")) if inner.parts else inner
    limit = _LIMIT.fullmatch(word)
    part = limit and _WRITTEN.fullmatch(limit["first"] or limit["last"])
    if part is not None:
        return Entry((part,), ("limits (read as the number)",))
    ends = _INTERVAL.fullmatch(word) or _RANGE.fullmatch(word)
    texts = () if ends is None else tuple(text for text in ends.groups() if text is not None)
    parts = tuple(part for part in map(_WRITTEN.fullmatch, texts) if part is not None and not _is_padded(part))
    return Entry(parts, ("ranges (read as the middle)",)) if len(parts) == 2 else Entry(())


def _is_padded(part: re.Match[str]) -> bool:
    """Whether a whole number has zeros before it, as in parts of dates and codes."""
    return re.fullmatch(r"0[0-9]+", part["digits"] or "") is not None


def plainly(word: str) -> str:
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


def _plain_sign(sign: str) -> str:
    """A digit of another script as ours, and a sign such as ½ as digits with a stroke between them."""
    if unicodedata.decomposition(sign).startswith("<fraction>"):
        return " " + unicodedata.normalize("NFKC", sign).replace("\u2044", "/")
    if sign in "℃℉":
        return unicodedata.normalize("NFKC", sign)
    return str(unicodedata.decimal(sign, sign))


def may_be_number(word: str) -> bool:
    """Whether the word holds a digit; keeps the pattern away from long words without any."""
    return len(word) <= 60 and any(letter.isdecimal() for letter in word)


def digits_of(part: re.Match[str]) -> str | None:
    """Digits without blanks or apostrophes between groups of three; None when they stand elsewhere."""
    digits = part["digits"] or ""
    if not _GAPS.search(digits):
        return digits
    return _GAPS.sub("", digits) if _GROUPED.fullmatch(digits) else None


def number_of(part: re.Match[str], decimal: str, found: set[str]) -> float | None:
    """The number, with what was taken off added to ``found``; None when it is none."""
    signs = [part[name] for name in ("sign", "second", "last") if part[name]]
    digits = digits_of(part)
    if digits is None or (part["open"] is None) != (part["close"] is None) or len(signs) > 1:
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
    currency = currency_of(part)
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
