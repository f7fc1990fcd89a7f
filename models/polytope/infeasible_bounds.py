"""Bounds on sizes that no clustering can meet, if sums over points show it.

With bounds on sizes in one dimension and no masks the sums of the bounds decide. In general they do not: that every
size dimension can be kept, and every cluster can be filled from the points that are allowed in it, is necessary, and
whether there is an assignment is a linear program, which `solve` decides.
"""

from __future__ import annotations

from contextlib import suppress
from math import floor, log10
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...base.checks import said
from ...base.errors import InfeasibleBoundsError

if TYPE_CHECKING:
    from .stated_polytope import StatedPolytope

SLACK = 1e-9  # A size may miss a bound by this fraction of the total weight: the one tolerance of sizes.
Polytope = TypeVar("Polytope", bound="StatedPolytope")


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


def clash_of_sizes(polytope: StatedPolytope) -> str | None:
    """Which bounds on sizes clash and the smallest change that mends it, in one line; None when no sum shows it."""
    from .rows import AttributeRows
    from .whole_points import unplaced

    weights, total = polytope.weights, polytope.total
    called = "" if polytope.names[0] == "size" else f"{polytope.names[0]} "
    words = f"{called}lower", f"{called}upper", "n_points" if weights is None else "sum(weights)"
    if polytope.openings is not None:
        return polytope.openings.conflict(polytope)
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


def _unreachable(polytope: StatedPolytope, allowed: NDArray[np.bool_], words: tuple[str, str, str]) -> str | None:
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


def number(value: float, digits: int = 6) -> str:
    """A number in a message: whole ones that a float holds exactly as such, others with six digits."""
    return f"{int(value)}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.{digits}g}"


def at_most(value: float, digits: int = 2) -> str:
    """A number of at least 0 in a message that says "at most": rounded up."""
    text = f"{value:.{digits}g}"
    if float(text) >= value:
        return text
    return f"{value + 0.5 * 10.0 ** (floor(log10(value)) - digits + 1):.{digits}g}"


def numbers(*values: float) -> list[str]:
    """Numbers in a message that compares them: with as many digits as it takes to tell different ones apart."""
    for digits in range(6, 18):
        found = [number(value, digits) for value in values]
        if len(set(found)) == len(set(values)):
            break
    return found
