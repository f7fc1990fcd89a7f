"""A point of the curve of time against n."""

from benchmarks.case import Case

CASE = Case(
    name="curve_n_1000000",
    title="one step, n = 1000000, k = 10, d = 4",
    kind="step",
    n=1000000,
    k=10,
    d=4,
    peers=("transport", "ortools"),
    series="n",
    full=True,
)
