"""Numbers read as dates: 20240131, 202401, time since 1970, and the serial days of spreadsheets.

    %Y%m%d, %Y%m                    every number is such a date, and of months there are `FEWEST` at least
    %y%m%d                          every number is such a date, and the column is called by what names dates
    seconds, milli-, micro-, nano-  since 1970-01-01: every number falls between `FIRST` and `LAST`, and the column is
                                    called by what names times, or all lie whole minutes apart
    serial days                     since 1899-12-30: every number falls there, and the column is called a date

Numbers alone are no proof: a price may fall among the serial days of 2015. So a name has to speak for them, or, of
time since 1970, that the numbers lie whole minutes apart, though not round numbers.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .columns import SECONDS_A_DAY

FIRST, LAST = pd.Timestamp("1980-01-01"), pd.Timestamp("2045-01-01")
FEWEST = 6
"""Different numbers that have to agree where no name speaks for dates: by chance one of 8 is a month."""
CALENDAR = ("%Y%m%d", "%Y%m", "%y%m%d")
SINCE = {
    "seconds since 1970": ("1970-01-01", 1.0),
    "milliseconds since 1970": ("1970-01-01", 1e-3),
    "microseconds since 1970": ("1970-01-01", 1e-6),
    "nanoseconds since 1970": ("1970-01-01", 1e-9),
    "serial days of spreadsheets": ("1899-12-30", SECONDS_A_DAY),
}
"""Formats that count from a day: that day, and the seconds of a unit."""
NUMBERED = (*CALENDAR, *SINCE)

_DATES = "date datum dates datetime fecha dob birthday birthdate geburtsdatum dato"
_TIMES = f"""{_DATES} time timestamp ts epoch unix unixtime created updated modified at when since zeit zeitstempel
    zeitpunkt tstamp start end begin stop from until visited login seen posted utc"""


def numbered_dates(numbers: NDArray[np.float64], format: str) -> pd.DatetimeIndex:
    """Numbers (n,) as dates of one of `NUMBERED`, NaT where they are none."""
    if format in CALENDAR:
        whole = (numbers % 1 == 0) & (numbers >= 0) & (numbers < 1e9)
        width = 6 if format == "%y%m%d" else 0
        texts = [f"{int(number):0{width}}" if good else "" for number, good in zip(numbers, whole)]
        words = pd.Series(texts, dtype=object)
        return pd.DatetimeIndex(pd.to_datetime(words, format=format, errors="coerce"))
    day, unit = SINCE[format]
    with np.errstate(invalid="ignore"):
        seconds = np.round(numbers * unit)
        far = ~(np.abs(seconds) < 9e9)  # beyond the years of a date with nanoseconds, and missing
    elapsed = pd.to_timedelta(np.where(far, 0, seconds), unit="s")
    return pd.DatetimeIndex((pd.Timestamp(day) + elapsed).where(~far))


def numbered_format(numbers: NDArray[np.float64], name: str, *, declared: bool = False) -> str | None:
    """The format by which all numbers (n,), NaN where missing, of a column are dates; None when they are none.

    ``declared`` says that somebody has called them dates, so that no further evidence is needed.
    """
    present = np.unique(numbers[np.isfinite(numbers)])
    if not present.size or present[0] <= 0:
        return None
    called = set(re.findall(r"[a-zäöü]+", re.sub(r"(?<=[a-zäöü])(?=[A-Z])", " ", name).lower()))
    for format in NUMBERED:
        low, high = _range(format)
        if not (low <= present[0] and present[-1] <= high) or numbered_dates(present, format).isna().any():
            continue
        if format == "%y%m%d":
            if declared or called.intersection(_DATES.split()):
                return format
        elif format in SINCE:
            minutes = (present - present[0]) * SINCE[format][1] / 60
            regular = (minutes % 1 == 0).all() and not (minutes % 50 == 0).all() and present.size >= FEWEST
            spoken = called.intersection((_DATES if format == "serial days of spreadsheets" else _TIMES).split())
            if declared or spoken or (regular and format != "serial days of spreadsheets"):
                return format
        elif format == "%Y%m%d" or present.size >= FEWEST or declared:
            return format
    return None


def _range(format: str) -> tuple[float, float]:
    """The smallest and the largest number that are plausible dates of a format."""
    if format in CALENDAR:
        return {"%Y%m%d": (19000101, 21001231), "%Y%m": (190001, 210012), "%y%m%d": (10101, 991231)}[format]
    day, unit = SINCE[format]
    low, high = ((limit - pd.Timestamp(day)).total_seconds() / unit for limit in (FIRST, LAST))
    return low, high
