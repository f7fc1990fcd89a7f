"""What every loader returns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..base.checks import as_array
from ..base.errors import InvalidInputError


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with a target.

    Attributes
    ----------
    X : (n, d) DataFrame
        Features; missing entries are NaN or None.
    y : (n,) ndarray
        Target, in most sets a class.
    name : str
        Name of the set, or of the file.
    target_name : str
        Name of the target column.
    description : str
        One or two sentences: what, from where, what is odd about it.
    split : (n,) ndarray of str or None
        Part of each row, "train" or "test", where the set was published in parts.
    covariates : (n, p) DataFrame or None
        What a clustering is to be conditioned on, where the set comes with it.
    notes : tuple of str
        What was left out of the table or changed on reading it, one line each.
    raw : (n, d') DataFrame or None
        The features before they were cleaned, where ``X`` holds cleaned ones.
    cleaner : TableCleaner or None
        What made ``X`` of ``raw``.
    unlabelled : (m, d' + p) DataFrame or None
        Features, as they were before they were cleaned, and covariates of the rows that have no class.
    """

    X: pd.DataFrame
    y: NDArray
    name: str
    target_name: str
    description: str = ""
    split: NDArray | None = None
    covariates: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()
    raw: pd.DataFrame | None = None
    cleaner: Any = None
    unlabelled: pd.DataFrame | None = None

    @property
    def classes(self) -> NDArray:
        """Values of y in sorted order."""
        return np.unique(self.y)

    @property
    def train(self) -> Dataset:
        """Rows of the published training part."""
        return self._part("train")

    @property
    def test(self) -> Dataset:
        """Rows of the published test part."""
        return self._part("test")

    def rows(self, chosen: Any) -> Dataset:
        """Rows named by a boolean mask (n,) or integer positions, in that order."""
        where, n = as_array(chosen, "chosen"), len(self.y)
        if where.shape == (n,) and where.dtype == bool:
            where = np.flatnonzero(where)
        if where.ndim != 1 or where.dtype.kind not in "iu" or (where.size and not -n <= where.min() <= where.max() < n):
            raise InvalidInputError(
                f"chosen has shape {where.shape} of {where.dtype}, expected a mask ({n},) or positions below {n}"
            )

        def take(part: Any) -> Any:
            return part[where] if isinstance(part, np.ndarray) else part.iloc[where].reset_index(drop=True)

        parts = {name: getattr(self, name) for name in ("X", "y", "split", "covariates", "raw")}
        return replace(self, **{name: take(part) for name, part in parts.items() if part is not None})

    def _part(self, name: str) -> Dataset:
        if self.split is None:
            raise AttributeError(f"{self.name} was not published in parts: use rows() or a splitter of scikit-learn")
        return self.rows(self.split == name)

    def __repr__(self) -> str:
        n, d = self.X.shape
        more = "" if self.unlabelled is None else f" and {len(self.unlabelled)} without a class"
        return f"Dataset({self.name!r}: {n} rows{more}, {d} features, target {self.target_name!r})"
