"""Agreement of two partitions of the same points.

With n_ij points in cluster i of one and j of the other, N pairs of points, of which N_11 are together in both, N_10 in
the first only and N_01 in the second only:

    (1)  adjusted Rand       (RI - E RI) / (max RI - E RI), RI the share of pairs on which both agree
    (2)  mutual information  I / mean(H_1, H_2), the mean arithmetic, geometric, max or min
    (3)  Jaccard             N_11 / (N_11 + N_10 + N_01); some authors count every point as a pair with itself too
    (4)  matched accuracy    max over matchings of clusters of sum n_i,m(i) / n, an assignment problem
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from partitope.base.checks import as_array, distinct, one_of, same_length
from partitope.base.errors import InvalidInputError
from partitope.base.one_line import OneLine


@dataclass(frozen=True, eq=False, repr=False)
class PartitionAgreement(OneLine):
    """Outcome of `partition_agreement`.

    Attributes
    ----------
    adjusted_rand, mutual_information, jaccard, accuracy : float
        (1) to (4); 1 for equal partitions, whatever their clusters are called.
    table : (k, q) ndarray of int64
        n_ij, rows and columns in the order of the sorted labels.
    matching : tuple of (label, label)
        Which cluster of the first goes with which of the second in (4).
    n : int
        Points.
    """

    adjusted_rand: float
    mutual_information: float
    jaccard: float
    accuracy: float
    table: NDArray[np.int64] = field(repr=False)
    matching: tuple[tuple[object, object], ...] = field(repr=False)
    n: int


def partition_agreement(
    first: ArrayLike,
    second: ArrayLike,
    *,
    average: Literal["arithmetic", "geometric", "max", "min"] = "arithmetic",
    self_pairs: bool = False,
) -> PartitionAgreement:
    """Measure how far two partitions agree.

    Parameters
    ----------
    first, second : (n,) array_like
        Labels of any type; none is missing.
    average : {"arithmetic", "geometric", "max", "min"}
        Mean of the entropies in (2).
    self_pairs : bool
        Whether (3) counts every point as a pair with itself.

    Returns
    -------
    PartitionAgreement

    Raises
    ------
    InvalidInputError
        When lengths differ, there are no points, or labels are missing or cannot be sorted.

    Notes
    -----
    Exact. (1) and (2) by scikit-learn, the matching of (4) by scipy. O(n + k^3).

    References
    ----------
    Hubert and Arabie (1985), Comparing partitions.

    Examples
    --------
    >>> from studies.base.agreement import partition_agreement
    >>> result = partition_agreement([0, 0, 0, 1, 1, 1], ["b", "b", "a", "a", "a", "a"])
    >>> round(result.adjusted_rand, 3), round(result.jaccard, 3), round(result.accuracy, 3)
    (0.324, 0.444, 0.833)
    """
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    one_of(average, "average", ("arithmetic", "geometric", "max", "min"))
    given = {"first": as_array(first, "first"), "second": as_array(second, "second")}
    n = same_length(**given)
    if n == 0:
        raise InvalidInputError("first and second are empty: pass one label per point")
    for name, array in given.items():
        if array.ndim != 1:
            raise InvalidInputError(f"{name} has shape {array.shape}, expected (n,): pass one label per point")
    (names, rows), (others, columns) = (distinct(array, name) for name, array in given.items())
    table = np.zeros((len(names), len(others)), dtype=np.int64)
    np.add.at(table, (rows, columns), 1)
    i, j = linear_sum_assignment(-table)
    together, alone = float((table**2).sum()), float((table.sum(axis=1) ** 2).sum() + (table.sum(axis=0) ** 2).sum())
    extra = 0.0 if self_pairs else float(n)  # counted as ordered pairs, each point with itself included
    union = alone - together - extra
    return PartitionAgreement(
        float(adjusted_rand_score(rows, columns)),
        float(normalized_mutual_info_score(rows, columns, average_method=average)),
        (together - extra) / union if union > 0 else 1.0,
        float(table[i, j].sum() / n),
        table,
        tuple((names[a].item(), others[b].item()) for a, b in zip(i, j)),
        n,
    )
