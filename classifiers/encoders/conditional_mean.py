"""Conditional-mean encoding: tables of every level of scale become points of the unit cube.

    (1)  x_jf  ->  mean( y_i : x_if = x_jf )          over the training rows i
    (2)  a value unseen in training  ->  mean(y)

With y in {0, 1} the encoded entry estimates P(Y = 1 | X_f = x_jf), so the data are in [0, 1]^d and Euclidean
distance compares rows by what each of their values says about the target (dissertation, section 4.2, Algorithms
2 and 3; there, rows with unseen values have no encoding and leave the data: rule (2) keeps them).

Plain means follow the labels of single rows where values are rare: a column of names separates the classes of the
training rows perfectly and predicts nothing for others. So by default the means are shrunk by empirical Bayes, and the
training rows themselves are encoded from other rows than themselves (`column_table`, (3) and (4)).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import Tags, _safe_indexing, check_random_state
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_y, check_consistent_length, check_is_fitted

from ...base.atomic_fit import AtomicFit
from ...base.checks import as_number, class_codes, refuse_masked, require_target, whole_number
from ...base.columns import MixedTable, as_frame, as_numbers, names_of_features
from ...base.errors import InvalidInputError
from .column_table import GroupedColumn
from .line_column import LineColumn
from .roles import columns_of_its_date

FEW_ROWS = 100  # With fewer rows, numbers with many values get a line instead of intervals.
LEVEL = 0.01  # Level of the test of whether a column tells the classes apart.


@dataclass(eq=False, repr=False, kw_only=True)
class ConditionalMeanEncoder(AtomicFit, MixedTable, TransformerMixin, BaseEstimator):
    """Replace every value by the mean of y over the training rows that hold it.

    Parameters
    ----------
    bins : "auto", "modl", None, int or mapping, default "auto"
        How numbers are grouped before averaging. None: every value by itself. An integer q: q intervals
        between quantiles (5 gives 20 % quantiles); columns with at most q values are left as they are.
        "auto": fifths for columns that hold fewer than ten rows per value on average (below 100 rows, where
        smoothing is "auto" too, a straight line, `LineColumn`), every value by itself otherwise. "modl": the
        intervals of numbers and groups of categories that tell the classes apart best (`LogLikelihoodEncoder`),
        in place of bins made by hand; classes only. A mapping from column name (or index, for arrays) to one of these
        decides column by column; columns it does not name follow "auto".
    smoothing : float or "auto", default "auto"
        Weight m of the overall mean in every average, (sum + m ybar) / (count + m). "auto" estimates it for each
        column by empirical Bayes: the less the values' means differ beyond chance, the larger; a feature of which
        they do not differ beyond chance (an F test at level .01) has no output column; where no feature passes, the one
        of the smallest p-value stays. 0 is the plain mean of the dissertation.
    cross_fit : int, default 5
        Folds by which `fit_transform` encodes every training row from the rows of the other folds; 0 encodes
        training rows as new rows are.
    random_state : int, RandomState or None, default 0
        Seed of the folds.

    Attributes
    ----------
    tables_ : list of ColumnTable
        The fitted averages, one per column.
    kept_ : ndarray of int
        Output columns, among those of all features (C per feature for C > 2 classes); all of them unless smoothing is
        "auto".
    classes_ : ndarray or None
        Classes of y in sorted order; None when y is a continuous quantity, whose mean is taken as it is.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Column names, when X is a DataFrame with text names.

    Raises
    ------
    InvalidInputError
        From ``fit`` and ``transform``: infinite numbers; from ``fit``: y of one class, an option that is not
        known, or a name in ``bins`` that is not a column.

    Notes
    -----
    Exact; O(n log n) per column. Two classes give one output column per feature, the mean of the indicator of the
    second class; C > 2 classes give C columns per feature, one against the rest. Booleans, texts and
    categoricals are compared as texts, times are numbers (days since 1970). A missing entry is a value of its
    own. The encoding of the training rows uses their own labels: averages over few rows follow the labels
    closely, which is what ``bins`` and ``smoothing`` are for.

    References
    ----------
    The dissertation, section 4.2; Stanfill and Waltz 1986 (value difference metric).

    Examples
    --------
    >>> import pandas as pd
    >>> from partitope.classifiers import ConditionalMeanEncoder
    >>> table = pd.DataFrame({"colour": ["red", "red", "blue", None]})
    >>> encoder = ConditionalMeanEncoder(smoothing=0.0).fit(table, [1, 0, 0, 1])
    >>> encoder.transform(pd.DataFrame({"colour": ["red", "green", None]})).ravel()
    array([0.5, 0.5, 1. ])
    """

    bins: Literal["auto", "modl"] | int | Mapping[Any, Any] | None = "auto"
    smoothing: float | Literal["auto"] = "auto"
    cross_fit: int = 5
    random_state: int | np.random.RandomState | None = 0
    stored: ClassVar[tuple[str, ...]] = ("tables_", "kept_")

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Average y over the rows of each value.

        Parameters
        ----------
        X : (n, d) DataFrame or array_like
            Numbers, texts, booleans, categories, times; missing entries allowed.
        y : (n,) array_like
            Classes, or a continuous quantity.

        Returns
        -------
        self
        """
        self._fit(X, y, cross_fit=0)
        return self

    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[np.float64]:
        """Fit, and the training rows encoded by averages over the rows of other folds; parameters as for `fit`."""
        return self._fit(X, y, cross_fit=self.cross_fit)

    def _fit(self, X: ArrayLike, y: ArrayLike | None, cross_fit: int) -> NDArray[np.float64]:
        """Learn the tables; the encoded training rows (n, p)."""
        require_target(self, y)
        frame = as_frame(self, X, reset=True)
        refuse_masked(y, "y")
        target = np.asarray(_check_y(y, multi_output=False))
        check_consistent_length(frame, target)
        self.classes_, targets = targets_of(target)
        self._check_options()
        bins = self._bins(list(frame.columns))
        folds = self._folds(target, cross_fit) if cross_fit else None
        columns = [self._column(column, targets, bins[f]) for f, (_, column) in enumerate(frame.items())]
        if self.smoothing == "auto":
            tries = [targets.shape[1] * parts for parts in columns_of_its_date(frame.columns)]
            chances = [column.mean_squares.chances().min() * count for column, count in zip(columns, tries)]
            weights = [
                column.mean_squares.shrinkage()
                if chance <= max(LEVEL, min(chances))
                else np.full(targets.shape[1], np.inf)
                for column, chance in zip(columns, chances)
            ]
            kept = np.flatnonzero(np.isfinite(np.concatenate(weights)))
        else:
            weights = [np.full(targets.shape[1], float(self.smoothing))] * len(columns)
            kept = np.empty(0, dtype=np.int64)
        self.tables_ = [column.table(m) for column, m in zip(columns, weights)]
        self.kept_ = kept if kept.size else np.arange(sum(table.default.size for table in self.tables_))
        return np.hstack([column.encoded(m, folds) for column, m in zip(columns, weights)])[:, self.kept_]

    def _column(self, column: Any, targets: NDArray[np.float64], bins: Any) -> GroupedColumn | LineColumn:
        """A training column with what is averaged: a line where intervals would hold too few rows."""
        grouped = GroupedColumn.of(column, targets, bins)
        few = len(targets) < FEW_ROWS and self.smoothing == "auto" and bins == "auto"
        numbers = as_numbers(column) if few and grouped.kind == "bins" else None
        return grouped if numbers is None else LineColumn(grouped.name, numbers, targets)

    @property
    def informative_(self) -> NDArray[np.int64]:
        """Places of the features that have an output column."""
        check_is_fitted(self, "tables_")
        return np.unique(self.kept_ // self.tables_[0].default.size)

    @property
    def uninformative_(self) -> list[str]:
        """Names of the features that are left out, because the means of their values differ no more than by chance."""
        informative = set(self.informative_.tolist())
        return [table.name for f, table in enumerate(self.tables_) if f not in informative]

    def _check_options(self) -> None:
        smoothing: Any = self.smoothing
        if not (0 <= as_number(smoothing) < np.inf or (isinstance(smoothing, str) and smoothing == "auto")):
            raise InvalidInputError(f"smoothing={smoothing!r} is not usable: expected 'auto' or a number >= 0")
        if whole_number(self.cross_fit, "cross_fit", 0) == 1:
            raise InvalidInputError(f"cross_fit={self.cross_fit!r}: expected 0 or a number of folds >= 2")

    def _folds(self, y: NDArray, count: int) -> NDArray[np.int64]:
        """Fold (n,) of every row, each class dealt out evenly."""
        drawn = check_random_state(self.random_state).permutation(len(y))
        order = drawn if self.classes_ is None else drawn[np.argsort(y[drawn], kind="stable")]
        folds = np.empty(len(y), dtype=np.int64)
        folds[order] = np.arange(len(y)) % count
        return folds

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Encoded rows, the columns in ``kept_`` of (n, d) for two classes, of (n, d C) for C > 2 classes."""
        check_is_fitted(self)
        frame = as_frame(self, X, reset=False)
        every = np.hstack([table.transform(column) for table, (_, column) in zip(self.tables_, frame.items())])
        return every[:, self.kept_]

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the output columns: the feature's own, or ``feature=class`` for more than two classes."""
        check_is_fitted(self)
        names = names_of_features(self, input_features)
        if self.classes_ is not None and len(self.classes_) > 2:
            names = [f"{name}={label}" for name in names for label in self.classes_]
        return np.array(names, dtype=object)[self.kept_]

    def _bins(self, names: list[object]) -> list[object]:
        """Checked option of every column."""
        chosen = dict(self.bins) if isinstance(self.bins, Mapping) else dict.fromkeys(names, self.bins)
        unknown = [name for name in chosen if name not in names]
        if unknown:
            raise InvalidInputError(f"bins names {unknown[0]!r}, which is not a column: choose among {names}")
        for name, value in chosen.items():
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 2
            if not (value is None or whole or (isinstance(value, str) and value in ("auto", "modl"))):
                raise InvalidInputError(
                    f"bins={value!r} for column {name!r}: expected 'auto', 'modl', None or an integer >= 2"
                )
            if value == "modl" and self.classes_ is None:
                raise InvalidInputError("bins='modl' tells classes apart, y is a continuous quantity: use 'auto'")
        return [chosen.get(name, "auto") for name in names]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def held_out_encoding(
    encoder: BaseEstimator, X: ArrayLike, y: NDArray, n_folds: int, random_state: np.random.RandomState
) -> NDArray[np.float64] | None:
    """Rows (n, p) of X encoded by an encoder that was fitted without them, fold by fold."""
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < 2:
        return None
    if isinstance(encoder, ConditionalMeanEncoder) and encoder.smoothing == "auto":  # keeps the same columns this way
        options = {"cross_fit": min(n_folds, smallest), "random_state": random_state}
        return np.asarray(clone(encoder).set_params(**options).fit_transform(X, y))
    folds = StratifiedKFold(min(n_folds, smallest), shuffle=True, random_state=random_state)
    encoded: NDArray[np.float64] | None = None
    for rest, held in folds.split(np.zeros(len(y)), y):
        block = np.asarray(clone(encoder).fit(_safe_indexing(X, rest), y[rest]).transform(_safe_indexing(X, held)))
        if encoded is None:
            encoded = np.empty((len(y), block.shape[1]))
        if block.shape[1] != encoded.shape[1]:
            raise InvalidInputError(
                f"encoder gives {block.shape[1]} columns on one fold and {encoded.shape[1]} on another: cross_fit "
                f"needs the same columns on every fold; use cross_fit=0 or an encoder with fixed columns"
            )
        encoded[held] = block
    return encoded


def targets_of(y: NDArray) -> tuple[NDArray | None, NDArray[np.float64]]:
    """Classes in sorted order, and the indicator of the second (n, 1), or of each of more than two (n, C); of a
    continuous quantity None, and itself (n, 1)."""
    if type_of_target(y).startswith("continuous"):
        return None, np.asarray(y, dtype=np.float64)[:, None]
    classes, _ = class_codes(y)
    wanted = classes if len(classes) > 2 else classes[-1:]
    return classes, (y[:, None] == wanted[None, :]).astype(np.float64)
