"""Comparing distance: how far a cluster's value may be from the neighbouring values.

    lower limit   L_i = lam_i f_i + (1 - lam_i) f_(i-1)
    upper limit   U_i = lam_i f_i + (1 - lam_i) f_(i+1)

for values f_1 <= ... <= f_k, with f_0 = 0 and f_(k+1) = 1 (definition 4.10.2 of the dissertation, in the form its
tables use).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_floats
from ...base.errors import InvalidInputError

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


def comparing_distance_limits(values: ArrayLike, lam: ArrayLike = 0.75) -> Pair:
    """Lower and upper limits (k,) of cluster values (k,) in [0, 1], each in the order of ``values``.

    ``lam`` is the weight of the own value, one for all or one per cluster. Equal values are sorted by cluster number; a
    limit between them is the value itself.
    """
    f = as_floats(values, "values")
    if f.ndim != 1 or not f.size or not ((f >= 0) & (f <= 1)).all():
        raise InvalidInputError(f"values must be a vector of numbers in [0, 1], got shape {f.shape} with values {f}")
    weight = per_cluster(lam, f.size, "lam")
    if not ((weight >= 0) & (weight <= 1)).all():
        wrong = weight[(weight < 0) | (weight > 1)][0]
        raise InvalidInputError(f"lam={wrong:g} is not usable: pass weights in [0, 1], 1 for the value itself")
    padded = np.concatenate([[0.0], np.sort(f), [1.0]])
    place = np.empty(f.size, dtype=np.int64)
    place[np.argsort(f, kind="stable")] = np.arange(f.size)
    return weight * f + (1 - weight) * padded[place], weight * f + (1 - weight) * padded[place + 2]


def limits_of(f: NDArray[np.float64], lam: ArrayLike, limits: tuple[ArrayLike, ArrayLike] | None) -> Pair:
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
    lower[known], upper[known] = comparing_distance_limits(f[known], per_cluster(lam, f.size, "lam")[known])
    return lower, upper


def per_cluster(values: ArrayLike, k: int, name: str) -> NDArray[np.float64]:
    """A number, or one for each of k clusters, as (k,)."""
    array = as_floats(values, name)
    if array.shape not in ((), (k,)):
        raise InvalidInputError(f"{name} has shape {array.shape}, expected a number or one for each of {k} clusters")
    if np.isnan(array).any():
        raise InvalidInputError(f"{name} holds NaN, expected a number or one for each of {k} clusters")
    return np.broadcast_to(array, (k,)).copy()
