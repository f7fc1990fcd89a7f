"""The columns in which a model is linear: numbers, their bends, and indicators of words, all on one scale.

    (1)  number j     (x_j - mean) / sd;  with splines also B_1(x_j), ..., B_m(x_j), cubic between quantiles of x_j
    (2)  word j       one indicator a value; values of fewer than ``rare`` rows, and unseen ones, have none
    (3)  missing      the number's mean, and an indicator where training rows lacked the number
    (4)  products     z_a z_b for all pairs a <= b of the standardised columns (1) and (2) without splines, or of their
                      leading principal components where there are more than `PAIRED` columns; z cut off at +- `FAR`
    (5)  log-odds     log( t / (1 - t) ), cut off at +- `SURE`, of every column t of `ConditionalMeanEncoder`: the share
                      of a class among the rows with this value, taken for a training row from others than itself

Every column is centred and divided by its standard deviation, but for numbers by at least a tenth, so that one penalty
fits all. A model that is linear in (1) to (3) and (5) is additive in the columns of the table; with (4) it is not. (5)
follows numbers whose single values mean something of their own, and words of many values, by one coefficient each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import SplineTransformer
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ...base.atomic_fit import AtomicFit
from ...base.checks import one_of, require_target, whole_number
from ...base.columns import MixedTable, as_frame, as_numbers, as_texts, numbers_as_learnt, refuse_infinite
from ...base.errors import InvalidInputError
from ..encoders.conditional_mean import ConditionalMeanEncoder

Kind = Literal["linear", "spline", "products"]
# Components of products at most; cut-offs of z, in standard deviations, and of log-odds.
PAIRED, FAR, SURE = 20, 3.0, 6.0
FEW_VALUES = 10  # A column with at most this many distinct values gets no bends between them.


@dataclass(eq=False, repr=False)
class LinearBasis(AtomicFit, MixedTable, TransformerMixin, BaseEstimator):
    """Turn a table of numbers and words into the columns of a linear model.

    ``kind`` is "linear", "spline" or "products"; ``informative`` keeps the columns that tell classes apart better than
    chance; ``log_odds`` appends (5). After ``fit``, ``n_columns_`` is the width of the result.
    """

    kind: Kind = "linear"
    knots: int = 5
    rare: int = 5
    informative: bool = False
    log_odds: bool = False
    stored: ClassVar[tuple[str, ...]] = (
        "kind", "log_odds", "numeric_", "gaps_", "fill_", "bent_", "knots_", "values_", "means_", "spreads_",
        "directions_", "n_columns_", "encoder_",
    )  # fmt: skip

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn means, knots and values from the rows of X (n, d); the classes y (n,) where an option looks at them."""
        self._fit(X, y)
        return self

    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[np.float64]:
        """Columns (n, p) of the rows of X (n, d), after learning from them as `fit` does."""
        return self._fit(X, y)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.informative or self.log_odds
        return tags

    def _fit(self, X: ArrayLike, y: ArrayLike | None) -> NDArray[np.float64]:
        one_of(self.kind, "kind", get_args(Kind))
        whole_number(self.knots, "knots", 2)
        whole_number(self.rare, "rare", 1)
        table = as_frame(self, X, reset=True)
        used = range(table.shape[1])
        # whatever looks at classes comes from one encoder: its test of columns, its shares for (5)
        self.encoder_: ConditionalMeanEncoder | None = None
        if self.informative or self.log_odds:
            require_target(self, y)
            encoder = ConditionalMeanEncoder()
            shares = encoder.fit_transform(table, y)
            used = encoder.informative_.tolist() if self.informative else used
            self.encoder_ = encoder if self.log_odds else None
        # numbers come first, then categories, each in the order of the table
        columns = [column for _, column in table.items()]
        found_in = {j: as_numbers(columns[j]) for j in used}
        numbers = {j: column for j, column in found_in.items() if column is not None}
        self.numeric_ = np.array(list(numbers), dtype=np.int64)
        found = np.column_stack(list(numbers.values())) if numbers else np.empty((len(table), 0))
        self._fit_numbers(found)
        words = {j: _words(columns[j]) for j in found_in if j not in numbers}
        self.values_ = {j: _values(texts, self.rare) for j, texts in words.items()}
        raw = self._columns(found, words)
        # indicators of few rows keep a spread of a tenth, or one penalty would be too small for them
        self.means_, self.spreads_ = raw.mean(axis=0), scale(raw)
        width = self.numeric_.size  # numbers come first, in their own scale
        spread = raw[:, :width].std(axis=0)
        self.spreads_[:width] = np.where(spread > 0, spread, 1.0)
        standard = (raw - self.means_) / self.spreads_
        # products come of the standardised columns, and are standardised themselves
        self.directions_: NDArray[np.float64] | None = None
        if self.kind == "products":
            paired = standard[:, self.columns_of("linear")]
            self.directions_ = _leading(paired) if paired.shape[1] > PAIRED else None
            standard = self._append(standard, self._products(standard))
        if self.encoder_ is not None:
            if self.encoder_.classes_ is None:
                raise InvalidInputError("log_odds=True needs classes, y is a continuous quantity: leave it out")
            standard = self._append(standard, log_odds(shares))
        self.n_columns_ = standard.shape[1]
        return np.asarray(standard)

    def _append(self, columns: NDArray[np.float64], raw: NDArray[np.float64]) -> NDArray[np.float64]:
        """The columns and, centred and scaled, further ones."""
        means, spreads = raw.mean(axis=0), scale(raw)
        self.means_, self.spreads_ = np.append(self.means_, means), np.append(self.spreads_, spreads)
        return np.hstack([columns, (raw - means) / spreads])

    def columns_of(self, kind: Kind) -> NDArray[np.int64]:
        """Places among the columns of those that a basis of this kind, not above its own, would have."""
        one_of(kind, "kind", get_args(Kind))
        words = sum(len(values) for values in self.values_.values())
        straight = self.numeric_.size + self.gaps_.size
        bent = self.bent_.size * (self.knots_.shape[0] + 1) if self.bent_.size else 0
        plain = np.arange(straight + bent + words)
        if kind == "linear":
            return np.delete(plain, np.arange(straight, straight + bent))
        log_odds_columns = 0 if self.encoder_ is None else self.encoder_.kept_.size  # (5), which come last
        return plain if kind == "spline" else np.arange(self.n_columns_ - log_odds_columns)

    def _products(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """(4), before it is centred and scaled, of standardised columns (n, p)."""
        paired = columns[:, self.columns_of("linear")]
        z = np.clip(paired if self.directions_ is None else paired @ self.directions_, -FAR, FAR)
        first, second = np.triu_indices(z.shape[1])
        return z[:, first] * z[:, second]

    def _fit_numbers(self, found: NDArray[np.float64]) -> None:
        for place, j in enumerate(self.numeric_):
            refuse_infinite(found[:, place], j)
        absent = np.isnan(found)
        self.gaps_ = np.flatnonzero(absent.any(axis=0))
        counts = (~absent).sum(axis=0)
        self.fill_ = np.where(absent, 0.0, found).sum(axis=0) / np.maximum(counts, 1)
        self.bent_ = np.empty(0, dtype=np.int64)
        if self.kind != "linear":
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
        table = as_frame(self, X, reset=False)
        found = self._numbers(table) if self.numeric_.size else np.empty((len(table), 0))
        raw = self._columns(found, {j: _words(table.iloc[:, j]) for j in self.values_})
        width = raw.shape[1]
        parts = [(raw - self.means_[:width]) / self.spreads_[:width]]
        further = [self._products(parts[0])] if self.kind == "products" else []
        if self.encoder_ is not None:
            further.append(log_odds(self.encoder_.transform(table)))
        for more in further:
            width, end = width + more.shape[1], width
            parts.append((more - self.means_[end:width]) / self.spreads_[end:width])
        return np.hstack(parts)

    def _numbers(self, table: pd.DataFrame) -> NDArray[np.float64]:
        """The numeric columns (n, m); at once where all are plain numbers, which is much faster than one by one."""
        if all(isinstance(kind, np.dtype) and kind.kind in "fiu" for kind in table.dtypes):
            found = table.to_numpy(np.float64)[:, self.numeric_]
            if np.isfinite(found).all():
                return found
        return np.column_stack([numbers_as_learnt(table.iloc[:, j]) for j in self.numeric_])

    def _columns(self, found: NDArray[np.float64], words: Mapping[int, NDArray]) -> NDArray[np.float64]:
        """Columns (1) to (3) of numbers (n, m) and words, before they are centred and scaled."""
        absent = np.isnan(found)
        filled = np.where(absent, self.fill_, found)
        parts = [filled, absent[:, self.gaps_].astype(np.float64)]
        if self.bent_.size:
            bends = SplineTransformer(knots=self.knots_, extrapolation="linear", include_bias=False).fit(self.knots_)
            parts.append(bends.transform(filled[:, self.bent_]))
        for j, values in self.values_.items():
            places = pd.Index(values, dtype=object).get_indexer(pd.Index(words[j], dtype=object))
            parts.append((places[:, None] == np.arange(len(values))).astype(np.float64))
        return np.hstack(parts)


def log_odds(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """(5) of shares from 0 to 1, before it is centred and scaled."""
    with np.errstate(divide="ignore"):
        return np.clip(np.asarray(logit(shares)), -SURE, SURE)


def scale(raw: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard deviations (p,), at least a tenth, and 1 for constant columns."""
    spread = raw.std(axis=0)
    return np.where(spread > 0, np.maximum(spread, 0.1), 1.0)


def _leading(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Directions (p, PAIRED) of the leading principal components of columns (n, p), of variance 1 along them."""
    variances, directions = np.linalg.eigh(columns.T @ columns / len(columns))
    largest = np.maximum(variances[-PAIRED:], 1e-9 * variances[-1])
    leading: NDArray[np.float64] = directions[:, -PAIRED:] / np.sqrt(largest)
    return leading * np.where(leading.sum(axis=0) < 0, -1.0, 1.0)


def _words(column: pd.Series) -> NDArray[np.object_]:
    """Values as texts, a missing one as the empty text."""
    texts = as_texts(column)
    texts[pd.isna(texts)] = ""
    return texts


def _values(words: NDArray[np.object_], rare: int) -> list[str]:
    """Values of at least ``rare`` rows; the others share no indicator, which then is all zeros."""
    which, values = pd.factorize(words)
    return sorted(str(value) for value in values[np.bincount(which, minlength=len(values)) >= rare])
