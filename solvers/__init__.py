"""How it is solved: everything that turns a model, or data, into a partition."""

from importlib import import_module
from typing import Any

from .assignment.external import partition_of, read_solution, solution_from_labels
from .assignment.solve import solve
from .backend import Backend, Capabilities
from .backends import BACKENDS
from .partition import Partition
from .partitioner import Needs, Partitioner
from .registration import register_backend, register_strategy
from .solution import AssignmentSolution
from .strategies import STRATEGIES

__all__ = [
    "BACKENDS",
    "CAC",
    "KCC",
    "KCSSL",
    "PKM",
    "STRATEGIES",
    "AnisotropicPartitioner",
    "AssignmentSolution",
    "Backend",
    "BoundsPath",
    "Capabilities",
    "GeometricPartitioner",
    "KMeansPath",
    "KMeansReference",
    "LinearAnswer",
    "LinkedPartitioner",
    "LinkedSolution",
    "NamedBoundsPath",
    "Needs",
    "Partition",
    "Partitioner",
    "Sensitivity",
    "bounds_path",
    "is_separable",
    "k_means_path",
    "largest_margin_prices",
    "named_bounds_path",
    "optimal_prices",
    "partition_of",
    "plot_interval",
    "plot_iterations",
    "price_intervals",
    "read_solution",
    "register_backend",
    "register_strategy",
    "sdp_bound",
    "sdp_relaxation",
    "sensitivity",
    "solution_from_labels",
    "solve",
    "solve_global",
    "solve_linear",
    "solve_linked",
]


_LATE = {  # loaded when first asked for, as the strategies of the table are
    "BoundsPath": ".assignment.bounds_path",
    "Sensitivity": ".assignment.sensitivity",
    "bounds_path": ".assignment.bounds_path",
    "LinkedSolution": ".assignment.linked",
    "NamedBoundsPath": ".assignment.named_bounds_path",
    "named_bounds_path": ".assignment.named_bounds_path",
    "price_intervals": ".assignment.price_intervals",
    "plot_interval": ".global_optimum.plots",
    "plot_iterations": ".geometric.plots",
    "sensitivity": ".assignment.sensitivity",
    "LinearAnswer": ".linear_program",
    "is_separable": ".global_optimum.separability",
    "largest_margin_prices": ".assignment.price_programs",
    "optimal_prices": ".assignment.price_programs",
    "sdp_bound": ".global_optimum.sdp",
    "sdp_relaxation": ".global_optimum.sdp",
    "solve_global": ".global_optimum.search",
    "solve_linear": ".linear_program",
    "solve_linked": ".assignment.linked",
    "KMeansPath": ".geometric.recorded",
    "k_means_path": ".geometric.recorded",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name], __name__), name)
    for strategy in STRATEGIES.own:
        if STRATEGIES.entries[strategy].attribute == name:
            return STRATEGIES[strategy]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
