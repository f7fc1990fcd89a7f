"""One step with many clusters."""

from benchmarks.case import Case

CASE = Case(
    name="step_30162_500",
    title="one step, 30 162 x 500, d = 12",
    kind="step",
    n=30_162,
    k=500,
    d=12,
    peers=("transport", "argmax", "ortools"),
)
