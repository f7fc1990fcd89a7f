"""The table of commands. To add one: write its folder, add its import and its line.

A folder holds ``options.py``, the function whose parameters are the options, ``run.py``, the work on a table, and
``report.py``, its report; `options` and `tables` are shared by the commands. `compare` and `solvers` run code of
packages of the same names.

The files import nothing heavy at module level, so that ``partitope --help`` answers at once; each function does
its imports when it runs.
"""

from collections.abc import Callable
from typing import Any

from .aggregate.options import aggregate
from .assign.options import assign
from .bounds.options import bounds
from .cluster.options import cluster
from .compare.options import compare
from .depots.options import depots
from .explore.options import explore
from .export.options import export
from .fit.options import fit
from .groups.options import groups
from .predict.options import predict
from .solvers import solvers
from .suggest_k.options import suggest_k
from .value_test.options import value_test

COMMANDS: dict[str, Callable[..., Any]] = {
    "cluster": cluster,
    "groups": groups,
    "depots": depots,
    "assign": assign,
    "aggregate": aggregate,
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
