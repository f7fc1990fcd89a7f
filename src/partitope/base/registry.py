"""A table of implementations: loaded when asked for, open to third parties, with one refusal of undeclared parts.

Third parties add an entry in one of two ways: `Registry.register` at run time, or an entry point of their package.
Entry points are read when the table is listed, or asked for a name that it does not hold; never on import.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from .checks import instance_of
from .errors import CapabilityError, InvalidInputError, MissingDependencyError


class Registry(Mapping[str, Any]):
    """Mapping from name to class; a module is imported when its line, ``"package.module:attribute"``, is read."""

    def __init__(self, kind: str, entries: Mapping[str, str], *, base: str, declaration: str, group: str) -> None:
        self.kind, self.base, self.declaration, self.group = kind, base, declaration, group
        self.entries = dict(entries)
        self._registered: dict[str, Any] = {}
        self._entry_points_read = False

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise InvalidInputError(f"{self.kind}={name!r} is not known: choose one of {', '.join(self)}")
        if name in self._registered:
            return self._registered[name]
        path = self.entries[name]
        try:
            return self._derived(name, _load(path), path)
        except (ImportError, AttributeError) as error:
            raise MissingDependencyError(f"{self.kind} {name!r} cannot be loaded from {path}: {error}") from error

    def __iter__(self) -> Iterator[str]:
        self._read_entry_points()
        return iter(self.entries)

    def __len__(self) -> int:
        self._read_entry_points()
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if name not in self.entries:
            self._read_entry_points()
        return name in self.entries

    def loaded(self) -> dict[str, Any]:
        """Classes of all entries; those that fail to load are left out with a warning."""
        found = {}
        for name in self:
            try:
                found[name] = self[name]
            except (InvalidInputError, MissingDependencyError) as error:
                warnings.warn(f"{self.kind} {name!r} is left out: {error}", RuntimeWarning, stacklevel=2)
        return found

    def register(self, name: str, cls: Any = ...) -> Any:
        """Add a class under a name and return it; without a class, a decorator that does so."""
        instance_of(name, "name", str)
        if cls is ...:
            return partial(self.register, name)
        instance_of(cls, "cls", type)
        path = f"{cls.__module__}:{cls.__qualname__}"
        if name in self and self.entries[name] != path:
            raise InvalidInputError(
                f"{self.kind} {name!r} is {self.entries[name]} already: register {path} under another name"
            )
        self._registered[name] = self._derived(name, cls, path)
        self.entries.setdefault(name, path)
        return cls

    def name_of(self, cls: type) -> str:
        """Name of a class in the table; the name of the class if the table does not have it."""
        path = f"{cls.__module__}:{cls.__qualname__}"
        return next((name for name, line in self.entries.items() if line == path), cls.__name__)

    def refuse_undeclared(self, name: str, declared: object, asked: Mapping[str, bool]) -> None:
        """Refuse what is asked for of ``name`` and not in its record ``declared``, in one line that says who has it."""
        for what, wanted in asked.items():
            if wanted and not _declares(declared, what):
                records = {other: getattr(cls, self.declaration) for other, cls in self.loaded().items()}
                able = [other for other, record in records.items() if _declares(record, what)]
                raise CapabilityError(
                    f"{self.kind} {name!r} does not support {what}: leave it out or use {', '.join(able) or 'none'}"
                )

    @property
    def own(self) -> tuple[str, ...]:
        """Names of the lines that come with partitope, in table order."""
        return tuple(name for name, path in self.entries.items() if path.startswith("partitope."))

    def _derived(self, name: str, thing: Any, path: str) -> Any:
        if not (isinstance(thing, type) and issubclass(thing, _load(self.base))):
            base = self.base.partition(":")[2]
            raise InvalidInputError(f"{self.kind} {name!r} is {path}, which is not a class derived from {base}")
        if getattr(thing, self.declaration, None) is None:
            raise InvalidInputError(
                f"{self.kind} {name!r} is {path}, which has no {self.declaration}: declare them in the class"
            )
        return thing

    def _read_entry_points(self) -> None:
        if self._entry_points_read:
            return
        self._entry_points_read = True
        from importlib.metadata import entry_points

        for point in entry_points(group=self.group):
            if self.entries.setdefault(point.name, point.value) != point.value:
                warnings.warn(
                    f"{self.kind} {point.name!r} of {point.value} is left out: the name is taken by "
                    f"{self.entries[point.name]}",
                    RuntimeWarning,
                    stacklevel=3,
                )


def _load(path: str) -> Any:
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def _declares(record: object, what: str) -> bool:
    """Whether a declaration names something, by a field or in what it supports."""
    if what in getattr(record, "supports", ()):
        return True
    return getattr(record, what, False) not in (False, "refused", "ignored")
