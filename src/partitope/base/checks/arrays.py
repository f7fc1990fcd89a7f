"""Checks of arrays: their shapes, and that they hold finite numbers. Other values are refused (InvalidInputError)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError


def as_array(values: ArrayLike, name: str) -> NDArray:
    """An array of what is given; a copy only if needed. A list of texts and other things keeps what they are."""
    refuse_masked(values, name)
    try:
        array = np.asarray(values)
        if array.dtype.kind == "U" and isinstance(values, list | tuple):
            entries = np.asarray(values, dtype=object)
            return array if all(isinstance(entry, str) for entry in entries.flat) else entries  # NaN is not "nan"
        return array
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} holds rows of different lengths: pass an array") from None


def as_entries(value: Any, name: str) -> tuple[list[Any], bool]:
    """The entries of what may be one thing or a sequence, and whether it is a sequence."""
    array = as_array(value, name)
    if array.ndim > 1:
        raise InvalidInputError(f"{name} has shape {array.shape}: pass one value, or a sequence of values")
    return (list(value), True) if array.ndim else ([value], False)


def listed(values: Any, name: str, of: str) -> list[object]:
    """The entries of what can be iterated over, but for a text; ``of`` says what they are."""
    try:
        if not isinstance(values, str):
            return list(values)
    except TypeError:
        pass
    raise InvalidInputError(f"{name}={values!r} is not usable: pass a sequence of {of}")


def as_floats(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """An array of float64, of any shape; a copy only if needed."""
    refuse_masked(values, name)
    try:
        array = np.asarray(values)
        if array.dtype.kind != "c":
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise InvalidInputError(f"{name} holds no numbers, or rows of different lengths: pass an array") from None
    raise InvalidInputError(f"{name} holds complex numbers, expected real ones: pass their real parts, or lengths")


def finite_rows(
    X: ArrayLike, name: str = "X", n_rows: int | None = None, n_columns: int | None = None
) -> NDArray[np.float64]:
    """Finite numbers (n, d) as float64; ``n_rows`` and ``n_columns`` where n and d are known. A copy only if needed."""
    points = as_floats(X, name)
    wanted = (n_rows, n_columns)
    fits = points.ndim == 2 and all(w is None or s == w for s, w in zip(points.shape, wanted))
    fits = fits and (n_columns is not None or points.shape[1] > 0)
    if not fits or not np.isfinite(points).all():
        n, d = ("n_points" if n_rows is None else n_rows), ("n_features" if n_columns is None else n_columns)
        held = f": row {_first_missing(points)} holds NaN or infinity" if fits else ""
        raise InvalidInputError(f"{name} has shape {points.shape}, expected a finite ({n}, {d}) array{held}")
    return points


def finite_vector(values: ArrayLike, name: str, n: int, of: str) -> NDArray[np.float64]:
    """A new float64 array of n finite numbers, one for each ``of`` what there are n."""
    array, expected = np.array(as_floats(values, name)), f"expected {n} finite numbers: one per {of}"
    if array.shape != (n,):
        raise InvalidInputError(f"{name} has shape {array.shape}, {expected}")
    if not np.isfinite(array).all():
        raise InvalidInputError(f"{name} is NaN or infinite at position {_first_missing(array)}, {expected}")
    return array


def finite_numbers(values: ArrayLike, name: str, ndim: int = 1) -> NDArray[np.float64]:
    """Finite numbers as float64 of the given dimension."""
    array = as_floats(values, name)
    if array.ndim != ndim or not array.size:
        raise InvalidInputError(f"{name} has shape {array.shape}, expected {ndim} dimension(s), not empty")
    if not np.isfinite(array).all():
        where = _first_missing(array)
        raise InvalidInputError(f"{name} is NaN or infinite at position {where}: drop or fill such rows")
    return array


def refuse_masked(values: Any, name: str) -> None:
    """Refuse entries under the mask of a NumPy masked array, or of one among the rows of a list."""
    for row in values if isinstance(values, list | tuple) else (values,):
        if isinstance(row, np.ma.MaskedArray) and np.ma.is_masked(row):
            raise InvalidInputError(f"{name} has masked entries, which are not data: fill them in, or drop those rows")


def refuse_missing(values: Any, name: str) -> None:
    """Refuse NaN and infinity in an array or a sparse matrix; one fast pass over contiguous memory."""
    refuse_masked(values, name)
    entries = values.data if hasattr(values, "nnz") else values  # looked at, so that no sparse package is needed
    if entries.dtype.kind != "f":
        return
    flat = entries.ravel("K")
    with np.errstate(over="ignore", invalid="ignore"):  # sums of large numbers overflow, too
        total = flat.sum()  # a product would wake threads, which then wait for work for a tenth of a second
    if not math.isfinite(total) and not np.isfinite(flat).all():
        raise InvalidInputError(f"{name} holds NaN or infinity: impute or drop those rows first")


def absent(array: NDArray) -> NDArray[np.bool_]:
    """Whether entries are missing: NaN, None, NaT or pandas' NA."""
    from pandas import isna

    return np.asarray(isna(array))


def refuse_absent(array: NDArray, name: str) -> None:
    """Refuse missing entries of an array (n,) of labels, which are neither equal to each other nor to any label."""
    missing = np.flatnonzero(absent(array))
    if missing.size:
        raise InvalidInputError(
            f"{name} has no entry at {missing.size} of {len(array)} points, the first is {missing[0]}: fill them, or "
            f"leave these points out"
        )


def covariance_matrix(values: ArrayLike, d: int, name: str) -> NDArray[np.float64]:
    """A covariance (d, d), given as such or as one variance of every coordinate."""
    S = as_floats(values, name)
    S = finite_numbers(S, name, S.ndim)
    S = S * np.eye(d) if S.ndim == 0 else S
    if S.shape != (d, d) or not np.allclose(S, S.T) or not (np.linalg.eigvalsh(S) > 0).all():
        raise InvalidInputError(f"{name} must be a positive number or a ({d}, {d}) positive definite matrix")
    return S


def same_length(**arrays: NDArray) -> int:
    """The common length of named vectors."""
    for name, array in arrays.items():
        if not np.shape(array):
            raise InvalidInputError(f"{name} is a single value, expected (n,): pass one entry per row")
    lengths = {name: np.shape(array)[0] for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        text = ", ".join(f"{name}: {length}" for name, length in lengths.items())
        raise InvalidInputError(f"lengths differ ({text}): pass one entry per row")
    return next(iter(lengths.values()))


def distinct(values: NDArray, name: str) -> tuple[NDArray, NDArray[np.int64]]:
    """The different entries of an array in sorted order, and the place of each entry among them; none is missing."""
    if values.ndim != 1:
        raise InvalidInputError(f"{name} has shape {values.shape}, expected one entry per point, (n,)")
    refuse_absent(values, name)
    try:
        found, places = np.unique(values, return_inverse=True)
    except TypeError:
        raise InvalidInputError(
            f"{name} mixes values that cannot be sorted, such as numbers and texts: pass one type"
        ) from None
    return found, places.astype(np.int64)


def _first_missing(array: NDArray[np.float64]) -> int:
    """Row of the first entry that is NaN or infinite."""
    places = np.argwhere(~np.isfinite(array))
    return int(places[0][0]) if array.ndim else 0
