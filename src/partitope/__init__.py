"""partitope: clusterings as explicit optimisation models."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_SUBPACKAGES = ("models", "solvers", "classifiers", "cluster", "stats", "datasets")


def __getattr__(name: str) -> Any:  # PEP 562: importing partitope alone imports nothing heavy
    if name in _SUBPACKAGES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_SUBPACKAGES])
