"""Points of the curves of time against n and against k."""

from ..case import Case

BOTH = ("transport", "ortools")
CASES = (
    *(
        Case(f"curve_n_{n}", f"one step, n = {n}, k = 10, d = 4", "step", n, 10, 4, BOTH, full=n >= 10**6, series="n")
        for n in (10_000, 100_000, 1_000_000)
    ),
    Case(
        "curve_n_10000000", "one step, n = 10000000, k = 10, d = 4", "step", 10_000_000, 10, 4, BOTH[:1], repeats=1,
        full=True, series="n",
    ),
    *(
        Case(f"curve_k_{k}", f"one step, n = 30 162, k = {k}, d = 12", "step", 30_162, k, 12, BOTH, series="k")
        for k in (5, 20, 80, 320)
    ),
)  # fmt: skip
