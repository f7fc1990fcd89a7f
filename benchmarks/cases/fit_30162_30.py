"""Balanced k-means from the same start."""

from benchmarks.case import Case

CASE = Case(
    name="fit_30162_30",
    title="balanced k-means, 30 162 x 30, d = 12, bounds +-10 %",
    kind="fit",
    n=30_162,
    k=30,
    d=12,
    peers=("geometric", "k-means-constrained", "sklearn-kmeans"),
    slack=0.1,
    spread=1.0,
    repeats=1,
)
