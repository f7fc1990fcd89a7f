"""Every strategy of the table passes the shipped suite."""

from __future__ import annotations

from partitope.solvers import STRATEGIES
from partitope.testing import strategy_suite

TestStrategies = strategy_suite(*STRATEGIES.own)
