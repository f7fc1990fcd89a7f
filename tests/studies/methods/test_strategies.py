"""The methods of other authors pass the suite that is shipped for the strategies of third parties."""

from __future__ import annotations

from partitope.solvers import STRATEGIES
from partitope.testing import strategy_suite
from studies import methods

REGISTERED = tuple(name for name, path in STRATEGIES.entries.items() if path.startswith("studies."))
TestMethods = strategy_suite(*REGISTERED)


def test_they_are_in_the_table_by_the_decorator_alone():
    strategies = {name for name in methods.__all__ if hasattr(getattr(methods, name), "needs")}
    assert {STRATEGIES[name].__name__ for name in REGISTERED} == strategies
    assert not set(REGISTERED) & set(STRATEGIES.own)
