"""Solver comparison: backends and strategies over instances, every answer measured again by an independent checker."""

from .instances import SUITE, Instance, instance
from .profile import performance_profile
from .run import Bench, run_bench

__all__ = ["SUITE", "Bench", "Instance", "instance", "performance_profile", "run_bench"]
