"""Spellings of the values of a category: capitals, and words for true and false in several languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from numpy.typing import NDArray

_TRUE, _FALSE = (
    frozenset(words.split())
    for words in (
        "true yes y t 1 1.0 on ja j wahr oui vrai sí si verdadero sim verdadeiro vero sì tak prawda да истина evet "
        "doğru igen kyllä ano ✓ ✔ ☑",
        "false no n f 0 0.0 off nein falsch non faux falso não nao nie fałsz нет ложь hayır hayir yanlış nem ei nej "
        "nee ✗ ✘ ☐ ☒",
    )
)


def spellings_of(values: tuple[str, ...]) -> dict[str, str]:
    """How other tables may write values, in small letters: truth values where there is nothing else, other words."""
    if 0 < len(values) <= 2 and _say_truth(values):
        pairs = [(v, words) for v in values for words in (_TRUE, _FALSE) if v.lower() in words]
        return {word: value for value, words in pairs for word in words}
    return {value.lower(): value for value in values if len(value) > 1}  # one letter may be a code


def _say_truth(values: Sequence[str]) -> bool:
    """Whether all values are words for true or false."""
    return all(value.lower() in (*_TRUE, *_FALSE) for value in values)


def one_spelling(present: NDArray) -> dict[str, str]:
    """What stands for every value: the most frequent of those that differ by capitals only, or say the same truth."""
    values = [value for value, _ in Counter(sorted(present, key=lambda v: (-len(v), v))).most_common()]
    truths = _say_truth(values)
    kinds = [str(v.lower() in _TRUE) if truths else v.lower() if len(v) > 1 else v for v in values]
    first = dict(zip(reversed(kinds), reversed(values)))
    return {value: first[kind] for kind, value in zip(kinds, values)}
