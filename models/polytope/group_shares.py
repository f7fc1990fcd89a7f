"""Shares of groups in the clusters: alpha <= (weight of the group in the cluster) / (size of the cluster) <= beta.

Both sides times the size are linear rows, with the attributes (w_j 1[j in g], w_j) of the points and the coefficients
(1, -alpha) with 0 as lower bound, and (1, -beta) with 0 as upper bound.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array, distinct, refuse_absent, refuse_masked
from ...base.errors import InvalidInputError
from ...base.sizes import parse_share
from .rows import AttributeRows
from .size_bounds import narrow_rounding

Share = float | str | Mapping[object, float] | ArrayLike | None  # A bound of `share`, as users write it.


def group_shares(
    groups: ArrayLike, lower: Share, upper: Share, weights: NDArray[np.float64], k: int, name: str
) -> list[AttributeRows]:
    """Rows of the shares of every group that is bounded; see `PartitionPolytope.share`."""
    values, n = as_array(groups, "groups"), weights.size
    if values.shape != (n,):
        raise InvalidInputError(f"groups has shape {values.shape}, expected ({n},): one group per point")
    if lower is None and upper is None:
        raise InvalidInputError(f"the share {name!r} has no bound: pass lower, upper or both")
    refuse_absent(values, "groups")  # a point without a group would be in every share and in none
    # of a yes or no the share of one side says that of the other
    found = [True] if values.dtype == bool else distinct(values, "groups")[0].tolist()
    # numbers that hardly repeat are meant as amounts, of which there are no shares
    if values.dtype.kind == "f" and len(found) > max(n // 2, 2):
        raise InvalidInputError(
            f"groups holds {len(found)} different numbers for {n} points, expected groups: for sums of a number, make "
            f"it a column of weights"
        )
    for side, bounds in (("lower", lower), ("upper", upper)):
        refuse_masked(bounds, side)
        unknown = [key for key in bounds if key not in found] if isinstance(bounds, Mapping) else []
        if unknown:
            raise InvalidInputError(f"{side} names the group {unknown[0]!r}, groups holds {found}")
    # a group that is not named in a mapping keeps the widest bounds
    more = []
    for group in found:
        low, up = (
            _share_bound(side, bounds.get(group) if isinstance(bounds, Mapping) else bounds, k, default)
            for side, bounds, default in (("lower", lower, 0.0), ("upper", upper, 1.0))
        )
        called = name if values.dtype == bool else f"{name}[{group}]"
        crossed = np.flatnonzero(low > up)
        if crossed.size:
            i = int(crossed[0])
            raise InvalidInputError(
                f"lower={low[i]:g} exceeds upper={up[i]:g} for {called} in cluster {i}: exchange them"
            )
        rows = _rows(called, np.where(values == group, weights, 0.0), weights, low, up)
        more += [rows] if len(rows) else []
    return more


def _rows(
    name: str,
    member: NDArray[np.float64],
    weights: NDArray[np.float64],
    low: NDArray[np.float64],
    up: NDArray[np.float64],
) -> AttributeRows:
    """Rows of one group; those that no clustering can break, shares of at least 0 or at most 1, are left out."""
    below, above = np.flatnonzero(low > 0), np.flatnonzero(up < 1)
    clusters, limits = np.concatenate([below, above]), np.concatenate([low[below], up[above]])
    at_least = np.arange(clusters.size) < below.size
    return AttributeRows(
        name,
        np.column_stack([member, weights]),
        clusters,
        np.column_stack([np.ones(clusters.size), -limits]),
        np.where(at_least, 0.0, -np.inf),
        np.where(at_least, np.inf, 0.0),
        relative=True,
    )


def _share_bound(name: str, value: object, k: int, default: float) -> NDArray[np.float64]:
    if isinstance(value, str):
        value = parse_share(value, name)
    try:
        bound = np.full(k, default) if value is None else np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        bound = np.full((), np.nan)
    if bound.shape not in ((), (k,)) or not ((bound >= 0) & (bound <= 1)).all():
        raise InvalidInputError(f"{name}={value!r} must be a number between 0 and 1, or {k} of them")
    room = narrow_rounding(value)  # what the same share is rounded by in narrower floats
    bound = bound * (1.0 - room) if name == "lower" else np.where(bound < 1, bound * (1.0 + room), bound)
    return np.broadcast_to(bound, (k,))
