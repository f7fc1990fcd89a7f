"""Supervised re-description: every column of a table becomes log-likelihoods of the classes.

    (1)  x_f  ->  the part of column f that holds it      intervals of numbers, groups of categories (`stats.modl`)
    (2)  z_fj  =  log P( part of x_f | class j ),          smoothed: (count + e) / (class total + I e), e = 1 / (n + 1)
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

from ...base.checks import as_array
from ...base.columns import as_numbers, as_texts, numbers_as_learnt, refuse_infinite
from ...base.errors import InvalidInputError
from ...stats.modl.cuts_and_groups import Groups, Intervals, cut_numbers, group_values
from ..cells import Embedding

Parts = Intervals | Groups


@dataclass(frozen=True, eq=False)
class LogLikelihoodEmbedding(Embedding):
    """Fitted rules (1) to (3) of a table."""

    reads_tables: ClassVar[bool] = True

    parts: tuple[Parts, ...]  # One set of parts per column.
    names: tuple[str, ...]  # Column names.
    class_counts: NDArray[np.int64]  # (J,): Training rows of each class.

    @classmethod
    def fit(cls, frame: pd.DataFrame, y: NDArray[np.int64], n_classes: int) -> LogLikelihoodEmbedding:
        """Parts of every column of a training table. Shapes: frame (n, d), y (n,)."""
        parts = tuple(fit_parts(frame.iloc[:, f], y, n_classes) for f in range(frame.shape[1]))
        return cls(parts, tuple(str(name) for name in frame.columns), np.bincount(y, minlength=n_classes))

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
        return np.hstack([self.parts[f].log_likelihood()[self.column_codes(frame, f)] for f in self.kept])


def fit_parts(column: pd.Series, y: NDArray[np.int64], n_classes: int) -> Parts:
    """Intervals of a column of numbers or times, groups of any other."""
    numbers = as_numbers(column)
    if numbers is None:
        return group_values(as_texts(column), y, n_classes)
    refuse_infinite(numbers, column.name)
    return cut_numbers(numbers, y, n_classes)


def part_codes(part: Parts, column: pd.Series) -> NDArray[np.int64]:
    """Part (n,) of every entry of a column; texts in a column of numbers are read as numbers if possible."""
    if isinstance(part, Groups):
        return part.codes(as_texts(column))
    return part.codes(numbers_as_learnt(column))
