"""For tests of partitope and of backends and strategies that others add: instances, brute force, a checker."""

from .instances import (
    DATA,
    SHAPES,
    Verdict,
    brute_force,
    clusterings,
    judge,
    random_bounds,
    random_model,
    random_points,
)

__all__ = [
    "DATA",
    "SHAPES",
    "Verdict",
    "brute_force",
    "clusterings",
    "judge",
    "random_bounds",
    "random_model",
    "random_points",
]
