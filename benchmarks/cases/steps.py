"""One assignment program each: from every peer on a small instance to ten million points."""

from ..case import Case

ALL = ("transport", "argmax", "ortools", "pot", "highs-simplex", "highs-ipm")
CASES = (
    Case("step_2000_10", "one step, 2 000 x 10, d = 10", "step", 2_000, 10, 10, (*ALL, "networkx")),
    Case("step_30162_30", "one step, 30 162 x 30, d = 12", "step", 30_162, 30, 12, ALL, limit=120.0),
    Case("step_30162_500", "one step, 30 162 x 500, d = 12", "step", 30_162, 500, 12, ALL[:3]),
    Case("step_1000000_10", "one step, 1 000 000 x 10, d = 10", "step", 1_000_000, 10, 10, ALL[:3], full=True),
    Case(
        "step_10000000_10", "one step, 10 000 000 x 10, d = 4", "step", 10_000_000, 10, 4, ALL[:2], repeats=1, full=True
    ),
)
"""30 162 is the size of the Census table."""
