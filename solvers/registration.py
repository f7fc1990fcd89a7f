"""Decorators by which third parties add a backend or a strategy to the tables at run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .backend import Backend, Capabilities
from .backends import BACKENDS
from .partitioner import Needs, Partitioner
from .strategies import STRATEGIES

SomeBackend = TypeVar("SomeBackend", bound=type[Backend])
SomeStrategy = TypeVar("SomeStrategy", bound=type[Partitioner])


def register_backend(name: str, *, capabilities: Capabilities | None = None) -> Callable[[SomeBackend], SomeBackend]:
    """Class decorator: the backend can be asked for by this name, in `solve` and in every strategy.

    Parameters
    ----------
    name : str
        Not yet in `partitope.solvers.BACKENDS`.
    capabilities : Capabilities, optional
        What it can do, for a class that does not declare it itself.

    Returns
    -------
    callable
        Takes the class and returns it.

    Raises
    ------
    InvalidInputError
        From decorating, when the name is taken or the class does not derive from `Backend`.

    Notes
    -----
    A package that is installed needs no decorator: an entry point ``name = "package.module:Class"`` of the group
    ``partitope.backends`` does the same without an import.
    """

    def decorate(cls: SomeBackend) -> SomeBackend:
        BACKENDS.register(name, cls)
        cls.name = name
        if capabilities is not None:
            cls.capabilities = capabilities
        return cls

    return decorate


def register_strategy(name: str, *, needs: Needs | None = None) -> Callable[[SomeStrategy], SomeStrategy]:
    """Class decorator: the strategy can be asked for by this name, in `partitope compare` and by the suites.

    Parameters
    ----------
    name : str
        Not yet in `partitope.solvers.STRATEGIES`.
    needs : Needs, optional
        What it can take and must have, for a class that does not declare it itself.

    Raises
    ------
    InvalidInputError
        From decorating, when the name is taken or the class does not derive from `Partitioner`.

    Notes
    -----
    As for `register_backend`; the group of entry points is ``partitope.strategies``.
    """

    def decorate(cls: SomeStrategy) -> SomeStrategy:
        STRATEGIES.register(name, cls)
        if needs is not None:
            cls.needs = needs
        return cls

    return decorate
