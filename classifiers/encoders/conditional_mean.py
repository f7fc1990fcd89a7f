"""Conditional-mean encoding: tables of every level of scale become points of the unit cube.

    (1)  x_jf  ->  mean( y_i : x_if = x_jf )          over the training rows i
    (2)  a value unseen in training  ->  mean(y)

With y in {0, 1} the encoded entry estimates P(Y = 1 | X_f = x_jf), so the data lie in [0, 1]^d and Euclidean
distance compares rows by what each of their values says about the target (dissertation, section 4.2, Algorithms
2 and 3; there, rows with unseen values have no encoding and leave the data: rule (2) keeps them).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_y, check_consistent_length, check_is_fitted

from ...base.checks import class_codes, require_target
from ...base.columns import MixedTable, as_frame, input_names
from ...base.errors import InvalidInputError
from ..state import FromState, check_format, feature_names, plain_labels, set_feature_names
from .column_table import ColumnTable

FORMAT = "partitope.ConditionalMeanEncoder"


@dataclass(eq=False, repr=False, kw_only=True)
class ConditionalMeanEncoder(FromState, MixedTable, TransformerMixin, BaseEstimator):
    """Replace every value by the mean of y over the training rows that hold it.

    Parameters
    ----------
    bins : "auto", "modl", None, int or mapping, default "auto"
        How numbers are grouped before averaging. None: every value by itself. An integer q: q intervals
        between quantiles (5 gives 20 % quantiles); columns with at most q values are left as they are.
        "auto": fifths for columns that hold fewer than ten rows a value on average, every value by itself
        otherwise. "modl": the intervals of numbers and groups of categories that tell the classes apart best
        (`MODLDiscretizer`, `MODLGrouper`), in place of bins made by hand; classes only. A mapping from column name
        (or index, for arrays) to one of these decides column by column; columns it does not name follow "auto".
    smoothing : float, default 0.0
        Weight m of the overall mean in every average, (sum + m ybar) / (count + m).

    Attributes
    ----------
    tables_ : list of ColumnTable
        The fitted averages, one a column.
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
        known, or a name in ``bins`` that is no column.

    Notes
    -----
    Exact; O(n log n) a column. Two classes give one output column a feature, the mean of the indicator of the
    second class; C > 2 classes give C columns a feature, one against the rest. Booleans, texts and
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
    >>> encoder = ConditionalMeanEncoder().fit(table, [1, 0, 0, 1])
    >>> encoder.transform(pd.DataFrame({"colour": ["red", "green", None]})).ravel()
    array([0.5, 0.5, 1. ])
    """

    bins: Literal["auto", "modl"] | int | Mapping[Any, Any] | None = "auto"
    smoothing: float = 0.0

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
        require_target(self, y)
        frame = as_frame(self, X, reset=True)
        y = _check_y(y, multi_output=False)
        check_consistent_length(frame, y)
        targets = self._targets(np.asarray(y))
        if not np.isfinite(self.smoothing) or self.smoothing < 0:
            raise InvalidInputError(f"smoothing={self.smoothing} is not usable: expected a finite number >= 0")
        bins = self._bins(list(frame.columns))
        self.tables_ = [
            ColumnTable.fit(frame.iloc[:, f], targets, bins[f], self.smoothing) for f in range(frame.shape[1])
        ]
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Encoded rows: (n, d) for two classes, (n, d C) for C > 2, the C columns of a feature side by side."""
        check_is_fitted(self)
        frame = as_frame(self, X, reset=False)
        return np.hstack([table.transform(frame.iloc[:, f]) for f, table in enumerate(self.tables_)])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the output columns: the feature's own, or ``feature=class`` for more than two classes."""
        check_is_fitted(self)
        names = input_names(self, input_features)
        if self.classes_ is None or len(self.classes_) <= 2:
            return np.array(names, dtype=object)
        return np.array([f"{name}={label}" for name in names for label in self.classes_], dtype=object)

    def to_dict(self) -> dict[str, Any]:
        """Fitted state as plain lists, numbers and texts, fit for JSON; the inverse is `from_dict`."""
        check_is_fitted(self)
        return {
            "format": FORMAT,
            "version": 1,
            "classes": None if self.classes_ is None else plain_labels(self.classes_),
            "feature_names": feature_names(self),
            "columns": [table.to_dict() for table in self.tables_],
        }

    def _read_state(self, state: Mapping[str, Any]) -> None:
        check_format(state, FORMAT, 1)
        self.tables_ = [ColumnTable.from_dict(column) for column in state["columns"]]
        self.classes_ = None if state["classes"] is None else np.array(state["classes"])
        self.n_features_in_ = len(self.tables_)
        set_feature_names(self, state["feature_names"])

    def _targets(self, y: NDArray) -> NDArray[np.float64]:
        if type_of_target(y).startswith("continuous"):
            self.classes_ = None
            return np.asarray(y, dtype=np.float64)[:, None]
        self.classes_, targets = class_indicators(y)
        return targets

    def _bins(self, names: list[Any]) -> list[Any]:
        """Checked option of every column."""
        chosen = dict(self.bins) if isinstance(self.bins, Mapping) else dict.fromkeys(names, self.bins)
        unknown = [name for name in chosen if name not in names]
        if unknown:
            raise InvalidInputError(f"bins names {unknown[0]!r}, which is no column: choose among {names}")
        for name, value in chosen.items():
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= 2
            if not (value is None or value in ("auto", "modl") or whole):
                raise InvalidInputError(
                    f"bins={value!r} for column {name!r}: expected 'auto', 'modl', None or an integer >= 2"
                )
            if value == "modl" and self.classes_ is None:
                raise InvalidInputError("bins='modl' tells classes apart, y is a continuous quantity: use 'auto'")
        return [chosen.get(name, "auto") for name in names]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def held_out_encoding(
    encoder: Any, X: Any, y: NDArray, n_folds: int, random_state: np.random.RandomState
) -> NDArray[np.float64] | None:
    """Rows (n, p) of X encoded by an encoder that was fitted without them, fold by fold.

    The encoding of a row by its own fold's averages knows the row's label a little, most where a value is rare;
    this one does not. None when some class has fewer than two rows, so that no fold can be held out.

    Raises
    ------
    InvalidInputError
        When the number of columns depends on the rows that the encoder saw.
    """
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < 2:
        return None
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


def class_indicators(y: NDArray) -> tuple[NDArray, NDArray[np.float64]]:
    """Classes in sorted order, and the indicator of the second (n, 1), or of each of more than two (n, C).

    Raises
    ------
    InvalidInputError
        When y holds one class only.
    """
    classes, _ = class_codes(y)
    wanted = classes if len(classes) > 2 else classes[-1:]
    return classes, (y[:, None] == wanted[None, :]).astype(np.float64)
