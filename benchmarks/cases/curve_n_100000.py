"""A point of the curve of time against n."""

from benchmarks.case import Case

CASE = Case(
    name="curve_n_100000",
    title="one step, n = 100000, k = 10, d = 4",
    kind="step",
    n=100000,
    k=10,
    d=4,
    peers=("transport", "ortools"),
    series="n",
)
