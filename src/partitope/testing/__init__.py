"""For tests of partitope and of backends and strategies that others add: suites, instances, brute force, a checker."""

import sys
from importlib import import_module
from typing import Any

from .checker import Verdict, brute_force, clusterings, judge, unnamed
from .instances import DATA, SHAPES, random_bounds, random_model, random_points

__all__ = [
    "DATA",
    "SHAPES",
    "Verdict",
    "backend_suite",
    "brute_force",
    "clusterings",
    "judge",
    "random_bounds",
    "random_model",
    "random_points",
    "strategy_suite",
    "unnamed",
]


_SUITES = {"backend_suite": "backends", "strategy_suite": "strategies"}  # they need pytest, which not every user has


def __getattr__(name: str) -> Any:
    if name not in _SUITES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = f"{__name__}.{_SUITES[name]}"
    if home not in sys.modules:
        import pytest

        pytest.register_assert_rewrite(home)
    return getattr(import_module(home), name)
