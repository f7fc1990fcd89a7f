"""One step with a million points."""

from benchmarks.case import Case

CASE = Case(
    name="step_1000000_10",
    title="one step, 1 000 000 x 10, d = 10",
    kind="step",
    n=1_000_000,
    k=10,
    d=10,
    peers=("transport", "argmax", "ortools"),
    full=True,
)
