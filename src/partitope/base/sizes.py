"""Size bounds as users write them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .checks import whole_number
from .errors import InvalidInputError


def parse_bounds(text: str | None, name: str, n_points: int, n_clusters: int) -> NDArray[np.float64] | None:
    """Bounds (k,) from text such as ``"20"``, ``"10%"`` or ``"10,20,30"``; None stays None.

    Parameters
    ----------
    text : str or None
        One number for all clusters or k numbers with commas; with "%", a share of all points.
    name : str
        "lower" or "upper": percentages are rounded down and up.
    n_points, n_clusters : int
        n and k.

    Raises
    ------
    InvalidInputError
        When an entry is no number, negative or infinite, there are neither 1 nor k of them, or k < 1.
    """
    whole_number(n_clusters, "n_clusters")
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    values = [_number(part, name, n_points) for part in parts]
    if len(values) == 1:
        values *= n_clusters
    if len(values) != n_clusters:
        raise InvalidInputError(
            f"--{name} has {len(values)} numbers, expected 1 or {n_clusters} (one a cluster): got {text!r}"
        )
    return np.array(values, dtype=np.float64)


def _number(part: str, name: str, n_points: int) -> float:
    share = part.endswith("%")
    try:
        value = float(part[:-1] if share else part)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise InvalidInputError(
            f"--{name} {part!r} is not a size: expected a number such as 20, or a share such as 10%"
        )
    if not share:
        return value
    exact = round(value * n_points / 100.0, 9)
    return float(math.floor(exact) if name == "lower" else math.ceil(exact))
