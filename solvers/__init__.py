"""How it is solved: everything that turns a model, or data, into a partition."""

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
]


def __getattr__(name: str) -> object:  # strategies under their class names, loaded when first asked for
    for entry in STRATEGIES.entries.values():
        if entry.path.endswith(f":{name}"):
            return STRATEGIES[next(key for key, value in STRATEGIES.entries.items() if value is entry)]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
