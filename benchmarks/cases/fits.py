"""Balanced k-means from the same start, beside k-means without bounds."""

from ..case import Case

CASES = (
    Case(
        "fit_30162_30", "balanced k-means, 30 162 x 30, d = 12, bounds +-10 %", "fit", 30_162, 30, 12,
        ("geometric", "k-means-constrained", "sklearn-kmeans"), slack=0.1, spread=1.0, repeats=1,
    ),
    Case(
        "fit_1000000_30", "balanced k-means, 1 000 000 x 30, d = 12, bounds +-10 %, 10 iterations", "fit",
        1_000_000, 30, 12, ("geometric", "sklearn-kmeans"), slack=0.1, spread=1.0, max_iter=10, repeats=2, full=True,
    ),
)  # fmt: skip
