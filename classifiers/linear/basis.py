"""The columns in which a model is linear: numbers, their bends, and indicators of words, all on one scale.

    (1)  number j     (x_j - mean) / sd;  with splines also B_1(x_j), ..., B_m(x_j), cubic between quantiles of x_j
    (2)  word j       one indicator a value; values of fewer than ``rare`` rows, and unseen ones, have none
    (3)  missing      the number's mean, and an indicator where training rows lacked the number

Every column is centred and divided by its standard deviation, indicators by at least a tenth, so that one penalty fits
all. A model that is linear in these columns is additive in those of the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import SplineTransformer
from sklearn.utils.validation import check_is_fitted

from ...base.checks import one_of, whole_number
from ...base.columns import MixedTable, as_frame, as_numbers, as_texts, refuse_infinite
from ...base.errors import InvalidInputError
from ..state import FromState, check_format, feature_names, set_feature_names

FORMAT = "partitope.LinearBasis"
ARRAYS = ("numeric", "gaps", "fill", "bent", "means", "spreads")
FEW_VALUES = 10  # a number of no more distinct values bends nowhere between them


@dataclass(eq=False, repr=False)
class LinearBasis(FromState, MixedTable, TransformerMixin, BaseEstimator):
    """Turn a table of numbers and words into the columns of a linear model.

    Parameters
    ----------
    kind : {"linear", "spline"}, default "linear"
        Numbers as they are, or with cubic splines beside them.
    knots : int, default 5
        Quantiles between which a spline is cubic; at least 2.
    rare : int, default 5
        Values of fewer rows than this have no indicator.

    Attributes
    ----------
    n_columns_ : int
        Columns of the result.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    InvalidInputError
        From ``fit``: an option that is not known; infinite numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from partitope.classifiers import LinearBasis
    >>> LinearBasis(rare=1).fit_transform(pd.DataFrame({"size": [1.0, 3.0], "colour": ["red", "blue"]})).tolist()
    [[-1.0, -1.0, 1.0], [1.0, 1.0, -1.0]]
    """

    kind: Literal["linear", "spline"] = "linear"
    knots: int = 5
    rare: int = 5

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn means, knots and values from the rows of X (n, d); y is not used."""
        one_of(self.kind, "kind", ("linear", "spline"))
        whole_number(self.knots, "knots", 2)
        whole_number(self.rare, "rare", 1)
        table = as_frame(self, X, reset=True)
        numbers = [as_numbers(table.iloc[:, j]) for j in range(table.shape[1])]
        self.numeric_ = np.array([j for j, column in enumerate(numbers) if column is not None], dtype=np.int64)
        found = (
            np.column_stack([numbers[j] for j in self.numeric_]) if self.numeric_.size else np.empty((len(table), 0))
        )
        self._fit_numbers(found)
        self.values_ = {j: _values(table.iloc[:, j], self.rare) for j, column in enumerate(numbers) if column is None}
        raw = self._columns(table)
        self.means_, spread = raw.mean(axis=0), raw.std(axis=0)
        self.spreads_ = np.where(spread > 0, np.maximum(spread, 0.1), 1.0)
        width = self.numeric_.size  # numbers stand first, on whatever scale they have
        self.spreads_[:width] = np.where(spread[:width] > 0, spread[:width], 1.0)
        self.n_columns_ = raw.shape[1]
        return self

    def _fit_numbers(self, found: NDArray[np.float64]) -> None:
        for place, j in enumerate(self.numeric_):
            refuse_infinite(found[:, place], j)
        absent = np.isnan(found)
        self.gaps_ = np.flatnonzero(absent.any(axis=0))
        counts = (~absent).sum(axis=0)
        self.fill_ = np.where(absent, 0.0, found).sum(axis=0) / np.maximum(counts, 1)
        self.bent_ = np.empty(0, dtype=np.int64)
        if self.kind == "spline":
            filled = np.where(absent, self.fill_, found)
            many = [len(np.unique(column)) > FEW_VALUES for column in filled.T]
            self.bent_ = np.flatnonzero(many)
            if self.bent_.size:
                knots = np.quantile(filled[:, self.bent_], np.linspace(0.0, 1.0, self.knots), axis=0)
                tiny = 1e-9 * np.maximum(np.abs(knots).max(axis=0), 1e-30)
                self.knots_ = knots + np.arange(self.knots)[:, None] * tiny  # equal quantiles are moved apart

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Columns (n, p) of the rows of X (n, d)."""
        check_is_fitted(self, "means_")
        return np.asarray((self._columns(as_frame(self, X, reset=False)) - self.means_) / self.spreads_)

    def to_dict(self) -> dict[str, Any]:
        """Fitted state as plain lists, numbers and texts, fit for JSON; the inverse is `from_dict`."""
        check_is_fitted(self, "means_")
        return {
            "format": FORMAT,
            "version": 1,
            "kind": self.kind,
            "n_features": int(self.n_features_in_),
            "feature_names": feature_names(self),
            **{name: getattr(self, f"{name}_").tolist() for name in ARRAYS},
            "knots": self.knots_.tolist() if self.bent_.size else None,
            "values": {str(j): values for j, values in self.values_.items()},
        }

    def _read_state(self, state: Mapping[str, Any]) -> None:
        check_format(state, FORMAT, 1)
        self.kind = state["kind"]
        for name in ARRAYS:
            whole = name in ("numeric", "gaps", "bent")
            setattr(self, f"{name}_", np.array(state[name], dtype=np.int64 if whole else np.float64))
        if self.bent_.size:
            self.knots_ = np.array(state["knots"], dtype=np.float64)
        self.values_ = {int(j): [str(value) for value in values] for j, values in state["values"].items()}
        self.n_features_in_, self.n_columns_ = int(state["n_features"]), len(self.means_)
        set_feature_names(self, state["feature_names"])
        if self.means_.shape != self.spreads_.shape or not (self.spreads_ > 0).all():
            raise InvalidInputError("the state's means and spreads do not fit, or a spread is not positive")

    def _numbers(self, table: pd.DataFrame) -> NDArray[np.float64]:
        """The numeric columns (n, m); at once where all are plain numbers, which is much faster than one by one."""
        if all(isinstance(kind, np.dtype) and kind.kind in "fiu" for kind in table.dtypes):
            found = table.to_numpy(np.float64)[:, self.numeric_]
            if np.isfinite(found).all():
                return found
        return np.column_stack([_read(table.iloc[:, j]) for j in self.numeric_])

    def _columns(self, table: pd.DataFrame) -> NDArray[np.float64]:
        """Columns before they are centred and scaled."""
        parts = []
        if self.numeric_.size:
            found = self._numbers(table)
            absent = np.isnan(found)
            filled = np.where(absent, self.fill_, found)
            parts += [filled, absent[:, self.gaps_].astype(np.float64)]
            if self.bent_.size:
                parts.append(_splines(filled[:, self.bent_], self.knots_))
        for j, values in self.values_.items():
            places = pd.Index(values, dtype=object).get_indexer(pd.Index(_words(table.iloc[:, j])))
            parts.append((places[:, None] == np.arange(len(values))).astype(np.float64))
        return np.hstack(parts)


def _splines(found: NDArray[np.float64], knots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cubic splines of columns between their increasing knots (knots, columns), straight beyond them."""
    made = SplineTransformer(len(knots), knots=knots, extrapolation="linear", include_bias=False).fit(knots)
    return np.asarray(made.transform(found))


def _read(column: pd.Series) -> NDArray[np.float64]:
    """Numbers of a column that held numbers when the basis was fitted; what is none counts as missing."""
    numbers = as_numbers(column)
    if numbers is None:
        numbers = pd.to_numeric(pd.Series(as_texts(column), dtype=object), errors="coerce").to_numpy(np.float64)
    refuse_infinite(numbers, column.name)
    return numbers


def _words(column: pd.Series) -> NDArray[np.object_]:
    """Values as texts, a missing one as the empty text."""
    texts = as_texts(column)
    return np.array(["" if text is None else text for text in texts], dtype=object)


def _values(column: pd.Series, rare: int) -> list[str]:
    """Values of at least ``rare`` rows; the others share no indicator, which then is all zeros."""
    counts = pd.Series(_words(column)).value_counts()
    return sorted(str(value) for value in counts.index[counts >= rare])
