"""The two objectives of a clustering, summed up in floating point from their definitions.

    LSA   sum_i sum_{j in C_i} |x_j - c_i|^2     smaller is better; c_i is the mean of cluster i
    CSA   sum_i |s_i|                            larger is better; s_i is the sum of the points of cluster i

`objective_interval` encloses both, for points exactly as given; what is shown and compared comes from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import cluster_numbers, finite_rows, refuse_masked, same_length

Objective = Literal["csa", "lsa"]
Sense = Literal["max", "min"]
SENSES: Mapping[str, Sense] = {"csa": "max", "lsa": "min"}
"""Whether a larger or a smaller value of an objective is better."""


def sum_of_squares(X: ArrayLike, labels: ArrayLike) -> float:
    """Sum over the clusters of the squared distances of points to the mean of their cluster.

    Parameters
    ----------
    X : (n, d) array_like
        Points.
    labels : (n,) array_like of int
        Cluster of every point.

    Raises
    ------
    InvalidInputError
        If X is not a table of numbers, or labels are not one cluster number 0, 1, ... per row.

    Notes
    -----
    O(n d). Points are measured from one of their cluster first: equal points cost zero, not the rounding of their mean.

    Examples
    --------
    >>> import numpy as np
    >>> from partitope.models import sum_of_squares
    >>> sum_of_squares(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1]))
    2.0
    """
    refuse_masked(X, "X")
    points = X if isinstance(X, np.ndarray) and X.dtype.kind == "f" and X.ndim == 2 else finite_rows(X)
    y = cluster_numbers(labels, "labels")
    same_length(X=points, labels=y)
    total = 0.0
    for members in _clusters(points, y):
        members = members - members[0]
        total += float(((members - members.mean(axis=0)) ** 2).sum())
    return total


def sum_of_norms(X: NDArray[np.floating], labels: NDArray[np.int64]) -> float:
    """Sum over the clusters of the norms of their sums, of points (n, d) that are centred already; O(n d)."""
    return float(sum(np.linalg.norm(members.sum(axis=0)) for members in _clusters(X, labels)))


def objective_value(X: NDArray[np.floating], labels: NDArray[np.int64], objective: str) -> float:
    """`sum_of_norms` for "csa", `sum_of_squares` for "lsa"."""
    return (sum_of_norms if objective == "csa" else sum_of_squares)(X, labels)


def _clusters(X: NDArray[np.floating], labels: NDArray[np.int64]) -> Iterator[NDArray[np.floating]]:
    """The points of every cluster that has any, in their order."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order])) + 1
    return (X[members] for members in np.split(order, starts) if len(members))
