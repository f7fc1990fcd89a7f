"""Options that several classifiers have: estimators that they clone, and lists of what to try or to leave out."""

from __future__ import annotations

from typing import Any

from ..base.errors import InvalidInputError


def check_part(part: Any, name: str, method: str = "fit") -> None:
    """Refuse what lacks a method that the owner calls; None, which asks for no such part, passes.

    Raises
    ------
    InvalidInputError
        When it has no such method.
    """
    if part is not None and not callable(getattr(part, method, None)):
        raise InvalidInputError(f"{name}={part!r} is not usable: pass an estimator with the method {method}, or None")


def listed(values: Any, name: str, of: str) -> list[Any]:
    """The entries of what can be iterated over, but for a text; ``of`` says what they are.

    Raises
    ------
    InvalidInputError
        When it is a text, or has no entries.
    """
    try:
        if not isinstance(values, str):
            return list(values)
    except TypeError:
        pass
    raise InvalidInputError(f"{name}={values!r} is not usable: pass a sequence of {of}")
