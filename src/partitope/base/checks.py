"""Reading of the arguments that the tests of this folder share; each error says what to pass instead."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def binary(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """A vector (n,) of classes 0 and 1.

    Raises
    ------
    ValueError
        When it is empty, not a vector, or holds anything but 0 and 1.
    """
    array = np.asarray(values)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}, expected (n,) with n >= 1")
    found = np.unique(array[~_missing(array)]).tolist()
    if _missing(array).any() or not set(found) <= {0, 1}:
        shown = ", ".join(str(v) for v in found[:4]) + (", ..." if len(found) > 4 else "")
        missing = " and missing values" if _missing(array).any() else ""
        raise ValueError(f"{name} holds {shown}{missing}, expected 0 and 1: encode the class, leave out unknown rows")
    return array.astype(np.int64)


def codes(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """A vector (n,) of cluster numbers of at least 0.

    Raises
    ------
    ValueError
        When it is not a vector of integers of at least 0.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}, expected (n,)")
    if not array.size:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and np.array_equal(array, np.round(array))):
        raise ValueError(f"{name} holds {array.dtype} values, expected cluster numbers 0, 1, ...")
    if array.min() < 0:
        raise ValueError(f"{name} holds {array.min()}, expected cluster numbers of at least 0: leave out such rows")
    return array.astype(np.int64)


def numbers(values: ArrayLike, name: str, ndim: int = 1) -> NDArray[np.float64]:
    """Finite numbers as float64 of the given dimension.

    Raises
    ------
    ValueError
        When the shape is another one, or a value is NaN or infinite.
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} cannot be read as numbers: {error}") from error
    if array.ndim != ndim or not array.size:
        raise ValueError(f"{name} has shape {array.shape}, expected {ndim} dimension(s), not empty")
    if not np.isfinite(array).all():
        where = int(np.argwhere(~np.isfinite(array))[0][0])
        raise ValueError(f"{name} is NaN or infinite at position {where}: drop or fill such rows")
    return array


def covariance_matrix(values: ArrayLike, d: int, name: str) -> NDArray[np.float64]:
    """A covariance (d, d), given as such or as one variance of every coordinate.

    Raises
    ------
    ValueError
        When it is not finite, symmetric and positive definite, or of another shape.
    """
    S = numbers(values, name, np.ndim(values))
    S = S * np.eye(d) if S.ndim == 0 else S
    if S.shape != (d, d) or not np.allclose(S, S.T) or not (np.linalg.eigvalsh(S) > 0).all():
        raise ValueError(f"{name} must be a positive number or a ({d}, {d}) positive definite matrix")
    return S


def same_length(**arrays: NDArray) -> int:
    """The common length of named vectors.

    Raises
    ------
    ValueError
        When lengths differ.
    """
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        text = ", ".join(f"{name}: {length}" for name, length in lengths.items())
        raise ValueError(f"lengths differ ({text}): pass one entry a row")
    return next(iter(lengths.values()))


def inside(value: float, name: str, low: float, high: float, *, closed: bool = False) -> float:
    """A number strictly between ``low`` and ``high``, or with its ends if ``closed``.

    Raises
    ------
    ValueError
        When it lies outside.
    """
    number = float(value)
    if not (low <= number <= high if closed else low < number < high):
        ends = f"[{low}, {high}]" if closed else f"({low}, {high})"
        raise ValueError(f"{name}={value!r} is not usable: pass a number in {ends}")
    return number


def one_of(value: object, name: str, choices: tuple[object, ...]) -> None:
    """Refuse a value that is not among ``choices``.

    Raises
    ------
    ValueError
        When it is not.
    """
    if not any(value is choice or value == choice for choice in choices):
        raise ValueError(f"{name}={value!r} is not known: choose one of {', '.join(repr(c) for c in choices)}")


def _missing(array: NDArray) -> NDArray[np.bool_]:
    return np.asarray(array != array)
