"""Logistic regression that can be learnt in cells, each cell's model shrunk towards the one of all rows.

    (1)  W    minimises over all rows      sum_j log-loss of x_j'W        +  r/2 |W|^2    but for the intercept
    (2)  V_i  minimises over cell i        sum_j log-loss of x_j'(W + V_i) +  s/2 |V_i|^2
    (3)  P(. | x) = softmax( x'(W + V_i) ),   i the cell of x

s to infinity is the model of all rows in every cell; s to 0 learns every cell alone. (2) is the most probable V_i under
independent normal deviations of variance 1/s: partial pooling of the cells. With one cell V is 0 and the model is (1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ...base.checks import (
    as_array,
    checked_labels,
    class_target,
    distinct,
    in_interval,
    one_of,
    sample_weights,
    validate_data,
    whole_number,
)
from ...base.errors import InvalidInputError
from ...base.inherited_docs import FittedToClasses
from ...stats.multinomial import Group, fit_groups, in_their_span, out_of_their_span, path_of_all, softmax


@dataclass(frozen=True, eq=False)
class PooledModel:
    """Model (3) of one cell: coefficients (p + 1, C), the last row being the intercept."""

    coefficients: NDArray[np.float64]
    classes_: NDArray

    def predict_proba(self, X: NDArray[np.float64]) -> NDArray:
        """P (n, C) of rows X (n, p)."""
        return softmax(with_intercept(X) @ self.coefficients)

    def predict(self, X: NDArray[np.float64]) -> NDArray:
        """Classes (n,)."""
        return self.classes_[(with_intercept(X) @ self.coefficients).argmax(axis=1)]


@dataclass(eq=False, repr=False)
class PooledLogisticRegression(FittedToClasses, ClassifierMixin, BaseEstimator):
    """Multinomial logistic regression; in `LocalModelClassifier` cells learn their deviation from that of all rows.

    ``penalty`` is r of (1) and ``local_penalty`` s of (2), both above 0; ``tol`` bounds the last gradient as a part of
    the first; ``precision="single"`` takes half the time. After ``fit``, ``coefficients_`` (p + 1, C) is W of (1).
    """

    penalty: float = 1.0
    local_penalty: float = 30.0
    tol: float = 1e-3
    precision: Literal["double", "single"] = "double"
    stored: ClassVar[tuple[str, ...]] = ("coefficients_",)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn (1) from rows X (n, p) of the classes y (n,), weighted by ``sample_weight`` (n,)."""
        for name in ("penalty", "local_penalty", "tol"):
            in_interval(getattr(self, name), name, 0.0, np.inf)
        one_of(self.precision, "precision", ("double", "single"))
        rows = validate_data(self, X, dtype=np.float64)
        self.classes_, codes = class_target(self, X, y)
        weights = None if sample_weight is None else sample_weights(sample_weight, len(rows))
        group = as_group(with_intercept(self._worked_on(rows)), codes, len(self.classes_), weights)
        self.coefficients_ = fit_all_rows(group, [self.penalty], self.tol)[0].astype(np.float64)
        return self

    def cell_models(
        self,
        X: NDArray[np.float64],
        y: NDArray,
        cell_index: NDArray[np.int64],
        n_cells: int,
        sample_weight: NDArray[np.float64] | None = None,
    ) -> list[Any]:
        """Models (3), after ``fit`` to the same rows, of the cells that hold them: ``cell_index`` (n,) from 0 to k - 1.
        InvalidInputError where lengths, classes or cells do not fit."""
        check_is_fitted(self)
        points = validate_data(self, X, reset=False, dtype=[np.float64, np.float32], copy=False)
        cells = checked_labels(cell_index, len(points), whole_number(n_cells, "n_cells"), "cell_index")
        codes = self._codes(y, len(points))
        weights = None if sample_weight is None else sample_weights(sample_weight, len(points))
        if n_cells == 1:
            return [PooledModel(self.coefficients_, self.classes_)]
        rows = with_intercept(self._worked_on(points))
        whole = as_group(rows, codes, len(self.classes_), weights, self.coefficients_)
        groups = cell_groups(whole, cells, n_cells)
        deviations = fit_groups(groups, [self.local_penalty], self.tol)[0]
        return [PooledModel(self.coefficients_ + V, self.classes_) for V in deviations]

    def _codes(self, y: ArrayLike, n: int) -> NDArray[np.int64]:
        """Places (n,) of the classes y (n,) among those of ``fit``; InvalidInputError when one is not among them."""
        target = as_array(y, "y")
        if target.shape != (n,):
            raise InvalidInputError(f"y has shape {target.shape}, expected ({n},): pass one class per row of X")
        found, places = distinct(target, "y")
        unknown = np.setdiff1d(found, self.classes_)
        if unknown.size:
            raise InvalidInputError(f"y holds {unknown[0]!r}, which is not a class of fit: pass the rows of fit")
        return np.searchsorted(self.classes_, found)[places]

    def _worked_on(self, rows: NDArray[np.floating]) -> NDArray[np.floating]:
        """The rows in the precision of the work."""
        return rows.astype(np.float32 if self.precision == "single" else np.float64)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """P (n, C) of rows X (n, p) by (1)."""
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        return PooledModel(self.coefficients_, self.classes_).predict_proba(rows)

    def predict(self, X: ArrayLike) -> NDArray:
        """Classes (n,) by (1)."""
        scores = self.predict_proba(X)
        return self.classes_[scores.argmax(axis=1)]


