"""Size bounds, weights and masks as users write them, checked and brought into one form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array, as_entries, as_floats, numbers_below, whole_number
from ...base.errors import InfeasibleBoundsError, InvalidInputError
from ...base.messages import number
from ...base.record import Record
from .magnitudes import refuse_large
from .rows import size_rows
from .sized_polytope import SLACK


def first_dimension(n: int, n_clusters: int, lower: Any, upper: Any, weights: Any, names: Sequence[str]) -> Record:
    """Split bounds (k, m) and weights (n, m): arguments of the first dimension, with the others as side constraints."""
    table = None if weights is None else as_floats(weights, "weights")
    if table is None or table.ndim != 2 or table.shape[0] != n or not table.shape[1]:
        came = None if table is None else table.shape
        raise InvalidInputError(
            f"lower, upper or weights have several columns, weights has shape {came}: pass weights of shape ({n}, m), "
            f"one column per size dimension, and bounds of shape (k, m)"
        )
    # bounds may name all clusters at once, or each by itself
    m = table.shape[1]
    sides = _sides(m, lower, upper)
    k = count_clusters(n_clusters, *(side[:, 0] if np.ndim(side) == 2 else side for side in sides.values()))
    called = tuple(map(str, names)) or tuple("size" if r == 0 else f"size_{r + 1}" for r in range(m))
    if len(called) != m or len(set(called)) != m:
        raise InvalidInputError(f"names={called!r} does not name {m} size dimensions: pass {m} different names")
    columns = [checked_weights(table[:, r], n) for r in range(m)]
    # numbers that were rounded on the way here must not make bounds clash that met before
    rounding = narrow_rounding(lower, upper, weights)
    defaults = {"lower": [0.0] * m, "upper": [float(column.sum()) for column in columns]}
    low, up = (
        [
            size_bound(name, side if np.ndim(side) < 2 else side[:, r], k, default)
            for r, default in enumerate(defaults[name])
        ]
        for name, side in sides.items()
    )
    met = [meeting(low[r], up[r], columns[r], rounding) for r in range(m)]
    low, up = [side for side, _ in met], [side for _, side in met]
    # points that all weigh one are counted: their program has whole solutions
    sides_first = np.concatenate([low[0], np.minimum(up[0], n)])
    points = bool((columns[0] == 1.0).all() and (sides_first == np.rint(sides_first)).all())  # bounds stay as they are
    return {
        "lower": low[0],
        "upper": up[0],
        "weights": None if points else columns[0],
        "n_clusters": k,
        "names": (called[0],),
        "constraints": tuple(size_rows(called[r], columns[r], low[r], up[r]) for r in range(1, m)),
    }


def is_share(value: object, whole: bool) -> bool:
    """Whether a bound for all clusters is written as a share: a text; of points without weights also 0.2."""
    return isinstance(value, str) or bool(whole and isinstance(value, float | np.floating) and 0 < value < 1)


def narrow_rounding(*values: object) -> float:
    """The relative rounding of the narrowest floats among these values, 0 for float64 and for anything else."""
    kinds = [np.asarray(value).dtype for value in values if value is not None]
    narrow = [float(np.finfo(kind).eps) for kind in kinds if kind.kind == "f" and kind.itemsize < 8]
    return max(narrow, default=0.0)


def meeting(
    lower: NDArray[np.float64], upper: NDArray[np.float64], weights: NDArray[np.float64], rounding: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds (k,) that cross or whose sums miss that of the weights (n,), each moved by at most what `contains` allows,
    and rounding of narrow floats, so that they meet."""
    total = float(weights.sum())
    room = total * max(SLACK, rounding * (2 + weights.size.bit_length()))
    crossed = (lower > upper) & (lower <= upper + 2.0 * room)
    lower, upper = (np.where(crossed, (lower + upper) / 2.0, side) for side in (lower, upper))
    down, up = np.minimum(lower, room), np.clip(total - upper, 0.0, room)
    if 0.0 < (much := float(lower.sum() - total)) <= down.sum():
        lower = lower - down * (much / down.sum())
    if 0.0 < (little := float(total - upper.sum())) <= up.sum():
        upper = upper + up * (little / up.sum())
    return lower, upper


