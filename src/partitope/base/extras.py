"""Packages that an installation may lack: what needs one says so in a line, with the command that installs it."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import MissingDependencyError


def import_extra(module: str, extra: str, needs: str) -> Any:
    """Import a module of an optional package."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingDependencyError(f"{needs}: pip install '.[{extra}]' in a clone of partitope ({error})") from error
