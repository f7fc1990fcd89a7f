"""The table of commands. To add one: write its file with one function, add its import and its line.

The files import nothing heavy at module level, so that ``partitope --help`` answers at once; each function does
its imports when it runs.
"""

from collections.abc import Callable
from typing import Any

from .compare import compare
from .fit import fit
from .predict import predict

COMMANDS: dict[str, Callable[..., Any]] = {
    "compare": compare,
    "fit": fit,
    "predict": predict,
}

__all__ = ["COMMANDS"]
