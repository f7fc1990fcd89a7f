"""Intervals of F1: on rows that could have been others, and on the papers' own rows with other starts.

rows     F1 = 2 p / (1 + p),  p = hits / either: the share of true positives among the rows that are, or are called,
         so; Wilson's interval for p
starts   on the papers' own rows only the seeds can differ, here and there: for a mean of m runs, of r seeds with
         deviation s here and S printed (s where none is printed), t sqrt((s^2 + S^2) / m), t the quantile of
         Student's distribution with r - 1 degrees of freedom, and half a unit of the last printed digit
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from partitope.stats import accuracy_interval

HALF_A_DIGIT = 0.0005


def f1_interval(hits: int, either: int) -> tuple[float, float, float]:
    """F1 and its 95 % interval from the true positives and the rows that are, or are called, positive."""
    if not either:
        return 0.0, 0.0, 1.0
    p = hits / either
    low, high = accuracy_interval(hits, either, method="wilson")
    return 2 * p / (1 + p), 2 * low / (1 + low), 2 * high / (1 + high)


def starts_interval(
    value: float, spread: float, printed_spread: float | None, runs: int, seeds: int
) -> tuple[float, float, float]:
    """The mean F1 of some runs with its 95 % interval, for another draw of seeds here and in the paper."""
    other = spread if printed_spread is None or np.isnan(printed_spread) else printed_spread
    half = float(stats.t.ppf(0.975, seeds - 1) * np.sqrt((spread**2 + other**2) / runs)) + HALF_A_DIGIT
    return value, max(0.0, value - half), min(1.0, value + half)
