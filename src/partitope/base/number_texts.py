"""A column of texts as numbers: one decimal sign, thousands separators, one currency or per cent sign.

    "1200.5"  "1,200.50"  "1.200,50"  "1 200,50"  "1'200.50"  "-5"  "1e-3"  "$1,200.50"  "1.200,50 €"  "CHF 5"  "12 %"

The decimal sign is that of the whole column. "0,5" and "1.200,50" can be read in one way only and speak for their sign;
"1,200" and "1.200" can be read in two. Where nothing speaks, here or in other columns, the decimal sign is the point;
but "1.200" next to "950" is not read then, as either may be meant. Where entries speak for both signs, those of the
more frequent one are read, and none that can be read in two ways. The currency is the most frequent one; a per cent
sign follows all numbers or none. What does not fit is not read: nothing is converted or guessed.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

MISSING_WORDS = frozenset(
    ("?", "-", "--", ".", "na", "n/a", "n.a.", "nan", "null", "none", "nil", "missing", "unknown", "<na>", "#n/a")
)
"""Words, in small letters, that stand for a missing entry among numbers or dates."""

CURRENCY = (
    r"(?:US)?\$|[€£¥₹₽₩₺₴₪฿₫₱₦]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|RON|AED|AUD|NZD|CAD|BRL|MXN|HKD|"
    r"SGD|KRW|THB|TRY|RUB|ILS|ZAR|kr\.?|Kč|zł|Fr\.)"
)
_WRITTEN = re.compile(
    rf"(?P<before>{CURRENCY})?\s*(?P<minus>[-+−]?)\s*(?P<behind>{CURRENCY})?\s*"
    rf"(?P<digits>[0-9.,][0-9.,'’ \u00a0\u2009\u202f]*(?:[eE][-+]?[0-9]+)?)\s*(?P<after>%|{CURRENCY})?"
)
_GAPS = r"['’ \u00a0\u2009\u202f]"
_DIGITS = {
    sign: re.compile(
        rf"[1-9][0-9]{{0,2}}(?P<gap>{_GAPS}|{other})[0-9]{{3}}(?:(?P=gap)[0-9]{{3}})*(?:{sign}[0-9]*)?"
        rf"|(?:[0-9]+{sign}?[0-9]*|{sign}[0-9]+)(?:[eE][-+]?[0-9]+)?"
    )
    for sign, other in ((r"\.", ","), (",", r"\."))
}
POINT, COMMA = _DIGITS.values()


@dataclass(frozen=True, eq=False)
class NumberReading:
    """A column of texts, read as numbers."""

    values: NDArray[np.float64]  # (n,): Numbers, NaN where missing or not read.
    unread: NDArray[np.bool_]  # (n,): Entries that are not empty and not numbers.
    decimal: str  # The decimal sign.
    sure: bool  # Whether some entry can be read with this decimal sign only.
    unclear: bool  # Whether some entry can be read in two ways and none decides.
    sign: str  # The currency or per cent sign of the column; "" where it has none.


def read_numbers(
    texts: NDArray[np.object_], decimal: str | None = None, default: str | None = None, sign: str | None = None
) -> NumberReading:
    """Numbers of a column of texts (n,), None where missing."""
    places, words = pd.factorize(pd.Series(texts, dtype=object))
    found = [_WRITTEN.fullmatch(str(word).strip()) for word in words]
    counts = np.bincount(places[places >= 0], minlength=len(words))
    digits = {j: match["digits"].strip() for j, match in enumerate(found) if match}
    ways = {j: (bool(POINT.fullmatch(text)), bool(COMMA.fullmatch(text))) for j, text in digits.items()}
    open_ways = {j for j, text in digits.items() if ways[j] == (True, True) and re.search("[.,]", text)}
    votes = [sum(counts[j] for j, way in ways.items() if way == only) for only in ((True, False), (False, True))]
    unclear = decimal is None and default is None and not any(votes) and bool(open_ways)
    skipped = open_ways if decimal is None and all(votes) else set()
    if unclear and any("." in digits[j] for j in open_ways):
        whole = any(ways[j] == (True, True) for j in digits.keys() - open_ways)
        skipped = open_ways if whole or any("," in digits[j] for j in open_ways) else skipped
    chosen = decimal or ("," if votes[1] > votes[0] else "." if any(votes) else default or ".")
    signs = {j: _sign(found[j]) for j in digits}
    if sign is None:
        usual = Counter({one: sum(counts[j] for j in signs if signs[j] == one) for one in set(signs.values())})
        bare = usual.pop("", 0)
        top = usual.most_common(1)[0] if usual else ("", 0)
        sign = "" if top[0] == "%" and bare > top[1] else top[0]
    values = np.full(len(words) + 1, np.nan)
    for j, text in digits.items():
        fits = signs[j] == sign or (not signs[j] and sign != "%")
        if ways[j][chosen == ","] and fits and j not in skipped:
            plain = re.sub(rf"{_GAPS}|{re.escape('.' if chosen == ',' else ',')}", "", text).replace(",", ".")
            values[j] = float(plain) * (-1.0 if found[j]["minus"] in ("-", "−") else 1.0)  # type: ignore[index]
    known = np.array([not is_missing(word) for word in words] + [False])
    return NumberReading(
        values[places], (known & np.isnan(values))[places], chosen, votes[0] != votes[1], unclear, sign
    )


def _sign(match: re.Match[str] | None) -> str:
    """The currency or per cent sign of a number; "?" where there are several."""
    signs = [match[place] for place in ("before", "behind", "after") if match[place]] if match else []
    return "?" if len(signs) > 1 else (signs or [""])[0]


def is_number(text: str) -> bool:
    """Whether a text is a plain number by one decimal sign or the other."""
    match = _WRITTEN.fullmatch(text)
    digits = match["digits"].strip() if match and _sign(match) != "?" else ""
    return bool(POINT.fullmatch(digits) or COMMA.fullmatch(digits))


def word_of(text: str) -> str:
    """What spellings of one word have in common: small letters, one blank between its parts."""
    return " ".join(text.lower().split())


def is_missing(text: str | None) -> bool:
    """Whether an entry is absent, or a word that stands for a missing one."""
    return text is None or not (word := str(text).strip().lower()) or word in MISSING_WORDS
