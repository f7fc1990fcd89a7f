"""How it is solved: everything that turns a model, or data, into a partition."""

from importlib import import_module
from typing import Any

from ..base.registry import Entry, LazyTable
from .assignment.external import partition_of, read_solution, solution_from_labels
from .assignment.solve import solve
from .backends import BACKENDS
from .partition import Partition
from .partitioner import Needs, Partitioner
from .solution import AssignmentSolution

_HERE = "partitope.solvers"

STRATEGIES = LazyTable(
    "strategy",
    {
        "geometric": Entry(f"{_HERE}.geometric.partitioner:GeometricPartitioner", needs=("numba",)),
        "cac": Entry(f"{_HERE}.cac.partitioner:CAC", needs=("numba",)),
        "pkm": Entry(f"{_HERE}.predictive.pkm:PKM", needs=("numba",)),
        "kcc": Entry(f"{_HERE}.conditional.kcc:KCC", needs=("numba",)),
        "kcssl": Entry(f"{_HERE}.conditional.kcssl:KCSSL", needs=("numba",)),
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
    "BoundsPath": ".assignment.bounds_path",
    "Sensitivity": ".assignment.sensitivity",
    "bounds_path": ".assignment.bounds_path",
    "LinkedPartitioner": ".geometric.linked_partitioner",
    "LinkedSolution": ".assignment.linked",
    "plot_iterations": ".geometric.plots",
    "sensitivity": ".assignment.sensitivity",
    "solve_global": ".global_optimum.search",
    "solve_linked": ".assignment.linked",
    "ADFT": ".alternatives.adft",
    "CCIB": ".alternatives.ccib",
    "COALA": ".alternatives.coala",
    "KDAC": ".alternatives.kdac",
    "KMeansPath": ".geometric.recorded",
    "KernelKMeans": ".alternatives.kernel_k_means",
    "MNMF": ".alternatives.mnmf",
    "MustCannotLink": ".alternatives.random_links",
    "OrthogonalProjection": ".alternatives.kernel_k_means",
    "RPCA": ".alternatives.rpca",
    "RegGB": ".alternatives.reggb",
    "SelectiveStudy": ".geometric.selective_simulation",
    "SemiSupervised": ".alternatives.semi_supervised",
    "k_means_path": ".geometric.recorded",
    "simulate_selective_test": ".geometric.selective_simulation",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name], __name__), name)
    for key, entry in STRATEGIES.entries.items():
        if entry.path.endswith(f":{name}"):
            return STRATEGIES[key]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
