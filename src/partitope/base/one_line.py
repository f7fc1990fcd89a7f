"""A result in one line, for a user who types its name."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any


class OneLine:
    """A dataclass that shows itself in one line: numbers in six digits, arrays and tables by their shape."""

    def __repr__(self) -> str:
        found = ((entry.name, _brief(getattr(self, entry.name))) for entry in fields(self) if entry.repr)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{name}={text}' for name, text in found if text)})"


def _brief(value: Any) -> str:
    """A value in a few characters; empty where there is nothing to show."""
    if value is None or (isinstance(value, Collection) and not hasattr(value, "shape") and not len(value)):
        return ""
    shape = getattr(value, "shape", None)
    if isinstance(value, float) or (shape == () and value.dtype.kind == "f"):
        return f"{value:.6g}"
    if shape and (getattr(value, "ndim", 0) > 1 or shape[0] > 8):
        return f"<{' x '.join(map(str, shape))}>"
    if shape:
        return "[" + ", ".join(_brief(entry) for entry in value) + "]"
    text = str(value) if isinstance(value, int) or shape == () else repr(value)
    if len(text) <= 60 and "\n" not in text:
        return text
    return f"<{len(value) if isinstance(value, Collection) else type(value).__name__}>"


def misspelt(module: str, name: str, names: Collection[str]) -> AttributeError:
    """The error for a name that a module does not have, with the public names that are spelt alike."""
    from difflib import get_close_matches

    close = [] if name.startswith("_") else get_close_matches(name, names, 3, 0.6)
    meant = f": did you mean {' or '.join(close)}?" if close else ""
    return AttributeError(f"module {module!r} has no attribute {name!r}{meant}")
