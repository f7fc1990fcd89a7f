"""Columns of mixed tables as arrays: what counts as a number, as a text, as missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_array

from .checks import refuse_masked, validate_data
from .errors import InvalidInputError
from .number_texts import read_numbers

EXACT = 2.0**53  # Every whole number up to this is exactly representable as a float.


def as_numbers(column: pd.Series) -> NDArray[np.float64] | None:
    """Values (n,) as floats, NaN where missing; None when the column is not one of numbers or times."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind == "f":
        return column.to_numpy(np.float64)
    if isinstance(dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(dtype):
        return None
    if pd.api.types.is_complex_dtype(dtype):
        raise InvalidInputError(f"Complex data not supported: column {column.name!r} holds complex numbers")
    if isinstance(dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
        dtype = column.dtype
    if pd.api.types.is_datetime64_dtype(dtype):
        column = column - pd.Timestamp("1970-01-01")
        dtype = column.dtype
    if pd.api.types.is_timedelta64_dtype(dtype):
        return column.to_numpy() / np.timedelta64(1, "D")
    if pd.api.types.is_numeric_dtype(dtype):
        floats = column.to_numpy(np.float64, na_value=np.nan)
        return None if pd.api.types.is_integer_dtype(dtype) and _merges(column, floats) else floats
    if pd.api.types.is_object_dtype(dtype):
        present = column[column.notna()]
        numbers = present.map(lambda v: isinstance(v, int | float | np.number) and not isinstance(v, bool | np.bool_))
        if len(present) and bool(numbers.all()):
            floats = column.astype(object).where(column.notna(), np.nan).to_numpy(np.float64)
            return None if _merges(present, floats) else floats
    return None


def written_numbers(column: pd.Series, decimal: str | None = None) -> NDArray[np.float64] | None:
    """Numbers (n,) of a column, of texts as `read_numbers` reads them, NaN where empty; None when an entry is not a
    number, or may be read in two ways."""
    numbers = as_numbers(column)
    if numbers is not None or not (pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column)):
        return numbers
    texts = as_texts(column)
    found = read_numbers(texts, decimal)
    lost = np.isnan(found.values) & np.array([text is not None for text in texts])
    return None if found.unclear or lost.any() else found.values


def fitting_numbers(
    column: pd.Series, said: str, wanted: str, fits: Callable, decimal: str | None = None, rows: Sequence | None = None
) -> NDArray[np.float64]:
    """Numbers (n,) of a column, all of which fit; the error names the first entry that does not, and its row."""
    numbers = None if column.dtype.kind in "mM" else written_numbers(column, decimal)
    if numbers is not None and fits(numbers).all():
        return numbers
    alone = [written_numbers(column.iloc[[j]], decimal) is None for j in range(len(column) if numbers is None else 0)]
    bad = np.array(alone) if numbers is None else ~fits(numbers)
    row = int((bad if bad.any() else column.notna().to_numpy()).argmax())
    raise InvalidInputError(
        f"{said} holds {column.tolist()[row]!r} in row {row if rows is None else rows[row]!r}, expected {wanted}"
    )


def _merges(column: pd.Series, numbers: NDArray[np.float64]) -> bool:
    """Whether different values of a column have become the same float."""
    if not numbers.size or not np.nanmax(np.abs(numbers), initial=0.0) > EXACT:
        return False
    return bool(column.nunique() > np.unique(numbers[~np.isnan(numbers)]).size)


def as_texts(column: pd.Series) -> NDArray[np.object_]:
    """Values (n,) as texts, None where missing; whole numbers are written without a fraction."""
    absent = pd.isna(column).to_numpy()
    values = column.astype(object).to_numpy(dtype=object)
    if isinstance(column.dtype, pd.StringDtype) or pd.api.types.infer_dtype(values) == "string":
        values = values.copy()
        values[absent] = None
        return values
    texts = np.empty(len(values), dtype=object)
    for j in np.flatnonzero(~absent):
        value = without_nesting(values[j])
        whole = isinstance(value, float | np.floating) and float(value).is_integer()
        texts[j] = str(int(value)) if whole else str(value)
    return texts


def without_nesting(entry: object) -> Any:
    """An entry of a table, or as a text where it holds entries of its own."""
    if isinstance(entry, list | tuple | np.ndarray):  # in round brackets: [1, 2] may be an interval
        return str(tuple(part.item() if isinstance(part, np.generic) else part for part in entry))
    if isinstance(entry, set | frozenset):
        return f"{{{', '.join(sorted(map(repr, entry)))}}}"
    return str(entry) if isinstance(entry, dict | bytes | bytearray) else entry


def numbers_as_learnt(column: pd.Series) -> NDArray[np.float64]:
    """Numbers (n,) of a column that held numbers in training: of texts those that are numbers, NaN for all others."""
    numbers = as_numbers(column)
    if numbers is None:
        numbers = pd.to_numeric(pd.Series(as_texts(column), dtype=object), errors="coerce").to_numpy(np.float64)
    refuse_infinite(numbers, column.name)
    return numbers


def names_of_features(estimator: BaseEstimator, given: Any) -> Any:
    """Names (d,) of the columns of a fit; what is given for them has to be the same."""
    try:
        return _check_feature_names_in(estimator, given)
    except ValueError as error:
        raise InvalidInputError(f"input_features is not usable: {error}") from error


def refuse_infinite(numbers: NDArray[np.float64], name: object) -> None:
    """Raise InvalidInputError when a number is infinite."""
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise InvalidInputError(
            f"column {name!r} holds {infinite.size} infinite value{'s' * (infinite.size > 1)}, the first in row "
            f"{infinite[0]}: expected finite numbers or missing entries; replace infinity before fitting"
        )


class MixedTable:
    """Comes before scikit-learn's base classes of an estimator that reads numbers and words, with gaps."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags


def as_frame(estimator: BaseEstimator, X: Any, *, reset: bool) -> pd.DataFrame:
    """X as a DataFrame without a copy of its columns, names and width checked against the estimator's."""
    refuse_masked(X, "X")
    if isinstance(X, pd.DataFrame):
        repeated = X.columns[X.columns.duplicated()]
        if len(repeated):
            raise InvalidInputError(f"X has two columns named {repeated[0]!r}: rename one")
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if not (len(X) and X.shape[1]):
            missing = "sample" if not len(X) else "feature"
            raise InvalidInputError(
                f"Found array with 0 {missing}(s) (shape={X.shape}) while a minimum of 1 is required: "
                f"pass a table with rows and columns"
            )
        return X
    numeric = getattr(getattr(X, "dtype", None), "kind", "O") in "fiub"
    values = check_array(X, dtype=None, ensure_all_finite="allow-nan" if numeric else False)
    validate_data(estimator, X if hasattr(X, "columns") else values, reset=reset, skip_check_array=True)
    return pd.DataFrame(values, copy=False)
