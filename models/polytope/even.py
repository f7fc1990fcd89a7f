"""Bounds around even sums, and around the share of every group in all points."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ...base.checks import as_array, check_weight, distinct, finite_vector, refuse_absent
from ...base.errors import InvalidInputError
from ...base.record import Record
from ...base.sizes import parse_share
from .group_shares import Share


def checked_within(within: float | str) -> float:
    """How far from even, as a number of at least 0, from a number or a text such as ``"5%"``."""
    if isinstance(within, str):
        return parse_share(within, "within")
    check_weight("within", within)
    return float(within)


def even_sums(columns: Mapping[str, ArrayLike], n: int, k: int, within: float) -> Record:
    """Lower and upper bounds (k, m), weights (n, m) and names of points without bounds and of these columns (n,)."""
    weights = [np.ones(n)]
    for name, column in columns.items():
        values = finite_vector(column, name, n, "point")
        if values.min() < 0 or not values.any():
            raise InvalidInputError(f"{name} is negative somewhere or zero everywhere: pass numbers of at least 0")
        weights.append(values)
    table = np.column_stack(weights)
    mean = table.sum(axis=0) / k
    lower, upper = max(1.0 - within, 0.0) * mean, (1.0 + within) * mean
    lower[0], upper[0] = 0.0, np.inf
    return {
        "lower": np.tile(lower, (k, 1)), "upper": np.tile(upper, (k, 1)), "weights": table,
        "names": ("size", *columns),
    }  # fmt: skip


def shares_around(share: ArrayLike, n: int, within: float) -> tuple[ArrayLike, Share, Share]:
    """Groups (n,), and the least and the largest share of each, for `PartitionPolytope.share`."""
    groups = as_array(share, "share")
    if groups.shape != (n,):
        raise InvalidInputError(f"share has shape {groups.shape}, expected ({n},): pass the group of every point")
    refuse_absent(groups, "share")
    if groups.dtype == bool:
        part = float(groups.mean())
        return groups, max(part - within, 0.0), min(part + within, 1.0)
    found, places = distinct(groups, "share")
    parts = dict(zip(found.tolist(), (np.bincount(places) / n).tolist()))
    lower = {group: max(part - within, 0.0) for group, part in parts.items()}
    return groups, lower, {group: min(part + within, 1.0) for group, part in parts.items()}
