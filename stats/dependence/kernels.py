"""Kernels and Gram matrices.

rbf           k(x, y) = exp(-|x - y|^2 / (2 s^2)),  s^2 the median of the nonzero squared distances
linear        k(x, y) = x . y
categorical   k(x, y) = exp(-(number of columns that differ) / 2): the rbf kernel of one-hot indicators, whose
              nonzero squared distance is always 2, multiplied over the columns
centring      Kc = H K H,  H = I - 11'/n
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.checks import as_array, as_floats
from ...base.errors import InvalidInputError

Kernel = Literal["rbf", "linear", "categorical", "precomputed"] | Callable[[NDArray, NDArray], NDArray]
NAMES = ("rbf", "linear", "categorical", "precomputed")


def as_columns(values: ArrayLike, name: str = "x") -> NDArray:
    """Values as a table (n, d); one-dimensional input becomes one column."""
    table = as_array(values, name)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or table.size == 0:
        raise InvalidInputError(f"{name} has shape {np.shape(values)}, expected (n,) or (n, d) with n, d >= 1")
    if table.dtype.kind in "fc":
        missing = ~np.isfinite(table)
    else:
        missing = np.array([[v is None or (isinstance(v, float) and v != v) for v in row] for row in table.tolist()])
    if missing.any():
        row, column = np.argwhere(missing)[0]
        raise InvalidInputError(
            f"{name} is NaN, infinite or missing in row {row}, column {column}: drop or fill such rows"
        )
    return table


def squared_distances(X: NDArray, Y: NDArray | None = None) -> NDArray[np.float64]:
    """Squared Euclidean distances (n, m) between the rows of X (n, d) and Y (m, d), or between those of X."""
    from scipy.spatial.distance import cdist

    left = np.ascontiguousarray(X, dtype=np.float64)
    right = left if Y is None else np.ascontiguousarray(Y, dtype=np.float64)
    return cdist(left, right, "sqeuclidean")


def median_width(X: ArrayLike, max_points: int = 4000) -> float:
    """Width s of the rbf kernel by the median heuristic: the root of the median nonzero squared distance. Shapes: X
    (n,)."""
    points = as_columns(X).astype(np.float64)
    if len(points) > max_points:
        points = points[np.linspace(0, len(points) - 1, max_points).astype(np.int64)]
    square = squared_distances(points)[np.triu_indices(len(points), 1)]
    # rows that differ by the rounding of what made them, as projections do, count as equal
    square = square[square > (4 * np.finfo(float).eps) ** 2 * (points**2).sum(axis=1).max()]
    if square.size == 0:
        raise InvalidInputError(
            "all rows are equal, so the median heuristic has no width: drop the column or pass a width"
        )
    return float(np.sqrt(np.median(square)))


def rbf_kernel(X: ArrayLike, Y: ArrayLike | None = None, width: float | None = None) -> NDArray[np.float64]:
    """Gaussian Gram matrix (n, m) of X (n, d) with Y (m, d) or itself; ``width`` defaults to `median_width` of X."""
    left = as_columns(X).astype(np.float64)
    right = None if Y is None else as_columns(Y).astype(np.float64)
    scale = median_width(left) if width is None else float(width)
    if not scale > 0:
        raise InvalidInputError(f"width={width!r} is not usable: pass a positive number")
    K = squared_distances(left, right)
    K *= -0.5 / scale**2
    return np.exp(K, out=K)


def linear_kernel(X: ArrayLike, Y: ArrayLike | None = None) -> NDArray[np.float64]:
    """Inner products (n, m) of the rows of X (n, d) with those of Y (m, d), or with themselves."""
    left = as_columns(X).astype(np.float64)
    return left @ (left if Y is None else as_columns(Y).astype(np.float64)).T


def categorical_kernel(X: ArrayLike, Y: ArrayLike | None = None) -> NDArray[np.float64]:
    """exp(-(columns that differ) / 2), shape (n, m), for tables of levels X (n, d) and Y (m, d)."""
    left = as_columns(X)
    right = left if Y is None else as_columns(Y)
    differ = np.zeros((len(left), len(right)))
    for column in range(left.shape[1]):
        differ += left[:, column][:, None] != right[:, column][None, :]
    return np.exp(-0.5 * differ)


def gram(X: ArrayLike, kernel: Kernel = "rbf", name: str = "x") -> NDArray[np.float64]:
    """Gram matrix (n, n) of one table. Shapes: X (n,)."""
    table = as_columns(X, name)
    if callable(kernel):
        return _checked(as_floats(kernel(table, table), f"the Gram matrix of {name}"), len(table), name)
    if str(kernel) not in NAMES:
        raise InvalidInputError(
            f"kernel={kernel!r} of {name} is not known: choose one of {', '.join(NAMES)} or pass a callable"
        )
    if kernel == "precomputed":
        return _checked(as_floats(table, name), len(table), name)
    if kernel == "categorical":
        return categorical_kernel(table)
    _check_numbers(table, name)
    return rbf_kernel(table) if kernel == "rbf" else linear_kernel(table)


def centred_gram(X: ArrayLike, kernel: Kernel = "rbf", name: str = "x") -> NDArray[np.float64]:
    """`centre` of `gram`, with the same arguments and errors."""
    if not (isinstance(kernel, str) and kernel == "linear"):
        return centre(gram(X, kernel, name))
    table = as_columns(X, name)
    _check_numbers(table, name)
    columns = table.astype(np.float64)
    columns -= columns.mean(axis=0)
    columns -= columns.mean(axis=0)  # what rounding left of the first mean
    return columns @ columns.T


def _check_numbers(table, name):
    if table.dtype.kind not in "fiub":
        raise InvalidInputError(
            f"{name} holds {table.dtype} values, expected numbers: use kernel='categorical' for levels"
        )
    if (table == table[0]).all():
        raise InvalidInputError(f"{name} is constant: it carries no information, leave it out")


def _checked(K: NDArray[np.float64], n: int, name: str) -> NDArray[np.float64]:
    if K.shape != (n, n):
        raise InvalidInputError(f"the Gram matrix of {name} has shape {K.shape}, expected ({n}, {n})")
    if not np.isfinite(K).all() or np.abs(K - K.T).max() > 1e-8 * np.abs(K).max():
        raise InvalidInputError(
            f"the Gram matrix of {name} must be finite and symmetric: symmetrise it or use another kernel"
        )
    return 0.5 * (K + K.T)


def centre(K: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centred Gram matrix H K H (n, n), in O(n^2)."""
    means = K.mean(axis=0)
    return K - means[:, None] - means[None, :] + means.mean()
