"""Solvers compared on explicit programs: every one in a process of its own, every answer checked by the same code."""

from .comparison import SolverComparison, compare_solvers

__all__ = ["SolverComparison", "compare_solvers"]
