"""Spellings of the values of a category: capitals, blanks, and words for true and false in several languages."""

from __future__ import annotations

from collections import Counter

from numpy.typing import NDArray

from ...base.words import FALSE, TRUE, say_truth, word_of


def spellings_of(values: tuple[str, ...]) -> dict[str, str]:
    """How other tables may write values, in small letters: truth values where there is nothing else, other words."""
    if 0 < len(values) <= 2 and say_truth(values):
        pairs = [(v, words) for v in values for words in (TRUE, FALSE) if v.lower() in words]
        return {word: value for value, words in pairs for word in words}
    return {word_of(value): value for value in values if len(value) > 1}  # one letter may be a code


def one_spelling(present: NDArray) -> dict[str, str]:
    """What stands for every value: the most frequent of those that are one word up to capitals and blanks, or truth."""
    values = [value for value, _ in Counter(sorted(present, key=lambda v: (-len(v), v))).most_common()]
    truths = say_truth(values)
    kinds = [str(v.lower() in TRUE) if truths else word_of(v) if len(v) > 1 else v for v in values]
    first = dict(zip(reversed(kinds), reversed(values)))
    return {value: first[kind] for kind, value in zip(kinds, values)}
