"""The table of commands. To add one: write its file with one function, add its import and its line.

The files import nothing heavy at module level, so that ``partitope --help`` answers at once; each function does
its imports when it runs.
"""

from collections.abc import Callable
from typing import Any

from .assign import assign
from .bounds import bounds
from .cluster import cluster
from .compare import compare
from .depots import depots
from .explore import explore
from .export import export
from .fit import fit
from .groups import groups
from .predict import predict
from .solvers import solvers
from .suggest_k import suggest_k
from .test import value_test

COMMANDS: dict[str, Callable[..., Any]] = {
    "cluster": cluster,
    "groups": groups,
    "depots": depots,
    "assign": assign,
    "suggest-k": suggest_k,
    "compare": compare,
    "fit": fit,
    "predict": predict,
    "test": value_test,
    "bounds": bounds,
    "explore": explore,
    "export": export,
    "solvers": solvers,
}

__all__ = ["COMMANDS"]
