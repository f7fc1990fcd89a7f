"""A column of texts as dates: ISO 8601, or a declared format.

    "2024-01-31"  "2024-01-31 12:30"  "2024-01-31T12:30:00+01:00"  "20240131"  "2024-01"

Times with a zone are in UTC. Dates in other orders are not guessed; `fitting_formats` says how they could be declared.
"""

from __future__ import annotations

import re
import warnings
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .number_texts import is_missing

ISO = "ISO8601"
_ISO = re.compile(r"[0-9]{4}-[01][0-9](?:-[0-3][0-9](?:[T ][0-9]{2}.*)?)?|(?:19|20)[0-9]{6}")
_DAYS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y",
    "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d, %Y", "%d %B %Y", "%B %d, %Y",
)  # fmt: skip
_FORMATS = (
    *("".join(pair) for pair in product(_DAYS, ("", " %H:%M", " %H:%M:%S"))),
    "%m/%Y", "%m.%Y", "%b %Y", "%b-%y", "%B %Y",
)  # fmt: skip
_IN_DIGITS = {"%Y%m%d": 8, "%d%m%Y": 8, "%m%d%Y": 8, "%Y%m": 6, "%y%m%d": 6}
LOOKED_AT = 50  # Different entries from which date formats are recognised.
FEWEST = 6  # Different six-digit numbers that must be dates: 200001 to 200012 are months by chance.


def read_dates(texts: NDArray[np.object_], format: str = ISO) -> tuple[pd.DatetimeIndex, NDArray[np.bool_]]:
    """Times (n,) without a zone of texts (n,), None where missing; and which other entries are not times."""
    places, different = pd.factorize(pd.Series(texts, dtype=object))
    words = pd.Series([str(word).strip() for word in different], dtype=object)
    known = np.array([not is_missing(word) for word in words] + [False])
    if format == ISO:
        words = words.where(words.map(lambda word: _ISO.fullmatch(word) is not None).astype(bool), None)
    times = _parse(words, format).append(pd.DatetimeIndex([pd.NaT]))
    return pd.DatetimeIndex(times[places]), (known & np.asarray(times.isna()))[places]


def fitting_formats(texts: NDArray[np.object_]) -> list[str]:
    """Formats by which nine in ten of some texts (n,), None where missing, are dates: at most two, day or month
    first."""
    different = pd.unique(pd.Series(texts, dtype=object))
    words = pd.Series([text for text in different if not is_missing(text)], dtype=object)
    if len(words) and words.str.fullmatch("[0-9]{5,8}").all():
        return _formats_in_digits(words)
    some = words.iloc[:LOOKED_AT]
    if not len(some) or some.str.contains("[0-9]").mean() < 0.9 or some.str.len().max() > 40:
        return []
    return [format for format in _FORMATS if np.mean(_parse(some, format).notna()) >= 0.9][:2]


def _formats_in_digits(words: pd.Series) -> list[str]:
    """`fitting_formats` of digits."""
    for format, width in _IN_DIGITS.items():
        padded = words.str.zfill(width)
        if (width < 8 and len(words) < FEWEST) or words.str.len().max() != width or padded.str.len().max() > width:
            continue
        times = _parse(padded, format)
        if times.notna().all() and times.year.min() >= 1900 and times.year.max() <= 2100:
            return [format]
    return []


def _parse(words: pd.Series, format: str) -> pd.DatetimeIndex:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = pd.DatetimeIndex(pd.to_datetime(words, format=format, errors="coerce", utc=True))
    return parsed.tz_localize(None).as_unit("us")
