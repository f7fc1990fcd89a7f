"""Supervised discretisation and grouping of mixed tables, without parameters to tune.

Each column is split into the parts (intervals of numbers, groups of categories) that minimise the MODL criterion of
`partitope.stats.modl`, its own prior included: a column that says nothing about the classes stays one part.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ...base.checks import as_number, class_target, listed, one_of
from ...base.columns import MixedTable, as_frame, as_numbers, as_texts, input_names
from ...base.errors import InvalidInputError
from ...base.inherited_docs import FittedToClasses
from ...solvers.predictive.log_likelihoods import Parts, fit_parts, part_codes
from ...stats.modl.cuts_and_groups import Method, group_values

METHODS = ("auto", "exact", "greedy")


class _PartTransformer(MixedTable, FittedToClasses, TransformerMixin, BaseEstimator):
    """Columns of one kind become part numbers, the others stay as they are."""

    method: Method
    columns: Sequence[Any] | None

    def _fit_column(self, column: pd.Series, y: NDArray[np.int64], n_classes: int, named: bool) -> Parts | None:
        raise NotImplementedError

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Find the parts of the columns of X (n, d) for the classes y (n,)."""
        frame, codes, self.classes_ = check_table(self, X, y)
        names = list(frame.columns)
        chosen = [] if self.columns is None else listed(self.columns, "columns", "column names")
        unknown = [name for name in chosen if not (isinstance(name, Hashable) and name in names)]
        if unknown:
            raise InvalidInputError(f"columns names {unknown[0]!r}, which is not a column: choose among {names}")
        treated = range(len(names)) if self.columns is None else [f for f, name in enumerate(names) if name in chosen]
        options = len(self.classes_), self.columns is not None
        parts = {f: self._fit_column(frame.iloc[:, f], codes, *options) for f in treated}
        self.parts_ = {f: part for f, part in parts.items() if part is not None}
        return self

    def transform(self, X: Any) -> Any:
        """Table (n, d) with part numbers in place of the treated columns; a DataFrame when X is one."""
        check_is_fitted(self)
        frame = as_frame(self, X, reset=False)
        columns = [
            part_codes(self.parts_[f], frame.iloc[:, f]) if f in self.parts_ else frame.iloc[:, f].to_numpy()
            for f in range(frame.shape[1])
        ]
        if isinstance(X, pd.DataFrame):
            series = [pd.Series(column, index=frame.index) for column in columns]
            return pd.concat(series, axis=1, keys=frame.columns)
        return np.column_stack(columns)

    def report(self) -> pd.DataFrame:
        """One row a treated column: parts, criterion, its value for one part, compression gain, proved or not."""
        check_is_fitted(self)
        rows = {
            column_name(self, f): {
                "parts": part.n_parts,
                "criterion": part.value,
                "criterion of one part": part.null_value,
                "compression gain": part.gain,
                "exact": part.exact,
            }
            for f, part in self.parts_.items()
        }
        table = pd.DataFrame.from_dict(rows, orient="index")
        return table.sort_values("compression gain", ascending=False, kind="stable") if len(table) else table

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names of the output columns: those of the input."""
        check_is_fitted(self)
        return np.array(input_names(self, input_features), dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
class MODLDiscretizer(_PartTransformer):
    """Replace numbers by the intervals that tell the classes apart best.

    Parameters
    ----------
    method : {"auto", "exact", "greedy"}, default "auto"
        Dynamic programming, joining with post-optimisation, or the first up to 2048 blocks of rows.
    columns : sequence of column names (or indices, for arrays), optional
        What to treat; None takes every column of numbers or times. The others pass unchanged.

    Attributes
    ----------
    parts_ : dict of int to Intervals
        Cuts, class counts, criterion and compression gain of each treated column, by its index.

    Raises
    ------
    InvalidInputError
        From ``fit``: y of one class, infinite numbers, a named column that does not hold numbers.

    Notes
    -----
    Exact: O(B^2 (J + I)) a column for B blocks; greedy: O(n log n). Missing entries are an interval of their own,
    the last one; where training had none they go to the interval that says least about the classes.

    References
    ----------
    Boulle 2006, MODL: a Bayes optimal discretization method for continuous attributes, Machine Learning 65.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from partitope.classifiers import MODLDiscretizer
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> MODLDiscretizer().fit(X, y).parts_[2].cuts.round(2)
    array([2.45, 4.75])
    """

    method: Method = "auto"
    columns: Sequence[Any] | None = None

    def _fit_column(self, column: pd.Series, y: NDArray[np.int64], n_classes: int, named: bool) -> Parts | None:
        if as_numbers(column) is None:
            if named:
                raise InvalidInputError(
                    f"column {column.name!r} holds {column.dtype} entries, expected numbers: use MODLGrouper for it"
                )
            return None
        return fit_parts(column, y, n_classes, self.method)


@dataclass(eq=False, repr=False, kw_only=True)
class MODLGrouper(_PartTransformer):
    """Replace categories by the groups of values that tell the classes apart best.

    Parameters
    ----------
    method : {"auto", "exact", "greedy"}, default "auto"
        Dynamic programming (two classes, or few values), joining of pairs with post-optimisation, or the first
        where it fits.
    columns : sequence of column names (or indices, for arrays), optional
        What to treat, numbers included; None takes every column that does not hold numbers or times. The others
        pass unchanged.

    Attributes
    ----------
    parts_ : dict of int to Groups
        Groups, class counts, criterion and compression gain of each treated column, by its index; groups are
        numbered by size.

    Raises
    ------
    InvalidInputError
        From ``fit``: y of one class, a name in ``columns`` that is not a column.

    Notes
    -----
    Exact: O(V^2 I) for two classes, O(3^V I) for more; greedy: O(V^2 J). A missing entry is a value like the
    others; a value that training did not hold goes to the group that says least about the classes.

    References
    ----------
    Boulle 2005, A Bayes optimal approach for partitioning the values of categorical attributes, JMLR 6.

    Examples
    --------
    >>> import pandas as pd
    >>> from partitope.classifiers import MODLGrouper
    >>> table = pd.DataFrame({"colour": ["red", "blue", "pink", "cyan"] * 20})
    >>> warm = table["colour"].isin(["red", "pink"])
    >>> MODLGrouper().fit(table, warm).transform(table)["colour"].tolist()[:4]
    [1, 0, 1, 0]
    """

    method: Method = "auto"
    columns: Sequence[Any] | None = None

    def _fit_column(self, column: pd.Series, y: NDArray[np.int64], n_classes: int, named: bool) -> Parts | None:
        if not named and as_numbers(column) is not None:
            return None
        return group_values(as_texts(column), y, n_classes, self.method)


def check_table(estimator: Any, X: Any, y: ArrayLike | None) -> tuple[pd.DataFrame, NDArray[np.int64], NDArray]:
    """Table, class numbers (n,) and classes (J,) of a supervised fit; sets ``n_features_in_`` and names."""
    one_of(estimator.method, "method", METHODS)
    frame = as_frame(estimator, X, reset=True)
    classes, codes = class_target(estimator, frame, y)
    return frame, codes, classes


def check_smoothing(smoothing: float | None) -> None:
    """Raise InvalidInputError unless the smoothing is None or a positive finite number."""
    if smoothing is not None and not 0 < as_number(smoothing) < np.inf:
        raise InvalidInputError(f"smoothing={smoothing!r} is not usable: expected a finite number > 0, or None")


def column_name(estimator: Any, f: int) -> str:
    """Name of input column f, ``x<f>`` when it has none."""
    names = getattr(estimator, "feature_names_in_", None)
    return f"x{f}" if names is None else str(names[f])
