"""Check the docstrings of everything that the reference documents: present, and parameters as in the signature."""

from __future__ import annotations

import dataclasses
import inspect
import sys
from enum import Enum
from importlib import import_module
from pathlib import Path

from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
from reference_pages import documented

CODES_OBJECT = {"GL08", "SS01", "SS03", "PR01", "PR02", "PR03", "PR06"}
CODES_METHOD = {"GL08", "SS01", "SS03"}


def public_objects() -> list[tuple[str, object]]:
    """What the reference documents in full, and the backends, which are asked for by name."""
    found: dict[str, object] = {f"partitope.{room}.{name}": thing for room, _, name, thing in documented()}
    backends = import_module("partitope.solvers").BACKENDS
    for entry in backends.own:
        found[backends.entries[entry].path.replace(":", ".")] = backends[entry]
    return sorted(found.items())


def problems(path: str, thing: object) -> list[str]:
    """Violations of one public object and of the methods it defines itself."""
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return []
    home = f"{thing.__module__}.{thing.__qualname__}"
    codes = CODES_OBJECT - {"PR01"} if _lists_its_fields(thing) else CODES_OBJECT
    found = [f"{path}: {code} {text}" for code, text in validate(home)["errors"] if code in codes]
    if inspect.isclass(thing):
        for name, member in vars(thing).items():
            if name.startswith("_") or not inspect.isfunction(member):
                continue
            inherited = any(getattr(getattr(base, name, None), "__doc__", None) for base in thing.__mro__[1:])
            if not inherited:
                errors = validate(f"{home}.{name}")["errors"]
                found += [f"{path}.{name}: {code} {text}" for code, text in errors if code in CODES_METHOD]
    return found


def _lists_its_fields(thing: object) -> bool:
    """Whether nothing is passed by users: an enumeration, or a result whose every field is listed as an attribute."""
    if inspect.isclass(thing) and issubclass(thing, Enum):
        return True
    if not dataclasses.is_dataclass(thing):
        return False
    attributes = NumpyDocString(inspect.getdoc(thing) or "")["Attributes"]
    named = {name.strip() for entry in attributes for name in entry.name.split(",")}
    return named >= {field.name for field in dataclasses.fields(thing)}


def main() -> int:
    """Print every violation; exit status 1 when there is one."""
    everything = public_objects()
    found = [line for path, thing in everything for line in problems(path, thing)]
    sys.stdout.write("\n".join([*found, f"{len(everything)} public objects, {len(found)} docstring problems"]) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
