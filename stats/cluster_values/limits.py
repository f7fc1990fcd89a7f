"""Comparing distance: how far a cluster's value may be from the neighbouring values.

    lower limit   L_i = lam_i f_i + (1 - lam_i) f_(i-1)
    upper limit   U_i = lam_i f_i + (1 - lam_i) f_(i+1)

for values f_1 <= ... <= f_k, with f_0 = 0 and f_(k+1) = 1 (definition 4.10.2 of the dissertation, in the form its
tables use).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats, one_of
from ...base.errors import InvalidInputError

Ties = Literal["sorted", "distinct"]
Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


def comparing_distance_limits(
    values: ArrayLike, lam: ArrayLike = 0.75, ties: Literal["sorted", "distinct"] = "sorted"
) -> Pair:
    """Lower and upper limits of cluster values.

    Parameters
    ----------
    values : (k,) array_like
        Training values in [0, 1], in any order.
    lam : float or (k,) array_like
        Weight of the own value, in [0, 1], in the order of ``values``.
    ties : {"sorted", "distinct"}
        Neighbour of a value that occurs several times: the next one in the sorted list (the definition; then an
        equal value, so that a limit is the value itself), or the next different one.

    Returns
    -------
    lower, upper : (k,) ndarray
        In the order of ``values``.

    Raises
    ------
    InvalidInputError
        When a value or a weight is outside [0, 1], or the number of weights is not k.

    Notes
    -----
    Equal values are sorted by cluster number. O(k log k).

    Examples
    --------
    >>> from partitope.stats.cluster_values.limits import comparing_distance_limits
    >>> lower, upper = comparing_distance_limits([0.4, 0.2], lam=0.5)
    >>> lower.round(3), upper.round(3)
    (array([0.3, 0.1]), array([0.7, 0.3]))
    """
    f = as_floats(values, "values")
    one_of(ties, "ties", ("sorted", "distinct"))
    if f.ndim != 1 or not f.size or not ((f >= 0) & (f <= 1)).all():
        raise InvalidInputError(f"values must be a vector of numbers in [0, 1], got shape {f.shape} with values {f}")
    weight = per_cluster(lam, f.size, "lam")
    if not ((weight >= 0) & (weight <= 1)).all():
        wrong = weight[(weight < 0) | (weight > 1)][0]
        raise InvalidInputError(f"lam={wrong:g} is not usable: pass weights in [0, 1], 1 for the value itself")
    padded = np.concatenate([[0.0], np.unique(f) if ties == "distinct" else np.sort(f), [1.0]])
    if ties == "distinct":
        place = np.searchsorted(padded[1:-1], f)
    else:
        place = np.empty(f.size, dtype=np.int64)
        place[np.argsort(f, kind="stable")] = np.arange(f.size)
    return weight * f + (1 - weight) * padded[place], weight * f + (1 - weight) * padded[place + 2]


def limits_of(f: NDArray[np.float64], lam: ArrayLike, limits: tuple[ArrayLike, ArrayLike] | None, ties: Ties) -> Pair:
    """Lower and upper limits (k,) in cluster order, nan for a cluster without a value unless given."""
    if limits is not None:
        pair = list(limits) if np.iterable(limits) else []
        if len(pair) != 2:
            raise InvalidInputError(f"limits={limits!r} is not usable: pass a pair (lower, upper)")
        lower, upper = (per_cluster(v, f.size, f"limits[{s}]") for s, v in enumerate(pair))
        if not all(((v >= 0) & (v <= 1)).all() for v in (lower, upper)) or (lower > upper).any():
            raise InvalidInputError(
                f"limits={limits!r} are not usable: pass 0 <= lower <= upper <= 1 for every cluster"
            )
        return lower, upper
    known = ~np.isnan(f)
    if not known.any():
        raise InvalidInputError("no cluster has a training value: pass training points, or values in [0, 1]")
    lower, upper = np.full(f.size, np.nan), np.full(f.size, np.nan)
    lower[known], upper[known] = comparing_distance_limits(f[known], per_cluster(lam, f.size, "lam")[known], ties)
    return lower, upper


def per_cluster(values: ArrayLike, k: int, name: str) -> NDArray[np.float64]:
    """A number, or one for each of k clusters, as (k,)."""
    array = as_floats(values, name)
    if array.shape not in ((), (k,)):
        raise InvalidInputError(f"{name} has shape {array.shape}, expected a number or one for each of {k} clusters")
    if np.isnan(array).any():
        raise InvalidInputError(f"{name} holds NaN, expected a number or one for each of {k} clusters")
    return np.broadcast_to(array, (k,)).copy()
