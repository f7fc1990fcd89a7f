"""Checks of classes and of clusters, one per point. Other values are refused (InvalidInputError)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError
from .arrays import absent, as_array, distinct, refuse_masked

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def class_codes(y: ArrayLike, name: str = "y") -> tuple[NDArray, NDArray[np.int64]]:
    """The classes of y (n,) in sorted order, and the place of each entry's class among them."""
    target = as_array(y, name)
    if target.ndim != 1 or not target.size:
        raise InvalidInputError(f"{name} has shape {target.shape}, expected (n,) with n >= 1: pass one class per row")
    classes, places = distinct(target, name)
    if len(classes) < 2:
        raise InvalidInputError(f"{name} holds one class only, '{classes[0]}': expected at least two")
    return classes, places


def require_target(estimator: BaseEstimator, y: ArrayLike | None) -> None:
    """Refuse a missing target, in the words that scikit-learn's own checks look for."""
    if y is None:
        raise InvalidInputError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")


def class_target(estimator: BaseEstimator, X: Any, y: ArrayLike | None) -> tuple[NDArray, NDArray[np.int64]]:
    """`class_codes` of the target of an estimator that learns from the rows X."""
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_y, check_consistent_length, column_or_1d

    require_target(estimator, y)
    refuse_masked(y, "y")
    target = _check_y(column_or_1d(y, warn=True), multi_output=False)
    check_consistent_length(X, target)
    check_classification_targets(target)
    return class_codes(target)


def zero_one(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """A vector (n,) of classes 0 and 1."""
    array = as_array(values, name)
    if array.ndim != 1 or not array.size:
        raise InvalidInputError(f"{name} has shape {array.shape}, expected (n,) with n >= 1")
    found = distinct(array[~absent(array)], name)[0].tolist()
    if absent(array).any() or not set(found) <= {0, 1}:
        shown = ", ".join(str(v) for v in found[:4]) + (", ..." if len(found) > 4 else "")
        missing = " and missing values" if absent(array).any() else ""
        raise InvalidInputError(
            f"{name} holds {shown}{missing}, expected 0 and 1: encode the class, leave out unknown rows"
        )
    return array.astype(np.int64)


def cluster_numbers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """A vector (n,) of cluster numbers of at least 0."""
    array = as_array(values, name)
    if array.ndim != 1:
        raise InvalidInputError(f"{name} has shape {array.shape}, expected (n,)")
    if not array.size:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and np.array_equal(array, np.round(array))):
        raise InvalidInputError(f"{name} holds {array.dtype} values, expected cluster numbers 0, 1, ...")
    if array.min() < 0:
        raise InvalidInputError(
            f"{name} holds {array.min()}, expected cluster numbers of at least 0: leave out such rows"
        )
    return array.astype(np.int64)


def numbers_below(values: ArrayLike, name: str, n: int) -> NDArray[np.int64]:
    """Whole numbers (p,), each of 0..n-1: what n points, or clusters, are called; one alone counts as p = 1."""
    array = np.atleast_1d(as_array(values, name))
    if not array.size:
        return np.empty(0, dtype=np.int64)
    usable = array.dtype.kind in "iu" and array.ndim == 1
    wrong = array[(array < 0) | (array >= n)] if usable else array.ravel()
    if wrong.size:
        raise InvalidInputError(f"{name} holds {wrong[0]!s}, expected numbers of 0..{n - 1}")
    return array.astype(np.int64, copy=False)


def checked_labels(labels: ArrayLike, n_points: int, n_clusters: int, name: str = "labels") -> NDArray[np.int64]:
    """Labels (n_points,) as integers, each of 0..n_clusters-1."""
    y = as_array(labels, name)
    if y.shape != (n_points,):
        raise InvalidInputError(f"{name} has shape {y.shape}, expected ({n_points},): pass one label per point")
    integer = y.dtype.kind in "biu"
    whole = y.astype(np.int64) if integer or (y.dtype.kind == "f" and np.isfinite(y).all()) else None
    if whole is None or (not integer and (whole != y).any()):
        raise InvalidInputError(f"{name} must be whole numbers: number the clusters 0, 1, ...")
    if y.size and (whole.min() < 0 or whole.max() >= n_clusters):
        raise InvalidInputError(
            f"{name} must be 0..{n_clusters - 1}, got {whole.min()} to {whole.max()}: name existing clusters"
        )
    return whole
