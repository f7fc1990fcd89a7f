"""A point of the curve of time against k."""

from benchmarks.case import Case

CASE = Case(
    name="curve_k_20",
    title="one step, n = 30 162, k = 20, d = 12",
    kind="step",
    n=30_162,
    k=20,
    d=12,
    peers=("transport", "ortools"),
    series="k",
)
