"""Supervised re-description: every column of a table becomes log-likelihoods of the classes.

    (1)  x_f  ->  the part of column f that holds it      intervals of numbers, groups of categories (`stats.modl`)
    (2)  z_fj  =  log P( part of x_f | class j ),          smoothed: (count + e) / (class total + I e)
    (3)  a column of one part carries nothing and drops out; when all would, all stay, as zeros

so d columns become at most d J, and sum_f z_fj + log P(j) is the naive Bayes score of class j. Nearby rows in this
space have similar class probabilities (Lemaire, Alaoui Ismaili, Cornuejols and Gay 2020, inequality 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.checks import as_array, check_weight
from ...base.columns import as_numbers, as_texts, numbers_as_learnt, refuse_infinite
from ...base.errors import InvalidInputError
from ...stats.modl.cuts_and_groups import Groups, Intervals, Method, cut_numbers, group_values
from ..cells import Embedding

Parts = Intervals | Groups


@dataclass(frozen=True, eq=False)
class LogLikelihoodEmbedding(Embedding):
    """Fitted rules (1) to (3) of a table."""

    reads_tables: ClassVar[bool] = True

    parts: tuple[Parts, ...]  # One set of parts per column.
    names: tuple[str, ...]  # Column names.
    class_counts: NDArray[np.int64]  # (J,): Training rows of each class.
    smoothing: float | None = None  # Smoothing e of (2); None is 1 / (n + 1).

    @classmethod
    def fit(
        cls,
        frame: pd.DataFrame,
        y: NDArray[np.int64],
        n_classes: int,
        method: Method = "auto",
        smoothing: float | None = None,
    ) -> LogLikelihoodEmbedding:
        """Parts of every column of a training table. Shapes: frame (n, d), y (n,)."""
        if smoothing is not None:
            check_weight("smoothing", smoothing)
        parts = tuple(fit_parts(frame.iloc[:, f], y, n_classes, method) for f in range(frame.shape[1]))
        counts = np.bincount(y, minlength=n_classes)
        return cls(parts, tuple(str(name) for name in frame.columns), counts, smoothing)

    @property
    def informative(self) -> NDArray[np.int64]:
        """Indices (d',) of the columns with more than one part."""
        return np.flatnonzero([part.informative for part in self.parts])

    @property
    def kept(self) -> NDArray[np.int64]:
        """Indices of the columns that (3) keeps."""
        return self.informative if self.informative.size else np.arange(len(self.parts))

    def codes(self, frame: pd.DataFrame) -> NDArray[np.int64]:
        """Part (n, d) of every entry."""
        return np.column_stack([self.column_codes(frame, f) for f in range(len(self.parts))])

    def column_codes(self, frame: pd.DataFrame, f: int) -> NDArray[np.int64]:
        """Part (n,) of every entry of column f."""
        return part_codes(self.parts[f], frame.iloc[:, f])

    def __call__(self, X: Any, covariates: Any = None) -> NDArray[np.float64]:
        """Images (m, d' J) of the rows of a table X (m, d), as `transform`; covariates are not used."""
        table = X if isinstance(X, pd.DataFrame) else as_array(X, "X")
        if table.ndim != 2 or table.shape[1] != len(self.parts):
            raise InvalidInputError(f"X has shape {table.shape}, expected (n_rows, {len(self.parts)}): pass a table")
        return self.transform(pd.DataFrame(table))

    def transform(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        """Rows (n, d' J) of (2), the J columns of a kept feature side by side."""
        return np.hstack([self.parts[f].log_likelihood(self.smoothing)[self.column_codes(frame, f)] for f in self.kept])


def fit_parts(column: pd.Series, y: NDArray[np.int64], n_classes: int, method: Method = "auto") -> Parts:
    """Intervals of a column of numbers or times, groups of any other."""
    numbers = as_numbers(column)
    if numbers is None:
        return group_values(as_texts(column), y, n_classes, method)
    refuse_infinite(numbers, column.name)
    return cut_numbers(numbers, y, n_classes, method)


def part_codes(part: Parts, column: pd.Series) -> NDArray[np.int64]:
    """Part (n,) of every entry of a column; texts in a column of numbers are read as numbers if possible."""
    if isinstance(part, Groups):
        return part.codes(as_texts(column))
    return part.codes(numbers_as_learnt(column))
