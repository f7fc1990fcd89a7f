"""How large clusters must be for their values to be known to a given precision.

The value of a cluster is a share p of its l points. Its Wilson interval at confidence 95 %, z the normal quantile, has
half-width

    h(l, p) = z sqrt( p (1 - p) / l + z^2 / (4 l^2) ) / (1 + z^2 / l)  <=  h(l, 1/2) = z / (2 sqrt(l + z^2))

The suggested lower bound is the smallest l with h(l, 1/2) <= precision, that is l >= (z / (2 precision))^2 - z^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from ...base.checks import as_array, as_floats, in_interval, same_length, whole_number
from ...base.errors import InvalidInputError


@dataclass(frozen=True)
class BoundSuggestion:
    """Size bounds that make cluster values precise enough.

    Attributes
    ----------
    lower : int
        Smallest cluster size with the precision asked for.
    upper : int
        Largest size that leaves the other clusters their lower bound, n - (k - 1) lower.
    half_width : float
        Half-width of the interval at ``lower``, at most the precision.
    most_clusters : int
        How many clusters of that size the points allow.
    n_points, n_clusters : int
        n and k.
    precision : float
        What was asked for.
    """

    lower: int
    upper: int
    half_width: float
    most_clusters: int
    n_points: int
    n_clusters: int
    precision: float

    @property
    def feasible(self) -> bool:
        """Whether k clusters of that size exist at all."""
        return self.lower * self.n_clusters <= self.n_points


def suggest_bounds(y: ArrayLike | int, n_clusters: int, precision: float = 0.05) -> BoundSuggestion:
    """Smallest lower bound for which a cluster value's 95 % confidence interval is narrow enough.

    Parameters
    ----------
    y : int or (n,) array_like
        Number of points, or their classes.
    n_clusters : int
        Number of clusters k.
    precision : float, default 0.05
        Largest half-width of any cluster's interval, in (0, 0.5).

    Returns
    -------
    BoundSuggestion
        ``feasible`` says whether n points allow it; if not, take at most ``most_clusters``.

    Raises
    ------
    InvalidInputError
        When an argument is out of range.

    Notes
    -----
    Exact in l for the stated interval of a cluster with half of its points in the class, the widest one. Values are
    taken for those of independent points: rows that also chose the clusters make them look more certain than they are
    (see `selective_mean_test`).

    References
    ----------
    Wilson (1927), Probable inference, the law of succession, and statistical inference.

    Examples
    --------
    >>> from partitope.stats import suggest_bounds
    >>> suggest_bounds(1000, 5, precision=0.1).lower
    93
    """
    in_interval(precision, "precision", 0.0, 0.5)
    whole_number(n_clusters, "n_clusters")
    labels = as_array(y, "y")
    n = len(labels) if labels.ndim else whole_number(labels.item(), "y")
    if not n:
        raise InvalidInputError("y is empty: pass the classes of at least one point, or a number of points")
    z = float(norm.ppf(0.975))
    low = max(1, ceil((z / (2 * precision)) ** 2 - z**2))
    upper = max(n - (n_clusters - 1) * low, low)
    width = z / (2 * sqrt(low + z**2))
    return BoundSuggestion(low, upper, width, n // low, n, n_clusters, precision)


def value_half_width(sizes: ArrayLike, values: ArrayLike) -> np.ndarray:
    """Half-widths (k,) of 95 % Wilson intervals of cluster values (k,) in [0, 1]; nan for empty clusters."""
    size, p = as_floats(sizes, "sizes"), as_floats(values, "values")
    if size.ndim == p.ndim == 1:
        same_length(sizes=size, values=p)
    l, z = np.where(size > 0, size, np.nan), float(norm.ppf(0.975))
    return z * np.sqrt(p * (1 - p) / l + z**2 / (4 * l**2)) / (1 + z**2 / l)
