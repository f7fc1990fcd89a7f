"""The area under a ROC curve with DeLong's interval.

For scores of m points of class 1 and n of class 0, psi(x, y) = 1 if x > y, 1/2 if equal, 0 otherwise:

    (1)  A = mean psi(x_i, y_j),   V10_i = mean_j psi(x_i, y_j),   V01_j = mean_i psi(x_i, y_j)
    (2)  S = var(V10) / m + var(V01) / n,   A -+ z sqrt(S)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...base.checks import finite_numbers, in_interval, same_length, zero_one
from ...base.errors import InvalidInputError
from ..intervals import Interval


def auc_interval(y: ArrayLike, score: ArrayLike, confidence: float = 0.95) -> Interval:
    """DeLong's confidence interval of an area under the ROC curve.

    Parameters
    ----------
    y : (n,) array_like of {0, 1}
        Classes.
    score : (n,) array_like
        Scores; larger ones speak for class 1.
    confidence : float
        Level in (0, 1).

    Returns
    -------
    Interval
        ``n`` are the points of class 1 and of class 0.

    Raises
    ------
    InvalidInputError
        When lengths differ, a class has fewer than two points, or scores are not finite.

    Notes
    -----
    O(n log n). Asymptotic: the interval is too short for few points and areas near 1. In simulations of normal scores
    with 20 points per class one of 95 % covered an area of 0.5 in 94 % of all cases and one of 0.92 in 86 %. It has
    length 0 where the classes are separated, and means nothing there.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver operating
    characteristic curves, Biometrics 44. Sun and Xu (2014), Fast implementation of DeLong's algorithm.

    Examples
    --------
    >>> from partitope.stats import auc_interval
    >>> interval = auc_interval([0, 0, 1, 1, 0, 1], [0.1, 0.5, 0.4, 0.9, 0.2, 0.7])
    >>> round(interval.estimate, 3), round(interval.standard_error, 3)
    (0.889, 0.157)
    """
    from scipy.special import ndtri

    in_interval(confidence, "confidence", 0.0, 1.0)
    area, error, n = _area(y, score)
    half = float(ndtri(0.5 + confidence / 2)) * error
    return Interval(max(0.0, area - half), min(1.0, area + half), area, error, n, float(confidence), "DeLong")


def _area(y: ArrayLike, score: ArrayLike) -> tuple[float, float, tuple[int, int]]:
    """(1), the root of (2), and the numbers of points of classes 1 and 0."""
    from scipy.stats import rankdata

    classes, given = zero_one(y, "y"), finite_numbers(score, "score")
    same_length(y=classes, score=given)
    ones = classes == 1
    m, n = int(ones.sum()), int((~ones).sum())
    if min(m, n) < 2:
        raise InvalidInputError(f"y holds {m} points of class 1 and {n} of class 0, expected at least two of each")
    # rank among all minus rank within the class counts the points of the other class below, ties by half
    ranks = rankdata(given)
    above = (ranks[ones] - rankdata(given[ones])) / n
    below = 1.0 - (ranks[~ones] - rankdata(given[~ones])) / m
    return float(above.mean()), float(np.sqrt(above.var(ddof=1) / m + below.var(ddof=1) / n)), (m, n)
