"""Size bounds as users write them, and as folds need them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


def default_bounds(n_points: int, n_clusters: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds (k,), (k,) that let every size differ from n/k by a fifth."""
    even = n_points / n_clusters
    return np.full(n_clusters, math.floor(0.8 * even)) + 0.0, np.full(n_clusters, math.ceil(1.2 * even)) + 0.0


def scale_bounds(
    lower: ArrayLike | None, upper: ArrayLike | None, n_all: int, n_part: int
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Bounds for a part of the rows: floor(l m / n) and ceil(u m / n) for m of n rows.

    A feasible pair stays feasible: the floors sum to at most m when the l sum to at most n, the ceilings to
    at least m when the u sum to at least n, and floor(l m / n) <= ceil(u m / n).
    """
    share = n_part / n_all
    low = None if lower is None else np.floor(np.round(np.asarray(lower, dtype=np.float64) * share, 9))
    high = None if upper is None else np.ceil(np.round(np.asarray(upper, dtype=np.float64) * share, 9))
    return low, high


def describe_bounds(lower: Sequence[float] | NDArray, upper: Sequence[float] | NDArray) -> str:
    """Bounds in words: ``"91 to 137"`` where equal for all clusters, else lists."""
    low, high = ([f"{value:g}" for value in side] for side in (lower, upper))
    if len(set(low)) == 1 and len(set(high)) == 1:
        return f"{low[0]} to {high[0]}"
    return f"lower ({', '.join(low)}), upper ({', '.join(high)})"
