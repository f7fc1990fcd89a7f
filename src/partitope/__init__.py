"""partitope: clusterings as explicit optimisation models."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .base.one_line import misspelt
from .base.version import __version__ as __version__

if TYPE_CHECKING:
    from .cluster import BalancedKMeans
    from .models import AssignmentModel, PartitionPolytope
    from .solvers import GeometricPartitioner, Microaggregation, solve, solve_global

__all__ = [
    "AssignmentModel",
    "BalancedKMeans",
    "GeometricPartitioner",
    "Microaggregation",
    "PartitionPolytope",
    "solve",
    "solve_global",
]

_ROOMS = ("models", "solvers", "classifiers", "cluster", "stats", "datasets")
_ROOM_OF = dict.fromkeys(__all__, "solvers") | {
    "AssignmentModel": "models",
    "BalancedKMeans": "cluster",
    "PartitionPolytope": "models",
}


def __getattr__(name: str) -> Any:  # PEP 562: importing partitope alone imports nothing heavy
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name in _ROOM_OF:
        return getattr(import_module(f".{_ROOM_OF[name]}", __name__), name)
    raise misspelt(__name__, name, __dir__())


def __dir__() -> list[str]:
    return sorted([*_ROOMS, *__all__, "__version__"])
