"""Docstrings of classes that inherit parameters: what the bases document is written once and shown everywhere.

A subclass documents what it adds, and whatever means something special in it. Entries of its bases' sections come
first, as the fields of dataclasses do, each with the default that the subclass gives it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from .atomic_fit import AtomicFit


def complete_docstring(cls: type) -> None:
    """Add the entries of the bases to the parameters and attributes of a class's docstring (numpydoc)."""
    own = vars(cls).get("__doc__")
    if not own:
        return
    summary, sections = _sections(own)
    for section in ("Attributes", "Parameters"):
        entries: dict[str, str] = {}
        for base in reversed(cls.__mro__):
            if base.__module__.partition(".")[0] not in ("builtins", "sklearn"):
                text = _sections(vars(base).get("__doc__") or "")[1].get(section, "")
                entries |= _entries(text, {} if base is cls else vars(cls))
        together: dict[str, list[str]] = {}  # names with one description
        for name, rest in entries.items():
            together.setdefault(rest, []).append(name)
        sections.pop(section, None)
        if entries:
            text = "\n".join(", ".join(names) + rest for rest, names in together.items())
            sections = {section: text, **sections}
    cls.__doc__ = "\n\n".join([summary, *(f"{name}\n{'-' * len(name)}\n{text}" for name, text in sections.items())])


def _sections(doc: str) -> tuple[str, dict[str, str]]:
    """What a docstring begins with, and its sections by their headings."""
    summary, *parts = re.split(r"\n*^([A-Z][A-Za-z ]+)\n-{4,}\n", inspect.cleandoc(doc), flags=re.M)
    return summary, dict(zip(parts[::2], parts[1::2]))


def _entries(text: str, defaults: Mapping[str, Any]) -> dict[str, str]:
    """By every name of a section what follows the names of its entry; a name alone gets the default that is given."""
    found: dict[str, str] = {}
    for block in re.split(r"\n(?=\S)", text) if text else ():
        named = re.split(r"\s+:|\n|$", block)[0]
        rest = block[len(named) :]
        if named in defaults:
            default = repr(defaults[named]).replace("\\", r"\\")
            rest = re.sub(r"default .*", f"default {default}", rest, count=1)
        found |= dict.fromkeys(re.split(r",\s*", named), rest)
    return found


class InheritsDocs:
    """Base of classes whose subclasses show what their bases document."""

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        complete_docstring(cls)


class FittedToClasses(AtomicFit, InheritsDocs):
    """Base of the estimators that are fitted to classes.

    Attributes
    ----------
    classes_ : ndarray
        Classes in sorted order.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    """
