"""How it is solved: everything that turns a model, or data, into a partition."""

from importlib import import_module
from typing import Any

from ..models.tables import Entry, LazyTable
from .backends import BACKENDS
from .imported import partition_of, read_solution, solution_from_labels
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
    "ADFT",
    "BACKENDS",
    "CCIB",
    "COALA",
    "KDAC",
    "MNMF",
    "RPCA",
    "STRATEGIES",
    "AssignmentSolution",
    "BoundsPath",
    "KMeansPath",
    "KernelKMeans",
    "LinkedPartitioner",
    "LinkedSolution",
    "MustCannotLink",
    "Needs",
    "OrthogonalProjection",
    "Partition",
    "Partitioner",
    "RegGB",
    "SelectiveStudy",
    "SemiSupervised",
    "Sensitivity",
    "bounds_path",
    "k_means_path",
    "partition_of",
    "plot_iterations",
    "read_solution",
    "sensitivity",
    "simulate_selective_test",
    "solution_from_labels",
    "solve",
    "solve_global",
    "solve_linked",
]


_LATE = {  # loaded when first asked for
    "BoundsPath": ".parametric",
    "Sensitivity": ".bound_prices",
    "bounds_path": ".parametric",
    "LinkedPartitioner": ".linked_partitioner",
    "LinkedSolution": ".linked",
    "plot_iterations": ".iteration_strip",
    "sensitivity": ".bound_prices",
    "solve_global": ".global_search",
    "solve_linked": ".linked",
    "ADFT": ".relatives_adft",
    "CCIB": ".relatives_information",
    "COALA": ".relatives_coala",
    "KDAC": ".relatives_kdac",
    "KMeansPath": ".kmeans_path",
    "KernelKMeans": ".relatives",
    "MNMF": ".relatives_factorization",
    "MustCannotLink": ".relatives_links",
    "OrthogonalProjection": ".relatives",
    "RPCA": ".relatives_rpca",
    "RegGB": ".relatives_reggb",
    "SelectiveStudy": ".selective_study",
    "SemiSupervised": ".relatives_semisupervised",
    "k_means_path": ".kmeans_path",
    "simulate_selective_test": ".selective_study",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name], __name__), name)
    for key, entry in STRATEGIES.entries.items():
        if entry.path.endswith(f":{name}"):
            return STRATEGIES[key]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
