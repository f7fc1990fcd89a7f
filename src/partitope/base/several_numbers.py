"""Several numbers in every entry of a column: 120/80, 48.85 N, 2.35 E, (1.5; 2), 10 x 20 x 3 cm, POINT (2.35 48.85).

The sign between the numbers is the first of `BETWEEN` that splits nine in ten entries into equally many numbers. Zeros
in front say that entries are codes, as telephone numbers are, and nothing is split; so does, between strokes as in
90-112, that all are of one length.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .number_texts import NumberReading, is_missing, read_numbers
from .some_entries import FEW, evenly

BETWEEN = {
    ";": r"\s*;\s*", ", ": r",\s+", "/": r"\s*/\s*", "x": r"(?<=[\d\s])\s*[x×*]\s*(?=\d)", ",": r"\s*,\s*",
    "|": r"\s*\|\s*", "-": r"\s*[-–]\s*", "+": r"(?<=\d)\s*\+\s*(?=\d)", ":": r"\s*:\s*",
    "of": r"\s+(?:of|out of|von|sur|de)\s+", " ": r"\s+",
}  # fmt: skip
"""Patterns of what stands between numbers, by their stored names; blanks count in brackets and between decimals."""
MOST = 6
"""Numbers in an entry."""
SHARE, LIKELY = 0.9, 0.5
"""Share of the entries that a sign must split into numbers, and share of some of many from which all are looked at."""
_BRACKETS = re.compile(r"(?:[A-Za-z]+\s*)?[(\[{](?P<inner>[^()\[\]{}]*)[)\]}]")
_DECIMALS = re.compile(r"[-+]?[0-9]+\.[0-9]+(?:\s+[-+]?[0-9]+\.[0-9]+)+")
_CODE = re.compile(r"[+]?0[0-9]+")
_SCORE = re.compile(r"[0-9]{1,3}(?:\s*[-–]\s*[0-9]{1,3}){1,2}")


@dataclass(frozen=True, eq=False)
class NumbersReading:
    """A column of texts, each read as several numbers.

    Attributes
    ----------
    between : str
        One of `BETWEEN`.
    readings : tuple of NumberReading
        The first numbers of all entries, the second ones, and so on.
    unread : (n,) ndarray of bool
        Entries that are there and are not as many numbers.
    """

    between: str
    readings: tuple[NumberReading, ...]
    unread: NDArray[np.bool_]


def read_several(
    texts: NDArray[np.object_],
    between: str | None = None,
    units: tuple[str, ...] | None = None,
    decimal: str | None = None,
    default: str = ".",
) -> NumbersReading | None:
    """Several numbers in every entry of a column of texts (n,), None where missing.

    Parameters
    ----------
    texts : (n,) ndarray of object
        Texts and None.
    between : str, optional
        One of `BETWEEN`; None chooses.
    units : tuple of str, optional
        The unit of each number; None chooses, and how many there are.
    decimal, default : {".", ","}, optional
        As for `read_numbers`.

    Returns
    -------
    NumbersReading or None
        None where nothing splits nine in ten entries into as many numbers, unless it was given how to.

    Notes
    -----
    Signs that split less than half of some entries, evenly spaced, are not tried on many: heuristic.
    """
    if between is not None and units is not None:
        return _split(texts, between, len(units), units, decimal, default)
    present = np.array([text for text in texts if not is_missing(text)], dtype=object)
    some = present[evenly(len(present))]
    for sign in BETWEEN:
        if len(present) > FEW and _split_most(some, sign, LIKELY, decimal, default) is None:
            continue
        found = _split_most(texts, sign, SHARE, decimal, default)
        if found is not None and (sign != "-" or _lengths_differ(texts, len(found.readings))):
            return found
    return None


def _split_most(
    texts: NDArray[np.object_], between: str, share: float, decimal: str | None, default: str
) -> NumbersReading | None:
    """The numbers of entries of which this share, or more, are equally many; None where fewer are."""
    counts = Counter(len(_parts(text, between)) for text in texts if not is_missing(text))
    width, count = counts.most_common(1)[0] if counts else (0, 0)
    if not 2 <= width <= MOST or count < share * counts.total():
        return None
    found = _split(texts, between, width, None, decimal, default)
    return None if found is None or found.unread.sum() > (1 - share) * counts.total() else found


def _split(
    texts: NDArray[np.object_],
    between: str,
    width: int,
    units: tuple[str, ...] | None,
    decimal: str | None,
    default: str,
) -> NumbersReading | None:
    """The numbers of entries that have so many; None where some of them are codes and no units are given."""
    rows = [() if is_missing(text) else _parts(text, between) for text in texts]
    entries = np.array([row if len(row) == width else (None,) * width for row in rows], dtype=object)
    if units is None and any(_CODE.fullmatch(part) for row in rows if len(row) == width for part in row):
        return None
    readings = tuple(
        read_numbers(entries[:, j], decimal, default, None if units is None else units[j]) for j in range(width)
    )
    read = np.logical_and.reduce([np.isfinite(reading.values) for reading in readings])
    return NumbersReading(between, readings, np.array([not is_missing(text) for text in texts]) & ~read)


def _parts(text: str, between: str) -> tuple[str, ...]:
    """What stands between the signs, without brackets around all of it."""
    if between == "-" and not _SCORE.fullmatch(text):
        return (text,)
    brackets = _BRACKETS.fullmatch(text)
    if len(text) > 80 or (brackets is None and between == " " and not _DECIMALS.fullmatch(text)):
        return (text,)
    return tuple(re.split(BETWEEN[between], (brackets["inner"] if brackets else text).strip()))


def _lengths_differ(texts: NDArray[np.object_], width: int) -> bool:
    """Whether numbers between strokes are as long as they have to be; those of telephones have places of one length."""
    rows = [parts for text in texts if not is_missing(text) and len(parts := _parts(text, "-")) == width]
    return any(len({len(part) for part in column}) > 1 for column in zip(*rows))
