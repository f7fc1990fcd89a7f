"""Conditional means of a number where rows are few: a straight line in place of intervals.

    u(x) = x between the 5 % and the 95 % quantile of the training values, these beyond them, about its mean
    t(x) = ybar + b u(x),      b = sum u_j (y_j - ybar) / ( sum u_j^2 + m )                                  (1)

Five means of few rows each follow the labels of these rows; a line has one coefficient. m and the test are those of
`column_table`, (3) and (5), with V = 2, W the squares that the line leaves, B those that it explains, and
u^2 = (B - s^2) / sum u_j^2. Missing entries get ybar.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .column_table import ColumnTable, MeanSquares

INNER = (0.05, 0.95)  # Quantiles between which u is linear.


@dataclass(frozen=True, eq=False)
class LineColumn:
    """A training column of numbers (n,), NaN where missing, with targets (n, c); used as a `GroupedColumn` is."""

    name: str
    numbers: NDArray[np.float64]
    targets: NDArray[np.float64]

    @cached_property
    def keys(self) -> NDArray[np.float64]:
        """The ends of u: quantiles, or the least and the largest value where these are equal."""
        present = self.numbers[~np.isnan(self.numbers)]
        inner = np.quantile(present, INNER, method="inverted_cdf")
        return inner if inner[0] < inner[1] else np.array([present.min(), present.max()])

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """u of the keys."""
        even = np.linspace(0.0, 1.0, self.keys.size)
        return even - np.nanmean(np.interp(self.numbers, self.keys, even))

    @cached_property
    def _sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What every row adds to sum u_j^2 (n,), and to sum u_j (y_j - ybar) (n, c); nothing where u is missing."""
        u = np.nan_to_num(np.interp(self.numbers, self.keys, self.places))
        return u**2, u[:, None] * (self.targets - self.targets.mean(axis=0))

    @cached_property
    def mean_squares(self) -> MeanSquares:
        """What the line explains and what it leaves."""
        squares, products = self._sums
        aim = self.targets[~np.isnan(self.numbers)]
        between, g = products.sum(axis=0) ** 2 / squares.sum(), len(aim) - 2
        left = np.maximum(((aim - aim.mean(axis=0)) ** 2).sum(axis=0) - between, 0.0) / g
        return MeanSquares(between, left, 1, g, float(squares.sum()))

    def table(self, m: NDArray[np.float64], rows: NDArray[np.bool_] | slice = slice(None)) -> ColumnTable:
        """(1) with the weights m (c,), learnt from some of the rows, within the range of the targets."""
        squares, products = self._sums
        default = self.targets.mean(axis=0)
        means = default + self.places[:, None] * (products[rows].sum(axis=0) / (squares[rows].sum() + m))
        means = np.clip(means, self.targets.min(axis=0), self.targets.max(axis=0))
        return ColumnTable(self.name, "line", self.keys, means, default, default)

    def encoded(self, m: NDArray[np.float64], folds: NDArray[np.int64] | None) -> NDArray[np.float64]:
        """The column itself (n, c), every row by the line of the rows of other folds where it has a fold."""
        column = pd.Series(self.numbers, name=self.name)
        if folds is None:
            return self.table(m).transform(column)
        found = np.empty(self.targets.shape)
        for fold in range(folds.max() + 1):
            inside = folds == fold
            found[inside] = self.table(m, ~inside).transform(column[inside])
        return found
