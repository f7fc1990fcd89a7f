"""Balanced k-means of a million points, ten iterations, beside k-means without bounds."""

from benchmarks.case import Case

CASE = Case(
    name="fit_1000000_30",
    title="balanced k-means, 1 000 000 x 30, d = 12, bounds +-10 %, 10 iterations",
    kind="fit",
    n=1_000_000,
    k=30,
    d=12,
    peers=("geometric", "sklearn-kmeans"),
    slack=0.1,
    spread=1.0,
    max_iter=10,
    repeats=2,
    full=True,
)
