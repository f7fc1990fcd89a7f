"""Words: which are one up to capitals and blanks, and which say true or false."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

TRUE = frozenset(["true", "yes", "y", "t", "1", "1.0", "on"])
FALSE = frozenset(["false", "no", "n", "f", "0", "0.0", "off"])
"""In small letters."""


def word_of(text: str) -> str:
    """What spellings of one word have in common: small letters, one blank between its parts."""
    return " ".join(text.lower().split())


def say_truth(values: Iterable[str]) -> bool:
    """Whether all values are words for true or false."""
    return all(value.lower() in TRUE or value.lower() in FALSE for value in values)


def spellings_of(values: Sequence[str]) -> dict[str, str]:
    """How other tables may write values, in small letters: truth values where there is nothing else, other words."""
    if 0 < len(values) <= 2 and say_truth(values):
        pairs = [(v, words) for v in values for words in (TRUE, FALSE) if v.lower() in words]
        return {word: value for value, words in pairs for word in words}
    return {word_of(value): value for value in values if len(value) > 1}  # one letter may be a code


def one_spelling(present: Iterable[str]) -> dict[str, str]:
    """What stands for every value: the most frequent of those that are one word up to capitals and blanks, or truth."""
    values = [value for value, _ in Counter(sorted(present, key=lambda v: (-len(v), v))).most_common()]
    truths = say_truth(values)
    kinds = [str(v.lower() in TRUE) if truths else word_of(v) if len(v) > 1 else v for v in values]
    first = dict(zip(reversed(kinds), reversed(values)))
    return {value: first[kind] for kind, value in zip(kinds, values)}
