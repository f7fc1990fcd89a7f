"""Words: which are one up to capitals and blanks, and which say true or false in a dozen languages."""

from __future__ import annotations

from collections.abc import Iterable

TRUE, FALSE = (
    frozenset(words.split())
    for words in (
        "true yes y t 1 1.0 on ja j wahr oui vrai sí si verdadero sim verdadeiro vero sì tak prawda да истина evet "
        "doğru igen kyllä ano ✓ ✔ ☑",
        "false no n f 0 0.0 off nein falsch non faux falso não nao nie fałsz нет ложь hayır hayir yanlış nem ei nej "
        "nee ✗ ✘ ☐ ☒",
    )
)
"""In small letters."""


def word_of(text: str) -> str:
    """What spellings of one word have in common: small letters, one blank between its parts."""
    return " ".join(text.lower().split())


def say_truth(values: Iterable[str]) -> bool:
    """Whether all values are words for true or false."""
    return all(value.lower() in TRUE or value.lower() in FALSE for value in values)
