"""Covariates of several types as one kernel.

    k(c, c') = exp(-(categorical columns that differ) / 2) * exp(-|r - r'|^2 / (2 s^2))

r are the real columns, each scaled to unit variance so that no unit of measurement decides, s the median heuristic
over them; one categorical column gives the rbf kernel of its indicators, whose width is always sqrt(2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...base.checks import as_array, as_entries
from ...base.errors import InvalidInputError
from ...stats.dependence.kernels import categorical_kernel, median_width, rbf_kernel

TYPES = ("categorical", "real")
CovariateType = str | Sequence[str]


@dataclass(frozen=True, eq=False)
class CovariateTable:
    """Encoded covariates."""

    codes: NDArray[np.int64]  # (n, a): Categorical columns; -1 is a level that training did not see.
    reals: NDArray[np.float64]  # (n, b): Real columns, scaled.

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: NDArray[np.int64]) -> CovariateTable:
        """The given rows."""
        return CovariateTable(self.codes[rows], self.reals[rows])

    def distinct(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Row number of one representative of every distinct row, and for every row which one it is."""
        table = np.hstack([self.codes.astype(np.float64), self.reals])
        _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
        return first, inverse.ravel()


@dataclass(eq=False)
class CovariateRules:
    """How covariates of new points are read and compared with those of training."""

    types: tuple[str, ...]  # Type of every column.
    levels: tuple[tuple[Any, ...], ...]  # Values of every categorical column in training.
    scales: tuple[tuple[float, float], ...]
    width: float  # Width s of the module's head.

    def transform(self, covariates: Any, n_points: int) -> CovariateTable:
        """Encode the covariates (m,) or (m, c) of new points; unseen levels differ from all known ones."""
        columns = _columns(covariates, n_points)
        if len(columns) != len(self.types):
            raise InvalidInputError(
                f"covariates have {len(columns)} column(s), fit had {len(self.types)}: pass the same columns"
            )
        return self._encode(columns)

    def kernel(self, left: CovariateTable, right: CovariateTable) -> NDArray[np.float64]:
        """Gram matrix (n, m) of two encoded tables."""
        K = np.ones((len(left), len(right)))
        if left.codes.shape[1]:
            K *= categorical_kernel(left.codes, right.codes)
        if left.reals.shape[1]:
            K *= rbf_kernel(left.reals, right.reals, self.width)
        return K

    def _encode(self, columns: list[NDArray]) -> CovariateTable:
        n = len(columns[0])
        codes = np.empty((n, len(self.levels)), dtype=np.int64)
        reals = np.empty((n, len(self.scales)))
        kinds = np.array(self.types) == "real"
        for i, j in enumerate(np.flatnonzero(~kinds).tolist()):
            column = pd.Series(columns[j])
            if column.isna().any():
                raise _missing(int(np.flatnonzero(column.isna())[0]), j)
            codes[:, i] = pd.Index(list(self.levels[i])).get_indexer(pd.Index(column))
        for i, j in enumerate(np.flatnonzero(kinds).tolist()):
            mean, spread = self.scales[i]
            reals[:, i] = (_numbers(columns[j], j) - mean) / spread
        return CovariateTable(codes, reals)


class CovariateEncoder(CovariateRules):
    """Levels, scales and width learnt from the training covariates, whose encoded ``table`` it keeps. Shapes:
    covariates (n,)."""

    def __init__(self, covariates: Any, covariate_type: CovariateType, n_points: int) -> None:
        super().__init__((), (), (), 1.0)
        columns = _columns(covariates, n_points)
        self.types = _types(covariate_type, len(columns))
        for j, (column, kind) in enumerate(zip(columns, self.types)):
            values = _numbers(column, j) if kind == "real" else pd.Series(column)
            if pd.isna(values).any():
                raise _missing(int(np.flatnonzero(pd.isna(values))[0]), j)
            levels = pd.unique(values)
            if len(levels) < 2:
                raise InvalidInputError(f"covariate column {j} is constant: it explains nothing, leave it out")
            if isinstance(values, np.ndarray):
                self.scales += ((float(values.mean()), float(values.std())),)
            else:
                self.levels += (tuple(pd.Index(levels).tolist()),)
        self.table = self._encode(columns)
        if self.table.reals.shape[1]:
            self.width = median_width(self.table.reals)

    @property
    def rules(self) -> CovariateRules:
        """What was learnt, without the training table."""
        return CovariateRules(**{field.name: getattr(self, field.name) for field in fields(CovariateRules)})


def _types(covariate_type: Any, count: int) -> tuple[str, ...]:
    types, several = as_entries(covariate_type, "covariate_type")
    types = types if several else types * count
    if len(types) != count or any(t not in TYPES for t in types):
        raise InvalidInputError(
            f"covariate_type={covariate_type!r} does not fit {count} covariate column(s): pass 'categorical' or "
            "'real', or one of them for each column"
        )
    return tuple(types)


def _columns(covariates: Any, n_points: int) -> list[NDArray]:
    if hasattr(covariates, "iloc") and np.ndim(covariates) == 2:
        columns = [np.asarray(covariates.iloc[:, j]) for j in range(covariates.shape[1])]
    else:
        table = as_array(covariates, "covariates")
        if table.ndim not in (1, 2) or table.size == 0:
            raise InvalidInputError(f"covariates have shape {table.shape}, expected ({n_points},) or ({n_points}, c)")
        columns = list(table.reshape(len(table), -1).T)
    if not columns or len(columns[0]) != n_points:
        rows = len(columns[0]) if columns else 0
        raise InvalidInputError(f"covariates have {rows} rows, X has {n_points}: pass one row of covariates per point")
    return columns


def _numbers(column: NDArray, j: int) -> NDArray[np.float64]:
    try:
        values = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"covariate column {j} is declared 'real' but holds values that are not numbers: "
            "pass covariate_type='categorical' for it"
        ) from None
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise _missing(int(bad[0]), j)
    return values


def _missing(row: int, j: int) -> InvalidInputError:
    return InvalidInputError(
        f"covariates are NaN, infinite or missing in row {row}, column {j}: drop such rows or fill them in"
    )
