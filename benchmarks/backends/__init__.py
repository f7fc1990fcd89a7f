"""Solver comparison: backends and strategies over instances, every answer measured again by an independent checker."""

from partitope.solver_comparison.comparison import performance_profile

from .instances import SUITE, Instance, instance
from .run import Bench, run_bench

__all__ = ["SUITE", "Bench", "Instance", "instance", "performance_profile", "run_bench"]
