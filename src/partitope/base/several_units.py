"""Numbers in several units at once, as one number in the first unit of their kind.

    5'11"   5 ft 11 in   1m75   12 lb 3 oz   13:45   1:45 pm   2d 5h   1 h 30 min   14 days 15:12:00   PT5H51M
    3 years 2 months   12°30'N

A kind is a row of `KINDS`: the unit it is turned into, what is said of it, and its units with their sizes, the largest
first. Their numbers stand in this order, and none of the later ones makes a whole of the unit before it: 5'51" are no
feet and inches, but minutes and seconds. Behind the last unit its next smaller one may go without saying, as in 5'11.
Two numbers with a colon are hours and minutes, but minutes and seconds where others have hours before them: 59:30
beside 1:05:30, and where the seconds have decimals (1:18.48) or a distance stands behind them (5:30 min/km).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_PRIME, _DOUBLE = "' ′ ’ ‘", "\" ″ ” “ '' ′′ ’’"
_TERM = (
    r"(?P<number>[0-9]+(?:[.,][0-9]+)?)(?:[ -](?P<part>[1-9]/[1-9][0-9]?))?"
    r"\s*(?P<unit>°|['′’‘]{1,2}|[\"″”“]|[^\W\d_]+\.?)?"
)
_NEXT = re.compile(rf"[\s,]*(?:(?:and|und|et|y|&)\s+)?{_TERM}", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?P<hours>[0-9]{1,4}):(?P<minutes>[0-5][0-9])(?::(?P<seconds>[0-5][0-9](?:[.,][0-9]+)?))?"
    r"(?:\s*(?P<half>[ap])\.?m\.?)?(?:\s*(?:Uhr|h))?$",
    re.IGNORECASE,
)
_PAIR = re.compile(r"[0-9]+:[0-9]+")
_LAP = re.compile(
    r"(?P<minutes>[0-9]{1,3}):(?P<seconds>[0-5][0-9](?P<rest>[.,][0-9]+)?)(?P<per>\s*(?:min)?\s*/\s*(?:km|mi|mile))?"
)
_HALF = re.compile(
    r"(?P<hours>[0-9]{1,2})(?:\.(?P<minutes>[0-5][0-9]))?(?P<seconds>)\s*(?P<half>[ap])\.?m\.?", re.IGNORECASE
)
_ISO = re.compile(r"P([0-9.,]+[YMWD])*(?:T([0-9.,]+[HMS])+)?", re.IGNORECASE)
_SIGN = re.compile(r"(?P<before>[NSEW]\s*)?(?P<sign>[-+−])?\s*(?P<terms>.*?)(?P<behind>(?<=\W)\s*[NSEW])?", re.DOTALL)


STRAY = 0.01
"""Share of pairs with a colon that are no hours and minutes, above which the others are none."""


@dataclass(frozen=True)
class Kind:
    """What several units of a number measure.

    Attributes
    ----------
    unit : str
        The unit of the numbers that are read.
    said : str
        What people are told that they are.
    sizes : dict of str to float
        How many of the smallest unit each unit is, by its names in small letters.
    drops_hours : bool
        Whether two numbers with a colon are minutes and seconds.
    """

    unit: str
    said: str
    sizes: dict[str, float]
    drops_hours: bool = False

    def value(self, word: str) -> float | None:
        """The number that a word says in one unit of this kind or more; None when it says none."""
        lap = _LAP.fullmatch(word) if self.drops_hours else None
        terms = _terms(_with_hours(lap) if lap else word)
        return None if terms is None else self._sum(*terms)

    def _sum(self, negative: bool, terms: list[tuple[float, str]]) -> float | None:
        """The numbers turned into the kind's unit and added."""
        total, last = 0.0, 0.0
        for place, (number, name) in enumerate(terms):
            if not name and 0 < place == len(terms) - 1:
                size: float | None = max((s for s in self.sizes.values() if s < last), default=None)
            else:
                size = self.sizes.get(name)
            if size is None or (place and (size >= last or number * size >= last * (1 - 1e-9))):
                return None
            total, last = total + number * size, size
        total /= self.sizes[self.unit]
        return -total if negative else total


def _kind(unit: str, said: str, *names: tuple[float, str]) -> Kind:
    return Kind(unit, said, {name: size for size, words in names for name in words.split()})


