"""Which bounds a clustering breaks, in which cluster, and by how much.

Divided points that are put into one cluster each, as their labels say, can break bounds that the divided assignment
keeps; a point that is heavier than an upper bound always breaks one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...base.messages import number
from .rows import activities
from .shares import Shares

if TYPE_CHECKING:
    from .stated_polytope import StatedPolytope

MOST_TOLD, POINTS = 3, "points"


@dataclass(frozen=True)
class BrokenBound:
    """One bound that a clustering breaks."""

    name: str  # Name of the row in the polytope: "size", another size dimension, a share, or a side constraint.
    place: str  # "cluster 2", or the number of a side constraint.
    value: float  # The amount in the clustering; a share is a number between 0 and 1.
    bound: float  # The amount allowed, in the same unit.
    amount: float  # Amount by which the bound is broken, in ``unit``.
    unit: str  # What is counted: points, weight, or the name of a size dimension.
    is_share: bool = False  # Whether the value is a part of the cluster.

    def __str__(self) -> str:
        side, more = ("upper", "more") if self.value > self.bound else ("lower", "less")
        if not self.is_share:
            has, by = self._counted(self.value), number(self.amount)
            return f"{self.place} has {has}, {by} {more} than its {side} bound of {number(self.bound)}"
        value, bound = (number(100 * part) for part in (self.value, self.bound))
        has, by = f"{value} % of {self.name}", self._counted(self.amount)
        return f"{self.place} has {has}, {by} {more} than its {side} bound of {bound} %"

    def _counted(self, value: float) -> str:
        return f"{number(value)} points" if self.unit == POINTS else f"{self.unit} {number(value)}"


def broken_bounds(
    polytope: StatedPolytope, labels: NDArray[np.int64], sizes: NDArray[np.float64] | None = None
) -> tuple[BrokenBound, ...]:
    """Every bound that labels (n,) of 0..k-1 break beyond rounding, those of sizes first; O(n) per row."""
    values = values_of(polytope, labels) if sizes is None else sizes
    by = excess(polytope, values[:, None])[:, 0]
    kept = [np.full(polytope.n_clusters, polytope.slack), *(1e-9 * rows.extent() for rows in polytope.further)]
    by[by <= np.concatenate(kept)] = 0.0  # as in `PartitionPolytope.contains`
    opened = polytope.opened(labels) if polytope.may_close else None
    # sizes first: what a reader looks for, in the words of the polytope
    unit = POINTS if polytope.weights is None else "weight"
    found, start = [], 0
    for r, rows in enumerate(polytope.all_rows):
        own, start = slice(start, start + len(rows)), start + len(rows)
        broken = by[own] > 0.0
        if rows.is_size and opened is not None:
            broken &= opened  # an empty cluster that is closed breaks no bound on its sizes
        place = "row" if rows.attributes is None else "cluster"
        named = unit if rows.relative or (r == 0 and rows.name == "size") else rows.name
        for q in np.flatnonzero(broken).tolist():
            value = float(values[own][q])
            bound = float((rows.upper if value > rows.upper[q] else rows.lower)[q])
            # the row of a share counts members less what the bound allows: people read shares
            if rows.attributes is not None and rows.relative:
                group, whole = rows.attributes[labels == rows.clusters[q]].sum(axis=0).tolist()
                value, bound = group / whole if whole else 0.0, -float(rows.coefficients[q, 1])
            where, amount = f"{place} {rows.index[q]}", float(by[own][q])
            found.append(BrokenBound(rows.name, where, value, bound, amount, named, rows.relative))
    return tuple(found)


def in_words(broken: Sequence[BrokenBound]) -> str:
    """The bounds that are broken, the first few in full."""
    more = len(broken) - MOST_TOLD
    return "; ".join(map(str, broken[:MOST_TOLD])) + (f"; and {more} more" if more > 0 else "")


def by_name(polytope: StatedPolytope, broken: Sequence[BrokenBound]) -> dict[str, float]:
    """The largest amount by which a bound of every name is broken, 0 where all are kept."""
    return {
        name: float(max((bound.amount for bound in broken if bound.name == name), default=0.0))
        for name in polytope.row_names
    }


def values_of(polytope: StatedPolytope, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sizes (k,), and the left-hand sides of the side constraints after them."""
    further = activities(polytope.further, Shares.of(labels, (), polytope.n_clusters), polytope.n_clusters)
    sizes = np.bincount(labels, polytope.weights, polytope.n_clusters)
    return np.concatenate([sizes, *(further[rows.name] for rows in polytope.further)])


def excess(polytope: StatedPolytope, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much values (q, c) break the bounds."""
    table = polytope.row_table
    return np.maximum(np.maximum(values - table.upper[:, None], table.lower[:, None] - values), 0.0)
