"""Intervals of F1 on one test set, for one model or for several seeds of it.

    F1 = 2 p / (1 + p),  p = hits / either: the share of true positives among the rows that are, or are called, so

One model: Wilson's interval for p. Several seeds on the same rows: Wilson's for the mean counts, for the rows could
have been others, each arm a lengthened to sqrt(a^2 + (t s / sqrt(r))^2), for the r seeds could have been: s is the
deviation of p over them and t the quantile of Student's distribution.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from partitope.stats import accuracy_interval


def f1_interval(hits: int, either: int) -> tuple[float, float, float]:
    """F1 and its 95 % interval from the true positives and the rows that are, or are called, positive."""
    return f1_interval_over_seeds([hits], [either])


def f1_interval_over_seeds(hits: ArrayLike, either: ArrayLike) -> tuple[float, float, float]:
    """Mean F1 and its 95 % interval from the counts (r,) of r seeds on the same test rows."""
    found, all_of = np.asarray(hits, dtype=np.float64), np.asarray(either, dtype=np.float64)
    if not all_of.all():
        return 0.0, 0.0, 1.0
    shares = found / all_of
    p, r = float(shares.mean()), len(shares)
    rows = max(1, round(float(all_of.mean())))
    low, high = accuracy_interval(min(rows, round(p * rows)), rows, method="wilson")
    more = 0.0 if r < 2 else float(stats.t.ppf(0.975, r - 1) * shares.std(ddof=1) / np.sqrt(r))
    low, high = p - np.hypot(p - low, more), p + np.hypot(high - p, more)
    value = float((2 * shares / (1 + shares)).mean())
    low, high = (2 * q / (1 + q) for q in (max(0.0, low), min(1.0, high)))
    return value, float(low), float(high)
