"""One step with ten million points."""

from benchmarks.case import Case

CASE = Case(
    name="step_10000000_10",
    title="one step, 10 000 000 x 10, d = 4",
    kind="step",
    n=10_000_000,
    k=10,
    d=4,
    peers=("transport", "argmax"),
    repeats=1,
    full=True,
)
