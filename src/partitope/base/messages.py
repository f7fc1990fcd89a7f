"""Numbers in messages."""

from __future__ import annotations

from math import floor, log10


def number(value: float, digits: int = 6) -> str:
    """A number in a message: whole ones that a float holds exactly as such, others with six digits."""
    return f"{int(value)}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.{digits}g}"


def at_most(value: float, digits: int = 2) -> str:
    """A number of at least 0 in a message that says "at most": rounded up."""
    text = f"{value:.{digits}g}"
    if float(text) >= value:
        return text
    return f"{value + 0.5 * 10.0 ** (floor(log10(value)) - digits + 1):.{digits}g}"


def numbers(*values: float) -> list[str]:
    """Numbers in a message that compares them: with as many digits as it takes to tell different ones apart."""
    for digits in range(6, 18):
        found = [number(value, digits) for value in values]
        if len(set(found)) == len(set(values)):
            break
    return found
