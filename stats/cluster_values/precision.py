"""How large clusters must be for their values to be known to a given precision.

The value of a cluster is a share of its l points. Its Wilson interval at confidence 1 - alpha, z the normal quantile,
has half-width

    h(l) = z sqrt( p (1 - p) / l + z^2 / (4 l^2) ) / (1 + z^2 / l),

largest at p = 1/2. The suggested lower bound is the smallest l with h(l) <= precision; h decreases in l, so it is
found by bisection.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from ...base.checks import as_array, as_floats, distinct, in_interval, same_length, whole_number
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
    share : float
        The share that was assumed.
    most_clusters : int
        How many clusters of that size the points allow.
    n_points, n_clusters : int
        n and k.
    precision, confidence : float
        What was asked for.
    """

    lower: int
    upper: int
    half_width: float
    share: float
    most_clusters: int
    n_points: int
    n_clusters: int
    precision: float
    confidence: float

    @property
    def feasible(self) -> bool:
        """Whether k clusters of that size exist at all."""
        return self.lower * self.n_clusters <= self.n_points


def suggest_bounds(
    y: ArrayLike | int,
    n_clusters: int,
    precision: float = 0.05,
    *,
    share: Literal["worst", "overall"] | float = "worst",
    confidence: float = 0.95,
) -> BoundSuggestion:
    """Smallest lower bound for which a cluster value's confidence interval is narrow enough.

    Parameters
    ----------
    y : int or (n,) array_like
        Number of points, or their classes (two of them for ``share="overall"``).
    n_clusters : int
        Number of clusters k.
    precision : float, default 0.05
        Largest half-width of any cluster's interval, in (0, 0.5).
    share : {"worst", "overall"} or float
        The cluster value to plan for: one half, which is the worst, the share of the second class in y, or a number.
    confidence : float, default 0.95
        Level of the interval.

    Returns
    -------
    BoundSuggestion
        ``feasible`` says whether n points allow it; if not, take at most ``most_clusters``.

    Raises
    ------
    InvalidInputError
        When an argument is out of range, or y has not two classes where they are needed.

    Notes
    -----
    Exact in l for the stated interval. The clusters' values are those of independent points: rows that also chose
    the clusters make them look more certain than they are (see `selective_mean_test`).

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
    in_interval(confidence, "confidence", 0.0, 1.0)
    whole_number(n_clusters, "n_clusters")
    labels = as_array(y, "y")
    n = len(labels) if labels.ndim else whole_number(labels.item(), "y")
    if not n:
        raise InvalidInputError("y is empty: pass the classes of at least one point, or a number of points")
    p = _share(share, labels)
    z = float(norm.ppf(0.5 + confidence / 2))
    high = max(2, ceil((z / precision) ** 2))
    while _half_width(high, p, z) > precision:
        high *= 2
    low = 1 + bisect_left(range(1, high), -precision, key=lambda size: -_half_width(size, p, z))
    upper = max(n - (n_clusters - 1) * low, low)
    width = float(_half_width(low, p, z))
    return BoundSuggestion(low, upper, width, p, n // low, n, n_clusters, precision, confidence)


def value_half_width(sizes: ArrayLike, values: ArrayLike, confidence: float = 0.95) -> np.ndarray:
    """Half-widths (k,) of Wilson intervals of cluster values (k,) in [0, 1]; nan for empty clusters."""
    size, p = as_floats(sizes, "sizes"), as_floats(values, "values")
    in_interval(confidence, "confidence", 0.0, 1.0)
    if size.ndim == p.ndim == 1:
        same_length(sizes=size, values=p)
    return _half_width(np.where(size > 0, size, np.nan), p, float(norm.ppf(0.5 + confidence / 2)))


def _half_width(size: Any, p: Any, z: float) -> Any:
    """Half-width of the Wilson interval of a share p of ``size`` points."""
    return z * np.sqrt(p * (1 - p) / size + z**2 / (4 * size**2)) / (1 + z**2 / size)


def _share(share: str | float, labels: np.ndarray) -> float:
    if not isinstance(share, str):
        return in_interval(share, "share", 0.0, 1.0)
    if share == "worst":
        return 0.5
    if share == "overall":
        classes = distinct(labels, "y")[0] if labels.ndim else np.empty(0)
        if len(classes) != 2:
            raise InvalidInputError(
                f"share='overall' needs y with two classes, got {len(classes)}: pass labels, or a number"
            )
        return float(np.mean(labels == classes[1]))
    raise InvalidInputError(f"share={share!r} is not known: choose 'worst', 'overall' or a number in (0, 1)")
