"""Piecewise linear functions of low dimension, by which `columns` prices points: functions of a grid, and folds.

Those of the grid are multilinear, one at a point of a grid and zero at all others. Folds bend along the boundaries
between the clusters of a good clustering, where the best prices bend, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from .cells import Cells


@dataclass(frozen=True, eq=False)
class PiecewiseLinearBasis:
    """Multilinear functions of a grid with ``per`` points along each axis of a box, and folds along boundaries of a
    clustering."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    per: int
    walls: NDArray[np.float64]

    def __len__(self) -> int:
        k = self.walls.shape[1]
        return self.per ** len(self.low) + (k * (k - 1) // 2 + 1 if k > 1 else 0)

    def _folds(self, P: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        scores = P @ self.walls[:-1] + self.walls[-1]
        pairs = combinations(range(scores.shape[1]), 2)
        folds = [np.maximum(scores[:, i] - scores[:, j], 0.0) for i, j in pairs]
        return [*folds, scores.max(axis=1) - scores[:, 0]] if folds else []

    def at(self, P: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Numbers and heights (n, ...) of the grid's functions that are not zero at points, and of all folds."""
        places, heights = self.functions_at(P)
        folds = np.array(self._folds(P)).reshape(-1, len(P)).T
        first = self.per ** P.shape[1]
        numbers = np.broadcast_to(np.arange(first, first + folds.shape[1]), folds.shape)
        return np.column_stack([places, numbers]), np.column_stack([heights, folds])

    def functions_at(self, P: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Numbers and heights (n, 2^d) of the grid's functions that are not zero at points."""
        d = P.shape[1]
        place = (P - self.low) / (self.high - self.low) * (self.per - 1)
        base = np.clip(place.astype(np.int64), 0, self.per - 2)
        rest = place - base
        corners = list(product((0, 1), repeat=d))
        heights = [np.where(corner, rest, 1.0 - rest).prod(axis=1) for corner in corners]
        numbers = [np.ravel_multi_index(tuple((base + corner).T), (self.per,) * d) for corner in corners]
        return np.column_stack(numbers).astype(np.int64), np.column_stack(heights)

    def sides(self, cells: Cells) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """For every axis numbers and slopes (m, ...) of functions and folds about the means of cells, differences."""
        found = []
        for axis in np.eye(len(self.low)):
            step = (0.5 * cells.reach @ axis + 1e-3 * (self.high - self.low) @ axis)[:, None]
            (a, up), (b, down) = self.at(cells.means + step * axis), self.at(cells.means - step * axis)
            found.append((np.column_stack([a, b]), np.column_stack([up, -down]) / (2.0 * step)))
        return found

    def nodes(self) -> NDArray[np.float64]:
        """The points of the grid."""
        axes = [np.linspace(a, b, self.per) for a, b in zip(self.low, self.high)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
