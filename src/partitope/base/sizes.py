"""Size bounds as users write them, in Python, in options and in model files: one rule for sizes and shares.

    20, 0, 35.5 of weighted points      a size: a number of points, or a sum of weights
    0.1, a float strictly inside (0, 1) a share of all points, or of their total weight
    "10%"                               the same share as a text, from 0% to 100%
    1                                   one point; the float 1.0 alone is refused, because it could mean all of them
    several numbers, "10,20,30"         one per cluster, either all sizes or all shares

A share becomes a size only when the number of rows is known, so that it means the same in every fold of a
cross-validation. Next to weights a number below 1 is a share, too, and a warning says so. For points without weights a
lower bound is rounded down to a whole point and an upper bound up: what is feasible in shares stays feasible.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .checks import as_entries, said, whole_number
from .errors import InvalidInputError

Side = Literal["lower", "upper"]


def bound_sizes(
    value: object, side: Side, total: float, n_clusters: int, *, name: str = "", whole: bool = True
) -> NDArray[np.float64] | None:
    """Bounds (k,) in points, or in weight, from what a user wrote by the rule of this module; None stays None."""
    called = name or side
    whole_number(n_clusters, "n_clusters")
    if value is None:
        return None
    entries, several = _entries(value, called)
    if len(entries) not in (1, n_clusters) or (several and len(entries) != n_clusters):
        raise InvalidInputError(
            f"{said(called, value)} has {len(entries)} numbers, expected 1 or {n_clusters} (one per cluster)"
        )
    read = [_read(entry, called) for entry in entries]
    shares = {share for number, share in read if number > 0}
    if len(shares) > 1:
        raise InvalidInputError(
            f"{said(called, value)} mixes sizes and shares: write all as numbers of points, or all as shares"
        )
    first = entries[0] if entries else None
    counted = first.isdigit() if isinstance(first, str) else isinstance(first, int | np.integer)
    if not several and read == [(1.0, False)] and not counted:
        raise InvalidInputError(
            f"{said(called, value)} could be one point or all points: write 1 for one point, or '100%' for all"
        )
    plain = [number for (number, share), entry in zip(read, entries) if share and not str(entry).endswith("%")]
    if plain and not whole:
        warnings.warn(
            f"{said(called, value)} is a share, as it is below 1: {100 * plain[0]:g} % of the sum of weights, which is "
            f"{total:g}; write '{100 * plain[0]:g}%' to say so, or weights in a smaller unit to bound their sum",
            UserWarning,
            stacklevel=3,
        )
    sizes = [_share(number, side, total, whole) if share else number for number, share in read]
    return np.array(sizes * n_clusters if len(sizes) == 1 else sizes, dtype=np.float64)


def balanced_sizes(
    balance: Any, total: float, n_clusters: int, *, whole: bool = True
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bounds (k,) and (k,) that let every size differ from the average total / k by the share ``balance`` of it."""
    whole_number(n_clusters, "n_clusters")
    balance = parse_share(balance, "balance") if isinstance(balance, str) else balance
    usable = isinstance(balance, int | float | np.number) and not isinstance(balance, bool)
    if not usable or not 0 <= balance < math.inf:
        raise InvalidInputError(f"balance={balance!r} is not usable: pass a number of at least 0, such as 0.2")
    ends = (max(1.0 - float(balance), 0.0) / n_clusters, (1.0 + float(balance)) / n_clusters)
    lower, upper = _share(ends[0], "lower", total, whole), _share(ends[1], "upper", total, whole)
    return np.full(n_clusters, lower), np.full(n_clusters, min(upper, total))


def fewest_clusters(total: float, most: NDArray[np.float64] | None, message: str) -> int:
    """The least k with k times the upper bound ``most`` (1,) at least the total; refused by the message without one."""
    if most is None or np.size(most) > 1 or not np.max(most) > 0:
        raise InvalidInputError(message)
    return max(1, math.ceil(total / float(np.max(most)) - 1e-9))


def parse_share(text: str, option: str) -> float:
    """A share of at least 0 from the text of an option, ``"20%"`` or ``"0.2"``."""
    try:
        share = float(text.strip()[:-1]) / 100.0 if text.strip().endswith("%") else float(text)
    except ValueError:
        share = math.nan
    if not 0 <= share < math.inf:
        raise InvalidInputError(f"{option} {text!r} is not a share: expected one such as 20% or 0.2")
    return share


def _entries(value: object, name: str) -> tuple[list[object], bool]:
    """The numbers that were written, and whether as a sequence, of which every cluster takes one."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")], False
    return as_entries(value, name)


def _read(entry: Any, name: str) -> tuple[float, bool]:
    """The number of an entry, and whether it is a share."""
    percent = isinstance(entry, str) and entry.endswith("%")
    try:
        number = float(entry[:-1]) / 100.0 if percent else float(entry)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(entry, bool) or math.isnan(number) or number < 0 or (percent and number > 1):
        raise InvalidInputError(
            f"{said(name, entry)} is not a size: expected a number of points such as 20, or a share such as '10%'"
        )
    if isinstance(entry, str) and math.isinf(number):
        raise InvalidInputError(f"{said(name, entry)} is not a size: leave it out for no bound")
    return number, percent or 0 < number < 1


def _share(share: float, side: Side, total: float, whole: bool) -> float:
    """The size of a share; what is a whole number up to rounding counts as one."""
    size = share * total
    if not whole:
        return size
    exact = round(size, 9)
    return float(math.floor(exact) if side == "lower" else math.ceil(exact))
