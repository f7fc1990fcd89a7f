"""Docstrings of classes that inherit parameters: what the bases document is written once and shown everywhere.

A subclass documents what it adds, and whatever means something special in it. Entries of its bases' sections come
first, as the fields of dataclasses do, each with the default that the subclass gives it.
"""

from __future__ import annotations

import inspect
import re

from .atomic_fit import AtomicFit

Entry = tuple[tuple[str, ...], str]
SECTIONS = ("Parameters", "Attributes")


def complete_docstring(cls: type) -> None:
    """Add the entries of the bases to the sections `SECTIONS` of a class's docstring (numpydoc), if it has one."""
    own = vars(cls).get("__doc__")
    if not own:
        return
    text = inspect.cleandoc(own)
    for section in SECTIONS:
        entries: list[Entry] = []
        for base in reversed(cls.__mro__[1:]):
            if base.__module__.partition(".")[0] not in ("builtins", "sklearn"):
                inherited = _entries(inspect.cleandoc(vars(base).get("__doc__") or ""), section)
                entries = _merged(entries, [_with_default(entry, cls) for entry in inherited])
        if entries:
            text = _with_section(text, section, _merged(entries, _entries(text, section)))
    cls.__doc__ = text


def _pattern(section: str) -> re.Pattern[str]:
    return re.compile(rf"^{section}\n-{{{len(section)}}}\n(.*?)(?=\n\n^[A-Z][A-Za-z ]+\n-{{4,}}$|\Z)", re.M | re.S)


def _entries(text: str, section: str) -> list[Entry]:
    found = _pattern(section).search(text)
    blocks = [] if found is None else re.split(r"\n(?=\S)", found[1].strip("\n"))
    return [(tuple(re.split(r",\s*", re.split(r"\s+:", block.partition("\n")[0])[0])), block) for block in blocks]


def _merged(first: list[Entry], second: list[Entry]) -> list[Entry]:
    """Both lists in order; an entry of the second replaces the one of the same name."""
    anew = {name: entry for entry in second for name in entry[0]}
    merged: list[Entry] = []
    for names, block in first:
        kept = tuple(name for name in names if name not in anew)
        if kept:
            merged.append((kept, block.replace(", ".join(names), ", ".join(kept), 1)))
        merged += [anew[name] for name in names if name in anew and anew[name] not in merged]
    return merged + [entry for entry in second if entry not in merged]


def _with_default(entry: Entry, cls: type) -> Entry:
    """The entry with the default that the class gives the parameter."""
    names, block = entry
    head, _, rest = block.partition("\n")
    if len(names) == 1 and names[0] in vars(cls):
        head = re.sub(r"default .*$", lambda _: f"default {vars(cls)[names[0]]!r}", head)
    return names, f"{head}\n{rest}"


def _with_section(text: str, section: str, entries: list[Entry]) -> str:
    body = f"{section}\n{'-' * len(section)}\n" + "\n".join(block for _, block in entries)
    if _pattern(section).search(text):
        return _pattern(section).sub(lambda _: body, text)
    following = re.search(r"^[A-Z][A-Za-z ]+\n-{4,}$", text, re.M)
    if section == "Attributes" and following and following[0].startswith("Parameters"):
        following = re.compile(r"^(?!Parameters)[A-Z][A-Za-z ]+\n-{4,}$", re.M).search(text)
    place = len(text) if following is None else following.start()
    return f"{text[:place].rstrip()}\n\n{body}\n\n{text[place:]}".rstrip()


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
