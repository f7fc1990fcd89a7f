"""One step on a small instance: every peer."""

from benchmarks.case import Case

CASE = Case(
    name="step_2000_10",
    title="one step, 2 000 x 10, d = 10",
    kind="step",
    n=2_000,
    k=10,
    d=10,
    peers=("transport", "argmax", "ortools", "pot", "highs-simplex", "highs-ipm", "networkx"),
)
