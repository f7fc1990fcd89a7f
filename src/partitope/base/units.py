"""Units of numbers: how many of one make another, where both measure the same.

    "g" = 1000 "mg"     "MB" = 1000 "KB"     "M" = 1000 "k"     "h" = 60 "min"     "g/l" = 100 "mg/dl"

A unit is a stem with a prefix of the SI, one of a few names of other multiples, or a word for a power of ten that
stands alone. Other words measure nothing that this module knows; two of them are the same when their letters are, but
for the s of a plural. A month is a twelfth of 365.25 days. Temperatures differ in their zero, too.
"""

from __future__ import annotations

from functools import cache

_STEMS = frozenset(
    ("g", "m", "l", "s", "W", "Wh", "V", "A", "Hz", "B", "bit", "Pa", "J", "N", "mol", "cal", "bar", "eV")
)
_PREFIXES = {
    "p": -12, "n": -9, "µ": -6, "μ": -6, "u": -6, "mc": -6, "m": -3, "c": -2, "d": -1, "k": 3, "K": 3, "M": 6, "G": 9,
    "T": 12,
}  # fmt: skip
_POUND, _INCH = 453.59237, 0.0254
_MONTH = 365.25 / 12 * 86400.0
_OTHERS = {
    "": ("", 1.0), "%": ("", 0.01), "k": ("", 1e3), "tsd": ("", 1e3), "thousand": ("", 1e3), "M": ("", 1e6),
    "mio": ("", 1e6),
    "million": ("", 1e6), "mn": ("", 1e6), "mrd": ("", 1e9), "bn": ("", 1e9), "billion": ("", 1e9), "L": ("l", 1.0),
    "mL": ("l", 1e-3), "dL": ("l", 0.1), "sec": ("s", 1.0), "min": ("s", 60.0), "mins": ("s", 60.0), "h": ("s", 3600.0),
    "hr": ("s", 3600.0), "hrs": ("s", 3600.0), "hour": ("s", 3600.0), "hours": ("s", 3600.0), "day": ("s", 86400.0),
    "days": ("s", 86400.0), "week": ("s", 604800.0), "weeks": ("s", 604800.0),
    "minutes": ("s", 60.0), "seconds": ("s", 1.0), "year": ("s", 12 * _MONTH), "years": ("s", 12 * _MONTH),
    "month": ("s", _MONTH), "months": ("s", _MONTH), "oz": ("g", _POUND / 16), "ounces": ("g", _POUND / 16),
    "lb": ("g", _POUND), "lbs": ("g", _POUND), "pounds": ("g", _POUND), "st": ("g", 14 * _POUND), "in": ("m", _INCH),
    "inch": ("m", _INCH), "inches": ("m", _INCH), "ft": ("m", 12 * _INCH), "foot": ("m", 12 * _INCH),
    "feet": ("m", 12 * _INCH), "yd": ("m", 36 * _INCH), "mi": ("m", 63360 * _INCH), "mile": ("m", 63360 * _INCH),
    "miles": ("m", 63360 * _INCH), '"': ("m", _INCH), "″": ("m", _INCH), "'": ("m", 12 * _INCH), "′": ("m", 12 * _INCH),
    "d": ("s", 86400.0), "wk": ("s", 604800.0), "wks": ("s", 604800.0), "y": ("s", 12 * _MONTH),
    "yr": ("s", 12 * _MONTH),
    "yrs": ("s", 12 * _MONTH), "mo": ("s", _MONTH), "mos": ("s", _MONTH), "minute": ("s", 60.0), "second": ("s", 1.0),
    "sekunden": ("s", 1.0), "minuten": ("s", 60.0), "std": ("s", 3600.0), "stunde": ("s", 3600.0),
    "stunden": ("s", 3600.0), "tag": ("s", 86400.0), "tage": ("s", 86400.0), "woche": ("s", 604800.0),
    "wochen": ("s", 604800.0), "monat": ("s", _MONTH), "monate": ("s", _MONTH), "jahr": ("s", 12 * _MONTH),
    "jahre": ("s", 12 * _MONTH), "KiB": ("B", 2.0**10), "MiB": ("B", 2.0**20), "GiB": ("B", 2.0**30),
    "TiB": ("B", 2.0**40),
}  # fmt: skip

_AMOUNTS = {"B": 1e9, "T": 1e12}
"""What letters stand for beside k, M or million."""
OPPOSITES = (("S", "N"), ("W", "E"), ("°S", "°N"), ("°W", "°E"), ("DR", "CR"), ("Dr", "Cr"), ("D", "C"), ("S", "H"))
"""Words behind numbers, capitals counting, of which the first makes them negative where others have the second."""


_SCALES = {"c": (1.0, 0.0), "f": (5 / 9, 32.0), "k": (1.0, 273.15)}
_TEMPERATURES = {"celsius": "c", "fahrenheit": "f", "kelvin": "k"}


def in_degrees(value: float, unit: str, of: str) -> float | None:
    """A temperature in another scale; None where one of the units is no scale."""
    one, other = _scale(unit), _scale(of)
    if one is None or other is None:
        return None
    return value if one == other else (value - one[1]) * (one[0] / other[0]) + other[1]


def _scale(unit: str) -> tuple[float, float] | None:
    """Size of a degree, and what freezing water has; None where the unit is no scale, as k for thousand is none."""
    word = unit.lower().removeprefix("°").removeprefix("deg")
    return None if unit == "k" else _SCALES.get(_TEMPERATURES.get(word, word))


def ratio(unit: str, of: str) -> float | None:
    """How many ``of`` one ``unit`` is; None where they do not measure the same."""
    if unit.lower() == of.lower():
        return 1.0
    if (unit, of) in OPPOSITES or (of, unit) in OPPOSITES:
        return -1.0
    stems = unit.lower().removesuffix("s"), of.lower().removesuffix("s")
    if stems[0] == stems[1] and len(stems[0]) > 2:
        return 1.0
    amounts = _amount(unit), _amount(of)
    if not _AMOUNTS.keys().isdisjoint((unit, of)) and min(amounts) >= 1e3:
        return amounts[0] / amounts[1]
    factor = 1.0
    upper, lower = unit.split("/"), of.split("/")
    if len(upper) != len(lower):
        return None
    for place, (one, other) in enumerate(zip(upper, lower)):
        first, second = _meaning(one), _meaning(other)
        if one.lower() == other.lower():
            continue
        if first is None or second is None or first[0] != second[0]:
            return None
        factor *= (first[1] / second[1]) ** (1 if place == 0 else -1)
    return factor


def _amount(unit: str) -> float:
    """The power of ten that a word or letter stands for; 0 for other units."""
    meaning = _meaning(unit)
    return _AMOUNTS.get(unit) or (meaning[1] if meaning is not None and meaning[0] == "" else 0.0)


def is_multiple(unit: str) -> bool:
    """Whether a word such as k or million stands for a power of ten alone."""
    meaning = _meaning(unit)
    return meaning is not None and meaning[0] == ""


@cache
def _meaning(unit: str) -> tuple[str, float] | None:
    """Stem and factor; capitals count where they tell units apart."""
    for word in (unit, unit.lower()):
        if word in _OTHERS:
            return _OTHERS[word]
        if word in _STEMS:
            return word, 1.0
        for prefix, power in _PREFIXES.items():
            if word.startswith(prefix) and word[len(prefix) :] in _STEMS:
                return word[len(prefix) :], 10.0**power
    return None
