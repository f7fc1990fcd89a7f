"""How it is solved: everything that turns a model, or data, into a partition."""

from importlib import import_module
from typing import Any

from ..base.one_line import misspelt
from .assignment.external import read_back
from .assignment.solve import solve
from .backend import Backend
from .backends import BACKENDS
from .partition import Partition
from .partitioner import Partitioner
from .strategies import STRATEGIES

__all__ = [
    "BACKENDS",
    "CAC",
    "KCC",
    "KCSSL",
    "PKM",
    "STRATEGIES",
    "AlikePartitioner",
    "AnisotropicPartitioner",
    "Backend",
    "ClusterwiseRegression",
    "ConnectedPartitioner",
    "GeometricPartitioner",
    "MedoidPartitioner",
    "Microaggregation",
    "Partition",
    "Partitioner",
    "bounds_path",
    "bounds_plane",
    "evenest",
    "is_separable",
    "read_back",
    "sensitivity",
    "solve",
    "solve_global",
]


_LATE = {  # loaded when first asked for, as the strategies of the table are
    "AlikePartitioner": ".anticlustering.partitioner",
    "ConnectedPartitioner": ".connected.partitioner",
    "Microaggregation": ".microaggregation.partitioner",
    "bounds_path": ".assignment.bounds_path",
    "bounds_plane": ".assignment.bounds_plane",
    "evenest": ".assignment.evenest",
    "sensitivity": ".assignment.sensitivity",
    "is_separable": ".global_optimum.separability",
    "solve_global": ".global_optimum.search",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name], __name__), name)
    if name in __all__:
        return next(STRATEGIES[s] for s in STRATEGIES.own if STRATEGIES.entries[s].endswith(f":{name}"))
    raise misspelt(__name__, name, __all__)


def __dir__() -> list[str]:
    return sorted(__all__)
