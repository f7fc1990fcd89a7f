"""How it is solved: everything that turns a model, or data, into a partition."""

from typing import Any

from ..models.tables import Entry, LazyTable
from .backends import BACKENDS
from .partition import Partition
from .partitioner import Needs, Partitioner
from .solution import AssignmentSolution
from .solve import solve

_HERE = "partitope.solvers"

STRATEGIES = LazyTable(
    "strategy",
    {
        "geometric": Entry(f"{_HERE}.geometric:GeometricPartitioner", needs=("numba",)),
        "cac": Entry(f"{_HERE}.cac:CAC", needs=("numba",)),
        "pkm": Entry(f"{_HERE}.pkm:PKM", needs=("numba",)),
        "kcc": Entry(f"{_HERE}.kcc:KCC", needs=("numba",)),
        "kcssl": Entry(f"{_HERE}.kcssl:KCSSL", needs=("numba",)),
    },
)

__all__ = [
    "BACKENDS",
    "STRATEGIES",
    "AssignmentSolution",
    "Needs",
    "Partition",
    "Partitioner",
    "solve",
    "solve_global",
]


def __getattr__(name: str) -> Any:  # strategies and the global search load when first asked for
    if name == "solve_global":
        from .global_search import solve_global

        return solve_global
    for key, entry in STRATEGIES.entries.items():
        if entry.path.endswith(f":{name}"):
            return STRATEGIES[key]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