def with_intercept(X: NDArray[np.floating]) -> NDArray:
    """X with a last column of ones."""
    return np.column_stack([X, np.ones(len(X), dtype=X.dtype)])


def as_group(
    X: NDArray[np.floating],
    codes: NDArray[np.int64],
    n_classes: int,
    weights: NDArray[np.float64] | None = None,
    coefficients: NDArray[np.float64] | None = None,
) -> Group:
    """Rows with an intercept, classes 0..C-1 as indicators, and first scores by ``coefficients``; in the type of X."""
    scores = np.zeros((len(X), n_classes), X.dtype) if coefficients is None else X @ coefficients.astype(X.dtype)
    counted = np.ones(len(X)) if weights is None else weights
    return Group(X, np.eye(n_classes, dtype=X.dtype)[codes], scores, counted.astype(X.dtype))


def cell_groups(whole: Group, cell_index: NDArray[np.int64], n_cells: int) -> list[Group]:
    """The rows of every cell."""
    order = np.argsort(cell_index, kind="stable")
    ends = np.cumsum(np.bincount(cell_index, minlength=n_cells))[:-1]
    return [Group(*(part[rows] for part in whole)) for rows in np.split(order, ends)]


def fit_all_rows(whole: Group, penalties: Sequence[float], tol: float) -> NDArray[np.float64]:
    """W (t, p, C) of (1) for every penalty, best in decreasing order."""
    return np.array(list(all_rows_path(whole, penalties, tol)))


def all_rows_path(whole: Group, penalties: Sequence[float], tol: float) -> Iterator[NDArray[np.floating]]:
    """The W (p, C) of `fit_all_rows` for one penalty after the other, none before it is asked for."""
    n, p = whole.X.shape
    rows = None
    if n < p - 1:  # the penalised columns span n dimensions at most: their own coordinates are as good, and few
        rows = whole.X[None, :, :-1].astype(np.float64)
        within = in_their_span(rows)
        whole = whole._replace(X=with_intercept(within[0]).astype(whole.X.dtype))
    free = np.arange(whole.X.shape[1]) == whole.X.shape[1] - 1
    for W in path_of_all(whole, free, penalties, tol):
        if rows is not None:
            W = np.vstack([out_of_their_span(W[None, :-1], rows, within)[0], W[-1:]]).astype(W.dtype)
        yield W
