"""The last point of the curve of time against n."""

from benchmarks.case import Case

CASE = Case(
    name="curve_n_10000000",
    title="one step, n = 10000000, k = 10, d = 4",
    kind="step",
    n=10_000_000,
    k=10,
    d=4,
    peers=("transport",),
    repeats=1,
    series="n",
    full=True,
)
