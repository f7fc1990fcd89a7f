"""Bounds on sizes that no clustering can meet, if sums over points show it.

With bounds on sizes in one dimension and no masks the sums of the bounds decide. In general they do not: that every
size dimension can be kept, and every cluster can be filled from the points that are allowed in it, is necessary, and
whether there is an assignment is a linear program, which `solve` decides.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...base.checks import said
from ...base.errors import InfeasibleBoundsError
from ...base.messages import number, numbers
from .rows import AttributeRows
from .sized_polytope import SLACK, SizedPolytope
from .whole_points import Openings, unplaced

Polytope = TypeVar("Polytope", bound=SizedPolytope)


def feasible_shares(polytope: Polytope, of: Any = None, **given: Any) -> Polytope:
    """The polytope; refused, where sums exclude every assignment and bounds were given below 1, as shares of a total,
    that of the first dimension when not given, by name."""
    shares = []
    for name, value in given.items():
        with suppress(TypeError, ValueError):  # None, or "10%"
            numbers = np.asarray(value.split(",") if isinstance(value, str) else value, dtype=np.float64)
            shares += [said(name, value)] if ((numbers > 0.0) & (numbers < 1.0)).any() else []
    if shares and (clash := clash_of_sizes(polytope)) is not None:
        raise InfeasibleBoundsError(
            f"{clash}; {' and '.join(shares)}, below 1, was read as a share of the total {number(of or polytope.total)}"
        )
    return polytope


def clash_of_sizes(polytope: SizedPolytope) -> str | None:
    """Which bounds on sizes clash and the smallest change that mends it, in one line; None when no sum shows it."""
    weights, total = polytope.weights, polytope.total
    called = "" if polytope.names[0] == "size" else f"{polytope.names[0]} "
    words = f"{called}lower", f"{called}upper", "n_points" if weights is None else "sum(weights)"
    for part in polytope.constraints:
        if isinstance(part, Openings):
            return part.conflict(polytope)
    if polytope.blocks is not None and (block := unplaced(polytope, polytope.blocks)) is not None:
        return f"points {block[0][:8].tolist()} have to be together, {block[1]}"
    found = _clash(polytope.lower, polytope.upper, total, weights is None, words)
    if found is None and polytope.allowed is not None:
        found = _unreachable(polytope, polytope.allowed, words)
    for rows in polytope.constraints:
        if found is None and isinstance(rows, AttributeRows) and rows.is_size:
            words = f"{rows.name} lower", f"{rows.name} upper", f"sum of the weights of {rows.name}"
            found = _clash(rows.lower, rows.upper, float(rows.attributes.sum()), False, words)
    return found


def _clash(
    lower: NDArray[np.float64], upper: NDArray[np.float64], total: float, whole: bool, words: tuple[str, str, str]
) -> str | None:
    below, above, unit = words
    k, slack = lower.size, 0.0 if whole else SLACK * total
    crossed = np.flatnonzero((lower > upper + slack) & (upper < total))
    if crossed.size:
        i = int(crossed[0])
        low, up = numbers(lower[i], upper[i])
        return (
            f"{below}[{i}]={low} exceeds {above}[{i}]={up}"
            f"{f' (and {crossed.size - 1} more clusters)' if crossed.size > 1 else ''}: "
            f"lower {below}[{i}] to {up} or raise {above}[{i}] to {low}"
        )
    need, room = float(lower.sum()), float(upper.sum())
    needed, whole_total = numbers(need, total)
    if need > total + slack:
        most = int(total) // k if whole else total / k
        return (
            f"sum({below})={needed} exceeds {unit}={whole_total}: lower the bounds by "
            f"{number(need - total)} in all (a common lower bound of at most {number(most)})"
        )
    has, whole_total = numbers(room, total)
    if room < total - slack:
        least = -(-int(total) // k) if whole else total / k
        return (
            f"sum({above})={has} is less than {unit}={whole_total}: raise the bounds by "
            f"{number(total - room)} in all (a common upper bound of at least {number(least)})"
        )
    return None


def _unreachable(polytope: SizedPolytope, allowed: NDArray[np.bool_], words: tuple[str, str, str]) -> str | None:
    """A cluster that its points cannot fill, or that the points with no other choice overfill."""
    below, above, _ = words
    only = np.count_nonzero(allowed, axis=1) == 1
    if polytope.weights is None:
        slack, most, least = 0.0, np.count_nonzero(allowed, axis=0), np.count_nonzero(allowed[only], axis=0)
    else:
        slack, w = polytope.slack, polytope.weights
        most, least = w @ allowed, w[only] @ allowed[only]
    short, full = np.flatnonzero(polytope.lower > most + slack), np.flatnonzero(polytope.upper < least - slack)
    if short.size:
        i = int(short[0])
        low, held = numbers(polytope.lower[i], most[i])
        return (
            f"{below}[{i}]={low} exceeds {held}, the size of all points that are "
            f"allowed in cluster {i}: allow more points there or lower {below}[{i}]"
        )
    if full.size:
        i = int(full[0])
        points, (up, held) = np.flatnonzero(only & allowed[:, i]), numbers(polytope.upper[i], least[i])
        return (
            f"{above}[{i}]={up} is less than {held}, the size of the {points.size} "
            f"points that are allowed in no cluster but {i} (first {points[:3].tolist()}): allow them elsewhere or "
            f"raise {above}[{i}]"
        )
    return None