_DAYS = "d day days tag tage tagen j jour jours día días dia dias"
_MINUTES, _SECONDS = (
    "min mins minute minutes minuten minuto minutos",
    "s sec secs second seconds sek sekunden seg segundos",
)
KINDS = (
    _kind("ft", "feet and inches (read as feet)",
          (12, f"{_PRIME} ft ft. foot feet"), (1, f"{_DOUBLE} in in. inch inches")),
    _kind("m", "metres and centimetres (read as metres)", (1000, "m metre metres meter meters"), (10, "cm"), (1, "mm")),
    _kind("lb", "pounds and ounces (read as pounds)",
          (224, "st stone stones"), (16, "lb lbs lb. lbs. pound pounds"), (1, "oz oz. ounce ounces")),
    _kind("kg", "kilograms and grams (read as kilograms)",
          (1000, "kg kilo kilos kilogram kilograms"), (1, "g gram grams gramm")),
    _kind("h", "hours and minutes (read as hours)",
          (604800, "w wk wks week weeks woche wochen semaine semaines semana semanas"), (86400, _DAYS),
          (3600, "h hr hrs hour hours std stunde stunden heure heures hora horas"), (60, f"m {_MINUTES}"),
          (1, _SECONDS)),
    _kind("years", "years and months (read as years)",
          (365.25, "y yr yrs year years jahr jahre jahren an ans año años"),
          (365.25 / 12, "m mo mos mon mth mths month months monat monate monaten mois mes meses"),
          (7, "w wk wks week weeks woche wochen"), (1, _DAYS)),
    _kind("min", "minutes and seconds (read as minutes)", (60, f"min {_PRIME}"), (1, _DOUBLE)),
    _kind("°", "degrees and minutes (read as degrees)",
          (3600, "° d deg degrees grad"), (60, f"{_PRIME} {_MINUTES} m"), (1, f"{_DOUBLE} {_SECONDS}")),
)  # fmt: skip
"""The first of those that read as many is taken."""
_HOURS = next(kind for kind in KINDS if kind.unit == "h")
_DURATIONS = Kind("min:s", "minutes and seconds (read as minutes)", {**_HOURS.sizes, "min:s": 60}, drops_hours=True)


def kind_of(words: Sequence[str]) -> Kind | None:
    """The kind that reads most of the words with several units, ratios aside; None when no word has several."""
    laps = [lap for lap in map(_LAP.fullmatch, words) if lap and (lap["rest"] or lap["per"])]
    if 2 * len(laps) > len(words):
        return _DURATIONS
    colons = [word for word in words if _PAIR.fullmatch(word)]
    if sum(_CLOCK.fullmatch(word) is None for word in colons) > STRAY * len(colons):
        words = [word for word in words if not _PAIR.fullmatch(word)]
    pairs = zip(words, map(_terms, words))
    read = [terms for word, terms in pairs if terms is not None and (len(terms[1]) > 1 or _ISO.fullmatch(word))]
    counts = [sum(kind._sum(*terms) is not None for terms in read) for kind in KINDS]
    kind = KINDS[counts.index(max(counts))] if any(counts) else None
    return _DURATIONS if kind is _HOURS and _drop_hours(words) else kind


def _drop_hours(words: Sequence[str]) -> bool:
    """Whether the first of two numbers is beyond the hours of a day or of all entries of three numbers."""
    first: dict[int, list[int]] = {2: [], 3: []}
    for word in words:
        if _CLOCK.fullmatch(word) and word[-1:].isdigit():
            numbers = word.split(":")
            first[len(numbers)].append(int(numbers[0]))
    return bool(first[2] and first[3]) and (max(first[2]) >= 24 or max(first[3]) < min(first[2]))


def kind_called(unit: str) -> Kind | None:
    """The kind whose numbers are turned into a unit; None when there is none."""
    return next((kind for kind in (*KINDS, _DURATIONS) if kind.unit == unit), None)


def _terms(word: str) -> tuple[bool, list[tuple[float, str]]] | None:
    """Whether a word is negative, and its numbers with the names of their units; None when it is something else."""
    if _ISO.fullmatch(word) and len(word) > 2:
        days, _, hours = word[1:].upper().partition("T")
        word = f"{days} {hours.replace('M', 'min')}".strip()
    half = _HALF.fullmatch(word)
    parts = _SIGN.fullmatch(_in_words(half) if half else _CLOCK.sub(_in_words, word))
    if parts is None:
        return None
    terms, place, text = [], 0, parts["terms"].strip()
    while (term := _NEXT.match(text, place)) is not None:
        above, below = map(int, (term["part"] or "0/1").split("/"))
        terms.append((float(term["number"].replace(",", ".")) + above / below, (term["unit"] or "").lower()))
        place = term.end()
    side = (parts["before"] or parts["behind"] or "").strip()
    if place < len(text) or not terms or not terms[0][1] or (side and terms[0][1] not in ("°", "d", "deg")):
        return None
    return (parts["sign"] in ("-", "−")) != (side in ("S", "W")), terms


def _with_hours(lap: re.Match[str]) -> str:
    """Minutes and seconds with the hours before them."""
    hours, minutes = divmod(int(lap["minutes"]), 60)
    return f"{hours}:{minutes:02}:{lap['seconds']}"


def _in_words(clock: re.Match[str]) -> str:
    """A time of the day, or what stands behind a number of days, with its units."""
    hours, half = int(clock["hours"]), (clock["half"] or "").lower()
    if half and not 1 <= hours <= 12:
        return clock[0]
    hours = hours % 12 + 12 * (half == "p") if half else hours
    return f"{hours} h {int(clock['minutes'] or 0)} min {clock['seconds'] or 0} s"
