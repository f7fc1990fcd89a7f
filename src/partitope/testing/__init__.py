"""For tests of partitope and of backends and strategies that others add: suites, instances, brute force, a checker."""

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


def __getattr__(name: str) -> Any:  # the suites need pytest, which users of partitope may not have
    if name not in ("backend_suite", "strategy_suite"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import pytest

    pytest.register_assert_rewrite(f"{__name__}.{name}")
    suite = getattr(import_module(f"{__name__}.{name}"), name)
    globals()[name] = suite  # the function, in place of the module of the same name
    return suite
