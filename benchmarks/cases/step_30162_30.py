"""One step at the size of the Census table."""

from benchmarks.case import Case

CASE = Case(
    name="step_30162_30",
    title="one step, 30 162 x 30, d = 12",
    kind="step",
    n=30_162,
    k=30,
    d=12,
    peers=("transport", "argmax", "ortools", "pot", "highs-simplex", "highs-ipm"),
    limit=120.0,
)
