"""An explicit table of implementations, loaded only when one is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .errors import InvalidInputError, MissingDependencyError


@dataclass(frozen=True)
class Entry:
    """One line of a table: where the object lives and which packages it needs.

    Parameters
    ----------
    path : str
        ``"package.module:attribute"``, absolute.
    needs : tuple of str
        Import names that must be found for the object to work.
    extra : str or None
        The optional extra of partitope that brings ``needs``.
    """

    path: str
    needs: tuple[str, ...] = ()
    extra: str | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """Import names in ``needs`` that are not installed."""
        return tuple(name for name in self.needs if find_spec(name) is None)


class LazyTable(Mapping[str, Any]):
    """Mapping from name to implementation; a module is imported when its entry is first read.

    Parameters
    ----------
    kind : str
        What the entries are, for error messages: "backend", "strategy".
    entries : mapping of str to Entry
        The table itself.

    Raises
    ------
    InvalidInputError
        From indexing, when the name is not in the table.
    MissingDependencyError
        From indexing, when a package that the entry needs is not installed.
    """

    def __init__(self, kind: str, entries: Mapping[str, Entry]) -> None:
        self.kind = kind
        self.entries = dict(entries)

    def __getitem__(self, name: str) -> Any:
        if name not in self.entries:
            known = ", ".join(self.entries)
            raise InvalidInputError(f"{self.kind}={name!r} is not known: choose one of {known}")
        entry = self.entries[name]
        if entry.missing:
            hint = f"partitope[{entry.extra}]" if entry.extra else " ".join(entry.missing)
            raise MissingDependencyError(
                f"{self.kind} {name!r} needs {', '.join(entry.missing)}, not installed: pip install {hint!r}"
            )
        module, attribute = entry.path.split(":")
        return getattr(import_module(module), attribute)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def available(self) -> tuple[str, ...]:
        """Names whose packages are all installed, in table order."""
        return tuple(name for name, entry in self.entries.items() if not entry.missing)