def _sides(m: int, lower: Any, upper: Any) -> Record:
    sides = {}
    for name, value in (("lower", lower), ("upper", upper)):
        if isinstance(value, str):
            raise InvalidInputError(
                f"{name}={value!r} is a share, of which of {m} dimensions? Pass sums of shape (k, {m})"
            )
        side = None if value is None else as_floats(value, name)
        if side is not None and side.ndim == 2 and side.shape[1] != m:
            raise InvalidInputError(f"{name} has {side.shape[1]} columns, weights {m}: one per size dimension")
        if side is not None and (side.ndim > 2 or (side.ndim == 1 and m > 1)):
            raise InvalidInputError(
                f"{name} has shape {side.shape}, weights {m} columns: pass bounds of shape (k, {m}), a number, or None"
            )
        sides[name] = side
    return sides


def allowed_pairs(value: ArrayLike, n: int, k: int) -> NDArray[np.bool_]:
    """A mask (n, k) that leaves every point a cluster."""
    mask = value.toarray() if hasattr(value, "toarray") else np.array(as_array(value, "mask"))
    if mask.shape != (n, k) or mask.dtype != bool:
        raise InvalidInputError(f"mask is {mask.dtype} of shape {mask.shape}, expected bool of shape ({n}, {k})")
    nowhere = np.flatnonzero(~mask.any(axis=1))
    if nowhere.size:
        others = f" (nor are {nowhere.size - 1} others)" if nowhere.size > 1 else ""
        raise InfeasibleBoundsError(f"point {nowhere[0]} is allowed in no cluster{others}: allow it in one")
    return mask


def fixed_pairs(points: ArrayLike, clusters: ArrayLike, n: int, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers (p,) of the points that are fixed, also given as a mask (n,), and of their clusters (p,)."""
    given = as_array(points, "points")
    where = numbers_below(np.flatnonzero(given) if given.dtype == bool and given.shape == (n,) else given, "points", n)
    there = numbers_below(clusters, "clusters", k)
    if there.shape not in ((1,), where.shape):
        raise InvalidInputError(f"clusters has shape {there.shape}, points {where.shape}: pass one cluster per point")
    return where, np.broadcast_to(there, where.shape)


def dimension_names(names: object, weights: Any) -> tuple[str, ...]:
    """Names of the size dimensions as they were given, those of a table of weights, or ``("size",)`` for one."""
    listed = [] if names is None else as_entries(names, "names")[0]
    if listed or np.ndim(weights) != 2:
        return tuple(map(str, listed)) or ("size",)
    columns = tuple(getattr(weights, "columns", ()))
    return columns if all(isinstance(column, str) for column in columns) else ()


def checked_weights(value: ArrayLike, n: int) -> NDArray[np.float64]:
    """Weights (n,), checked."""
    weights = np.array(as_floats(value, "weights"))
    if weights.shape != (n,):
        raise InvalidInputError(f"weights has shape {weights.shape}, expected ({n},): pass one weight per point")
    if not np.isfinite(weights).all() or weights.min() < 0 or weights.max() == 0:
        raise InvalidInputError("weights must be finite, not negative and not all zero: drop or mend such points")
    refuse_large("weights", float(weights.max()) * n)
    return weights


def count_clusters(n_clusters: int | None, lower: object, upper: object) -> int:
    """The number of clusters that the arguments agree on."""
    lengths = {np.size(b) for b in (lower, upper) if b is not None and np.ndim(b) == 1}  # type: ignore[arg-type]
    if not (n_clusters is None or (np.isscalar(n_clusters) and n_clusters == 0)):
        lengths.add(whole_number(n_clusters, "n_clusters"))
    if not lengths:
        raise InvalidInputError("n_clusters is missing: pass it, or give lower and upper as arrays of length k")
    if len(lengths) > 1:
        raise InvalidInputError(
            f"lower, upper and n_clusters disagree on the number of clusters ({sorted(lengths)}): give each k entries"
        )
    return whole_number(lengths.pop(), "n_clusters")


def size_bound(name: str, value: object, k: int, default: float) -> NDArray[np.float64]:
    """One side of the bounds (k,); the default where there is none."""
    if value is None:
        return np.full(k, default)
    try:
        bound = np.array(np.broadcast_to(np.asarray(value, dtype=np.float64), (k,)))
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name}={value!r} is not usable: pass a number or {k} numbers") from None
    if np.isnan(bound).any():
        raise InvalidInputError(f"{name} holds NaN: pass numbers (0 and n_points, or inf, mean no bound)")
    if bound.min() < 0:
        raise InvalidInputError(f"{name}={number(bound.min())} is negative: pass sizes of at least 0")
    return bound
