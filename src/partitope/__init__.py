"""partitope: clusterings as explicit optimisation models."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cluster import BalancedKMeans
    from .models import AssignmentModel, PartitionPolytope
    from .solvers import GeometricPartitioner, solve

__all__ = ["AssignmentModel", "BalancedKMeans", "GeometricPartitioner", "PartitionPolytope", "solve"]
__version__ = "0.1.0"

_ROOMS = ("models", "solvers", "classifiers", "cluster", "stats", "datasets")
_ROOM_OF = {
    "AssignmentModel": "models",
    "BalancedKMeans": "cluster",
    "GeometricPartitioner": "solvers",
    "PartitionPolytope": "models",
    "solve": "solvers",
}


def __getattr__(name: str) -> Any:  # PEP 562: importing partitope alone imports nothing heavy
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name in _ROOM_OF:
        return getattr(import_module(f".{_ROOM_OF[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_ROOMS, *_ROOM_OF])
