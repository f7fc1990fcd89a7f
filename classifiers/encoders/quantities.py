"""Texts that hold a number or a date in a form that is not read: what they look like, so that they can be refused.

    5 kg   <5   ca. 3   20-29   120/80   13:45   (5)   15.03.2024   5a         begin with a number
    PT5H   POINT (2.35 48.85)   Q1/23   Mar 15   Wed, 15 March 2023             hold one in a known place

007, 2nd floor and more digits than a float can hold are names.
"""

from __future__ import annotations

import re

from ...base.number_texts import CURRENCY

LONGEST = 35  # Letters in a quantity at most; a UUID has one more.
_CODE = re.compile(r"0[0-9]+[^\W\d_]*|[+-]?[0-9]{16,}|[0-9]+(?:st|nd|rd|th)\b.*")
_QUANTITY = re.compile(
    rf"""
    (?:[<>≤≥~≈±▲▼↑↓=(\['’] | (?:ca|circa|approx|max|min|about|around|etwa|rund|from|ab|bis|under|over|unter|über|up\ to
        | at\ least | at\ most | more\ than | less\ than)\b\.?)*
        \s*(?:\(?(?:{CURRENCY}|Rs\.?|Rp|RM(?=\s))\s*)?(?:[NSEW]\s)?[-+−(]*\s*[.,]?[\d½¼¾].*
    | -?PT?[0-9].*[DHMSWY] | [a-z]+\ ?\([-0-9.,\ ]+\) | (?:Q[1-4]|KW|FY)\W*[0-9]+.*
    | (?=.*[0-9])(?:.*\W)?
        (?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|ember|tember|ober)?\b.*
    | .*\b(?:19|20)[0-9]{{2}}\b.*
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_code(text: str) -> bool:
    """Whether a text that begins with a digit is a name."""
    return _CODE.fullmatch(text) is not None


def is_quantity(text: str) -> bool:
    """Whether a text looks like a number with something else around it, or like a date."""
    return len(text) <= LONGEST and not is_code(text) and _QUANTITY.fullmatch(text) is not None
