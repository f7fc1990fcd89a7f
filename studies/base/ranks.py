"""Average ranks of methods over data sets, with the critical difference of Nemenyi's test.

For m methods and N data sets, R_j is the average rank of method j (1 the best, ties share their ranks).

    (1)  Friedman      chi2 = 12 N / (m (m + 1)) (sum_j R_j^2 - m (m + 1)^2 / 4),  with Iman and Davenport's correction
                       F = (N - 1) chi2 / (N (m - 1) - chi2)  on  m - 1, (m - 1)(N - 1)  degrees of freedom
    (2)  Nemenyi       two methods differ when |R_i - R_j| >= q sqrt(m (m + 1) / (6 N)),
                       q the studentized range's quantile over sqrt(2)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats


@dataclass(frozen=True, eq=False)
class Ranking:
    """Outcome of `rank_methods`.

    Attributes
    ----------
    ranks : (m,) ndarray
        R_j.
    critical_difference : float
        (2).
    pvalue : float
        Of (1): all methods are alike.
    n_sets : int
        N.
    """

    ranks: NDArray[np.float64]
    critical_difference: float
    pvalue: float
    n_sets: int


def rank_methods(scores: ArrayLike, alpha: float = 0.05) -> Ranking:
    """Rank methods by scores (N, m), larger is better.

    Parameters
    ----------
    scores : (N, m) array_like
        One row a data set, one column per method; no missing values.
    alpha : float
        Level of (2).

    Returns
    -------
    Ranking

    Raises
    ------
    ValueError
        When there are fewer than two data sets or methods.

    Notes
    -----
    Holds for many data sets; with few of them the critical difference is a rough guide.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or min(table.shape) < 2:
        raise ValueError(f"scores have shape {table.shape}: pass at least two data sets and two methods")
    n, m = table.shape
    ranks = stats.rankdata(-table, axis=1).mean(axis=0)
    chi2 = 12.0 * n / (m * (m + 1)) * ((ranks**2).sum() - m * (m + 1) ** 2 / 4.0)
    rest = n * (m - 1) - chi2
    pvalue = float(stats.f.sf((n - 1) * chi2 / rest, m - 1, (m - 1) * (n - 1))) if rest > 1e-12 else 0.0
    quantile = stats.studentized_range.ppf(1.0 - alpha, m, np.inf) / np.sqrt(2.0)
    return Ranking(ranks, float(quantile * np.sqrt(m * (m + 1) / (6.0 * n))), pvalue, n)


def alike(ranks: ArrayLike, critical_difference: float) -> list[tuple[int, int]]:
    """Largest runs of methods, in the order of their ranks, whose ends do not differ: pairs of positions."""
    order = np.sort(np.asarray(ranks, dtype=np.float64))
    runs: list[tuple[int, int]] = []
    for first in range(len(order)):
        last = int(np.searchsorted(order, order[first] + critical_difference, side="left")) - 1
        if last > first and not any(last <= end for _, end in runs):
            runs.append((first, last))
    return runs
