"""Does y have to do with the partition at all? A permutation test.

For clusters with n_i points, table counts n_ic of class c, or means m_i of a numeric y with mean m:

    (1)  classes    chi2 = sum_ic (n_ic - n_i n_c / n)^2 / (n_i n_c / n)   effect  V^2 = chi2 / (n (min(k, q) - 1))
    (2)  numbers    B = sum_i n_i (m_i - m)^2,  T = sum_j (y_j - m)^2       effect  eta^2 = B / T

    null        y is exchangeable given the partition
    p-value     (1 + number of permutations with a statistic >= the observed one) / (1 + n_permutations)

Permuting classes leaves both margins of the table as they are: random tables with these margins are drawn instead.
Valid for every sample size. It asks about y only if y took no part in making the clusters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import (
    as_array,
    cluster_numbers,
    distinct,
    finite_numbers,
    one_of,
    random_generator,
    same_length,
    whole_number,
)
from ...base.errors import InvalidInputError

BLOCK = 2_000_000  # numbers held at a time


@dataclass(frozen=True, eq=False)
class AssociationTest:
    """Outcome of `partition_association_test`.

    Attributes
    ----------
    statistic : float
        chi2 of (1) or B of (2).
    pvalue : float
        By permutation.
    effect : float
        Cramer's V or eta squared, both in [0, 1].
    n : int
        Points.
    permuted : (n_permutations,) ndarray
        The statistic under permutation.
    kind : str
        "classes" or "numbers".
    null, alternative : str
        The hypotheses.
    """

    statistic: float
    pvalue: float
    effect: float
    n: int
    permuted: NDArray[np.float64] = field(repr=False)
    kind: str
    null: str = "y is exchangeable given the partition"
    alternative: str = "the distribution of y differs between clusters"


def partition_association_test(
    labels: ArrayLike,
    y: ArrayLike,
    kind: Literal["auto", "classes", "numbers"] = "auto",
    *,
    n_permutations: int = 9999,
    random_state: int | None = 0,
) -> AssociationTest:
    """Test whether y is associated with a partition.

    Parameters
    ----------
    labels : (n,) array_like of int
        Clusters 0..k-1.
    y : (n,) array_like
        Classes of any type, or numbers.
    kind : {"auto", "classes", "numbers"}
        How y is read; "auto" takes floating point numbers with a fractional part as numbers, all else as classes.
    n_permutations : int
        Size of the permutation distribution, at least 1.
    random_state : int or None
        Seed.

    Returns
    -------
    AssociationTest

    Raises
    ------
    InvalidInputError
        When lengths differ, y is constant, there are missing values or fewer than two clusters.

    Notes
    -----
    Exact level for exchangeable y, up to the Monte Carlo choice of permutations, which keeps it too. O(k q) a
    permutation for q classes, O(n) for numbers.

    References
    ----------
    Phipson and Smyth (2010), Permutation p-values should never be zero.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.stats.partitions.association import partition_association_test
    >>> labels = np.repeat([0, 1, 2], 20)
    >>> y = np.tile([0, 0, 0, 1, 1], 12)
    >>> y[40:] = 1
    >>> result = partition_association_test(labels, y, n_permutations=999)
    >>> round(result.statistic, 2), result.pvalue
    (20.0, 0.001)
    """
    one_of(kind, "kind", ("auto", "classes", "numbers"))
    whole_number(n_permutations, "n_permutations")
    clusters, values = cluster_numbers(labels, "labels"), as_array(y, "y")
    same_length(labels=clusters, y=values)
    if values.ndim != 1:
        raise InvalidInputError(f"y has shape {values.shape}, expected (n,): pass one entry a row")
    clusters = np.unique(clusters, return_inverse=True)[1]
    if clusters.size == 0 or clusters.max() < 1:
        raise InvalidInputError("labels name fewer than two clusters: there is nothing to compare")
    rng = random_generator(random_state)
    numeric = kind == "numbers" or (kind == "auto" and values.dtype.kind == "f" and (values != np.round(values)).any())
    if numeric:
        found, effect, permuted = _numbers(clusters, finite_numbers(values, "y"), int(n_permutations), rng)
    else:
        found, effect, permuted = _classes(clusters, values, int(n_permutations), rng)
    # values that differ by rounding only count as equal
    exceeding = int((permuted >= found - 1e-12 * abs(found)).sum())
    pvalue = (1 + exceeding) / (1 + n_permutations)
    return AssociationTest(found, pvalue, effect, values.size, permuted, "numbers" if numeric else "classes")


def _classes(
    clusters: NDArray[np.intp], y: NDArray, n_permutations: int, rng: np.random.Generator
) -> tuple[float, float, NDArray[np.float64]]:
    from pandas import isna
    from scipy.stats import random_table

    if y.dtype.kind in "fO" and isna(y).any():
        raise InvalidInputError("y has missing values: drop such rows")
    classes = distinct(y.astype(str) if y.dtype.kind == "O" else y, "y")[1]
    if classes.max() < 1:
        raise InvalidInputError("y is constant: there is nothing to explain")
    table = np.zeros((clusters.max() + 1, classes.max() + 1))
    np.add.at(table, (clusters, classes), 1.0)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    expected = np.outer(rows, columns) / len(y)
    found = float(((table - expected) ** 2 / expected).sum())
    effect = float(np.sqrt(found / (len(y) * (min(table.shape) - 1))))
    law, permuted = random_table(rows.astype(np.int64), columns.astype(np.int64)), np.empty(n_permutations)
    step = max(1, BLOCK // table.size)
    for start in range(0, n_permutations, step):
        draws = law.rvs(min(step, n_permutations - start), random_state=rng)
        permuted[start : start + len(draws)] = ((draws - expected) ** 2 / expected).sum(axis=(1, 2))
    return found, effect, permuted


def _numbers(
    clusters: NDArray[np.intp], y: NDArray[np.float64], n_permutations: int, rng: np.random.Generator
) -> tuple[float, float, NDArray[np.float64]]:
    if y.min() == y.max():
        raise InvalidInputError("y is constant: there is nothing to explain")
    centred = y - y.mean()
    sizes = np.bincount(clusters)

    def between(values: NDArray[np.float64]) -> float:
        return float((np.bincount(clusters, values) ** 2 / sizes).sum())

    found = between(centred)
    permuted = np.array([between(rng.permutation(centred)) for _ in range(n_permutations)])
    return found, found / float((centred**2).sum()), permuted
